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
static int add_sequence(const ws_long_cut *cut, ws_batch *to, const ws_batch *from, size_t seq, const ws_long_pieces *p, size_t j,
                        ws_err *err) {
    const ws_seqtext *t = &from->seqtext[seq];
    ws_seqtext own = {.qual = {0, 0}};
    int rc = ws_batch_reserve_words(to, ws_batch_words(p->len[j]), err);
    if (!rc) rc = add_text(to, from, t->name, &own.name, err);
    if (!rc) rc = add_text(to, from, t->desc, &own.desc, err);
    if (rc) return rc;
    cut->codec->pack(ws_long_codes_of(p, j), p->len[j], to->word + to->nword);
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

/* Blocks of all models end at the same residues, and each has the context of the longest instance that a model looks for. */
static int pieces_of_records(ws_job *job, uint32_t *block, uint32_t *context, ws_err *err) {
    ws_cascade_windows *w = ((const ws_cascade *)job->data)->windows;
    const int rc = ws_job_ready_all(job, job->nworker, err);
    for (size_t t = 0; t < job->ntarget && !rc; t++) w->cut.maxl = (uint32_t)ws_max(w->cut.maxl, w->target[t].model.maxl);
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
        return ws_fail(err, WS_EDATA, "the input is a table of pairs; --long searches whole sequences: FASTA, FASTQ or a packed stream");
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
    const ws_batch *b;
    ws_long_worker *worker;
    ws_batch *to;
    ws_hits *hits;
    ws_long_marks *marks; /* NULL: the CPU marks */
    uint64_t cells, device_cells;
} search;

static int add_windows(const search *s, uint32_t seq, uint32_t t, size_t n, ws_err *err) {
    const ws_cascade *c = s->c;
    const ws_long_pieces *p = &s->worker->windows;
    const int tested = c->col_bits > c->col_window;
    for (size_t i = 0; i < n; i++) {
        const size_t j = tested && !ws_scan_of(s->job)->all ? p->item[i] : i;
        const int rc = add_sequence(&c->windows->cut, s->to, s->b, seq, p, j, err);
        ws_hit *h = rc ? NULL : add_hit(s->to, s->hits, t, seq, err);
        if (!h) return err->code;
        ws_long_row_values(&h->value[c->col_window], &p->at[j], p->len[j], s->b->before + seq + 1);
        if (!tested) continue;
        h->value[c->col_bits] = ws_bits(p->score[j].nats, p->lm[j].null_nats);
        h->value[c->col_p] = p->at[j].p;
        if (c->col_bias >= 0) h->value[c->col_bias] = (double)ws_bits(p->at[j].bias_nats, 0.0f);
        if (c->col_sat >= 0) h->value[c->col_sat] = isinf(p->score[j].nats) && p->score[j].nats > 0;
    }
    return WS_OK;
}

/* number: of the unit in its part. */
static int cut_unit(search *s, const ws_long_unit *u, size_t number, ws_err *err) {
    const ws_cascade_windows *w = s->c->windows;
    const uint64_t strands = w->cut.strands == (WS_LONG_PLUS | WS_LONG_MINUS) ? 2 : 1;
    ws_long_pieces *p = &s->worker->windows;
    int rc = WS_OK, any;
    ws_long_unit_begin(s->worker);
    for (size_t t = 0; t < s->job->ntarget && !rc; t++) {
        const ws_long_layout *l = &w->target[t].layout;
        const ws_long_marked marked = {s->marks, t, number};
        ws_long_block block;
        s->cells += strands * ws_long_unit_residues(&w->cut, s->b, u, l->model) * (uint64_t)l->model->M;
        rc = ws_long_unit_block(s->worker, &w->cut, s->b, u, l, &marked, &block, &any, err);
        if (rc || !any) continue;
        ws_long_pieces_reuse(p);
        rc = ws_long_find_windows(&block, p, &s->worker->scratch, err);
        size_t n = p->n;
        if (!rc && l->msv) rc = ws_long_test_windows(l, &s->job->machine.cpu, p, &n, &s->worker->scratch, err);
        if (ws_scan_of(s->job)->all) n = p->n;
        if (!rc) rc = add_windows(s, u->seq, (uint32_t)t, n, err);
    }
    return rc;
}

/* Marks the units for all models: windows leave block by block, so that the output does not depend on who marks. */
static int mark(search *s, const ws_long_unit *unit, size_t n, ws_err *err) {
    ws_cascade_windows *w = s->c->windows;
    const size_t nmodel = s->job->ntarget;
    const ws_long_dev **dev = ws_calloc(nmodel, sizeof *dev, err);
    const ws_long_model **model = dev ? ws_calloc(nmodel, sizeof *model, err) : NULL;
    int rc = model ? WS_OK : err->code;
    pthread_mutex_lock(&w->lock);
    for (size_t t = 0; t < nmodel && !rc; t++) {
        ws_window_target *e = &w->target[t];
        if (!e->dev_made) rc = ws_long_dev_create(&e->dev, &e->model, err);
        e->dev_made = !rc;
        dev[t] = e->dev;
        model[t] = &e->model;
    }
    pthread_mutex_unlock(&w->lock);
    if (!rc) rc = ws_long_marks_create(&s->marks, &w->cut, dev, model, nmodel, s->b, unit, n, err);
    ws_free(dev);
    ws_free(model);
    return rc;
}

/* marked: by a device, in one call. */
static int cut_some(search *s, const ws_long_unit *unit, size_t n, int marked, ws_err *err) {
    const uint64_t before = s->cells;
    int rc = marked ? mark(s, unit, n, err) : WS_OK;
    for (size_t u = 0; u < n && !rc; u++) rc = cut_unit(s, &unit[u], u, err);
    ws_long_marks_destroy(s->marks);
    s->marks = NULL;
    if (marked) s->device_cells += s->cells - before;
    return rc;
}

/* Where the CPU works beside a device it takes one unit and asks again who is free. *last: the backend that was asked last. */
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
    search s = {.job = job, .c = c, .b = b, .worker = &c->windows->worker[worker->number], .to = to, .hits = hits};
    if (u->nparts == 0) return WS_OK;
    const ws_long_unit *unit = u->at + u->part[part];
    const size_t n = u->part[part + 1] - u->part[part];
    int rc = cut_units(&s, unit, n, &last, err);
    if (rc && ws_job_fall_back_to_cpu(job, last, rc, err)) rc = cut_units(&s, unit, n, &last, err);
    ws_scan_count(job, hits->n, s.cells, s.device_cells);
    return rc;
}

