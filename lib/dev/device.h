/* SPDX-License-Identifier: MIT
 * The CUDA devices of this process behind a C face: whether there are any, opening and closing them. Only .cu files see more
 * (lib/dev/lane.cuh). Built as device_none.c where there is no CUDA. */
#ifndef WS_DEV_DEVICE_H
#define WS_DEV_DEVICE_H

#include "lib/base/ws.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Asks driver and devices, creates no context: 1 if one of the list can be used, or 0 and the reason. The list is that of
 * ws_dev_start, and the same in all calls of a process. */
int ws_dev_usable(const char *list, const char **why);

/* Seconds from finding a device to the end of its first small call, and what closing it adds; on an H200 0.2 to 0.3. */
#define WS_DEV_START 0.3

/* Opens the devices of the list ("0,2", "all"; NULL: the first), at most `mem` bytes of each (0: no limit). A list that is none, or
 * names a device that cannot be used, fails here. Each device is opened on a thread of its own while the first batch is read; a failure
 * there is reported by the first use. */
int ws_dev_start(const char *list, uint64_t mem, ws_err *err);
/* Waits for those threads and closes everything; also after a failure, or without a start. */
void ws_dev_stop(void);

/* 0: all lanes are taken, or no device is open yet. A device that failed to open is ready to say so. Any thread. */
int ws_dev_ready(void);

/* Waits until all devices are open; the reason if one could not be opened. */
int ws_dev_wait(ws_err *err);

/* Since the start, by the devices' clocks and summed over devices: seconds in which kernels ran and in which something was
 * copied, each moment once however many lanes were at it; and the kernels' seconds summed over lanes. Any thread. */
typedef struct ws_dev_times {
    int devices;
    double kernels, copies, lanes;
} ws_dev_times;
ws_dev_times ws_dev_clock(void);

/* Whether all devices in use have thread block clusters (compute capability 9.0). */
int ws_dev_clusters(void);

/* "NVIDIA H200", "4 x NVIDIA H200": the devices in use, "none" if there are none. */
const char *ws_dev_name(void);

#ifdef __cplusplus
}
#endif
#endif
