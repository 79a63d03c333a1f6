/* SPDX-License-Identifier: MIT
 * The vector body of Forward, compiled once for each width.
 *
 * Layout: 32 lanes at any width, in V32 registers; `reg` is the index of a register. Node k (from 0) is lane k / Q
 * at position q = k % Q. The operations and their order are those of ref.c (kernels/fwd/README.md, canonical order),
 * so results agree bit by bit.
 *
 * A row is two sweeps over the nodes with a prefix scan between them. The first sweep computes M, the share of X that
 * needs no D, the next I, and d, the D within its lane. The prefix scan computes the D that enters each lane. The
 * second sweep completes D and X. */

#include "kernels/fwd/fwd.h"
#include "kernels/filter/interleave.h"
#include "lib/simd/v.h"

#include <math.h>
#include <string.h>

#ifndef FWD_TRACKS
#define FWD_TRACKS (V_REGISTERS == 32 ? 4 : 3) /* sequences processed together, 1 to 4 */
#endif

enum { TRACKS = WS_INTERLEAVE_MAX };
enum { BM, MM, IM, MI, II, MD, DD, NFIRST }; /* loaded by the first sweep */
enum { PD, DM, NSECOND };                    /* loaded by the second sweep */

typedef struct fwd {
    int Q, S;
    int levels;    /* levels of the prefix scan that can change a sum; above, all links are 0 */
    float *first;  /* first[((reg * Q + q) * NFIRST + t) * VF_LANES + lane] */
    float *second; /* second[((reg * Q + q) * NSECOND + t) * VF_LANES + lane] */
    float *emit;   /* emit[((x * V32 + reg) * Q + q) * VF_LANES + lane] */
    float *link;   /* link[(level * V32 + reg) * VF_LANES + lane] */
} fwd;

/* State of one sequence between rows. */
typedef struct track {
    VF *cell; /* X, I and d of position q of a register at 3 (reg * Q + q) */
    float N, B, C;
    float pmove, ploop;
    int64_t exponent;
} track;

enum { CELL_X, CELL_I, CELL_D, NCELL };

static void scale_down(track *t, int Q, float E) {
    const int e = ilogbf(E);
    const float by = ldexpf(1.0f, -e);
    const VF v = VF_SET1(by);
    t->N *= by;
    t->C *= by;
    t->B *= by;
    t->exponent += e;
    for (int j = 0; j < V32 * Q; j++) {
        t->cell[NCELL * j + CELL_X] = VF_MUL(t->cell[NCELL * j + CELL_X], v);
        t->cell[NCELL * j + CELL_I] = VF_MUL(t->cell[NCELL * j + CELL_I], v);
    }
}

/* Does one level of the inclusive prefix scan for all S sequences. */
#define SCAN_LEVEL(level) \
    if (levels > level) { \
        V_UNROLL for (int s = 0; s < S; s++) { \
            VF up[V32]; \
            VF32_UP(up, a[s], 1 << level); \
            V_UNROLL for (int j = 0; j < V32; j++) \
                a[s][j] = VF_FMA(VF_LOAD(link + (level * V32 + j) * VF_LANES), up[j], a[s][j]); \
        } \
    }

/* Does the first sweep for S sequences at one position of register j: M, X without D, the next I, and d. at: index of
 * the position over all registers. */
WS_INLINE void first_place(const int S, const float *odds, size_t j, size_t at, const VF *B, const float *const *emit,
                           VF *const *cell, VF (*in)[V32], VF (*a)[V32], VF (*e)[V32]) {
    const float *w = odds + at * NFIRST * VF_LANES;
    const VF wBM = VF_LOAD(w + BM * VF_LANES), wMM = VF_LOAD(w + MM * VF_LANES), wIM = VF_LOAD(w + IM * VF_LANES);
    const VF wMI = VF_LOAD(w + MI * VF_LANES), wII = VF_LOAD(w + II * VF_LANES);
    const VF wMD = VF_LOAD(w + MD * VF_LANES), wDD = VF_LOAD(w + DD * VF_LANES);
    V_UNROLL for (int s = 0; s < S; s++) {
        VF *c = cell[s] + NCELL * at;
        const VF ins = c[CELL_I];
        const VF m = VF_MUL(VF_FMA(B[s], wBM, in[s][j]), VF_LOAD(emit[s] + at * VF_LANES));
        in[s][j] = c[CELL_X];
        e[s][j] = VF_ADD(e[s][j], m);
        c[CELL_X] = VF_FMA(ins, wIM, VF_MUL(m, wMM));
        c[CELL_I] = VF_FMA(m, wMI, VF_MUL(ins, wII));
        c[CELL_D] = a[s][j];
        a[s][j] = VF_FMA(a[s][j], wDD, VF_MUL(m, wMD));
    }
}

