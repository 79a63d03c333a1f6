/* SPDX-License-Identifier: MIT
 * pairhmm: likelihoods of reads given haplotypes, as GATK's HaplotypeCaller computes them. */
#include "bin/likelihoods/format.h"
#include "bin/likelihoods/whole.h"
#include "bin/stages/plan.h"
#include "lib/base/mem.h"
#include "lib/base/number.h"
#include "lib/run/table.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

extern const ws_tool ws_pairhmm_tool;

/* ---- options ---- */

typedef struct options {
    int matrix, raw, all_double, no_sharing, in_format, digits_given;
    long long digits;
    uint64_t block;
    int all, allow_cut;
    const char *rejected, *residues;
} options;
static options *options_of(const ws_job *job) { return job->own; }

#define AT(field) offsetof(options, field)
#define PLAIN .given = WS_OPT_NOGIVEN
#define NOT_HERE .flags = WS_OPT_HIDDEN, .given = WS_OPT_NOGIVEN

static const char *const out_formats[] = {"tsv", "matrix", NULL};
static const char *const in_formats[] = {"auto", "batch", "results", NULL}; /* in the order of ws_pairhmm_format */

static const ws_opt opts[] = {
    {0, "double", NULL, WS_OPT_FLAG, AT(all_double), NULL, "compute all pairs in double precision",
     .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT, PLAIN},
    {0, "no-sharing", NULL, WS_OPT_FLAG, AT(no_sharing), NULL,
     "compute equal reads and common beginnings of haplotypes again; for measurements", .group = WS_GROUP_RUN, PLAIN},
    {0, "in-format", NULL, WS_OPT_CHOICE, AT(in_format), "FORMAT",
     "insist on auto, batch or results [auto: by content]", .choices = in_formats, .group = WS_GROUP_INPUT, PLAIN},
    {'O', "out-format", NULL, WS_OPT_CHOICE, AT(matrix), "FORMAT",
     "write tsv or matrix (a line of values per read) [tsv]", .choices = out_formats, .group = WS_GROUP_OUTPUT, PLAIN},
    {0, "raw", NULL, WS_OPT_FLAG, AT(raw), NULL,
     "add a column with the precision of the value: single, double or scaled", .group = WS_GROUP_OUTPUT,
     .flags = WS_OPT_RESULT, PLAIN},
    {0, "digits", NULL, WS_OPT_INT, AT(digits), "N", "decimals of a likelihood [6; 10 with --double; 5 in a matrix]",
     .min = 0, .max = WS_PAIRHMM_DIGITS_MAX, .group = WS_GROUP_OUTPUT, .flags = WS_OPT_RESULT,
     .given = AT(digits_given)},
    {'K', "batch", NULL, WS_OPT_SIZE, AT(block), "SIZE",
     "bytes of input taken at once; all sizes give the same rows [128K, on a device 4M]", .min = 1, .max = 1e12,
     .group = WS_GROUP_RUN, PLAIN},
    /* common options that pairhmm refuses */
    {'a', "all", NULL, WS_OPT_FLAG, AT(all), NULL, "", NOT_HERE},
    {'U', "rejected", NULL, WS_OPT_STRING, AT(rejected), "FILE", "", NOT_HERE},
    {0, "bad-residue", NULL, WS_OPT_STRING, AT(residues), "WHAT", "", NOT_HERE},
    {0, "allow-cut", NULL, WS_OPT_FLAG, AT(allow_cut), NULL, "", NOT_HERE},
    WS_OPT_END,
};

static int open_pairhmm(ws_job *job, ws_err *err) {
    const options *o = options_of(job);
    const char *wrong = o->all         ? "all"
                        : o->rejected  ? "rejected"
                        : o->residues  ? "bad-residue"
                        : o->allow_cut ? "allow-cut"
                                       : NULL;
    if (wrong) return ws_fail(err, WS_EUSAGE, "--%s has no meaning here: every pair gets its row", wrong);
    if (o->matrix && (job->common.fields || o->raw))
        return ws_fail(err, WS_EUSAGE, "--%s changes the columns of a table, so it goes with --out-format tsv only",
                       o->raw ? "raw" : "fields");
    job->common.batch = o->block;
    job->input = job->cmdline.operand;
    job->ninput = job->cmdline.noperand;
    return WS_OK;
}

/* ---- the reader ---- */

typedef struct reader {
    ws_pairhmm_input *input;
    ws_pairhmm_whole whole;
    ws_pairhmm_conf conf;
    _Atomic uint64_t regions, pairs, cells, computed, computed_double, rescued, scaled;
} reader;
static reader *reader_of(const ws_job *job) { return job->reader; }

typedef struct item {
    ws_pairhmm_block block;
    ws_pairhmm_text text;
    ws_pairhmm_work *work;
    ws_err fault; /* a fault of the text; the regions before it still get their rows */
    ws_pairhmm_result *result;
    size_t result_cap;
} item;

