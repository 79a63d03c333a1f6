// SPDX-License-Identifier: MIT
// A stream's buffers, copies and launches, and the tables of models on a device.
//
// Contents: 1 buffers; 2 copies and launches; 3 tables

#include "lib/base/system.h"
#include "lib/dev/stream.cuh"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- 1 buffers ----

static int over_limit(const ws_device *d, ws_err *err) {
    return ws_fail(err, WS_EDEV,
                   "--gpu-mem %zu is too little for a batch or volume of this size; give more, or use a CPU backend",
                   d->limit);
}

static pthread_mutex_t account = PTHREAD_MUTEX_INITIALIZER;

// Counts `more` bytes against the device's limit; negative returns them. Fails with WS_EDEV beyond the limit.
static int take_memory(ws_device *d, long long more, ws_err *err) {
    pthread_mutex_lock(&account);
    bool over = more > 0 && d->limit && d->used + (size_t)more > d->limit;
    if (!over) d->used = (size_t)((long long)d->used + more);
    pthread_mutex_unlock(&account);
    return over ? over_limit(d, err) : WS_OK;
}

// Returns n and a quarter more, so that batches of about one size do not enlarge a buffer repeatedly.
static size_t roomy(size_t n) { return (n + n / 4 + 4095) / 4096 * 4096; }

// Frees a buffer that no kernel uses. cudaFree would wait for the kernels of all streams, which may last long.
static void drop(ws_devstream *s, ws_devbuf *b, ws_err *err) {
    if (s->dev->pools && b->p) cudaFreeAsync(b->p, s->stream);
    else cudaFree(b->p);
    take_memory(s->dev, -(long long)b->cap, err);
    *b = {};
}

int ws_devstream_room(ws_devstream *s, ws_devbuf *b, size_t n, ws_err *err) {
    if (n <= b->cap) return WS_OK;
    int rc = ws_devstream_sync(s, err); // kernels may still use the old buffer
    if (rc) return rc;
    drop(s, b, err);
    size_t cap = roomy(n);
    if ((rc = take_memory(s->dev, (long long)cap, err))) return rc;
    const cudaError_t e = s->dev->pools ? cudaMallocAsync(&b->p, cap, s->stream) : cudaMalloc(&b->p, cap);
    if ((rc = ws_cuda_check(e, "reserving memory", err))) {
        take_memory(s->dev, -(long long)cap, err);
        b->p = NULL;
        return rc;
    }
    b->cap = cap;
    return WS_OK;
}

int ws_devstream_alloc(ws_devstream *s, size_t n, void **p, ws_err *err) {
    const size_t need = (n + 255) / 256 * 256;
    if (s->arena_used + need <= s->arena.cap) {
        *p = (char *)s->arena.p + s->arena_used;
        s->arena_used += need;
        return WS_OK;
    }
    if (s->nspill == WS_DEVSTREAM_SPILLS) ws_bug("a call allocates too often");
    int rc = ws_devstream_room(s, &s->spill[s->nspill], need, err);
    *p = s->spill[s->nspill].p;
    s->nspill += rc == WS_OK;
    return rc;
}

int ws_devstream_reserve(ws_devstream *s, size_t n, ws_err *err) {
    if (s->arena_used) ws_bug("a call reserves after it allocates");
    return ws_devstream_room(s, &s->arena, n, err);
}

int ws_devstream_put(ws_devstream *s, const void *from, size_t n, void **p, ws_err *err) {
    int rc = ws_devstream_alloc(s, n, p, err);
    return rc ? rc : ws_devstream_send(s, *p, from, n, err);
}

// Begins a call: empties the arena, and enlarges it to what the last call needed.
int ws_devstream_begin(ws_devstream *s, ws_err *err) {
    size_t need = s->arena_used;
    s->in_used = 0;
    s->nname = 0;
    s->arena_used = 0;
    int rc = ws_cuda_check(cudaEventRecord(s->taken, s->stream), "recording an event", err);
    if (rc || s->nspill == 0) return rc;
    for (; s->nspill > 0; s->nspill--) {
        ws_devbuf *b = &s->spill[s->nspill - 1];
        need += b->cap;
        drop(s, b, err);
    }
    return ws_devstream_room(s, &s->arena, need, err);
}

