// SPDX-License-Identifier: MIT
// The devices of this process: queries, opening while the first batch is read, and lending of streams.
//
// Contents: 0 kernels; 1 usable; 2 the pool; 3 start and stop; 4 streams; 5 clocks

#include "lib/base/system.h"
#include "lib/dev/stream.cuh"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- 0 kernels ----

// For each file nvcc makes a function that tells the runtime its kernels. As a constructor it would run at the start of
// every program, which takes longer than a small search. So the Makefile moves the pointers to these functions from
// .init_array to a section of its own, between two symbols of the linker.
typedef void teller(int, char **, char **);
extern "C" {
extern teller *const __start_ws_kernels[] __attribute__((weak, visibility("hidden")));
extern teller *const __stop_ws_kernels[] __attribute__((weak, visibility("hidden")));
}

static void tell_kernels() {
    for (teller *const *f = __start_ws_kernels; f != __stop_ws_kernels; f++) (*f)(0, NULL, NULL);
}

// Tells the runtime of all kernels, once. Comes before each first call of it.
static void have_kernels() {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, tell_kernels);
}

// ---- 1 usable ----

// Returns whether the build has code for a device of this version. Machine code (the list WS_CUDA_SMS) runs on its own
// major version from its minor version on; PTX runs on every later version.
static bool has_image(int major, int minor) {
    for (const char *p = WS_CUDA_SMS; *p;) {
        char *end;
        const int sm = (int)strtol(p, &end, 10);
        if (sm / 10 == major && sm % 10 <= minor) return true;
        p = end + strspn(end, " ");
    }
    return 10 * major + minor >= WS_CUDA_PTX;
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *ws_dev_built(void) {
    static char text[200];
    snprintf(text, sizeof text, "%d.%d, compute capability " WS_CUDA_SMS ", PTX of " TEXT(WS_CUDA_PTX),
             CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    return text;
}

static cudaError_t device_cc(int id, int *major, int *minor) {
    const cudaError_t e = cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, id);
    return e != cudaSuccess ? e : cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, id);
}

// A thread asks the driver a question, with which it starts.
static pthread_t waker;
static bool waking;

static void *ask(void *unused) {
    int n;
    have_kernels();
    if (cudaGetDeviceCount(&n) != cudaSuccess) (void)cudaGetLastError(); // ws_dev_usable asks again
    return unused;
}

void ws_dev_wake(void) { waking = pthread_create(&waker, NULL, ask, NULL) == 0; }

void ws_dev_awake(void) {
    if (waking) pthread_join(waker, NULL);
    waking = false;
}

int ws_dev_usable(const char *list, const char **why) {
    static char text[160]; // the text is the same on every call
    int driver = 0, n = 0, major = 0, minor = 0;
    *why = text;
    have_kernels();
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
    snprintf(text, sizeof text,
             "no kernels for this device: it has compute capability %d.%d, this program was built for " WS_CUDA_SMS,
             major, minor);
    return 0;
}

// ---- 2 the pool ----

// A device that fails while others are left is lost: no stream of it is lent from then on, and the call that failed is
// made again. The last one is never lost: its callers get its failures.

// Streams of a device, unless a tool asks for more. Two overlap the copies of one batch with the kernels of another.
// Two more keep the device busy while workers read scores from pinned memory. Searches have six.
enum { STREAMS = 4 };

// A thread that waits for a stream, and the identity of its batch.
struct waiter {
    uint64_t id;
    waiter *next;
};

// The pool of devices: one for the process, as the CUDA runtime is. It begins as constants: what runs at the start of a
// C++ file would run with its kernels, and forget what was noted here before.
static struct {
    pthread_mutex_t lock;
    // Threads that need a stream wait for `freed`; threads that need all devices wait for `opened`.
    pthread_cond_t freed, opened;
    int streams; // of each device
    int input;   // devices are opened once this descriptor can be read; -1: at once
    ws_dev_hear *hear; // hears of lost devices, with `own`; may be NULL
    void *own;
    ws_err failed; // error of opening the last device that was left
    ws_device dev[WS_DEV_MAX];
    int ndev, nlost; // nlost: atomic, and changes under the lock
    ws_devstream stream[WS_DEV_MAX * WS_DEV_STREAMS_MOST];
    waiter *waiting;       // threads that wait for a stream
    bool stopping;         // ... or now, because the run ends
    pthread_t retirer;     // closes the devices before the run ends
    bool retiring;
    uint64_t identities;   // number of identities given out; atomic
    double kernel_seconds; // summed over streams
} pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, STREAMS, -1, NULL, NULL, {},
          {}, 0, 0, {}, NULL, false, {}, false, 0, 0};

