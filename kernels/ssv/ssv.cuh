// SPDX-License-Identifier: MIT
// SSV on a device: the best heights of diagonals, for ssv and msv. kernels/ssv/ssv.h has the rule that makes scores of
// them.
#ifndef WS_SSV_CUH
#define WS_SSV_CUH

#include "kernels/filter/device.cuh"

extern "C" {
#include "kernels/ssv/ssv.h"
}

// SSV's part of a model on devices.
struct ws_ssv_dev {
    ws_bytes bytes; // the scalars; cost is NULL
    ws_fit fit;     // shape -1: no shape is large enough for the model, and there is no table
    int overlap;    // words before a stretch's first word that its scores depend on
    const ws_devtable *table;
};

// Chooses a shape for *b and makes its table of costs; keeps no pointer into b. The owner of *table releases it.
// Returns WS_ENOMEM on failure.
int ws_ssv_dev_lay_out(ws_ssv_dev *p, ws_devtable *table, const ws_bytes *b, ws_err *err);

// Queues SSV for all tasks of a call. best[first[t] + j] on the device receives the best height of task t's item j; it
// is zero before, and exact up to 127 - bias. Where the call lists only pairs that may pass (c->screen), heights that
// the model's gate surely rejects stay zero. `of` returns SSV's part of a task's model. The function skips tasks
// without a shape.
int ws_ssv_dev_best(ws_devcall *c, const ws_ssv_dev &(*of)(const ws_task &), uint16_t *best, ws_err *err);

#endif
