/* SPDX-License-Identifier: MIT
 * SSV as msv uses it. Kernels do not include one another, so what kernels/ssv offers to kernels/msv is declared here and
 * defined there. Source: specification profile-filters.md, section 6. */
#ifndef WS_CASCADE_UNGAPPED_H
#define WS_CASCADE_UNGAPPED_H

#include "lib/hmm/fscore.h"
#include "lib/hmm/seqs.h"
#include "lib/run/tool.h"

#include <math.h>

/* The best height of a diagonal (`best` of section 6) over the codes x[0..L), or any value >= 127 - bias once that is reached, because
 * step S2 decides then. Scalar. */
int ws_ssv_best_ref(const ws_bytes *b, const uint8_t *x, size_t L);

/* S1: this model and length need no DP, MSV decides. */
static inline int ws_ssv_hopeless(const ws_bytes *b, const ws_lenmodel *lm) {
    return lm->tjb + b->tbm + b->tec + b->bias >= 127;
}

/* Nats from the bytes of xJ: section 7.2's last line, also that of S5. */
WS_DEVICE static inline float ws_ungapped_nats(int xJ, int tjb) {
    return (float)((double)(((float)(xJ - tjb) - (float)WS_BYTE_BASE) / WS_BYTE_SCALE) - 3.0);
}

/* Steps S1-S5: the status and score that follow from best. Here, because a device's scores become ours one by one on the host. */
static inline ws_fscore ws_ssv_decide(const ws_bytes *b, const ws_lenmodel *lm, int best) {
    const int begin = WS_BYTE_BASE - lm->tjb - b->tbm;
    const int beyond = best >= 127 - b->bias; /* S2: best is then no exact value */
    ws_fscore s;
    s.nats = beyond ? INFINITY : ws_ungapped_nats(best + begin - b->tec, lm->tjb); /* S5 without its condition */
    if (ws_ssv_hopeless(b, lm) || (beyond && begin < 128)) { /* S1, S2 */
        s.status = WS_F_OPEN;
    } else if (beyond || best + begin >= 255 - b->bias) { /* S2, S3 */
        s.nats = INFINITY;
        s.status = WS_F_OVERFLOW;
    } else {
        s.status = best + begin - b->tec > WS_BYTE_BASE ? WS_F_OPEN : WS_F_OK; /* S4, S5 */
    }
    return s;
}

/* ws_backend.prepare and release of the scalar backends of both: *prep becomes a ws_bytes, NULL on failure (WS_ENOMEM). */
int ws_ungapped_prepare(const ws_target *t, void **prep, ws_err *err);
void ws_ungapped_release(void *prep);

/* SSV of one vector width over a list of sequences. */
typedef struct ws_ssv_vec {
    /* A layout of b->cost, of which nothing is kept; NULL on failure (WS_ENOMEM). release takes NULL too. */
    int (*prepare)(const ws_bytes *b, void **prep, ws_err *err);
    void (*release)(void *prep);
    /* out[j].status becomes best of section 6 for place j of the list, exact up to 127 - bias at least; 0 where L = 0. It
     * stands in the result's own record so that ws_ssv_decide can follow in place. */
    int (*best)(const void *prep, const ws_seqs *list, ws_fscore *out, ws_buf *scratch, ws_err *err);
} ws_ssv_vec;

extern const ws_ssv_vec ws_ssv_vec_avx2, ws_ssv_vec_avx512;

#endif
