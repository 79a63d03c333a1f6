/* SPDX-License-Identifier: MIT
 * SSV: the best ungapped diagonal of a sequence against a model, and the rule that turns its height into a score.
 * ssvfilt reports the score. msvfilt tries SSV first. Source: specification profile-filters.md, section 6.
 * kernels/ssv/ssv.cuh has the device's part. */
#ifndef WS_SSV_H
#define WS_SSV_H

#include "kernels/filter/filter.h"

#include <math.h>

/* Returns the best height of a diagonal (`best` of section 6) over the codes x[0..L), by the scalar definition. From
 * 127 - bias on, step S2 decides, and the value returned is only known to be that large. */
int ws_ssv_best_ref(const ws_bytes *b, const uint8_t *x, size_t L);

/* Returns 1 if step S1 applies: for this model and length (tjb) SSV cannot decide, so MSV must. */
WS_DEVICE static inline int ws_ssv_hopeless(const ws_bytes *b, int tjb) {
    return tjb + b->tbm + b->tec + b->bias >= 127;
}

/* Returns the status and score that steps S1 to S5 derive from best, which must be exact up to 127 - bias.
 * WS_F_OPEN: MSV must decide. Reads only the scalars of b. */
WS_DEVICE static inline ws_fscore ws_ssv_decide(const ws_bytes *b, int tjb, int best) {
    const int begin = WS_BYTE_BASE - tjb - b->tbm;
    const int beyond = best >= 127 - b->bias; /* S2: best is then only a lower bound */
    ws_fscore s;
    s.nats = beyond ? INFINITY : ws_bytes_nats(best + begin - b->tec, tjb); /* S5 without its condition */
    if (ws_ssv_hopeless(b, tjb) || (beyond && begin < 128)) { /* S1, S2 */
        s.status = WS_F_OPEN;
    } else if (beyond || best + begin >= 255 - b->bias) { /* S2, S3 */
        s.nats = INFINITY;
        s.status = WS_F_OVERFLOW;
    } else {
        s.status = best + begin - b->tec > WS_BYTE_BASE ? WS_F_OPEN : WS_F_OK; /* S4, S5 */
    }
    return s;
}

/* Returns the least height (`best`) that matters where pairs less than `least` nats above the null score are of no use:
 * for each smaller height, ws_ssv_decide gives WS_F_OK and a score below that. null_nats: the null score of the
 * sequence. 0: every height matters. Reads only the scalars of b. Source: steps S1 to S5, solved for best. */
WS_DEVICE static inline int ws_ssv_least(const ws_bytes *b, int tjb, float null_nats, float least) {
    const float margin = 0.05f; /* of a third-bit, far above the rounding of S5 */
    const int second = 127 - b->bias, third = 255 - b->bias - WS_BYTE_BASE + tjb + b->tbm;
    const int fourth = tjb + b->tbm + b->tec + 1;
    const float fifth = (least + null_nats + 3) * WS_BYTE_SCALE + (float)(2 * tjb + b->tbm + b->tec) - margin;
    int height = second < third ? second : third;
    height = fourth < height ? fourth : height;
    height = fifth < (float)height ? (int)ceilf(fifth) : height;
    return ws_ssv_hopeless(b, tjb) || !(fifth > 0) || height < 0 ? 0 : height;
}

/* An alarm two rows at a time sums a diagonal over rows 1 and 2, 3 and 4, and so on, where no residue costs more than
 * WS_SSV_CAP third-bits: a segment that begins or ends between two rows has one row more at that end. Returns the least
 * height there that raises the alarm, if heights from `least` on matter. From a lower height no step of two rows leads
 * above 127. Reads only the scalars of b. */
enum { WS_SSV_CAP = 4 };
WS_DEVICE static inline int ws_ssv_least_of_two_rows(const ws_bytes *b, int least) {
    const int lower = least - 2 * WS_SSV_CAP, most = 128 - 2 * b->bias;
    const int height = lower < most ? lower : most;
    return height > 0 ? height : 0;
}

/* The bodies of SSV for each width; each computes what ws_ssv_decide returns. */
WS_DECLARE_WIDTHS(ws_body, ws_ssv_);

#endif
