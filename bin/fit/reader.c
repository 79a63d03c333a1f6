/* SPDX-License-Identifier: MIT
 * The input of hmmfit: batches of sequences, aligned in parts of similar length. */
#include "bin/fit/fit.h"
#include "lib/base/number.h"
#include "lib/base/system.h"
#include "lib/compress/inputs.h"
#include "lib/compress/source.h"
#include "lib/run/peer.h"
#include "lib/simd/codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 16, BEYOND = 64 /* bytes that the codec may write behind a sequence's codes */ };

typedef struct reader {
    ws_seqread *input;
    ws_seqread_conf conf;
    const ws_codec *codec;
    ws_dom_worker **worker; /* [nworker], made when first needed */
    _Atomic uint64_t way[WS_DOM_WAYS], cells;
} reader;
static reader *reader_of(const ws_job *job) { return job->reader; }

typedef struct item {
    ws_batch batch;
    uint8_t *codes;
    size_t *at;           /* [n] of codes */
    uint32_t *order;      /* [n] sequences, longest first */
    ws_dom_whole *whole;  /* [n] */
    ws_buf memory;        /* of codes, at and order */
    size_t whole_cap, nwhole;
} item;

/* ---- opening and closing ---- */

static int open_reader(ws_job *job, ws_err *err) {
    static const char *const standard_input[] = {"-"};
    const ws_fit *f = ws_fit_of(job);
    reader *r = job->reader = ws_calloc(1, sizeof *r, err);
    if (!r) return WS_ENOMEM;
    r->codec = ws_codec_get(&job->machine.cpu);
    if (!(r->worker = ws_calloc((size_t)job->nworker, sizeof(ws_dom_worker *), err))) return WS_ENOMEM;
    r->conf = (ws_seqread_conf){.path = job->ninput ? job->input : standard_input,
                                .npath = job->ninput ? job->ninput : 1,
                                .abc = f->hmm->abc,
                                .format = (ws_format)f->in_format,
                                .badres = (ws_badres)f->badres,
                                .some_text = ws_peer_is_hmmer(job->peer),
                                .whole_text = 1,
                                .queries = 1,
                                .wait_ms = WS_INPUTS_WAIT_MS,
                                .batch_residues = job->common.batch,
                                .batch_seqs = SIZE_MAX};
    return ws_seqread_open(&r->input, &r->conf, err);
}

static void close_reader(ws_job *job) {
    reader *r = reader_of(job);
    if (!r) return;
    for (int i = 0; r->worker && i < job->nworker; i++) ws_dom_worker_destroy(r->worker[i]);
    ws_free(r->worker);
    ws_seqread_close(r->input);
    ws_free(r);
}

static int create_item(void **out, ws_err *err) {
    *out = ws_calloc(1, sizeof(item), err);
    return *out ? WS_OK : WS_ENOMEM;
}

static void empty(item *it) {
    for (size_t i = 0; i < it->nwhole; i++) ws_dom_whole_release(&it->whole[i]);
    it->nwhole = 0;
}

static void destroy_item(void *own) {
    item *it = own;
    empty(it);
    ws_batch_release(&it->batch);
    ws_buf_release(&it->memory);
    ws_free(it->whole);
    ws_free(it);
}

/* ---- reading ---- */

/* A row of a table names its model; it must be this one. */
static int check_query(const ws_job *job, const ws_batch *b, const ws_row *row, ws_err *err) {
    const ws_fit *f = ws_fit_of(job);
    const char *name = ws_batch_text(b, row->query);
    size_t n = row->query.n;
    const char *input = job->ninput > 1 ? "an input" : ws_source_name_of(job->ninput ? job->input[0] : "-");
    char q[WS_QUOTE_MAX], line[40] = "";
    if (row->number != UINT32_MAX) {
        const ws_query *query = ws_queries_at(b->queries, row->number);
        name = query->name;
        n = query->n;
    } else {
        snprintf(line, sizeof line, ": line %llu", (unsigned long long)row->line);
    }
    if (n == 0 || (n == strlen(f->hmm->name) && !memcmp(name, f->hmm->name, n))) return WS_OK;
    return ws_fail(err, WS_EDATA, "%s%s: the query \"%s\" is not the model, %s; take out the rows of other models "
                   "first", input, line, ws_quote(q, name, n), f->hmm->name);
}