static void wake_waiting() {
    pthread_cond_broadcast(&pool.freed);
    pthread_cond_broadcast(&pool.opened);
}

// Notes a failure of a device. Returns whether it is lost, now or before, so that others go on.
static bool lose(ws_device *d, const ws_err *err) {
    pthread_mutex_lock(&pool.lock);
    const bool first = !d->lost && pool.nlost < pool.ndev - 1;
    d->lost |= first;
    __atomic_add_fetch(&pool.nlost, (int)first, __ATOMIC_RELAXED);
    if (first) wake_waiting();
    const bool lost = d->lost;
    pthread_mutex_unlock(&pool.lock);
    if (first && pool.hear) pool.hear(pool.own, d->address, err);
    return lost;
}

// ---- 3 start and stop ----

// Lets the driver keep memory that streams give back. Without pools it is given back at once, which takes longer.
static void keep_memory(ws_device *d) {
    int has = 0;
    uint64_t all = UINT64_MAX;
    cudaMemPool_t memory;
    d->pools = cudaDeviceGetAttribute(&has, cudaDevAttrMemoryPoolsSupported, d->id) == cudaSuccess && has &&
               cudaDeviceGetDefaultMemPool(&memory, d->id) == cudaSuccess &&
               cudaMemPoolSetAttribute(memory, cudaMemPoolAttrReleaseThreshold, &all) == cudaSuccess;
    if (!d->pools) (void)cudaGetLastError();
}

static int open_device(ws_device *d, ws_err *err) {
    int rc = ws_cuda_check(cudaSetDevice(d->id), "choosing the device", err);
    // threads that wait for kernels sleep, because their cores have other work, above all reading
    if (!rc) rc = ws_cuda_check(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync), "asking for blocking waits", err);
    if (!rc) rc = ws_cuda_check(cudaFree(NULL), "creating a context", err);
    d->context = rc == WS_OK;
    if (!rc)
        rc = ws_cuda_check(cudaDeviceGetAttribute(&d->sms, cudaDevAttrMultiProcessorCount, d->id),
                           "asking for multiprocessors", err);
    if (!rc) keep_memory(d);
    if (!rc) d->registers = ws_pinned_registers();
    for (int j = 0; j < pool.streams && !rc; j++) {
        ws_devstream *s = &pool.stream[d->index * pool.streams + j];
        s->dev = d;
        rc = ws_cuda_stream(&s->stream, err);
        s->launch = s->stream;
        for (cudaEvent_t *event : {&s->taken, &s->start, &s->end, &s->fetched, &s->forked})
            if (!rc) rc = ws_cuda_check(cudaEventCreate(event), "creating an event", err);
    }
    if (!rc) rc = ws_cuda_check(cudaEventCreate(&d->opened), "creating an event", err);
    return rc ? rc
              : ws_cuda_check(cudaEventRecord(d->opened, pool.stream[d->index * pool.streams].stream),
                              "recording an event", err);
}

// Waits until the input can be read, a thread waits for a device, or the run ends. Opening a device holds up the other
// programs that use it. Three filters of a pipe opened theirs at the same time: the first one began at 0.83 s, not at
// 0.4 s (H200).
static void wait_for_input() {
    for (bool go = pool.input < 0; !go;) {
        struct pollfd input = {pool.input, POLLIN, 0};
        go = poll(&input, 1, 10) != 0;
        pthread_mutex_lock(&pool.lock);
        go |= pool.waiting || pool.stopping;
        pthread_mutex_unlock(&pool.lock);
    }
}

