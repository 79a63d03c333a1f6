/* SPDX-License-Identifier: MIT
 * The vector backend of the domain stage: compiled once for each width. */
#include "kernels/dom/choose.h"
#include "kernels/dom/ref.h"
#include "lib/simd/v.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/dom/bundle.inc.h"
#include "kernels/dom/forward.inc.h"
#include "kernels/dom/backward.inc.h"

/* Declares a body as a function of its own: bodies are large, and profilers then show them by name. */
#define BODY static __attribute__((noinline)) void
BODY forward_only(bundle *g, uint32_t from, uint32_t to) { forward_run(1, KEEP_NOTHING, &g, from, to); }
BODY forward_pairs(bundle *const *g) { forward_run(2, KEEP_NOTHING, g, 0, g[0]->rows); }
BODY forward_matrix(bundle *g) { forward_run(1, KEEP_CELLS, &g, 0, g->rows); }
BODY forward_places(bundle *g, uint32_t from, uint32_t to) { forward_run(1, KEEP_PRODUCT, &g, from, to); }
BODY backward_only(bundle *g, uint32_t from, uint32_t to) { backward_run(1, 0, &g, from, to); }
BODY backward_pairs(bundle *const *g) { backward_run(2, 0, g, g[0]->rows, 0); }
BODY backward_products(bundle *g, uint32_t from, uint32_t to) { backward_run(1, 1, &g, from, to); }

/* Returns the code of the next narrower width, for lists that leave half of this width's quads idle, or NULL for the
 * narrowest. */
static const ws_dom_backend *narrower(void) {
    static const ws_dom_backend *const by_width[] = {WS_BY_WIDTH(ws_dom_)};
    const int next = V_FACE(WS_WIDTH_) + 1;
    return next < WS_WIDTH_scalar ? by_width[next] : NULL;
}
static int is_narrow(size_t n) { return narrower() && n <= VP_QUADS / 2; }

#include "kernels/dom/sums.inc.h"
#include "kernels/dom/blocks.inc.h"
#include "kernels/dom/fit.inc.h"
#include "kernels/dom/sample.inc.h"
#include "kernels/dom/cluster.inc.h"

static int longer(const void *a, const void *b) {
    const ws_dom_problem *p = *(ws_dom_problem *const *)a, *q = *(ws_dom_problem *const *)b;
    return (p->L < q->L) - (p->L > q->L);
}

/* Runs two bundles of parsers in one loop. */
static void parse_two(const ws_dom_tables *t, ws_dom_problem *const *p, size_t n, VF *state) {
    bundle one, two, *const both[BUNDLES] = {&one, &two};
    bundle_begin(&one, t, p, VP_QUADS, p[0]->L, state);
    bundle_begin(&two, t, p + VP_QUADS, n - VP_QUADS, p[0]->L, state + 3 * t->Q);
    forward_begin(&one);
    forward_begin(&two);
    forward_pairs(both);
    if (!p[0]->b) return;
    backward_begin(&one);
    backward_begin(&two);
    backward_pairs(both);
}

static void parse_one(const ws_dom_tables *t, ws_dom_problem *const *p, size_t n, VF *state) {
    bundle g;
    bundle_begin(&g, t, p, n, p[0]->L, state);
    g.cell_spare = (float *)(void *)(state + 3 * t->Q);
    for (size_t j = 0; j < n; j++) g.cell[j] = p[j]->cell;
    forward_begin(&g);
    if (p[0]->cell) forward_matrix(&g);
    else forward_only(&g, 0, g.rows);
    if (!p[0]->b) return;
    backward_begin(&g);
    backward_only(&g, g.rows, 0);
}

static int parse(const ws_dom_tables *t, ws_dom_worker *w, ws_dom_problem *const *p, size_t n, ws_err *err) {
    const size_t Q = (size_t)t->Q, spare = WS_DOM_CELL * (4 * Q + 1) * sizeof(float);
    ws_dom_problem **list = ws_dom_scratch(w, WS_DOM_LIST, n * sizeof *list, err);
    VF *state = list ? ws_dom_scratch(w, WS_DOM_STATE, 6 * Q * sizeof *state + spare, err) : NULL;
    if (!state) return err->code;
    memcpy(list, p, n * sizeof *list);
    qsort(list, n, sizeof *list, longer);
    for (size_t j = 0, m; j < n; j += m) {
        m = ws_min(list[j]->cell ? VP_QUADS : BUNDLES * VP_QUADS, n - j);
        if (is_narrow(m)) {
            ws_dom_problem *last[VP_QUADS];
            memcpy(last, list + j, m * sizeof *last);
            return narrower()->parse(t, w, last, m, err);
        }
        if (m > VP_QUADS) parse_two(t, list + j, m, state);
        else parse_one(t, list + j, m, state);
    }
    return WS_OK;
}

const ws_dom_backend V_FACE(ws_dom_) = {
    .name = V_NAME, .quads = VP_QUADS, .parse = parse, .sample = sample, .label = label, .fit = fit};
