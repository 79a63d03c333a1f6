/* SPDX-License-Identifier: MIT
 * From qualities to the constants of a row: what tables.c and cuda.cu both compile, so that host and device have the same
 * numbers. The includer defines ROWS_FN, what stands before its functions. */

/* Row 0 holds 2^120 or 2^700. An alpha of 0 becomes 2^-200 in double: whoever may not go from match to match needs a
 * gap and comes back, at least 10^-19 at the largest qualities, so the path that is thus allowed weighs nothing. The
 * product 2^900 stays in range, and so does what goes on from there. */
#define START_SINGLE 0x1p120
#define START_DOUBLE 0x1p700
#define ALPHA_MIN 0x1p-200

/* What every M gets added. The rows of a read then bring at most m 2^-124 (2^-1010) of a sum of at least 1e-28 (1e-290)
 * for each column that is kept: 5e-10 of it for each base. Without, cells far from any alignment pass through the
 * subnormal numbers, which cost some processors 150 cycles each. */
#define LEAST_M_SINGLE 0x1p-124
#define LEAST_M_DOUBLE 0x1p-1010

typedef struct step { /* what rows i and i+1 have between them */
    double dy, iy, ii;
} step;

ROWS_FN double alpha_of(const ws_pairhmm_quals *t, int ins, int del, int *clamped) {
    const double a = 1 - (t->e[ins] + t->e[del]);
    if (a > 0) return a;
    *clamped = 1;
    return ALPHA_MIN;
}

/* From row i to i+1: the qualities of the first, the second's, and the inverse of the second's alpha. */
ROWS_FN step step_of(const ws_pairhmm_quals *t, int ins, int del, int ins1, int gcp1, double over1) {
    const double back = (1 - t->e[gcp1]) * over1;
    step s;
    s.dy = back * t->e[del];
    s.iy = back * t->e[ins];
    s.ii = t->e[gcp1] * (t->e[ins] * t->over_e[ins1]);
    return s;
}

/* What rounding its match emission does to a row. */
ROWS_FN double error_of(double match, double over_match) { return (match - (double)(float)match) * over_match; }
