/* SPDX-License-Identifier: MIT
 * A model as a target of ssv, msv, vit and fwd: what ws_target.data points to. */
#ifndef WS_HMM_TARGET_H
#define WS_HMM_TARGET_H

#include "lib/hmm/bias.h"
#include "lib/hmm/model.h"
#include "lib/hmm/profile.h"

typedef struct ws_hmm_target {
    const ws_hmm *hmm;
    ws_profile profile;
    ws_bias bias;
} ws_hmm_target;

#endif
