/* SPDX-License-Identifier: MIT
 * A read to the constants of its rows: the one loop that tables.c and cuda.cu compile, so that host and device have the same
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

/* The loop of both precisions; `put` stores value v of row i. Most reads have the same three gap qualities from end to
 * end: then only the base quality changes what is stored. */
#define ROWS(put)                                                                                                      \
    int ins = r->ins[0] - 33, del = r->del[0] - 33, gcp = r->gcp[0] - 33, clamped = 0, same = 0;                       \
    double alpha = alpha_of(t, ins, del, &clamped), over = 1 / alpha, correction = 0;                                  \
    step s = {0, 0, 0};                                                                                                \
    b->y0 = START * ((1 - t->e[gcp]) * over);                                                                          \
    for (size_t i = 0; i < r->m; i++) {                                                                                \
        const int q = r->q[i] - 33;                                                                                    \
        const double match = t->match[q] * alpha, over_match = t->over_match[q] * over, eps = t->e[gcp];               \
        put(WS_PAIRHMM_MATCH, match);                                                                                  \
        put(WS_PAIRHMM_MISMATCH, t->e[q] * (1.0 / 3) * alpha);                                                         \
        put(WS_PAIRHMM_EPS, eps);                                                                                      \
        put(WS_PAIRHMM_LEAST, LEAST_M);                                                                                \
        correction += (match - (double)(float)match) * over_match;                                                     \
        if (i + 1 == r->m) {                                                                                           \
            s.dy = s.iy = 0, s.ii = t->e[ins];                                                                         \
        } else {                                                                                                       \
            const int ins1 = r->ins[i + 1] - 33, del1 = r->del[i + 1] - 33, gcp1 = r->gcp[i + 1] - 33;                 \
            const int like = ins1 == ins && del1 == del && gcp1 == gcp;                                                \
            if (!like || !same) {                                                                                      \
                if (!like) {                                                                                           \
                    alpha = alpha_of(t, ins1, del1, &clamped);                                                         \
                    over = 1 / alpha;                                                                                  \
                }                                                                                                      \
                const double back = (1 - t->e[gcp1]) * over;                                                           \
                s.dy = back * t->e[del], s.iy = back * t->e[ins], s.ii = t->e[gcp1] * (t->e[ins] * t->over_e[ins1]);   \
                ins = ins1;                                                                                            \
                del = del1;                                                                                            \
                gcp = gcp1;                                                                                            \
                same = like;                                                                                           \
            }                                                                                                          \
        }                                                                                                              \
        put(WS_PAIRHMM_DY, s.dy);                                                                                      \
        put(WS_PAIRHMM_IY, s.iy);                                                                                      \
        put(WS_PAIRHMM_II, s.ii);                                                                                      \
    }                                                                                                                  \
    b->correction = correction;                                                                                        \
    b->clamped = clamped;

