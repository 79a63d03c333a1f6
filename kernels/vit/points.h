/* SPDX-License-Identifier: MIT
 * The result of a device's Viterbi scan of a window (kernels/long/long.h): no point, one point, or that there are
 * several. Most windows that have points have one. */
#ifndef WS_VIT_POINTS_H
#define WS_VIT_POINTS_H

#include "lib/hmm/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The sum of ws_vit_point over the points: their number above 45 bits, then their rows, then 17 bits of their nodes. A
 * row and a node can be read where there is one point. Several: two or more, or a window that the device leaves to the
 * CPU. A backend for windows writes one for each item of ws_task.score. */
typedef uint64_t ws_vit_points;
#define WS_VIT_UNKNOWN UINT64_MAX
enum { WS_VIT_MOST_ROWS = (1 << 28) - 1 }; /* of a window that a device scans */

WS_DEVICE static inline ws_vit_points ws_vit_point(uint32_t row, uint32_t node) {
    return (uint64_t)1 << 45 | (uint64_t)row << 17 | node;
}
static inline int ws_vit_points_none(ws_vit_points p) { return p == 0; }
static inline int ws_vit_points_several(ws_vit_points p) { return p >> 45 > 1; }
static inline uint32_t ws_vit_points_row(ws_vit_points p) { return (uint32_t)(p >> 17) & WS_VIT_MOST_ROWS; }
static inline int32_t ws_vit_points_node(ws_vit_points p) { return (int32_t)(p & ((1 << 17) - 1)); }

/* Sets the length model of a window for such a backend: the move into the model, and the words at which a row has
 * points. These stand in place of the 8-bit cost, which no Viterbi code reads. */
static inline void ws_vit_window_set(ws_lenmodel *lm, int wmove, int threshold) {
    lm->wmove = wmove;
    lm->tjb = threshold;
}

#ifdef __cplusplus
}
#endif
#endif