static void *open_main(void *device) {
    ws_device *d = (ws_device *)device;
    ws_err err = {};
    wait_for_input();
    if (open_device(d, &err)) (void)cudaGetLastError();
    const bool lost = err.code && lose(d, &err);
    pthread_mutex_lock(&pool.lock);
    if (err.code && !lost) pool.failed = err;
    d->open = !err.code;
    wake_waiting();
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

// Adds a device to the pool. id: the driver's number; name: the user's number.
static int add_device(int id, int name, int count, size_t limit, ws_err *err) {
    if (id >= count) return ws_fail(err, WS_EDEV, "--device: there is no device %d", name);
    ws_device *d = &pool.dev[pool.ndev];
    *d = {};
    d->id = id;
    d->index = pool.ndev++;
    d->limit = limit;
    pthread_mutex_init(&d->uploading, NULL);
    if (cudaDeviceGetPCIBusId(d->address, sizeof d->address, id) != cudaSuccess) {
        (void)cudaGetLastError();
        snprintf(d->address, sizeof d->address, "%d", name);
    }
    d->node = ws_system_node_of(d->address);
    return WS_OK;
}

// Asks what a device is, and leaves `capability` 0 on failure. Fails if the build has no code for it; name: the user's
// number.
static int ask_device(ws_device *d, int name, ws_err *err) {
    int major = 0, minor = 0, clusters = 0;
    int rc = ws_cuda_check(device_cc(d->id, &major, &minor), "asking for the compute capability", err);
    if (rc) return rc;
    if (!has_image(major, minor))
        return ws_fail(err, WS_EDEV, "device %d has compute capability %d.%d, this program was built for " WS_CUDA_SMS,
                       name, major, minor);
    if (cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, d->id) != cudaSuccess) (void)cudaGetLastError();
    d->clusters = clusters != 0;
    rc = ws_cuda_check(cudaDeviceGetAttribute(&d->shared_max, cudaDevAttrMaxSharedMemoryPerBlockOptin, d->id),
                       "asking for shared memory", err);
    if (!rc) d->capability = 10 * major + minor;
    return rc;
}

static int choose_devices(const char *list, uint64_t mem, ws_err *err) {
    int count = 0;
    ws_dev_ids ids;
    int rc = ws_dev_ids_parse(&ids, list, err);
    if (rc) return rc;
    const int narrowed = ws_dev_is_narrowed(&ids);
    if ((rc = ws_cuda_check(cudaGetDeviceCount(&count), "counting devices", err))) return rc;
    const int n = ids.all ? min(count, (int)WS_DEV_MAX) : ids.n;
    for (int i = 0; i < n && !rc; i++) {
        const int name = ids.all ? i : ids.id[i];
        rc = add_device(narrowed ? i : name, name, count, mem, err);
    }
    for (int i = 0; i < pool.ndev && !rc; i++) {
        rc = ask_device(&pool.dev[i], ids.all ? i : ids.id[i], err);
        // of all devices those are used that are usable; what an option names must be
        if (rc && (ids.all || ws_cuda_failed()) && lose(&pool.dev[i], err)) rc = WS_OK;
    }
    return rc;
}

void ws_dev_tell_loss(ws_dev_hear *hear, void *own) {
    pool.hear = hear;
    pool.own = own;
}

void ws_dev_open_after(int fd) { pool.input = fd; }

void ws_dev_have_streams(int n) {
    pool.streams = n == 0 ? (int)STREAMS : n < 1 ? 1 : n > WS_DEV_STREAMS_MOST ? (int)WS_DEV_STREAMS_MOST : n;
}

int ws_dev_start(const char *list, uint64_t mem, ws_err *err) {
    have_kernels();
    pool.ndev = pool.nlost = 0;
    pool.stopping = false;
    pool.failed = {};
    pool.kernel_seconds = 0;
    int rc = choose_devices(list, mem, err);
    if (rc) return rc;
    for (int i = 0; i < pool.ndev; i++) {
        ws_device *d = &pool.dev[i];
        if (d->lost) continue;
        d->opening = pthread_create(&d->opener, NULL, open_main, d) == 0;
        if (!d->opening) open_main(d); // no thread could start: open the device now, before the first batch is read
    }
    return WS_OK;
}

static void release_stream(ws_devstream *s) {
    ws_devbuf *device[] = {&s->kept[0], &s->kept[1], &s->kept[2], &s->out, &s->arena};
    for (ws_devbuf *b : device) cudaFree(b->p);
    for (int i = 0; i < s->nspill; i++) cudaFree(s->spill[i].p);
    ws_pinned_destroy(s->dev, s->in.p);
    ws_pinned_destroy(s->dev, s->back.p);
    for (size_t i = 0; i < s->nold; i++) ws_pinned_destroy(s->dev, s->old[i]);
    ws_free(s->old);
    for (cudaEvent_t event : {s->taken, s->start, s->end, s->fetched, s->forked})
        if (event) cudaEventDestroy(event);
    for (ws_devside &d : s->side) {
        if (d.joined) cudaEventDestroy(d.joined);
        if (d.stream) cudaStreamDestroy(d.stream);
    }
    if (s->stream) cudaStreamDestroy(s->stream);
    *s = {};
}

