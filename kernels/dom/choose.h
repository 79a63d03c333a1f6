/* SPDX-License-Identifier: MIT
 * How a trace chooses where a state comes from: the definition, which is the processor's and the devices', and how near
 * to a border other code may not decide. Source: specification domains.md, sections 8.2 and 8.3. */
#ifndef WS_DOM_CHOOSE_H
#define WS_DOM_CHOOSE_H

#include "kernels/dom/curves.h"

#define WS_DOM_UNSURE 2e-6f     /* relative to the sum: both ways to compute a border are within 5e-7 of the true one */
#define WS_DOM_UNSURE_END 1e-11 /* of E's, absolute: sums in double precision in any order */
#define WS_DOM_TOO_SMALL 1e-30f /* a sum of weights */

/* Returns one of n weights by the deviate u (section 8.2). */
WS_DOM_ANYWHERE int ws_dom_choose(const float *weight, int n, double u) {
    float w[4], sum = 0.0f, c = 0.0f;
    double norm = 0.0, cum = 0.0;
    for (int i = 0; i < n; i++) {
        const float y = weight[i] - c, next = sum + y;
        c = (next - sum) - y;
        sum = next;
    }
    for (int i = 0; i < n; i++) {
        w[i] = sum != 0.0f ? weight[i] / sum : (float)(1.0 / (double)(float)n);
        norm += (double)w[i];
    }
    for (int i = 0; i < n; i++) {
        cum += (double)w[i];
        if (u < cum / norm) return i;
    }
    return n - 1; /* only if a weight is NaN */
}

/* Returns the origin of E (section 8.3), WS_COLUMN_M or _D of node *k, or -1 for none: by a running sum in the order of
 * the stripes. row: the cells of a row of M nodes, Q places. */
WS_DOM_ANYWHERE int ws_dom_choose_end(const float *row, int M, int Q, float E, double u, uint32_t *k) {
    const float e = (float)(1.0 / (double)E);
    double cum = 0.0;
    for (int round = 0; round < 2; round++)
        for (int q = 0; q < Q; q++)
            for (int state = 0; state < 2; state++)
                for (int z = 0; z < WS_DOM_LANES; z++) {
                    const int node = z * Q + q + 1;
                    const float v = node > M ? 0.0f : row[WS_DOM_CELL * node + 2 * state] * e;
                    cum += (double)v;
                    if (u < cum) return *k = (uint32_t)node, state ? WS_COLUMN_D : WS_COLUMN_M;
                }
    return -1;
}

#endif
