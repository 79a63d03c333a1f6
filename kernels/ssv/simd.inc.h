/* SPDX-License-Identifier: MIT
 * The vector body of SSV, for every width. Included once by avx2.c and avx512.c.
 *
 * Parameters: the V* macros of lib/simd/v_<isa>.h, and
 *   SSV_QMAX                      most vectors of a block
 *   SSV_SHAPES(F), SSV_EDGED(F)   lists F(Q, S) of the register shapes to compile: Q vectors a sequence, S sequences at
 *              a time. The first, for models of one block, has each Q from 1 to SSV_QMAX once; the second, for those of
 *              several (S = 1), each from SSV_QMAX / 2 + 1 on: equal blocks, as few as possible, are never smaller.
 *              S * (Q + 2) + 2 registers are alive.
 *
 * Layout: a model is cut into blocks of Q * VB_LANES nodes, a block is striped: node k of the block (from 0) is lane k / Q
 * of vector k % Q. v is held as a signed byte, -128 standing for the floor 0, so that one saturating subtraction is both
 * "minus d" and "max with 0"; up to 255 fits above the floor and step S2 asks for 127 - bias at most. All Q vectors stay in
 * registers over the whole sequence. Going down the vectors, vector q reads vector q-1 of the row before without a move. */

#include "kernels/ssv/ssv.h"
#include "lib/hmm/target.h"

#include <math.h>
#include <string.h>

enum { FLOOR = -128, NBEST = 2 /* running maxima a sequence: with one, each of its Q / 2 updates a row would wait for the last */ };

typedef struct prep {
    int Q, nblock;
    int8_t *cost; /* cost[((block * Kp + x) * Q + q) * VB_LANES + lane]: d clipped to 127 */
    size_t block_size;
} prep;

/* n rows of S sequences in block `cost`. state: S times Q vectors, then NBEST running maxima. With edged, edge[i] is what
 * the last node of the block before had after row i, and becomes what this block's last node has. */
WS_INLINE void rows(const int Q, const int S, const int edged, const int8_t *cost, const uint8_t *const *seq, size_t n, V *state,
                    int8_t *edge) {
    enum { SMAX = 8, QROOM = 32 };
    const V floor = VB_SET1(FLOOR);
    const int nbest = Q > 6 ? NBEST : 1;
    V v[SMAX][QROOM], best[SMAX][NBEST];
    const uint8_t *x[SMAX];
    V_UNROLL for (int s = 0; s < S; s++) {
        x[s] = seq[s];
        V_UNROLL for (int q = 0; q < Q; q++) v[s][q] = state[s * (Q + NBEST) + q];
        V_UNROLL for (int j = 0; j < NBEST; j++) best[s][j] = state[s * (Q + NBEST) + Q + j];
    }
    int8_t before = FLOOR;
    for (size_t i = 0; i < n; i++) {
        V_UNROLL for (int s = 0; s < S; s++) {
            const int8_t *c = cost + (size_t)x[s][i] * (size_t)(Q * VB_LANES);
            V in = VB_UP1(v[s][Q - 1], edged ? VB_SET1(before) : floor);
            V_UNROLL for (int r = 0; r < Q; r++) {
                const int q = Q - 1 - r;
                v[s][q] = VB_SUBS_S(q ? v[s][q - 1] : in, V_LOAD(c + q * VB_LANES));
                /* two by two, so that the chain of the running maxima is a quarter of Q long and not the limit */
                if (r % 2) best[s][r / 2 % nbest] = VB_MAX_S(best[s][r / 2 % nbest], VB_MAX_S(v[s][q + 1], v[s][q]));
                else if (q == 0) best[s][r / 2 % nbest] = VB_MAX_S(best[s][r / 2 % nbest], v[s][q]);
            }
            if (edged) {
                before = edge[i];
                edge[i] = (int8_t)VB_LAST(v[s][Q - 1]);
            }
        }
    }
    V_UNROLL for (int s = 0; s < S; s++) {
        V_UNROLL for (int q = 0; q < Q; q++) state[s * (Q + NBEST) + q] = v[s][q];
        V_UNROLL for (int j = 0; j < NBEST; j++) state[s * (Q + NBEST) + Q + j] = best[s][j];
    }
}

