/* SPDX-License-Identifier: MIT
 * The vector body of the SSV scan, compiled once for each width.
 *
 * Two passes. The first marks steps of 126 or 252 rows in which the scan without clearing reaches the threshold somewhere: cells are
 * never smaller without clearing, so every diagonal's cell is in a marked step. It keeps the heights v = c - xB above the floor
 * (lib/ssv/rows.inc.h), and several pieces of strands in flight. The second pass follows the definition row by row through the marked
 * steps. It begins M - 1 rows before a step, because a cell depends on no residue before these. Specification long-targets.md, section
 * 5, "Latitude". */

#include "lib/simd/v.h"

#include "lib/long/diagonal.h"
#include "lib/long/scan.h"
#include "lib/ssv/rows.inc.h"

enum { PIECE = 16384 /* rows of a piece without its run-in: what the edge of long models takes in the cache */ };

/* ---- first pass ---- */

/* Some steps of one strand, the run-in before them, and where their flags go. */
typedef struct piece {
    const uint8_t *x;
    size_t runin, steps;
    uint8_t *flag;
} piece;

/* The pieces of a list of strands, one after the other. */
typedef struct pieces {
    const ws_long_strand *strand;
    size_t n;
    size_t step, runin; /* rows of a step; steps of a full run-in */
    size_t most;        /* steps of a piece */
    size_t at;          /* next step of the first strand */
    uint8_t *flag;
} pieces;

/* The next piece; 0 at the end of the list. */
static int next_piece(pieces *list, piece *p) {
    size_t steps;
    while (list->n && (steps = (list->strand->n + list->step - 1) / list->step) == list->at) {
        list->strand++;
        list->n--;
        list->at = 0;
    }
    if (!list->n) return 0;
    p->runin = ws_min(list->at, list->runin);
    p->steps = ws_min(steps - list->at, list->most);
    p->x = list->strand->x + (list->at - p->runin) * list->step;
    p->flag = list->flag;
    list->at += p->steps;
    list->flag += p->steps;
    return 1;
}

/* n rows of S pieces in block `cost`. state: S times Q vectors. With edged, edge[i] is what the last node of the block before had after row
 * i, and becomes what this block's last node has. Bit s of the result: a cell of piece s was above `most`. */
WS_INLINE unsigned rows(const int Q, const int S, const int edged, const int8_t *cost, const uint8_t *const *seq, size_t n, V *state,
                        int8_t *edge, V most) {
    enum { WATCHES = 6 };
    const V floor = VB_SET1(FLOOR);
    const int watches = VB_WATCHES(Q, S), group = VB_WATCH_TWO(Q) ? 2 : 1;
    V v[SMAX][QROOM];
    vb_watch w[SMAX][WATCHES];
    const uint8_t *x[SMAX];
    V_UNROLL for (int s = 0; s < S; s++) {
        x[s] = seq[s];
        V_UNROLL for (int q = 0; q < Q; q++) v[s][q] = state[s * Q + q];
        V_UNROLL for (int j = 0; j < watches; j++) w[s][j] = VB_BELOW;
    }
    int8_t before = FLOOR;
    for (size_t i = 0; i < n; i++) {
        V_UNROLL for (int s = 0; s < S; s++) {
            const int8_t *c = cost + (size_t)x[s][i] * (size_t)(Q * VB_LANES);
            V in = VB_UP1(v[s][Q - 1], edged ? VB_SET1(before) : floor);
            V_UNROLL for (int r = 0; r < Q; r++) {
                const int q = Q - 1 - r, whole = r % group == group - 1;
                v[s][q] = VB_SUBS_S(q ? v[s][q - 1] : in, V_LOAD(c + q * VB_LANES));
                if (!whole && q > 0) continue;
                const V top = group == 2 && whole ? VB_MAX_S(v[s][q + 1], v[s][q]) : v[s][q];
                w[s][r / group % watches] = VB_WATCH(w[s][r / group % watches], top, most);
            }
            if (edged) {
                before = edge[i];
                edge[i] = (int8_t)VB_LAST(v[s][Q - 1]);
            }
        }
    }
    unsigned above = 0;
    V_UNROLL for (int s = 0; s < S; s++) {
        V_UNROLL for (int q = 0; q < Q; q++) state[s * Q + q] = v[s][q];
        V_UNROLL for (int j = 0; j < watches; j++) above |= (unsigned)VB_ABOVE(w[s][j], most) << s;
    }
    return above;
}

typedef unsigned rows_fn(const int8_t *cost, const uint8_t *const *seq, size_t n, V *state, int8_t *edge, V most);
typedef struct shape {
    rows_fn *run;
    int S;
} shape;

#define SSV_DEFINE(Q, S) \
    static unsigned rows_##Q(const int8_t *cost, const uint8_t *const *seq, size_t n, V *state, int8_t *edge, V most) { \
        return rows(Q, S, 0, cost, seq, n, state, edge, most); \
    }
