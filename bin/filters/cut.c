/* SPDX-License-Identifier: MIT
 * Records cut into windows, and windows into sub-windows. Specification long-targets.md, sections 4 to 8 and 16.1. */
#include "bin/filters/windows.h"

#include "lib/base/counting_sort.h"
#include "lib/hmm/evalue.h"

#include <math.h>

/* ---- windows into a batch ---- */

static int add_text(ws_batch *to, const ws_batch *from, ws_slice s, ws_slice *copy, ws_err *err) {
    *copy = (ws_slice){to->text.n, s.n};
    return ws_batch_add_text(to, ws_batch_text(from, s), s.n, err);
}

/* Appends a piece as a sequence, with the name and the description of the record or window `seq` of `from`. */
static int add_sequence(const ws_long_cut *cut, ws_batch *to, const ws_batch *from, size_t seq, const ws_long_list *p,
                        size_t j,
                        ws_err *err) {
    const ws_seqtext *t = &from->seqtext[seq];
    ws_seqtext own = {.qual = {0, 0}};
    int rc = ws_batch_reserve_words(to, ws_batch_words(p->len[j]), err);
    if (!rc) rc = add_text(to, from, t->name, &own.name, err);
    if (!rc) rc = add_text(to, from, t->desc, &own.desc, err);
    if (rc) return rc;
    cut->codec->pack(ws_long_list_codes(p, j), p->len[j], to->word + to->nword);
    return ws_batch_add_seq(to, to->nword, p->len[j], &own, err);
}

/* row: of ws_hit. */
static ws_hit *add_hit(const ws_batch *to, ws_hits *hits, uint32_t target, uint32_t row, ws_err *err) {
    ws_hit *h = ws_hits_add(hits, err);
    if (!h) return NULL;
    h->seq = (uint32_t)(to->n - 1);
    h->row = row;
    h->target = target;
    h->pass = 1;
    return h;
}

/* ---- records ---- */

static void release_units(void *plan) {
    if (plan) ws_long_units_release(plan);
    ws_free(plan);
}

/* Blocks of all models end at the same residues, and each has the context of the longest instance that a model looks
 * for. */
static int pieces_of_records(ws_job *job, uint32_t *block, uint32_t *context, ws_err *err) {
    ws_cascade_windows *w = ((const ws_cascade *)job->data)->windows;
    const int rc = ws_job_ready_all(job, job->nworker, err);
    for (size_t t = 0; t < job->ntarget && !rc; t++)
        w->cut.maxl = (uint32_t)ws_max(w->cut.maxl, w->target[t].model.maxl);
    *block = w->options.block;
    *context = w->cut.maxl;
    return rc;
}

/* A device is asked for a batch at once. */
static uint64_t batch_of_device(const ws_job *job, uint64_t residues, double share) {
    ws_long_run run = {.models = job->ntarget, .slots = ws_run_slots(job), .mem = ws_scan_of(job)->mem / 2};
    for (size_t t = 0; t < job->ntarget; t++) run.nodes += job->target[t].qlen;
    return ws_job_has_device(job) ? ws_long_call_residues(&run, residues, share) : 0;
}

/* The marks of a part take at most so many bytes, whatever the number of models. */
#define MARKS_MOST 256e6

static int plan_records(ws_job *job, const ws_batch *b, void **plan, size_t *parts, ws_err *err) {
    const ws_cascade *c = job->data;
    ws_cascade_windows *w = c->windows;
    if (b->has_rows)
        return ws_fail(
            err, WS_EDATA,
            "the input is a table of pairs; --long searches whole sequences: FASTA, FASTQ or a packed stream");
    if (!*plan && !(*plan = ws_calloc(1, sizeof(ws_long_units), err))) return err->code;
    const double most = MARKS_MOST * 126 / (2 * (double)job->ntarget);
    const uint64_t least = ws_job_has_device(job) ? (uint64_t)fmax(most, w->cut.block) : w->cut.block;
    const int rc = ws_long_units_cut(*plan, b, w->cut.block, least, err);
    *parts = ws_max(((ws_long_units *)*plan)->nparts, 1);
    return rc;
}

