// SPDX-License-Identifier: MIT
// See kernels/filter/batch.cuh.

#include "kernels/filter/batch.cuh"

#include <stdlib.h>

// Lists are sorted by counting: one class for each length in words. One class has all sequences longer than a stretch,
// and is sorted afterwards.
enum { CLASSES = 2048 };

static uint32_t words_of(uint32_t len) { return (uint32_t)ws_batch_words(len); }

static int longer(const void *a, const void *b) {
    const ws_devitem *x = (const ws_devitem *)a, *y = (const ws_devitem *)b;
    if (x->words != y->words) return x->words > y->words ? -1 : 1;
    return x->out < y->out ? -1 : x->out > y->out;
}

// Returns the words of a stretch of a sequence of `words` words. All stretches have about equal length: warps of short
// sequences would wait for a short rest, because of the rows it overlaps.
static uint32_t stretch_of(uint32_t words, bool cut) {
    const uint32_t most = WS_STRETCH_WORDS, n = cut ? (words + most - 1) / most : 1;
    return n > 1 ? (words + n - 1) / n : words;
}

// Writes the items of the n sequences of a task to `item`, longest first, and returns their number. cut: long sequences
// in stretches. Sequences without residues get no item: nothing reads their scores, and the blocks of a cluster need
// residues to stay in step.
static size_t make_list(ws_devitem *item, const ws_seqs *seqs, const uint32_t *seq, size_t n, bool cut) {
    size_t start[CLASSES + 1] = {}, total = 0;
    for (size_t j = 0; j < n; j++) {
        uint32_t words = words_of(seqs->len[seq ? seq[j] : j]), stretch = stretch_of(words, cut);
        while (words) {
            uint32_t take = words < stretch ? words : stretch;
            start[take < CLASSES ? CLASSES - take : 0]++; // in descending order of length
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
        uint32_t s = seq ? seq[j] : (uint32_t)j, words = words_of(seqs->len[s]), stretch = stretch_of(words, cut),
                 from = 0;
        while (from < words) {
            uint32_t take = words - from < stretch ? words - from : stretch;
            item[start[take < CLASSES ? CLASSES - take : 0]++] = {s, (uint32_t)j, from, take};
            from += take;
        }
    }
    qsort(item, giants, sizeof *item, longer);
    return total;
}

static size_t list_room(const ws_seqs *seqs, const uint32_t *seq, size_t n, bool cut) {
    size_t room = n;
    for (size_t j = 0; j < n && cut; j++) room += words_of(seqs->len[seq ? seq[j] : j]) / WS_STRETCH_WORDS;
    return room;
}

int ws_devbatch_load(ws_devstream *s, const ws_seqs *seqs, ws_err *err) {
    enum { SLACK = 64 }; // words beyond the end that kernels may read
    if (seqs->nword + SLACK > UINT32_MAX)
        return ws_fail(err, WS_EDEV, "a batch of %zu words is too large for a device: use a smaller --batch",
                       seqs->nword);
    size_t stretches = list_room(seqs, NULL, seqs->n, true);
    char *p;
    const size_t bytes = (seqs->n + stretches) * sizeof(ws_devitem);
    int rc = ws_devstream_expect(s, seqs->nword * 4 + seqs->n * sizeof(ws_devseq) + bytes + 1024, err);
    if (!rc) rc = ws_devstream_room(s, &s->kept[WS_KEPT_WORDS], (seqs->nword + SLACK) * 4, err);
    if (!rc) rc = ws_devstream_room(s, &s->kept[WS_KEPT_SEQS], seqs->n * sizeof(ws_devseq), err);
    if (!rc) rc = ws_devstream_room(s, &s->kept[WS_KEPT_ITEMS], bytes, err);
    if (!rc) rc = ws_devstream_send(s, s->kept[WS_KEPT_WORDS].p, seqs->word, seqs->nword * 4, err);
    uint32_t *words = (uint32_t *)s->kept[WS_KEPT_WORDS].p;
    void *behind = words + seqs->nword;
    if (!rc) rc = ws_cuda_check(cudaMemsetAsync(behind, 0xff, SLACK * 4, s->stream), "filling memory", err);
    if (!rc) rc = ws_devstream_stage(s, seqs->n * sizeof(ws_devseq), &p, err);
    if (rc) return rc;
    ws_devseq *seq = (ws_devseq *)p;
    const ws_lenmodel *lm = (const ws_lenmodel *)seqs->perseq;
    for (size_t i = 0; i < seqs->n; i++)
        seq[i] = {(uint32_t)seqs->first[i], seqs->len[i], (int16_t)lm[i].tjb,
                  (int16_t)lm[i].wmove, lm[i].pmove, lm[i].ploop};
    void *to = s->kept[WS_KEPT_SEQS].p;
    const size_t of_seqs = seqs->n * sizeof *seq;
    rc = ws_cuda_check(cudaMemcpyAsync(to, p, of_seqs, cudaMemcpyHostToDevice, s->stream), "copying sequences", err);
    if (!rc) rc = ws_devstream_stage(s, bytes, &p, err);
    if (rc) return rc;
    ws_devitem *item = (ws_devitem *)p, *there = (ws_devitem *)s->kept[WS_KEPT_ITEMS].p;
    s->counts[0] = make_list(item, seqs, NULL, seqs->n, false);
    s->counts[1] = make_list(item + seqs->n, seqs, NULL, seqs->n, true);
    s->counts[2] = seqs->n;
    return ws_cuda_check(cudaMemcpyAsync(there, item, bytes, cudaMemcpyHostToDevice, s->stream), "copying lists", err);
}

static ws_devlist whole_list(const ws_devstream *s, bool cut) {
    const ws_devitem *item = (const ws_devitem *)s->kept[WS_KEPT_ITEMS].p;
    return cut ? ws_devlist{item + s->counts[2], (uint32_t)s->counts[1]} : ws_devlist{item, (uint32_t)s->counts[0]};
}

int ws_devbatch_lists(ws_devstream *s, const ws_seqs *seqs, const ws_task *task, size_t ntask, bool cut,
                      ws_devlist *list, ws_err *err) {
    size_t room = 0, at = 0;
    for (size_t t = 0; t < ntask; t++)
        if (task[t].item) room += list_room(seqs, task[t].item, task[t].n, cut);
    for (size_t t = 0; t < ntask; t++) list[t] = whole_list(s, cut);
    if (room == 0) return WS_OK;
    char *p;
    void *there_p;
    int rc = ws_devstream_alloc(s, room * sizeof(ws_devitem), &there_p, err);
    if (!rc) rc = ws_devstream_stage(s, room * sizeof(ws_devitem), &p, err);
    if (rc) return rc;
    ws_devitem *item = (ws_devitem *)p, *there = (ws_devitem *)there_p;
    for (size_t t = 0; t < ntask; t++) {
        if (!task[t].item) continue;
        size_t n = make_list(item + at, seqs, task[t].item, task[t].n, cut);
        list[t] = {there + at, (uint32_t)n};
        at += n;
    }
    return ws_cuda_check(cudaMemcpyAsync(there, item, at * sizeof *item, cudaMemcpyHostToDevice, s->stream),
                         "copying lists", err);
}
