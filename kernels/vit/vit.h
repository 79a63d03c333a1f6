/* SPDX-License-Identifier: MIT
 * The Viterbi filter: the best gapped path in 16 bits. Backends of one kernel; see README.md. */
#ifndef WS_VIT_H
#define WS_VIT_H

#include "lib/filter/filter.h"
#include "lib/run/tool.h"

/* Returns the score in nats of xC, the best end of a path, in 1/500 bits above -32768. Source: specification
 * profile-filters.md, section 8, last line of the recurrence. */
static inline ws_fscore ws_vit_score(int xC, int wmove) {
    const float nats = ((float)xC + (float)wmove - (float)WS_WORD_BASE) / WS_WORD_SCALE;
    ws_fscore s = {(float)((double)nats - 3.0), WS_F_OK};
    return s;
}

WS_DECLARE_WIDTHS(ws_body, ws_vit_);
extern const ws_backend ws_vit_cuda;

#endif