// Returns n bytes in *p, on large pages of a node of memory if they are many. The thread fills them before the driver
// pins them. *p is NULL on failure.
static cudaError_t registered(void **p, size_t n, int node) {
    const size_t PAGE = 4096, LARGE = 2 << 20, size = n < LARGE ? PAGE : LARGE, bytes = (n + size - 1) / size * size;
    if (posix_memalign(p, size, bytes) != 0) {
        *p = NULL;
        return cudaErrorMemoryAllocation;
    }
    if (n >= LARGE) ws_system_large_pages(*p, bytes);
    if (n >= LARGE) ws_system_prefer_node(*p, bytes, node);
    for (size_t i = 0; i < bytes; i += PAGE) ((volatile char *)*p)[i] = 0;
    const cudaError_t e = cudaHostRegister(*p, bytes, cudaHostRegisterDefault);
    if (e == cudaSuccess) return e;
    free(*p);
    *p = NULL;
    return e;
}

// Returns n bytes of pinned memory in *p, which the caller releases with ws_pinned_destroy. cudaMallocHost fills and
// pins small pages under a lock of the driver: four threads had 64 MB each after 29, 61, 95 and 121 ms. Large pages
// that their threads fill before they are pinned took 22 to 29 ms (pinned-h100.tsv).
static cudaError_t pinned_create(const ws_device *d, void **p, size_t n) {
    if (d->registers) return registered(p, n, d->node);
    const cudaError_t e = cudaMallocHost(p, n);
    if (e != cudaSuccess) *p = NULL;
    return e;
}

// A device that is lost does not let go of memory, which copies may still write: it stays until the process ends.
static void unregister(void *p) {
    if (cudaHostUnregister(p) == cudaSuccess) free(p);
}

void ws_pinned_destroy(const ws_device *d, void *p) {
    if (!p) return;
    if (d->registers) unregister(p);
    else cudaFreeHost(p);
}

bool ws_pinned_registers() {
    void *p;
    if (registered(&p, 1, -1) == cudaSuccess) {
        unregister(p);
        return true;
    }
    (void)cudaGetLastError();
    return false;
}

// Enlarges a buffer of pinned memory to twice its size or more, after waiting for copies in flight from it. The old one
// stays until the device closes, because cudaHostUnregister would wait for the kernels of all streams.
static int pinned_room(ws_devstream *s, ws_devbuf *b, size_t n, ws_err *err) {
    if (n <= b->cap) return WS_OK;
    int rc = ws_devstream_sync(s, err);
    if (!rc) rc = ws_grow(&s->old, &s->old_cap, s->nold + 1, sizeof *s->old, err);
    if (rc) return rc;
    size_t cap = ws_max(roomy(n), 2 * b->cap);
    if (b->p) s->old[s->nold++] = b->p;
    *b = {};
    cudaError_t e = pinned_create(s->dev, &b->p, cap);
    if (e == cudaSuccess) {
        b->cap = cap;
        return WS_OK;
    }
    rc = ws_cuda_check(e, "pinning memory", err);
    if (e != cudaErrorMemoryAllocation) return rc;
    return ws_fail(err, WS_EDEV, "cannot pin %zu bytes of host memory; use a smaller --batch or a CPU backend", cap);
}

// ---- 2 copies and launches ----

int ws_devstream_stage(ws_devstream *s, size_t n, char **p, ws_err *err) {
    enum { LINE = 64 };
    size_t need = (n + LINE - 1) / LINE * LINE;
    int rc = WS_OK;
    if (s->in_used + need > s->in.cap) {
        rc = s->in_used ? ws_devstream_sync(s, err) : WS_OK; // fill the buffer from its start again
        s->in_used = 0;
        if (!rc) rc = pinned_room(s, &s->in, need, err);
    }
    *p = (char *)s->in.p + s->in_used;
    s->in_used += need;
    return rc;
}

