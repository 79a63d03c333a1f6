// SPDX-License-Identifier: MIT
// The "cuda" backends of filters: see kernels/filter/device.cuh.
//
// Contents: 1 models; 2 scores; 3 calls

#include "kernels/filter/device.cuh"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- 1 models ----

void ws_devfilter_release(void *prep) {
    ws_devmodel *m = (ws_devmodel *)prep;
    if (!m) return;
    for (ws_devtable &t : m->table) ws_devtable_destroy(&t);
    ws_filter_destroy(m->cpu);
    pthread_mutex_destroy(&m->lock);
    ws_free(m);
}

int ws_devfilter_prepare(const ws_backend *self, const ws_target *t, void **prep, ws_err *err) {
    const ws_devfilter *f = (const ws_devfilter *)self->own;
    *prep = NULL;
    void *form = ws_calloc(1, f->form->size, err);
    ws_devmodel *m = (ws_devmodel *)ws_calloc(1, f->size, err);
    int rc = form && m ? WS_OK : WS_ENOMEM;
    if (!rc) {
        m->filter = f;
        m->target = (const ws_hmm_target *)t->data;
        m->fit.shape = -1;
        pthread_mutex_init(&m->lock, NULL);
        rc = f->form->create(form, &m->target->profile, err);
        if (!rc) {
            rc = f->lay_out(m, form, err);
            f->form->destroy(form);
        }
    }
    ws_free(form);
    if (!rc) *prep = m;
    else if (m && m->filter) ws_devfilter_release(m);
    else ws_free(m);
    return rc;
}

// Returns the CPU's filter of a model, and makes it on the first call; NULL on failure.
static const ws_filter *cpu_filter(ws_devmodel *m, ws_err *err) {
    pthread_mutex_lock(&m->lock);
    if (!m->cpu) {
        ws_cpu cpu;
        ws_cpu_probe(&cpu);
        ws_filter_create(&m->cpu, m->filter->cpu[ws_cpu_best(&cpu)], &m->target->profile, err);
    }
    pthread_mutex_unlock(&m->lock);
    return m->cpu;
}

// ---- 2 scores ----

// Returns where the device's scores of a task lie: at the end of the room for the reported scores of 8 bytes each. So
// decode can convert them from the front without overwriting a score that it has not read.
static char *raw_of(const ws_task *t, size_t raw) { return (char *)((ws_fscore *)t->score + t->n) - raw * t->n; }

// Converts the device's scores of a task to reported scores. Returns the number of pairs that the device left
// undecided; their items go to place[].
static size_t decode(const ws_devmodel *m, const ws_seqs *seqs, const ws_task *t, uint32_t *place) {
    const ws_devfilter *f = m->filter;
    const ws_lenmodel *lm = (const ws_lenmodel *)seqs->perseq;
    ws_fscore *score = (ws_fscore *)t->score;
    const char *from = raw_of(t, f->raw);
    size_t n = 0;
    for (size_t j = 0; j < t->n; j++) {
        const size_t i = ws_task_item(t, j);
        const char *raw = from + f->raw * j; // read before score[j] is written over it
        if (f->undecided && seqs->len[i] && f->undecided(raw)) place[n++] = (uint32_t)j;
        score[j] = seqs->len[i] ? f->decode(m, &lm[i], raw) : ws_fscore{-INFINITY, WS_F_UNDERFLOW};
    }
    return n;
}

// Scores items place[0..n) of a task on the CPU.
static int rescore_on_cpu(ws_devmodel *m, const ws_seqs *seqs, const ws_task *t, const uint32_t *place, size_t n,
                          ws_buf *scratch, ws_err *err) {
    const ws_filter *f = cpu_filter(m, err);
    uint32_t *item = (uint32_t *)ws_calloc(n, sizeof *item, err);
    ws_fscore *score = (ws_fscore *)ws_calloc(n, sizeof *score, err);
    int rc = f && item && score ? WS_OK : err->code;
    if (!rc) {
        const ws_seqlist list = ws_seqlist_of(seqs, item, n);
        for (size_t i = 0; i < n; i++) item[i] = (uint32_t)ws_task_item(t, place[i]);
        rc = ws_filter_scores(f, &list, score, scratch, err);
    }
    for (size_t i = 0; i < n && !rc; i++) ((ws_fscore *)t->score)[place[i]] = score[i];
    ws_free(item);
    ws_free(score);
    return rc;
}

