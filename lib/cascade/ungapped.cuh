// SPDX-License-Identifier: MIT
// SSV on a device as msv uses it: defined in kernels/ssv/cuda.cu, see lib/cascade/ungapped.h.
#ifndef WS_CASCADE_UNGAPPED_CUH
#define WS_CASCADE_UNGAPPED_CUH

#include "lib/cascade/gpu.cuh"

struct ws_ssv_devprep {
    int R, glog, kind; // registers a lane, log2 of lanes a group, see kernels/ssv/configs.h; R = 0: too long for the device
    int overlap;       // words that a piece needs before its own first
    ws_devtable table;
};

// The device's table of a model's costs, which are not kept; R = 0, and no table, if it is too long. WS_ENOMEM is the only failure; a
// zeroed *p can be released.
int ws_ssv_dev_prepare(ws_ssv_devprep *p, const ws_bytes *b, ws_err *err);
void ws_ssv_dev_release(ws_ssv_devprep *p);

// Queues SSV of ntask tasks: best of task t's item j goes to best[first[t] + j], 16 bits each, on the device, exact up to
// 127 - bias. Tasks with R = 0 are left alone.
int ws_ssv_dev_best(ws_devlane *lane, const ws_batch *b, const ws_task *task, ws_ssv_devprep *const *prep, const uint32_t *first,
                    size_t ntask, uint16_t *best, ws_err *err);

#endif
