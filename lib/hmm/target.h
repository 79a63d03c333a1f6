/* SPDX-License-Identifier: MIT
 * A model as a target of ssv, msv, vit and fwd: what ws_target.data points to. */
#ifndef WS_HMM_TARGET_H
#define WS_HMM_TARGET_H

#include "lib/hmm/bias.h"
#include "lib/hmm/model.h"
#include "lib/hmm/profile.h"

/* Below which score a pair fails for certain, so that nothing more need be asked: a score that is less than least - each * L nats above
 * the null score, L residues, fails whatever the composition. -INFINITY and 0 where no score is certain to fail. Made by lib/cascade. */
typedef struct ws_gate {
    float least, each;
    int biased; /* those that may pass go through the bias filter */
} ws_gate;

/* 1 if a score so many nats above the null score fails. */
static inline int ws_gate_fails(const ws_gate *g, float above_null, uint32_t L) { return above_null < g->least - g->each * (float)L; }

typedef struct ws_hmm_target {
    const ws_hmm *hmm;
    ws_profile profile;
    ws_bias bias;
    ws_gate gate;
} ws_hmm_target;

#endif
