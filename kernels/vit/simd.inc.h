/* SPDX-License-Identifier: MIT
 * The vector body of the Viterbi filter, for every width. Included once by avx2.c and avx512.c.
 *
 * Parameters: the V* macros of lib/simd/v_<isa>.h, and
 *   VIT_SLOTS(Q)   sequences at a time, 1 to 4, for models of Q vectors
 *
 * Layout: striped: node k (from 0) is lane k / Q of vector k % Q. A row is kept as two values a node, both for the next
 * row: X(k) = max(M(k) + MM_k, I(k) + IM_k, D(k) + DM_k), all that node k sends to M of node k+1, and
 * I(k) = max(M(k) + MI_k, I(k) + II_k). D is never stored: inside a lane it is a running value.
 *
 * What a lane's last D sends into the next lane is known only at the end of the row. It is added afterwards, and only where
 * it can matter: a D that cannot raise any later X above what the entry xB + BM offers the same node anyway (the table
 * `gain`) changes no cell, since D itself is never a result. */

#include "kernels/vit/vit.h"
#include "lib/cascade/slotwork.h"
#include "lib/hmm/target.h"

#include <math.h>
#include <string.h>

enum { LOWEST = -32768, HIGHEST = 32767, SLOTS = WS_SLOTWORK_MAX, CHECK = 8 };
enum { BM, MM, IM, DM, MI, II, MD, DD, NPAR }; /* order in which the row loop asks for them */

typedef struct vit_prep {
    int Q, S;
    int always;    /* a DD above 0 or a gain out of range: carries are always followed */
    int16_t *par;  /* par[(q * NPAR + t) * VW_LANES + lane] */
    int16_t *gain; /* gain[q * VW_LANES + lane]: best of (DD path) + DM_k - BM_{k+1} over the nodes k from here on */
    int16_t *emit; /* emit[(x * Q + q) * VW_LANES + lane] */
} vit_prep;

/* What a sequence carries from row to row. */
typedef struct track {
    V best;  /* largest M so far */
    V limit; /* above it xB has to move, or the range ends */
    V xB;
    V *cell; /* X and I of vector q at 2q and 2q + 1 */
    int wmove, over;
} track;

/* A lane of `best` is above the limit: moves xB and the limit. 1 if the 16-bit range is exceeded. */
WS_INLINE int raise(V best, V *limit, V *xB, int wmove) {
    const int xE = VW_HMAX(best);
    *limit = VW_SET1(xE);
    *xB = VW_SET1(xE + WS_WORD_E + wmove);
    return xE >= HIGHEST;
}

