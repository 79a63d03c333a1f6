/* SPDX-License-Identifier: MIT
 * The composition-bias filter: a two-state HMM, background against the model's composition. Scores equal HMMER's to
 * the last bit. Source: specification profile-filters.md, section 10, in its order of operations. */
#ifndef WS_HMM_BIAS_H
#define WS_HMM_BIAS_H

#include "lib/hmm/seqlist.h"
#include "lib/simd/width.h"

#include <math.h>

typedef struct ws_bias {
    float t10, t11;        /* from the composition state: to the background, and staying */
    float odds[WS_KP_MAX]; /* eo_1(x); eo_0 is 1 for every code */
} ws_bias;

/* Fills *bias from a model's composition and length; nothing to release. Source: sections 10.1 and 10.2. */
void ws_bias_set(ws_bias *bias, const ws_hmm *hmm);

/* Returns filtersc in nats, which replaces the null score; x: L >= 1 codes. */
float ws_bias_score(const ws_bias *bias, const ws_lenmodel *lm, const uint8_t *x, size_t L);
/* Returns F, the sum before the last line of section 10.3; devices compute it. ws_bias_finish makes filtersc of it. */
float ws_bias_sum(const ws_bias *bias, const ws_lenmodel *lm, const uint8_t *x, size_t L);

/* Bounds the correction: filtersc is at least the null score - WS_BIAS_MOST - WS_BIAS_MOST_EACH * L.
 *
 * One of the summed paths stays in the background: ln 0.999 + (L-1) ln t00 > -1.0011. The rest bounds rounding in
 * singles, u = 2^-24. A row's five roundings of positive numbers cost 3e-7 of a nat; its logarithm, at most 8 nats
 * by the limits of t10 and the odds, another 5e-7. The running sum errs by a relative u a row. From a sum X, leaving
 * for the background costs ln(1/t10) < 12, and 1. So either X < 12 and a row errs by 7e-7, or the end is higher by X
 * - 13 - u L X. This grows with X, since u L < 1: from L = 2^24 on p1 is 1 and the null score infinite. */
#define WS_BIAS_MOST 1.002
#define WS_BIAS_MOST_EACH 4e-6

/* Sets out[j] to the filtersc of item j of the list, and to 0 where L = 0. Uses the best vector unit of `cpu`; all
 * give the same bits. Lists of at least 8 or 16 sequences fill the lanes. */
void ws_bias_scores(const ws_bias *bias, const ws_cpu *cpu, const ws_seqlist *list, float *out);

/* Does the same with one width, which must run on this machine. */
typedef void ws_bias_scores_fn(const ws_bias *bias, const ws_seqlist *list, float *out);
#define WS_BIAS_SCORES_(width, ...) \
    void ws_bias_scores_##width(const ws_bias *bias, const ws_seqlist *list, float *out);
WS_WIDTHS(WS_BIAS_SCORES_, )
WS_BIAS_SCORES_(scalar, )

/* Replaces so many aligned singles by their logarithms (lib/hmm/floatlog.h), with one width, which must run on this
 * machine. */
enum { WS_FLOATLOGS = 32 };
typedef void ws_float_logs_fn(float *v);
#define WS_FLOAT_LOGS_(width, ...) void ws_float_logs_##width(float *v);
WS_WIDTHS(WS_FLOAT_LOGS_, )

/* Shared by scalar and vector code: the first row, and the last line of section 10.3. */
#define WS_BIAS_PI0 0.999f
#define WS_BIAS_PI1 0.001f
static inline float ws_bias_finish(float F, const ws_lenmodel *lm) {
    return F + (float)lm->L * logf(lm->p1) + logf((float)(1.0 - (double)lm->p1));
}

#endif
