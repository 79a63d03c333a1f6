/* SPDX-License-Identifier: MIT
 * The Gaussian model of a class: its arithmetic for the host and for devices.
 *
 * Doubles are added, subtracted, multiplied, divided and their roots taken in one order, without fused operations and
 * without libm's logarithm. So the table of energies is the same on every machine and device. */
#ifndef WS_MRF_GAUSS_H
#define WS_MRF_GAUSS_H

#include "lib/base/ws.h"

#include <math.h>
#include <string.h>

enum {
    WS_MRF_ONE = 65536,     /* an energy of 1 */
    WS_MRF_WORST = 1 << 30  /* G is never more */
};

/* Mean and standard deviation of a class, in codes. */
typedef struct ws_mrf_gauss {
    double mean, sd;
} ws_mrf_gauss;

/* Sums over the voxels of a class: their number, their codes, the squares of the codes. Differences wrap around. */
typedef struct ws_mrf_sums {
    uint64_t n, s1, s2;
} ws_mrf_sums;

/* Returns the natural logarithm of a normal x > 0, within two units in the last place. x = 2^e m with m around 1. log m
 * = 2 (s + s^3/3 + s^5/5 ...) with s = (m - 1)/(m + 1), |s| < 0.172. Twelve terms leave 2^-60. */
WS_DEVICE static inline double ws_mrf_log(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    double e = (double)((int)(bits >> 52) - 1023), m;
    bits = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m = m / 2;
        e = e + 1;
    }
    const double s = (m - 1) / (m + 1), t = s * s;
    double sum = 0;
    for (int k = 23; k > 1; k -= 2) sum = (sum + 1.0 / k) * t;
    return e * 0x1.62e42fefa3800p-1 + (2 * s + (2 * s * sum + e * 0x1.ef35793c76730p-45));
}

/* Returns e^x for x <= 0 within two units in the last place, 0 below -708. x = n log 2 + r with |r| < 0.347. Fourteen
 * terms of the series of e^r leave 2^-57. */
static inline double ws_mrf_exp(double x) {
    if (x < -708) return 0;
    const double n = (double)(int)(x * 1.4426950408889634 - 0.5);
    const double r = (x - n * 0x1.62e42fefa3800p-1) - n * 0x1.ef35793c76730p-45;
    double sum = 1, scale;
    for (int k = 14; k > 0; k--) sum = 1 + r / k * sum;
    const uint64_t bits = (uint64_t)(1023 + (int)n) << 52;
    memcpy(&scale, &bits, sizeof scale);
    return sum * scale;
}

/* Returns floor(x), |x| < 2^62. */
WS_DEVICE static inline int64_t ws_mrf_floor(double x) {
    const int64_t t = (int64_t)x;
    return t - (x < (double)t);
}

/* Returns the double nearest to d < 2^127, the even one of two. */
WS_DEVICE static inline double ws_mrf_double(unsigned __int128 d) {
    uint64_t lost = 0; /* stands in the lowest of 64 bits for all bits below: that decides a tie as they would */
    double scale = 1;
    while (d >> 64) {
        lost |= (uint64_t)d & 1;
        d >>= 1;
        scale *= 2;
    }
    return (double)((uint64_t)d | lost) * scale;
}

/* Returns mean and deviation of the voxels that sum up to s, s->n > 0 (mrf.md, section 4). */
WS_DEVICE static inline ws_mrf_gauss ws_mrf_gauss_of(const ws_mrf_sums *s) {
    const unsigned __int128 one = 1;
    const double n = (double)s->n, d = ws_mrf_double(one * s->n * s->s2 - one * s->s1 * s->s1);
    const double sd = sqrt(d / (n * n));
    ws_mrf_gauss g;
    g.mean = (double)s->s1 / n;
    g.sd = sd > 0.5 ? sd : 0.5;
    return g;
}

/* Returns G of a class at code q; log_sd is ws_mrf_log(g.sd) (mrf.md, section 2). */
WS_DEVICE static inline int32_t ws_mrf_prior(ws_mrf_gauss g, double log_sd, uint32_t q) {
    const double d = (double)q - g.mean;
    const double e = (log_sd + d * d / (2 * (g.sd * g.sd))) * WS_MRF_ONE + 0.5;
    return e < WS_MRF_WORST ? (int32_t)ws_mrf_floor(e) : WS_MRF_WORST;
}

#endif
