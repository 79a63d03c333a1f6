// SPDX-License-Identifier: MIT
// The devices of this process: whether they can be used, opening them beside the reading, and handing out their lanes.
//
// Contents: 1 usable; 2 the pool; 3 start and stop; 4 lanes; 5 clocks

#include "lib/dev/lane.cuh"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- 1 usable ----

#ifndef WS_CUDA_SMS
#define WS_CUDA_SMS "90" // compute capabilities with machine code; the last one also has PTX
#endif

// Machine code runs on its own major version from its minor on, PTX on everything from its version on.
static bool has_image(int major, int minor) {
    int cc = 10 * major + minor, sm = 0;
    for (const char *p = WS_CUDA_SMS; *p;) {
        char *end;
        sm = (int)strtol(p, &end, 10);
        if (sm / 10 == major && sm % 10 <= minor) return true;
        p = end + strspn(end, " ");
    }
    return cc >= sm;
}

static cudaError_t device_cc(int id, int *major, int *minor) {
    const cudaError_t e = cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, id);
    return e != cudaSuccess ? e : cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, id);
}

int ws_dev_usable(const char *list, const char **why) {
    static char text[160]; // the same on every call
    int driver = 0, n = 0, major = 0, minor = 0;
    ws_dev_ids ids;
    ws_err ignored; // ws_dev_start says what is wrong with the list
    *why = text;
    if (ws_dev_ids_parse(&ids, list, &ignored) == WS_OK) ws_dev_ids_narrow(&ids);
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
        *why = "no NVIDIA driver is installed";
        return 0;
    }
    if (driver / 1000 < CUDART_VERSION / 1000) {
        snprintf(text, sizeof text, "the NVIDIA driver is too old: it knows CUDA %d.%d, this program needs %d.0",
                 driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000);
        return 0;
    }
    cudaError_t e = cudaGetDeviceCount(&n);
    if (e != cudaSuccess || n == 0) {
        (void)cudaGetLastError();
        snprintf(text, sizeof text, "no CUDA device%s%.60s: %s", list ? " " : "", list ? list : "",
                 e == cudaSuccess ? "none found" : cudaGetErrorString(e));
        return 0;
    }
    for (int id = 0; id < n; id++)
        if (device_cc(id, &major, &minor) == cudaSuccess && has_image(major, minor)) return 1;
    snprintf(text, sizeof text, "no kernels for this device: it has compute capability %d.%d, this program was built for " WS_CUDA_SMS,
             major, minor);
    return 0;
}

// ---- 2 the pool ----

// Two lanes overlap the copies of one batch with the kernels of another. Two more keep the device busy while workers take
// scores out of the pinned memory of theirs.
enum { LANES = 4 };

// One a process, like the CUDA runtime below it.
static struct {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    // Who waits for a lane, and who for all devices: a lane that is given back wakes one of the former and never one of the latter.
    pthread_cond_t freed = PTHREAD_COND_INITIALIZER, opened = PTHREAD_COND_INITIALIZER;
    ws_err failed; // opening a device
    ws_device dev[WS_DEV_MAX];
    int ndev;
    ws_devlane lane[WS_DEV_MAX * LANES];
    int waiting; // for a lane
    uint64_t identities; // given out
    double lanes; // seconds of kernels
} pool;

int ws_cuda_fail(cudaError_t e, const char *what, ws_err *err) {
    if (e == cudaSuccess) return WS_OK;
    if (e == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        return ws_fail(err, WS_EDEV, "not enough device memory (%s): a smaller --batch needs less", what);
    }
    return ws_fail(err, WS_EDEV, "%s failed on the device: %s", what, cudaGetErrorString(e));
}

// ---- 3 start and stop ----

static int open_device(ws_device *d, ws_err *err) {
    int rc = ws_cuda_fail(cudaSetDevice(d->id), "choosing the device", err);
    // threads that wait for kernels sleep: there is other work for their cores, above all reading
    if (!rc) rc = ws_cuda_fail(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync), "asking for blocking waits", err);
    if (!rc) rc = ws_cuda_fail(cudaFree(NULL), "creating a context", err);
    d->context = rc == WS_OK;
    if (!rc) rc = ws_cuda_fail(cudaDeviceGetAttribute(&d->sms, cudaDevAttrMultiProcessorCount, d->id), "asking for multiprocessors", err);
    if (!rc)
        rc = ws_cuda_fail(cudaDeviceGetAttribute(&d->shared_max, cudaDevAttrMaxSharedMemoryPerBlockOptin, d->id),
                          "asking for shared memory", err);
    for (int j = 0; j < LANES && !rc; j++) {
        ws_devlane *l = &pool.lane[d->index * LANES + j];
        l->dev = d;
        rc = ws_cuda_fail(cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking), "creating a stream", err);
        for (cudaEvent_t *event : {&l->taken, &l->start, &l->end, &l->fetched})
            if (!rc) rc = ws_cuda_fail(cudaEventCreate(event), "creating an event", err);
    }
    if (!rc) rc = ws_cuda_fail(cudaEventCreate(&d->opened), "creating an event", err);
    return rc ? rc : ws_cuda_fail(cudaEventRecord(d->opened, pool.lane[d->index * LANES].stream), "recording an event", err);
}

