/* SPDX-License-Identifier: MIT
 * SSV, scalar: the definition of the result. Specification profile-filters.md, section 6. */
#include "kernels/ssv/ssv.h"

/* Returns the best height (kernels/ssv/ssv.h). v(i,k) = max(0, v(i-1,k-1) - d_k(x_i)) runs along one diagonal after the
 * other, so one value is enough. */
int ws_ssv_best_ref(const ws_bytes *b, const uint8_t *x, size_t L) {
    size_t row = (size_t)b->M + 1, M = (size_t)b->M;
    int best = 0;
    for (size_t d = 1; d < M + L; d++) { /* i - k = d - M */
        size_t i = d > M ? d - M : 0, k = d > M ? 0 : M - d;
        for (int v = 0; ++i <= L && ++k <= M;) {
            v -= (int)b->cost[x[i - 1] * row + k] - b->bias;
            if (v < 0) v = 0;
            if (v > best) best = v;
        }
        if (best >= 127 - b->bias) break; /* S2 decides already, and later cells cannot change that */
    }
    return best;
}

static ws_fscore one(const void *form, const ws_lenmodel *lm, const uint8_t *x, size_t L, void *room) {
    (void)room;
    return ws_ssv_decide(form, lm->tjb, ws_ssv_best_ref(form, x, L));
}

static size_t room_of(const void *form) { return (void)form, 0; }

const ws_body ws_ssv_scalar = {.form = &ws_bytes_form, .node_bytes = 32, .room = room_of, .one = one};
