// SPDX-License-Identifier: MIT
// Faults of a device on demand, linked before the CUDA runtime (ld --wrap, tests/fault/cuda.wrap) into copies of the
// tools in build/fault/, which make install leaves out. WS_FAULT says how, as for shim.c:
//
//   KIND=N    device-memory  the N-th cudaMalloc has none
//             pinned         the N-th cudaHostRegister or cudaMallocHost pins nothing
//             launch         the N-th launch of a kernel fails
//             choice         the N-th cudaSetDevice fails
//             context        the N-th cudaFree(NULL) that makes a context fails
//             lost           at the N-th wait for a stream the device is lost: this and every later call fails
//             gone           the same at the N-th call of any function
//             call           the N-th call of any function fails, later ones do not
//             trap           after the N-th kernel another one traps: a fault of the device itself, seen at some later
// call
//
// WS_FAULT_DEVICE=N: only calls of device N count and fail, by the driver's numbers: those of threads that have chosen
// it, and of functions that are told its number.
// WS_FAULT_FAKE=N: there are N devices, which are memory of the host; CUDA_VISIBLE_DEVICES may hide some. The processor
// runs the kernels of the domain stage (tests/fault/dom.cu). The Viterbi filter decides nothing, so the host scores
// (tests/fault/vit.cu). Other kernels do nothing: their scores are of no use, but the same from run to run. That is
// enough to see what a fault does where there is no device. WS_FAULT_LOG as in shim.c, but for a y in place of the x
// when the fault comes after the first scores of a fake device.
// WS_FAULT_CALLS=FILE gets the name of each function that is called, one to a line; with WS_FAULT_REGISTERED also of
// the one that tells the runtime of a file's kernels, which the files of this folder call at the start.
// WS_FAULT_CLOCK=N: a thread's processor time is N milliseconds more at each look. So --backend auto opens a device
// after the same batch in every run, however fast or busy the machine is.
// WS_FAULT_INTEL: the processor is taken for one of Intel's, for which backends of the CPU leave out pairs.
#include <cuda_runtime.h>

#include <atomic>
#include <mutex>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/fault/kind.h"

static long fakes, tick; // WS_FAULT_CLOCK
static int only = -1;    // WS_FAULT_DEVICE
enum { FAKES = 16 };
static int visible[FAKES], nvisible; // numbers of fake devices, as the driver found them when it started

static std::atomic<long> calls, count;
static std::atomic<bool> lost, asked, answered; // the first copy from a device was begun, has arrived
static std::atomic<bool> begun;                 // device `only` was opened, or has failed
static thread_local cudaError_t pending; // of this thread's last launch
static thread_local bool trapping;
static thread_local int current; // the device that this thread has chosen

__attribute__((constructor)) static void configure(void) {
    const char *what = getenv("WS_FAULT"), *fake = getenv("WS_FAULT_FAKE"), *look = getenv("WS_FAULT_CLOCK");
    const char *device = getenv("WS_FAULT_DEVICE");
    if (fake) fakes = strtol(fake, NULL, 10);
    if (look) tick = strtol(look, NULL, 10);
    if (device) only = (int)strtol(device, NULL, 10);
    ask_for(what);
}

static thread_local bool opening; // this thread has given a device its flags, and made no context yet

// Returns whether cudaFree(p) makes a context. At the end of a run it frees buffers that were never made.
static bool makes_context(const void *p) {
    const bool makes = !p && opening;
    opening = opening && !makes;
    return makes;
}

// Other devices open after that of WS_FAULT_DEVICE, so that this one has the first call.
static void give_way(const char *name) {
    opening = opening || strcmp(name, "cudaSetDeviceFlags") == 0;
    if (only < 0) return;
    if (current == only && strcmp(name, "cudaEventRecord") == 0) begun = true;
    const bool waits = current != only && strcmp(name, "cudaSetDeviceFlags") == 0;
    for (int ms = 0; waits && !begun && ms < 5000; ms++) usleep(1000);
}

static void strike(void) {
    begun = true;
    const char *log = getenv("WS_FAULT_LOG");
    FILE *f = log ? fopen(log, "a") : NULL;
    if (!f) return;
    fputc(answered ? 'y' : 'x', f);
    fclose(f);
}

static void record(const char *name) {
    const char *path = getenv("WS_FAULT_CALLS");
    FILE *f = path ? fopen(path, "a") : NULL;
    if (!f) return;
    fprintf(f, "%s\n", name);
    fclose(f);
}

