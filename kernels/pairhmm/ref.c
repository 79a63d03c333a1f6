/* SPDX-License-Identifier: MIT
 * Pair-HMM, scalar: the definition of the result, cell by cell, in single and in double precision. */
#include "kernels/pairhmm/pairhmm.h"

#include <math.h>

/* Defines a sweep: the recurrence of README.md, in the order of operations that all backends keep. y and i hold the
 * row above, one value a column. One row of m and d is kept whole, so that a branching haplotype finds the state of
 * its column. */
#define SWEEP(name, real, fma_)                                                                                        \
    static void row_##name(const ws_pairhmm_sweep *s, const real *v, uint8_t letter, real above0, real *y, real *i,    \
                           real *m, real *d, real *y_above) {                                                          \
        const ws_pairhmm_trie *t = s->trie;                                                                            \
        y_above[0] = above0;                                                                                           \
        m[0] = d[0] = 0;                                                                                               \
        for (size_t k = 0; k < t->nseg; k++) {                                                                         \
            size_t left = t->seg[k].pred;                                                                              \
            for (size_t c = t->seg[k].begin; c < t->seg[k].end; left = c++) {                                          \
                const uint8_t other = t->letter[t->code[c]];                                                           \
                const int match = letter == other || letter == ('N' & 31) || other == ('N' & 31);                      \
                const real above = i[c];                                                                               \
                y_above[c] = y[c];                                                                                     \
                m[c] = fma_(v[match ? WS_PAIRHMM_MATCH : WS_PAIRHMM_MISMATCH], y_above[left], v[WS_PAIRHMM_LEAST]);    \
                d[c] = fma_(v[WS_PAIRHMM_EPS], d[left], m[left]);                                                      \
                y[c] = fma_(v[WS_PAIRHMM_IY], above, fma_(v[WS_PAIRHMM_DY], d[c], m[c]));                              \
                i[c] = fma_(v[WS_PAIRHMM_II], above, m[c]);                                                            \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static void sum_##name(const ws_pairhmm_sweep *s, const real *i) {                                                 \
        const ws_pairhmm_trie *t = s->trie;                                                                            \
        real *partial_of = s->branch; \
        partial_of[0] = 0;                                                                                             \
        s->sum[0] = 0;                                                                                                 \
        for (size_t k = 0; k < t->nseg; k++) {                                                                         \
            const ws_pairhmm_seg *g = &t->seg[k];                                                                      \
            real partial = partial_of[g->from];                                                                        \
            double sum = s->sum[g->from];                                                                              \
            for (size_t c = g->begin, depth = g->depth + 1; c < g->end; c++, depth++) {                                \
                partial = partial + i[c];                                                                              \
                if (depth % WS_PAIRHMM_CHUNK) continue;                                                                \
                sum += (double)partial;                                                                                \
                partial = 0;                                                                                           \
            }                                                                                                          \
            partial_of[g->to ? g->to : t->nbranch] = partial; \
            s->sum[g->to ? g->to : t->nbranch] = sum; \
            s->total[k] = sum + (double)partial;                                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    static void sweep_##name(const ws_pairhmm_sweep *s) {                                                              \
        const size_t ncol = s->trie->ncol;                                                                             \
        const real *v = s->row, y0 = *(const real *)s->y0;                                                             \
        real *y = s->y, *i = s->i, *m = (real *)s->emission, *d = m + ncol, *y_above = d + ncol;                       \
        for (size_t c = 0; c < ncol; c++) {                                                                            \
            y[c] = y0;                                                                                                 \
            i[c] = 0;                                                                                                  \
        }                                                                                                              \
        for (size_t r = 0; r < s->nrow; r++)                                                                           \
            row_##name(s, v + r * WS_PAIRHMM_NVALUE, s->letter[r], r ? 0 : y0, y, i, m, d, y_above);                   \
        sum_##name(s, i);                                                                                              \
    }

SWEEP(single, float, fmaf)
SWEEP(double, double, fma)

const ws_pairhmm_body ws_pairhmm_scalar = {
    .lanes = {1, 1},
    .rows = {1, 1},
    .sweep = {sweep_single, sweep_double},
};