int ws_devstream_expect(ws_devstream *s, size_t n, ws_err *err) {
    return s->in_used + n <= s->in.cap ? WS_OK : pinned_room(s, &s->in, s->in_used + n, err);
}

int ws_devstream_send(ws_devstream *s, void *to, const void *from, size_t n, ws_err *err) {
    char *p;
    if (n == 0) return WS_OK;
    int rc = ws_devstream_stage(s, n, &p, err);
    if (rc) return rc;
    memcpy(p, from, n);
    return ws_cuda_check(cudaMemcpyAsync(to, p, n, cudaMemcpyHostToDevice, s->stream), "copying to the device", err);
}

int ws_devstream_fetch(ws_devstream *s, const void *from, size_t n, ws_err *err) {
    int rc = pinned_room(s, &s->back, n, err);
    if (rc) return rc;
    rc = ws_cuda_check(cudaMemcpyAsync(s->back.p, from, n, cudaMemcpyDeviceToHost, s->stream),
                       "copying from the device", err);
    return rc ? rc : ws_cuda_check(cudaEventRecord(s->fetched, s->stream), "recording an event", err);
}

int ws_devstream_sync(ws_devstream *s, ws_err *err) {
    cudaError_t e = cudaStreamSynchronize(s->stream);
    if (e == cudaSuccess) {
        s->nname = 0;
        s->in_used = 0;
        return WS_OK;
    }
    char names[256];
    size_t at = 0;
    for (int i = 0; i < s->nname && at < sizeof names; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "", s->name[i]);
    return ws_cuda_check(e, at ? names : "a copy", err);
}

int ws_devstream_fork(ws_devstream *s, int ways, ws_err *err) {
    s->ways = ways;
    return ws_cuda_check(cudaEventRecord(s->forked, s->stream), "recording an event", err);
}

int ws_cuda_stream(cudaStream_t *s, ws_err *err) {
    const cudaError_t e = cudaStreamCreateWithPriority(s, cudaStreamNonBlocking, WS_DEV_FIRST);
    return ws_cuda_check(e, "creating a stream", err);
}

int ws_devstream_side(ws_devstream *s, size_t k, ws_err *err) {
    const size_t way = k % (size_t)s->ways;
    int rc = WS_OK;
    s->launch = s->stream;
    if (way == 0) return WS_OK;
    ws_devside *d = &s->side[way - 1];
    if (!d->stream) rc = ws_cuda_stream(&d->stream, err);
    if (!rc && !d->joined) rc = ws_cuda_check(cudaEventCreate(&d->joined), "creating an event", err);
    if (!rc && !d->forked)
        rc = ws_cuda_check(cudaStreamWaitEvent(d->stream, s->forked, 0), "waiting for an event", err);
    if (rc) return rc;
    d->forked = true;
    s->launch = d->stream;
    return WS_OK;
}

int ws_devstream_join(ws_devstream *s, int rc, ws_err *err) {
    for (ws_devside &d : s->side) {
        if (!d.forked) continue;
        if (!rc) rc = ws_cuda_check(cudaEventRecord(d.joined, d.stream), "recording an event", err);
        if (!rc) rc = ws_cuda_check(cudaStreamWaitEvent(s->stream, d.joined, 0), "waiting for an event", err);
        d.forked = false;
    }
    // after a failure: kernels of the others use what the next call overwrites
    for (ws_devside &d : s->side)
        if (rc && d.stream) (void)cudaStreamSynchronize(d.stream);
    s->launch = s->stream;
    return rc;
}

int ws_devstream_launched(ws_devstream *s, const char *name, ws_err *err) {
    int rc = ws_cuda_check(cudaGetLastError(), name, err);
    if (!rc && s->nname < WS_DEVSTREAM_NAMES) s->name[s->nname++] = name;
    return rc;
}

