/* SPDX-License-Identifier: MIT
 * The vector body of MSV, for every width. Included once by avx2.c and avx512.c.
 *
 * Parameters: the V* macros of lib/simd/v_<isa>.h, and
 *   MSV_SHAPES(F)   a list F(Q, S) of the register shapes to compile: Q vectors a sequence, S sequences at a time, each Q
 *                   from 1 to MSV_QREG once. About S * (Q + 4) registers are alive. Longer models keep their row in memory.
 *
 * Layout: striped over the whole model: node k (from 0) is lane k / Q of vector k % Q.
 *
 * Rows hang together through xB alone, and xB moves only when the best xE so far passes max(base, xJ) + tec. So the largest
 * cell so far is kept as a vector and compared once a row with that limit; horizontal maximum, xJ and xB are worked out
 * only when a lane is above, which random sequences hardly ever do. */

#include "kernels/msv/msv.h"
#include "lib/cascade/ungapped.h"
#include "lib/hmm/target.h"

#include <math.h>
#include <string.h>

typedef struct msv_prep {
    ws_bytes bytes; /* cost is NULL: only the scalars are used */
    void *ssv;
    int Q;
    uint8_t *cost; /* cost[(x * Q + q) * VB_LANES + lane], padding 255 */
} msv_prep;

/* What a sequence carries from row to row besides its cells. */
typedef struct special {
    V best;  /* largest cell so far */
    V limit; /* above it xB has to move, or the range ends */
    V xB;
    int tjbm, over;
} special;

/* A lane of `best` is above the limit: moves xB and the limit. 1 if the 8-bit range is exceeded. */
WS_INLINE int raise(V best, V *limit, V *xB, const ws_bytes *b, int tjbm) {
    const int xE = VB_HMAX_U(best), next = xE - b->tec - tjbm;
    *limit = VB_SET1(xE);
    *xB = VB_SET1(next > 0 ? next : 0);
    return xE >= 255 - b->bias;
}

/* n rows of S sequences, fewer if one of them exceeds the range; returns how many. cell: S times Q vectors. */
WS_INLINE size_t rows(const int Q, const int S, const msv_prep *p, const uint8_t *const *seq, size_t n, V *cell, special *sp) {
    enum { SMAX = 8, QROOM = 32 };
    const V bias = VB_SET1(p->bytes.bias), zero = VB_SET1(0);
    V v[SMAX][QROOM], best[SMAX], limit[SMAX], xB[SMAX];
    const uint8_t *x[SMAX], *cost = p->cost;
    V_UNROLL for (int s = 0; s < S; s++) {
        x[s] = seq[s];
        best[s] = sp[s].best;
        limit[s] = sp[s].limit;
        xB[s] = sp[s].xB;
        V_UNROLL for (int q = 0; q < Q; q++) v[s][q] = cell[s * Q + q];
    }
    for (size_t i = 0; i < n; i++) {
        V_UNROLL for (int s = 0; s < S; s++) {
            const uint8_t *c = cost + (size_t)x[s][i] * (size_t)(Q * VB_LANES);
            const V in = VB_UP1(v[s][Q - 1], zero);
            V top[2] = {best[s], zero};
            V_UNROLL for (int r = 0; r < Q; r++) {
                const int q = Q - 1 - r;
                v[s][q] = VB_SUBS_U(VB_ADDS_U(VB_MAX_U(q ? v[s][q - 1] : in, xB[s]), bias), V_LOAD(c + q * VB_LANES));
                top[r % 2] = r == 1 ? v[s][q] : VB_MAX_U(top[r % 2], v[s][q]);
            }
            best[s] = Q > 1 ? VB_MAX_U(top[0], top[1]) : top[0];
            if (__builtin_expect(VB_ANY_GT_U(best[s], limit[s]), 0) &&
                raise(best[s], &limit[s], &xB[s], &p->bytes, sp[s].tjbm)) {
                sp[s].over = 1;
                n = i + 1;
            }
        }
    }
    V_UNROLL for (int s = 0; s < S; s++) {
        sp[s].best = best[s];
        sp[s].limit = limit[s];
        sp[s].xB = xB[s];
        V_UNROLL for (int q = 0; q < Q; q++) cell[s * Q + q] = v[s][q];
    }
    return n;
}

