/* SPDX-License-Identifier: MIT
 * The vector body of SSV, compiled once for each width: kernels/ssv/rows.inc.h over lists of sequences. Heights are
 * exact up to 127 - bias, which is what step S2 needs. */

#include "lib/simd/v.h"
#include "kernels/ssv/ssv.h"

#include "kernels/ssv/rows.inc.h"

enum {
    NBEST =
        2 /* running maxima a sequence: two chains, because each of the Q / 2 updates a row waits for the one before */
};

/* Computes n rows of S sequences in block `cost`. state: for each sequence Q vectors, then NBEST running maxima.
 * With edged, edge[i] is the last node of the previous block after row i; the function replaces it by this block's
 * last node. */
WS_INLINE void rows(const int Q, const int S, const int edged, const int8_t *cost, const uint8_t *const *seq, size_t n,
                    V *state, int8_t *edge) {
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
                /* takes the maximum of pairs first: the dependent chain is then Q / 4 long and does not limit the
                 * speed */
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

typedef struct ssv {
    ws_bytes bytes; /* the scalars; cost is NULL */
    stripes s;
} ssv;

static int lay_out(void *layout, const void *form, ws_err *err) {
    ssv *me = layout;
    me->bytes = *(const ws_bytes *)form;
    me->bytes.cost = NULL;
    return lay_stripes(&me->s, form, err);
}

static void clear(void *layout) { ws_free(((ssv *)layout)->s.cost); }

static int height(const V *best) {
    V v = best[0];
    for (int j = 1; j < NBEST; j++) v = VB_MAX_S(v, best[j]);
    /* maps signed bytes to heights above the floor: adding 128 modulo 256 turns signed order into unsigned */
    return VB_HMAX_U(VB_XOR(v, VB_SET1(FLOOR)));
}

/* Writes the best height of each sequence to out[j].status, for a model of several blocks: all blocks over one
 * sequence, then the next. Returns WS_ENOMEM on failure. */
static int best_edged(const stripes *me, const ws_seqlist *list, ws_fscore *out, ws_buf *scratch, ws_err *err) {
    V state[SSV_QMAX + NBEST];
    rows_fn *run = edged_shape[me->Q].run;
    for (size_t j = 0; j < list->n; j++) {
        const uint8_t *x = ws_seqlist_codes(list, j);
        const size_t L = ws_seqlist_len(list, j);
        int8_t *edge = ws_buf_scratch(scratch, L + 1, err);
        if (!edge) return err->code;
        memset(edge, FLOOR, L + 1);
        out[j].status = 0;
        for (int block = 0; block < me->nblock; block++) {
            set_floor(state, me->Q + NBEST);
            run(me->cost + (size_t)block * me->block_size, &x, L, state, edge);
            const int h = height(state + me->Q);
            if (h > out[j].status) out[j].status = h;
        }
    }
    return WS_OK;
}

/* Writes the best height of each sequence to out[j].status, for a model of one block. */
static void best_in_block(const stripes *me, const ws_seqlist *list, ws_fscore *out) {
    const shape *sh = &plain_shape[me->Q];
    const int size = me->Q + NBEST;
    V state[8 * (2 + NBEST) + SSV_QMAX + NBEST];
    ws_tracks tracks;
    set_floor(state, sh->S * size);
    ws_tracks_begin(&tracks, list, sh->S);
    for (int s = 0; s < sh->S; s++) ws_tracks_fill(&tracks, s);
    for (size_t n; (n = ws_tracks_rows(&tracks)) > 0;) {
        sh->run(me->cost, tracks.x, n, state, NULL);
        ws_tracks_advance(&tracks, n);
        for (int s = 0; s < sh->S; s++)
            if (tracks.at[s] != WS_TRACK_EMPTY && tracks.left[s] == 0) {
                out[tracks.at[s]].status = height(state + s * size + me->Q);
                set_floor(state + s * size, size);
                ws_tracks_drop(&tracks, s);
                ws_tracks_fill(&tracks, s);
            }
    }
}

static int score(const void *layout, const ws_seqlist *list, ws_fscore *out, ws_buf *scratch, ws_err *err) {
    const ssv *me = layout;
    int rc = WS_OK;
    if (me->s.nblock > 1) rc = best_edged(&me->s, list, out, scratch, err);
    else best_in_block(&me->s, list, out);
    for (size_t j = 0; j < list->n && !rc; j++)
        if (ws_seqlist_len(list, j)) out[j] = ws_ssv_decide(&me->bytes, ws_seqlist_lm(list, j)->tjb, out[j].status);
    return rc;
}

const ws_body V_FACE(ws_ssv_) = {.form = &ws_bytes_form, .node_bytes = 64,
                                 .size = sizeof(ssv), .lay_out = lay_out, .clear = clear, .score = score};