static int longer(const void *a, const void *b, void *len_) {
    const uint32_t *len = len_, x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return len[x] != len[y] ? (len[x] < len[y]) - (len[x] > len[y]) : (x > y) - (x < y);
}

static int prepare(item *it, ws_err *err) {
    const ws_batch *b = &it->batch;
    size_t codes = 0;
    for (size_t i = 0; i < b->n; i++) codes += (size_t)b->len[i] + 2 * BEYOND;
    int rc = ws_grow(&it->whole, &it->whole_cap, b->n, sizeof *it->whole, err);
    char *p = rc ? NULL : ws_buf_scratch(&it->memory, b->n * (sizeof *it->at + sizeof *it->order) + codes, err);
    if (!p) return err->code;
    it->at = (size_t *)(void *)p;
    it->order = (uint32_t *)(void *)(it->at + b->n);
    it->codes = (uint8_t *)(it->order + b->n);
    codes = 0;
    for (size_t i = 0; i < b->n; i++) {
        it->at[i] = codes;
        codes += (size_t)b->len[i] + 2 * BEYOND;
        it->order[i] = (uint32_t)i;
        it->whole[i] = (ws_dom_whole){.x = it->codes + it->at[i], .L = b->len[i]};
    }
    it->nwhole = b->n;
    ws_system_sort(it->order, b->n, sizeof *it->order, longer, b->len);
    return WS_OK;
}

static int fill(ws_job *job, void *own, size_t *parts, ws_err *err) {
    reader *r = reader_of(job);
    item *it = own;
    empty(it);
    int rc = ws_seqread_fill(r->input, &it->batch, err);
    for (size_t i = 0; i < it->batch.nrow && !rc; i++) rc = check_query(job, &it->batch, &it->batch.row[i], err);
    if (!rc) rc = prepare(it, err);
    *parts = ws_max((it->batch.n + PART - 1) / PART, 1);
    return rc;
}

/* ---- aligning ---- */

static int work(ws_job *job, void *own, size_t part, ws_worker *worker, ws_err *err) {
    reader *r = reader_of(job);
    const ws_fit *f = ws_fit_of(job);
    item *it = own;
    const ws_batch *b = &it->batch;
    const size_t from = part * PART, n = ws_min(PART, b->n - from);
    ws_dom_whole some[PART];
    ws_dom_worker **w = &r->worker[worker->number];
    if (!*w) {
        const ws_dom_backend *be = job->backend->own;
        const ws_dom_options options = {.plain = ws_dom_whole_plain(be)};
        const int rc = ws_dom_worker_create(w, be, &options, err);
        if (rc) return rc;
    }
    for (size_t j = 0; j < n; j++) {
        const uint32_t i = it->order[from + j];
        r->codec->unpack(b->word + b->first[i], b->len[i], it->codes + it->at[i]);
        some[j] = it->whole[i];
    }
    const int rc = ws_dom_align(f->tables, &f->profile, *w, some, n, err);
    for (size_t j = 0; j < n; j++) {
        it->whole[it->order[from + j]] = some[j];
        r->way[some[j].way]++;
        r->cells += (uint64_t)some[j].L * (uint64_t)f->hmm->M;
    }
    return rc;
}

/* ---- writing ---- */

/* Sets a row from a sequence of an item; its texts are made in `texts`. */
static int set_row(const ws_fit *f, const item *it, size_t i, ws_fitrow *row, ws_buf *texts, ws_err *err) {
    const ws_batch *b = &it->batch;
    const ws_seqtext *t = &b->seqtext[i];
    const ws_slice part[] = {t->name, t->acc, t->desc};
    char *p = ws_buf_scratch(texts, t->name.n + t->acc.n + t->desc.n + 3, err), *at[3];
    if (!p) return err->code;
    for (int k = 0; k < 3; p += part[k++].n + 1) {
        at[k] = p;
        if (part[k].n) memcpy(p, ws_batch_text(b, part[k]), part[k].n);
        p[part[k].n] = '\0';
    }
    *row = (ws_fitrow){.name = at[0], .acc = *at[1] ? at[1] : NULL, .desc = *at[2] ? at[2] : NULL};
    ws_fitrow_set(row, f->hmm->abc, &it->whole[i]);
    return WS_OK;
}

