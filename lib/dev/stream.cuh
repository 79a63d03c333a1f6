// SPDX-License-Identifier: MIT
// The interface of a device for launchers: streams with their buffers, checked calls of the CUDA runtime, and tables
// that stay on the device.
#ifndef WS_DEV_STREAM_CUH
#define WS_DEV_STREAM_CUH

#include "lib/base/mem.h"
#include "lib/dev/device.h"
#include "lib/dev/ids.h"

#include <cuda_runtime.h>
#include <pthread.h>

struct ws_devbuf { // device memory, or pinned memory of the host
    void *p;
    size_t cap;
};

// Time in which at least one stream of a device was busy, in milliseconds. `sum` covers the time up to `until`.
struct ws_devspan {
    double until, sum;
};

struct ws_device {
    int id, index;       // CUDA's number; its index among the devices in use
    char address[32];    // on the PCI bus; where the driver does not tell it, the user's number
    int node;            // of memory that is near; -1: unknown
    int capability;      // 90: 9.0
    bool clusters;       // it has thread block clusters
    int sms, shared_max; // multiprocessors; most bytes of shared memory for a block
    size_t limit;        // --gpu-mem in bytes; 0: no limit
    size_t used;
    pthread_t opener;
    bool opening, context, open; // a thread opens the device; a context exists; the streams are usable
    bool lost;                   // it failed while others were left, which have its work
    bool pools;                  // memory can be had in the order of a stream
    bool registers;              // ws_pinned_registers
    cudaEvent_t opened;          // origin of its clock
    ws_devspan kernels, copies;
    pthread_mutex_t uploading; // one call at a time copies tables
    void **chunk;              // chunks of memory for tables
    size_t nchunk, chunk_cap, chunk_left;
    char *chunk_at;
};

// A CUDA stream with its buffers. It serves one call at a time, and its buffers only grow.
enum { WS_DEVSTREAM_NAMES = 24, WS_DEVSTREAM_SPILLS = 64, WS_DEVSTREAM_KEPT = 3, WS_DEVSTREAM_WAYS = 4 };

// A CUDA stream beside that of a ws_devstream, made when first used. All of them share the driver's eight queues. With
// 32 queues a search began 0.6 s later, with two 100 queries took a quarter longer (CUDA_DEVICE_MAX_CONNECTIONS, H100).
struct ws_devside {
    cudaStream_t stream;
    cudaEvent_t joined;
    bool forked; // in use between fork and join
};
struct ws_devstream {
    ws_device *dev;
    cudaStream_t stream;
    bool busy;
    uint64_t id;                         // identity of the content of `kept`, from ws_dev_identity; 0: none
    ws_devbuf kept[WS_DEVSTREAM_KEPT];   // on the device; kept from call to call for the stream's user
    size_t counts[WS_DEVSTREAM_KEPT];    // for the stream's user too
    ws_devbuf out;                       // the scores of a call, on the device
    ws_devbuf arena;                     // other device memory of a call
    size_t arena_used;
    // allocations for which the arena was too small; the next call enlarges the arena
    ws_devbuf spill[WS_DEVSTREAM_SPILLS];
    int nspill;
    ws_devbuf in, back;                  // pinned memory for copies to the device and back
    void **old;                          // pinned memory that was too small
    size_t nold, old_cap;
    size_t in_used;
    const char *name[WS_DEVSTREAM_NAMES]; // kernels launched since the last sync
    int nname;
    cudaStream_t launch;                  // where kernels go: `stream`, or one of `side` between fork and join
    ws_devside side[WS_DEVSTREAM_WAYS - 1];
    int ways;                             // of the last fork
    cudaEvent_t forked;
    cudaEvent_t taken, start, end, fetched; // of a call: its begin, begin and end of its kernels, its scores in `back`
};

// Takes a free stream, preferably the one that holds `id`. Waits if none is free or if a thread with a smaller id
// waits: the oldest batch comes first, since the output waits for it. The caller compares and sets its id, and returns
// it by ws_devstream_give. Returns WS_EDEV if no device is left.
int ws_devstream_take(ws_devstream **s, uint64_t id, ws_err *err);
// Returns the stream to the pool. rc and err: how the call ended. Returns whether the caller must make the call again,
// on another stream: a function of CUDA failed, so the device is lost, and others are left.
[[nodiscard]] bool ws_devstream_give(ws_devstream *s, int rc, const ws_err *err);
// Begins a call; ws_devstream_take calls it.
int ws_devstream_begin(ws_devstream *s, ws_err *err);

