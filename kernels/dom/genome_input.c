/* SPDX-License-Identifier: MIT
 * The reader of nhmmsieve: batches of whole records, worked on in parts of about a block each. */
#include "kernels/dom/genome.h"
#include "lib/base/number.h"
#include "lib/io/seqread.h"
#include "lib/run/message.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef struct item {
    ws_batch batch;
    ws_long_units units;
    ws_genome_found *found; /* [units.nparts] */
    size_t found_cap;
} item;

/* Residues of a part whose strands a device marks. More would make run-ins rarer, but leave threads without work. */
enum { DEVICE_PART = 8 << 20 };

/* What one thread needs. */
typedef struct worker {
    ws_dom_worker *dom;
    ws_long_worker search;
} worker;

typedef struct reader {
    ws_seqread *input;
    ws_seqread_conf conf;
    ws_long_cut cut;
    worker *worker; /* [job->nworker] */
    _Atomic uint64_t windows, envelopes, cells, device_cells;
} reader;

static const ws_genome *genome_of(const ws_job *job) { return job->own; }

/* ---- opening and closing ---- */

static int open_reader(ws_job *job, ws_err *err) {
    static const char *const standard_input[] = {"-"};
    const ws_genome *g = genome_of(job);
    reader *r = job->reader = ws_calloc(1, sizeof *r, err);
    if (!r) return WS_ENOMEM;
    r->cut = (ws_long_cut){.abc = g->set.hmm[0].abc, .codec = ws_codec_get(&job->machine.cpu), .block = g->scan.block};
    r->cut.strands = (g->crick ? 0 : WS_LONG_PLUS) | (g->watson ? 0 : WS_LONG_MINUS);
    for (size_t i = 0; i < g->set.n; i++) r->cut.maxl = (uint32_t)ws_max(r->cut.maxl, g->model[i].model.maxl);
    r->worker = ws_calloc((size_t)job->nworker, sizeof *r->worker, err);
    if (!r->worker) return err->code;
    r->conf = (ws_seqread_conf){.path = job->ninput ? job->input : standard_input,
                                .npath = job->ninput ? job->ninput : 1,
                                .abc = g->set.hmm[0].abc,
                                .block = g->scan.block,
                                .context = r->cut.maxl,
                                .wait_ms = 200,
                                .batch_residues = job->common.batch,
                                .batch_seqs = SIZE_MAX};
    return ws_seqread_open(&r->input, &r->conf, err);
}

static void close_reader(ws_job *job) {
    reader *r = job->reader;
    if (!r) return;
    ws_seqread_close(r->input);
    for (int i = 0; r->worker && i < job->nworker; i++) {
        ws_dom_worker_destroy(r->worker[i].dom);
        ws_long_worker_release(&r->worker[i].search);
    }
    ws_free(r->worker);
    ws_free(r);
}

static void resize(ws_job *job, uint64_t batch) { ws_seqread_batch(((reader *)job->reader)->input, batch); }

static int create(void **out, ws_err *err) {
    *out = ws_calloc(1, sizeof(item), err);
    return *out ? WS_OK : WS_ENOMEM;
}

static void destroy(void *item_) {
    item *it = item_;
    for (size_t p = 0; p < it->found_cap; p++) ws_free(it->found[p].at);
    ws_batch_release(&it->batch);
    ws_long_units_release(&it->units);
    ws_free(it->found);
    ws_free(it);
}

/* ---- filling ---- */

/* Lists of hits for the parts, empty but with the memory of the filling before. */
static int make_lists(item *it, ws_err *err) {
    const size_t before = it->found_cap;
    const int rc = ws_grow(&it->found, &it->found_cap, it->units.nparts, sizeof *it->found, err);
    if (rc) return rc;
    memset(it->found + before, 0, (it->found_cap - before) * sizeof *it->found);
    for (size_t p = 0; p < it->units.nparts; p++) it->found[p].n = 0;
    return WS_OK;
}

static int fill(ws_job *job, void *item_, size_t *parts, ws_err *err) {
    item *it = item_;
    const uint32_t block = genome_of(job)->scan.block;
    int rc = ws_seqread_fill(((reader *)job->reader)->input, &it->batch, err);
    if (rc) return rc;
    if (it->batch.has_rows)
        return ws_fail(err, WS_EDATA, "the input is a table of pairs; nhmmsieve searches whole sequences: FASTA, FASTQ or a packed stream");
    rc = ws_long_units_cut(&it->units, &it->batch, block, ws_job_has_device(job) ? DEVICE_PART : block, err);
    if (!rc) rc = make_lists(it, err);
    *parts = ws_max(it->units.nparts, 1);
    return rc;
}

/* ---- work ---- */

/* A part on its way through the models from..to. */
typedef struct search {
    ws_job *job;
    const ws_batch *batch;
    ws_genome_layout **layout; /* [to - from], and what a device wants to know of them */
    const ws_long_dev **dev;
    const ws_long_model **model;
    size_t from, to;
    worker *worker;
    ws_genome_found *found;
    uint64_t windows, cells;
} search;

