/* SPDX-License-Identifier: MIT
 * The CUDA devices of this process behind a C face: whether there are any, their lanes, and the hook functions that every
 * "cuda" backend shares. Only .cu files see more (lib/dev/lane.cuh). Built as device_none.c where there is no CUDA. */
#ifndef WS_DEV_DEVICE_H
#define WS_DEV_DEVICE_H

#include "lib/run/tool.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ws_backend.usable: asks driver and devices, creates no context. */
int ws_dev_usable(const ws_machine *m, const char **why);

/* ws_backend.start and stop: the devices that --device names, at most --gpu-mem of each. Contexts are created on a thread of
 * their own while the first batch is read; a failure there is reported by the first score. */
int ws_dev_start(const ws_devconf *conf, ws_err *err);
void ws_dev_stop(void);

/* Seconds that kernels ran since the start, by the devices' clocks, summed over lanes. */
double ws_dev_seconds(void);

#ifdef __cplusplus
}
#endif
#endif