typedef void rows_fn(const int8_t *cost, const uint8_t *const *seq, size_t n, V *state, int8_t *edge);
typedef struct shape {
    rows_fn *run;
    int S;
} shape;

#define SSV_DEFINE(Q, S) \
    static void rows_##Q(const int8_t *cost, const uint8_t *const *seq, size_t n, V *state, int8_t *edge) { \
        rows(Q, S, 0, cost, seq, n, state, edge); \
    }
#define SSV_DEFINE_EDGED(Q, S) \
    static void rows_edged_##Q(const int8_t *cost, const uint8_t *const *seq, size_t n, V *state, int8_t *edge) { \
        rows(Q, S, 1, cost, seq, n, state, edge); \
    }
#define SSV_ENTRY(Q, S) [Q] = {rows_##Q, S},
#define SSV_ENTRY_EDGED(Q, S) [Q] = {rows_edged_##Q, S},
SSV_SHAPES(SSV_DEFINE)
SSV_EDGED(SSV_DEFINE_EDGED)
static const shape plain_shape[SSV_QMAX + 1] = {SSV_SHAPES(SSV_ENTRY)};
static const shape edged_shape[SSV_QMAX + 1] = {SSV_EDGED(SSV_ENTRY_EDGED)};

static void release_bytes(void *p) {
    prep *me = p;
    if (!me) return;
    ws_free(me->cost);
    ws_free(me);
}

static int prepare_bytes(const ws_bytes *b, void **out, ws_err *err) {
    *out = NULL;
    prep *me = ws_calloc(1, sizeof *me, err);
    if (!me) return WS_ENOMEM;
    me->nblock = (b->M + SSV_QMAX * VB_LANES - 1) / (SSV_QMAX * VB_LANES);
    me->Q = (b->M + me->nblock * VB_LANES - 1) / (me->nblock * VB_LANES);
    me->block_size = (size_t)b->Kp * (size_t)me->Q * VB_LANES;
    me->cost = ws_calloc((size_t)me->nblock, me->block_size, err);
    if (!me->cost) {
        release_bytes(me);
        return WS_ENOMEM;
    }
    memset(me->cost, 127, (size_t)me->nblock * me->block_size); /* padding never rises above the floor */
    const int Q = me->Q, lanes = me->nblock * VB_LANES;
    for (int x = 0; x < b->Kp; x++)
        for (int z = 0; z < lanes && z * Q < b->M; z++) {
            const uint8_t *from = b->cost + (size_t)x * (size_t)(b->M + 1) + (size_t)(z * Q + 1);
            int8_t *to = me->cost + (size_t)(z / VB_LANES) * me->block_size + (size_t)(x * Q * VB_LANES + z % VB_LANES);
            const int n = Q < b->M - z * Q ? Q : b->M - z * Q;
            for (int q = 0; q < n; q++) {
                const int d = from[q] - b->bias;
                to[q * VB_LANES] = (int8_t)(d > 127 ? 127 : d);
            }
        }
    *out = me;
    return WS_OK;
}

static int height(const V *best) {
    V v = best[0];
    for (int j = 1; j < NBEST; j++) v = VB_MAX_S(v, best[j]);
    /* signed byte to height above the floor: adding 128 modulo 256 turns the order into the unsigned one */
    return VB_HMAX_U(VB_XOR(v, VB_SET1(FLOOR)));
}

static void clear(V *state, int n) {
    for (int j = 0; j < n; j++) state[j] = VB_SET1(FLOOR);
}

/* A model in several blocks: block after block over each sequence. */
static int best_edged(const prep *me, const ws_seqs *list, ws_fscore *best, ws_buf *scratch, ws_err *err) {
    V state[SSV_QMAX + NBEST];
    rows_fn *run = edged_shape[me->Q].run;
    for (size_t j = 0; j < list->n; j++) {
        const uint8_t *x = ws_seqs_codes(list, j);
        const size_t L = ws_seqs_len(list, j);
        scratch->n = 0;
        int rc = ws_buf_reserve(scratch, L + 1, err);
        if (rc) return rc;
        memset(scratch->p, FLOOR, L + 1);
        best[j].status = 0;
        for (int block = 0; block < me->nblock; block++) {
            clear(state, me->Q + NBEST);
            run(me->cost + (size_t)block * me->block_size, &x, L, state, (int8_t *)scratch->p);
            const int h = height(state + me->Q);
            if (h > best[j].status) best[j].status = h;
        }
    }
    return WS_OK;
}

