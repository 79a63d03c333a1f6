/* SPDX-License-Identifier: MIT
 * Nats to bits to P-values. Specification profile-filters.md, section 11. */
#include "lib/hmm/evalue.h"

#include <math.h>

#define LN2 0.69314718055994529

float ws_bits(float score, float null_nats) { return (float)((double)(score - null_nats) / LN2); }

double ws_gumbel_p(double bits, float mu, float lambda) {
    double y = (double)lambda * (bits - (double)mu), g = exp(-y);
    return g < 5e-9 ? g : 1.0 - exp(-g); /* 1 - exp(-g) = g there, without the cancellation */
}

double ws_exp_p(float bits, float tau, float lambda) {
    return bits < tau ? 1.0 : exp(-(double)lambda * ((double)bits - (double)tau));
}
