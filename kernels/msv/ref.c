/* SPDX-License-Identifier: MIT
 * MSV, scalar: the definition of the result. Specification profile-filters.md, section 7. */
#include <math.h>
#include <string.h>

#include "kernels/msv/msv.h"
#include "kernels/ssv/ssv.h"

static int sat8(int v) { return v < 0 ? 0 : v > 255 ? 255 : v; }
static int max2(int a, int b) { return a > b ? a : b; }

/* Replaces row i-1 in cell[0..M] by row i of 7.2, and returns max_k M(i,k). k descends, so cell[k-1] still belongs
 * to row i-1. */
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
    return (ws_fscore){ws_bytes_nats(xJ, lm->tjb), WS_F_OK};
}

/* Returns the score by the call rule 7.1: SSV where SSV decides, else the recursion. room: M + 1 bytes. */
static ws_fscore one(const void *form, const ws_lenmodel *lm, const uint8_t *x, size_t L, void *room) {
    const ws_bytes *b = form;
    if (!ws_ssv_hopeless(b, lm->tjb)) {
        const ws_fscore s = ws_ssv_decide(b, lm->tjb, ws_ssv_best_ref(b, x, L));
        if (s.status != WS_F_OPEN) return s;
    }
    return ws_msv_full_ref(b, lm, x, L, room);
}

static size_t room_of(const void *form) { return (size_t)((const ws_bytes *)form)->M + 1; }

const ws_body ws_msv_scalar = {.form = &ws_bytes_form, .node_bytes = 32, .room = room_of, .one = one};
