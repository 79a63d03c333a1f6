/* SPDX-License-Identifier: MIT
 * SSV as msv uses it. Kernels do not include one another, so what kernels/ssv offers to kernels/msv is declared here and
 * defined there. Source: specification profile-filters.md, section 6. */
#ifndef WS_HMM_UNGAPPED_H
#define WS_HMM_UNGAPPED_H

#include "lib/hmm/fscore.h"
#include "lib/hmm/seqs.h"

/* best of section 6 over the codes x[0..L), or any value >= 127 - bias once that is reached (step S2 decides then). Scalar. */
int ws_ssv_best_ref(const ws_bytes *b, const uint8_t *x, size_t L);

/* Steps S1-S5: the status and score that follow from best. */
ws_fscore ws_ssv_decide(const ws_bytes *b, const ws_lenmodel *lm, int best);

/* S1: this model and length need no DP, MSV decides. */
static inline int ws_ssv_hopeless(const ws_bytes *b, const ws_lenmodel *lm) {
    return lm->tjb + b->tbm + b->tec + b->bias >= 127;
}

/* Section 7.2's last line, also that of S5. */
WS_DEVICE static inline float ws_ungapped_nats(int xJ, int tjb) {
    return (float)((double)(((float)(xJ - tjb) - (float)WS_BYTE_BASE) / WS_BYTE_SCALE) - 3.0);
}

typedef struct ws_target ws_target; /* lib/run/tool.h */
/* What the scalar backends of both make of a target: a ws_bytes. */
int ws_ungapped_prepare(const ws_target *t, void **prep, ws_err *err);
void ws_ungapped_release(void *prep);

/* SSV of one vector width over a list of sequences. */
typedef struct ws_ssv_vec {
    int (*prepare)(const ws_bytes *b, void **prep, ws_err *err);
    void (*release)(void *prep);
    /* out[j].status becomes best of section 6 for place j of the list, exact up to 127 - bias at least; 0 where L = 0. It
     * stands in the result's own record so that ws_ssv_decide can follow in place. */
    int (*best)(const void *prep, const ws_seqs *list, ws_fscore *out, ws_buf *scratch, ws_err *err);
} ws_ssv_vec;

extern const ws_ssv_vec ws_ssv_vec_avx2, ws_ssv_vec_avx512;

#endif
