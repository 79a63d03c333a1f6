// SPDX-License-Identifier: MIT
// A batch on a device, the work lists made of it, and the units of work of a launch: see lib/cascade/gpu.cuh.
//
// Contents: 1 the batch and its lists; 2 units; 3 lists that blocks take from

#include "lib/cascade/gpu.cuh"

#include <stdlib.h>

// ---- 1 the batch and its lists ----

// Lists are sorted by counting: length in words, all that are longer than a piece in one class, which is sorted afterwards.
enum { CLASSES = 2048 };

static uint32_t words_of(uint32_t len) { return (uint32_t)ws_batch_words(len); }

static int longer(const void *a, const void *b) {
    const ws_devitem *x = (const ws_devitem *)a, *y = (const ws_devitem *)b;
    if (x->words != y->words) return x->words > y->words ? -1 : 1;
    return x->out < y->out ? -1 : x->out > y->out;
}

// Words of a piece of a sequence of that many: all pieces of about one length, because a short rest would keep a warp of
// short sequences waiting for the rows that it overlaps.
static uint32_t piece_of(uint32_t words, bool cut) {
    const uint32_t most = WS_PIECE_WORDS, n = cut ? (words + most - 1) / most : 1;
    return n > 1 ? (words + n - 1) / n : words;
}