/* Makes the text of an item whose rows need no others. */
static int format(ws_job *job, void *own, ws_worker *worker, ws_outtext *out, ws_err *err) {
    ws_fit *f = ws_fit_of(job);
    const item *it = own;
    ws_sink s = {.text = out[0].text};
    int rc = WS_OK;
    if (!f->streams) return WS_OK;
    for (size_t i = 0; i < it->batch.n && !rc; i++) {
        ws_fitrow row;
        rc = set_row(f, it, i, &row, &worker->scratch, err);
        if (!rc) rc = ws_fitrow_stream(f, &row, &s, err);
        if (!rc && s.err.code) rc = ws_sink_flush(&s, err);
    }
    out[0].text = s.text;
    out[0].rows = rc ? 0 : it->batch.n;
    return rc;
}

/* Keeps the rows of an item. */
static int keep(const ws_job *job, void *own, const void *item_, const ws_outtext *made, ws_buf *text, ws_err *err) {
    ws_fit *f = ws_fit_of(job);
    const item *it = item_;
    int rc = WS_OK;
    ws_buf texts = {0};
    (void)own;
    (void)made;
    (void)text;
    for (size_t i = 0; i < it->nwhole && !rc; i++) {
        ws_fitrow row;
        rc = set_row(f, it, i, &row, &texts, err);
        if (!rc) rc = ws_fitrows_add(&f->rows, f->hmm, &row, it->whole[i].posterior, err);
    }
    ws_buf_release(&texts);
    return rc;
}

static int outputs(ws_job *job, ws_err *err) {
    (void)err;
    if (!ws_fit_of(job)->streams) job->out[0].pack = keep;
    return WS_OK;
}

/* ---- report ---- */

static void resize(ws_job *job, uint64_t batch) { ws_seqread_batch(reader_of(job)->input, batch); }
static int ahead(ws_job *job) { return ws_seqread_ahead(reader_of(job)->input); }

static void progress(ws_job *job, double seconds, char *text, size_t size, double *share) {
    char seqs[WS_NUMBER_MAX], rate[WS_NUMBER_MAX];
    ws_seqread_counts n;
    uint64_t done, all;
    ws_seqread *input = reader_of(job)->input;
    ws_seqread_counts_get(input, &n);
    ws_seqread_progress(input, &done, &all);
    *share = all ? (double)done / (double)all : -1;
    snprintf(text, size, "%s sequences, %s sequences/s", ws_number_human(seqs, (double)n.seqs),
             ws_number_human(rate, (double)n.seqs / (seconds > 0 ? seconds : 1)));
}

static int stats(ws_job *job, double seconds, ws_stat *stat) {
    const reader *r = reader_of(job);
    ws_seqread_counts n;
    ws_seqread_counts_get(r->input, &n);
    const ws_stat own[] = {
        {"sequences", "sequences read", (double)n.seqs, 0},
        {"residues", "residues read", (double)n.residues, 0},
        {"subnormals", "sequences that were aligned again, with subnormal numbers",
         (double)(r->way[WS_DOM_BY_SUBNORMALS] + r->way[WS_DOM_BY_LOGARITHMS]), 0},
        {"logarithms", "of these in logarithms, because their numbers went out of range",
         (double)r->way[WS_DOM_BY_LOGARITHMS], 0},
        {"cells", "cells, M x L over the sequences", (double)r->cells, 0},
        {"gcups", "10^9 of these cells per processor second",
         seconds > 0 ? (double)r->cells / 1e9 / seconds : 0, 1},
    };
    memcpy(stat, own, sizeof own);
    return (int)(sizeof own / sizeof *own);
}

const ws_reader ws_fit_reader = {
    .outputs = outputs,
    .open = open_reader,
    .close = close_reader,
    .resize = resize,
    .create = create_item,
    .destroy = destroy_item,
    .fill = fill,
    .work = work,
    .format = format,
    .ahead = ahead,
    .progress = progress,
    .stats = stats,
};
