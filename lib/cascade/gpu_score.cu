// SPDX-License-Identifier: MIT
// The score callback of the "cuda" backends: see lib/cascade/gpu_score.cuh.

#include "lib/cascade/gpu_score.cuh"

#include <math.h>
#include <string.h>

const ws_backend *ws_dev_host(const ws_devhost *h) {
    ws_machine m = {};
    const char *why;
    ws_cpu_probe(&m.cpu);
    for (const ws_backend *b : h->backend)
        if (b->usable(&m, &why)) return b;
    ws_bug("no backend on the host");
}

// The device's scores of a task stand at the end of the room for the reported ones (8 bytes each), so that turning the former
// into the latter from the front never meets what was not read yet.
static char *raw_of(const ws_task *t, size_t raw) { return (char *)((ws_fscore *)t->score + t->n) - raw * t->n; }

static void decode(const ws_devkernel *k, const ws_batch *b, const ws_lenmodel *lm, const ws_task *t, uint32_t *open, size_t *nopen) {
    ws_fscore *score = (ws_fscore *)t->score;
    const char *from = raw_of(t, k->raw);
    for (size_t j = 0; j < t->n; j++) {
        const size_t i = ws_task_item(t, j);
        const char *raw = from + k->raw * j; // read before score[j] is written over it
        if (k->unsure && b->len[i] && k->unsure(raw)) open[(*nopen)++] = (uint32_t)j;
        score[j] = b->len[i] ? k->decode(t->prep, &lm[i], raw) : ws_fscore{-INFINITY, WS_F_UNDERFLOW};
    }
}

// Pairs that the device could not decide, by the host.
static int settle(const ws_devkernel *k, const ws_batch *b, const ws_task *t, const uint32_t *open, size_t nopen, ws_lane *lane,
                  ws_err *err) {
    ws_task host = *t;
    if (!(host.prep = k->host_prep(t->prep, err))) return err->code;
    for (size_t i = 0; i < nopen; i++) {
        const uint32_t item = (uint32_t)ws_task_item(t, open[i]);
        host.item = &item;
        host.n = 1;
        host.score = (ws_fscore *)t->score + open[i];
        int rc = ws_dev_host(k->host)->score(b, &host, 1, lane, err);
        if (rc) return rc;
    }
    return WS_OK;
}

static int finish(const ws_devkernel *k, const ws_batch *b, const ws_task *t, ws_lane *lane, uint32_t *open, ws_err *err) {
    size_t nopen = 0;
    if (k->on_host(t->prep)) {
        ws_task host = *t;
        host.prep = k->host_prep(t->prep, err);
        return host.prep ? ws_dev_host(k->host)->score(b, &host, 1, lane, err) : err->code;
    }
    decode(k, b, (const ws_lenmodel *)lane->perseq.p, t, open, &nopen);
    return nopen ? settle(k, b, t, open, nopen, lane, err) : WS_OK;
}

// The batch's `device` member is for this; threads with different parts of the work may be here at once.
static uint64_t identity(const ws_batch *b) {
    void **device = &const_cast<ws_batch *>(b)->device, *none = NULL;
    if (!__atomic_load_n(device, __ATOMIC_ACQUIRE))
        __atomic_compare_exchange_n(device, &none, (void *)(uintptr_t)ws_lane_identity(), false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return (uint64_t)(uintptr_t)__atomic_load_n(device, __ATOMIC_ACQUIRE);
}

// A lane with the batch in it.
static int take(ws_devlane **out, const ws_batch *b, const ws_lenmodel *lm, ws_err *err) {
    const uint64_t id = identity(b);
    ws_devlane *l = NULL;
    int rc = ws_lane_take(&l, id, err);
    if (rc) return rc;
    *out = l;
    if (l->id == id) return WS_OK;
    l->id = 0;
    rc = ws_gpu_load(l, b, lm, err);
    if (!rc) l->id = id;
    return rc;
}

static int score_some(const ws_devkernel *k, const ws_batch *b, const ws_task *task, size_t ntask, ws_lane *lane, ws_err *err) {
    uint32_t *first = (uint32_t *)ws_calloc(ntask + 1, sizeof *first, err), *open = NULL;
    ws_devlane *l = NULL;
    if (!first) return WS_ENOMEM;
    size_t most = 0;
    for (size_t t = 0; t < ntask; t++) {
        first[t + 1] = first[t] + (uint32_t)task[t].n;
        most = ws_max(most, task[t].n);
    }
    int rc = WS_OK;
    if (k->unsure && !(open = (uint32_t *)ws_calloc(most, sizeof *open, err))) rc = WS_ENOMEM;
    if (!rc) rc = take(&l, b, (const ws_lenmodel *)lane->perseq.p, err);
    const size_t npair = first[ntask];
    const bool hints = task[0].hint;
    const size_t raws = hints ? ws_dev_behind(k->raw * npair) : k->raw * npair, bytes = raws + (hints ? sizeof(float) * npair : 0);
    if (!rc) rc = ws_lane_room(l, &l->out, bytes, err);
    if (!rc) rc = ws_cuda_fail(cudaMemsetAsync(l->out.p, 0, raws, l->stream), "clearing scores", err);
    float *const hint = hints && !rc ? ws_dev_hints(l, k->raw, npair) : NULL;
    if (hint) rc = ws_cuda_fail(cudaMemsetAsync(hint, 0xff, sizeof *hint * npair, l->stream), "clearing hints", err);
    if (!rc) rc = ws_cuda_fail(cudaEventRecord(l->start, l->stream), "recording an event", err);
    if (!rc) rc = k->queue(l, b, task, first, ntask, err);
    if (!rc) rc = ws_cuda_fail(cudaEventRecord(l->end, l->stream), "recording an event", err);
    if (!rc) rc = ws_lane_fetch(l, l->out.p, bytes, err);
    if (!rc) rc = ws_lane_sync(l, err);
    if (!rc) ws_lane_clock(l);
    for (size_t t = 0; t < ntask && !rc; t++) {
        const char *back = (const char *)l->back.p, *hint_back = back + ((const char *)hint - (const char *)l->out.p);
        memcpy(raw_of(&task[t], k->raw), back + k->raw * first[t], k->raw * task[t].n);
        if (hint) memcpy(task[t].hint, hint_back + sizeof *hint * first[t], sizeof *hint * task[t].n);
    }
    if (l) ws_lane_give(l);
    for (size_t t = 0; t < ntask && !rc; t++) rc = finish(k, b, &task[t], lane, open, err);
    ws_free(open);
    ws_free(first);
    return rc;
}

// At most so many pairs a call, which bounds the memory for scores.
static const size_t MOST_PAIRS = 16 << 20;

int ws_dev_score(const ws_devkernel *k, const ws_batch *b, const ws_task *task, size_t ntask, ws_lane *lane, ws_err *err) {
    int rc = WS_OK;
    for (size_t t = 0, n = 0; t < ntask && !rc; t += n) {
        size_t pairs = 0;
        for (n = 0; t + n < ntask && (n == 0 || pairs + task[t + n].n <= MOST_PAIRS); n++) pairs += task[t + n].n;
        rc = score_some(k, b, task + t, n, lane, err);
    }
    return rc;
}