// Threads launch a kernel side by side with other sizes. So each allows all that a block can have: a lower limit would
// fail the launch of another thread.
int ws_cuda_shared(const ws_device *d, const void *kernel, size_t bytes, const char *name, ws_err *err) {
    const size_t always = 47 << 10; // of 48 KB: a kernel has less than one of its own
    const cudaFuncAttribute limit = cudaFuncAttributeMaxDynamicSharedMemorySize;
    cudaFuncAttributes own = {};
    if (bytes <= always) return WS_OK;
    const int rc = ws_cuda_check(cudaFuncGetAttributes(&own, kernel), name, err);
    if (rc) return rc;
    return ws_cuda_check(cudaFuncSetAttribute(kernel, limit, d->shared_max - (int)own.sharedSizeBytes), name, err);
}

// ---- 3 tables ----

// Returns the bytes that a table of n gets, and its class of sizes: there are eight to an octave, at least ALIGN apart.
static size_t padded(size_t n, size_t *which = NULL) {
    const size_t ALIGN = 256, SHARE = 8;
    size_t step = ALIGN, octave = 0;
    for (; step * 2 * SHARE <= n; step *= 2) octave++;
    const size_t steps = (n + step - 1) / step;
    if (which) *which = octave * SHARE + steps;
    return steps * step;
}

// Memory of destroyed tables. A later table of the same class takes it, so the memory of a run with many models is that
// of those that it has at a time.
struct spares {
    void **at;
    size_t n, cap;
};
enum { CLASSES = 512 };
static struct {
    pthread_mutex_t lock;
    spares of[WS_DEV_MAX][CLASSES];
} spare = {PTHREAD_MUTEX_INITIALIZER, {}};

// Returns memory of a destroyed table for one of n bytes; NULL if there is none.
static void *take_spare(const ws_device *d, size_t n) {
    size_t which;
    void *p = NULL;
    padded(n, &which);
    pthread_mutex_lock(&spare.lock);
    for (size_t i = 0; !d->nchunk && i < CLASSES; i++) spare.of[d->index][i].n = 0; // of devices that were closed
    spares *s = &spare.of[d->index][which];
    if (s->n) p = s->at[--s->n];
    pthread_mutex_unlock(&spare.lock);
    return p;
}

// Keeps the memory of a table of n bytes. Without memory for this note it is lost until the devices close.
static void keep_spare(int index, size_t n, void *at) {
    size_t which;
    ws_err err;
    padded(n, &which);
    spares *s = &spare.of[index][which];
    pthread_mutex_lock(&spare.lock);
    if (ws_grow(&s->at, &s->cap, s->n + 1, sizeof *s->at, &err) == WS_OK) s->at[s->n++] = at;
    pthread_mutex_unlock(&spare.lock);
}

int ws_devtable_create(ws_devtable *t, size_t size, ws_err *err) {
    *t = {};
    t->size = size;
    t->host = ws_calloc(size, 1, err);
    return t->host ? WS_OK : err->code;
}

void ws_devtable_destroy(ws_devtable *t) {
    for (int i = 0; i < WS_DEV_MAX; i++)
        if (t->at[i]) keep_spare(i, t->size, t->at[i]);
    ws_free(t->host);
    *t = {};
}

// Returns n bytes (of padded tables) in *p that stay until the devices close, in the order of the stream. They come
// from chunks.
static int lasting(ws_devstream *s, size_t n, void **p, ws_err *err) {
    ws_device *d = s->dev;
    const size_t CHUNK = 16 << 20;
    if (n > d->chunk_left) {
        size_t size = n > CHUNK ? n : CHUNK;
        int rc = ws_grow(&d->chunk, &d->chunk_cap, d->nchunk + 1, sizeof *d->chunk, err);
        if (!rc) rc = take_memory(d, (long long)size, err);
        // cudaMalloc waits for kernels of all streams: a tenth of a second beside the domains of genomes
        void **chunk = &d->chunk[d->nchunk];
        if (!rc)
            rc = ws_cuda_check(d->pools ? cudaMallocAsync(chunk, size, s->stream) : cudaMalloc(chunk, size),
                               "reserving memory for the models", err);
        if (rc) return rc;
        d->chunk_at = (char *)d->chunk[d->nchunk++];
        d->chunk_left = size;
    }
    *p = d->chunk_at;
    d->chunk_at += n;
    d->chunk_left -= n;
    return WS_OK;
}

