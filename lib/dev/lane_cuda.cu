// SPDX-License-Identifier: MIT
// A lane's buffers, copies and launches, and the tables of targets on a device.
//
// Contents: 1 buffers; 2 copies and launches; 3 tables

#include "lib/dev/lane.cuh"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

// ---- 1 buffers ----

static int over_limit(const ws_device *d, ws_err *err) {
    return ws_fail(err, WS_EDEV, "--gpu-mem %zu is too little for batches of this size: give more, or a smaller --batch", d->limit);
}

static pthread_mutex_t account = PTHREAD_MUTEX_INITIALIZER;

// Takes `more` bytes of the device's limit, or gives them back if negative.
static int take_memory(ws_device *d, long long more, ws_err *err) {
    pthread_mutex_lock(&account);
    bool over = more > 0 && d->limit && d->used + (size_t)more > d->limit;
    if (!over) d->used = (size_t)((long long)d->used + more);
    pthread_mutex_unlock(&account);
    return over ? over_limit(d, err) : WS_OK;
}

// A quarter more than asked for, so that batches of about one size do not grow it again and again.
static size_t roomy(size_t n) { return (n + n / 4 + 4095) / 4096 * 4096; }

int ws_lane_room(ws_devlane *l, ws_devbuf *b, size_t n, ws_err *err) {
    if (n <= b->cap) return WS_OK;
    int rc = ws_lane_sync(l, err); // nothing may still use the old one
    if (rc) return rc;
    cudaFree(b->p);
    take_memory(l->dev, -(long long)b->cap, err);
    *b = {};
    size_t cap = roomy(n);
    if ((rc = take_memory(l->dev, (long long)cap, err))) return rc;
    if ((rc = ws_cuda_fail(cudaMalloc(&b->p, cap), "reserving memory", err))) {
        take_memory(l->dev, -(long long)cap, err);
        b->p = NULL;
        return rc;
    }
    b->cap = cap;
    return WS_OK;
}

int ws_lane_alloc(ws_devlane *l, size_t n, void **p, ws_err *err) {
    const size_t need = (n + 255) / 256 * 256;
    if (l->arena_used + need <= l->arena.cap) {
        *p = (char *)l->arena.p + l->arena_used;
        l->arena_used += need;
        return WS_OK;
    }
    if (l->nspill == WS_LANE_SPILLS) ws_bug("a call allocates too often");
    int rc = ws_lane_room(l, &l->spill[l->nspill], need, err);
    *p = l->spill[l->nspill].p;
    l->nspill += rc == WS_OK;
    return rc;
}

int ws_lane_reserve(ws_devlane *l, size_t n, ws_err *err) {
    if (l->arena_used) ws_bug("a call reserves after it allocates");
    return ws_lane_room(l, &l->arena, n, err);
}

int ws_lane_put(ws_devlane *l, const void *from, size_t n, void **p, ws_err *err) {
    int rc = ws_lane_alloc(l, n, p, err);
    return rc ? rc : ws_lane_send(l, *p, from, n, err);
}

// A new call: the arena is empty, and large enough for what the last one needed.
int ws_lane_begin(ws_devlane *l, ws_err *err) {
    size_t need = l->arena_used;
    l->in_used = 0;
    l->nname = 0;
    l->arena_used = 0;
    int rc = ws_cuda_fail(cudaEventRecord(l->taken, l->stream), "recording an event", err);
    if (rc || l->nspill == 0) return rc;
    for (; l->nspill > 0; l->nspill--) {
        ws_devbuf *b = &l->spill[l->nspill - 1];
        need += b->cap;
        cudaFree(b->p);
        take_memory(l->dev, -(long long)b->cap, err);
        *b = {};
    }
    return ws_lane_room(l, &l->arena, need, err);
}

// Pinned memory; copies from it may be under way, so they are waited for.
static int pinned_room(ws_devlane *l, ws_devbuf *b, size_t n, ws_err *err) {
    if (n <= b->cap) return WS_OK;
    int rc = ws_lane_sync(l, err);
    if (rc) return rc;
    cudaFreeHost(b->p);
    *b = {};
    size_t cap = roomy(n);
    cudaError_t e = cudaMallocHost(&b->p, cap);
    if (e == cudaSuccess) {
        b->cap = cap;
        return WS_OK;
    }
    b->p = NULL;
    if (e != cudaErrorMemoryAllocation) return ws_cuda_fail(e, "pinning memory", err);
    (void)cudaGetLastError();
    return ws_fail(err, WS_EDEV, "the host has no %zu bytes of memory to pin: a smaller --batch needs less", cap);
}

// ---- 2 copies and launches ----

int ws_lane_stage(ws_devlane *l, size_t n, char **p, ws_err *err) {
    enum { LINE = 64 };
    size_t need = (n + LINE - 1) / LINE * LINE;
    int rc = WS_OK;
    if (l->in_used + need > l->in.cap) {
        rc = l->in_used ? ws_lane_sync(l, err) : WS_OK; // from the start again
        l->in_used = 0;
        if (!rc) rc = pinned_room(l, &l->in, need, err);
    }
    *p = (char *)l->in.p + l->in_used;
    l->in_used += need;
    return rc;
}

int ws_lane_expect(ws_devlane *l, size_t n, ws_err *err) {
    return l->in_used + n <= l->in.cap ? WS_OK : pinned_room(l, &l->in, l->in_used + n, err);
}