static int best_of_list(const void *p, const ws_seqs *list, ws_fscore *best, ws_buf *scratch, ws_err *err) {
    const prep *me = p;
    if (me->nblock > 1) return best_edged(me, list, best, scratch, err);
    const shape *sh = &plain_shape[me->Q];
    const int size = me->Q + NBEST;
    V state[8 * (2 + NBEST) + SSV_QMAX + NBEST];
    ws_slots slots;
    for (size_t j = 0; j < list->n; j++) best[j].status = 0;
    clear(state, sh->S * size);
    ws_slots_begin(&slots, list, sh->S);
    for (int s = 0; s < sh->S; s++) ws_slots_fill(&slots, s);
    for (size_t n; (n = ws_slots_rows(&slots)) > 0;) {
        sh->run(me->cost, slots.x, n, state, NULL);
        ws_slots_advance(&slots, n);
        for (int s = 0; s < sh->S; s++)
            if (slots.at[s] != WS_SLOT_EMPTY && slots.left[s] == 0) {
                best[slots.at[s]].status = height(state + s * size + me->Q);
                clear(state + s * size, size);
                ws_slots_drop(&slots, s);
                ws_slots_fill(&slots, s);
            }
    }
    return WS_OK;
}

const ws_ssv_vec V_FACE(ws_ssv_vec_) = {prepare_bytes, release_bytes, best_of_list};

/* The backend: layout and the scalars that ws_ssv_decide asks for. */
typedef struct target_prep {
    ws_bytes bytes; /* cost is NULL: only the scalars are used */
    void *layout;
} target_prep;

static void release(void *p) {
    target_prep *me = p;
    if (!me) return;
    release_bytes(me->layout);
    ws_free(me);
}

static int prepare(const ws_target *t, void **out, ws_err *err) {
    const ws_hmm_target *target = t->data;
    target_prep *me = ws_calloc(1, sizeof *me, err);
    *out = me;
    if (!me) return err->code;
    ws_bytes bytes;
    int rc = ws_bytes_create(&bytes, &target->profile, err);
    if (!rc) {
        me->bytes = bytes;
        me->bytes.cost = NULL;
        rc = prepare_bytes(&bytes, &me->layout, err);
        ws_bytes_destroy(&bytes);
    }
    if (rc) {
        release(me);
        *out = NULL;
    }
    return rc;
}

static int score(const ws_batch *b, const ws_task *task, size_t ntask, ws_lane *lane, ws_err *err) {
    for (size_t t = 0; t < ntask; t++) {
        const target_prep *me = task[t].prep;
        const ws_seqs list = {(const uint8_t *)lane->codes.p, b->first, b->len, (const ws_lenmodel *)lane->perseq.p,
                              task[t].item, task[t].n};
        ws_fscore *out = task[t].score;
        int rc = best_of_list(me->layout, &list, out, &lane->scratch, err);
        if (rc) return rc;
        for (size_t j = 0; j < list.n; j++)
            out[j] = ws_seqs_len(&list, j) ? ws_ssv_decide(&me->bytes, ws_seqs_lm(&list, j), out[j].status)
                                           : (ws_fscore){-INFINITY, WS_F_UNDERFLOW};
    }
    return WS_OK;
}

const ws_backend V_FACE(ws_ssv_) = {
    .name = V_NAME, .usable = V_FACE(ws_usable_), .prepare = prepare, .release = release, .score = score, .group = 1};

#undef SSV_DEFINE
#undef SSV_DEFINE_EDGED
#undef SSV_ENTRY
#undef SSV_ENTRY_EDGED
#include "lib/simd/v_end.h"
