/* SPDX-License-Identifier: MIT
 * The composition-bias filter: a two-state HMM, background against the model's composition. Specification
 * profile-filters.md, section 10, in its literal order of operations: the scores equal HMMER's to the last bit. */
#ifndef WS_HMM_BIAS_H
#define WS_HMM_BIAS_H

#include "lib/hmm/profile.h"

typedef struct ws_bias {
    float t10, t11;
    float odds[WS_KP_MAX]; /* eo_1(x); eo_0 is 1 for every code */
} ws_bias;

void ws_bias_set(ws_bias *bias, const ws_hmm *hmm);

/* filtersc in nats, which takes the place of the null score; x: L >= 1 codes. */
float ws_bias_score(const ws_bias *bias, const ws_lenmodel *lm, const uint8_t *x, size_t L);

#endif
