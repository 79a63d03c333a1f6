/* SPDX-License-Identifier: MIT
 * The kernels of the domain stage by their addresses, also for tests that run their bodies on the processor, and what
 * tests vary. */
#ifndef WS_DOM_LAUNCHES_H
#define WS_DOM_LAUNCHES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WS_DOM_FORWARD,
    WS_DOM_BACKWARD,
    WS_DOM_FORWARD_FIT, /* these keep M and I */
    WS_DOM_BACKWARD_FIT,
    WS_DOM_FORWARD_CELLS, /* and this a region's cells */
    WS_DOM_SAMPLE,
    WS_DOM_ACCURACY,
    WS_DOM_FIND,
    WS_DOM_SCORE,
    WS_DOM_DECODE,
    WS_DOM_TRACE
};
/* Where a problem's row lies: in the device's memory or, with four threads, a warp or a gang of warps for it, in shared
 * memory; the warps of a block may share their model's transitions there, as those of a gang do. Kernels whose lanes
 * have rows of their own have none. */
enum { WS_DOM_IN_MEMORY, WS_DOM_IN_SHARED, WS_DOM_BY_WARP, WS_DOM_BY_BLOCK, WS_DOM_BY_GANG };
typedef struct ws_dom_launch {
    int what, rows;
    const void *kernel;
    const char *name;
} ws_dom_launch;
enum { WS_DOM_LAUNCHES = 34 };
extern const ws_dom_launch ws_dom_launches[WS_DOM_LAUNCHES];

/* Most bytes of a warp's rows that go to shared memory. */
extern size_t ws_dom_shared_most;
/* Most bytes of shared memory of a block whose warps share transitions. */
extern size_t ws_dom_block_most;
/* Least places of a lane, M / 4, for which a warp computes a problem alone. */
extern int ws_dom_wide_least;
/* Least places of a lane for which a gang of warps computes a problem that would have a warp, and most problems of a
 * call with gangs; 0: as many as the device has room for at a time. */
extern int ws_dom_gang_least;
extern size_t ws_dom_gangs_most;

/* How near to a border a lane leaves a step of a trace to the definition: relative to the sum of the weights, and for
 * E absolute. */
typedef struct ws_dom_margins {
    float choice;
    double end;
} ws_dom_margins;
extern ws_dom_margins ws_dom_margin;

#ifdef __cplusplus
}
#endif
#endif