/* The windows of a model in a block to hits. */
static int search_block(search *s, size_t t, const ws_long_block *b, ws_err *err) {
    const ws_genome_layout *l = s->layout[t - s->from];
    const ws_cpu *cpu = &s->job->machine.cpu;
    ws_long_worker *w = &s->worker->search;
    size_t n;
    ws_long_pieces_reuse(&w->windows);
    ws_long_pieces_reuse(&w->parts);
    int rc = ws_long_find_windows(b, &w->windows, &w->scratch, err);
    s->windows += w->windows.n;
    if (!rc) rc = ws_long_test_windows(&l->of, cpu, &w->windows, &n, &w->scratch, err);
    if (!rc) rc = ws_long_find_parts(&l->of, &w->windows, n, &w->parts, NULL, &w->scratch, err);
    if (!rc) rc = ws_long_test_parts(&l->of, cpu, &w->parts, &n, &w->scratch, err);
    s->found->target = (uint32_t)t;
    return rc ? rc : ws_genome_domains(&genome_of(s->job)->model[t], s->worker->dom, &w->parts, n, s->found, err);
}

/* One block against the models. */
static int search_unit(search *s, const ws_long_unit *u, int marked, ws_err *err) {
    const reader *r = s->job->reader;
    const uint64_t strands = r->cut.strands == (WS_LONG_PLUS | WS_LONG_MINUS) ? 2 : 1;
    int rc = WS_OK, any;
    ws_long_unit_begin(&s->worker->search, marked);
    for (size_t t = s->from; t < s->to && !rc; t++) {
        const ws_long_layout *l = &s->layout[t - s->from]->of;
        ws_long_block b;
        s->cells += strands * ws_long_unit_residues(&r->cut, s->batch, u, l->model) * (uint64_t)l->model->M;
        rc = ws_long_unit_block(&s->worker->search, &r->cut, s->batch, u, l, marked, t - s->from, &b, &any, err);
        if (!rc && any) rc = search_block(s, t, &b, err);
    }
    return rc;
}

/* What the backend made of the models; a device that joined late makes it now. */
static int find_layouts(search *s, const ws_backend *be, ws_err *err) {
    int rc = WS_OK;
    for (size_t t = s->from; t < s->to && !rc; t++) {
        if (!ws_job_prep(s->job, be, (uint32_t)t)) rc = ws_job_ready(s->job, be, (uint32_t)t, NULL, err);
        if (rc) break;
        ws_genome_layout *l = s->layout[t - s->from] = ws_job_prep(s->job, be, (uint32_t)t);
        s->dev[t - s->from] = l->dev;
        s->model[t - s->from] = l->of.model;
    }
    return rc;
}

static int dom_worker(const ws_job *job, const ws_genome_layout *l, worker *w, ws_err *err) {
    const ws_genome *g = genome_of(job);
    const ws_dom_options options = {.seed = (uint32_t)g->seed, .nonull2 = g->nonull2, .memory = g->mem};
    return w->dom ? WS_OK : ws_dom_worker_create(&w->dom, l->dom, &options, err);
}

/* Units against all models, on a device some models at a time. */
static int search_units(search *s, const ws_backend *be, const ws_long_unit *unit, size_t n, ws_err *err) {
    const reader *r = s->job->reader;
    const int marked = be->start != NULL;
    const size_t most = marked ? be->max_tasks : s->job->ntarget;
    int rc = WS_OK;
    for (s->from = 0; s->from < s->job->ntarget && !rc; s->from = s->to) {
        s->to = ws_min(s->from + most, s->job->ntarget);
        rc = find_layouts(s, be, err);
        if (!rc) rc = dom_worker(s->job, s->layout[0], s->worker, err);
        if (!rc && marked)
            rc = ws_long_mark(&s->worker->search, &r->cut, s->dev, s->model, s->to - s->from, s->batch, unit, n, err);
        for (size_t u = 0; u < n && !rc; u++) rc = search_unit(s, &unit[u], marked, err);
    }
    return rc;
}

static int search_part(ws_job *job, item *it, size_t part, const ws_backend *be, worker *w, ws_err *err) {
    reader *r = job->reader;
    const ws_long_units *u = &it->units;
    search s = {.job = job, .batch = &it->batch, .worker = w, .found = &it->found[part]};
    s.layout = ws_calloc(job->ntarget, sizeof *s.layout, err);
    s.dev = ws_calloc(job->ntarget, sizeof *s.dev, err);
    s.model = ws_calloc(job->ntarget, sizeof *s.model, err);
    s.found->n = 0;
    s.found->envelopes = 0;
    const int made = s.layout && s.dev && s.model;
    const int rc = made ? search_units(&s, be, u->at + u->part[part], u->part[part + 1] - u->part[part], err) : WS_ENOMEM;
    ws_free(s.layout);
    ws_free(s.dev);
    ws_free(s.model);
    if (rc) return rc;
    r->windows += s.windows;
    r->envelopes += s.found->envelopes;
    r->cells += s.cells;
    if (be->start) r->device_cells += s.cells;
    return WS_OK;
}

