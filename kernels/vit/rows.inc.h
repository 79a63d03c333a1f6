/* SPDX-License-Identifier: MIT
 * Rows of the Viterbi filter in vectors, shared by kernels/vit/simd.c and kernels/long/vit_simd.c. A vector body
 * includes this file.
 *
 * Layout: striped. Node k (from 0) is lane k / Q of vector k % Q. A row keeps two values a node for the next row:
 * X(k) = max(M(k) + MM_k, I(k) + IM_k, D(k) + DM_k), the best that node k sends to M of node k+1, and
 * I(k) = max(M(k) + MI_k, I(k) + II_k). D is never stored: inside a lane D is a running value.
 *
 * The D that leaves a lane's last node reaches the next lane only at the end of the row (carry). The code adds a
 * carry only where it can change a cell. A carry cannot change a cell if it raises no later X above xB + BM, the
 * entry of the same node; the table `gain` bounds this. D itself is never a result.
 *
 * The rows are compiled with saturating additions and with additions that wrap (`wrap`), which more ports of the
 * processor do. With `wrap` a cell of M is at least p->floor. This changes no cell that matters, and nothing wraps,
 * where wraps() says so. Every entry xB + BM is at least the floor, and a cell at the floor sends on less than that.
 *
 * With `wrap` a row keeps I(k) + IM_k in place of I(k), and its D is D(k) + DM_k. So X(k) needs one addition for three,
 * and a node six transitions for eight (set_fast). Lanes exchange D(k) itself. */

#include "lib/hmm/profile.h"

/* Sequences processed together, 1 to 4, for models of Q vectors. With 64-byte vectors the transitions and four rows
 * (8 + 4 * 3 vectors a stripe) fit the first-level cache of 48 KB up to 35 stripes; with two rows, up to 50. Beyond
 * 50 the transitions come from the second level anyway, so four sequences share each load (kernels/vit/README.md,
 * measured speed). */
#define VIT_TRACKS(Q) (VB_LANES == 64 && (Q) > 35 && (Q) <= 50 ? 2 : 4)

enum { LOWEST = -32768, HIGHEST = 32767, TRACKS = 4, CHECK = 8, SWEEP = 16 };
enum { BM, MM, MI, II, MD, DD, NFAST, IM = NFAST, DM, NPAR }; /* `fast` has the first NFAST */
static const ws_ptrans par_from[NPAR] = {WS_PBM, WS_PMM, WS_PMI, WS_PII, WS_PMD, WS_PDD, WS_PIM, WS_PDM};

typedef struct vit {
    int Q, S;
    int always;    /* a DD above 0, or a gain out of range: follow every carry */
    int floor;     /* with `wrap`, the lowest M: set_fast */
    int none;      /* with `wrap`, a cell without a path */
    int least;     /* wmove from which on `wrap` is right; above 0: never */
    int sweep;     /* with `wrap`, carries are added in every row: see set_through */
    int16_t *par;  /* par[(q * NPAR + t) * VW_LANES + lane] */
    int16_t *fast; /* with `wrap`, fast[(q * NFAST + t) * VW_LANES + lane] */
    int16_t *back; /* with `wrap`, back[lane]: what makes D of D + DM at the lane's first node */
    int16_t *gain; /* gain[q * VW_LANES + lane]: over the nodes from k on, the largest (sum of DD) + DM_k - BM_{k+1} */
    /* through[q * VW_LANES + lane]: what a carry into the lane pays up to M after vector q; q = Q: to leave the lane */
    int16_t *through;
    int16_t *emit; /* emit[(x * Q + q) * VW_LANES + lane] */
} vit;

/* State of one sequence between rows. */
typedef struct track {
    V best;  /* largest M so far */
    V limit; /* a best above this must move xB, or reaches the top */
    V xB;
    V *cell; /* X and I of vector q at 2q and 2q + 1; with `keep`, M of vector q at 2Q + q */
    int wmove;
    int floor;     /* with `wrap`, no M is below */
    int top, over; /* an M of `top` or more ends the rows and sets `over` */
} track;

/* Moves xB and the limit after a lane of `best` rose above the limit. Returns 1 if the score reached the top. */
WS_INLINE int raise(V best, V *limit, V *xB, const track *t) {
    const int xE = VW_HMAX(best);
    if (xE >= t->top) return 1;
    *limit = VW_SET1(xE);
    *xB = VW_SET1(xE + WS_WORD_E + t->wmove);
    return 0;
}

/* Returns 1 if rows may be computed with `wrap` where the length costs wmove. */
static int wraps(const vit *p, int wmove) { return wmove >= p->least; }

/* Returns a + b: with wrap the caller knows that the sum is in range. */
WS_INLINE V sum(const int wrap, V a, V b) { return wrap ? VW_ADD(a, b) : VW_ADDS(a, b); }

