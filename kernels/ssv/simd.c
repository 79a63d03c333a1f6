/* SPDX-License-Identifier: MIT
 * The vector body of SSV, compiled once for each width: kernels/ssv/rows.inc.h over lists of sequences. Heights are
 * exact up to 127 - bias, which is what step S2 needs. */

#include "lib/simd/v.h"
#include "kernels/ssv/ssv.h"
#include "lib/hmm/target.h"

#include "kernels/ssv/rows.inc.h"

/* Running maxima of a sequence: two chains, because each of the Q / 2 updates a row waits for the one before. */
enum { NBEST = 2 };
#define SIZE(Q) ((Q) + NBEST + 1) /* vectors of a sequence's state */

/* The rows take one of these of all cells of a sequence. Alarms tell whether a height reaches `least`:
 *
 * - HEIGHT: the maximum.
 * - BIT, for 64: the OR, since heights from 64 to 127 have bit 6 in their byte, and lower heights have not.
 * - SIGN, for 1 to 127: the OR of below - v, where `below` is least - 1 in the bytes of a cell. That is
 *   least - 1 - height modulo 256, whose sign is set for heights from least to least + 127.
 *
 * No height passes these by: least is at most 127 - bias (S2), and no step is above the bias. */
enum look { HEIGHT, BIT, SIGN, NLOOK };

/* Adds the cells a and b to what a sequence has. */
WS_INLINE V take(const enum look look, V best, V a, V b, V below) {
    return look == HEIGHT ? VB_MAX_S(best, VB_MAX_S(a, b))
           : look == BIT  ? VB_OR3(best, a, b)
                          : VB_OR3(best, VB_SUB(below, a), VB_SUB(below, b));
}

/* Computes n rows of S sequences in block `cost`. state: for each sequence Q vectors, then NBEST of what it takes, then
 * `below`. With edged, edge[i] is the last node of the previous block after row i; the function replaces it by this
 * block's last node. */
WS_INLINE void rows(const int Q, const int S, const int edged, const enum look look, const int8_t *cost,
                    const uint8_t *const *seq, size_t n, V *state, int8_t *edge) {
    const V floor = VB_SET1(FLOOR);
    const int nbest = Q > 6 ? NBEST : 1;
    V v[SMAX][QROOM], best[SMAX][NBEST], below[SMAX];
    const uint8_t *x[SMAX];
    V_UNROLL for (int s = 0; s < S; s++) {
        x[s] = seq[s];
        V_UNROLL for (int q = 0; q < Q; q++) v[s][q] = state[s * SIZE(Q) + q];
        V_UNROLL for (int j = 0; j < NBEST; j++) best[s][j] = state[s * SIZE(Q) + Q + j];
        below[s] = state[s * SIZE(Q) + Q + NBEST];
    }
    int8_t before = FLOOR;
    for (size_t i = 0; i < n; i++) {
        V_UNROLL for (int s = 0; s < S; s++) {
            const int8_t *c = cost + (size_t)x[s][i] * (size_t)(Q * VB_LANES);
            V in = VB_UP1(v[s][Q - 1], edged ? VB_SET1(before) : floor);
            V_UNROLL for (int r = 0; r < Q; r++) {
                const int q = Q - 1 - r;
                V *to = &best[s][r / 2 % nbest];
                v[s][q] = VB_SUBS_S(q ? v[s][q - 1] : in, V_LOAD(c + q * VB_LANES));
                /* takes vectors in pairs: the dependent chain is then Q / 4 long and does not limit the speed */
                if (r % 2) *to = take(look, *to, v[s][q + 1], v[s][q], below[s]);
                else if (q == 0 && look == HEIGHT) *to = VB_MAX_S(*to, v[s][q]);
                else if (q == 0) *to = take(look, *to, v[s][q], v[s][q], below[s]);
            }
            if (edged) {
                before = edge[i];
                edge[i] = (int8_t)VB_LAST(v[s][Q - 1]);
            }
        }
    }
    V_UNROLL for (int s = 0; s < S; s++) {
        V_UNROLL for (int q = 0; q < Q; q++) state[s * SIZE(Q) + q] = v[s][q];
        V_UNROLL for (int j = 0; j < NBEST; j++) state[s * SIZE(Q) + Q + j] = best[s][j];
    }
}

typedef void rows_fn(const int8_t *cost, const uint8_t *const *seq, size_t n, V *state, int8_t *edge);
typedef struct shape {
    rows_fn *run[NLOOK]; /* BIT and SIGN: where an OR of three is one operation */
    int S;
} shape;