// Items of the n sequences of a task into `item`, longest first; returns how many. cut: in pieces. Sequences without residues have
// none: nobody reads their scores, and blocks of a cluster that share one would have nothing to wait for before the next.
static size_t make_list(ws_devitem *item, const ws_batch *b, const uint32_t *seq, size_t n, bool cut) {
    size_t start[CLASSES + 1] = {}, total = 0;
    for (size_t j = 0; j < n; j++) {
        uint32_t words = words_of(b->len[seq ? seq[j] : j]), piece = piece_of(words, cut);
        while (words) {
            uint32_t take = words < piece ? words : piece;
            start[take < CLASSES ? CLASSES - take : 0]++; // descending
            words -= take;
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
        uint32_t s = seq ? seq[j] : (uint32_t)j, words = words_of(b->len[s]), piece = piece_of(words, cut), from = 0;
        while (from < words) {
            uint32_t take = words - from < piece ? words - from : piece;
            item[start[take < CLASSES ? CLASSES - take : 0]++] = {s, (uint32_t)j, from, take};
            from += take;
        }
    }
    qsort(item, giants, sizeof *item, longer);
    return total;
}

static size_t list_room(const ws_batch *b, const uint32_t *seq, size_t n, bool cut) {
    size_t room = n;
    for (size_t j = 0; j < n && cut; j++) room += words_of(b->len[seq ? seq[j] : j]) / WS_PIECE_WORDS;
    return room;
}

int ws_gpu_load(ws_devlane *l, const ws_batch *b, const ws_lenmodel *lm, ws_err *err) {
    enum { SLACK = 64 }; // kernels read a few words beyond the end
    if (b->nword + SLACK > UINT32_MAX)
        return ws_fail(err, WS_EDEV, "a batch of %zu words is too large for a device: use a smaller --batch", b->nword);
    size_t pieces = list_room(b, NULL, b->n, true);
    char *p;
    int rc = ws_lane_expect(l, b->nword * 4 + b->n * sizeof(ws_devseq) + (b->n + pieces) * sizeof(ws_devitem) + 1024, err);
    if (!rc) rc = ws_lane_room(l, &l->kept[WS_KEPT_WORDS], (b->nword + SLACK) * 4, err);
    if (!rc) rc = ws_lane_room(l, &l->kept[WS_KEPT_SEQS], b->n * sizeof(ws_devseq), err);
    if (!rc) rc = ws_lane_room(l, &l->kept[WS_KEPT_ITEMS], (b->n + pieces) * sizeof(ws_devitem), err);
    if (!rc) rc = ws_lane_send(l, l->kept[WS_KEPT_WORDS].p, b->word, b->nword * 4, err);
    uint32_t *words = (uint32_t *)l->kept[WS_KEPT_WORDS].p;
    if (!rc) rc = ws_cuda_fail(cudaMemsetAsync(words + b->nword, 0xff, SLACK * 4, l->stream), "filling memory", err);
    if (!rc) rc = ws_lane_stage(l, b->n * sizeof(ws_devseq), &p, err);
    if (rc) return rc;
    ws_devseq *seq = (ws_devseq *)p;
    for (size_t i = 0; i < b->n; i++)
        seq[i] = {(uint32_t)b->first[i], b->len[i], (int16_t)lm[i].tjb, (int16_t)lm[i].wmove, lm[i].pmove, lm[i].ploop};
    void *seqs = l->kept[WS_KEPT_SEQS].p;
    rc = ws_cuda_fail(cudaMemcpyAsync(seqs, p, b->n * sizeof *seq, cudaMemcpyHostToDevice, l->stream), "copying sequences", err);
    if (!rc) rc = ws_lane_stage(l, (b->n + pieces) * sizeof(ws_devitem), &p, err);
    if (rc) return rc;
    ws_devitem *item = (ws_devitem *)p, *there = (ws_devitem *)l->kept[WS_KEPT_ITEMS].p;
    l->counts[0] = make_list(item, b, NULL, b->n, false);
    l->counts[1] = make_list(item + b->n, b, NULL, b->n, true);
    l->counts[2] = b->n;
    const size_t bytes = (b->n + pieces) * sizeof *item;
    return ws_cuda_fail(cudaMemcpyAsync(there, item, bytes, cudaMemcpyHostToDevice, l->stream), "copying lists", err);
}

static ws_devlist whole_list(const ws_devlane *l, bool cut) {
    const ws_devitem *item = (const ws_devitem *)l->kept[WS_KEPT_ITEMS].p;
    return cut ? ws_devlist{item + l->counts[2], (uint32_t)l->counts[1]} : ws_devlist{item, (uint32_t)l->counts[0]};
}

int ws_gpu_lists(ws_devlane *l, const ws_batch *b, const ws_task *task, size_t ntask, bool cut, ws_devlist *list, ws_err *err) {
    size_t room = 0, at = 0;
    for (size_t t = 0; t < ntask; t++)
        if (task[t].item) room += list_room(b, task[t].item, task[t].n, cut);
    for (size_t t = 0; t < ntask; t++) list[t] = whole_list(l, cut);
    if (room == 0) return WS_OK;
    char *p;
    void *there_p;
    int rc = ws_lane_alloc(l, room * sizeof(ws_devitem), &there_p, err);
    if (!rc) rc = ws_lane_stage(l, room * sizeof(ws_devitem), &p, err);
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

// ---- 2 units ----

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

// ---- 3 lists that blocks take from ----

int ws_work_begin(ws_devwork *w, ws_devlane *l, const ws_batch *b, const ws_task *task, size_t ntask, ws_err *err) {
    if (!(w->list = (ws_devlist *)ws_calloc(ntask, sizeof *w->list, err))) return WS_ENOMEM;
    if (!(w->pick = (uint32_t *)ws_calloc(2 * ntask, sizeof *w->pick, err))) return WS_ENOMEM;
    w->per_block = w->pick + ntask;
    void *taken = NULL;
    const size_t bytes = ntask * sizeof *w->taken;
    int rc = ws_gpu_lists(l, b, task, ntask, false, w->list, err);
    if (!rc) rc = ws_lane_alloc(l, bytes, &taken, err);
    w->taken = (uint32_t *)taken;
    return rc ? rc : ws_cuda_fail(cudaMemsetAsync(taken, 0, bytes, l->stream), "clearing counters", err);
}

void ws_work_end(ws_devwork *w) {
    ws_free(w->list);
    ws_free(w->pick);
    ws_free(w->units.unit);
}

int ws_work_units(ws_devwork *w, ws_devlane *l, size_t n, const ws_devunit **unit, uint32_t *nunit, ws_err *err) {
    enum { BLOCKS = 64 }; // for each multiprocessor; it holds 2 to 7, the others come late and leave
    double blocks = 0;
    for (size_t i = 0; i < n; i++) blocks += (double)w->list[w->pick[i]].n / w->per_block[i];
    const double times = blocks / (l->dev->sms * BLOCKS);
    for (size_t i = 0; i < n && times > 1; i++) w->per_block[i] = (uint32_t)(w->per_block[i] * times);
    w->units.n = 0;
    void *there = NULL;
    int rc = ws_units_make(&w->units, w->list, w->pick, w->per_block, n, err);
    if (!rc && w->units.n) rc = ws_lane_put(l, w->units.unit, w->units.n * sizeof(ws_devunit), &there, err);
    *unit = (const ws_devunit *)there;
    *nunit = (uint32_t)w->units.n;
    return rc;
}
