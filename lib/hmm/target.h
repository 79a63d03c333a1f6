/* SPDX-License-Identifier: MIT
 * A model as a target of ssv, msv, vit and fwd: what ws_target.data points to. */
#ifndef WS_HMM_TARGET_H
#define WS_HMM_TARGET_H

#include "lib/hmm/bias.h"
#include "lib/hmm/model.h"
#include "lib/hmm/profile.h"

/* A bound below which a pair surely fails, so that no further test is needed: any score less than least - each * L
 * nats above the null score, for L residues and any composition. -INFINITY and 0: no score surely fails. bin/filters
 * makes it. */
typedef struct ws_gate {
    float least, each;
    int biased; /* pairs that may pass need the bias filter */
} ws_gate;

/* Returns 1 if a score `above_null` nats above the null score surely fails. */
static inline int ws_gate_fails(const ws_gate *g, float above_null, uint32_t L) {
    return above_null < g->least - g->each * (float)L;
}

typedef struct ws_hmm_target {
    const ws_hmm *hmm;
    ws_profile profile;
    ws_bias bias;
    ws_gate gate;
} ws_hmm_target;

#endif
