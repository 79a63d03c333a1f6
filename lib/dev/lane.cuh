// SPDX-License-Identifier: MIT
// What the kernels' launchers see of a device: a lane (one stream, its buffers, the batch that stands in them), checked
// calls, and tables that stay on the device.
//
// A lane serves one call of score at a time. All its buffers only grow.
#ifndef WS_DEV_LANE_CUH
#define WS_DEV_LANE_CUH

#include "lib/dev/device.h"
#include "lib/dev/ids.h"
#include "lib/base/mem.h"

#include <cuda_runtime.h>
#include <pthread.h>

struct ws_devbuf { // device memory, or pinned memory of the host
    void *p;
    size_t cap;
};

// The time in which at least one of several lanes was busy with something, added up call by call.
struct ws_devspan {
    double until, sum; // milliseconds: what lies before `until` is in the sum
};

struct ws_device {
    int id, index; // CUDA's number; place among those in use
    int sms, shared_max; // multiprocessors; bytes of shared memory a block may ask for
    size_t limit;        // --gpu-mem; 0: none
    size_t used;
    pthread_t opener;
    bool opening, context, open; // the thread was started; there is a context; lanes can be had
    cudaEvent_t opened;  // when, by its own clock
    ws_devspan kernels, copies;
    pthread_mutex_t uploading; // one at a time
    void **chunk;        // memory of the targets' tables
    size_t nchunk, chunk_cap, chunk_left;
    char *chunk_at;
};

enum { WS_LANE_NAMES = 24, WS_LANE_SPILLS = 64, WS_LANE_KEPT = 3 };
struct ws_devlane {
    ws_device *dev;
    cudaStream_t stream;
    bool busy;
    uint64_t id;              // of what stands in `kept`; 0: nothing
    ws_devbuf kept[WS_LANE_KEPT]; // on the device from call to call, the user's
    size_t counts[WS_LANE_KEPT];  // the user's too
    ws_devbuf out;            // scores of a call, on the device
    ws_devbuf arena;          // whatever else a call needs there
    size_t arena_used;
    ws_devbuf spill[WS_LANE_SPILLS]; // where the arena was too small; the next call finds it larger
    int nspill;
    ws_devbuf in, back;       // pinned: on the way there, on the way back
    size_t in_used;
    const char *name[WS_LANE_NAMES]; // kernels launched since the last sync
    int nname;
    cudaEvent_t taken, start, end, fetched; // of a call: its begin, around its kernels, when the scores were back
};

// An identity that no other content has.
uint64_t ws_lane_identity(void);
// Takes a free lane, best the one that keeps `id`, waiting for one. lane->id is the caller's to check and to set.
int ws_lane_take(ws_devlane **lane, uint64_t id, ws_err *err);
// Hands it back, whether the call succeeded or not.
void ws_lane_give(ws_devlane *lane);
int ws_lane_begin(ws_devlane *lane, ws_err *err); // take does it

// What follows, up to the tables, works on a lane that was taken. A failure is WS_EDEV, with the call of the runtime or the kernels in
// its sentence.

// Room for n bytes; what was there is lost.
int ws_lane_room(ws_devlane *lane, ws_devbuf *buf, size_t n, ws_err *err);
// n bytes on the device until the end of the call; put: with that content.
int ws_lane_alloc(ws_devlane *lane, size_t n, void **p, ws_err *err);
int ws_lane_put(ws_devlane *lane, const void *from, size_t n, void **p, ws_err *err);
// Room for n bytes together, before the first alloc of a call whose needs are known.
int ws_lane_reserve(ws_devlane *lane, size_t n, ws_err *err);
// n bytes of pinned memory that nothing else uses until the next sync. expect: so many will be asked for together.
int ws_lane_stage(ws_devlane *lane, size_t n, char **p, ws_err *err);
int ws_lane_expect(ws_devlane *lane, size_t n, ws_err *err);
// Copies n bytes to the device through pinned memory.
int ws_lane_send(ws_devlane *lane, void *to, const void *from, size_t n, ws_err *err);
// n bytes back into lane->back, there after the next sync.
int ws_lane_fetch(ws_devlane *lane, const void *from, size_t n, ws_err *err);
// Waits for everything queued; a failure names the kernels that were under way.
int ws_lane_sync(ws_devlane *lane, ws_err *err);
// Adds a call's times to what ws_dev_clock says; its events have passed. Copies are what is not between start and end.
void ws_lane_clock(ws_devlane *lane);
// After each launch, with the kernel's name: whether it could be launched.
int ws_lane_launched(ws_devlane *lane, const char *name, ws_err *err);

// Lets a kernel have that much dynamic shared memory.
int ws_cuda_shared(const void *kernel, size_t bytes, const char *name, ws_err *err);
// A failed call of the runtime as a sentence, in which `what` names it; WS_OK for cudaSuccess.
int ws_cuda_fail(cudaError_t e, const char *what, ws_err *err);

// A table of a target: host bytes, and where they stand on each device once they are needed there.
struct ws_devtable {
    void *host;
    size_t size;
    void *at[WS_DEV_MAX];
};
// Zeroed bytes on the host; WS_ENOMEM is the only failure. What stands on devices stays until they are closed.
int ws_table_create(ws_devtable *t, size_t size, ws_err *err);
void ws_table_destroy(ws_devtable *t);
// Puts those of n tables that are not there onto the lane's device. Any number of lanes at once.
int ws_lane_tables(ws_devlane *lane, ws_devtable *const *table, size_t n, ws_err *err);

#endif
