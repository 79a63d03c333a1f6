/* SPDX-License-Identifier: MIT
 * The source of nhmmsieve's chain: batches of whole records or of their pieces. */
#include "bin/genomes/program.h"
#include "lib/base/number.h"
#include "lib/formats/seqread.h"
#include "lib/run/message.h"
#include "lib/run/peer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* With --scan a record is one block, as in nhmmscan. */
#define WHOLE ((uint32_t)1 << 31)

typedef struct reader {
    ws_seqread *input;
    ws_seqread_conf conf;
    ws_batch batch;
    ws_genome_search search;
    ws_chain_stage stage[WS_GENOME_STAGES + WS_DOM_STEPS];
} reader;

/* ---- opening and closing ---- */

static int open_reader(ws_job *job, ws_err *err) {
    static const char *const standard_input[] = {"-"};
    ws_genome *g = ws_genome_of(job);
    reader *r = job->reader = ws_calloc(1, sizeof *r, err);
    if (!r) return WS_ENOMEM;
    ws_genome_search_begin(&r->search);
    ws_long_cut *cut = &r->search.cut;
    r->search.job = job;
    r->search.genome = g;
    if (g->by_seq) ws_turns_open(&r->search.turns, job);
    *cut = (ws_long_cut){.abc = g->set.hmm[0].abc, .codec = ws_codec_get(&job->machine.cpu), .block = g->scan.block};
    if (g->by_seq) cut->block = WHOLE;
    cut->strands = (g->crick ? 0 : WS_LONG_PLUS) | (g->watson ? 0 : WS_LONG_MINUS);
    for (size_t i = 0; i < g->set.n; i++) cut->maxl = (uint32_t)ws_max(cut->maxl, g->target[i].model.maxl);
    const int rc = ws_genome_sets_create(&r->search.sets, g->target, g->set.n, err);
    if (rc) return rc;
    r->conf = (ws_seqread_conf){.path = job->ninput ? job->input : standard_input,
                                .npath = job->ninput ? job->ninput : 1,
                                .abc = g->set.hmm[0].abc,
                                .format = g->format,
                                .block = g->by_seq ? 0 : g->scan.block,
                                .context = g->by_seq ? 0 : cut->maxl,
                                .some_text = ws_peer_is_hmmer(job->peer),
                                .whole_text = 1,
                                .wait_ms = 200,
                                .batch_residues = job->common.batch,
                                .batch_seqs = SIZE_MAX};
    return ws_seqread_open(&r->input, &r->conf, err);
}

static void close_reader(ws_job *job) {
    reader *r = job->reader;
    if (!r) return;
    ws_seqread_close(r->input);
    ws_genome_search_release(&r->search);
    ws_batch_release(&r->batch);
    ws_genome_sets_release(&r->search.sets);
    ws_free(r);
}

static void resize(ws_job *job, uint64_t batch) { ws_seqread_batch(((reader *)job->reader)->input, batch); }

/* ---- the chain ---- */

/* Hits of a record that comes in pieces may know an earlier one alone. */
static int note_length(ws_genome *g, const ws_batch *b, ws_err *err) {
    if (b->n == 0 || b->seqtext[0].at == 0) return WS_OK;
    const ws_dnaseq record = {.number = b->before + 1, .L = b->seqtext[0].at + b->len[0]};
    g->npiecewise -= g->npiecewise && g->piecewise[g->npiecewise - 1].number == record.number;
    const int rc = ws_grow(&g->piecewise, &g->piecewise_cap, g->npiecewise + 1, sizeof *g->piecewise, err);
    if (!rc) g->piecewise[g->npiecewise++] = record;
    return rc;
}

static int read_batch(void *own, ws_err *err) {
    reader *r = own;
    ws_genome *g = r->search.genome;
    ws_batch *b = &r->batch;
    int rc = ws_seqread_fill(r->input, b, err);
    if (rc == WS_EOF) {
        ws_seqread_counts n;
        ws_seqread_counts_get(r->input, &n);
        g->seqs = n.seqs;
    }
    if (rc) return rc;
    if (b->has_rows)
        return ws_fail(err, WS_EDATA, "the input is a table of pairs; nhmmsieve searches whole sequences: "
                                      "FASTA, FASTQ or a packed stream");
    __atomic_add_fetch(&g->residues, b->residues * ws_genome_strands(g), __ATOMIC_RELAXED);
    __atomic_store_n(&r->search.job->holds, 1, __ATOMIC_RELAXED); /* the outputs get their heads */
    rc = note_length(g, b, err);
    return rc ? rc : ws_genome_add(&r->search, b, err);
}

static ws_chain_wish wish(void *own) { return ws_genome_wish(&((reader *)own)->search); }

int ws_genome_chain(ws_job *job, ws_chain_ops *ops, ws_err *err) {
    reader *r = job->reader;
    const int rc = ws_genome_search_stages(&r->search, r->stage, err);
    *ops = (ws_chain_ops){.stage = r->stage, .nstage = WS_GENOME_STAGES + WS_DOM_STEPS, .own = r, .wish = wish,
                          .read = read_batch};
    return rc;
}

/* ---- report ---- */

static int ahead(ws_job *job) { return ws_seqread_ahead(((reader *)job->reader)->input); }

/* Returns the share of the input that was read; below 0 if its size is unknown. */
static double share_of(ws_seqread *input) {
    uint64_t done, all;
    ws_seqread_progress(input, &done, &all);
    return all ? (double)done / (double)all : -1;
}

static void progress(ws_job *job, double seconds, char *text, size_t size, double *share) {
    char residues[WS_NUMBER_MAX], rate[WS_NUMBER_MAX];
    ws_seqread_counts n;
    ws_seqread *input = ((reader *)job->reader)->input;
    ws_seqread_counts_get(input, &n);
    *share = share_of(input);
    snprintf(text, size, "%s residues, %s residues/s", ws_number_human(residues, (double)n.residues),
             ws_number_human(rate, (double)n.residues / (seconds > 0 ? seconds : 1)));
}

/* Batches wait for scoring, so the share of the input that was read is too large. */
static double done(ws_job *job, double *all) {
    const reader *r = job->reader;
    const ws_genome *g = ws_genome_of(job);
    ws_seqread_counts n;
    ws_seqread_counts_get(r->input, &n);
    const double read = (double)(!g->watson + !g->crick) * (double)n.residues * (double)ws_job_nodes(job);
    const double share = share_of(r->input); /* after what was read: else *all could be too large */
    *all = share > 0 ? read / share : 0;
    return share < 0 || read <= 0 ? -1 : share * fmin((double)r->search.cells / read, 1);
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
        {"gcups", "10^9 of these cells per processor second of all stages",
         seconds > 0 ? (double)s->cells / 1e9 / seconds : 0, 1},
    };
    memcpy(stat, own, sizeof own);
    return (int)(sizeof own / sizeof *own);
}

const ws_reader ws_genome_reader = {
    .open = open_reader,
    .close = close_reader,
    .resize = resize,
    .ahead = ahead,
    .progress = progress,
    .done = done,
    .stats = stats,
};
