/* SPDX-License-Identifier: MIT
 * The vector body of the SSV scan, compiled once for each width.  Two passes. The first marks steps of 126 or 252
 * rows in which the scan without clearing may reach the threshold: cells are never smaller without clearing, so every
 * diagonal's cell is in a marked step. It takes two rows at a time (kernels/long/tworows.inc.h). The second pass
 * follows the definition row by row through the marked steps, over the heights v = c - xB above the floor
 * (kernels/ssv/rows.inc.h). It begins some rows before a mark with bounds of the heights from above. Where a bound is
 * at the threshold, the height follows from the residues of its diagonal.
 * Specification long-targets.md, section 5, "Latitude". */

#include "lib/simd/v.h"

#include "kernels/long/diagonal.h"
#include "kernels/long/scan.h"
#include "kernels/long/tworows.inc.h"

enum { STRETCH = 16384, STEP_PAIRS = 126 }; /* rows of a stretch without its run-in; the most pairs of rows of a step */

/* ---- first pass ---- */

typedef struct scan {
    stripes s;
    twos two;
    int least; /* height of the threshold above the floor */
} scan;

#define TWO_DEFINE(Q, S) \
    static unsigned two_rows_##Q(const int8_t *cost, const uint16_t *const *word, size_t n, V *state, V most) { \
        return two_rows(Q, S, 0, cost, word, n, state, NULL, NULL, most); \
    }
#define TWO_DEFINE_EDGED(Q, S) \
    static unsigned two_edged_##Q(const int8_t *cost, const uint16_t *word, size_t n, V *state, const int8_t *in, \
        int8_t *out, V most) { \
        return two_rows(Q, 1, 1, cost, &word, n, state, in, out, most); \
    }
#define TWO_ENTRY(Q, S) [Q] = {two_rows_##Q, S},
#define TWO_ENTRY_EDGED(Q, S) [Q] = two_edged_##Q,
TWO_SHAPES(TWO_DEFINE)
TWO_EDGED(TWO_DEFINE_EDGED)
static const struct {
    unsigned (*run)(const int8_t *cost, const uint16_t *const *word, size_t n, V *state, V most);
    int S;
} plain_shape[TWO_QMAX + 1] = {TWO_SHAPES(TWO_ENTRY)};
typedef unsigned edged_fn(const int8_t *cost, const uint16_t *word, size_t n, V *state, const int8_t *in, int8_t *out,
                          V most);
static edged_fn *const edged_shape[TWO_QMAX + 1] = {TWO_EDGED(TWO_ENTRY_EDGED)};

/* Some steps of one strand, the run-in before them, and where their flags go. */
typedef struct stretch {
    const uint8_t *x;
    int first; /* nothing is before x */
    size_t runin, steps;
    uint8_t *flag;
} stretch;

/* The stretches of a list of strands, one after the other. */
typedef struct stretches {
    const ws_long_strand *strand;
    size_t n;
    size_t step, runin; /* rows of a step; steps of a full run-in */
    size_t most;        /* steps of a stretch */
    size_t at;          /* next step of the first strand */
    uint8_t *flag;
} stretches;

/* The next stretch; 0 at the end of the list. */
static int next_stretch(stretches *list, stretch *p) {
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
    p->first = list->at == p->runin;
    p->flag = list->flag;
    list->at += p->steps;
    list->flag += p->steps;
    return 1;
}

/* Models of one block: S stretches at a time. A track without a stretch goes along with another one. */
static void mark_block(const twos *me, stretches *list, V most) {
    const int S = plain_shape[me->Q].S;
    const size_t n = list->step / 2;
    uint16_t room[SMAX][STEP_PAIRS];
    const uint16_t *word[SMAX];
    V state[SMAX * 2 + TWO_QMAX * 3];
    stretch p[SMAX];
    int live = 0;
    while (live < S && next_stretch(list, &p[live])) live++;
    set_floor(state, S * me->Q);
    while (live) {
        for (int s = 0; s < live; s++) make_words(p[s].x, n, p[s].first, room[s]);
        for (int s = 0; s < S; s++) word[s] = room[s < live ? s : 0];
        const unsigned above = plain_shape[me->Q].run(me->cost, word, n, state, most);
        for (int s = live - 1; s >= 0; s--) {
            p[s].x += list->step;
            p[s].first = 0;
            if (p[s].runin) {
                p[s].runin--;
                continue;
            }
            *p[s].flag++ = above >> s & 1;
            if (--p[s].steps) continue;
            if (next_stretch(list, &p[s])) {
                set_floor(state + s * me->Q, me->Q);
            } else {
                live--;
                p[s] = p[live];
                memcpy(state + s * me->Q, state + live * me->Q, (size_t)me->Q * sizeof(V));
            }
        }
    }
}