/* The same for one sequence with any Q, cells in memory; vectors go down, so that vector q-1 is still the row before. */
static size_t rows_any(const msv_prep *p, const uint8_t *const *seq, size_t n, V *cell, special *sp) {
    const V bias = VB_SET1(p->bytes.bias), zero = VB_SET1(0);
    const uint8_t *x = seq[0];
    const size_t Q = (size_t)p->Q;
    V best = sp->best, limit = sp->limit, xB = sp->xB;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *c = p->cost + (size_t)x[i] * Q * VB_LANES;
        const V in = VB_UP1(cell[Q - 1], zero);
        V top[4] = {best, zero, zero, zero};
        size_t q = Q;
        for (; q > 4; q -= 4) {
            V_UNROLL for (size_t r = 1; r <= 4; r++) {
                const V v = VB_SUBS_U(VB_ADDS_U(VB_MAX_U(cell[q - r - 1], xB), bias), V_LOAD(c + (q - r) * VB_LANES));
                cell[q - r] = v;
                top[r - 1] = VB_MAX_U(top[r - 1], v);
            }
        }
        while (q-- > 0) {
            const V v = VB_SUBS_U(VB_ADDS_U(VB_MAX_U(q ? cell[q - 1] : in, xB), bias), V_LOAD(c + q * VB_LANES));
            cell[q] = v;
            top[0] = VB_MAX_U(top[0], v);
        }
        best = VB_MAX_U(VB_MAX_U(top[0], top[1]), VB_MAX_U(top[2], top[3]));
        if (__builtin_expect(VB_ANY_GT_U(best, limit), 0) && raise(best, &limit, &xB, &p->bytes, sp->tjbm)) {
            sp->over = 1;
            n = i + 1;
        }
    }
    sp->best = best;
    sp->limit = limit;
    sp->xB = xB;
    return n;
}

typedef size_t rows_fn(const msv_prep *p, const uint8_t *const *seq, size_t n, V *cell, special *sp);
typedef struct shape {
    rows_fn *run;
    int S;
} shape;

#define MSV_DEFINE(Q, S) \
    static size_t rows_##Q(const msv_prep *p, const uint8_t *const *seq, size_t n, V *cell, special *sp) { \
        return rows(Q, S, p, seq, n, cell, sp); \
    }
#define MSV_ENTRY(Q, S) [Q] = {rows_##Q, S},
MSV_SHAPES(MSV_DEFINE)
static const shape shapes[MSV_QREG + 1] = {{rows_any, 1}, MSV_SHAPES(MSV_ENTRY)};

static void start(special *sp, V *cell, int Q, const ws_bytes *b, const ws_lenmodel *lm) {
    const int limit = (int)ws_min((size_t)(WS_BYTE_BASE + b->tec), (size_t)(254 - b->bias));
    sp->tjbm = (lm->tjb + b->tbm) % 256;
    sp->over = 0;
    sp->best = VB_SET1(0);
    sp->limit = VB_SET1(limit);
    sp->xB = VB_SET1(sp->tjbm < WS_BYTE_BASE ? WS_BYTE_BASE - sp->tjbm : 0);
    for (int q = 0; q < Q; q++) cell[q] = VB_SET1(0);
}

static ws_fscore finish(const special *sp, const ws_bytes *b, const ws_lenmodel *lm) {
    if (sp->over) return (ws_fscore){INFINITY, WS_F_OVERFLOW};
    const int xE = VB_HMAX_U(sp->best), xJ = xE > b->tec ? xE - b->tec : 0;
    return (ws_fscore){ws_ungapped_nats(xJ, lm->tjb), WS_F_OK};
}

/* The full recursion over a list; its place j is out[place[j]]. cell has room for S times Q vectors. */
static void full(const msv_prep *p, const ws_seqs *list, const uint32_t *place, ws_fscore *out, V *cell) {
    const shape *sh = &shapes[p->Q <= MSV_QREG ? p->Q : 0];
    special sp[8];
    ws_slots slots;
    ws_slots_begin(&slots, list, sh->S);
    for (int s = 0; s < sh->S; s++) /* an empty slot runs along with any values that are in range */
        start(&sp[s], cell + s * p->Q, p->Q, &p->bytes,
              ws_seqs_lm(list, ws_slots_fill(&slots, s) ? slots.at[s] : slots.at[0]));
    for (size_t n; (n = ws_slots_rows(&slots)) > 0;) {
        n = sh->run(p, slots.x, n, cell, sp);
        ws_slots_advance(&slots, n);
        for (int s = 0; s < sh->S; s++) {
            if (slots.at[s] == WS_SLOT_EMPTY || (slots.left[s] > 0 && !sp[s].over)) continue;
            const ws_lenmodel *lm = ws_seqs_lm(list, slots.at[s]);
            out[place[slots.at[s]]] = finish(&sp[s], &p->bytes, lm);
            ws_slots_drop(&slots, s);
            start(&sp[s], cell + s * p->Q, p->Q, &p->bytes,
                  ws_slots_fill(&slots, s) ? ws_seqs_lm(list, slots.at[s]) : lm);
        }
    }
}

