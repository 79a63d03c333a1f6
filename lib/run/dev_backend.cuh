// SPDX-License-Identifier: MIT
// The table of a "cuda" backend.
#ifndef WS_RUN_DEV_BACKEND_CUH
#define WS_RUN_DEV_BACKEND_CUH

#include "lib/dev/device.h"

extern "C" {
#include "lib/run/tool.h"
}

// A "cuda" backend that takes many tasks at once. cpu_speed: cells a second that one core of the CPU computes.
constexpr ws_backend ws_dev_backend(int (*prepare)(const ws_backend *, const ws_target *, void **, ws_err *),
                                    void (*release)(void *),
                                    int (*score)(const ws_seqs *, const ws_task *, size_t, ws_buf *, ws_err *),
                                    double cpu_speed, bool hints = false) {
    ws_backend b = {};
    b.name = "cuda";
    b.usable = ws_usable_device;
    b.prepare = prepare;
    b.release = release;
    b.score = score;
    b.max_tasks = WS_POLICY_DEVICE_TASKS;
    b.start = ws_start_device;
    b.stop = ws_dev_stop;
    b.ready = ws_dev_ready;
    b.wait = ws_dev_wait;
    b.start_seconds = WS_DEV_START;
    b.batch = WS_POLICY_DEVICE_BATCH;
    b.cpu_speed = cpu_speed;
    b.hints = hints;
    return b;
}

#endif