#define SSV_DEFINE_ROWS(name, Q, S, edged, look) \
    static void name(const int8_t *cost, const uint8_t *const *seq, size_t n, V *state, int8_t *edge) { \
        rows(Q, S, edged, look, cost, seq, n, state, edge); \
    }
#define SSV_DEFINE(Q, S) SSV_DEFINE_ROWS(rows_##Q, Q, S, 0, HEIGHT)
#define SSV_DEFINE_EDGED(Q, S) SSV_DEFINE_ROWS(rows_edged_##Q, Q, S, 1, HEIGHT)
SSV_SHAPES(SSV_DEFINE)
SSV_EDGED(SSV_DEFINE_EDGED)
#if VB_OR3_IS_ONE
#define SSV_DEFINE_BIT(Q, S) SSV_DEFINE_ROWS(bit_##Q, Q, S, 0, BIT)
#define SSV_DEFINE_BIT_EDGED(Q, S) SSV_DEFINE_ROWS(bit_edged_##Q, Q, S, 1, BIT)
#define SSV_DEFINE_SIGN(Q, S) SSV_DEFINE_ROWS(sign_##Q, Q, S, 0, SIGN)
#define SSV_DEFINE_SIGN_EDGED(Q, S) SSV_DEFINE_ROWS(sign_edged_##Q, Q, S, 1, SIGN)
SSV_SHAPES(SSV_DEFINE_BIT)
SSV_EDGED(SSV_DEFINE_BIT_EDGED)
SSV_SHAPES(SSV_DEFINE_SIGN)
SSV_EDGED(SSV_DEFINE_SIGN_EDGED)
#define SSV_ENTRY(Q, S) [Q] = {{rows_##Q, bit_##Q, sign_##Q}, S},
#define SSV_ENTRY_EDGED(Q, S) [Q] = {{rows_edged_##Q, bit_edged_##Q, sign_edged_##Q}, S},
#else
#define SSV_ENTRY(Q, S) [Q] = {{rows_##Q, NULL, NULL}, S},
#define SSV_ENTRY_EDGED(Q, S) [Q] = {{rows_edged_##Q, NULL, NULL}, S},
#endif
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

enum {
    ALARM = 255, /* the result where a height was an alarm; else it is 0 */
    BIT_LEAST = 64,
    BIT_MOST = 80 /* far above 64 too many sequences alarm for nothing: docs/rejected.md */
};

/* Begins a sequence; least: the height for a SIGN, not used by the others. */
static void begin(V *state, int Q, enum look look, int least) {
    set_floor(state, Q + NBEST);
    for (int j = 0; j < NBEST && look == SIGN; j++) state[Q + j] = VB_SET1(0);
    state[Q + NBEST] = VB_SET1(look == SIGN ? FLOOR + least - 1 : 0);
}

/* Returns the greatest height, or whether there was an alarm. best: what the rows took. */
static int result(const V *best, enum look look) {
    if (look != HEIGHT)
        return VB_MEET(VB_OR3(best[0], best[0], best[1]), VB_SET1(look == BIT ? BIT_LEAST : INT8_MIN)) ? ALARM : 0;
    V v = best[0];
    for (int j = 1; j < NBEST; j++) v = VB_MAX_S(v, best[j]);
    /* maps signed bytes to heights above the floor: adding 128 modulo 256 turns signed order into unsigned */
    return VB_HMAX_U(VB_XOR(v, VB_SET1(FLOOR)));
}

/* Sequences of a list. The result of item j goes to out[place[j]].status, which says before what height is a SIGN. */
typedef struct part {
    ws_seqlist list;
    uint32_t *item, *place; /* item is the list's */
    ws_fscore *out;
    int8_t *edge; /* room for one more than the longest has residues */
} part;

/* Computes results for a model of several blocks: all blocks over one sequence, then the next. */
static void scan_edged(const stripes *me, const part *p, enum look look) {
    V state[SIZE(SSV_QMAX)];
    rows_fn *run = edged_shape[me->Q].run[look];
    for (size_t j = 0; j < p->list.n; j++) {
        const uint8_t *x = ws_seqlist_codes(&p->list, j);
        const size_t L = ws_seqlist_len(&p->list, j);
        int32_t *status = &p->out[p->place[j]].status;
        int best = 0;
        memset(p->edge, FLOOR, L);
        for (int block = 0; block < me->nblock; block++) {
            begin(state, me->Q, look, *status);
            run(me->cost + (size_t)block * me->block_size, &x, L, state, p->edge);
            const int h = result(state + me->Q, look);
            if (h > best) best = h;
        }
        *status = best;
    }
}