static void release_device(ws_device *d) {
    cudaSetDevice(d->id);
    for (int j = 0; j < pool.streams; j++) release_stream(&pool.stream[d->index * pool.streams + j]);
    if (d->opened) cudaEventDestroy(d->opened);
    for (size_t c = 0; c < d->nchunk; c++) cudaFree(d->chunk[c]);
    ws_free(d->chunk);
}

// Closes all devices. Skips those without a context, which have nothing to release: any CUDA call for such a device
// would make a context, which costs 0.2 s and may fail again. reset: the process's contexts end too.
static void close_devices(bool reset) {
    pthread_mutex_lock(&pool.lock);
    pool.stopping = true;
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < pool.ndev; i++) {
        ws_device *d = &pool.dev[i];
        if (d->opening) pthread_join(d->opener, NULL);
        if (d->context) release_device(d);
        if (d->context && reset && !d->lost) cudaDeviceReset();
    }
}

static void *retire_main(void *unused) {
    close_devices(true);
    ws_system_give_back(); // beside the lists; else the end of the process would do it
    return unused;
}

void ws_dev_retire(void) {
    if (pool.ndev && !pool.retiring) pool.retiring = pthread_create(&pool.retirer, NULL, retire_main, NULL) == 0;
}

void ws_dev_stop(void) {
    if (pool.retiring) pthread_join(pool.retirer, NULL);
    else close_devices(false);
    pool.retiring = false;
    for (int i = 0; i < pool.ndev; i++) pthread_mutex_destroy(&pool.dev[i].uploading);
    pool.ndev = 0;
}

// ---- 4 streams ----

static bool is_lent(const ws_device *d) { return d->open && !d->lost; }

// Returns the free stream that holds batch `id`, else any free one; NULL if there is none. Devices alternate, so that
// two workers do not share one while another is idle.
static ws_devstream *free_stream(uint64_t id) {
    ws_devstream *best = NULL;
    for (int j = 0; j < pool.streams; j++)
        for (int i = 0; i < pool.ndev; i++) {
            ws_devstream *s = &pool.stream[i * pool.streams + j];
            if (s->busy || !is_lent(&pool.dev[i])) continue;
            if (s->id == id) return s;
            if (!best) best = s;
        }
    return best;
}

// Tells whether no other thread that waits has an older batch: a batch that came first is needed first.
static bool is_first(uint64_t id) {
    for (const waiter *w = pool.waiting; w; w = w->next)
        if (w->id < id) return false;
    return true;
}

static void stop_waiting(const waiter *self) {
    waiter **w = &pool.waiting;
    while (*w != self) w = &(*w)->next;
    *w = self->next;
    pthread_cond_broadcast(&pool.freed); // the next one may be the first now
}

uint64_t ws_dev_identity(void) {
    return __atomic_add_fetch(&pool.identities, 1, __ATOMIC_RELAXED);
}

// Waits for a stream and takes it. Returns NULL if no device could be opened.
static ws_devstream *wait_for_stream(uint64_t id, ws_err *err) {
    ws_devstream *s = NULL;
    pthread_mutex_lock(&pool.lock);
    waiter self = {id, pool.waiting};
    pool.waiting = &self;
    while (!pool.failed.code && !(s = is_first(id) ? free_stream(id) : NULL))
        pthread_cond_wait(&pool.freed, &pool.lock);
    stop_waiting(&self);
    if (s) s->busy = true;
    else *err = pool.failed;
    pthread_mutex_unlock(&pool.lock);
    return s;
}

int ws_devstream_take(ws_devstream **out, uint64_t id, ws_err *err) {
    int rc;
    ws_devstream *s;
    do {
        if (!(s = wait_for_stream(id, err))) return err->code;
        (void)ws_cuda_failed(); // what failed before was no call's
        rc = ws_cuda_check(cudaSetDevice(s->dev->id), "choosing the device", err);
        if (!rc) rc = ws_devstream_begin(s, err);
    } while (rc && ws_devstream_give(s, rc, err));
    if (!rc) *out = s;
    return rc;
}

bool ws_devstream_give(ws_devstream *s, int rc, const ws_err *err) {
    ws_device *d = s->dev;
    const bool failed = rc == WS_EDEV && ws_cuda_failed();
    // a failed call may have left copies in flight, from memory that the next call overwrites
    if (s->in_used || s->nname) (void)cudaStreamSynchronize(s->stream);
    if (failed) (void)cudaGetLastError(); // else the first launch on another device would return it
    const bool lost = failed && lose(d, err);
    pthread_mutex_lock(&pool.lock);
    s->busy = false;
    pthread_cond_broadcast(&pool.freed);
    pthread_mutex_unlock(&pool.lock);
    return lost;
}