/* A part of a batch of records on its way. */
typedef struct search {
    ws_job *job;
    const ws_cascade *c;
    ws_long_set set; /* all models */
    ws_long_worker *worker;
    ws_batch *to;
    ws_hits *hits;
    uint64_t cells, device_cells;
} search;

/* Windows item[0..n) of one model leave. */
static int add_windows(const search *s, const uint32_t *item, size_t n, ws_err *err) {
    const ws_cascade *c = s->c;
    const ws_long_list *p = &s->worker->windows;
    const ws_batch *b = s->set.batch;
    for (size_t i = 0; i < n; i++) {
        const ws_long_place *at = &p->at[item[i]];
        const int rc = add_sequence(&c->windows->cut, s->to, b, at->record, p, item[i], err);
        ws_hit *h = rc ? NULL : add_hit(s->to, s->hits, at->target, at->record, err);
        if (!h) return err->code;
        ws_long_row_values(h->value, at, p->len[item[i]], b->before + at->record + 1);
        const float bits = ws_bits(at->nats, p->lm[item[i]].null_nats), bias = ws_bits(at->bias_nats, 0.0f);
        ws_cascade_put(c, &(ws_filter_values){.bits = bits, .bias_bits = bias, .p = at->p, .z = NAN}, h);
    }
    return WS_OK;
}

static void count_up(uint32_t *item, size_t from, size_t n) {
    for (size_t i = 0; i < n; i++) item[i] = (uint32_t)(from + i);
}

/* The windows of a unit leave model by model, those that pass the tests that the stage has. */
static int cut_unit(search *s, size_t u, ws_err *err) {
    ws_long_list *p = &s->worker->windows;
    ws_long_list_reuse(p);
    int rc = ws_long_set_search(&s->set, u, 0, s->worker, p, &s->cells, err);
    count_up(p->item, 0, p->n);
    for (size_t i = 0, n; i < p->n && !rc; i += n) {
        const ws_long_target *t = &s->set.target[p->at[i].target];
        uint32_t *item = p->item + i;
        size_t left = n = ws_long_list_run(p, i);
        if (t->msv) rc = ws_long_test_windows(t, &s->job->machine.cpu, p, item, &left, s->worker, err);
        if (ws_scan_of(s->job)->all) count_up(item, i, left = n);
        if (!rc) rc = add_windows(s, item, left, err);
    }
    return rc;
}

/* marked: by a device, in one call. Windows leave block by block, so that the output does not depend on who marks. */
static int cut_some(search *s, const ws_long_unit *unit, size_t n, int marked, ws_err *err) {
    const uint64_t before = s->cells;
    s->set.unit = unit;
    s->set.nunit = n;
    int rc = marked ? ws_long_set_mark(&s->set, NULL, err) : WS_OK;
    for (size_t u = 0; u < n && !rc; u++) rc = cut_unit(s, u, err);
    ws_long_marks_destroy(s->set.marks);
    s->set.marks = NULL;
    if (marked) s->device_cells += s->cells - before;
    return rc;
}

/* Where the CPU works beside a device it takes one unit and asks again who is free. *last: the backend that was asked
 * last. */
static int cut_units(search *s, const ws_long_unit *unit, size_t n, const ws_backend **last, ws_err *err) {
    int rc = WS_OK;
    ws_batch_reuse(s->to);
    s->hits->n = 0;
    s->cells = s->device_cells = 0;
    for (size_t u = 0, some; u < n && !rc; u += some) {
        *last = ws_job_pick_backend(s->job);
        const int device = (*last)->start != NULL;
        some = device || !s->job->cpu_backend ? n - u : 1;
        rc = cut_some(s, unit + u, some, device, err);
    }
    return rc;
}

static int cut_records(ws_job *job, const ws_batch *b, void *plan, size_t part, const ws_scan_worker *worker,
                       ws_batch *to, ws_hits *hits, ws_err *err) {
    const ws_cascade *c = job->data;
    const ws_long_units *u = plan;
    const ws_backend *last = NULL;
    search s = {.job = job, .c = c, .worker = &c->windows->worker[worker->number], .to = to, .hits = hits};
    s.set = (ws_long_set){.cut = &c->windows->cut, .batch = b, .target = c->windows->target, .to = job->ntarget};
    if (u->nparts == 0) return WS_OK;
    const ws_long_unit *unit = u->at + u->part[part];
    const size_t n = u->part[part + 1] - u->part[part];
    int rc = cut_units(&s, unit, n, &last, err);
    if (rc && ws_job_fall_back_to_cpu(job, last, rc, err)) rc = cut_units(&s, unit, n, &last, err);
    ws_scan_count(job, hits->n, s.cells, s.device_cells);
    return rc;
}