/* Adds the D that crosses lanes to X, lane after lane, until no carry is left. X only grows. */
static void carry_on(const vit *p, V carry, V xB, V *cell) {
    const size_t Q = (size_t)p->Q;
    const int16_t *par = p->par;
    for (;;) {
        for (size_t q = 0; q < Q; q++) {
            if (q % CHECK == 0 && !p->always && !VW_ANY_GT(carry, VW_SUBS(xB, V_LOAD(p->gain + q * VW_LANES)))) return;
            cell[2 * q] = VW_MAX(cell[2 * q], VW_ADDS(carry, V_LOAD(par + (q * NPAR + DM) * VW_LANES)));
            carry = VW_ADDS(carry, V_LOAD(par + (q * NPAR + DD) * VW_LANES));
        }
        carry = VW_UP1(carry, VW_SET1(LOWEST));
        if (!VW_ANY_GT(carry, VW_SET1(LOWEST))) return;
    }
}

/* Adds the D that crosses into the next lane to X of S sequences. It adds all of it, so no branch depends on it. d: the
 * D that comes into the lanes. Afterwards, the D that comes into the lanes after them. */
WS_INLINE void sweep_on(const int S, const vit *p, V *d, V *const *cell) {
    const size_t Q = (size_t)p->Q;
    const V lowest = VW_SET1(LOWEST), floor = VW_SET1(p->floor), out = V_LOAD(p->through + Q * VW_LANES);
    V carry[TRACKS];
    V_UNROLL for (int s = 0; s < S; s++) carry[s] = VW_MAX(d[s], floor);
    for (size_t q = 0; q < Q; q++) {
        const V through = V_LOAD(p->through + q * VW_LANES);
        V_UNROLL for (int s = 0; s < S; s++) cell[s][2 * q] = VW_MAX(cell[s][2 * q], VW_ADD(carry[s], through));
    }
    V_UNROLL for (int s = 0; s < S; s++) d[s] = VW_UP1(VW_ADDS(carry[s], out), lowest);
}

/* Computes n rows of S sequences, fewer if a sequence reaches its top. Returns the number of rows done. seq[s]:
 * codes; state[s]: a track. With keep, each track also stores M. wrap: see above. */
WS_INLINE size_t rows(const int S, const int keep, const int wrap, const vit *p, const uint8_t *const *seq, size_t n,
                      void *const *state) {
    const size_t Q = (size_t)p->Q;
    const V lowest = VW_SET1(LOWEST), floor = VW_SET1(p->floor), none = VW_SET1(wrap ? p->none : LOWEST);
    const int16_t *const par = wrap ? p->fast : p->par, *const gain = p->gain;
    const size_t step = (size_t)(wrap ? NFAST : NPAR) * VW_LANES;
    const uint8_t *x[TRACKS];
    track *t[TRACKS];
    V *cell[TRACKS], best[TRACKS], limit[TRACKS], xB[TRACKS];
    V_UNROLL for (int s = 0; s < S; s++) {
        x[s] = seq[s];
        t[s] = state[s];
        cell[s] = t[s]->cell;
        best[s] = t[s]->best;
        limit[s] = t[s]->limit;
        xB[s] = t[s]->xB;
    }
    for (size_t i = 0; i < n; i++) {
        const int16_t *emit[TRACKS];
        V in[TRACKS], d[TRACKS];
        V_UNROLL for (int s = 0; s < S; s++) {
            emit[s] = p->emit + x[s][i] * Q * VW_LANES;
            in[s] = VW_UP1(cell[s][2 * Q - 2], lowest);
            d[s] = none;
        }
        for (size_t q = 0; q < Q; q++) {
            const int16_t *w = par + q * step;
            /* loads once for all S: the compiler cannot know that a store to a row leaves the tables unchanged */
            const V wBM = V_LOAD(w + BM * VW_LANES), wMM = V_LOAD(w + MM * VW_LANES), wMI = V_LOAD(w + MI * VW_LANES);
            const V wII = V_LOAD(w + II * VW_LANES), wMD = V_LOAD(w + MD * VW_LANES), wDD = V_LOAD(w + DD * VW_LANES);
            const V wIM = wrap ? lowest : V_LOAD(w + IM * VW_LANES), wDM = wrap ? lowest : V_LOAD(w + DM * VW_LANES);
            V_UNROLL for (int s = 0; s < S; s++) {
                const V ins = cell[s][2 * q + 1];
                const V sent = VW_ADDS(VW_MAX(sum(wrap, xB[s], wBM), in[s]), V_LOAD(emit[s] + q * VW_LANES));
                const V m = wrap ? VW_MAX(sent, floor) : sent;
                in[s] = cell[s][2 * q];
                best[s] = VW_MAX(best[s], m);
                if (keep) cell[s][2 * Q + q] = m;
                const V in_out = wrap ? ins : VW_ADDS(ins, wIM), d_out = wrap ? d[s] : VW_ADDS(d[s], wDM);
                cell[s][2 * q] = VW_MAX(VW_MAX(sum(wrap, m, wMM), in_out), d_out);
                cell[s][2 * q + 1] = VW_MAX(sum(wrap, m, wMI), sum(wrap, ins, wII));
                d[s] = VW_MAX(sum(wrap, m, wMD), sum(wrap, d[s], wDD));
            }
        }
        V_UNROLL for (int s = 0; s < S; s++) {
            d[s] = VW_UP1(d[s], lowest);
            if (wrap) d[s] = VW_ADDS(d[s], V_LOAD(p->back));
        }
        if (wrap && p->sweep) sweep_on(S, p, d, cell);
        V_UNROLL for (int s = 0; s < S; s++) {
            if (__builtin_expect(VW_ANY_GT(best[s], limit[s]), 0) && raise(best[s], &limit[s], &xB[s], t[s])) {
                t[s]->over = 1;
                n = i + 1;
            }
            if (__builtin_expect(p->always || VW_ANY_GT(d[s], VW_SUBS(xB[s], V_LOAD(gain))), 0))
                carry_on(p, d[s], xB[s], cell[s]);
        }
    }
    V_UNROLL for (int s = 0; s < S; s++) {
        t[s]->best = best[s];
        t[s]->limit = limit[s];
        t[s]->xB = xB[s];
    }
    return n;
}

