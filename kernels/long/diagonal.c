/* SPDX-License-Identifier: MIT
 * From a cell at the threshold to its diagonal. Specification long-targets.md, section 5, "back" and "ahead". */
#include "kernels/long/diagonal.h"

enum { PATIENCE = 5 }; /* cells without a new best after which "ahead" stops */

/* Returns what the cell of residue x_i (from 1) and node k adds. */
static int gain(const ws_long_model *m, const uint8_t *x, uint32_t i, int k) {
    return m->bytes.bias - (int)m->bytes.cost[x[i - 1] * ((size_t)m->M + 1) + (size_t)k];
}

int ws_long_diagonal_height(const ws_long_model *m, const uint8_t *x, uint32_t floor, uint32_t i, int k, int least) {
    int best = 0;
    for (int sum = 0; i > floor && k >= 1; i--, k--) {
        sum += gain(m, x, i, k);
        if (sum > best) best = sum;
        if (sum + least - 1 <= best) break; /* the height before is less than the threshold */
    }
    return best;
}

/* Returns how many cells the diagonal goes on for after row i and node k. Node M is never reached. */
static int ahead(const ws_long_model *m, const uint8_t *x, uint32_t n, uint32_t i, int k, int c) {
    int best = c, length = 0, since = 0;
    for (int step = 1; k + step < m->M && i + (uint32_t)step <= n && since < PATIENCE; step++) {
        c += gain(m, x, i + (uint32_t)step, k + step);
        since++;
        if (c < best) continue;
        best = c;
        length = step;
        since = 0;
    }
    return length;
}

int ws_long_diagonal_add(const ws_long_model *m, const uint8_t *x, uint32_t n, uint32_t *i, int end, int c,
                         ws_long_seeds *found, ws_err *err) {
    uint32_t p = *i;
    int a = end, s = c;
    while (s > m->begin && a >= 1 && p >= 1) {
        s -= gain(m, x, p, a);
        a--;
        p--;
    }
    const int more = ahead(m, x, n, *i, end, c), last = end + more;
    const int rc = ws_grow(&found->at, &found->cap, found->n + 1, sizeof *found->at, err);
    if (rc) return rc;
    found->at[found->n++] = (ws_long_seed){p + 1, last, last - a};
    *i += (uint32_t)more;
    return WS_OK;
}
