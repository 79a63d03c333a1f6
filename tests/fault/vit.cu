// SPDX-License-Identifier: MIT
// The Viterbi filter on a fake device: it decides about no sequence, so the host computes all scores, by the way that a
// sequence takes whose scores leave the device's range.
#include "kernels/vit/device.cuh"

extern "C" void ws_fault_viterbi(const void *kernel, void **arguments, uint32_t blocks);
extern "C" void ws_fault_viterbi(const void *kernel, void **arguments, uint32_t blocks) {
    if (!ws_vit_is_filter(kernel)) return;
    const vit_args<SCORE> &a = *(const vit_args<SCORE> *)arguments[0];
    for (uint32_t b = 0; b < blocks; b++) {
        const vit_task &t = a.task[a.unit[b].task];
        for (uint32_t i = 0; i < t.n; i++) a.score[t.first + t.item[i].out] = UNDECIDED;
    }
}