static void release(void *prep) {
    msv_prep *p = prep;
    if (!p) return;
    V_FACE(ws_ssv_vec_).release(p->ssv);
    ws_free(p->cost);
    ws_free(p);
}

static int lay_out(msv_prep *p, const ws_bytes *b, ws_err *err) {
    p->bytes = *b;
    p->bytes.cost = NULL;
    p->Q = (b->M + VB_LANES - 1) / VB_LANES;
    const size_t size = (size_t)b->Kp * (size_t)p->Q * VB_LANES;
    p->cost = ws_calloc(size, 1, err);
    if (!p->cost) return WS_ENOMEM;
    memset(p->cost, 255, size);
    for (int x = 0; x < b->Kp; x++)
        for (int z = 0; z * p->Q < b->M; z++) {
            const uint8_t *from = b->cost + (size_t)x * (size_t)(b->M + 1) + (size_t)(z * p->Q + 1);
            uint8_t *to = p->cost + (size_t)(x * p->Q * VB_LANES + z);
            for (int q = 0; q < p->Q && z * p->Q + q < b->M; q++) to[q * VB_LANES] = from[q];
        }
    return V_FACE(ws_ssv_vec_).prepare(b, &p->ssv, err);
}

static int prepare(const ws_target *t, void **prep, ws_err *err) {
    const ws_hmm_target *target = t->data;
    msv_prep *p = ws_calloc(1, sizeof *p, err);
    *prep = p;
    if (!p) return err->code;
    ws_bytes bytes;
    int rc = ws_bytes_create(&bytes, &target->profile, err);
    if (!rc) {
        rc = lay_out(p, &bytes, err);
        ws_bytes_destroy(&bytes);
    }
    if (rc) {
        release(p);
        *prep = NULL;
    }
    return rc;
}

/* The call rule 7.1: SSV for all, the full recursion where SSV leaves it open. */
static int score_list(const msv_prep *p, const ws_seqs *list, ws_fscore *out, ws_lane *lane, ws_err *err) {
    int rc = V_FACE(ws_ssv_vec_).best(p->ssv, list, out, &lane->scratch, err);
    if (rc) return rc;
    const size_t cells = (size_t)p->Q * 8 * sizeof(V);
    char *room = ws_lane_scratch(lane, cells + list->n * 2 * sizeof(uint32_t), err);
    if (!room) return err->code;
    uint32_t *item = (uint32_t *)(void *)(room + cells), *place = item + list->n;
    ws_seqs open = *list;
    open.n = 0;
    open.item = item;
    for (size_t j = 0; j < list->n; j++) {
        out[j] = ws_seqs_len(list, j) ? ws_ssv_decide(&p->bytes, ws_seqs_lm(list, j), out[j].status)
                                      : (ws_fscore){-INFINITY, WS_F_UNDERFLOW};
        if (out[j].status != WS_F_OPEN) continue;
        place[open.n] = (uint32_t)j;
        item[open.n++] = (uint32_t)ws_seqs_at(list, j);
    }
    if (open.n) full(p, &open, place, out, (V *)(void *)room);
    return WS_OK;
}

static int score(const ws_batch *b, const ws_task *task, size_t ntask, ws_lane *lane, ws_err *err) {
    for (size_t t = 0; t < ntask; t++) {
        const ws_seqs list = {(const uint8_t *)lane->codes.p, b->first, b->len, (const ws_lenmodel *)lane->perseq.p,
                              task[t].item, task[t].n};
        int rc = score_list(task[t].prep, &list, task[t].score, lane, err);
        if (rc) return rc;
    }
    return WS_OK;
}

const ws_backend V_FACE(ws_msv_) = {
    .name = V_NAME, .usable = V_FACE(ws_usable_), .prepare = prepare, .release = release, .score = score, .group = 1};

#undef MSV_DEFINE
#undef MSV_ENTRY
#include "lib/simd/v_end.h"
