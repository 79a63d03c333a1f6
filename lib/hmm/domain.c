/* SPDX-License-Identifier: MIT
 * The memory of a target's domains. */
#include "lib/hmm/domain.h"

#include "lib/base/mem.h"

void ws_dom_target_release(ws_dom_target *t) {
    for (uint32_t d = 0; d < t->n; d++) ws_free(t->domain[d].column);
    ws_free(t->domain);
    t->domain = NULL;
    t->n = 0;
}