/* Computes n rows of S sequences, and returns n. seq[s]: codes; state[s]: a track. */
WS_INLINE size_t rows(const int S, const fwd *p, const uint8_t *const *seq, size_t n, void *const *state) {
    const size_t Q = (size_t)p->Q;
    const int levels = p->levels;
    const float *const link = p->link;
    track *t[TRACKS];
    VF *cell[TRACKS];
    V_UNROLL for (int s = 0; s < S; s++) {
        t[s] = state[s];
        cell[s] = t[s]->cell;
    }
    for (size_t i = 0; i < n; i++) {
        const float *emit[TRACKS];
        VF B[TRACKS], in[TRACKS][V32], a[TRACKS][V32], e[TRACKS][V32];
        V_UNROLL for (int s = 0; s < S; s++) {
            VF last[V32];
            emit[s] = p->emit + seq[s][i] * Q * (V32 * VF_LANES);
            B[s] = VF_SET1(t[s]->B);
            V_UNROLL for (size_t j = 0; j < V32; j++) last[j] = cell[s][NCELL * (j * Q + Q - 1) + CELL_X];
            VF32_UP(in[s], last, 1);
        }
        V_UNROLL for (size_t j = 0; j < V32; j++) {
            V_UNROLL for (int s = 0; s < S; s++) a[s][j] = e[s][j] = VF_SET1(0.0f);
            for (size_t q = 0; q < Q; q++) first_place(S, p->first, j, j * Q + q, B, emit, cell, in, a, e);
        }
        SCAN_LEVEL(0)
        SCAN_LEVEL(1)
        SCAN_LEVEL(2)
        SCAN_LEVEL(3)
        SCAN_LEVEL(4)
        V_UNROLL for (int s = 0; s < S; s++) {
            VF carry[V32];
            VF32_UP(carry, a[s], 1);
            V_UNROLL for (int j = 0; j < V32; j++) a[s][j] = carry[j];
        }
        V_UNROLL for (size_t j = 0; j < V32; j++) {
            for (size_t q = 0; q < Q; q++) {
                const float *w = p->second + (j * Q + q) * NSECOND * VF_LANES;
                const VF wPD = VF_LOAD(w + PD * VF_LANES), wDM = VF_LOAD(w + DM * VF_LANES);
                V_UNROLL for (int s = 0; s < S; s++) {
                    VF *c = cell[s] + NCELL * (j * Q + q);
                    const VF d = VF_FMA(a[s][j], wPD, c[CELL_D]);
                    e[s][j] = VF_ADD(e[s][j], d);
                    c[CELL_X] = VF_FMA(d, wDM, c[CELL_X]);
                }
            }
        }
        V_UNROLL for (int s = 0; s < S; s++) {
            track *me = t[s];
            const float E = VF32_SUM(e[s]);
            me->N = me->N * me->ploop;
            me->C = fmaf(me->C, me->ploop, E * 0.5f);
            me->B = fmaf(me->C, me->pmove, me->N * me->pmove);
            if (__builtin_expect(E >= WS_FWD_BIG, 0)) scale_down(me, p->Q, E);
        }
    }
    return n;
}

WS_INTERLEAVE_ROWS(some_rows, rows)

static void start(const void *layout, void *state, void *row, const ws_lenmodel *lm) {
    const fwd *p = layout;
    track *t = state;
    *t = (track){.cell = row, .N = 1.0f, .B = lm->pmove, .C = 0.0f, .pmove = lm->pmove, .ploop = lm->ploop};
    for (int j = 0; j < NCELL * V32 * p->Q; j++) t->cell[j] = VF_SET1(0.0f);
}

static ws_fscore finish(const void *state) {
    const track *t = state;
    return ws_fwd_score(t->C * t->pmove, t->exponent);
}

/* Copies a table in model order into entry t of `width` entries a register, by register, q and lane. */
static void lay(const fwd *p, float *to, int t, int width, const float *from) {
    for (int z = 0; z < WS_FWD_LANES; z++)
        for (int q = 0; q < p->Q; q++)
            to[((z / VF_LANES * p->Q + q) * width + t) * VF_LANES + z % VF_LANES] = from[z * p->Q + q + 1];
}

static int lay_out(void *layout, const void *form, ws_err *err) {
    static const ws_ptrans from[NFIRST] = {WS_PBM, WS_PMM, WS_PIM, WS_PMI, WS_PII, WS_PMD, WS_PDD};
    fwd *p = layout;
    const ws_fwd_tables *t = form;
    const size_t row = (size_t)t->N;
    p->Q = t->Q;
    p->S = FWD_TRACKS;
    p->first = ws_calloc(row * NFIRST, sizeof *p->first, err);
    p->second = ws_calloc(row * NSECOND, sizeof *p->second, err);
    p->emit = ws_calloc(row * (size_t)t->Kp, sizeof *p->emit, err);
    p->link = ws_calloc(WS_FWD_LEVELS * WS_FWD_LANES, sizeof *p->link, err);
    if (!p->first || !p->second || !p->emit || !p->link) return WS_ENOMEM;
    for (int i = 0; i < NFIRST; i++) lay(p, p->first, i, NFIRST, t->tr[from[i]]);
    lay(p, p->second, PD, NSECOND, t->pd);
    lay(p, p->second, DM, NSECOND, t->tr[WS_PDM]);
    for (size_t x = 0; x < (size_t)t->Kp; x++) lay(p, p->emit + x * row, 0, 1, t->emit + x * (row + 1));
    for (int level = 0; level < WS_FWD_LEVELS; level++)
        for (int z = 0; z < WS_FWD_LANES; z++) {
            p->link[level * WS_FWD_LANES + z] = t->link[level][z];
            if (t->link[level][z] > 0.0f) p->levels = level + 1;
        }
    return WS_OK;
}

static void clear(void *layout) {
    fwd *p = layout;
    ws_free(p->first);
    ws_free(p->second);
    ws_free(p->emit);
    ws_free(p->link);
}

static int score(const void *layout, const ws_seqlist *list, ws_fscore *out, ws_buf *scratch, ws_err *err) {
    const fwd *p = layout;
    const ws_interleave work = {p->S, sizeof(track), NCELL * V32 * (size_t)p->Q * sizeof(VF), start, some_rows,
                                NULL, finish};
    return ws_interleave_scores(&work, p, list, out, scratch, err);
}

const ws_body V_FACE(ws_fwd_) = {.form = &ws_fwd_tables_form, .node_bytes = 160,
                                 .size = sizeof(fwd), .lay_out = lay_out, .clear = clear, .score = score};
