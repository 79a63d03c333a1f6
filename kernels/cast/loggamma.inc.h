/* SPDX-License-Identifier: MIT
 * Logarithms and log gammas of many numbers, to about 1e-11. There are no branches and no calls, so the compiler does
 * as many at once as a register holds. The bits are equal for all widths. */
#include <stdint.h>
#include <string.h>

#include "lib/base/ws.h"

/* Returns the logarithm of x, which is normal and above 0. */
WS_INLINE double log_of(double x) {
    const double ln2 = 0.693147180559945309;
    uint64_t bits, whole;
    double m, e;
    memcpy(&bits, &x, sizeof bits);
    /* the power of two for a mantissa from 0.7071 to 1.4142, plus 1023; as a double by way of 2^52 */
    const uint64_t up = bits - UINT64_C(0x3fe6a09e667f3bcd) + UINT64_C(0x3ff0000000000000);
    whole = up >> 52 | UINT64_C(0x4330000000000000);
    memcpy(&e, &whole, sizeof e);
    e = (e - 4503599627370496.0) - 1023.0;
    bits -= (up & UINT64_C(0xfff0000000000000)) - UINT64_C(0x3ff0000000000000);
    memcpy(&m, &bits, sizeof m);
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    double y = 2.0 / 15.0;
    y = y * z + 2.0 / 13.0;
    y = y * z + 2.0 / 11.0;
    y = y * z + 2.0 / 9.0;
    y = y * z + 2.0 / 7.0;
    y = y * z + 2.0 / 5.0;
    y = y * z + 2.0 / 3.0;
    y = y * z + 2.0;
    return e * ln2 + s * y;
}

/* Sets to[i] to the logarithm of x[i]. */
static void logs(const double *restrict x, double *restrict to, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = log_of(x[i]);
}

/* Sets z[i] to its log gamma: Stirling's series at z + 8, less the logarithm of z (z+1) .. (z+7). */
static void log_gammas(double *z, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const double v = z[i], y = v + 8.0, u = 1.0 / y, w = u * u;
        const double p = v * (v + 1.0) * ((v + 2.0) * (v + 3.0)) * ((v + 4.0) * (v + 5.0) * ((v + 6.0) * (v + 7.0)));
        const double series = u * (1.0 / 12.0 + w * (-1.0 / 360.0 + w * (1.0 / 1260.0 - w / 1680.0)));
        z[i] = (y - 0.5) * log_of(y) - y + 0.918938533204672742 + series - log_of(p);
    }
}
