/* SPDX-License-Identifier: MIT
 * The order of points in one row. Specification long-targets.md, section 8. */
#include "kernels/long/point.h"

static uint64_t rank_of(const ws_long_seed *s, uint32_t Q) {
    const uint32_t k = (uint32_t)s->k - 1;
    return (uint64_t)(k % Q) << 32 | k / Q;
}

/* By insertion: there are seldom more than a few. */
void ws_long_point_sort(ws_long_seeds *found, size_t first, int M) {
    const uint32_t Q = M > 16 ? (uint32_t)(M - 1) / 8 + 1 : 2;
    for (size_t j = first + 1; j < found->n; j++) {
        const ws_long_seed one = found->at[j];
        const uint64_t rank = rank_of(&one, Q);
        size_t to = j;
        for (; to > first && rank_of(&found->at[to - 1], Q) > rank; to--) found->at[to] = found->at[to - 1];
        found->at[to] = one;
    }
}
