/* SPDX-License-Identifier: MIT
 * The reader of nhmmsieve: batches of whole records, worked on in parts of about a block each. */
#include "kernels/dom/genome.h"
#include "lib/base/number.h"
#include "lib/io/seqread.h"
#include "lib/run/message.h"
#include "lib/simd/codec.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef struct item {
    ws_batch batch;
    ws_genome_unit *unit;
    size_t nunit, unit_cap;
    size_t *part; /* [nparts + 1] where each part's units begin */
    size_t nparts, part_cap;
    ws_genome_found *found; /* [nparts] */
    size_t found_cap;
} item;

typedef struct reader {
    ws_seqread *input;
    ws_seqread_conf conf;
    const ws_codec *codec;
    uint32_t maxl; /* the largest of all models */
    ws_genome_worker *worker; /* [job->nworker] */
    _Atomic uint64_t windows, envelopes, cells, device_cells;
} reader;

static const ws_genome *genome_of(const ws_job *job) { return job->own; }

/* ---- opening and closing ---- */

static int open_reader(ws_job *job, ws_err *err) {
    static const char *const standard_input[] = {"-"};
    const ws_genome *g = genome_of(job);
    reader *r = job->reader = ws_calloc(1, sizeof *r, err);
    if (!r) return WS_ENOMEM;
    r->codec = ws_codec_get(&job->machine.cpu);
    for (size_t i = 0; i < g->set.n; i++) r->maxl = (uint32_t)ws_max(r->maxl, g->model[i].model.maxl);
    r->worker = ws_calloc((size_t)job->nworker, sizeof *r->worker, err);
    if (!r->worker) return err->code;
    r->conf = (ws_seqread_conf){.path = job->ninput ? job->input : standard_input,
                                .npath = job->ninput ? job->ninput : 1,
                                .abc = g->set.hmm[0].abc,
                                .wait_ms = 200,
                                .batch_residues = job->common.batch,
                                .batch_seqs = SIZE_MAX};
    return ws_seqread_open(&r->input, &r->conf, err);
}

static void close_reader(ws_job *job) {
    reader *r = job->reader;
    if (!r) return;
    ws_seqread_close(r->input);
    for (int i = 0; r->worker && i < job->nworker; i++) ws_genome_worker_release(&r->worker[i]);
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
    ws_free(it->unit);
    ws_free(it->part);
    ws_free(it->found);
    ws_free(it);
}

/* ---- filling ---- */

static int add_units(item *it, uint32_t seq, uint64_t L, uint64_t block, ws_err *err) {
    const size_t n = (size_t)((L + block - 1) / block);
    const int rc = ws_grow(&it->unit, &it->unit_cap, it->nunit + n, sizeof *it->unit, err);
    for (size_t j = 0; j < n && !rc; j++) it->unit[it->nunit++] = (ws_genome_unit){seq, j};
    return rc;
}

/* Parts of at least so many residues each, a block's or what a device wants at once: so many short records are one part. */
static int cut_parts(item *it, uint64_t block, uint64_t least, ws_err *err) {
    uint64_t residues = 0;
    it->nparts = 0;
    for (size_t u = 0; u < it->nunit; u++) {
        if (u == 0 || residues >= least) {
            const int rc = ws_grow(&it->part, &it->part_cap, it->nparts + 2, sizeof *it->part, err);
            if (rc) return rc;
            it->part[it->nparts++] = u;
            residues = 0;
        }
        residues += ws_min(it->batch.len[it->unit[u].seq] - it->unit[u].block * block, block);
    }
    if (it->nparts) it->part[it->nparts] = it->nunit;
    return WS_OK;
}

/* Lists of hits for the parts, empty but with the memory of the filling before. */
static int make_lists(item *it, ws_err *err) {
    const size_t before = it->found_cap;
    const int rc = ws_grow(&it->found, &it->found_cap, it->nparts, sizeof *it->found, err);
    if (rc) return rc;
    memset(it->found + before, 0, (it->found_cap - before) * sizeof *it->found);
    for (size_t p = 0; p < it->nparts; p++) it->found[p].n = 0;
    return WS_OK;
}

static int fill(ws_job *job, void *item_, size_t *parts, ws_err *err) {
    item *it = item_;
    const uint64_t block = genome_of(job)->scan.block;
    int rc = ws_seqread_fill(((reader *)job->reader)->input, &it->batch, err);
    if (rc) return rc;
    if (it->batch.has_rows)
        return ws_fail(err, WS_EDATA, "the input is a table of pairs; nhmmsieve searches whole sequences: FASTA, FASTQ or a packed stream");
    it->nunit = 0;
    for (size_t i = 0; i < it->batch.n && !rc; i++) rc = add_units(it, (uint32_t)i, it->batch.len[i], block, err);
    if (!rc) rc = cut_parts(it, block, ws_job_has_device(job) ? job->backend->batch : block, err);
    if (!rc) rc = make_lists(it, err);
    *parts = ws_max(it->nparts, 1);
    return rc;
}

