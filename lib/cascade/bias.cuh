// SPDX-License-Identifier: MIT
// The bias filter on a device, for pairs that a kernel of the cascade found to be in question: behind it in the same call, so
// that neither scores nor pairs cross the bus in between.
#ifndef WS_CASCADE_BIAS_CUH
#define WS_CASCADE_BIAS_CUH

#include "lib/cascade/gpu.cuh"

struct ws_bias_devprep {
    ws_devtable table; // a ws_bias
    ws_gate gate;
};

// Copies what it needs of the target. WS_ENOMEM is the only failure; a zeroed *p can be released.
int ws_bias_dev_prepare(ws_bias_devprep *p, const ws_hmm_target *t, ws_err *err);
void ws_bias_dev_release(ws_bias_devprep *p);

// Pairs of a task: the places queue[0..*count) of its list.
struct ws_bias_devtask {
    const ws_bias *bias;
    const ws_devitem *item;
    const uint32_t *queue, *count;
    float *sum; // of item j of the task: ws_bias_sum
};

// How far a score of `nats` is above the null score of a sequence of len >= 1, within 1e-3: good enough to say which pairs to take,
// not for a result.
__device__ inline float ws_above_null(float nats, uint32_t len) {
    const float L = (float)len;
    return nats + L * log1pf(1 / L) + logf(L + 1);
}

// Queues the sums of ntask tasks, which stand on the device and of which none has more than `longest` places. Fails as a launch does.
int ws_bias_dev_sums(ws_devlane *l, const ws_bias_devtask *task, uint32_t ntask, uint32_t longest, ws_err *err);

#endif