const ws_cutter ws_cascade_cut_records = {
    .pieces = pieces_of_records, .batch = batch_of_device, .plan = plan_records, .release = release_units, .cut = cut_records};

/* ---- windows ---- */

static int plan_windows(ws_job *job, const ws_batch *b, void **plan, size_t *parts, ws_err *err) {
    (void)job, (void)plan;
    if (b->n && !b->has_rows) return ws_fail(err, WS_EDATA, "windows and whole sequences cannot be read together");
    *parts = 1;
    return WS_OK;
}

static void release_nothing(void *plan) { (void)plan; }

/* Rows of one model as windows: item[0..n) of `windows` are all of them. */
static int take_rows(const ws_job *job, const ws_batch *b, const uint32_t *row, size_t n, const ws_seqs *seqs,
                     ws_long_pieces *windows, ws_err *err) {
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
        if (!rc) rc = ws_long_pieces_add(windows, ws_seqs_codes(seqs, r->seq), b->len[r->seq], &where.place, err);
        if (!rc) windows->item[i] = (uint32_t)i;
    }
    return rc;
}

/* The bias of windows whose rows do not say it. */
static void set_bias(const ws_job *job, uint32_t t, ws_long_pieces *w) {
    const ws_cascade *c = job->data;
    const ws_hmm_target *model = job->target[t].data;
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        if (c->windows->options.nobias) w->at[i].bias_nats = 0;
        if (isnan(w->at[i].bias_nats)) w->item[n++] = (uint32_t)i;
    }
    const ws_seqlist list = {(const uint8_t *)w->codes.p, w->first, w->len, w->lm, w->item, n};
    if (n) ws_bias_scores(&model->bias, &job->machine.cpu, &list, w->bias);
    for (size_t i = 0; i < n; i++) w->at[w->item[i]].bias_nats = w->bias[i] - w->lm[w->item[i]].null_nats;
    for (size_t i = 0; i < w->n; i++) w->item[i] = (uint32_t)i;
}

