/* SPDX-License-Identifier: MIT
 * The bias of a list of sequences, where a device may have computed the sums. */
#include "kernels/filter/filter.h"

void ws_filter_bias(const ws_bias *bias, const ws_cpu *cpu, const ws_seqlist *list, const float *hint, void *room,
                    float *out) {
    uint32_t *item = room;
    float *score = (float *)(void *)(item + list->n);
    size_t n = 0;
    for (size_t j = 0; j < list->n; j++) {
        if (!isnan(out[j])) continue;
        if (hint && !isnan(hint[j])) out[j] = ws_bias_finish(hint[j], ws_seqlist_lm(list, j));
        else item[n++] = (uint32_t)ws_seqlist_at(list, j);
    }
    ws_seqlist rest = *list;
    rest.item = item;
    rest.n = n;
    if (n) ws_bias_scores(bias, cpu, &rest, score);
    for (size_t j = 0, i = 0; i < n; j++)
        if (isnan(out[j])) out[j] = score[i++];
}
