/* SPDX-License-Identifier: MIT
 * The vector body of MSV, compiled once for each width.
 *
 * Layout: striped over the whole model. Node k (from 0) is lane k / Q of vector k % Q.
 *
 * Rows depend on each other's maximum through xB alone. xB moves only when the best xE so far passes max(base, xJ) +
 * tec. So the row loop keeps the largest cell so far as a vector and compares it with that limit once a row. It
 * computes the horizontal maximum, xJ and xB only when a lane is above, which is rare in random sequences. */

#include "kernels/msv/msv.h"
#include "lib/simd/v.h"
#include "kernels/ssv/ssv.h"

#include <math.h>
#include <string.h>

/* MSV_SHAPES(F) lists the register shapes to compile as F(Q, S): Q vectors a sequence, S sequences together, each Q
 * from 1 to MSV_QREG once. About S * (Q + 4) registers are live. Longer models keep their row in memory. */
#if V_REGISTERS == 32
#define MSV_QREG 22
#define MSV_SHAPES(F) \
    F(1, 6) F(2, 4) F(3, 4) F(4, 3) F(5, 2) F(6, 2) F(7, 2) F(8, 2) F(9, 1) F(10, 1) F(11, 1) F(12, 1) \
    F(13, 1) F(14, 1) F(15, 1) F(16, 1) F(17, 1) F(18, 1) F(19, 1) F(20, 1) F(21, 1) F(22, 1)
#else
#define MSV_QREG 11
#define MSV_SHAPES(F) F(1, 4) F(2, 3) F(3, 2) F(4, 2) F(5, 1) F(6, 1) F(7, 1) F(8, 1) F(9, 1) F(10, 1) F(11, 1)
#endif

typedef struct msv {
    ws_bytes bytes; /* the scalars; cost is NULL */
    ws_filter *ssv;
    int Q;
    uint8_t *cost; /* cost[(x * Q + q) * VB_LANES + lane], padding 255 */
} msv;

/* State of one sequence between rows, besides its cells. */
typedef struct special {
    V best;  /* largest cell so far */
    V limit; /* a best above this must move xB, or ends the range */
    V xB;
    int tjbm, over;
} special;

/* Moves xB and the limit after a lane of `best` rose above the limit. Returns 1 if the score exceeds the 8-bit
 * range. */
WS_INLINE int raise(V best, V *limit, V *xB, const ws_bytes *b, int tjbm) {
    const int xE = VB_HMAX_U(best), next = xE - b->tec - tjbm;
    *limit = VB_SET1(xE);
    *xB = VB_SET1(next > 0 ? next : 0);
    return xE >= 255 - b->bias;
}

/* Computes n rows of S sequences, fewer if a sequence exceeds the range. Returns the number of rows done. cell: S
 * times Q vectors. */
WS_INLINE size_t rows(const int Q, const int S, const msv *p, const uint8_t *const *seq, size_t n, V *cell,
                      special *sp) {
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

/* Does the same for one sequence and any Q, with cells in memory. The loop descends over the vectors, so vector q-1
 * still belongs to the previous row. */
static size_t rows_any(const msv *p, const uint8_t *const *seq, size_t n, V *cell, special *sp) {
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

typedef size_t rows_fn(const msv *p, const uint8_t *const *seq, size_t n, V *cell, special *sp);
typedef struct shape {
    rows_fn *run;
    int S;
} shape;

#define MSV_DEFINE(Q, S) \
    static size_t rows_##Q(const msv *p, const uint8_t *const *seq, size_t n, V *cell, special *sp) { \
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
    return (ws_fscore){ws_bytes_nats(xJ, lm->tjb), WS_F_OK};
}

/* Computes the recursion for a list of sequences; the score of item j goes to out[place[j]]. cell: room for S times
 * Q vectors. */
static void full(const msv *p, const ws_seqlist *list, const uint32_t *place, ws_fscore *out, V *cell) {
    const shape *sh = &shapes[p->Q <= MSV_QREG ? p->Q : 0];
    special sp[8];
    ws_tracks tracks;
    ws_tracks_begin(&tracks, list, sh->S);
    for (int s = 0; s < sh->S; s++) /* an empty track computes too; any values in range do */
        start(&sp[s], cell + s * p->Q, p->Q, &p->bytes,
              ws_seqlist_lm(list, ws_tracks_fill(&tracks, s) ? tracks.at[s] : tracks.at[0]));
    for (size_t n; (n = ws_tracks_rows(&tracks)) > 0;) {
        n = sh->run(p, tracks.x, n, cell, sp);
        ws_tracks_advance(&tracks, n);
        for (int s = 0; s < sh->S; s++) {
            if (tracks.at[s] == WS_TRACK_EMPTY || (tracks.left[s] > 0 && !sp[s].over)) continue;
            const ws_lenmodel *lm = ws_seqlist_lm(list, tracks.at[s]);
            out[place[tracks.at[s]]] = finish(&sp[s], &p->bytes, lm);
            ws_tracks_drop(&tracks, s);
            start(&sp[s], cell + s * p->Q, p->Q, &p->bytes,
                  ws_tracks_fill(&tracks, s) ? ws_seqlist_lm(list, tracks.at[s]) : lm);
        }
    }
}

static int lay_out(void *layout, const void *form, ws_err *err) {
    msv *p = layout;
    const ws_bytes *b = form;
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
    return ws_filter_create_from(&p->ssv, &V_FACE(ws_ssv_), b, err);
}

static void clear(void *layout) {
    msv *p = layout;
    ws_filter_destroy(p->ssv);
    ws_free(p->cost);
}

/* Scores a list by the call rule 7.1: SSV for all, then the recursion for the pairs that SSV cannot decide. Returns
 * WS_ENOMEM on failure. */
static int score(const void *layout, const ws_seqlist *list, ws_fscore *out, ws_buf *scratch, ws_err *err) {
    const msv *p = layout;
    int rc = ws_filter_scores(p->ssv, list, out, scratch, err);
    if (rc) return rc;
    const size_t cells = (size_t)p->Q * 8 * sizeof(V);
    char *room = ws_buf_scratch(scratch, cells + list->n * 2 * sizeof(uint32_t), err);
    if (!room) return err->code;
    uint32_t *item = (uint32_t *)(void *)(room + cells), *place = item + list->n;
    ws_seqlist open = *list;
    open.n = 0;
    open.item = item;
    for (size_t j = 0; j < list->n; j++)
        if (out[j].status == WS_F_OPEN) {
            place[open.n] = (uint32_t)j;
            item[open.n++] = (uint32_t)ws_seqlist_at(list, j);
        }
    if (open.n) full(p, &open, place, out, (V *)(void *)room);
    return WS_OK;
}

const ws_body V_FACE(ws_msv_) = {.form = &ws_bytes_form, .node_bytes = 96,
                                 .size = sizeof(msv), .lay_out = lay_out, .clear = clear, .score = score};
