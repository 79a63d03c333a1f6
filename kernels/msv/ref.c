/* SPDX-License-Identifier: MIT
 * MSV, scalar: the definition of the result. Specification profile-filters.md, section 7. */
#include <math.h>
#include <string.h>

#include "kernels/msv/msv.h"
#include "lib/cascade/ungapped.h"
#include "lib/hmm/target.h"

static int sat8(int v) { return v < 0 ? 0 : v > 255 ? 255 : v; }
static int max2(int a, int b) { return a > b ? a : b; }

/* Row i of 7.2 over row i-1 in cell[0..M], k descending so that cell[k-1] is still the old one; returns max_k M(i,k). */
static int next_row(uint8_t *cell, const uint8_t *cost, int M, int xB, int bias) {
    int xE = 0;
    for (int k = M; k >= 1; k--) {
        cell[k] = (uint8_t)sat8(sat8(max2(cell[k - 1], xB) + bias) - cost[k]);
        xE = max2(xE, cell[k]);
    }
    return xE;
}

ws_fscore ws_msv_full_ref(const ws_bytes *b, const ws_lenmodel *lm, const uint8_t *x, size_t L, uint8_t *cell) {
    size_t row = (size_t)b->M + 1;
    int tjbm = (lm->tjb + b->tbm) % 256, xJ = 0, xB = sat8(WS_BYTE_BASE - tjbm);

    memset(cell, 0, row);
    for (size_t i = 0; i < L; i++) {
        int xE = next_row(cell, b->cost + x[i] * row, b->M, xB, b->bias);
        if (xE >= 255 - b->bias) return (ws_fscore){INFINITY, WS_F_OVERFLOW};
        xJ = max2(xJ, sat8(xE - b->tec));
        xB = sat8(max2(WS_BYTE_BASE, xJ) - tjbm);
    }
    return (ws_fscore){ws_ungapped_nats(xJ, lm->tjb), WS_F_OK};
}

/* The call rule 7.1: SSV where it is conclusive. */
static ws_fscore score_one(const ws_bytes *b, const ws_lenmodel *lm, const uint8_t *x, size_t L, uint8_t *cell) {
    if (L == 0) return (ws_fscore){-INFINITY, WS_F_UNDERFLOW};
    if (!ws_ssv_hopeless(b, lm)) {
        ws_fscore s = ws_ssv_decide(b, lm, ws_ssv_best_ref(b, x, L));
        if (s.status != WS_F_OPEN) return s;
    }
    return ws_msv_full_ref(b, lm, x, L, cell);
}

static int score(const ws_batch *batch, const ws_task *task, size_t ntask, ws_lane *lane, ws_err *err) {
    const ws_lenmodel *lm = (const ws_lenmodel *)lane->perseq.p;
    for (size_t t = 0; t < ntask; t++) {
        const ws_bytes *b = task[t].prep;
        ws_fscore *out = task[t].score;
        uint8_t *cell = ws_lane_scratch(lane, (size_t)b->M + 1, err);
        if (!cell) return err->code;
        for (size_t j = 0; j < task[t].n; j++) {
            size_t i = ws_task_item(&task[t], j);
            out[j] = score_one(b, &lm[i], ws_lane_codes(lane, i), batch->len[i], cell);
        }
    }
    return WS_OK;
}

const ws_backend ws_msv_scalar = {
    .name = "scalar", .usable = ws_usable_always, .prepare = ws_ungapped_prepare, .release = ws_ungapped_release, .score = score,
    .group = 1};
