/* SPDX-License-Identifier: MIT
 * A model as a target of ssv, msv, vit and fwd: what ws_target.data points to. */
#ifndef WS_HMM_TARGET_H
#define WS_HMM_TARGET_H

#include "lib/hmm/bias.h"
#include "lib/hmm/model.h"
#include "lib/hmm/profile.h"

/* What a pair must reach for anything to be asked of it: one whose score is less than least - each * L nats above the null score
 * fails, whatever its composition. -INFINITY, 0: of no pair this is known. biased: the bias filter is asked of the others. Made by
 * lib/cascade. */
typedef struct ws_gate {
    float least, each;
    int biased;
} ws_gate;

static inline int ws_gate_fails(const ws_gate *g, float above_null, uint32_t L) { return above_null < g->least - g->each * (float)L; }

typedef struct ws_hmm_target {
    const ws_hmm *hmm;
    ws_profile profile;
    ws_bias bias;
    ws_gate gate;
} ws_hmm_target;

#endif
