/* SPDX-License-Identifier: MIT
 * The reader of nhmmsieve: batches of whole records or of their pieces, and their hits. */
#include "bin/search/genome.h"
#include "lib/base/number.h"
#include "lib/io/seqread.h"
#include "lib/run/message.h"

#include <stdio.h>
#include <string.h>

typedef struct item {
    ws_batch batch;
    ws_genome_work *work;
} item;

typedef struct reader {
    ws_seqread *input;
    ws_seqread_conf conf;
    ws_genome_search search;
    ws_genome_worker *worker; /* [job->nworker] */
} reader;

/* ---- opening and closing ---- */

static int open_reader(ws_job *job, ws_err *err) {
    static const char *const standard_input[] = {"-"};
    ws_genome *g = job->own;
    reader *r = job->reader = ws_calloc(1, sizeof *r, err);
    if (!r) return WS_ENOMEM;
    ws_long_cut *cut = &r->search.cut;
    r->search.job = job;
    r->search.genome = g;
    *cut = (ws_long_cut){.abc = g->set.hmm[0].abc, .codec = ws_codec_get(&job->machine.cpu), .block = g->scan.block};
    cut->strands = (g->crick ? 0 : WS_LONG_PLUS) | (g->watson ? 0 : WS_LONG_MINUS);
    for (size_t i = 0; i < g->set.n; i++) cut->maxl = (uint32_t)ws_max(cut->maxl, g->target[i].model.maxl);
    const int rc = ws_genome_groups_create(&r->search.groups, g->target, g->set.n, err);
    if (rc) return rc;
    r->worker = ws_calloc((size_t)job->nworker, sizeof *r->worker, err);
    if (!r->worker) return err->code;
    r->conf = (ws_seqread_conf){.path = job->ninput ? job->input : standard_input,
                                .npath = job->ninput ? job->ninput : 1,
                                .abc = g->set.hmm[0].abc,
                                .format = (ws_format)g->format,
                                .block = g->scan.block,
                                .context = cut->maxl,
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
    ws_genome_groups_release(&r->search.groups);
    ws_free(r->worker);
    ws_free(r);
}

static void resize(ws_job *job, uint64_t batch) { ws_seqread_batch(((reader *)job->reader)->input, batch); }

static void destroy(void *item_) {
    item *it = item_;
    ws_batch_release(&it->batch);
    ws_genome_work_destroy(it->work);
    ws_free(it);
}

static int create(void **out, ws_err *err) {
    item *it = ws_calloc(1, sizeof *it, err);
    if (!it) return WS_ENOMEM;
    const int rc = ws_genome_work_create(&it->work, err);
    if (rc) destroy(it);
    else *out = it;
    return rc;
}

/* ---- filling and work ---- */

static int fill(ws_job *job, void *item_, size_t *parts, ws_err *err) {
    item *it = item_;
    reader *r = job->reader;
    const int rc = ws_seqread_fill(r->input, &it->batch, err);
    if (rc) return rc;
    if (it->batch.has_rows)
        return ws_fail(err, WS_EDATA, "the input is a table of pairs; nhmmsieve searches whole sequences: FASTA, FASTQ or a packed stream");
    return ws_genome_work_plan(it->work, &r->search, &it->batch, parts, err);
}

static int work(ws_job *job, void *item_, size_t part, ws_worker *thread, ws_err *err) {
    item *it = item_;
    reader *r = job->reader;
    return ws_genome_work_do(&r->search, it->work, &it->batch, part, &r->worker[thread->number], err);
}

/* ---- in the order of the input ---- */

/* Hits of a record have what was known of its length: a piece that goes on with it adds to that. */
int ws_genome_take(const ws_job *job, void *own, const void *item_, const ws_outtext *made, ws_buf *text, ws_err *err) {
    const ws_batch *b = &((const item *)item_)->batch;
    ws_genome *g = job->own;
    (void)own, (void)made, (void)text, (void)err;
    if (b->n && b->seqtext[0].at) ws_dnastore_note_length(&g->dna.store, b->before + 1, b->seqtext[0].at + b->len[0]);
    g->residues += b->residues * (uint64_t)(!g->watson + !g->crick);
    return WS_OK;
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
    const ws_genome_search *s = &r->search;
    ws_seqread_counts n;
    ws_seqread_counts_get(r->input, &n);
    const ws_stat own[] = {
        {"sequences", "sequences read", (double)n.seqs, 0},
        {"residues", "residues read", (double)n.residues, 0},
        {"models", "models", (double)job->ntarget, 0},
        {"windows", "windows of the SSV scan", (double)s->windows, 0},
        {"envelopes", "envelopes scored", (double)s->envelopes, 0},
        {"cells", "cells of the SSV scan, M x L over models and strands", (double)s->cells, 0},
        {"device_cells", "of these, cells whose strands a device marked", (double)s->device_cells, 0},
        {"gcups", "10^9 of these cells per processor second of all stages", seconds > 0 ? (double)s->cells / 1e9 / seconds : 0, 1},
    };
    memcpy(stat, own, sizeof own);
    return (int)(sizeof own / sizeof *own);
}

const ws_reader ws_genome_reader = {
    .open = open_reader,
    .close = close_reader,
    .resize = resize,
    .create = create,
    .destroy = destroy,
    .fill = fill,
    .work = work,
    .ahead = ahead,
    .progress = progress,
    .stats = stats,
};