static int devices_left() { return pool.ndev - __atomic_load_n(&pool.nlost, __ATOMIC_RELAXED); }

int ws_dev_streams(void) { return devices_left() * pool.streams; }

int ws_dev_ready(void) {
    pthread_mutex_lock(&pool.lock);
    int nfree = 0;
    for (int i = 0; i < pool.ndev; i++)
        for (int j = 0; j < pool.streams; j++)
            nfree += is_lent(&pool.dev[i]) && !pool.stream[i * pool.streams + j].busy;
    // a returned stream belongs to a thread that already waits for it
    for (const waiter *w = pool.waiting; w; w = w->next) nfree--;
    const int ready = pool.failed.code || nfree > 0;
    pthread_mutex_unlock(&pool.lock);
    return ready;
}

static bool all_open(void) {
    for (int i = 0; i < pool.ndev; i++)
        if (!pool.dev[i].open && !pool.dev[i].lost) return false;
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

// Adds the time from `from` to `to` to *s, without the part before s->until, which another stream has counted. Calls
// end roughly in the order in which they began.
static void add_span(ws_devspan *s, double from, double to) {
    if (to <= s->until) return;
    s->sum += to - (from > s->until ? from : s->until);
    s->until = to;
}

void ws_devstream_clock(ws_devstream *s) {
    const cudaEvent_t event[] = {s->taken, s->start, s->end, s->fetched};
    float at[4], kernels;
    for (int i = 0; i < 4; i++)
        if (cudaEventElapsedTime(&at[i], s->dev->opened, event[i]) != cudaSuccess) return;
    if (cudaEventElapsedTime(&kernels, s->start, s->end) != cudaSuccess) return;
    pthread_mutex_lock(&pool.lock);
    pool.kernel_seconds += 1e-3 * (double)kernels;
    add_span(&s->dev->copies, (double)at[0], (double)at[1]);
    add_span(&s->dev->kernels, (double)at[1], (double)at[2]);
    add_span(&s->dev->copies, (double)at[2], (double)at[3]);
    pthread_mutex_unlock(&pool.lock);
}

ws_dev_times ws_dev_clock(void) {
    pthread_mutex_lock(&pool.lock);
    ws_dev_times t = {pool.ndev - pool.nlost, 0, 0, pool.kernel_seconds};
    for (int i = 0; i < pool.ndev; i++) {
        t.kernels += 1e-3 * pool.dev[i].kernels.sum;
        t.copies += 1e-3 * pool.dev[i].copies.sum;
    }
    pthread_mutex_unlock(&pool.lock);
    return t;
}

// Devices without a capability were lost at the start.
int ws_dev_capability(void) {
    int least = 0;
    for (const ws_device *d = pool.dev; d < pool.dev + pool.ndev; d++)
        if (d->capability && (!least || d->capability < least)) least = d->capability;
    return least;
}

size_t ws_dev_shared(void) {
    int least = 0;
    for (const ws_device *d = pool.dev; d < pool.dev + pool.ndev; d++)
        if (d->capability && (!least || d->shared_max < least)) least = d->shared_max;
    return (size_t)least;
}

int ws_dev_clusters(void) {
    int all = pool.ndev > 0;
    for (const ws_device *d = pool.dev; d < pool.dev + pool.ndev; d++) all &= d->clusters || !d->capability;
    return all;
}

// Appends the addresses of the devices that are lost, or of those that are not; before: what stands before the first.
static size_t add_addresses(char *text, size_t size, size_t n, bool lost, const char *before) {
    for (int i = 0; i < pool.ndev && n < size; i++) {
        if (pool.dev[i].lost != lost) continue;
        n += (size_t)snprintf(text + n, size - n, "%s %s", before, pool.dev[i].address);
        before = ",";
    }
    return n;
}

const char *ws_dev_name(void) {
    static char text[1024];
    cudaDeviceProp p;
    size_t n = 0;
    int first = 0;
    const int left = devices_left();
    while (first < pool.ndev && pool.dev[first].lost) first++;
    if (!left || cudaGetDeviceProperties(&p, pool.dev[first].id) != cudaSuccess) return "none";
    if (left > 1) n = (size_t)snprintf(text, sizeof text, "%d x ", left);
    n += (size_t)snprintf(text + n, sizeof text - n, "%s", p.name);
    n = add_addresses(text, sizeof text, n, false, " at");
    add_addresses(text, sizeof text, n, true, "; lost:");
    return text;
}
