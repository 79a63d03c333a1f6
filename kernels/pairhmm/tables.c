/* SPDX-License-Identifier: MIT
 * From qualities to probabilities, and from a read to the constants of its rows. All backends start from these
 * numbers. The code uses no libm, so the numbers are equal on every machine. */
#include "kernels/pairhmm/pairhmm.h"

void ws_pairhmm_quals_make(ws_pairhmm_quals *t) {
    static const double up[10] = {1,
                                  1.2589254117941672104,
                                  1.5848931924611134852,
                                  1.9952623149688796014,
                                  2.5118864315095801111,
                                  3.1622776601683793320,
                                  3.9810717055349725077,
                                  5.0118723362727228500,
                                  6.3095734448019324943,
                                  7.9432823472428150207};
    double tens = 1; /* exact: at most 10^9 */
    for (int q = 0; q < WS_PAIRHMM_QUALS; q++) {
        if (q > 0 && q % 10 == 0) tens *= 10;
        t->over_e[q] = up[q % 10] * tens;
        t->e[q] = q % 10 ? up[10 - q % 10] / (10 * tens) : 1 / tens;
        t->match[q] = 1 - t->e[q];
        t->over_match[q] = q ? 1 / t->match[q] : 0;
    }
}

#define ROWS_FN WS_INLINE
#include "kernels/pairhmm/rows.inc.h"

/* The loop of both precisions; `put` stores value v of row i. Most reads have the same three gap qualities in all
 * rows; then only the match emissions change. */
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
        correction += error_of(match, over_match);                                                                     \
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
                s = step_of(t, ins, del, ins1, gcp1, over);                                                            \
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

#define START START_SINGLE
#define LEAST_M LEAST_M_SINGLE
#define PUT(v, x) out[(i * WS_PAIRHMM_NVALUE + (v)) * stride] = (float)(x)
void ws_pairhmm_rows_single(const ws_pairhmm_quals *t, const ws_pairhmm_read *r, float *out, size_t stride,
                            ws_pairhmm_begin *b) {
    ROWS(PUT)
}
#undef START
#undef LEAST_M
#undef PUT

#define START START_DOUBLE
#define LEAST_M LEAST_M_DOUBLE
#define PUT(v, x) out[(i * WS_PAIRHMM_NVALUE + (v)) * stride] = (x)
void ws_pairhmm_rows_double(const ws_pairhmm_quals *t, const ws_pairhmm_read *r, double *out, size_t stride,
                            ws_pairhmm_begin *b) {
    ROWS(PUT)
}