/* Clears the cells and the best for rows with or without `wrap`; xB and the limit stay. */
static void clear_rows(const vit *p, int wrap, track *t) {
    t->over = 0;
    t->best = VW_SET1(LOWEST);
    for (int q = 0; q < 2 * p->Q; q++) t->cell[q] = VW_SET1(wrap ? p->none : LOWEST);
}

/* Starts a sequence on the track t, with cells in `row` (room as track.cell), wmove and the score `top` that ends
 * it. */
static void start_rows(const vit *p, int wrap, track *t, void *row, int wmove, int top) {
    const int quiet = WS_WORD_BASE - WS_WORD_E;
    t->cell = row;
    t->wmove = wmove;
    t->floor = p->floor;
    t->top = top;
    t->limit = VW_SET1(quiet < top ? quiet : top - 1);
    t->xB = VW_SET1(WS_WORD_BASE + wmove);
    clear_rows(p, wrap, t);
}

/* Copies a table of M nodes in model order into vectors that are `stride` vectors apart. */
static void lay(const vit *p, int M, const int16_t *from, int16_t *to, int stride) {
    for (int z = 0; z * p->Q < M; z++)
        for (int q = 0; q < p->Q && z * p->Q + q < M; q++) to[q * stride * VW_LANES + z] = from[z * p->Q + q];
}

/* Fills gain: g_k = max(DM_k - BM_{k+1}, DD_k + g_{k+1}), from the last node to the first. */
static void lay_gain(vit *p, const ws_words *w) {
    int g = LOWEST;
    for (int k = w->M - 1; k >= 1; k--) {
        const int through = w->tr[WS_PDD][k] + g, leave = w->tr[WS_PDM][k] - w->tr[WS_PBM][k + 1];
        g = through > leave ? through : leave;
        if (g > HIGHEST || w->tr[WS_PDD][k] > 0) p->always = 1;
        if (g < LOWEST) g = LOWEST;
        p->gain[(k - 1) % p->Q * VW_LANES + (k - 1) / p->Q] = (int16_t)(p->always ? LOWEST : g);
    }
}

static void lower(int *least, int v) {
    if (v < *least) *least = v;
}

/* Returns DM of node k. The last node's leads to no cell. */
static int leave(const ws_words *w, int k) { return k < w->M ? w->tr[WS_PDM][k] : 0; }

/* Returns transition t out of node k, or BM into it, as `fast` has it. */
static int fast_of(const ws_words *w, int t, int k) {
    const int v = w->tr[par_from[t]][k];
    switch (t) {
    case MI: return v + w->tr[WS_PIM][k];
    case MD: return v + leave(w, k + 1);
    case DD: return v + leave(w, k + 1) - leave(w, k);
    default: return v;
    }
}

/* Sets `fast` and what `wrap` needs.
 *
 * A cell of M is at least the floor. M sends on `first` at least, the lowest of MM, MI + IM and MD + DM. I and D add
 * `more` to that at least. The floor lies so far above LOWEST that nothing wraps. A cell without a path begins at
 * `none`, so that one addition does not wrap.
 *
 * No number below the floor raises an M, since an entry is at least the floor and transitions do not raise a score.
 * The sum of D + DM may grow along a lane, by at most the range of DM, which `first` includes. So what begins at `none`
 * stays below the floor. xB itself must not be negative, because the entry of padding is LOWEST. */