/* Several threads share a region with more cells than this, which take some tenths of a second. */
#define PART_CELLS 1e9

static void close_reader(ws_job *job) {
    reader *r = reader_of(job);
    if (!r) return;
    ws_pairhmm_input_close(r->input);
    ws_pairhmm_whole_release(&r->whole);
    ws_free(r);
}

static int open_reader(ws_job *job, ws_err *err) {
    static const ws_pairhmm_body *const host[] = {WS_BY_WIDTH(ws_pairhmm_)};
    const options *o = options_of(job);
    reader *r = job->reader = ws_calloc(1, sizeof *r, err);
    if (!r) return WS_ENOMEM;
    r->conf.all_double = o->all_double;
    r->conf.share = !o->no_sharing;
    ws_pairhmm_quals_make(&r->conf.quals);
    r->conf.host = host[ws_cpu_best(&job->machine.cpu)];
    return ws_pairhmm_input_open(&r->input, job->input, job->ninput, (ws_pairhmm_format)o->in_format, job->common.batch,
                                 PART_CELLS, err);
}

static ws_pairhmm_input *input_of(const ws_job *job) { return reader_of(job)->input; }

static void resize(ws_job *job, uint64_t batch) { ws_pairhmm_input_batch(input_of(job), batch); }

static int create_item(void **out, ws_err *err) {
    item *it = *out = ws_calloc(1, sizeof *it, err);
    return it ? ws_pairhmm_work_create(&it->work, err) : WS_ENOMEM;
}

static void destroy_item(void *item_) {
    item *it = item_;
    ws_buf_release(&it->block.text);
    ws_pairhmm_text_release(&it->text);
    ws_pairhmm_work_destroy(it->work);
    ws_free(it->result);
    ws_free(it);
}

static int shows_regions(const ws_job *job) { return options_of(job)->matrix; }

static int fill(ws_job *job, void *it, size_t *parts, ws_err *err) {
    reader *r = reader_of(job);
    ws_pairhmm_block *p = &((item *)it)->block;
    *parts = 1;
    return shows_regions(job) ? ws_pairhmm_whole_fill(&r->whole, r->input, p, err)
                              : ws_pairhmm_input_fill(r->input, p, err);
}

static int style_of(const ws_job *job, ws_pairhmm_format f, ws_pairhmm_style *s, ws_err *err) {
    const options *o = options_of(job);
    s->matrix = o->matrix;
    s->decimals = o->digits_given ? (int)o->digits : o->matrix ? 5 : o->all_double ? 10 : 6;
    const ws_names all = ws_pairhmm_columns(f, o->raw);
    return ws_fields_choose(job->common.fields, &all, s->column, WS_PAIRHMM_COLUMNS, &s->ncolumn, err);
}

static int parse(item *it, ws_err *err) {
    const ws_pairhmm_block *p = &it->block;
    ws_pairhmm_text_reset(&it->text);
    if (p->format == WS_PAIRHMM_BATCH) return ws_pairhmm_parse_batches(&it->text, p->text.p, p->text.n, &p->at, err);
    if (p->format == WS_PAIRHMM_RESULTS) return ws_pairhmm_parse_results(&it->text, p->text.p, p->text.n, &p->at, err);
    return WS_OK; /* the file has only blanks */
}

/* Drops the last region of results text that could not be parsed, and keeps those before. Unread lines after the
 * fault may belong to the last one. */
static void drop_open_region(item *it) {
    const ws_pairhmm_block *p = &it->block;
    ws_pairhmm_text *t = &it->text;
    size_t whole;
    ws_err same_fault;
    if (p->format != WS_PAIRHMM_RESULTS) return;
    ws_pairhmm_whole_results(t, p->text.p, p->text.n, &p->at, &whole, &same_fault);
    if (t->nregion) t->npair = t->region[--t->nregion].pair;
}

static void add_counts(reader *r, const ws_pairhmm_counts *c) {
    r->regions += c->regions;
    r->pairs += c->pairs;
    r->cells += c->cells;
    r->computed += c->computed;
    r->computed_double += c->computed_double;
    r->rescued += c->rescued;
    r->scaled += c->scaled;
}

static int score(ws_job *job, const ws_pairhmm_conf *conf, item *it, ws_worker *worker, ws_pairhmm_counts *c,
                 ws_err *err) {
    const ws_backend *b = ws_job_pick_backend(job);
    int rc = ws_pairhmm_score(conf, b->own, &it->text, it->work, &worker->scratch, it->result, c, err);
    if (!rc || !ws_job_fall_back_to_cpu(job, b, rc, err)) return rc;
    *c = (ws_pairhmm_counts){0};
    b = ws_job_pick_backend(job);
    return ws_pairhmm_score(conf, b->own, &it->text, it->work, &worker->scratch, it->result, c, err);
}