// Takes the kept pairs of a task, which begin at *k. Returns those of the next one.
static const ws_devkept *take_kept(const ws_seqs *seqs, const ws_task *t, uint32_t first, const ws_devkept *k,
                                   const ws_devkept *end) {
    const ws_devmodel *m = (const ws_devmodel *)t->prep;
    const ws_lenmodel *lm = (const ws_lenmodel *)seqs->perseq;
    size_t n = 0;
    for (; k < end && k->pair < first + t->n; k++, n++) {
        const size_t i = ws_task_item(t, k->pair - first);
        const uint16_t raw = (uint16_t)k->raw;
        t->kept->item[n] = (uint32_t)i;
        ((ws_fscore *)t->score)[n] = m->filter->decode(m, &lm[i], &raw);
        t->hint[n] = k->hint;
    }
    t->kept->n = n;
    return k;
}

static int finish(const ws_seqs *seqs, const ws_task *t, ws_buf *scratch, uint32_t *place, ws_err *err) {
    ws_devmodel *m = (ws_devmodel *)const_cast<void *>(t->prep);
    if (!m->filter->decode) {
        if (m->fit.shape < 0) memset(t->score, 0xff, m->filter->raw * t->n);
        return WS_OK;
    }
    if (m->fit.shape < 0) {
        const ws_filter *f = cpu_filter(m, err);
        const ws_seqlist list = ws_seqlist_of(seqs, t->item, t->n);
        return f ? ws_filter_scores(f, &list, (ws_fscore *)t->score, scratch, err) : err->code;
    }
    const size_t n = decode(m, seqs, t, place);
    return n ? rescore_on_cpu(m, seqs, t, place, n, scratch, err) : WS_OK;
}

// ---- 3 calls ----

int ws_devcall_zeros(ws_devcall *c, size_t n, void **p, ws_err *err) {
    int rc = ws_devstream_alloc(c->stream, n, p, err);
    return rc ? rc : ws_cuda_check(cudaMemsetAsync(*p, 0, n, c->stream->stream), "clearing memory", err);
}

// Takes a stream that holds the sequences, or loads them into it.
static int take(ws_devstream **out, const ws_seqs *seqs, ws_err *err) {
    ws_devstream *s = NULL;
    int rc = ws_devstream_take(&s, seqs->identity, err);
    if (rc) return rc;
    *out = s;
    if (seqs->identity && s->id == seqs->identity) return WS_OK;
    s->id = 0;
    rc = ws_devbatch_load(s, seqs, err);
    if (!rc) s->id = seqs->identity;
    return rc;
}

// Copies the tables of all models of a call to its device.
static int put_tables(const ws_devcall *c, ws_err *err) {
    ws_devtable **table = (ws_devtable **)ws_calloc(ws_devmodel::TABLES * c->ntask, sizeof *table, err);
    size_t n = 0;
    if (!table) return WS_ENOMEM;
    for (size_t t = 0; t < c->ntask; t++) {
        ws_devmodel *m = (ws_devmodel *)const_cast<void *>(c->task[t].prep);
        for (ws_devtable &one : m->table)
            if (one.host) table[n++] = &one;
    }
    int rc = ws_devstream_tables(c->stream, table, n, err);
    ws_free(table);
    return rc;
}

// Returns whether the caller wants the pairs alone that may pass, and every model has a gate by which the device can
// tell them: pairs above it get hints.
static bool may_screen(const ws_devcall *c) {
    bool may = c->task[0].hint;
    for (size_t t = 0; t < c->ntask && may; t++) {
        const ws_devmodel &m = ws_devmodel_of<ws_devmodel>(c->task[t]);
        may = c->task[t].kept && m.filter->screens && m.fit.shape >= 0 && m.target->gate.biased &&
              m.target->gate.least > -INFINITY;
    }
    return may;
}

// Limits the pairs of a call, and so the memory for scores.
enum { PAIR_BITS = 24, MOST_PAIRS = 1 << PAIR_BITS };