extern "C" int __real_clock_gettime(clockid_t id, struct timespec *t);
extern "C" int __wrap_clock_gettime(clockid_t id, struct timespec *t) {
    static thread_local long looks;
    if (!tick || id != CLOCK_THREAD_CPUTIME_ID) return __real_clock_gettime(id, t);
    const long ms = ++looks * tick;
    t->tv_sec = ms / 1000;
    t->tv_nsec = ms % 1000 * 1000000;
    return 0;
}

static bool due(const char *what, std::atomic<long> *counter) {
    if (!is(what) || counter->fetch_add(1) + 1 != number) return false;
    strike();
    return true;
}

// Finds the fake devices. As the driver does, it ends the list at the first number that there is not.
static void start_driver(void) {
    static bool started;
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    if (started) return;
    started = true;
    for (int i = 0; !list && i < fakes && i < FAKES; i++) visible[nvisible++] = i;
    for (const char *p = list; p && *p && nvisible < FAKES;) {
        char *end;
        const long id = strtol(p, &end, 10);
        if (end == p || id < 0 || id >= fakes) return;
        visible[nvisible++] = (int)id;
        p = end + (*end == ',');
    }
}

// Returns what this call of a function of its kind (NULL: none) returns in place of its work, or cudaSuccess.
static cudaError_t fault(const char *own, cudaError_t e, int device) {
    if (fakes) start_driver();
    if (trapping || (only >= 0 && device != only)) return cudaSuccess;
    if (due("call", &calls)) return cudaErrorUnknown;
    if (due("gone", &calls)) lost = true;
    if (own && due(own, &count)) {
        if (is("lost")) lost = true;
        else return e;
    }
    return lost ? cudaErrorIllegalAddress : cudaSuccess;
}

// Calls of a fake device come one after the other, so that whatever had its answer before a fault is known to have it.
static std::mutex order;

#define WRAP(name, own, error, parameters, arguments, faked) \
    WRAP_OF(current, name, own, error, parameters, arguments, faked)
#define WRAP_OF(device, name, own, error, parameters, arguments, faked)     \
    extern "C" cudaError_t __real_##name parameters;                        \
    extern "C" cudaError_t __wrap_##name parameters {                       \
        give_way(#name);                                                    \
        std::unique_lock<std::mutex> alone(order, std::defer_lock);         \
        if (fakes) alone.lock();                                            \
        record(#name);                                                      \
        const cudaError_t bad = fault(own, error, device);                  \
        return bad != cudaSuccess ? bad : fakes ? (faked) : __real_##name arguments; \
    }
#define PLAIN(name, parameters, arguments, faked) WRAP(name, NULL, cudaSuccess, parameters, arguments, faked)
#define PLAIN_OF(device, name, parameters, arguments, faked) \
    WRAP_OF(device, name, NULL, cudaSuccess, parameters, arguments, faked)
enum { NONE = -1 }; // of a call that is of no device

template <class T> static cudaError_t give(T *to, T value) {
    *to = value;
    return cudaSuccess;
}

// Memory that no copy and no kernel has written yet has numbers that are none.
static cudaError_t take(void **p, size_t n) {
    if (!(*p = malloc(n))) return cudaErrorMemoryAllocation;
    memset(*p, 0xff, n);
    return cudaSuccess;
}

static cudaError_t drop(void *p) {
    free(p);
    return cudaSuccess;
}

static cudaError_t fill(void *p, int byte, size_t n) {
    memset(p, byte, n);
    return cudaSuccess;
}

static cudaError_t copy(void *to, const void *from, size_t n, cudaMemcpyKind way) {
    memcpy(to, from, n);
    if (way == cudaMemcpyDeviceToHost) asked = true;
    return cudaSuccess;
}

static cudaError_t wait() {
    if (asked) answered = true;
    return cudaSuccess;
}

static int choose(int id) { return current = id; }

// Compute capability 99.0, for which the PTX of every build would do.
static int attribute(cudaDeviceAttr what) {
    switch (what) {
    case cudaDevAttrComputeCapabilityMajor: return 99;
    case cudaDevAttrMultiProcessorCount: return 132;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return 227 << 10;
    case cudaDevAttrMemoryPoolsSupported: return 1;
    default: return 0;
    }
}

static cudaError_t describe(cudaDeviceProp *p) {
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "Fake");
    return cudaSuccess;
}

