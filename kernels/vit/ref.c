/* SPDX-License-Identifier: MIT
 * The Viterbi filter, scalar: the definition of the result. Specification profile-filters.md, section 8, with every D
 * evaluated. */
#include <math.h>

#include "kernels/vit/vit.h"
#include "lib/hmm/target.h"

enum { LOWEST = -32768, HIGHEST = 32767 };

/* One row, index 0..M; index 0 stays LOWEST. */
typedef struct row {
    int16_t *M, *I, *D;
} row;

static int sat16(int v) { return v < LOWEST ? LOWEST : v > HIGHEST ? HIGHEST : v; }
static int max2(int a, int b) { return a > b ? a : b; }

/* M(i,k) and I(i,k) from the row before; returns max_k M(i,k). */
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

/* D(i,k) from M(i,k-1) and D(i,k-1); D(i,1) stays LOWEST. */
static void delete(const ws_words *w, const row *new) {
    const int16_t *MD = w->tr[WS_PMD], *DD = w->tr[WS_PDD];
    for (int k = 2; k <= w->M; k++)
        new->D[k] = (int16_t)max2(sat16(new->M[k - 1] + MD[k - 1]), sat16(new->D[k - 1] + DD[k - 1]));
}

/* cell: 6 (M + 1) words, two rows of M, I, D */
static ws_fscore score_one(const ws_words *w, const ws_lenmodel *lm, const uint8_t *x, size_t L, int16_t *cell) {
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
    return ws_vit_score(xC, lm->wmove);
}

static int prepare(const ws_target *t, void **prep, ws_err *err) {
    const ws_hmm_target *target = t->data;
    ws_words *w = ws_calloc(1, sizeof *w, err);
    *prep = w;
    if (!w) return err->code;
    int rc = ws_words_create(w, &target->profile, err);
    if (rc == WS_OK) return WS_OK;
    ws_free(w);
    *prep = NULL;
    return rc;
}

static void release(void *prep) {
    if (prep) ws_words_destroy(prep);
    ws_free(prep);
}

static int score(const ws_batch *batch, const ws_task *task, size_t ntask, ws_lane *lane, ws_err *err) {
    const ws_lenmodel *lm = (const ws_lenmodel *)lane->perseq.p;
    for (size_t t = 0; t < ntask; t++) {
        const ws_words *w = task[t].prep;
        ws_fscore *out = task[t].score;
        int16_t *cell = ws_lane_scratch(lane, 6 * sizeof *cell * ((size_t)w->M + 1), err);
        if (!cell) return err->code;
        for (size_t j = 0; j < task[t].n; j++) {
            size_t i = ws_task_item(&task[t], j);
            out[j] = batch->len[i] ? score_one(w, &lm[i], ws_lane_codes(lane, i), batch->len[i], cell)
                                   : (ws_fscore){-INFINITY, WS_F_UNDERFLOW};
        }
    }
    return WS_OK;
}

const ws_backend ws_vit_scalar = {
    .name = "scalar", .usable = ws_usable_always, .prepare = prepare, .release = release, .score = score, .group = 1};
