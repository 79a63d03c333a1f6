/* SPDX-License-Identifier: MIT
 * The list of points, for all forms of the Viterbi scan. Specification long-targets.md, section 8. */
#ifndef WS_LONG_POINT_H
#define WS_LONG_POINT_H

#include "kernels/long/long.h"
#include "kernels/vit/points.h"

/* Appends the point of row i and node k. The only failure is WS_ENOMEM. */
static inline int ws_long_point_add(ws_long_seeds *found, uint32_t i, int k, ws_err *err) {
    const int rc = ws_grow(&found->at, &found->cap, found->n + 1, sizeof *found->at, err);
    if (!rc) found->at[found->n++] = (ws_long_seed){i, k, 1};
    return rc;
}

/* Puts the points of one row, from `first` on, into their order: (k-1) mod Q, then (k-1) div Q, Q vectors of 8 words to
 * M nodes. */
void ws_long_point_sort(ws_long_seeds *found, size_t first, int M);

/* Sets *seeds to the n points of a window that a device found, for a model of M nodes: in the order of ws_long_points.
 * The only failure is WS_ENOMEM. Source: on_device.c. */
int ws_long_point_seeds(ws_long_seeds *seeds, const ws_vit_point *p, uint32_t n, int M, ws_err *err);

#endif