static void set_fast(vit *p, const ws_words *w) {
    int entry = 0, first = 0, more = 0;
    for (int k = 1; k <= w->M; k++) lower(&entry, w->tr[WS_PBM][k]);
    for (int k = 1; k < w->M; k++) {
        lower(&first, leave(w, k));
        for (int t = MM; t < NFAST; t++) lower(t == II || t == DD ? &more : &first, fast_of(w, t, k));
    }
    p->none = LOWEST - more;
    p->floor = p->none - first;
    const int low_entry = p->floor - WS_WORD_BASE - entry;
    p->least = p->always || p->floor > 0 ? 1 : low_entry > -WS_WORD_BASE ? low_entry : -WS_WORD_BASE;
    for (int z = 0; z < VW_LANES; z++) {
        p->back[z] = (int16_t)(z * p->Q + 1 < w->M ? -leave(w, z * p->Q + 1) : 0);
        for (int q = 0; q < p->Q; q++)
            for (int t = 0; t < NFAST; t++) {
                const int k = z * p->Q + q + 1;
                const int padding = t == BM ? LOWEST : t == II || t == DD ? more : first;
                const int v = k < w->M + (t == BM) ? fast_of(w, t, k) : padding;
                p->fast[(q * NFAST + t) * VW_LANES + z] = (int16_t)(p->least > 0 ? LOWEST : v);
            }
    }
}

/* Sets `through`, and `sweep` if a carry may be added to it without saturation. A carry is at least the floor here.
 * Padding takes what fits, because nothing leaves it. In models with more vectors than SWEEP most rows are better off
 * with a branch. */
static void set_through(vit *p, const ws_words *w) {
    const int least = p->floor <= 0 ? LOWEST - p->floor : LOWEST;
    p->sweep = p->least <= 0 && p->floor <= 0 && p->Q <= SWEEP;
    for (int z = 0; z < VW_LANES; z++) {
        int sum = 0;
        for (int q = 0; q < p->Q; q++) {
            const int k = z * p->Q + q + 1, v = k < w->M ? sum + w->tr[WS_PDM][k] : least;
            if (v < least) p->sweep = 0;
            p->through[q * VW_LANES + z] = (int16_t)v;
            sum = k < w->M ? sum + w->tr[WS_PDD][k] : least;
        }
        p->through[p->Q * VW_LANES + z] = (int16_t)(sum > LOWEST ? sum : LOWEST);
    }
}

/* Makes the layout of a ws_words, and keeps no pointer to it. The caller has zeroed `layout`, and calls clear also
 * after a failure. Returns WS_ENOMEM on failure. */
static int lay_out(void *layout, const void *form, ws_err *err) {
    vit *p = layout;
    const ws_words *w = form;
    p->Q = (w->M + VW_LANES - 1) / VW_LANES;
    p->S = VIT_TRACKS(p->Q);
    const size_t row = (size_t)p->Q * VW_LANES;
    p->par = ws_calloc(row * NPAR, sizeof *p->par, err);
    p->gain = ws_calloc(row, sizeof *p->gain, err);
    p->emit = ws_calloc(row * (size_t)w->Kp, sizeof *p->emit, err);
    p->through = ws_calloc(row + VW_LANES, sizeof *p->through, err);
    p->fast = ws_calloc(row * NFAST, sizeof *p->fast, err);
    p->back = ws_calloc(VW_LANES, sizeof *p->back, err);
    if (!p->par || !p->gain || !p->emit || !p->through || !p->fast || !p->back) return WS_ENOMEM;
    /* padding: the lowest score in every table */
    for (size_t i = 0; i < row * NPAR; i++) p->par[i] = LOWEST;
    for (size_t i = 0; i < row; i++) p->gain[i] = LOWEST;
    for (size_t i = 0; i < row * (size_t)w->Kp; i++) p->emit[i] = LOWEST;
    for (int t = 0; t < NPAR; t++) lay(p, w->M, w->tr[par_from[t]] + 1, p->par + t * VW_LANES, NPAR);
    lay_gain(p, w);
    set_fast(p, w);
    set_through(p, w);
    for (int x = 0; x < w->Kp; x++)
        lay(p, w->M, w->emit + (size_t)x * (size_t)(w->M + 1) + 1, p->emit + (size_t)x * row, 1);
    return WS_OK;
}

static void clear(void *layout) {
    vit *p = layout;
    ws_free(p->par);
    ws_free(p->fast);
    ws_free(p->back);
    ws_free(p->gain);
    ws_free(p->emit);
    ws_free(p->through);
}
