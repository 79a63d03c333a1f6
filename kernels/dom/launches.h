/* SPDX-License-Identifier: MIT
 * The kernels of the domain stage by their addresses, for tests that run their bodies on the processor. */
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
    WS_DOM_ACCURACY,
    WS_DOM_FIND,
    WS_DOM_SCORE,
    WS_DOM_DECODE,
    WS_DOM_TRACE
};
typedef struct ws_dom_launch {
    int what, shared; /* shared: rows lie in shared memory */
    const void *kernel;
    const char *name;
} ws_dom_launch;
enum { WS_DOM_LAUNCHES = 14 };
extern const ws_dom_launch ws_dom_launches[WS_DOM_LAUNCHES];

/* Most bytes of a warp's rows that go to shared memory. */
extern size_t ws_dom_shared_most;

#ifdef __cplusplus
}
#endif
#endif