/* Gives a track the next sequence. Without one it computes too, and any values do. */
static void fill(ws_tracks *tracks, int s, const part *p, V *state, int Q, enum look look) {
    const int more = ws_tracks_fill(tracks, s);
    begin(state, Q, look, more ? p->out[p->place[tracks->at[s]]].status : 1);
}

/* Computes results for a model of one block. */
static void scan_in_block(const stripes *me, const part *p, enum look look) {
    const shape *sh = &plain_shape[me->Q];
    const int size = SIZE(me->Q);
    V state[8 * SIZE(2) + SIZE(SSV_QMAX)];
    ws_tracks tracks;
    ws_tracks_begin(&tracks, &p->list, sh->S);
    for (int s = 0; s < sh->S; s++) fill(&tracks, s, p, state + s * size, me->Q, look);
    for (size_t n; (n = ws_tracks_rows(&tracks)) > 0;) {
        sh->run[look](me->cost, tracks.x, n, state, NULL);
        ws_tracks_advance(&tracks, n);
        for (int s = 0; s < sh->S; s++)
            if (tracks.at[s] != WS_TRACK_EMPTY && tracks.left[s] == 0) {
                p->out[p->place[tracks.at[s]]].status = result(state + s * size + me->Q, look);
                ws_tracks_drop(&tracks, s);
                fill(&tracks, s, p, state + s * size, me->Q, look);
            }
    }
}

static void scan(const stripes *me, const part *p, enum look look) {
    if (me->nblock > 1) scan_edged(me, p, look);
    else scan_in_block(me, p, look);
}

static void add(part *p, const ws_seqlist *list, size_t j) {
    p->item[p->list.n] = (uint32_t)ws_seqlist_at(list, j);
    p->place[p->list.n++] = (uint32_t)j;
}

/* Sets the status of each item to the least height that matters, or to ALARM if all do. */
static void set_least(const ssv *me, const ws_seqlist *list, ws_fscore *out) {
    const ws_gate *gate = list->gate;
    for (size_t j = 0; j < list->n; j++) {
        const ws_lenmodel *lm = ws_seqlist_lm(list, j);
        if (!ws_seqlist_len(list, j)) continue;
        const float least = gate->least - gate->each * (float)lm->L;
        out[j].status = ws_ssv_least(&me->bytes, lm->tjb, lm->null_nats, least);
        if (!out[j].status) out[j].status = ALARM;
    }
}

/* Looks for alarms in the items for which the look is meant. */
static void find_alarms(const ssv *me, const ws_seqlist *list, part *p, enum look look) {
    const int least = look == BIT ? BIT_LEAST : 1, most = look == BIT ? BIT_MOST : ALARM - 1;
    for (size_t j = 0; j < list->n; j++)
        if (ws_seqlist_len(list, j) && p->out[j].status >= least && p->out[j].status <= most) add(p, list, j);
    scan(&me->s, p, look);
    p->list.n = 0;
}

static int score(const void *layout, const ws_seqlist *list, ws_fscore *out, ws_buf *scratch, ws_err *err) {
    const ssv *me = layout;
    const int rule_out = VB_OR3_IS_ONE && list->gate;
    size_t longest = 0;
    for (size_t j = 0; j < list->n; j++) longest = ws_max(longest, ws_seqlist_len(list, j));
    uint32_t *item = ws_buf_scratch(scratch, list->n * 2 * sizeof *item + longest + 1, err);
    if (!item) return err->code;
    part p = {*list, item, item + list->n, out, (int8_t *)(item + 2 * list->n)};
    p.list.item = item;
    p.list.n = 0;
    if (rule_out) {
        set_least(me, list, out);
        find_alarms(me, list, &p, BIT);
        find_alarms(me, list, &p, SIGN);
    }
    for (size_t j = 0; j < list->n; j++) {
        if (!ws_seqlist_len(list, j)) continue;
        if (rule_out && !out[j].status) out[j] = (ws_fscore){-INFINITY, WS_F_OK}; /* which no gate lets pass */
        else add(&p, list, j);
    }
    scan(&me->s, &p, HEIGHT);
    for (size_t i = 0; i < p.list.n; i++) {
        ws_fscore *s = &out[p.place[i]];
        *s = ws_ssv_decide(&me->bytes, ws_seqlist_lm(&p.list, i)->tjb, s->status);
    }
    return WS_OK;
}

const ws_body V_FACE(ws_ssv_) = {.form = &ws_bytes_form, .node_bytes = 64,
                                 .size = sizeof(ssv), .lay_out = lay_out, .clear = clear, .score = score};
