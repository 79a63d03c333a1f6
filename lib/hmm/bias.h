/* SPDX-License-Identifier: MIT
 * The composition-bias filter: a two-state HMM, background against the model's composition. Specification
 * profile-filters.md, section 10, in its literal order of operations: the scores equal HMMER's to the last bit. */
#ifndef WS_HMM_BIAS_H
#define WS_HMM_BIAS_H

#include "lib/base/cpu.h"
#include "lib/hmm/seqs.h"

#include <math.h>

typedef struct ws_bias {
    float t10, t11;        /* from the composition to the background, and staying */
    float odds[WS_KP_MAX]; /* eo_1(x); eo_0 is 1 for every code */
} ws_bias;

/* Of a model's composition and length; nothing to release. Sections 10.1 and 10.2. */
void ws_bias_set(ws_bias *bias, const ws_hmm *hmm);

/* filtersc in nats, which takes the place of the null score; x: L >= 1 codes. */
float ws_bias_score(const ws_bias *bias, const ws_lenmodel *lm, const uint8_t *x, size_t L);
/* The same up to its last line, F: what a device computes of it. ws_bias_finish makes filtersc of it. */
float ws_bias_sum(const ws_bias *bias, const ws_lenmodel *lm, const uint8_t *x, size_t L);

/* filtersc is never less than the null score - WS_BIAS_MOST - WS_BIAS_MOST_EACH * L: what the correction may add to a score.
 *
 * One of the paths that are summed stays with the background all the way: ln 0.999 + (L-1) ln t00 > -1.0011. In singles, u = 2^-24:
 * a row's five roundings of positive numbers are 3e-7 of a nat, its logarithm (at most 8 nats, t10 and the odds are no smaller
 * or larger) another 5e-7. The running sum errs by u of itself a row; once it was X, leaving for the background costs
 * ln(1/t10) < 12 and 1, so either X < 12 and a row errs by 7e-7, or the end is above by X - 13 - u L X, which grows with X,
 * since u L < 1: from L = 2^24 on p1 is 1 and the null score infinite. */
#define WS_BIAS_MOST 1.002
#define WS_BIAS_MOST_EACH 4e-6

/* out[j] becomes the filtersc of place j of the list; 0 where L = 0. With the vector units that `cpu` has (NULL: none); the
 * bits are the same with all. Lists of 8 or 16 and more fill the lanes. */
void ws_bias_scores(const ws_bias *bias, const ws_cpu *cpu, const ws_seqs *list, float *out);

/* One width each; ws_bias_scores chooses. */
void ws_bias_scores_avx2(const ws_bias *bias, const ws_seqs *list, float *out);
void ws_bias_scores_avx512(const ws_bias *bias, const ws_seqs *list, float *out);

/* What scalar and vector code share: the start, and the last line of section 10.3. */
#define WS_BIAS_PI0 0.999f
#define WS_BIAS_PI1 0.001f
static inline float ws_bias_finish(float F, const ws_lenmodel *lm) {
    return F + (float)lm->L * logf(lm->p1) + logf((float)(1.0 - (double)lm->p1));
}

#endif
