/* SPDX-License-Identifier: MIT
 * SSV as msv uses it. Kernels do not include one another, so what kernels/ssv offers to kernels/msv is declared here and
 * defined there. Source: specification profile-filters.md, section 6. */
#ifndef WS_HMM_UNGAPPED_H
#define WS_HMM_UNGAPPED_H

#include "lib/hmm/fscore.h"
#include "lib/hmm/profile.h"

/* best of section 6 over the codes x[0..L), or any value >= 127 - bias once that is reached (step S2 decides then). Scalar. */
int ws_ssv_best_ref(const ws_bytes *b, const uint8_t *x, size_t L);

/* Steps S1-S5: the status and score that follow from best. */
ws_fscore ws_ssv_decide(const ws_bytes *b, const ws_lenmodel *lm, int best);

/* S1: this model and length need no DP, MSV decides. */
static inline int ws_ssv_hopeless(const ws_bytes *b, const ws_lenmodel *lm) {
    return lm->tjb + b->tbm + b->tec + b->bias >= 127;
}

#endif