/* Models of several blocks: block after block over each stretch. state: that of all blocks before the stretch, and then
 * after it. edge: two lists of n pairs + VB_LANES bytes. */
static void mark_edged(const twos *me, const stretch *p, size_t n, const uint16_t *word, V *state, int8_t *edge[2],
                       V most) {
    const size_t last = p->steps * n + VB_LANES - 1;
    memset(edge[0], FLOOR, last + 1);
    memset(p->flag, 0, p->steps);
    for (int block = 0; block < me->nblock; block++) {
        const int8_t *cost = me->cost + (size_t)block * me->block_size, *in = edge[block % 2] + last;
        int8_t *out = edge[1 - block % 2] + last;
        for (size_t j = 0; j < p->steps; j++) {
            const size_t at = j * n;
            p->flag[j] |=
                (uint8_t)edged_shape[me->Q](cost, word + at, n, state + block * me->Q, in - at, out - at, most);
        }
    }
}

/* Goes through the stretches of each strand; the heights after one are those before the next. */
static int mark_long(const twos *me, stretches *list, V most, ws_buf *scratch, ws_err *err) {
    const size_t n = list->step / 2, pairs = list->most * n, room = (pairs + 2 * VB_LANES) / VB_LANES * VB_LANES;
    const int vectors = me->nblock * me->Q;
    V *state = ws_buf_scratch(scratch, (size_t)vectors * sizeof *state + 4 * room, err);
    if (!state) return err->code;
    int8_t *edge[2] = {(int8_t *)(state + vectors), (int8_t *)(state + vectors) + room};
    uint16_t *word = (uint16_t *)(edge[1] + room);
    for (stretch p; next_stretch(list, &p);) {
        make_words(p.x, p.steps * n, p.first, word);
        if (p.first) set_floor(state, vectors);
        mark_edged(me, &p, n, word, state, edge, most);
    }
    return WS_OK;
}

static void clear(void *layout) {
    ws_free(((scan *)layout)->s.cost);
    ws_free(((scan *)layout)->two.cost);
}

static int lay_out(void *layout, const ws_long_model *m, ws_err *err) {
    scan *me = layout;
    me->least = m->threshold - m->xB;
    if (!lay_stripes(&me->s, &m->bytes, err) && !lay_twos(&me->two, &m->bytes, err)) return WS_OK;
    return err->code;
}

