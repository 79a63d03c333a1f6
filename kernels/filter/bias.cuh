// SPDX-License-Identifier: MIT
// The bias filter on a device, for pairs that may pass. It runs in the same call as the filter, so neither scores nor
// pairs cross the bus in between.
#ifndef WS_FILTER_BIAS_CUH
#define WS_FILTER_BIAS_CUH

#include "kernels/filter/batch.cuh"

extern "C" {
#include "lib/hmm/bias.h"
}

// Makes the device table of a ws_bias. Returns WS_ENOMEM on failure.
int ws_bias_dev_lay_out(ws_devtable *t, const ws_bias *bias, ws_err *err);

// The pairs of a task: items queue[0..*count) of its list.
struct ws_bias_devtask {
    const ws_bias *bias;
    const ws_devitem *item;
    const uint32_t *queue, *count;
    float *sum; // receives ws_bias_sum of item j of the task
};

// Returns a score's distance above the null score of a sequence of len >= 1, in nats, within WS_ABOVE_NULL_MARGIN. This
// selects pairs; results use the exact value.
#define WS_ABOVE_NULL_MARGIN 1e-3f
__device__ inline float ws_above_null(float nats, uint32_t len) {
    const float L = (float)len;
    return nats + L * log1pf(1 / L) + logf(L + 1);
}

// Queues the sums of ntask tasks. The tasks are on the device, and none has more than `longest` items. Returns WS_EDEV
// if the launch fails.
int ws_bias_dev_sums(ws_devstream *s, const ws_bias_devtask *task, uint32_t ntask, uint32_t longest, ws_err *err);

#endif