/* The fields of a row that go along, with those of the sub-window where they differ. */
static int add_row(const ws_job *job, const ws_batch *b, const ws_row *row, const ws_long_pieces *p, size_t j, ws_batch *to, ws_err *err) {
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

/* Finds the sub-windows of all models, and the row of each in `origin`. by_model, start: of ws_counting_sort. */
static int find_all(const ws_job *job, const ws_batch *b, const uint32_t *by_model, const uint32_t *start,
                    const ws_scan_worker *worker, ws_buf *origin, ws_err *err) {
    const ws_cascade *c = job->data;
    ws_long_worker *w = &c->windows->worker[worker->number];
    uint64_t cells = 0;
    int rc = WS_OK;
    for (size_t t = 0; t < job->ntarget && !rc; t++) {
        const uint32_t *row = by_model + start[t];
        const size_t n = start[t + 1] - start[t], before = w->parts.n;
        if (n == 0) continue;
        ws_long_pieces_reuse(&w->windows);
        rc = take_rows(job, b, row, n, &worker->seqs, &w->windows, err);
        if (!rc) set_bias(job, (uint32_t)t, &w->windows);
        if (!rc) rc = ws_long_find_parts(&c->windows->target[t].layout, &w->windows, n, &w->parts, origin, &w->scratch, err);
        uint32_t *from = (uint32_t *)(void *)origin->p;
        for (size_t j = before; j < w->parts.n && !rc; j++) from[j] = row[from[j]];
        for (size_t i = 0; i < n; i++) cells += (uint64_t)b->len[b->row[row[i]].seq] * job->target[t].qlen;
    }
    ws_scan_count(job, b->nrow, cells, 0);
    return rc;
}

/* Sub-windows leave in the order of the rows that they come from, those of a row as they were found. */
static int write_all(const ws_job *job, const ws_batch *b, const ws_long_pieces *p, const uint32_t *origin, ws_batch *to, ws_hits *hits,
                     ws_err *err) {
    const ws_cascade *c = job->data;
    uint32_t *order = ws_calloc(p->n + b->nrow + 2, sizeof *order, err);
    int rc = order ? WS_OK : err->code;
    if (order) ws_counting_sort(&(ws_keys){origin, sizeof *origin, 0, p->n, 0, (uint32_t)b->nrow}, order, order + p->n);
    for (size_t i = 0; i < p->n && !rc; i++) {
        const ws_row *row = &b->row[origin[order[i]]];
        rc = add_sequence(&c->windows->cut, to, b, row->seq, p, order[i], err);
        if (!rc) rc = add_row(job, b, row, p, order[i], to, err);
        if (!rc && !add_hit(to, hits, row->target, (uint32_t)(to->nrow - 1), err)) rc = err->code;
    }
    ws_free(order);
    return rc;
}

static int cut_windows(ws_job *job, const ws_batch *b, void *plan, size_t part, const ws_scan_worker *worker,
                       ws_batch *to, ws_hits *hits, ws_err *err) {
    const ws_cascade *c = job->data;
    ws_long_worker *w = &c->windows->worker[worker->number];
    const ws_keys models = {b->row, sizeof *b->row, offsetof(ws_row, target), b->nrow, 0, (uint32_t)job->ntarget};
    uint32_t *row = ws_calloc(b->nrow + job->ntarget + 2, sizeof *row, err);
    ws_buf origin = {0};
    (void)plan, (void)part;
    ws_long_pieces_reuse(&w->parts);
    if (!row) return err->code;
    ws_counting_sort(&models, row, row + b->nrow);
    int rc = find_all(job, b, row, row + b->nrow, worker, &origin, err);
    if (!rc) rc = write_all(job, b, &w->parts, (const uint32_t *)(const void *)origin.p, to, hits, err);
    ws_buf_release(&origin);
    ws_free(row);
    return rc;
}

const ws_cutter ws_cascade_cut_windows = {.plan = plan_windows, .release = release_nothing, .cut = cut_windows};