/* Sends the carries through the lanes: X only grows. */
static void carry_on(const vit_prep *p, V carry, V xB, V *cell) {
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

/* n rows of S sequences, fewer if one of them exceeds the range; returns how many. */
WS_INLINE size_t rows(const int S, const vit_prep *p, const uint8_t *const *seq, size_t n, void *const *state) {
    const size_t Q = (size_t)p->Q;
    const V lowest = VW_SET1(LOWEST);
    const int16_t *const par = p->par, *const gain = p->gain;
    const uint8_t *x[SLOTS];
    track *t[SLOTS];
    V *cell[SLOTS], best[SLOTS], limit[SLOTS], xB[SLOTS];
    V_UNROLL for (int s = 0; s < S; s++) {
        x[s] = seq[s];
        t[s] = state[s];
        cell[s] = t[s]->cell;
        best[s] = t[s]->best;
        limit[s] = t[s]->limit;
        xB[s] = t[s]->xB;
    }
    for (size_t i = 0; i < n; i++) {
        const int16_t *emit[SLOTS];
        V in[SLOTS], d[SLOTS];
        V_UNROLL for (int s = 0; s < S; s++) {
            emit[s] = p->emit + x[s][i] * Q * VW_LANES;
            in[s] = VW_UP1(cell[s][2 * Q - 2], lowest);
            d[s] = lowest;
        }
        for (size_t q = 0; q < Q; q++) {
            const int16_t *w = par + q * NPAR * VW_LANES;
            /* loaded once for all S: a store to a row could otherwise change them as far as the compiler knows */
            const V wBM = V_LOAD(w + BM * VW_LANES), wMM = V_LOAD(w + MM * VW_LANES), wIM = V_LOAD(w + IM * VW_LANES);
            const V wDM = V_LOAD(w + DM * VW_LANES), wMI = V_LOAD(w + MI * VW_LANES), wII = V_LOAD(w + II * VW_LANES);
            const V wMD = V_LOAD(w + MD * VW_LANES), wDD = V_LOAD(w + DD * VW_LANES);
            V_UNROLL for (int s = 0; s < S; s++) {
                const V ins = cell[s][2 * q + 1];
                const V m = VW_ADDS(VW_MAX(VW_ADDS(xB[s], wBM), in[s]), V_LOAD(emit[s] + q * VW_LANES));
                in[s] = cell[s][2 * q];
                best[s] = VW_MAX(best[s], m);
                cell[s][2 * q] = VW_MAX(VW_MAX(VW_ADDS(m, wMM), VW_ADDS(ins, wIM)), VW_ADDS(d[s], wDM));
                cell[s][2 * q + 1] = VW_MAX(VW_ADDS(m, wMI), VW_ADDS(ins, wII));
                d[s] = VW_MAX(VW_ADDS(m, wMD), VW_ADDS(d[s], wDD));
            }
        }
        V_UNROLL for (int s = 0; s < S; s++) {
            if (__builtin_expect(VW_ANY_GT(best[s], limit[s]), 0) && raise(best[s], &limit[s], &xB[s], t[s]->wmove)) {
                t[s]->over = 1;
                n = i + 1;
            }
            const V carry = VW_UP1(d[s], lowest);
            if (__builtin_expect(p->always || VW_ANY_GT(carry, VW_SUBS(xB[s], V_LOAD(gain))), 0))
                carry_on(p, carry, xB[s], cell[s]);
        }
    }
    V_UNROLL for (int s = 0; s < S; s++) {
        t[s]->best = best[s];
        t[s]->limit = limit[s];
        t[s]->xB = xB[s];
    }
    return n;
}

WS_SLOTWORK_ROWS(some_rows, rows)

static void start(const void *prep, void *state, void *row, const ws_lenmodel *lm) {
    const vit_prep *p = prep;
    track *t = state;
    t->cell = row;
    t->wmove = lm->wmove;
    t->over = 0;
    t->best = VW_SET1(LOWEST);
    t->limit = VW_SET1(WS_WORD_BASE - WS_WORD_E);
    t->xB = VW_SET1(WS_WORD_BASE + lm->wmove);
    for (int q = 0; q < 2 * p->Q; q++) t->cell[q] = VW_SET1(LOWEST);
}

static int decided(const void *state) { return ((const track *)state)->over; }

static ws_fscore finish(const void *state) {
    const track *t = state;
    if (t->over) return (ws_fscore){INFINITY, WS_F_OVERFLOW};
    const int xC = VW_HMAX(t->best) + WS_WORD_E;
    if (xC <= LOWEST) return (ws_fscore){-INFINITY, WS_F_OK};
    return ws_vit_score(xC, t->wmove);
}

static void release(void *prep) {
    vit_prep *p = prep;
    if (!p) return;
    ws_free(p->par);
    ws_free(p->gain);
    ws_free(p->emit);
    ws_free(p);
}

/* A table of M nodes in model order into vectors that are `stride` vectors apart. */
static void lay(const vit_prep *p, int M, const int16_t *from, int16_t *to, int stride) {
    for (int z = 0; z * p->Q < M; z++)
        for (int q = 0; q < p->Q && z * p->Q + q < M; q++) to[q * stride * VW_LANES + z] = from[z * p->Q + q];
}

/* g_k = max(DM_k - BM_{k+1}, DD_k + g_{k+1}), from the end. */
static void lay_gain(vit_prep *p, const ws_words *w) {
    int g = LOWEST;
    for (int k = w->M - 1; k >= 1; k--) {
        const int through = w->tr[WS_PDD][k] + g, leave = w->tr[WS_PDM][k] - w->tr[WS_PBM][k + 1];
        g = through > leave ? through : leave;
        if (g > HIGHEST || w->tr[WS_PDD][k] > 0) p->always = 1;
        if (g < LOWEST) g = LOWEST;
        p->gain[(k - 1) % p->Q * VW_LANES + (k - 1) / p->Q] = (int16_t)(p->always ? LOWEST : g);
    }
}

static int lay_out(vit_prep *p, const ws_words *w, ws_err *err) {
    static const ws_ptrans from[NPAR] = {WS_PBM, WS_PMM, WS_PIM, WS_PDM, WS_PMI, WS_PII, WS_PMD, WS_PDD};
    p->Q = (w->M + VW_LANES - 1) / VW_LANES;
    p->S = VIT_SLOTS(p->Q);
    const size_t row = (size_t)p->Q * VW_LANES;
    p->par = ws_calloc(row * NPAR, sizeof *p->par, err);
    p->gain = ws_calloc(row, sizeof *p->gain, err);
    p->emit = ws_calloc(row * (size_t)w->Kp, sizeof *p->emit, err);
    if (!p->par || !p->gain || !p->emit) return WS_ENOMEM;
    /* padding: the very low number everywhere */
    for (size_t i = 0; i < row * NPAR; i++) p->par[i] = LOWEST;
    for (size_t i = 0; i < row; i++) p->gain[i] = LOWEST;
    for (size_t i = 0; i < row * (size_t)w->Kp; i++) p->emit[i] = LOWEST;
    for (int t = 0; t < NPAR; t++) lay(p, w->M, w->tr[from[t]] + 1, p->par + t * VW_LANES, NPAR);
    for (int x = 0; x < w->Kp; x++)
        lay(p, w->M, w->emit + (size_t)x * (size_t)(w->M + 1) + 1, p->emit + (size_t)x * row, 1);
    lay_gain(p, w);
    return WS_OK;
}

static int prepare(const ws_target *t, void **prep, ws_err *err) {
    const ws_hmm_target *target = t->data;
    ws_words words;
    vit_prep *p = ws_calloc(1, sizeof *p, err);
    *prep = p;
    if (!p) return err->code;
    int rc = ws_words_create(&words, &target->profile, err);
    if (!rc) {
        rc = lay_out(p, &words, err);
        ws_words_destroy(&words);
    }
    if (rc) {
        release(p);
        *prep = NULL;
    }
    return rc;
}

static int score(const ws_batch *b, const ws_task *task, size_t ntask, ws_lane *lane, ws_err *err) {
    int rc = WS_OK;
    for (size_t t = 0; t < ntask && !rc; t++) {
        const vit_prep *p = task[t].prep;
        const ws_slotwork work = {p->S, sizeof(track), 2 * (size_t)p->Q * sizeof(V), start, some_rows, decided, finish};
        rc = ws_slotwork_score(&work, b, &task[t], lane, err);
    }
    return rc;
}

const ws_backend V_FACE(ws_vit_) = {
    .name = V_NAME, .usable = V_FACE(ws_usable_), .prepare = prepare, .release = release, .score = score, .group = 1};

#include "lib/simd/v_end.h"
