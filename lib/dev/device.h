/* SPDX-License-Identifier: MIT
 * The CUDA devices of this process behind a C interface: queries, opening and closing. Only .cu files see more
 * (lib/dev/stream.cuh). A build without CUDA has device_none.c instead. */
#ifndef WS_DEV_DEVICE_H
#define WS_DEV_DEVICE_H

#include "lib/base/ws.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns CUDA's version and the devices that the build has code for, as "13.0, compute capability 80 90, PTX of
 * 75". Returns NULL without CUDA. The text is static. */
const char *ws_dev_built(void);

/* Begins to start the driver on a thread, since that takes 0.1 s. Awake waits for this thread, if there is one. One
 * thread of a process calls both, in turns: programs do, the library does not. */
void ws_dev_wake(void);
void ws_dev_awake(void);

/* Returns 1 if some device of the list is usable, else 0 with the reason in *why. It asks the driver and creates no
 * context. All calls of a process must give the list of ws_dev_start. */
int ws_dev_usable(const char *list, const char **why);

/* Seconds from finding a device to the end of its first small call, together with closing it; 0.2 to 0.3 on an H200. */
#define WS_DEV_START 0.3

/* Makes the threads of a later ws_dev_start wait with opening until this descriptor can be read, or a device is
 * used. */
void ws_dev_open_after(int fd);

/* Sets how many streams each device has from the next start on: 1 to WS_DEV_STREAMS_MOST, more or fewer are cut to
 * these; 0: four. */
enum { WS_DEV_STREAMS_MOST = 6 };
void ws_dev_have_streams(int n);

/* Hears of a device that fails while others are left, which then have its work: its PCI address, and the failure. */
typedef void ws_dev_hear(void *own, const char *device, const ws_err *why);
/* Calls `hear` for each of these devices once, on any thread, from the next start on. NULL: no calls. */
void ws_dev_tell_loss(ws_dev_hear *hear, void *own);

/* Opens the devices of the list ("0,2", "all"; NULL: the first), and uses at most `mem` bytes of each (0: no limit).
 * Returns an error at once if the list is malformed or names an unusable device; one that "all" means is lost. One
 * thread for each device opens it while the first batch is read; where none can be opened, the first use fails. */
int ws_dev_start(const char *list, uint64_t mem, ws_err *err);
/* Waits for these threads and closes all devices. Callers may call it after a failure, or without a start. */
void ws_dev_stop(void);
/* Begins to close all devices on a thread, for which ws_dev_stop waits. No call may use a device from here on. The
 * process gives its contexts back as well, 0.1 to 0.2 s of its exit: for processes without other users of devices. */
void ws_dev_retire(void);

/* Returns a number for content that devices may keep: none has been returned before, and all later ones are larger.
 * Without CUDA it is 0, since nothing is kept. Any thread may call this. */
uint64_t ws_dev_identity(void);

/* Returns the streams of all devices in use, without lost ones: so many calls can be under way. */
int ws_dev_streams(void);

/* Returns 0 if all streams are in use or no device is open yet. Where no device can be opened it returns 1; the next
 * use reports the failure. Any thread may call this. */
int ws_dev_ready(void);

/* Waits until all devices are open or lost. Returns WS_EDEV if none could be opened. */
int ws_dev_wait(ws_err *err);

/* Seconds since the start by the devices' clocks, summed over devices: time with at least one kernel running, time
 * with at least one copy. Then the seconds of all kernels, summed over streams. Any thread may ask. */
typedef struct ws_dev_times {
    int devices; /* in use, without lost ones */
    double kernels, copies, kernels_summed;
} ws_dev_times;
ws_dev_times ws_dev_clock(void);

/* Returns the lowest compute capability of the devices in use, lost ones too, as 90 for 9.0; 0 without devices. */
int ws_dev_capability(void);

/* Returns the most bytes of shared memory that a block can have on each of these devices; 0 without devices. */
size_t ws_dev_shared(void);

/* Returns whether all of them have thread block clusters (compute capability 9.0). */
int ws_dev_clusters(void);

/* Returns the name and PCI addresses of the devices in use, such as "2 x NVIDIA H200 at 0000:18:00.0, 0000:3a:00.0",
 * then "; lost: " and the addresses of lost ones. Without devices it returns "none". nvidia-smi lists the same
 * addresses. */
const char *ws_dev_name(void);

#ifdef __cplusplus
}
#endif
#endif