static cudaError_t address(char *to, int n, int id) {
    snprintf(to, (size_t)n, "0000:%02d:00.0", visible[id] + 1);
    return cudaSuccess;
}

// Returns how many devices there are, and records how the driver would load kernels.
static int devices_found(void) {
    static const char variable[] = "CUDA_MODULE_LOADING";
    const char *value = getenv(variable);
    char line[64];
    snprintf(line, sizeof line, "%s=%s", variable, value ? value : "");
    record(line);
    return nvisible;
}

PLAIN_OF(id, cudaGetDeviceProperties, (cudaDeviceProp *p, int id), (p, id), describe(p))
PLAIN_OF(id, cudaDeviceGetPCIBusId, (char *to, int n, int id), (to, n, id), address(to, n, id))
PLAIN_OF(NONE, cudaDriverGetVersion, (int *v), (v), give(v, CUDART_VERSION))
PLAIN(cudaMemGetInfo, (size_t *some, size_t *all), (some, all), give(some, *all = (size_t)1 << 30))
PLAIN_OF(NONE, cudaGetDeviceCount, (int *n), (n), give(n, devices_found()))
PLAIN_OF(id, cudaDeviceGetAttribute, (int *v, cudaDeviceAttr what, int id), (v, what, id), give(v, attribute(what)))
WRAP_OF(id, cudaSetDevice, "choice", cudaErrorUnknown, (int id), (choose(id)), (choose(id), cudaSuccess))
PLAIN(cudaDeviceReset, (), (), cudaSuccess)
PLAIN(cudaSetDeviceFlags, (unsigned flags), (flags), cudaSuccess)
PLAIN(cudaStreamCreateWithPriority, (cudaStream_t *s, unsigned flags, int n), (s, flags, n),
      give(s, (cudaStream_t)&fakes))
PLAIN(cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t e, unsigned flags), (s, e, flags), cudaSuccess)
PLAIN(cudaStreamDestroy, (cudaStream_t s), (s), cudaSuccess)
PLAIN(cudaEventCreate, (cudaEvent_t *e), (e), give(e, (cudaEvent_t)&fakes))
PLAIN(cudaEventDestroy, (cudaEvent_t e), (e), cudaSuccess)
PLAIN(cudaEventRecord, (cudaEvent_t e, cudaStream_t s), (e, s), cudaSuccess)
PLAIN(cudaEventElapsedTime, (float *ms, cudaEvent_t a, cudaEvent_t b), (ms, a, b), give(ms, 0.0F))
PLAIN(cudaFuncGetAttributes, (cudaFuncAttributes *a, const void *f), (a, f), cudaSuccess)
PLAIN(cudaFuncSetAttribute, (const void *f, cudaFuncAttribute a, int v), (f, a, v), cudaSuccess)
PLAIN(cudaOccupancyMaxActiveBlocksPerMultiprocessor, (int *n, const void *f, int threads, size_t shared),
      (n, f, threads, shared), give(n, 2))
WRAP(cudaFree, makes_context(p) ? "context" : NULL, cudaErrorUnknown, (void *p), (p), drop(p))
PLAIN(cudaFreeAsync, (void *p, cudaStream_t s), (p, s), drop(p))
PLAIN(cudaFreeHost, (void *p), (p), drop(p))
PLAIN(cudaHostUnregister, (void *p), (p), cudaSuccess)
PLAIN_OF(id, cudaDeviceGetDefaultMemPool, (cudaMemPool_t *m, int id), (m, id), give(m, (cudaMemPool_t)&fakes))
PLAIN(cudaMemPoolSetAttribute, (cudaMemPool_t m, cudaMemPoolAttr what, void *v), (m, what, v), cudaSuccess)
WRAP(cudaMallocAsync, "device-memory", cudaErrorMemoryAllocation, (void **p, size_t n, cudaStream_t s), (p, n, s),
     take(p, n))
PLAIN(cudaMemsetAsync, (void *p, int byte, size_t n, cudaStream_t s), (p, byte, n, s), fill(p, byte, n))
PLAIN(cudaMemcpyAsync, (void *to, const void *from, size_t n, cudaMemcpyKind way, cudaStream_t s),
      (to, from, n, way, s), copy(to, from, n, way))
