/* SPDX-License-Identifier: MIT
 * Qualities to probabilities, and a read to the constants of its rows. Every backend starts from these numbers, so they
 * are made in one place; libm is not asked, so that they are the same on every machine. */
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
