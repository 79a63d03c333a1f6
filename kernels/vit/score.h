/* SPDX-License-Identifier: MIT
 * From the Viterbi filter's best end of a path to its score. */
#ifndef WS_VIT_SCORE_H
#define WS_VIT_SCORE_H

#include "lib/hmm/fscore.h"
#include "lib/hmm/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the score in nats of xC, the best end of a path, in 1/500 bits above -32768. Source: specification
 * profile-filters.md, section 8, last line of the recurrence. */
static inline ws_fscore ws_viterbi_score(int xC, int wmove) {
    const float nats = ((float)xC + (float)wmove - (float)WS_WORD_BASE) / WS_WORD_SCALE;
    ws_fscore s = {(float)((double)nats - 3.0), WS_F_OK};
    return s;
}

#ifdef __cplusplus
}
#endif
#endif