#define SSV_DEFINE_EDGED(Q, S) \
    static unsigned rows_edged_##Q(const int8_t *cost, const uint8_t *const *seq, size_t n, V *state, int8_t *edge, V most) { \
        return rows(Q, S, 1, cost, seq, n, state, edge, most); \
    }
#define SSV_ENTRY(Q, S) [Q] = {rows_##Q, S},
#define SSV_ENTRY_EDGED(Q, S) [Q] = {rows_edged_##Q, S},
SSV_SHAPES(SSV_DEFINE)
SSV_EDGED(SSV_DEFINE_EDGED)
static const shape plain_shape[SSV_QMAX + 1] = {SSV_SHAPES(SSV_ENTRY)};
static const shape edged_shape[SSV_QMAX + 1] = {SSV_EDGED(SSV_ENTRY_EDGED)};

/* Models of one block: S pieces at a time. A track without a piece goes along with another one. */
static void mark_block(const stripes *me, pieces *list, V most) {
    const shape *sh = &plain_shape[me->Q];
    V state[SMAX * 2 + SSV_QMAX];
    piece p[SMAX];
    const uint8_t *x[SMAX];
    int live = 0;
    while (live < sh->S && next_piece(list, &p[live])) live++;
    set_floor(state, sh->S * me->Q);
    while (live) {
        for (int s = 0; s < sh->S; s++) x[s] = p[s < live ? s : 0].x;
        const unsigned above = sh->run(me->cost, x, list->step, state, NULL, most);
        for (int s = live - 1; s >= 0; s--) {
            p[s].x += list->step;
            if (p[s].runin) {
                p[s].runin--;
                continue;
            }
            *p[s].flag++ = above >> s & 1;
            if (--p[s].steps) continue;
            if (next_piece(list, &p[s])) {
                set_floor(state + s * me->Q, me->Q);
            } else {
                live--;
                p[s] = p[live];
                memcpy(state + s * me->Q, state + live * me->Q, (size_t)me->Q * sizeof(V));
            }
        }
    }
}

/* Models of several blocks: block after block over each piece. */
static int mark_edged(const stripes *me, pieces *list, V most, ws_buf *scratch, ws_err *err) {
    rows_fn *run = edged_shape[me->Q].run;
    V state[SSV_QMAX];
    for (piece p; next_piece(list, &p);) {
        const size_t n = (p.runin + p.steps) * list->step;
        int8_t *edge = ws_buf_scratch(scratch, n, err);
        if (!edge) return err->code;
        memset(edge, FLOOR, n);
        memset(p.flag, 0, p.steps);
        for (int block = 0; block < me->nblock; block++) {
            set_floor(state, me->Q);
            for (size_t j = 0; j < p.runin + p.steps; j++) {
                const uint8_t *x = p.x + j * list->step;
                const unsigned above =
                    run(me->cost + (size_t)block * me->block_size, &x, list->step, state, edge + j * list->step, most);
                if (j >= p.runin) p.flag[j - p.runin] |= (uint8_t)above;
            }
        }
    }
    return WS_OK;
}

typedef struct scan {
    stripes s;
    int least; /* height of the threshold above the floor */
} scan;

static int lay_out(void *layout, const ws_long_model *m, ws_err *err) {
    scan *me = layout;
    me->least = m->threshold - m->xB;
    return lay_stripes(&me->s, &m->bytes, err);
}

static void clear(void *layout) { ws_free(((scan *)layout)->s.cost); }

/* Pieces are short enough for every track to get some, but not so short that their run-in counts. */
static int mark(const void *layout, const ws_long_strand *strand, size_t n, uint8_t *flag, ws_buf *scratch, ws_err *err) {
    const scan *me = layout;
    const size_t step = ws_long_step(me->s.M), runin = ((size_t)me->s.M - 1 + step - 1) / step;
    const V most = VB_SET1(me->least - 1 + FLOOR);
    const int tracks = me->s.nblock > 1 ? 1 : plain_shape[me->s.Q].S;
    size_t steps = 0;
    for (size_t j = 0; j < n; j++) steps += ws_long_steps(me->s.M, strand[j].n);
    const size_t share = (steps + (size_t)tracks - 1) / (size_t)tracks;
    pieces list = {strand, n, step, runin, ws_max(ws_min(share, PIECE / step), 4 * runin + 1), 0, flag};
    if (me->s.nblock > 1) return mark_edged(&me->s, &list, most, scratch, err);
    mark_block(&me->s, &list, most);
    return WS_OK;
}

/* ---- second pass ---- */