/* Stretches are short enough for every track to get some, but not so short that their run-in counts. */
static int mark(const void *layout, const ws_long_strand *strand, size_t n, uint8_t *flag, ws_buf *scratch,
                ws_err *err) {
    const scan *me = layout;
    const size_t step = ws_long_step(me->s.M), runin = ((size_t)me->s.M - 1 + step - 1) / step;
    const int least = me->least - me->two.slack;
    size_t steps = 0;
    for (size_t j = 0; j < n; j++) steps += ws_long_steps(me->s.M, strand[j].n);
    if (least <= 0) {
        memset(flag, 1, steps);
        return WS_OK;
    }
    const V most = VB_SET1(least - 1 + FLOOR);
    stretches list = {strand, n, step, runin, STRETCH / step, 0, flag};
    if (me->two.nblock > 1) {
        list.runin = 0;
        return mark_long(&me->two, &list, most, scratch, err);
    }
    const size_t tracks = (size_t)plain_shape[me->two.Q].S, share = (steps + tracks - 1) / tracks;
    list.most = ws_max(ws_min(share, list.most), 4 * runin + 1);
    mark_block(&me->two, &list, most);
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

/* The second pass over a strand. */
typedef struct follower {
    const scan *me;
    const ws_long_model *m;
    const ws_long_strand *s;
    V *v;            /* heights behind row i, or bounds of them */
    uint32_t i;
    uint32_t floor;  /* all heights were at the floor behind this row, and none was at the threshold since */
    int are_bounds;  /* from above; those at the threshold or above it were settled */
    int settled;     /* bounds, since the run-in */
} follower;

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

/* Puts all heights of row i, by the rows that they depend on. Returns the largest. */
static int from_floor(follower *f) {
    const stripes *me = &f->me->s;
    const uint32_t M = (uint32_t)me->M;
    V best = VB_SET1(FLOOR);
    set_floor(f->v, me->Q * me->nblock);
    for (uint32_t at = f->i - f->floor > M ? f->i - M : f->floor; at < f->i; at++) best = row_of(me, f->s->x[at], f->v);
    f->are_bounds = 0;
    return (int)VB_HMAX_U(VB_XOR(best, VB_SET1(FLOOR)));
}

/* Puts the heights of row i where bounds are at the threshold; the others stay bounds. Returns the largest of these
 * heights. A height may take as many additions as there are nodes. After as many of them as a row has vectors, all rows
 * take less time. */
static int settle(follower *f) {
    const stripes *me = &f->me->s;
    const V below = VB_SET1(f->me->least - 1);
    const int vectors = me->nblock * me->Q;
    int most = 0;
    for (int at = 0; at < vectors; at++) {
        if (!VB_ANY_GT_U(VB_XOR(f->v[at], VB_SET1(FLOOR)), below)) continue;
        int8_t *cell = (int8_t *)&f->v[at];
        for (int z = 0; z < VB_LANES; z++) {
            if (cell[z] - FLOOR < f->me->least) continue;
            if (f->settled++ == vectors) return from_floor(f);
            const int k = (at / me->Q * VB_LANES + z) * me->Q + at % me->Q + 1;
            const int height = ws_long_diagonal_height(f->m, f->s->x, f->floor, f->i, k, f->me->least);
            cell[z] = (int8_t)(height + FLOOR);
            if (height > most) most = height;
        }
    }
    return most;
}

/* Goes on to row `to`, or to the end of the last diagonal, which may be after that. */
static int follow_rows(follower *f, uint32_t to, ws_long_seeds *found, ws_err *err) {
    const stripes *me = &f->me->s;
    const V below = VB_SET1(f->me->least - 1);
    while (f->i < to) {
        const V best = VB_XOR(row_of(me, f->s->x[f->i], f->v), VB_SET1(FLOOR));
        f->i++;
        if (!VB_ANY_GT_U(best, below)) continue;
        const int most = f->are_bounds ? settle(f) : (int)VB_HMAX_U(best);
        if (most < f->me->least) continue;
        const int rc = ws_long_diagonal_add(f->m, f->s->x, f->s->n, &f->i, node_of(me, f->v, most), most + f->m->xB,
                                            found, err);
        if (rc) return rc;
        set_floor(f->v, me->Q * me->nblock);
        f->floor = f->i;
        f->are_bounds = 0;
    }
    return WS_OK;
}

/* Goes on to row `to`, with no mark before it. Bounds that begin one below the threshold are near the heights RUN_IN
 * rows later, because most diagonals fall to the floor. */
static void run_in(follower *f, uint32_t to) {
    enum { RUN_IN = 128 };
    const stripes *me = &f->me->s;
    const int n = me->Q * me->nblock;
    if (to > f->i + RUN_IN) {
        for (int q = 0; q < n; q++) f->v[q] = VB_SET1(f->me->least - 1 + FLOOR);
        f->i = to - RUN_IN;
        f->are_bounds = 1;
        f->settled = 0;
    }
    for (; f->i < to; f->i++) (void)row_of(me, f->s->x[f->i], f->v);
}

static int follow(const void *layout, const ws_long_model *m, const ws_long_strand *s, const uint8_t *flag,
                  ws_long_seeds *found, ws_buf *scratch, ws_err *err) {
    const scan *me = layout;
    const int vectors = me->s.Q * me->s.nblock;
    const size_t steps = ws_long_steps(me->s.M, s->n);
    const uint32_t step = ws_long_step(me->s.M), segment = ws_long_segment(me->s.M);
    follower f = {.me = me, .m = m, .s = s, .v = ws_buf_scratch(scratch, (size_t)vectors * sizeof(V), err)};
    if (!f.v) return err->code;
    set_floor(f.v, vectors);
    for (size_t j = 0; j < steps; j++) {
        uint32_t from, to;
        if (!flag[j]) continue;
        ws_long_marked_segments(flag[j], &from, &to);
        from = (uint32_t)j * step + from * segment;
        to = ws_min((uint32_t)j * step + to * segment, s->n);
        run_in(&f, from);
        const int rc = follow_rows(&f, to, found, err);
        if (rc) return rc;
    }
    return WS_OK;
}

const ws_long_ssv_body V_FACE(ws_long_ssv_) = {sizeof(scan), lay_out, clear, mark, follow};