/* ---- work ---- */

/* Unpacks residues first..last (from 1) of a sequence; *x is the first of them, with padding that is a code behind the last. */
static int unpack(const reader *r, const ws_batch *b, const ws_genome_unit *u, uint64_t first, uint64_t last, ws_genome_worker *w,
                  const uint8_t **x, ws_err *err) {
    const uint64_t word = (first - 1) / WS_RESIDUES_PER_WORD, skipped = word * WS_RESIDUES_PER_WORD;
    const size_t n = (size_t)(last - skipped);
    uint8_t *codes = ws_buf_scratch(&w->codes, n + WS_LONG_PAD + WS_ALIGN, err);
    if (!codes) return err->code;
    r->codec->unpack(b->word + b->first[u->seq] + word, n, codes);
    memset(codes + n, 0, WS_LONG_PAD);
    *x = codes + (first - 1 - skipped);
    return WS_OK;
}

static int other_strand(const reader *r, const ws_abc *abc, const uint8_t *x, size_t n, ws_genome_worker *w, ws_err *err) {
    uint8_t *other = ws_buf_scratch(&w->other, n + WS_LONG_PAD, err);
    if (!other) return err->code;
    r->codec->other_strand(abc, x, n, other);
    memset(other + n, 0, WS_LONG_PAD);
    return WS_OK;
}

/* A part on its way through the models from..to. */
typedef struct search {
    ws_job *job;
    const ws_batch *batch;
    ws_genome_layout **layout; /* [to - from] */
    size_t from, to;
    ws_genome_worker *worker;
    ws_genome_found *found;
    ws_genome_counts counts;
} search;

/* The strands of residues first..last of a unit, unpacked once for all models. *x: NULL before. */
static int strands_of(const search *s, const ws_genome_unit *u, uint64_t first, uint64_t last, const uint8_t **x, ws_err *err) {
    const ws_genome *g = genome_of(s->job);
    const reader *r = s->job->reader;
    if (*x) return WS_OK;
    const int rc = unpack(r, s->batch, u, first, last, s->worker, x, err);
    return rc || g->watson ? rc : other_strand(r, g->set.hmm[0].abc, *x, (size_t)(last - first + 1), s->worker, err);
}

/* One block against the models. Each has its own context before it. */
static int search_unit(search *s, const ws_genome_unit *u, int marked, ws_err *err) {
    const ws_genome *g = genome_of(s->job);
    const reader *r = s->job->reader;
    const uint64_t first = ws_long_block_first(u->block, g->scan.block, r->maxl), L = s->batch->len[u->seq];
    const uint64_t last = ws_min((u->block + 1) * g->scan.block, L);
    const uint8_t *x = NULL;
    int rc = WS_OK;
    for (size_t t = s->from; t < s->to && !rc; t++) {
        const ws_genome_model *m = &g->model[t];
        ws_genome_block b = {.target = (uint32_t)t, .record = u->seq, .model = m, .layout = s->layout[t - s->from]};
        int any = 1;
        b.cpu = &s->job->machine.cpu;
        b.first = ws_long_block_first(u->block, g->scan.block, m->model.maxl);
        b.n = (uint32_t)(last - b.first + 1);
        s->counts.cells += (uint64_t)b.n * (uint64_t)m->model.M * (uint64_t)(!g->watson + !g->crick);
        if (marked) rc = ws_genome_marks_of(s->worker, t - s->from, &b, &any, err);
        if (rc || !any) continue;
        rc = strands_of(s, u, first, last, &x, err);
        if (!g->crick) b.strand[0] = x + (b.first - first);
        if (!g->watson) b.strand[1] = (const uint8_t *)s->worker->other.p;
        if (!rc) rc = ws_genome_search(&b, s->worker, s->found, &s->counts, err);
    }
    return rc;
}

/* What the backend made of the models; a device that joined late makes it now. */
static int find_layouts(search *s, const ws_backend *be, ws_err *err) {
    int rc = WS_OK;
    for (size_t t = s->from; t < s->to && !rc; t++) {
        if (!ws_job_prep(s->job, be, (uint32_t)t)) rc = ws_job_ready(s->job, be, (uint32_t)t, NULL, err);
        s->layout[t - s->from] = ws_job_prep(s->job, be, (uint32_t)t);
    }
    return rc;
}

static int dom_worker(const ws_job *job, const ws_genome_layout *l, ws_genome_worker *w, ws_err *err) {
    const ws_genome *g = genome_of(job);
    const ws_dom_options options = {.seed = (uint32_t)g->seed, .nonull2 = g->nonull2, .memory = g->mem};
    return w->dom ? WS_OK : ws_dom_worker_create(&w->dom, l->dom, &options, err);
}