/* One row of all blocks; returns the running maximum of its cells. */
WS_INLINE V row_of(const stripes *me, uint8_t x, V *v) {
    V best = VB_SET1(FLOOR);
    for (int block = me->nblock - 1; block >= 0; block--) {
        const int8_t *c = me->cost + (size_t)block * me->block_size + (size_t)x * (size_t)(me->Q * VB_LANES);
        V *b = v + block * me->Q;
        const V in = VB_UP1(b[me->Q - 1], block ? b[-1] : VB_SET1(FLOOR));
        for (int q = me->Q - 1; q >= 0; q--) {
            b[q] = VB_SUBS_S(q ? b[q - 1] : in, V_LOAD(c + q * VB_LANES));
            best = VB_MAX_S(best, b[q]);
        }
    }
    return best;
}

/* The first node, in their order, whose height is `most`. */
static int node_of(const stripes *me, const V *v, int most) {
    const int8_t *cell = (const int8_t *)v;
    int end = 0;
    for (int k = 0; k < me->M; k++) {
        const int z = k / me->Q, at = ((z / VB_LANES) * me->Q + k % me->Q) * VB_LANES + z % VB_LANES;
        if (cell[at] - FLOOR == most) end = ws_long_diagonal_first(me->M, end, k + 1);
    }
    return end;
}

/* Goes on from row i, whose heights are in v, to row `to`; returns where the last diagonal ended, which may be behind that. */
static int follow_rows(const scan *me, const ws_long_model *m, const ws_long_strand *s, uint32_t *i, uint32_t to, V *v,
                       ws_long_seeds *found, ws_err *err) {
    const V below = VB_SET1(me->least - 1);
    while (*i < to) {
        const V best = VB_XOR(row_of(&me->s, s->x[*i], v), VB_SET1(FLOOR));
        ++*i;
        if (!VB_ANY_GT_U(best, below)) continue;
        const int most = VB_HMAX_U(best), end = node_of(&me->s, v, most);
        const int rc = ws_long_diagonal_add(m, s->x, s->n, i, end, most + m->xB, found, err);
        if (rc) return rc;
        set_floor(v, me->s.Q * me->s.nblock);
    }
    return WS_OK;
}

/* Computes rows at..to without a look at their maximum. */
static void pass_rows(const stripes *me, const ws_long_strand *s, uint32_t at, uint32_t to, V *v) {
    for (; at < to; at++) (void)row_of(me, s->x[at], v);
}

static void set_all(V *v, int n, V to) {
    for (int q = 0; q < n; q++) v[q] = to;
}

/* Sets v to the heights before row `from`, behind at least M - 1 rows (or all) without a mark. high: room for as many vectors. A height
 * there is at the floor or above it, and below the threshold. Heights that begin at the one bound and at the other become equal within some
 * rows, because most diagonals fall to the floor; then they are the right ones. Else the rows that a diagonal can reach back decide. */
static void run_in(const scan *me, const ws_long_strand *s, uint32_t from, V *v, V *high) {
    enum { SHORT = 160, MORE = 4 };
    const int n = me->s.Q * me->s.nblock;
    const uint32_t whole = (uint32_t)ws_min((uint32_t)me->s.M - 1, from);
    for (uint32_t rows = SHORT; 2 * rows < whole; rows *= MORE) {
        set_all(v, n, VB_SET1(FLOOR));
        set_all(high, n, VB_SET1(me->least - 1 + FLOOR));
        pass_rows(&me->s, s, from - rows, from, v);
        pass_rows(&me->s, s, from - rows, from, high);
        if (memcmp(v, high, (size_t)n * sizeof *v) == 0) return;
    }
    set_all(v, n, VB_SET1(FLOOR));
    pass_rows(&me->s, s, from - whole, from, v);
}

static int follow(const void *layout, const ws_long_model *m, const ws_long_strand *s, const uint8_t *flag, ws_long_seeds *found,
                  ws_buf *scratch, ws_err *err) {
    const scan *me = layout;
    const int vectors = me->s.Q * me->s.nblock;
    const size_t steps = ws_long_steps(me->s.M, s->n);
    const uint32_t step = ws_long_step(me->s.M), runin = (uint32_t)me->s.M - 1;
    uint32_t i = 0;
    V *v = ws_buf_scratch(scratch, 2 * (size_t)vectors * sizeof(V), err);
    if (!v) return err->code;
    set_floor(v, vectors);
    for (size_t j = 0; j < steps; j++) {
        if (!flag[j]) continue;
        const uint32_t from = (uint32_t)j * step, to = (uint32_t)ws_min(from + step, s->n);
        if (from > i + runin) {
            run_in(me, s, from, v, v + vectors);
            i = from;
        }
        const int rc = follow_rows(me, m, s, &i, to, v, found, err);
        if (rc) return rc;
    }
    return WS_OK;
}

const ws_long_ssv_body V_FACE(ws_long_ssv_) = {sizeof(scan), lay_out, clear, mark, follow};