int ws_lane_send(ws_devlane *l, void *to, const void *from, size_t n, ws_err *err) {
    char *p;
    if (n == 0) return WS_OK;
    int rc = ws_lane_stage(l, n, &p, err);
    if (rc) return rc;
    memcpy(p, from, n);
    return ws_cuda_fail(cudaMemcpyAsync(to, p, n, cudaMemcpyHostToDevice, l->stream), "copying to the device", err);
}

int ws_lane_fetch(ws_devlane *l, const void *from, size_t n, ws_err *err) {
    int rc = pinned_room(l, &l->back, n, err);
    if (rc) return rc;
    rc = ws_cuda_fail(cudaMemcpyAsync(l->back.p, from, n, cudaMemcpyDeviceToHost, l->stream), "copying from the device", err);
    return rc ? rc : ws_cuda_fail(cudaEventRecord(l->fetched, l->stream), "recording an event", err);
}

int ws_lane_sync(ws_devlane *l, ws_err *err) {
    cudaError_t e = cudaStreamSynchronize(l->stream);
    if (e == cudaSuccess) {
        l->nname = 0;
        l->in_used = 0;
        return WS_OK;
    }
    char names[256];
    size_t at = 0;
    for (int i = 0; i < l->nname && at < sizeof names; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "", l->name[i]);
    return ws_cuda_fail(e, at ? names : "a copy", err);
}

int ws_lane_launched(ws_devlane *l, const char *name, ws_err *err) {
    int rc = ws_cuda_fail(cudaGetLastError(), name, err);
    if (!rc && l->nname < WS_LANE_NAMES) l->name[l->nname++] = name;
    return rc;
}

int ws_cuda_shared(const void *kernel, size_t bytes, const char *name, ws_err *err) {
    const size_t always = 48 << 10;
    if (bytes <= always) return WS_OK;
    return ws_cuda_fail(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes), name, err);
}

// ---- 3 tables ----

int ws_table_create(ws_devtable *t, size_t size, ws_err *err) {
    *t = {};
    t->size = size;
    t->host = ws_calloc(size, 1, err);
    return t->host ? WS_OK : err->code;
}

void ws_table_destroy(ws_devtable *t) {
    ws_free(t->host);
    *t = {};
}

// n bytes (of padded tables) that stay until the devices are closed, cut from chunks.
static int lasting(ws_device *d, size_t n, void **p, ws_err *err) {
    const size_t CHUNK = 16 << 20;
    if (n > d->chunk_left) {
        size_t size = n > CHUNK ? n : CHUNK;
        int rc = ws_grow(&d->chunk, &d->chunk_cap, d->nchunk + 1, sizeof *d->chunk, err);
        if (!rc) rc = take_memory(d, (long long)size, err);
        if (!rc) rc = ws_cuda_fail(cudaMalloc(&d->chunk[d->nchunk], size), "reserving memory for the models", err);
        if (rc) return rc;
        d->chunk_at = (char *)d->chunk[d->nchunk++];
        d->chunk_left = size;
    }
    *p = d->chunk_at;
    d->chunk_at += n;
    d->chunk_left -= n;
    return WS_OK;
}

// Bytes of a table with what follows it up to the next one.
static size_t padded(size_t n) {
    const size_t ALIGN = 256;
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

// Puts table[0..n) side by side, in one copy: with 10,000 models and 84 proteins a call's time on an H200 fell from 0.34 to 0.19 s
// (bench/h200-2026-11-21.md).
static int put_together(ws_devlane *l, ws_devtable *const *table, size_t n, ws_err *err) {
    void *there;
    char *here;
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) bytes += padded(table[i]->size);
    int rc = lasting(l->dev, bytes, &there, err);
    if (!rc) rc = ws_lane_stage(l, bytes, &here, err);
    if (rc) return rc;
    for (size_t i = 0, at = 0; i < n; at += padded(table[i]->size), i++) memcpy(here + at, table[i]->host, table[i]->size);
    rc = ws_cuda_fail(cudaMemcpyAsync(there, here, bytes, cudaMemcpyHostToDevice, l->stream), "copying models", err);
    for (size_t i = 0, at = 0; i < n && !rc; at += padded(table[i]->size), i++) table[i]->at[l->dev->index] = (char *)there + at;
    return rc;
}

// Those of the n tables that are not on the lane's device; `absent` has room for n.
static int upload(ws_devlane *l, ws_devtable *const *table, size_t n, ws_devtable **absent, ws_err *err) {
    const size_t TOGETHER = 1 << 20; // a fraction of a chunk, whose end stays empty
    size_t nabsent = 0;
    for (size_t i = 0; i < n; i++)
        if (!table[i]->at[l->dev->index]) absent[nabsent++] = table[i];
    int rc = WS_OK;
    for (size_t i = 0, k; i < nabsent && !rc; i += k) {
        size_t bytes = padded(absent[i]->size);
        for (k = 1; i + k < nabsent && bytes + padded(absent[i + k]->size) <= TOGETHER; k++) bytes += padded(absent[i + k]->size);
        rc = put_together(l, absent + i, k, err);
    }
    return nabsent && !rc ? ws_lane_sync(l, err) : rc; // other lanes may use them as soon as the lock is open
}

int ws_lane_tables(ws_devlane *l, ws_devtable *const *table, size_t n, ws_err *err) {
    ws_devtable **absent = (ws_devtable **)ws_calloc(n, sizeof *absent, err);
    if (!absent) return WS_ENOMEM;
    pthread_mutex_lock(&l->dev->uploading);
    int rc = upload(l, table, n, absent, err);
    pthread_mutex_unlock(&l->dev->uploading);
    ws_free(absent);
    return rc;
}
