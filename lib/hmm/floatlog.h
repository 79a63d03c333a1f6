/* SPDX-License-Identifier: MIT
 * (float)log((double)m) for singles m > 0 without libm: the bias filter takes one logarithm a residue, and a sequence
 * of additions and multiplications can be done in every lane of a register.
 *
 * The result is that of glibc's log for every normal m (tests/lib/bias.c compares all of them in `make check-full`). It
 * is never worse than rounding a logarithm with an error of 0.6 units in the last place of a double.
 *
 *   m = 2^k z with z in [0.6875, 1.375), a sixteenth i of that range; 1/c_i, c_i near its middle, has 20 bits after the
 *   point, so r = z/c_i - 1 is exact; log m = k ln2 + log c_i + log(1 + r). Around 1 c_i is 1, and |r| is 1/16 at most:
 *   fourteen terms of the series are good to 2^-60. ln2 and log c_i stand as a part with 42 bits after the point, so
 * that
 *   k ln2 + log c_i has no rounding, and the rest. */
#ifndef WS_HMM_FLOATLOG_H
#define WS_HMM_FLOATLOG_H

#include "lib/base/ws.h"

#include <string.h>

/* 16-entry tables; scalar and vector code use the same. */
typedef struct ws_floatlog_table {
    double inverse[16], high[16], low[16];
} ws_floatlog_table;
extern const ws_floatlog_table ws_floatlog;

#define WS_LOG_OFFSET INT64_C(0x3fe6000000000000) /* 0.6875 */
#define WS_LOG_BIAS (INT64_C(1024) << 52)         /* keeps k positive until it is a double */
#define WS_LOG_MAGIC INT64_C(0x4330000000000000)  /* 2^52: OR-ing a small integer into it adds the integer */
#define WS_LOG_MAGIC_BIAS (4503599627370496.0 + 1024.0)
#define WS_LN2_HIGH 0x1.62e42fefa3800p-1
#define WS_LN2_LOW 0x1.ef35793c76730p-45

/* Returns (float)log((double)m). V_FACE(float_log) of bias_simd.c does the same operations, some of them fused;
 * t: a copy of ws_floatlog. */
WS_DEVICE static inline float ws_float_log_by(const ws_floatlog_table *t, float m) {
    const double wide = (double)m;
    int64_t bits;
    memcpy(&bits, &wide, sizeof bits);
    const int64_t shifted = bits - WS_LOG_OFFSET + WS_LOG_BIAS;
    const int i = (int)(shifted >> 48 & 15);
    const int64_t zbits = bits - (shifted & INT64_C(0x7ff0000000000000)) + WS_LOG_BIAS;
    double z;
    memcpy(&z, &zbits, sizeof z);
    const double k = (double)((shifted >> 52) - 1024);
    const double r = z * t->inverse[i] - 1.0, r2 = r * r;
    const double high = k * WS_LN2_HIGH + t->high[i], low = k * WS_LN2_LOW + t->low[i];
    const double w = high + r, rest = ((high - w) + r) + low;
    /* -1/2 + r/3 - r^2/4 ... as two polynomials in r^2 */
    const double even =
        ((((((-1.0 / 14) * r2 - 1.0 / 12) * r2 - 1.0 / 10) * r2 - 1.0 / 8) * r2 - 1.0 / 6) * r2 - 1.0 / 4) * r2 -
        1.0 / 2;
    const double odd = (((((1.0 / 13) * r2 + 1.0 / 11) * r2 + 1.0 / 9) * r2 + 1.0 / 7) * r2 + 1.0 / 5) * r2 + 1.0 / 3;
    return (float)(w + (rest + r2 * (even + r * odd)));
}

static inline float ws_float_log(float m) { return ws_float_log_by(&ws_floatlog, m); }

#endif
