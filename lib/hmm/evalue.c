/* SPDX-License-Identifier: MIT
 * Nats to bits to P-values. Specification profile-filters.md, section 11. */
#include "lib/hmm/evalue.h"

#include <math.h>

float ws_bits(float score, float null_nats) { return (float)((double)(score - null_nats) / WS_LN2); }

/* Each step of ws_bits is monotone, so the scores of equal bits are neighbours. Where there is only one, rounding moves
 * the estimate by less than two places; so one at the edge of those looked at may have equals beyond it. */
float ws_bits_undo(float bits, float null_nats) {
    enum { NEAR = 3 };
    float x = (float)((double)null_nats + (double)bits * WS_LN2), found = NAN;
    int n = 0;
    for (int i = 0; i < NEAR; i++) x = nextafterf(x, -INFINITY);
    for (int i = -NEAR; i <= NEAR; i++, x = nextafterf(x, INFINITY)) {
        if (ws_bits(x, null_nats) != bits) continue;
        n += i == -NEAR || i == NEAR ? 2 : 1;
        found = x;
    }
    return n == 1 ? found : NAN;
}

double ws_gumbel_p(double bits, float mu, float lambda) {
    double y = (double)lambda * (bits - (double)mu), g = exp(-y);
    return g < 5e-9 ? g : 1.0 - exp(-g); /* 1 - exp(-g) = g there, without the cancellation */
}

double ws_exp_lnp(float bits, float tau, float lambda) {
    return bits < tau ? 0.0 : -(double)lambda * ((double)bits - (double)tau);
}

double ws_exp_p(float bits, float tau, float lambda) { return exp(ws_exp_lnp(bits, tau, lambda)); }