const ws_cutter ws_cascade_cut_records = {.pieces = pieces_of_records, .batch = batch_of_device, .plan = plan_records,
                                          .release = release_units, .cut = cut_records};

/* ---- windows ---- */

static int plan_windows(ws_job *job, const ws_batch *b, void **plan, size_t *parts, ws_err *err) {
    (void)job, (void)plan;
    if (b->n && !b->has_rows) return ws_fail(err, WS_EDATA, "windows and whole sequences cannot be read together");
    *parts = 1;
    return WS_OK;
}

static void release_nothing(void *plan) { (void)plan; }

/* Rows of one model as windows. Their places say which rows they are. */
static int take_rows(const ws_job *job, const ws_batch *b, const uint32_t *row, size_t n, const ws_seqs *seqs,
                     ws_long_list *windows, ws_err *err) {
    const ws_cascade *c = job->data;
    const int column = ws_head_find(ws_scan_of(job)->head, "bias_bits");
    const ws_lenmodel *lm = seqs->perseq;
    int rc = WS_OK;
    for (size_t i = 0; i < n && !rc; i++) {
        const ws_row *r = &b->row[row[i]];
        ws_long_row where;
        rc = ws_long_row_read(&where, &c->windows->columns, b, r, err);
        if (rc) ws_scan_name_input(job, err);
        const ws_cell bias = column < 0 ? (ws_cell){0} : ws_row_cell(b, r, column);
        if (bias.forms & WS_CELL_BIT(WS_CELL_EXACT32))
            where.place.bias_nats = ws_bits_undo((float)bias.v, lm[r->seq].null_nats) - lm[r->seq].null_nats;
        else where.place.bias_nats = NAN;
        where.place.record = row[i];
        if (!rc) rc = ws_long_list_add(windows, ws_seqs_codes(seqs, r->seq), b->len[r->seq], &where.place, err);
    }
    count_up(windows->item, 0, windows->n);
    return rc;
}

/* The bias of windows whose rows do not say it. */
static int set_bias(const ws_job *job, uint32_t t, ws_long_list *w, ws_buf *scratch, ws_err *err) {
    const ws_cascade *c = job->data;
    const ws_hmm_target *model = job->target[t].data;
    const ws_seqlist list = ws_long_list_seqs(w, NULL, w->n);
    float *bias = ws_buf_scratch(scratch, w->n * (sizeof *bias + WS_FILTER_BIAS_ROOM), err);
    if (!bias) return err->code;
    for (size_t i = 0; i < w->n; i++) bias[i] = isnan(w->at[i].bias_nats) && !c->windows->options.nobias ? NAN : 0;
    ws_filter_bias(&model->bias, &job->machine.cpu, &list, NULL, bias + w->n, bias);
    for (size_t i = 0; i < w->n; i++)
        if (c->windows->options.nobias) w->at[i].bias_nats = 0;
        else if (isnan(w->at[i].bias_nats)) w->at[i].bias_nats = bias[i] - w->lm[i].null_nats;
    return WS_OK;
}

/* The fields of a row that go along, with those of the sub-window where they differ. */
static int add_row(const ws_job *job, const ws_batch *b, const ws_row *row, const ws_long_list *p, size_t j,
                   ws_batch *to, ws_err *err) {
    const ws_cascade *c = job->data;
    const ws_tsv_head *head = ws_scan_of(job)->head;
    const int tlen = ws_head_find(head, "tlen"), *at = c->windows->columns.at;
    double value[WS_LONG_NCOLUMN];
    ws_row out = {.seq = (uint32_t)(to->n - 1), .target = row->target, .number = UINT32_MAX, .rest = {to->text.n, 0}};
    ws_rowplace place = {0};
    int rc = WS_OK;
    ws_long_row_values(value, &p->at[j], p->len[j], 0);
    for (int k = 0; k < head->ncolumn && !rc; k++) {
        ws_cell cell = ws_row_cell_behind(b, row, k, &place);
        if (k == at[WS_LONG_FROM]) cell = ws_cell_number(WS_COL_COUNT, value[WS_LONG_FROM]);
        if (k == at[WS_LONG_TO]) cell = ws_cell_number(WS_COL_COUNT, value[WS_LONG_TO]);
        if (k == tlen) cell = ws_cell_number(WS_COL_COUNT, p->len[j]);
        if (k) rc = ws_buf_add(&to->text, "\t", 1, err);
        if (!rc) rc = cell.forms ? ws_cell_print(&to->text, &cell, err) : ws_buf_add(&to->text, cell.text, cell.n, err);
    }
    out.rest.n = to->text.n - out.rest.at;
    return rc ? rc : ws_batch_add_row(to, &out, err);
}