static void *open_main(void *device) {
    ws_device *d = (ws_device *)device;
    ws_err err = {};
    open_device(d, &err);
    pthread_mutex_lock(&pool.lock);
    if (err.code) pool.failed = err;
    else d->open = true;
    pthread_cond_broadcast(&pool.freed);
    pthread_cond_broadcast(&pool.opened);
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

// `id` is the driver's number of a device, `name` the user's.
static int add_device(int id, int name, int count, size_t limit, ws_err *err) {
    int major = 0, minor = 0;
    if (id >= count) return ws_fail(err, WS_EDEV, "--device: there is no device %d", name);
    const cudaError_t e = device_cc(id, &major, &minor);
    if (e == cudaSuccess && !has_image(major, minor))
        return ws_fail(err, WS_EDEV, "device %d has compute capability %d.%d, this program was built for " WS_CUDA_SMS, name, major, minor);
    if (e != cudaSuccess) return ws_cuda_fail(e, "asking for the compute capability", err);
    ws_device *d = &pool.dev[pool.ndev];
    *d = {};
    d->id = id;
    d->index = pool.ndev++;
    d->limit = limit;
    pthread_mutex_init(&d->uploading, NULL);
    return WS_OK;
}

static int choose_devices(const char *list, uint64_t mem, ws_err *err) {
    int count = 0;
    ws_dev_ids ids;
    int rc = ws_dev_ids_parse(&ids, list, err);
    if (rc) return rc;
    const int narrowed = ws_dev_ids_narrow(&ids);
    if ((rc = ws_cuda_fail(cudaGetDeviceCount(&count), "counting devices", err))) return rc;
    const int n = ids.all ? min(count, (int)WS_DEV_MAX) : ids.n;
    for (int i = 0; i < n && !rc; i++) {
        const int name = ids.all ? i : ids.id[i];
        rc = add_device(narrowed ? i : name, name, count, mem, err);
    }
    return rc;
}

int ws_dev_start(const char *list, uint64_t mem, ws_err *err) {
    pool.ndev = 0;
    pool.failed = {};
    pool.lanes = 0;
    int rc = choose_devices(list, mem, err);
    if (rc) return rc;
    for (int i = 0; i < pool.ndev; i++) {
        ws_device *d = &pool.dev[i];
        d->opening = pthread_create(&d->opener, NULL, open_main, d) == 0;
        if (!d->opening) open_main(d); // no thread to be had: then before the reading instead of beside it
    }
    return WS_OK;
}

static void release_lane(ws_devlane *l) {
    ws_devbuf *device[] = {&l->kept[0], &l->kept[1], &l->kept[2], &l->out, &l->arena};
    for (ws_devbuf *b : device) cudaFree(b->p);
    for (int i = 0; i < l->nspill; i++) cudaFree(l->spill[i].p);
    cudaFreeHost(l->in.p);
    cudaFreeHost(l->back.p);
    for (cudaEvent_t event : {l->taken, l->start, l->end, l->fetched})
        if (event) cudaEventDestroy(event);
    if (l->stream) cudaStreamDestroy(l->stream);
    *l = {};
}

static void release_device(ws_device *d) {
    cudaSetDevice(d->id);
    for (int j = 0; j < LANES; j++) release_lane(&pool.lane[d->index * LANES + j]);
    if (d->opened) cudaEventDestroy(d->opened);
    for (size_t c = 0; c < d->nchunk; c++) cudaFree(d->chunk[c]);
    ws_free(d->chunk);
}

// Every call of the runtime makes a context, which costs 0.2 s and may fail again: a device without one has nothing to release.
void ws_dev_stop(void) {
    for (int i = 0; i < pool.ndev; i++) {
        ws_device *d = &pool.dev[i];
        if (d->opening) pthread_join(d->opener, NULL);
        if (d->context) release_device(d);
        pthread_mutex_destroy(&d->uploading);
    }
    pool.ndev = 0;
}

// ---- 4 lanes ----

// The free lane that keeps it, else any; devices take turns, so that two workers do not share one while another idles.
static ws_devlane *free_lane(uint64_t id) {
    ws_devlane *best = NULL;
    for (int j = 0; j < LANES; j++)
        for (int i = 0; i < pool.ndev; i++) {
            ws_devlane *l = &pool.lane[i * LANES + j];
            if (l->busy || !pool.dev[i].open) continue;
            if (l->id == id) return l;
            if (!best) best = l;
        }
    return best;
}

uint64_t ws_lane_identity(void) {
    pthread_mutex_lock(&pool.lock);
    const uint64_t id = ++pool.identities;
    pthread_mutex_unlock(&pool.lock);
    return id;
}

int ws_lane_take(ws_devlane **out, uint64_t id, ws_err *err) {
    ws_devlane *l = NULL;
    pthread_mutex_lock(&pool.lock);
    pool.waiting++;
    while (!pool.failed.code && !(l = free_lane(id))) pthread_cond_wait(&pool.freed, &pool.lock);
    pool.waiting--;
    if (l) l->busy = true;
    pthread_mutex_unlock(&pool.lock);
    if (!l) {
        *err = pool.failed;
        return err->code;
    }
    int rc = ws_cuda_fail(cudaSetDevice(l->dev->id), "choosing the device", err);
    if (!rc) rc = ws_lane_begin(l, err);
    if (rc) ws_lane_give(l);
    else *out = l;
    return rc;
}

void ws_lane_give(ws_devlane *l) {
    // a call that failed may have left copies under way, from memory that the next one fills again
    if (l->in_used || l->nname) (void)cudaStreamSynchronize(l->stream);
    pthread_mutex_lock(&pool.lock);
    l->busy = false;
    pthread_cond_signal(&pool.freed);
    pthread_mutex_unlock(&pool.lock);
}

int ws_dev_ready(void) {
    pthread_mutex_lock(&pool.lock);
    int nfree = 0; // a lane that was just given back belongs to who waits, though it did not wake up yet
    for (int i = 0; i < pool.ndev; i++)
        for (int j = 0; j < LANES && pool.dev[i].open; j++) nfree += !pool.lane[i * LANES + j].busy;
    const int ready = pool.failed.code || nfree > pool.waiting;
    pthread_mutex_unlock(&pool.lock);
    return ready;
}

static bool all_open(void) {
    for (int i = 0; i < pool.ndev; i++)
        if (!pool.dev[i].open) return false;
    return true;
}

int ws_dev_wait(ws_err *err) {
    pthread_mutex_lock(&pool.lock);
    while (!pool.failed.code && !all_open()) pthread_cond_wait(&pool.opened, &pool.lock);
    *err = pool.failed;
    pthread_mutex_unlock(&pool.lock);
    return err->code;
}

// ---- 5 clocks ----

// Calls end in about the order in which they began, so what is in front of `until` was counted by another lane.
static void add_span(ws_devspan *s, double from, double to) {
    if (to <= s->until) return;
    s->sum += to - (from > s->until ? from : s->until);
    s->until = to;
}

void ws_lane_clock(ws_devlane *l) {
    const cudaEvent_t event[] = {l->taken, l->start, l->end, l->fetched};
    float at[4], kernels;
    for (int i = 0; i < 4; i++)
        if (cudaEventElapsedTime(&at[i], l->dev->opened, event[i]) != cudaSuccess) return;
    if (cudaEventElapsedTime(&kernels, l->start, l->end) != cudaSuccess) return;
    pthread_mutex_lock(&pool.lock);
    pool.lanes += 1e-3 * (double)kernels;
    add_span(&l->dev->copies, (double)at[0], (double)at[1]);
    add_span(&l->dev->kernels, (double)at[1], (double)at[2]);
    add_span(&l->dev->copies, (double)at[2], (double)at[3]);
    pthread_mutex_unlock(&pool.lock);
}

ws_dev_times ws_dev_clock(void) {
    pthread_mutex_lock(&pool.lock);
    ws_dev_times t = {pool.ndev, 0, 0, pool.lanes};
    for (int i = 0; i < pool.ndev; i++) {
        t.kernels += 1e-3 * pool.dev[i].kernels.sum;
        t.copies += 1e-3 * pool.dev[i].copies.sum;
    }
    pthread_mutex_unlock(&pool.lock);
    return t;
}

int ws_dev_clusters(void) {
    int all = pool.ndev > 0;
    for (int i = 0, has = 0; i < pool.ndev && all; i++)
        all = cudaDeviceGetAttribute(&has, cudaDevAttrClusterLaunch, pool.dev[i].id) == cudaSuccess && has;
    return all;
}

const char *ws_dev_name(void) {
    static char text[300];
    cudaDeviceProp p;
    if (pool.ndev == 0 || cudaGetDeviceProperties(&p, pool.dev[0].id) != cudaSuccess) return "none";
    if (pool.ndev > 1) snprintf(text, sizeof text, "%d x %s", pool.ndev, p.name);
    else snprintf(text, sizeof text, "%s", p.name);
    return text;
}
