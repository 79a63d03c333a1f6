/* SPDX-License-Identifier: MIT
 * The SSV scan of a block strand, scalar: the definition. Specification long-targets.md, section 5. */
#include "kernels/long/diagonal.h"

#include <string.h>

static int sat8(int v) { return v < 0 ? 0 : v > 255 ? 255 : v; }

/* One row of the recursion, k descending so that cell[k-1] is still the old one; returns max_k c(i,k). */
static int next_row(uint8_t *cell, const uint8_t *cost, int M, int xB, int bias) {
    int most = 0;
    for (int k = M; k >= 1; k--) {
        const int from = cell[k - 1] > xB ? cell[k - 1] : xB;
        cell[k] = (uint8_t)sat8(sat8(from + bias) - cost[k]);
        if (cell[k] > most) most = cell[k];
    }
    return most;
}

int ws_long_diagonals_ref(const ws_long_model *m, const uint8_t *x, uint32_t n, uint8_t *cell, ws_long_seeds *found,
                          ws_err *err) {
    const size_t row = (size_t)m->M + 1;
    memset(cell, 0, row);
    for (uint32_t i = 1; i <= n; i++) {
        const int most = next_row(cell, m->bytes.cost + x[i - 1] * row, m->M, m->xB, m->bytes.bias);
        if (most < m->threshold) continue;
        int end = 0;
        for (int k = 1; k <= m->M; k++)
            if (cell[k] == most) end = ws_long_diagonal_first(m->M, end, k);
        const int rc = ws_long_diagonal_add(m, x, n, &i, end, most, found, err);
        if (rc) return rc;
        memset(cell, 0, row);
    }
    return WS_OK;
}
