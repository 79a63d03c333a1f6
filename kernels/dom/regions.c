/* SPDX-License-Identifier: MIT
 * A target's regions, from the rows of both parsers. Source: specification domains.md, sections 4 to 6. */
#include "kernels/dom/curves.h"

int ws_dom_add_region(ws_dom_pair *pair, size_t *cap, const ws_dom_found *found, ws_err *err) {
    enum { FEW = 2 }; /* most targets have no more, and a caller may have many targets */
    if (*cap == 0 && (pair->region = ws_calloc(FEW, sizeof *pair->region, err))) *cap = FEW;
    int rc = *cap == 0 ? err->code : ws_grow(&pair->region, cap, (size_t)pair->nregion + 1, sizeof *pair->region, err);
    if (rc) return rc;
    ws_dom_region *g = &pair->region[pair->nregion++];
    *g = (ws_dom_region){.from = found->from, .to = found->to, .begins = found->begins, .ends = found->ends,
                         .crowd = found->crowd, .multi = found->crowd >= WS_DOM_CROWDED};
    if (g->multi) return WS_OK;
    g->env = ws_calloc(1, sizeof *g->env, err);
    if (!g->env) return err->code;
    g->nenv = 1;
    *g->env = (ws_dom_envelope){.from = g->from, .to = g->to};
    return WS_OK;
}

int ws_dom_find_regions(ws_dom_worker *w, ws_dom_pair *pair, const ws_dom_problem *p, ws_err *err) {
    const size_t n = (size_t)p->L + 1;
    float *memory = ws_dom_scratch(w, WS_DOM_SUMS, 3 * n * sizeof *memory, err);
    if (!memory) return err->code;
    const ws_dom_curves c = {memory, memory + n, memory + 2 * n};
    if (!ws_dom_decode_target(p->f, p->b, p->L, p->mode.ploop, p->own, &c)) return WS_EDATA;
    pair->hit.expected = c.btot[p->L];
    ws_dom_cut cut = {0};
    size_t cap = pair->nregion;
    int rc = WS_OK;
    for (uint32_t from, to; !rc && ws_dom_next_region(&c, pair->L, &cut, &from, &to);) {
        const ws_dom_found found = ws_dom_look_at_region(&c, from, to);
        rc = ws_dom_add_region(pair, &cap, &found, err);
    }
    return rc;
}