WRAP(cudaMalloc, "device-memory", cudaErrorMemoryAllocation, (void **p, size_t n), (p, n), take(p, n))
WRAP(cudaMallocHost, "pinned", cudaErrorMemoryAllocation, (void **p, size_t n), (p, n), take(p, n))
WRAP(cudaHostRegister, "pinned", cudaErrorMemoryAllocation, (void *p, size_t n, unsigned flags), (p, n, flags),
     fill(p, 0xff, n))
WRAP(cudaStreamSynchronize, "lost", cudaErrorIllegalAddress, (cudaStream_t s), (s), wait())

// ---- launches: what <<<>>> becomes, which is one or the other by the version of CUDA, and how its failure is asked
// for ----

__global__ void ws_fault_trap() { asm("trap;"); }

static cudaError_t launched(cudaError_t e, cudaStream_t s) {
    if (trapping) return e;
    if (e != cudaSuccess) pending = e;
    else if ((only < 0 || current == only) && due("trap", &count)) {
        trapping = true;
        ws_fault_trap<<<1, 1, 0, s>>>();
        trapping = false;
    }
    return e;
}

static cudaError_t fault_alone(const char *own, cudaError_t e) {
    std::unique_lock<std::mutex> alone(order, std::defer_lock);
    if (fakes) alone.lock();
    return fault(own, e, current);
}

#define LAUNCH_PARAMETERS dim3 grid, dim3 block, void **a, size_t shared, cudaStream_t s
#define LAUNCH(name, handle)                                                                                         \
    extern "C" __attribute__((weak)) cudaError_t __real_##name(handle k, LAUNCH_PARAMETERS);                         \
    extern "C" cudaError_t __wrap_##name(handle k, LAUNCH_PARAMETERS) {                                              \
        const cudaError_t bad = fault_alone("launch", cudaErrorLaunchOutOfResources); \
        return launched(bad != cudaSuccess ? bad \
                        : fakes ? cudaSuccess : __real_##name(k, grid, block, a, shared, s), s); \
    }
LAUNCH(cudaLaunchKernel, const void *)
LAUNCH(__cudaLaunchKernel, cudaKernel_t)

// The kernels that tests/fault/dom.cu and vit.cu know are run by the processor.
extern "C" void ws_fault_run(const cudaLaunchConfig_t *config, const void *kernel, void **a);
extern "C" void ws_fault_viterbi(const void *kernel, void **a, uint32_t blocks);
static cudaError_t run_fake(const cudaLaunchConfig_t *config, const void *kernel, void **a) {
    uint32_t cluster = 1;
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) cluster = config->attrs[i].val.clusterDim.x;
    ws_fault_run(config, kernel, a);
    ws_fault_viterbi(kernel, a, config->gridDim.x / cluster);
    return cudaSuccess;
}

extern "C" cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *f, void **a);
extern "C" cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *f, void **a) {
    const cudaError_t bad = fault_alone("launch", cudaErrorLaunchOutOfResources);
    return launched(bad != cudaSuccess ? bad
                    : fakes            ? run_fake(config, f, a)
                                       : __real_cudaLaunchKernelExC(config, f, a),
                    config->stream);
}

extern "C" __attribute__((weak)) cudaError_t __real___cudaGetKernel(cudaKernel_t *k, const void *f);
extern "C" cudaError_t __wrap___cudaGetKernel(cudaKernel_t *k, const void *f) {
    return fakes ? give(k, (cudaKernel_t)f) : __real___cudaGetKernel(k, f);
}

// The kernels of a file are told to the runtime.
extern "C" void **__real___cudaRegisterFatBinary(void *image);
extern "C" void **__wrap___cudaRegisterFatBinary(void *image) {
    if (getenv("WS_FAULT_REGISTERED")) record("__cudaRegisterFatBinary");
    return __real___cudaRegisterFatBinary(image);
}

extern "C" cudaError_t __real_cudaGetLastError(void);
extern "C" cudaError_t __wrap_cudaGetLastError(void) {
    const cudaError_t e = pending != cudaSuccess ? pending : fault_alone(NULL, cudaSuccess);
    pending = cudaSuccess;
    return e != cudaSuccess || fakes ? e : __real_cudaGetLastError();
}

extern "C" int __real_ws_cpu_has_dear_maxima(void);
extern "C" int __wrap_ws_cpu_has_dear_maxima(void) {
    if (!getenv("WS_FAULT_INTEL")) return __real_ws_cpu_has_dear_maxima();
    record("ws_cpu_has_dear_maxima");
    return 1;
}