// Sorts n pairs by half of the bits of their numbers; those that are equal there keep their order.
static void sort_by_half(ws_devkept *to, const ws_devkept *from, size_t n, int shift) {
    enum { HALF = PAIR_BITS / 2, CLASSES = 1 << HALF };
    uint32_t start[CLASSES + 1] = {};
    for (size_t i = 0; i < n; i++) start[(from[i].pair >> shift & (CLASSES - 1)) + 1]++;
    for (int c = 0; c < CLASSES; c++) start[c + 1] += start[c];
    for (size_t i = 0; i < n; i++) to[start[from[i].pair >> shift & (CLASSES - 1)]++] = from[i];
}

// Fetches the pairs that may pass, in order, and the number of those in *n; SIZE_MAX: there is no room for so many, and
// all scores have to be fetched. The caller frees *kept.
static int fetch_kept(ws_devcall *c, ws_devkept **kept, size_t *n, ws_err *err) {
    ws_devstream *s = c->stream;
    uint32_t left_out;
    *n = SIZE_MAX;
    int rc = ws_devstream_fetch(s, c->screen.left_out, sizeof left_out, err);
    if (!rc) rc = ws_devstream_sync(s, err);
    if (rc) return rc;
    memcpy(&left_out, s->back.p, sizeof left_out);
    const uint32_t some = c->screen.pairs - left_out;
    if (some > c->screen.room) return WS_OK;
    if (some) rc = ws_devstream_fetch(s, c->screen.at, some * sizeof **kept, err);
    if (some && !rc) rc = ws_devstream_sync(s, err);
    if (!rc && !(*kept = (ws_devkept *)ws_alloc(2 * some * sizeof **kept + 1, err))) rc = WS_ENOMEM;
    if (rc) return rc;
    sort_by_half(*kept + some, (const ws_devkept *)s->back.p, some, 0);
    sort_by_half(*kept, *kept + some, some, PAIR_BITS / 2);
    *n = some;
    return WS_OK;
}

// Fetches all scores and hints by one copy; the hints lie behind `behind` bytes of scores.
static int fetch_all(const ws_devfilter *f, ws_devcall *c, size_t behind, size_t bytes, ws_err *err) {
    ws_devstream *s = c->stream;
    int rc = ws_devstream_fetch(s, s->out.p, bytes, err);
    if (!rc) rc = ws_devstream_sync(s, err);
    for (size_t t = 0; t < c->ntask && !rc; t++) {
        const char *back = (const char *)s->back.p;
        memcpy(raw_of(&c->task[t], f->raw), back + f->raw * c->first[t], f->raw * c->task[t].n);
        if (c->task[t].hint)
            memcpy(c->task[t].hint, back + behind + sizeof *c->hint * c->first[t], sizeof *c->hint * c->task[t].n);
    }
    return rc;
}

// Takes the finds of a call, whose number lies behind `head` bytes of what was fetched.
static int take_found(const ws_devfilter *f, ws_devcall *c, size_t head, ws_buf *list, ws_err *err) {
    ws_devstream *s = c->stream;
    uint32_t n;
    memcpy(&n, (const char *)s->back.p + head, sizeof n);
    if (n > c->finds.room) return f->take(c->task, c->ntask, NULL, 0, list, err);
    int rc = n ? ws_devstream_fetch(s, c->finds.at, n * sizeof *c->finds.at, err) : WS_OK;
    if (!rc) rc = ws_devstream_sync(s, err);
    return rc ? rc : f->take(c->task, c->ntask, (const ws_devfound *)s->back.p, n, list, err);
}

// Returns how many finds a call has room for, within a share of --gpu-mem. 600 windows of genes had some 60,000 points.
static size_t room_for_finds(const ws_devfilter *f, const ws_device *d, size_t npair) {
    enum { LEAST = 256 << 10, EACH = 64, MOST = 4 << 20, SHARE = 64 };
    const size_t most = d->limit ? ws_min(MOST, 1 + d->limit / SHARE / sizeof(ws_devfound)) : (size_t)MOST;
    return f->take ? ws_min(LEAST + EACH * npair, most) : 0;
}