// The functions from here to the tables work on a taken stream. They return WS_EDEV on failure, with a sentence that
// names the CUDA call or the kernels.

// Makes room for n bytes; what was there is lost.
int ws_devstream_room(ws_devstream *s, ws_devbuf *buf, size_t n, ws_err *err);
// Sets *p to n bytes on the device that stay until the end of the call; put: with a copy of from[0..n).
int ws_devstream_alloc(ws_devstream *s, size_t n, void **p, ws_err *err);
int ws_devstream_put(ws_devstream *s, const void *from, size_t n, void **p, ws_err *err);
// Makes room for n bytes together, before the first alloc of a call whose needs are known.
int ws_devstream_reserve(ws_devstream *s, size_t n, ws_err *err);
// Sets *p to n bytes of pinned memory that nothing else uses until the next sync. expect: makes room for n bytes of
// them together.
int ws_devstream_stage(ws_devstream *s, size_t n, char **p, ws_err *err);
int ws_devstream_expect(ws_devstream *s, size_t n, ws_err *err);
// Queues a copy of n bytes to the device, through pinned memory.
int ws_devstream_send(ws_devstream *s, void *to, const void *from, size_t n, ws_err *err);
// Kernels launched between fork and join run beside one another, `ways` of them: those whose k have different
// remainders. A caller calls fork, then side(k) before launch k, then join, also after a failure. Join keeps `rc` if
// that is one.
int ws_devstream_fork(ws_devstream *s, int ways, ws_err *err);
int ws_devstream_side(ws_devstream *s, size_t k, ws_err *err);
int ws_devstream_join(ws_devstream *s, int rc, ws_err *err);
// Queues a copy of n bytes into s->back, which is valid after the next sync.
int ws_devstream_fetch(ws_devstream *s, const void *from, size_t n, ws_err *err);
// Releases pinned memory of the device's streams, if p is no NULL. A lost device keeps it until the process ends.
void ws_pinned_destroy(const ws_device *d, void *p);
// Returns whether memory can be pinned by cudaHostRegister. NVIDIA's confidential computing forbids that.
bool ws_pinned_registers();
// Waits for everything queued. A failure names the kernels launched since the last sync.
int ws_devstream_sync(ws_devstream *s, ws_err *err);
// Adds the times of a finished call to ws_dev_clock. All time outside of start and end counts as copies.
void ws_devstream_clock(ws_devstream *s);
// Checks a launch, right after it; name: the kernel.
int ws_devstream_launched(ws_devstream *s, const char *name, ws_err *err);

// Makes a stream whose kernels have the priority WS_DEV_FIRST: a multiprocessor takes their blocks before those of
// kernels that fill the device. Returns WS_EDEV on failure.
int ws_cuda_stream(cudaStream_t *s, ws_err *err);
enum { WS_DEV_FILLS = 0, WS_DEV_FIRST = -1 };
// Allows a kernel `bytes` of dynamic shared memory on a device, which is the current one. Returns WS_EDEV on failure.
int ws_cuda_shared(const ws_device *d, const void *kernel, size_t bytes, const char *name, ws_err *err);
// Returns WS_OK for cudaSuccess, else WS_EDEV and a sentence with `what`, the failed action.
int ws_cuda_check(cudaError_t e, const char *what, ws_err *err);
// Returns whether a check of this thread failed since it last said so.
bool ws_cuda_failed();

// A table of a model: its bytes on the host, and its addresses on the devices that have it.
struct ws_devtable {
    void *host;
    size_t size;
    void *at[WS_DEV_MAX];
};
// Makes a table of `size` zeroed bytes on the host. Returns WS_ENOMEM on failure.
int ws_devtable_create(ws_devtable *t, size_t size, ws_err *err);
// Frees a table that no call uses. The memory of its copies is for later tables until the devices close.
void ws_devtable_destroy(ws_devtable *t);
// Copies those of n tables to the stream's device that it lacks. The list names each table once. Several threads may
// call it at once.
int ws_devstream_tables(ws_devstream *s, ws_devtable *const *table, size_t n, ws_err *err);

#endif
