/* SPDX-License-Identifier: MIT
 * Parameters that depend only on a target's length. Source: specification profile-filters.md, sections 3.2, 4.4, 5.1
 * and 5.2. */
#include <math.h>

#include "lib/hmm/profile.h"

void ws_lenmodel_set(ws_lenmodel *lm, uint32_t L) {
    float len = (float)L;
    *lm = (ws_lenmodel){.L = L};
    lm->p1 = len / (float)(L + 1);
    /* section 3.2 for L >= 1; an empty target, which no filter scores, gets the limit log(1) = 0 instead of 0 *
     * log(0) */
    if (L) lm->null_nats = (float)((double)len * log((double)lm->p1) + log(1.0 - (double)lm->p1));
    lm->pmove = (2.0f + 1.0f) / (len + 2.0f + 1.0f);
    lm->ploop = 1.0f - lm->pmove;
    /* at most 91, and at least -15,209 at L = 2^32, so neither form reaches its clamp */
    lm->tjb = (int)-roundf(WS_BYTE_SCALE * logf(3.0f / (float)(L + 3)));
    lm->wmove = (int)roundf(WS_WORD_SCALE * logf(lm->pmove));
}
