/* SPDX-License-Identifier: MIT
 * The Viterbi scan of a window, scalar: the definition. Specification long-targets.md, section 8. */
#include "kernels/long/point.h"

enum { LOWEST = -32768, HIGHEST = 32767 };

/* One row, index 0..M; index 0 stays LOWEST. */
typedef struct row {
    int16_t *M, *I, *D;
} row;

static int sat16(int v) { return v < LOWEST ? LOWEST : v > HIGHEST ? HIGHEST : v; }
static int max2(int a, int b) { return a > b ? a : b; }

/* A row from the one before; returns max_k M(i,k). */
static int next_row(const ws_words *w, const int16_t *emit, int xB, const row *old, const row *new) {
    int xE = LOWEST;
    for (int k = 1; k <= w->M; k++) {
        int m = sat16(xB + w->tr[WS_PBM][k]);
        m = max2(m, sat16(old->M[k - 1] + w->tr[WS_PMM][k - 1]));
        m = max2(m, sat16(old->I[k - 1] + w->tr[WS_PIM][k - 1]));
        m = max2(m, sat16(old->D[k - 1] + w->tr[WS_PDM][k - 1]));
        new->M[k] = (int16_t)sat16(m + emit[k]);
        new->I[k] = (int16_t)max2(sat16(old->M[k] + w->tr[WS_PMI][k]), sat16(old->I[k] + w->tr[WS_PII][k]));
        xE = max2(xE, new->M[k]);
    }
    for (int k = 2; k <= w->M; k++)
        new->D[k] =
            (int16_t)max2(sat16(new->M[k - 1] + w->tr[WS_PMD][k - 1]), sat16(new->D[k - 1] + w->tr[WS_PDD][k - 1]));
    return xE;
}

int ws_long_points_ref(const ws_words *w, const ws_long_vit *v, const uint8_t *x, uint32_t n, int16_t *cell,
                       ws_long_seeds *found, ws_err *err) {
    const size_t size = (size_t)w->M + 1;
    row old = {cell, cell + size, cell + 2 * size}, new = {cell + 3 * size, cell + 4 * size, cell + 5 * size};
    int xJ = LOWEST, xB = WS_WORD_BASE + v->wmove;
    for (size_t j = 0; j < 6 * size; j++) cell[j] = LOWEST;
    for (uint32_t i = 1; i <= n; i++) {
        const int xE = next_row(w, w->emit + x[i - 1] * size, xB, &old, &new);
        if (xE >= v->threshold) {
            const size_t first = found->n;
            for (int k = 1; k <= w->M; k++) {
                const int rc = new.M[k] == xE ? ws_long_point_add(found, i, k, err) : WS_OK;
                if (rc) return rc;
            }
            ws_long_point_sort(found, first, w->M);
            for (size_t j = 0; j < 6 * size; j++) cell[j] = LOWEST;
        } else {
            xJ = max2(xJ, xE + WS_WORD_E);
            xB = max2(xJ, WS_WORD_BASE) + v->wmove;
            const row swap = old;
            old = new;
            new = swap;
        }
    }
    return WS_OK;
}

/* ---- the order of points in one row ---- */

static uint64_t rank_of(const ws_long_seed *s, uint32_t Q) {
    const uint32_t k = (uint32_t)s->k - 1;
    return (uint64_t)(k % Q) << 32 | k / Q;
}

/* By insertion: there are seldom more than a few. */
void ws_long_point_sort(ws_long_seeds *found, size_t first, int M) {
    const uint32_t Q = M > 16 ? (uint32_t)(M - 1) / 8 + 1 : 2;
    for (size_t j = first + 1; j < found->n; j++) {
        const ws_long_seed one = found->at[j];
        const uint64_t rank = rank_of(&one, Q);
        size_t to = j;
        for (; to > first && rank_of(&found->at[to - 1], Q) > rank; to--) found->at[to] = found->at[to - 1];
        found->at[to] = one;
    }
}
