/* SPDX-License-Identifier: MIT
 * Posterior decoding of a whole target, and its regions. Sums are running sums in single precision, as in the
 * reference. Source: specification domains.md, sections 4 to 6. */
#include "kernels/dom/kernel.h"

#include <math.h>

#define TRIGGER 0.25f /* rt1: posterior of being in a domain that begins a region */
#define EDGE 0.10f    /* rt2: the rest of it that ends a region */
#define CROWDED 0.20f /* rt3: expected domains that end while others begin after them */

/* By residue i: probability of being in a domain; expected begins and ends up to i (section 4). */
typedef struct curves {
    float *mocc, *btot, *etot;
} curves;

static int decode(const ws_dom_problem *p, const curves *c) {
    const ws_dom_row *f = p->f, *b = p->b;
    const float stay = p->mode.ploop;
    float r = (float)(1.0 / (double)b[0].N);
    c->btot[0] = c->etot[0] = c->mocc[0] = 0.0f;
    for (uint32_t i = 1; i <= p->L; i++) {
        c->btot[i] = c->btot[i - 1] + f[i - 1].B * b[i - 1].B * f[i - 1].s * r;
        if (p->own) r = r * (f[i - 1].s / b[i - 1].s);
        c->etot[i] = c->etot[i - 1] + f[i].E * b[i].E * f[i].s * r;
        float n = f[i - 1].N * b[i].N * stay * r;
        n += f[i - 1].J * b[i].J * stay * r;
        n += f[i - 1].C * b[i].C * stay * r;
        c->mocc[i] = (float)(1.0 - (double)n);
    }
    return isfinite(b[0].N) && !isinf(r);
}

/* Decides whether a region has several domains (section 6). */
static void decide_multi(ws_dom_region *g, const curves *c) {
    float most = -1.0f;
    for (uint32_t z = g->from; z <= g->to; z++) {
        const float ended = c->etot[z] - c->etot[g->from - 1], begun = c->btot[g->to] - c->btot[z - 1];
        const float e = ended < begun ? ended : begun;
        if (e > most) most = e;
    }
    g->begins = c->btot[g->to] - c->btot[g->from - 1];
    g->ends = c->etot[g->to] - c->etot[g->from - 1];
    g->crowd = most;
    g->multi = most >= CROWDED;
}

static int add_region(ws_dom_pair *pair, size_t *cap, uint32_t from, uint32_t to, const curves *c, ws_err *err) {
    enum { FEW = 2 }; /* most targets have no more, and a caller may have many targets */
    if (*cap == 0 && (pair->region = ws_calloc(FEW, sizeof *pair->region, err))) *cap = FEW;
    int rc = *cap == 0 ? err->code : ws_grow(&pair->region, cap, (size_t)pair->nregion + 1, sizeof *pair->region, err);
    if (rc) return rc;
    ws_dom_region *g = &pair->region[pair->nregion++];
    *g = (ws_dom_region){.from = from, .to = to};
    decide_multi(g, c);
    if (g->multi) return WS_OK;
    g->env = ws_calloc(1, sizeof *g->env, err);
    if (!g->env) return err->code;
    g->nenv = 1;
    *g->env = (ws_dom_envelope){.from = from, .to = to};
    return WS_OK;
}

/* Cuts the target into regions (section 5). Returns WS_ENOMEM on failure. */
static int cut(ws_dom_pair *pair, const curves *c, ws_err *err) {
    size_t cap = pair->nregion;
    uint32_t from = 0; /* 0: none */
    int triggered = 0, rc = WS_OK;
    for (uint32_t j = 1; rc == WS_OK && j <= pair->L; j++) {
        if (!triggered) {
            if (c->mocc[j] - (c->btot[j] - c->btot[j - 1]) < EDGE || from == 0) from = j;
            if (c->mocc[j] >= TRIGGER) triggered = 1;
        } else if (c->mocc[j] - (c->etot[j] - c->etot[j - 1]) < EDGE) {
            rc = add_region(pair, &cap, from, j, c, err);
            from = 0;
            triggered = 0;
        }
    }
    return rc;
}

int ws_dom_find_regions(ws_dom_worker *w, ws_dom_pair *pair, const ws_dom_problem *p, ws_err *err) {
    const size_t n = (size_t)p->L + 1;
    float *memory = ws_dom_scratch(w, WS_DOM_SUMS, 3 * n * sizeof *memory, err);
    if (!memory) return err->code;
    const curves c = {memory, memory + n, memory + 2 * n};
    if (!decode(p, &c)) return WS_EDATA;
    pair->hit.expected = c.btot[p->L];
    return cut(pair, &c, err);
}