// Runs a call. Leaves the pairs that may pass in *kept, if the device tells them: see fetch_kept.
static int call(const ws_devfilter *f, ws_devcall *c, ws_devkept **kept, size_t *n, ws_buf *list, ws_err *err) {
    enum { HEAD = 256 };
    ws_devstream *s = c->stream;
    const size_t npair = c->first[c->ntask], scores = f->raw * npair, behind = (scores + 255) / 256 * 256;
    const bool hints = c->task[0].hint;
    const size_t bytes = hints ? behind + sizeof *c->hint * npair : scores, head = (bytes + 255) / 256 * 256;
    const size_t room = may_screen(c) && npair <= MOST_PAIRS ? npair / 4 : 0; // more are fetched sooner with all scores
    const size_t finds = room_for_finds(f, s->dev, npair);
    const size_t behind_head = room * sizeof **kept + finds * sizeof *c->finds.at;
    int rc = ws_devstream_room(s, &s->out, head + (behind_head ? HEAD + behind_head : 0), err);
    if (behind_head && !rc) {
        char *at = (char *)s->out.p + head;
        if (room) c->screen = {(uint32_t *)at, (uint32_t *)at + 1, (ws_devkept *)(at + HEAD), (uint32_t)room, 0};
        else c->finds = {(ws_devfound *)(at + HEAD), (uint32_t *)at, (uint32_t)finds};
        rc = ws_cuda_check(cudaMemsetAsync(at, 0, HEAD, s->stream), "clearing counts", err);
    }
    if (!rc)
        rc = ws_cuda_check(cudaMemsetAsync(s->out.p, 0, hints ? behind : head, s->stream), "clearing scores", err);
    if (hints && !rc) {
        c->hint = (float *)((char *)s->out.p + behind);
        rc = ws_cuda_check(cudaMemsetAsync(c->hint, 0xff, sizeof *c->hint * npair, s->stream), "clearing hints", err);
    }
    if (!rc) rc = put_tables(c, err);
    if (!rc) rc = ws_cuda_check(cudaEventRecord(s->start, s->stream), "recording an event", err);
    if (!rc) rc = f->queue(c, err);
    if (!rc) rc = ws_cuda_check(cudaEventRecord(s->end, s->stream), "recording an event", err);
    if (!rc && room) rc = fetch_kept(c, kept, n, err);
    if (!rc && *n == SIZE_MAX) rc = fetch_all(f, c, behind, finds ? head + HEAD : bytes, err);
    if (!rc && finds) rc = take_found(f, c, head, list, err);
    if (!rc) ws_devstream_clock(s);
    return rc;
}

static int score_some(const ws_seqs *seqs, const ws_task *task, size_t ntask, ws_buf *scratch, ws_err *err) {
    uint32_t *first = (uint32_t *)ws_calloc(ntask + 1, sizeof *first, err);
    if (!first) return WS_ENOMEM;
    size_t most = 0;
    for (size_t t = 0; t < ntask; t++) {
        first[t + 1] = first[t] + (uint32_t)task[t].n;
        most = ws_max(most, task[t].n);
    }
    ws_devcall c;
    ws_devkept *kept = NULL;
    size_t n = SIZE_MAX;
    uint32_t *place = (uint32_t *)ws_calloc(most, sizeof *place, err);
    int rc = place ? WS_OK : WS_ENOMEM;
    bool again = !rc;
    while (again) {
        c = {NULL, seqs, task, ntask, first, NULL, {}, {}};
        rc = take(&c.stream, seqs, err);
        if (!rc) rc = call(ws_devmodel_of<ws_devmodel>(task[0]).filter, &c, &kept, &n, scratch, err);
        again = c.stream && ws_devstream_give(c.stream, rc, err);
    }
    const ws_devkept *k = kept;
    for (size_t t = 0; t < ntask && !rc; t++) {
        if (kept) k = take_kept(seqs, &task[t], first[t], k, kept + n);
        else rc = finish(seqs, &task[t], scratch, place, err);
    }
    ws_free(kept);
    ws_free(place);
    ws_free(first);
    return rc;
}

int ws_devfilter_score(const ws_seqs *seqs, const ws_task *task, size_t ntask, ws_buf *scratch, ws_err *err) {
    int rc = WS_OK;
    scratch->n = 0; // each part of a call appends what ws_devfilter.take keeps
    for (size_t t = 0, n = 0; t < ntask && !rc; t += n) {
        size_t pairs = 0;
        for (n = 0; t + n < ntask && (n == 0 || pairs + task[t + n].n <= (size_t)MOST_PAIRS); n++)
            pairs += task[t + n].n;
        rc = score_some(seqs, task + t, n, scratch, err);
    }
    return rc;
}
