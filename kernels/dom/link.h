/* SPDX-License-Identifier: MIT
 * When two sampled segments link: the definition, which is the processor's and the devices'. Source: specification
 * domains.md, section 8.5. */
#ifndef WS_DOM_LINK_H
#define WS_DOM_LINK_H

#include "kernels/dom/curves.h"

#ifdef __CUDACC__
typedef int32_t ws_dom_coordinate; /* on a device rows and nodes are at most WS_DOM_SEGMENT_MOST */
#else
typedef int64_t ws_dom_coordinate;
#endif

/* The sides that a test compares, of a segment or of several: where they begin and end in rows and nodes, how long they
 * are there, and their diagonals at both ends. Ends and the largest diagonals are negative here, so the bounds of
 * several segments are the least values of each side. */
enum { WS_DOM_SIDE_I, WS_DOM_SIDE_J, WS_DOM_SIDE_K, WS_DOM_SIDE_M, WS_DOM_SIDE_ROWS, WS_DOM_SIDE_NODES,
       WS_DOM_SIDE_B, WS_DOM_SIDE_B_MOST, WS_DOM_SIDE_E, WS_DOM_SIDE_E_MOST, WS_DOM_LINK_SIDES };
typedef struct ws_dom_bounds {
    ws_dom_coordinate side[WS_DOM_LINK_SIDES];
} ws_dom_bounds;

WS_DOM_ANYWHERE ws_dom_coordinate ws_dom_lesser(ws_dom_coordinate a, ws_dom_coordinate b) { return a < b ? a : b; }
WS_DOM_ANYWHERE ws_dom_coordinate ws_dom_greater(ws_dom_coordinate a, ws_dom_coordinate b) { return a > b ? a : b; }

/* Returns the bounds of one segment. */
WS_DOM_ANYWHERE ws_dom_bounds ws_dom_bounds_of(const ws_dom_segment *s) {
    const ws_dom_coordinate i = s->i, j = s->j, k = s->k, m = s->m;
    const ws_dom_bounds b = {{i, -j, k, -m, j - i, m - k, i - k, k - i, j - m, m - j}};
    return b;
}

/* Returns whether ov/n >= 0.8 in single precision. The quotient 4/5 rounds to exactly 0.8f, and no other quotient of
 * such small numbers is near it. */
WS_DOM_ANYWHERE int ws_dom_is_most_of(ws_dom_coordinate ov, ws_dom_coordinate n) { return 5 * ov >= 4 * n; }

/* Returns whether a segment links to the one with these bounds. With the bounds of several returns 1 if it links to any
 * of them, and perhaps if not. */
WS_DOM_ANYWHERE int ws_dom_links(const ws_dom_bounds *to, const ws_dom_segment *s) {
    enum { NEAR = 4 }; /* diagonals */
    const ws_dom_coordinate i = s->i, j = s->j, k = s->k, m = s->m, *side = to->side;
    const ws_dom_coordinate rows = ws_dom_lesser(-side[WS_DOM_SIDE_J], j) - ws_dom_greater(side[WS_DOM_SIDE_I], i) + 1;
    if (!ws_dom_is_most_of(rows, ws_dom_lesser(side[WS_DOM_SIDE_ROWS], j - i) + 1)) return 0;
    const ws_dom_coordinate nodes = ws_dom_lesser(-side[WS_DOM_SIDE_M], m) - ws_dom_greater(side[WS_DOM_SIDE_K], k);
    if (!ws_dom_is_most_of(nodes, ws_dom_lesser(side[WS_DOM_SIDE_NODES], m - k) + 1))
        return 0; /* the nodes have no + 1, as in the reference */
    return (i - k >= side[WS_DOM_SIDE_B] - NEAR && k - i >= side[WS_DOM_SIDE_B_MOST] - NEAR) ||
           (j - m >= side[WS_DOM_SIDE_E] - NEAR && m - j >= side[WS_DOM_SIDE_E_MOST] - NEAR);
}

#endif
