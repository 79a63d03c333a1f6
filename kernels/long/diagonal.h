/* SPDX-License-Identifier: MIT
 * From a cell at the threshold to its diagonal, for all forms of the SSV scan. Specification long-targets.md, section
 * 5. */
#ifndef WS_LONG_DIAGONAL_H
#define WS_LONG_DIAGONAL_H

#include "kernels/long/long.h"

/* Returns which of two nodes comes first where cells are equal: the smaller (k-1) mod Q, then (k-1) div Q, Q vectors of
 * 16 bytes to M nodes. 0 is no node. */
static inline int ws_long_diagonal_first(int M, int a, int b) {
    const int Q = M > 32 ? (M - 1) / 16 + 1 : 2;
    if (!a) return b;
    const int ra = (a - 1) % Q, rb = (b - 1) % Q;
    return rb < ra || (rb == ra && b < a) ? b : a;
}

/* Returns the height above the floor of the cell of row i and node k, where no height was at the threshold in the rows
 * before since all were at the floor behind row `floor`. least: the height of the threshold. */
int ws_long_diagonal_height(const ws_long_model *m, const uint8_t *x, uint32_t floor, uint32_t i, int k, int least);

/* Appends the diagonal through the cell of row *i and node `end`, whose value is c, and sets *i to the row where it
 * ends: the scan goes on behind that. The only failure is WS_ENOMEM. */
int ws_long_diagonal_add(const ws_long_model *m, const uint8_t *x, uint32_t n, uint32_t *i, int end, int c,
                         ws_long_seeds *found, ws_err *err);

#endif