static int work(ws_job *job, void *item_, size_t part, ws_worker *thread, ws_err *err) {
    item *it = item_;
    worker *w = &((reader *)job->reader)->worker[thread->number];
    if (it->units.nparts == 0) return WS_OK;
    const ws_backend *be = ws_job_pick_backend(job);
    const int rc = search_part(job, it, part, be, w, err);
    return rc && ws_job_fall_back_to_cpu(job, be, rc, err) ? search_part(job, it, part, job->cpu_backend, w, err) : rc;
}

/* Hits wait for the end. */
static int format(ws_job *job, void *item_, ws_worker *thread, ws_outtext *out, ws_err *err) {
    (void)job, (void)item_, (void)thread, (void)out, (void)err;
    return WS_OK;
}

/* ---- hits, in the writer ---- */

/* The first of the batch's sequences that is of the same record. */
static size_t first_of(const ws_batch *b, size_t seq) {
    while (seq && b->seqtext[seq].at) seq--;
    return seq;
}

static int take_hit(ws_genome *g, const ws_batch *b, const ws_genome_hit *from, ws_err *err) {
    const size_t seq = first_of(b, (size_t)from->hit.record);
    const ws_seqtext *t = &b->seqtext[seq];
    ws_long_hit h = from->hit;
    if (!g->place[seq]) {
        const int rc = ws_genome_add_record(&g->results, ws_batch_text(b, t->name), t->name.n, ws_batch_text(b, t->desc), t->desc.n,
                                            0, err);
        if (rc) return rc;
        g->place[seq] = g->results.nrecord;
    }
    h.record = g->place[seq] - 1;
    return ws_genome_add_hit(&g->results, from->target, &h, err);
}

int ws_genome_take(const ws_job *job, void *own, const void *item_, const ws_outtext *made, ws_buf *text, ws_err *err) {
    const item *it = item_;
    ws_genome *g = job->own;
    (void)own, (void)made, (void)text;
    int rc = ws_grow(&g->place, &g->place_cap, it->batch.n + 1, sizeof *g->place, err);
    if (rc) return rc;
    memset(g->place, 0, it->batch.n * sizeof *g->place);
    if (it->batch.n && it->batch.seqtext[0].at) g->place[0] = g->going_on;
    for (size_t p = 0; p < it->units.nparts; p++)
        for (size_t j = 0; j < it->found[p].n && !rc; j++) rc = take_hit(g, &it->batch, &it->found[p].at[j], err);
    for (size_t i = 0; i < it->batch.n && !rc; i++) { /* what is known of the length so far */
        const size_t place = g->place[first_of(&it->batch, i)];
        if (place) g->results.record[place - 1].L = it->batch.seqtext[i].at + it->batch.len[i];
        g->going_on = it->batch.seqtext[i].more ? place : 0;
    }
    g->results.residues += it->batch.residues * (uint64_t)(!g->watson + !g->crick);
    return rc;
}

/* ---- report ---- */

static int ahead(ws_job *job) { return ws_seqread_ahead(((reader *)job->reader)->input); }

static void progress(ws_job *job, double seconds, char *text, size_t size, double *share) {
    char residues[WS_NUMBER_MAX], rate[WS_NUMBER_MAX];
    ws_seqread_counts n;
    uint64_t done, all;
    ws_seqread *input = ((reader *)job->reader)->input;
    ws_seqread_counts_get(input, &n);
    ws_seqread_progress(input, &done, &all);
    *share = all ? (double)done / (double)all : -1;
    snprintf(text, size, "%s residues, %s residues/s", ws_number_human(residues, (double)n.residues),
             ws_number_human(rate, (double)n.residues / (seconds > 0 ? seconds : 1)));
}

static int stats(ws_job *job, double seconds, ws_stat *stat) {
    const reader *r = job->reader;
    ws_seqread_counts n;
    ws_seqread_counts_get(r->input, &n);
    const ws_stat own[] = {
        {"sequences", "sequences read", (double)n.seqs, 0},
        {"residues", "residues read", (double)n.residues, 0},
        {"models", "models", (double)job->ntarget, 0},
        {"windows", "windows of the SSV scan", (double)r->windows, 0},
        {"envelopes", "envelopes scored", (double)r->envelopes, 0},
        {"cells", "cells of the SSV scan, M x L over models and strands", (double)r->cells, 0},
        {"device_cells", "of these, cells whose strands a device marked", (double)r->device_cells, 0},
        {"gcups", "10^9 of these cells per processor second of all stages", seconds > 0 ? (double)r->cells / 1e9 / seconds : 0, 1},
    };
    memcpy(stat, own, sizeof own);
    return (int)(sizeof own / sizeof *own);
}

static int outputs(ws_job *job, ws_err *err) {
    (void)job, (void)err;
    return WS_OK;
}

const ws_reader ws_genome_reader = {
    .outputs = outputs,
    .open = open_reader,
    .close = close_reader,
    .resize = resize,
    .create = create,
    .destroy = destroy,
    .fill = fill,
    .work = work,
    .format = format,
    .ahead = ahead,
    .progress = progress,
    .stats = stats,
};