// Copies table[0..n) together in one copy. With 10,000 models and 84 proteins this cut a call on an H200 from 0.34 to
// 0.19 s (bench/README.md).
static int put_together(ws_devstream *s, ws_devtable *const *table, size_t n, ws_err *err) {
    void *there;
    char *here;
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) bytes += padded(table[i]->size);
    int rc = lasting(s, bytes, &there, err);
    if (!rc) rc = ws_devstream_stage(s, bytes, &here, err);
    if (rc) return rc;
    for (size_t i = 0, at = 0; i < n; at += padded(table[i]->size), i++)
        memcpy(here + at, table[i]->host, table[i]->size);
    rc = ws_cuda_check(cudaMemcpyAsync(there, here, bytes, cudaMemcpyHostToDevice, s->stream), "copying models", err);
    for (size_t i = 0, at = 0; i < n && !rc; at += padded(table[i]->size), i++)
        table[i]->at[s->dev->index] = (char *)there + at;
    return rc;
}

// Copies a table to memory of a destroyed one.
static int put_again(ws_devstream *s, ws_devtable *t, void *there, ws_err *err) {
    const int rc = ws_devstream_send(s, there, t->host, t->size, err);
    if (rc) keep_spare(s->dev->index, t->size, there);
    else t->at[s->dev->index] = there;
    return rc;
}

// Copies those of the n tables that the device lacks; `absent` has room for n.
static int upload(ws_devstream *s, ws_devtable *const *table, size_t n, ws_devtable **absent, ws_err *err) {
    const size_t TOGETHER = 1 << 20; // a fraction of a chunk, because the end of a chunk stays empty
    const size_t PINNED = 8 << 20;   // one sync for so many bytes
    size_t nabsent = 0, again = 0, bytes = 0;
    for (size_t i = 0; i < n; i++)
        if (!table[i]->at[s->dev->index]) bytes += padded(table[i]->size);
    int rc = bytes ? ws_devstream_expect(s, bytes < PINNED ? bytes : PINNED, err) : WS_OK;
    for (size_t i = 0; i < n && !rc; i++) {
        if (table[i]->at[s->dev->index]) continue;
        void *there = take_spare(s->dev, table[i]->size);
        if (!there) absent[nabsent++] = table[i];
        else rc = put_again(s, table[i], there, err);
        again += there != NULL;
    }
    for (size_t i = 0, k; i < nabsent && !rc; i += k) {
        bytes = padded(absent[i]->size);
        for (k = 1; i + k < nabsent && bytes + padded(absent[i + k]->size) <= TOGETHER; k++)
            bytes += padded(absent[i + k]->size);
        rc = put_together(s, absent + i, k, err);
    }
    // other streams may use the tables, and what is left of a chunk, as soon as the lock is free
    if (nabsent + again && !rc) rc = ws_devstream_sync(s, err);
    if (rc) s->dev->chunk_left = 0;
    return rc;
}

int ws_devstream_tables(ws_devstream *s, ws_devtable *const *table, size_t n, ws_err *err) {
    ws_devtable **absent = (ws_devtable **)ws_calloc(n, sizeof *absent, err);
    if (!absent) return WS_ENOMEM;
    pthread_mutex_lock(&s->dev->uploading);
    int rc = upload(s, table, n, absent, err);
    pthread_mutex_unlock(&s->dev->uploading);
    ws_free(absent);
    return rc;
}
