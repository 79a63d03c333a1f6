// SPDX-License-Identifier: MIT
// A lane's buffers, the batch and work lists in them, and the tables of targets on a device.
//
// Contents: 1 buffers; 2 copies and launches; 3 the batch and its lists; 4 tables; 5 units

#include "lib/dev/group.cuh"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
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
    if (l->nspill == 0) return WS_OK;
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
    if ((rc = ws_cuda_fail(cudaMallocHost(&b->p, cap), "pinning memory", err))) {
        b->p = NULL;
        return rc;
    }
    b->cap = cap;
    return WS_OK;
}

// ---- 2 copies and launches ----

// n bytes of pinned memory that nothing uses until the next sync.
static int stage(ws_devlane *l, size_t n, char **p, ws_err *err) {
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

int ws_lane_send(ws_devlane *l, void *to, const void *from, size_t n, ws_err *err) {
    char *p;
    if (n == 0) return WS_OK;
    int rc = stage(l, n, &p, err);
    if (rc) return rc;
    memcpy(p, from, n);
    return ws_cuda_fail(cudaMemcpyAsync(to, p, n, cudaMemcpyHostToDevice, l->stream), "copying to the device", err);
}

int ws_lane_fetch(ws_devlane *l, const void *from, size_t n, ws_err *err) {
    int rc = pinned_room(l, &l->back, n, err);
    if (rc) return rc;
    return ws_cuda_fail(cudaMemcpyAsync(l->back.p, from, n, cudaMemcpyDeviceToHost, l->stream), "copying from the device", err);
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

// ---- 3 the batch and its lists ----

// Lists are sorted by counting: length in words, all that are longer than a piece in one class, which is sorted afterwards.
enum { CLASSES = 2048 };

static uint32_t words_of(uint32_t len) { return (uint32_t)ws_batch_words(len); }

static int longer(const void *a, const void *b) {
    const ws_devitem *x = (const ws_devitem *)a, *y = (const ws_devitem *)b;
    if (x->words != y->words) return x->words > y->words ? -1 : 1;
    return x->out < y->out ? -1 : x->out > y->out;
}

// Items of the n sequences of a task into `item`, longest first; returns how many. cut: in pieces.
static size_t make_list(ws_devitem *item, const ws_batch *b, const uint32_t *seq, size_t n, bool cut) {
    size_t start[CLASSES + 1] = {}, total = 0;
    const uint32_t most = cut ? (uint32_t)WS_PIECE_WORDS : UINT32_MAX;
    for (size_t j = 0; j < n; j++) {
        uint32_t words = words_of(b->len[seq ? seq[j] : j]);
        uint32_t full = cut ? words / most : 0, rest = words - full * most;
        if (full) start[CLASSES - most] += full; // class CLASSES - words: descending
        total += full;
        if (rest || !full) {
            start[rest < CLASSES ? CLASSES - rest : 0]++;
            total++;
        }
    }
    size_t at = 0;
    for (int c = 0; c <= CLASSES; c++) {
        size_t count = start[c];
        start[c] = at;
        at += count;
    }
    size_t giants = start[1];
    for (size_t j = 0; j < n; j++) {
        uint32_t s = seq ? seq[j] : (uint32_t)j, words = words_of(b->len[s]), from = 0;
        do {
            uint32_t take = words - from < most ? words - from : most;
            item[start[take < CLASSES ? CLASSES - take : 0]++] = {s, (uint32_t)j, from, take};
            from += take;
        } while (from < words);
    }
    qsort(item, giants, sizeof *item, longer);
    return total;
}

static size_t list_room(const ws_batch *b, const uint32_t *seq, size_t n, bool cut) {
    size_t room = n;
    for (size_t j = 0; j < n && cut; j++) room += words_of(b->len[seq ? seq[j] : j]) / WS_PIECE_WORDS;
    return room;
}

int ws_lane_load(ws_devlane *l, const ws_batch *b, const ws_lenmodel *lm, ws_err *err) {
    enum { SLACK = 64 }; // kernels read a few words beyond the end
    if (b->nword + SLACK > UINT32_MAX) return ws_fail(err, WS_EDEV, "a batch of %zu words is too large for a device: use a smaller --batch", b->nword);
    size_t pieces = list_room(b, NULL, b->n, true);
    char *p;
    int rc = pinned_room(l, &l->in, b->nword * 4 + b->n * sizeof(ws_devseq) + (b->n + pieces) * sizeof(ws_devitem) + 1024, err);
    if (!rc) rc = ws_lane_room(l, &l->words, (b->nword + SLACK) * 4, err);
    if (!rc) rc = ws_lane_room(l, &l->seqs, b->n * sizeof(ws_devseq), err);
    if (!rc) rc = ws_lane_room(l, &l->items, (b->n + pieces) * sizeof(ws_devitem), err);
    if (!rc) rc = ws_lane_send(l, l->words.p, b->word, b->nword * 4, err);
    if (!rc) rc = ws_cuda_fail(cudaMemsetAsync((uint32_t *)l->words.p + b->nword, 0xff, SLACK * 4, l->stream), "filling memory", err);
    if (!rc) rc = stage(l, b->n * sizeof(ws_devseq), &p, err);
    if (rc) return rc;
    ws_devseq *seq = (ws_devseq *)p;
    for (size_t i = 0; i < b->n; i++)
        seq[i] = {(uint32_t)b->first[i], b->len[i], (int16_t)lm[i].tjb, (int16_t)lm[i].wmove, lm[i].pmove, lm[i].ploop};
    rc = ws_cuda_fail(cudaMemcpyAsync(l->seqs.p, p, b->n * sizeof *seq, cudaMemcpyHostToDevice, l->stream), "copying sequences", err);
    if (!rc) rc = stage(l, (b->n + pieces) * sizeof(ws_devitem), &p, err);
    if (rc) return rc;
    ws_devitem *item = (ws_devitem *)p, *there = (ws_devitem *)l->items.p;
    l->whole = {there, (uint32_t)make_list(item, b, NULL, b->n, false)};
    l->pieces = {there + b->n, (uint32_t)make_list(item + b->n, b, NULL, b->n, true)};
    return ws_cuda_fail(cudaMemcpyAsync(there, item, (b->n + pieces) * sizeof *item, cudaMemcpyHostToDevice, l->stream), "copying lists", err);
}

int ws_lane_lists(ws_devlane *l, const ws_batch *b, const ws_task *task, size_t ntask, bool cut, ws_devlist *list, ws_err *err) {
    size_t room = 0, at = 0;
    for (size_t t = 0; t < ntask; t++)
        if (task[t].item) room += list_room(b, task[t].item, task[t].n, cut);
    for (size_t t = 0; t < ntask; t++) list[t] = cut ? l->pieces : l->whole;
    if (room == 0) return WS_OK;
    char *p;
    void *there_p;
    int rc = ws_lane_alloc(l, room * sizeof(ws_devitem), &there_p, err);
    if (!rc) rc = stage(l, room * sizeof(ws_devitem), &p, err);
    if (rc) return rc;
    ws_devitem *item = (ws_devitem *)p, *there = (ws_devitem *)there_p;
    for (size_t t = 0; t < ntask; t++) {
        if (!task[t].item) continue;
        size_t n = make_list(item + at, b, task[t].item, task[t].n, cut);
        list[t] = {there + at, (uint32_t)n};
        at += n;
    }
    return ws_cuda_fail(cudaMemcpyAsync(there, item, at * sizeof *item, cudaMemcpyHostToDevice, l->stream), "copying lists", err);
}

// ---- 4 tables ----

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

// Memory that stays until the devices are closed, cut from chunks.
static int lasting(ws_device *d, size_t n, void **p, ws_err *err) {
    const size_t ALIGN = 256, CHUNK = 16 << 20;
    size_t need = (n + ALIGN - 1) / ALIGN * ALIGN;
    if (need > d->chunk_left) {
        size_t size = need > CHUNK ? need : CHUNK;
        int rc = ws_grow(&d->chunk, &d->chunk_cap, d->nchunk + 1, sizeof *d->chunk, err);
        if (!rc) rc = take_memory(d, (long long)size, err);
        if (!rc) rc = ws_cuda_fail(cudaMalloc(&d->chunk[d->nchunk], size), "reserving memory for the models", err);
        if (rc) return rc;
        d->chunk_at = (char *)d->chunk[d->nchunk++];
        d->chunk_left = size;
    }
    *p = d->chunk_at;
    d->chunk_at += need;
    d->chunk_left -= need;
    return WS_OK;
}

static int upload(ws_devlane *l, ws_devtable *const *table, size_t n, ws_err *err) {
    ws_device *d = l->dev;
    bool any = false;
    int rc = WS_OK;
    for (size_t i = 0; i < n && !rc; i++) {
        if (table[i]->at[d->index]) continue;
        void *p = NULL;
        rc = lasting(d, table[i]->size, &p, err);
        if (!rc) rc = ws_lane_send(l, p, table[i]->host, table[i]->size, err);
        if (!rc) table[i]->at[d->index] = p;
        any = true;
    }
    return any && !rc ? ws_lane_sync(l, err) : rc; // other lanes may use them as soon as the lock is open
}

int ws_lane_tables(ws_devlane *l, ws_devtable *const *table, size_t n, ws_err *err) {
    pthread_mutex_lock(&l->dev->uploading);
    int rc = upload(l, table, n, err);
    pthread_mutex_unlock(&l->dev->uploading);
    return rc;
}

// ---- 5 units ----

int ws_units_make(ws_units *u, const ws_devlist *list, const uint32_t *task, const uint32_t *per_block, size_t ntask, ws_err *err) {
    size_t most = 0, total = 0;
    for (size_t i = 0; i < ntask; i++) {
        size_t chunks = (list[task[i]].n + per_block[i] - 1) / per_block[i];
        total += chunks;
        most = ws_max(most, chunks);
    }
    int rc = ws_grow(&u->unit, &u->cap, u->n + total, sizeof *u->unit, err);
    if (rc) return rc;
    for (size_t c = 0; c < most; c++)
        for (size_t i = 0; i < ntask; i++)
            if (c * per_block[i] < list[task[i]].n) u->unit[u->n++] = {task[i], (uint32_t)c};
    return WS_OK;
}