static int work(ws_job *job, void *item_, size_t part, ws_worker *worker, ws_err *err) {
    reader *r = reader_of(job);
    item *it = item_;
    ws_pairhmm_counts c = {0};
    (void)part;
    it->fault = (ws_err){0};
    if (parse(it, &it->fault) && shows_regions(job)) drop_open_region(it);
    int rc = ws_grow(&it->result, &it->result_cap, it->text.npair, sizeof *it->result, err);
    if (!rc) rc = score(job, &r->conf, it, worker, &c, err);
    add_counts(r, &c);
    return rc;
}

static int format(ws_job *job, void *item_, ws_worker *worker, ws_outtext *out, ws_err *err) {
    const item *it = item_;
    ws_pairhmm_style style;
    (void)worker;
    int rc = style_of(job, it->block.format, &style, err);
    if (!rc) rc = ws_pairhmm_write(&style, it->block.format, it->block.at.number, &it->text, it->result, out, err);
    if (rc || !it->fault.code) return rc;
    *err = it->fault;
    return err->code;
}

static int head(const ws_job *job, void *own, ws_buf *out, ws_err *err) {
    const options *o = options_of(job);
    const ws_pairhmm_format f = ws_pairhmm_input_format(input_of(job));
    ws_pairhmm_style s;
    (void)own;
    int rc = style_of(job, f, &s, err);
    if (rc || o->matrix) return rc;
    const ws_names all = ws_pairhmm_columns(f, o->raw);
    rc = ws_provenance(job, 1, out, err);
    return rc ? rc : ws_table_head(job, &all, s.column, s.ncolumn, out, err);
}

static int end(const ws_job *job, void *own, uint64_t rows, ws_buf *out, ws_err *err) {
    (void)own;
    return shows_regions(job) ? WS_OK : ws_table_end(job, rows, out, err);
}

static int outputs(ws_job *job, ws_err *err) {
    (void)err;
    job->out[0].head = head;
    job->out[0].end = end;
    return WS_OK;
}

static int ahead(ws_job *job) { return ws_pairhmm_input_ahead(input_of(job)); }

static void progress(ws_job *job, double seconds, char *text, size_t n, double *share) {
    char bytes[WS_NUMBER_MAX], rows[WS_NUMBER_MAX];
    uint64_t done, size;
    (void)seconds;
    ws_pairhmm_input_progress(input_of(job), &done, &size);
    *share = size ? (double)done / (double)size : -1;
    snprintf(text, n, "%s bytes read, %s rows", ws_number_human(bytes, (double)done),
             ws_number_human(rows, (double)job->out[0].rows));
}

static int stats(ws_job *job, double seconds, ws_stat *stat) {
    const reader *r = reader_of(job);
    (void)seconds;
    const ws_stat own[] = {
        {"regions", "regions", (double)r->regions, 0},
        {"pairs", "pairs of read and haplotype", (double)r->pairs, 0},
        {"cells", "cells, read length x haplotype length over the pairs", (double)r->cells, 0},
        {"cells_computed", "of these computed in single precision, the others were shared", (double)r->computed, 0},
        {"cells_double", "computed in double precision", (double)r->computed_double, 0},
        {"pairs_double", "pairs whose value comes from double precision", (double)r->rescued, 0},
        {"pairs_scaled", "pairs whose value comes from rescaled double precision", (double)r->scaled, 0},
    };
    memcpy(stat, own, sizeof own);
    return (int)(sizeof own / sizeof *own);
}

static const ws_reader pairhmm_reader = {
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

/* Their own are the bodies. */
#define BACKEND(width, ...) \
    &(const ws_backend){.name = #width, .usable = ws_usable_##width, .own = &ws_pairhmm_##width, \
                        .batch = WS_PLAN_READS_BATCH},
static const ws_backend on_device = {WS_BACKEND_DEVICE, .own = &ws_pairhmm_cuda, .batch = WS_PLAN_READS_DEVICE_BATCH};
static const ws_backend *const backends[] = {&on_device, WS_WIDTHS(BACKEND, ) BACKEND(scalar, ) NULL};

const ws_tool ws_pairhmm_tool = {
    .name = "pairhmm",
    .summary = "likelihoods of reads given haplotypes: GATK's pair-HMM",
    .usage = "[REGIONS...]",
    .columns = {&ws_pairhmm_help_columns},
    .examples = "  # from what gatk HaplotypeCaller --pair-hmm-results-file wrote to a table\n"
                "  pairhmm pairs.txt > likelihoods.tsv\n"
                "  # batches of your own, a line of likelihoods for each read\n"
                "  zcat regions.in.gz | pairhmm -O matrix\n",
    .opts = opts,
    .own_size = sizeof(options),
    .backends = backends,
    .reader = &pairhmm_reader,
    .open = open_pairhmm,
};
