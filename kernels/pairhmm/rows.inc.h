/* SPDX-License-Identifier: MIT
 * From qualities to the constants of a row. tables.c and cuda.cu both compile this file, so host and device have the
 * same numbers. The includer defines ROWS_FN, the qualifiers of its functions. */

/* Row 0 holds 2^120 or 2^700. An alpha of 0 becomes 2^-200 in double. A path that may not go from match to match
 * needs a gap and returns from it, which costs at least 10^-19 at the largest qualities. So the path that 2^-200
 * allows has no weight. The product 2^900, and later values, stay in range. */
#define START_SINGLE 0x1p120
#define START_DOUBLE 0x1p700
#define ALPHA_MIN 0x1p-200

/* Added to every M. The rows of a read then add at most m 2^-124 (2^-1010) to a sum that is at least 1e-28 (1e-290)
 * for each column: a relative 5e-10 for each base. Otherwise cells far from any alignment would pass through
 * subnormal numbers, which cost some processors 150 cycles each. */
#define LEAST_M_SINGLE 0x1p-124
#define LEAST_M_DOUBLE 0x1p-1010

typedef struct step { /* constants between rows i and i+1 */
    double dy, iy, ii;
} step;

ROWS_FN double alpha_of(const ws_pairhmm_quals *t, int ins, int del, int *clamped) {
    const double a = 1 - (t->e[ins] + t->e[del]);
    if (a > 0) return a;
    *clamped = 1;
    return ALPHA_MIN;
}

/* Returns the constants from row i to i+1, from the qualities of both rows and the inverse of the second row's
 * alpha. */
ROWS_FN step step_of(const ws_pairhmm_quals *t, int ins, int del, int ins1, int gcp1, double over1) {
    const double back = (1 - t->e[gcp1]) * over1;
    step s;
    s.dy = back * t->e[del];
    s.iy = back * t->e[ins];
    s.ii = t->e[gcp1] * (t->e[ins] * t->over_e[ins1]);
    return s;
}

/* Returns the relative error of a row from rounding its match emission. */
ROWS_FN double error_of(double match, double over_match) { return (match - (double)(float)match) * over_match; }
