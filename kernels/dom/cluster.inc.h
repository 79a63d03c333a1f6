/* SPDX-License-Identifier: MIT
 * Components of linked segments, without testing all pairs. Tests are in links.inc.h, for coordinates of 16 bits, and
 * of 32 for longer regions or models. Source: specification domains.md, section 8.5. */

enum { TESTS = 32 };            /* segments of a block, which the code tests together */
enum { FREE, NO_SEGMENT = -1 }; /* stamps; each group has one of its own */
enum { FEW = 8 };               /* segments that are not worth a test with a group's bounds */

/* A segment's sides: where it begins in rows and nodes, what a longer one must have in common with it of both, its
 * diagonals at both ends, and where it ends. A group's bounds are the smallest ones of those before LOWS, and the
 * largest ones from UPPER on. */
enum { SIDE_I, SIDE_K, SIDE_NI, SIDE_NK, SIDE_B, SIDE_E, SIDE_J, SIDE_M, SIDES, LOWS = SIDE_J, UPPER = SIDE_B };

/* Memory of a call. at: [v] the place of segment v among all, sorted by i. first: [i] places before those of i, and
 * when all are laid, before those of i + 1. cluster: [stamp]. list: room for n + 1. */
typedef struct places {
    uint32_t *at, *first, *cluster, *list, *live;
} places;

#define LANE int16_t
#define ULANE uint16_t
#define SIZED(name) name##_16
#include "kernels/dom/links.inc.h"
#undef LANE
#undef ULANE
#undef SIZED
#define LANE int32_t
#define ULANE uint32_t
#define SIZED(name) name##_32
#include "kernels/dom/links.inc.h"
#undef LANE
#undef ULANE
#undef SIZED

/* Sets first[i] to the number of segments that begin before i. Returns whether 16 bits hold all coordinates, all
 * stamps, and the differences of diagonals. */
static int count_begins(const ws_dom_sample *s, uint32_t rows, uint32_t *first) {
    enum { SHORT = 1 << 14 };
    uint32_t all = 0, before = 0;
    memset(first, 0, ((size_t)rows + 1) * sizeof *first);
    for (size_t v = 0; v < s->n; v++) {
        first[s->segment[v].i]++;
        all |= s->segment[v].j | s->segment[v].m;
    }
    for (uint32_t i = 0; i <= rows; i++) {
        const uint32_t n = first[i];
        first[i] = before;
        before += n;
    }
    return all < SHORT && s->n < UINT16_MAX - 1;
}

static int label(ws_dom_worker *w, const ws_dom_sample *s, uint32_t rows, uint32_t *found, uint32_t *clusters,
                 ws_err *err) {
    const size_t n = s->n, nblock = (n + TESTS - 1) / TESTS, words = 3 * n + 3 + nblock + rows + 1;
    uint32_t *p = ws_dom_scratch(w, WS_DOM_COUNT, words * sizeof *p, err);
    if (!p) return err->code;
    places a = {.at = p, .list = p + n, .cluster = p + 2 * n + 1};
    a.live = a.cluster + n + 2;
    a.first = a.live + nblock;
    const int is_short = count_begins(s, rows, a.first);
    void *block = ws_dom_scratch(w, WS_DOM_PATH, nblock * (is_short ? sizeof(block_16) : sizeof(block_32)), err);
    if (!block) return err->code;
    *clusters = is_short ? find_components_16(s, &a, block, found) : find_components_32(s, &a, block, found);
    return WS_OK;
}
