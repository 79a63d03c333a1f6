/* SPDX-License-Identifier: MIT
 * The Viterbi filter, scalar: the definition of the result. Source: specification profile-filters.md, section 8,
 * with every D computed. */
#include <math.h>

#include "kernels/vit/vit.h"

enum { LOWEST = -32768, HIGHEST = 32767 };

/* One row, index 0..M; index 0 stays LOWEST. */
typedef struct row {
    int16_t *M, *I, *D;
} row;

static int sat16(int v) { return v < LOWEST ? LOWEST : v > HIGHEST ? HIGHEST : v; }
static int max2(int a, int b) { return a > b ? a : b; }

/* Computes M(i,k) and I(i,k) of row `new` from row `old`. Returns max_k M(i,k). */
static int match_insert(const ws_words *w, const int16_t *emit, int xB, const row *old, const row *new) {
    const int16_t *BM = w->tr[WS_PBM], *MM = w->tr[WS_PMM], *IM = w->tr[WS_PIM], *DM = w->tr[WS_PDM];
    const int16_t *MI = w->tr[WS_PMI], *II = w->tr[WS_PII];
    int xE = LOWEST;
    for (int k = 1; k <= w->M; k++) {
        int m = sat16(xB + BM[k]);
        m = max2(m, sat16(old->M[k - 1] + MM[k - 1]));
        m = max2(m, sat16(old->I[k - 1] + IM[k - 1]));
        m = max2(m, sat16(old->D[k - 1] + DM[k - 1]));
        m = sat16(m + emit[k]);
        new->M[k] = (int16_t)m;
        new->I[k] = (int16_t)max2(sat16(old->M[k] + MI[k]), sat16(old->I[k] + II[k]));
        xE = max2(xE, m);
    }
    return xE;
}

/* Computes D(i,k) of row `new` from M(i,k-1) and D(i,k-1); D(i,1) stays LOWEST. */
static void delete(const ws_words *w, const row *new) {
    const int16_t *MD = w->tr[WS_PMD], *DD = w->tr[WS_PDD];
    for (int k = 2; k <= w->M; k++)
        new->D[k] = (int16_t)max2(sat16(new->M[k - 1] + MD[k - 1]), sat16(new->D[k - 1] + DD[k - 1]));
}

/* Returns the bytes of two rows of M, I and D. */
static size_t room_of(const void *form) { return 6 * sizeof(int16_t) * ((size_t)((const ws_words *)form)->M + 1); }

static ws_fscore one(const void *form, const ws_lenmodel *lm, const uint8_t *x, size_t L, void *room) {
    const ws_words *w = form;
    int16_t *cell = room;
    size_t n = (size_t)w->M + 1;
    row old = {cell, cell + n, cell + 2 * n}, new = {cell + 3 * n, cell + 4 * n, cell + 5 * n};
    int xN = WS_WORD_BASE, xB = WS_WORD_BASE + lm->wmove, xJ = LOWEST, xC = LOWEST;

    for (size_t i = 0; i < 6 * n; i++) cell[i] = LOWEST;
    for (size_t i = 0; i < L; i++) {
        int xE = match_insert(w, w->emit + x[i] * n, xB, &old, &new);
        if (xE >= HIGHEST) return (ws_fscore){INFINITY, WS_F_OVERFLOW};
        delete(w, &new);
        xC = max2(xC, xE + WS_WORD_E);
        xJ = max2(xJ, xE + WS_WORD_E);
        xB = max2(xJ + lm->wmove, xN + lm->wmove);
        row swap = old;
        old = new;
        new = swap;
    }
    if (xC <= LOWEST) return (ws_fscore){-INFINITY, WS_F_OK};
    return ws_viterbi_score(xC, lm->wmove);
}

const ws_body ws_vit_scalar = {.form = &ws_words_form, .node_bytes = 80, .room = room_of, .one = one};
