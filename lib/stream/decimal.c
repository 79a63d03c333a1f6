/* SPDX-License-Identifier: MIT
 * Four digits and a power of ten: see lib/stream/decimal.h. */
#include "lib/stream/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POWER_ZERO = 512, MANTISSA_BITS = 14 };

/* The powers up to 22 are exact. */
static const double power[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
static const double power16[19] = {1e0,   1e16,  1e32,  1e48,  1e64,  1e80,  1e96,  1e112, 1e128, 1e144,
                                   1e160, 1e176, 1e192, 1e208, 1e224, 1e240, 1e256, 1e272, 1e288};
enum { POWER_MOST = 16 * 18 + 15 };

static uint32_t bits_of(uint32_t m, int x) { return m | (uint32_t)(x + POWER_ZERO) << MANTISSA_BITS; }

/* Asks the C library for the digits. */
static uint32_t by_printing(double v) {
    char text[16];
    snprintf(text, sizeof text, "%.3e", v); /* "d.ddde-xx" */
    const uint32_t m = (uint32_t)(text[0] - '0') * 1000 + (uint32_t)atoi(text + 2);
    return bits_of(m, atoi(text + 6) - 3);
}

/* Returns v * 10^k, within a relative error of 2^-50. */
static double scale(double v, int k) {
    const unsigned n = (unsigned)abs(k);
    const double p = power16[n / 16] * power[n % 16];
    return k < 0 ? v / p : v * p;
}

uint32_t ws_decimal_of(double v) {
    int binary;
    if (isnan(v)) return WS_DECIMAL_EMPTY;
    if (v == 0) return 0;
    (void)frexp(v, &binary); /* v >= 2^(binary-1), so the power of its first digit is e or e + 1 */
    int e = (int)floor((binary - 1) * 0.30102999566398120);
    if (abs(3 - e) >= POWER_MOST) return by_printing(v); /* e may become one more */
    double d = scale(v, 3 - e);
    if (d >= 9999.5) d = scale(v, 3 - ++e);
    const double m = floor(d);
    /* which way it is rounded depends on more digits */
    if (fabs(d - m - 0.5) < 1e-6 || d < 1000 || d >= 9999.5 - 1e-6) return by_printing(v);
    return bits_of((uint32_t)m + (d - m > 0.5), e - 3);
}

double ws_decimal_value(uint32_t bits) {
    const int m = (int)(bits & ((1u << MANTISSA_BITS) - 1)), x = (int)(bits >> MANTISSA_BITS) - POWER_ZERO;
    char text[24];
    if (bits == WS_DECIMAL_EMPTY) return (double)NAN;
    if (m == 0) return 0;
    if (x <= 0 && x >= -22) return m / power[-x]; /* both are exact, so the quotient is rounded once */
    if (x > 0 && x <= 15) return m * power[x];
    snprintf(text, sizeof text, "%de%d", m, x);
    return strtod(text, NULL);
}
