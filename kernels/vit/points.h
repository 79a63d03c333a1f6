/* SPDX-License-Identifier: MIT
 * The result of a device's Viterbi scan of windows (kernels/long/long.h): the points of each. Most have none. */
#ifndef WS_VIT_POINTS_H
#define WS_VIT_POINTS_H

#include "kernels/filter/found.h"
#include "lib/hmm/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A point: its row, from 1, above 17 bits of its node. */
typedef uint64_t ws_vit_point;
enum { WS_VIT_MOST_ROWS = (1 << 28) - 1 }; /* of a window that a device scans */

WS_DEVICE static inline ws_vit_point ws_vit_point_of(uint32_t row, uint32_t node) { return (uint64_t)row << 17 | node; }
static inline uint32_t ws_vit_point_row(ws_vit_point p) { return (uint32_t)(p >> 17); }
static inline int32_t ws_vit_point_node(ws_vit_point p) { return (int32_t)(p & ((1 << 17) - 1)); }

/* The n points of a window, sorted by row, then by node: those from `first` on in the list that a backend for windows
 * leaves in the caller's buffer. The backend writes one of these for each item of ws_task.score. n
 * WS_VIT_UNKNOWN: the device leaves the window to the CPU. */
typedef struct ws_vit_points {
    uint32_t first, n;
} ws_vit_points;
#define WS_VIT_UNKNOWN UINT32_MAX

/* Implements ws_devfound_take: from the numbers of the windows' points, UINT64_MAX where the device does not know, to
 * their ws_vit_points. */
int ws_vit_points_take(const ws_task *task, size_t ntask, const ws_devfound *found, size_t n, ws_buf *list,
                       ws_err *err);
/* Returns the list of points that a backend left in a buffer. */
static inline const ws_vit_point *ws_vit_points_list(const ws_buf *list) {
    return (const ws_vit_point *)(const void *)list->p;
}

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
