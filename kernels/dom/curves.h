/* SPDX-License-Identifier: MIT
 * The curves of a target and its regions, and the row factors of an envelope, from the special states of all rows. Sums
 * are running sums in single precision, as in the reference. find.cuh has the same for devices. Source: specification
 * domains.md, sections 4 to 7.1. */
#ifndef WS_DOM_CURVES_H
#define WS_DOM_CURVES_H

#include "kernels/dom/kernel.h"

#include <math.h>

#ifdef __CUDACC__
#define WS_DOM_ANYWHERE static __host__ __device__ inline
#else
#define WS_DOM_ANYWHERE static inline
#endif

#define WS_DOM_TRIGGER 0.25f /* rt1: posterior of being in a domain that begins a region */
#define WS_DOM_EDGE 0.10f    /* rt2: the rest of it that ends a region */
#define WS_DOM_CROWDED 0.20f /* rt3: expected domains that end while others begin after them */

/* By residue i: probability of being in a domain; expected begins and ends up to i (section 4). */
typedef struct ws_dom_curves {
    float *mocc, *btot, *etot;
} ws_dom_curves;

/* Computes the curves of a target from the rows of both parsers. Returns 0 for a range error. */
static inline int ws_dom_decode_target(const ws_dom_row *f, const ws_dom_row *b, uint32_t L, float stay, int own,
                                       const ws_dom_curves *c) {
    float r = (float)(1.0 / (double)b[0].N);
    c->btot[0] = c->etot[0] = c->mocc[0] = 0.0f;
    for (uint32_t i = 1; i <= L; i++) {
        c->btot[i] = c->btot[i - 1] + f[i - 1].B * b[i - 1].B * f[i - 1].s * r;
        if (own) r = r * (f[i - 1].s / b[i - 1].s);
        c->etot[i] = c->etot[i - 1] + f[i].E * b[i].E * f[i].s * r;
        float n = f[i - 1].N * b[i].N * stay * r;
        n += f[i - 1].J * b[i].J * stay * r;
        n += f[i - 1].C * b[i].C * stay * r;
        c->mocc[i] = (float)(1.0 - (double)n);
    }
    return isfinite(b[0].N) && !isinf(r);
}

/* Where the search for regions stands. The user sets it to zero. */
typedef struct ws_dom_cut {
    uint32_t at, from; /* residues that are done; the newest possible left end, 0: none */
    int triggered;
} ws_dom_cut;

/* Finds the next region of a target of L residues (section 5). Returns 0 if there is none. */
WS_DOM_ANYWHERE int ws_dom_next_region(const ws_dom_curves *c, uint32_t L, ws_dom_cut *s, uint32_t *from,
                                       uint32_t *to) {
    while (s->at < L) {
        const uint32_t j = ++s->at;
        if (!s->triggered) {
            if (c->mocc[j] - (c->btot[j] - c->btot[j - 1]) < WS_DOM_EDGE || s->from == 0) s->from = j;
            if (c->mocc[j] >= WS_DOM_TRIGGER) s->triggered = 1;
        } else if (c->mocc[j] - (c->etot[j] - c->etot[j - 1]) < WS_DOM_EDGE) {
            *from = s->from;
            *to = j;
            s->from = 0;
            s->triggered = 0;
            return 1;
        }
    }
    return 0;
}

/* A region as the curves have it. crowd: the largest e(z) of section 6. */
typedef struct ws_dom_found {
    uint32_t from, to;
    float begins, ends, crowd;
} ws_dom_found;

/* Decides whether a region has several domains (section 6). */
static inline ws_dom_found ws_dom_look_at_region(const ws_dom_curves *c, uint32_t from, uint32_t to) {
    ws_dom_found g = {from, to, c->btot[to] - c->btot[from - 1], c->etot[to] - c->etot[from - 1], -1.0f};
    for (uint32_t z = from; z <= to; z++) {
        const float ended = c->etot[z] - c->etot[from - 1], begun = c->btot[to] - c->btot[z - 1];
        const float e = ended < begun ? ended : begun;
        if (e > g.crowd) g.crowd = e;
    }
    return g;
}

/* By row of an envelope: the factor w of its posteriors, A.B of the row before, and the posterior of C. */
typedef struct ws_dom_factors {
    float *w, *B, *pC;
    size_t step; /* from one row to the next in w and B */
} ws_dom_factors;

/* Does section 7.1 except for the cells. *outside: the expected share of residues in N, C and J. Returns 1 if a
 * posterior went out of range. */
static inline int ws_dom_decode_envelope(const ws_dom_row *f, const ws_dom_row *b, uint32_t L, float stay, int own,
                                         const ws_dom_factors *to, float *outside) {
    const float n = (float)(1.0 / (double)(float)L);
    float r = (float)(1.0 / (double)b[0].N), N = 0.0f, C = 0.0f, J = 0.0f;
    for (uint32_t i = 1; i <= L; i++) {
        to->w[i * to->step] = r * f[i].s;
        to->B[i * to->step] = N;
        N += f[i - 1].N * b[i].N * stay * r;
        J += f[i - 1].J * b[i].J * stay * r;
        const float pC = f[i - 1].C * b[i].C * stay * r;
        to->pC[i] = pC;
        C += pC;
        if (own) r = r * (f[i].s / b[i].s);
    }
    *outside = (N * n + C * n) + J * n;
    return isinf(r);
}

#endif