/* Finds the sub-windows of all models. by_model, start: of ws_counting_sort. */
static int find_all(const ws_job *job, const ws_batch *b, const uint32_t *by_model, const uint32_t *start,
                    const ws_scan_worker *worker, ws_err *err) {
    const ws_cascade *c = job->data;
    ws_long_worker *w = &c->windows->worker[worker->number];
    uint64_t cells = 0;
    int rc = WS_OK;
    for (size_t t = 0; t < job->ntarget && !rc; t++) {
        const uint32_t *row = by_model + start[t];
        const size_t n = start[t + 1] - start[t];
        if (n == 0) continue;
        ws_long_list_reuse(&w->windows);
        rc = take_rows(job, b, row, n, &worker->seqs, &w->windows, err);
        if (!rc) rc = set_bias(job, (uint32_t)t, &w->windows, worker->scratch, err);
        if (!rc) rc = ws_long_find_subwindows(&c->windows->target[t], &w->windows, w->windows.item, n, &w->subwindows,
                                              &w->scratch, err);
        for (size_t i = 0; i < n; i++) cells += (uint64_t)b->len[b->row[row[i]].seq] * job->target[t].qlen;
    }
    ws_scan_count(job, b->nrow, cells, 0);
    return rc;
}

/* Sub-windows leave in the order of the rows that they come from, those of a row as they were found. */
static int write_all(const ws_job *job, const ws_batch *b, const ws_long_list *p, ws_batch *to, ws_hits *hits,
                     ws_err *err) {
    const ws_cascade *c = job->data;
    uint32_t *order = ws_calloc(p->n + b->nrow + 2, sizeof *order, err);
    int rc = order ? WS_OK : err->code;
    const ws_keys rows = {p->at, sizeof *p->at, offsetof(ws_long_place, record), p->n, 0, (uint32_t)b->nrow, NULL};
    if (order) ws_counting_sort(&rows, order, order + p->n);
    for (size_t i = 0; i < p->n && !rc; i++) {
        const ws_row *row = &b->row[p->at[order[i]].record];
        rc = add_sequence(&c->windows->cut, to, b, row->seq, p, order[i], err);
        if (!rc) rc = add_row(job, b, row, p, order[i], to, err);
        if (!rc && !add_hit(to, hits, row->target, (uint32_t)(to->nrow - 1), err)) rc = err->code;
    }
    ws_free(order);
    return rc;
}

static int cut_windows(ws_job *job, const ws_batch *b, void *plan, size_t part, const ws_scan_worker *worker,
                       ws_batch *to, ws_hits *hits, ws_err *err) {
    ws_long_worker *w = &((const ws_cascade *)job->data)->windows->worker[worker->number];
    const ws_keys models = {b->row, sizeof *b->row, offsetof(ws_row, target), b->nrow, 0, (uint32_t)job->ntarget, NULL};
    uint32_t *row = ws_calloc(b->nrow + job->ntarget + 2, sizeof *row, err);
    (void)plan, (void)part;
    ws_long_list_reuse(&w->subwindows);
    if (!row) return err->code;
    ws_counting_sort(&models, row, row + b->nrow);
    int rc = find_all(job, b, row, row + b->nrow, worker, err);
    if (!rc) rc = write_all(job, b, &w->subwindows, to, hits, err);
    ws_free(row);
    return rc;
}

const ws_cutter ws_cascade_cut_windows = {.plan = plan_windows, .release = release_nothing, .cut = cut_windows};
