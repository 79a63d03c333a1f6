// SPDX-License-Identifier: MIT
// SSV on a device: the best heights of diagonals, for ssv and msv. kernels/ssv/ssv.h has the rule that makes scores of
// them.
#ifndef WS_SSV_CUH
#define WS_SSV_CUH

#include "kernels/filter/device.cuh"

extern "C" {
#include "kernels/ssv/ssv.h"
}

// The alarm two rows at a time: the shape and table of a model. R 0: it has none.
struct ws_ssv_di {
    int R, glog, parts; // registers and log2 of the lanes of a group, parts of the model
    const ws_devtable *table;
};

// SSV's part of a model on devices.
struct ws_ssv_dev {
    ws_bytes bytes; // the scalars; cost is NULL
    ws_fit fit;     // shape -1: no shape is large enough for the model, and there is no table
    int overlap;    // words before a stretch's first word that its scores depend on
    const ws_devtable *table;
    ws_ssv_di di;
};

// Chooses a shape for *b and makes its table of costs; keeps no pointer into b. di: NULL, or a table for the alarm two
// rows at a time. The owner of the tables releases them. Returns WS_ENOMEM on failure.
int ws_ssv_dev_lay_out(ws_ssv_dev *p, ws_devtable *table, ws_devtable *di, const ws_bytes *b, ws_err *err);

// Queues SSV for all tasks of a call. best[first[t] + j] on the device receives the best height of task t's item j; it
// is zero before, and exact up to 127 - bias. Where the call lists only pairs that may pass (c->screen), heights that
// the model's gate surely rejects stay zero. `of` returns SSV's part of a task's model. The function skips tasks
// without a shape.
int ws_ssv_dev_best(ws_devcall *c, const ws_ssv_dev &(*of)(const ws_task &), uint16_t *best, ws_err *err);

#endif