/* Units against all models, on a device some models at a time. */
static int search_units(search *s, const ws_backend *be, const ws_genome_unit *unit, size_t n, ws_err *err) {
    const ws_genome *g = genome_of(s->job);
    const ws_genome_marking marking = {g->set.hmm[0].abc, g->scan.block, ((const reader *)s->job->reader)->maxl,
                                       (g->crick ? 0 : WS_LONG_PLUS) | (g->watson ? 0 : WS_LONG_MINUS)};
    const int marked = be->start != NULL;
    const size_t most = marked ? be->max_tasks : s->job->ntarget;
    int rc = WS_OK;
    for (s->from = 0; s->from < s->job->ntarget && !rc; s->from = s->to) {
        s->to = ws_min(s->from + most, s->job->ntarget);
        rc = find_layouts(s, be, err);
        if (!rc) rc = dom_worker(s->job, s->layout[0], s->worker, err);
        if (!rc && marked)
            rc = ws_genome_mark(s->worker, s->layout, s->to - s->from, s->batch, unit, n, &marking, err);
        for (size_t u = 0; u < n && !rc; u++) {
            if (marked) ws_genome_marks_next(s->worker);
            rc = search_unit(s, &unit[u], marked, err);
        }
    }
    return rc;
}

static int search_part(ws_job *job, item *it, size_t part, const ws_backend *be, ws_genome_worker *w, ws_err *err) {
    reader *r = job->reader;
    search s = {.job = job, .batch = &it->batch, .worker = w, .found = &it->found[part]};
    s.layout = ws_calloc(job->ntarget, sizeof *s.layout, err);
    if (!s.layout) return err->code;
    s.found->n = 0;
    const int rc = search_units(&s, be, it->unit + it->part[part], it->part[part + 1] - it->part[part], err);
    ws_free(s.layout);
    if (rc) return rc;
    r->windows += s.counts.windows;
    r->envelopes += s.counts.envelopes;
    r->cells += s.counts.cells;
    if (be->start) r->device_cells += s.counts.cells;
    return WS_OK;
}

static int work(ws_job *job, void *item_, size_t part, ws_worker *worker, ws_err *err) {
    item *it = item_;
    ws_genome_worker *w = &((reader *)job->reader)->worker[worker->number];
    if (it->nparts == 0) return WS_OK;
    const ws_backend *be = ws_job_pick_backend(job);
    const int rc = search_part(job, it, part, be, w, err);
    return rc && ws_job_fall_back_to_cpu(job, be, rc, err) ? search_part(job, it, part, job->cpu_backend, w, err) : rc;
}

/* Hits wait for the end. */
static int format(ws_job *job, void *item_, ws_worker *worker, ws_outtext *out, ws_err *err) {
    (void)job, (void)item_, (void)worker, (void)out, (void)err;
    return WS_OK;
}

/* ---- hits, in the writer ---- */

/* Sets *record to the entry of a sequence in the list of records with hits. */
static int record_of(ws_genome *g, const ws_batch *b, size_t seq, uint64_t *record, ws_err *err) {
    const ws_seqtext *t = &b->seqtext[seq];
    if (!g->place[seq]) {
        const int rc = ws_grow(&g->record, &g->record_cap, g->nrecord + 1, sizeof *g->record, err);
        if (rc) return rc;
        char *name = ws_strndup(ws_batch_text(b, t->name), t->name.n, err);
        char *desc = name ? ws_strndup(ws_batch_text(b, t->desc), t->desc.n, err) : NULL;
        if (!desc) {
            ws_free(name);
            return err->code;
        }
        g->record[g->nrecord++] = (ws_long_record){name, desc, b->len[seq]};
        g->place[seq] = g->nrecord;
    }
    *record = g->place[seq] - 1;
    return WS_OK;
}

static int take_hit(ws_genome *g, const ws_batch *b, const ws_genome_hit *from, ws_err *err) {
    ws_long_hits *l = &g->hits[from->target];
    int rc = ws_grow(&l->at, &l->cap, l->n + 1, sizeof *l->at, err);
    if (rc) return rc;
    ws_long_hit *h = &l->at[l->n];
    *h = from->hit;
    rc = record_of(g, b, (size_t)from->hit.record, &h->record, err);
    l->n += !rc;
    return rc;
}

int ws_genome_take(const ws_job *job, void *own, const void *item_, const ws_outtext *made, ws_buf *text, ws_err *err) {
    const item *it = item_;
    ws_genome *g = job->own;
    (void)own, (void)made, (void)text;
    int rc = ws_grow(&g->place, &g->place_cap, it->batch.n + 1, sizeof *g->place, err);
    if (rc) return rc;
    memset(g->place, 0, it->batch.n * sizeof *g->place);
    for (size_t p = 0; p < it->nparts; p++)
        for (size_t j = 0; j < it->found[p].n && !rc; j++) rc = take_hit(g, &it->batch, &it->found[p].at[j], err);
    g->residues += it->batch.residues * (uint64_t)(!g->watson + !g->crick);
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
