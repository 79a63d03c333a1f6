/* SPDX-License-Identifier: MIT
 * pairhmm: reads against haplotypes, as GATK's HaplotypeCaller scores them. */
#include "kernels/pairhmm/format.h"
#include "kernels/pairhmm/input.h"
#include "lib/base/mem.h"
#include "lib/run/job.h"

#include <stdatomic.h>
#include <string.h>

extern const ws_tool ws_pairhmm_tool;

/* ---- options ---- */

typedef struct options {
    int matrix, raw, all_double, no_sharing, in_format, digits_given;
    long long digits;
    uint64_t piece;
    int all, allow_cut;
    const char *rejected, *residues;
} options;

#define AT(field) offsetof(options, field)
#define PLAIN .given = WS_OPT_NOGIVEN
#define NOT_HERE .flags = WS_OPT_HIDDEN, .given = WS_OPT_NOGIVEN

static const char *const out_formats[] = {"tsv", "matrix", NULL};
static const char *const in_formats[] = {"auto", "batch", "results", NULL}; /* the numbers of ws_pairhmm_format */

static const ws_opt opts[] = {
    {0, "double", NULL, WS_OPT_FLAG, AT(all_double), NULL, "compute all pairs in double precision",
     .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT, PLAIN},
    {0, "no-sharing", NULL, WS_OPT_FLAG, AT(no_sharing), NULL,
     "compute equal reads and common beginnings of haplotypes again; for measuring", .group = WS_GROUP_RUN, PLAIN},
    {0, "in-format", NULL, WS_OPT_CHOICE, AT(in_format), "FORMAT",
     "insist on auto, batch or results [auto: by content]", .choices = in_formats, .group = WS_GROUP_INPUT, PLAIN},
    {'O', "out-format", NULL, WS_OPT_CHOICE, AT(matrix), "FORMAT",
     "write tsv or matrix (a line of values per read) [tsv]", .choices = out_formats, .group = WS_GROUP_OUTPUT, PLAIN},
    {0, "raw", NULL, WS_OPT_FLAG, AT(raw), NULL,
     "a column more: the precision that was needed: single, double or scaled", .group = WS_GROUP_OUTPUT,
     .flags = WS_OPT_RESULT, PLAIN},
    {0, "digits", NULL, WS_OPT_INT, AT(digits), "N", "decimals of a likelihood [6; 10 with --double; 5 in a matrix]",
     .min = 0, .max = WS_PAIRHMM_DIGITS_MAX, .group = WS_GROUP_OUTPUT, .flags = WS_OPT_RESULT,
     .given = AT(digits_given)},
    {'K', "batch", NULL, WS_OPT_SIZE, AT(piece), "SIZE",
     "bytes of input taken at once; the rows are the same for all [128K, on a device 4M]", .min = 1, .max = 1e12,
     .group = WS_GROUP_RUN, PLAIN},
    /* common options that have no meaning here */
    {'a', "all", NULL, WS_OPT_FLAG, AT(all), NULL, "", NOT_HERE},
    {'U', "rejected", NULL, WS_OPT_STRING, AT(rejected), "FILE", "", NOT_HERE},
    {0, "bad-residue", NULL, WS_OPT_STRING, AT(residues), "WHAT", "", NOT_HERE},
    {0, "allow-cut", NULL, WS_OPT_FLAG, AT(allow_cut), NULL, "", NOT_HERE},
    WS_OPT_END,
};

static int open_pairhmm(ws_job *job, ws_err *err) {
    const options *o = job->own;
    const char *wrong = o->all         ? "all"
                        : o->rejected  ? "rejected"
                        : o->residues  ? "bad-residue"
                        : o->allow_cut ? "allow-cut"
                                       : NULL;
    if (wrong) return ws_fail(err, WS_EUSAGE, "--%s has no meaning here: every pair gets its row", wrong);
    if (o->matrix && (job->common.fields || o->raw))
        return ws_fail(err, WS_EUSAGE, "--%s is about columns of a table, so it goes with --out-format tsv only",
                       o->raw ? "raw" : "fields");
    job->common.batch = o->piece;
    job->input = job->cmdline.operand;
    job->ninput = job->cmdline.noperand;
    return WS_OK;
}

/* ---- the reader of lib/run ---- */

typedef struct reader {
    const ws_job *job;
    ws_pairhmm_input *input;
    ws_pairhmm_conf conf;
    _Atomic uint64_t regions, pairs, cells, computed, computed_double, rescued, scaled;
} reader;

typedef struct item {
    ws_pairhmm_piece piece;
    ws_pairhmm_text text;
    ws_pairhmm_work *work;
    ws_pairhmm_result *result;
    size_t result_cap;
} item;

/* A region with more cells than this is worked on by several threads: some tenths of a second each. */
#define PART_CELLS 1e9

static void close_reader(void *r_) {
    reader *r = r_;
    ws_pairhmm_input_close(r->input);
    ws_free(r);
}

static int open_reader(ws_job *job, void **out, ws_err *err) {
    static const char *const standard_input[] = {"-"};
    const options *o = job->own;
    reader *r = ws_calloc(1, sizeof *r, err);
    if (!r) return WS_ENOMEM;
    r->job = job;
    r->conf.all_double = o->all_double;
    r->conf.share = !o->no_sharing;
    ws_pairhmm_quals_make(&r->conf.quals);
    r->conf.host = WS_X86(job->machine.cpu.avx512 ? &ws_pairhmm_avx512 : job->machine.cpu.avx2 ? &ws_pairhmm_avx2 :)
        &ws_pairhmm_scalar;
    int rc = ws_pairhmm_input_open(&r->input, job->ninput ? job->input : standard_input, job->ninput ? job->ninput : 1,
                                   (ws_pairhmm_format)o->in_format, job->common.batch,
                                   PART_CELLS, err);
    *out = r;
    return rc;
}

static void set_batch(void *r, uint64_t size) { ws_pairhmm_input_batch(((reader *)r)->input, size); }

static int create_item(void **out, ws_err *err) {
    item *it = *out = ws_calloc(1, sizeof *it, err);
    return it ? ws_pairhmm_work_create(&it->work, err) : WS_ENOMEM;
}

static void destroy_item(void *item_) {
    item *it = item_;
    ws_buf_release(&it->piece.text);
    ws_pairhmm_text_release(&it->text);
    ws_pairhmm_work_destroy(it->work);
    ws_free(it->result);
    ws_free(it);
}

static int fill(void *r, void *it, ws_err *err) {
    return ws_pairhmm_input_fill(((reader *)r)->input, &((item *)it)->piece, err);
}

/* The columns asked for by -f, else all. */
static int choose_columns(const ws_job *job, ws_pairhmm_format f, ws_pairhmm_style *s, ws_err *err) {
    const options *o = job->own;
    int n;
    const char *const *name = ws_pairhmm_columns(f, o->raw, &n), *p = job->common.fields;
    s->ncolumn = 0;
    for (int i = 0; !p && i < n; i++) s->column[s->ncolumn++] = i;
    while (p) {
        const size_t len = strcspn(p, ",");
        int c = 0;
        while (c < n && (strlen(name[c]) != len || memcmp(name[c], p, len))) c++;
        char q[WS_QUOTE_MAX];
        if (c == n || s->ncolumn == WS_PAIRHMM_COLUMNS)
            return ws_fail(
                err, WS_EUSAGE,
                "--fields: no column \"%s\"; there are %s, read_len, hap_len and log10_likelihood, with --raw precision",
                ws_quote(q, p, len), f == WS_PAIRHMM_RESULTS ? "pair" : "batch, read, hap");
        s->column[s->ncolumn++] = c;
        p = p[len] ? p + len + 1 : NULL;
    }
    return WS_OK;
}

static int style_of(const ws_job *job, ws_pairhmm_format f, ws_pairhmm_style *s, ws_err *err) {
    const options *o = job->own;
    s->matrix = o->matrix;
    s->decimals = o->digits_given ? (int)o->digits : o->matrix ? 5 : o->all_double ? 10 : 6;
    return choose_columns(job, f, s, err);
}

static int parse(item *it, ws_err *err) {
    const ws_pairhmm_piece *p = &it->piece;
    ws_pairhmm_text_reset(&it->text);
    if (p->format == WS_PAIRHMM_BATCH) return ws_pairhmm_parse_batches(&it->text, p->text.p, p->text.n, &p->at, err);
    if (p->format == WS_PAIRHMM_RESULTS) return ws_pairhmm_parse_results(&it->text, p->text.p, p->text.n, &p->at, err);
    return WS_OK; /* a file of nothing but blanks */
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

/* The fields of a backend of lib/run are the first member of one of pairhmm's. */
static const ws_pairhmm_backend *turn(const ws_job *job) {
    return (const ws_pairhmm_backend *)(const void *)ws_job_turn(job);
}

static int score(ws_job *job, const ws_pairhmm_conf *conf, item *it, ws_lane *lane, ws_pairhmm_counts *c, ws_err *err) {
    const ws_pairhmm_backend *b = turn(job);
    int rc = ws_pairhmm_score(conf, b, &it->text, it->work, &lane->scratch, it->result, c, err);
    if (!rc || !ws_job_goes_on(job, &b->base, rc, err)) return rc;
    *c = (ws_pairhmm_counts){0};
    return ws_pairhmm_score(conf, turn(job), &it->text, it->work, &lane->scratch, it->result, c, err);
}

static int work(ws_job *job, void *r_, void *item_, ws_lane *lane, ws_outtext *out, ws_err *err) {
    reader *r = r_;
    item *it = item_;
    ws_pairhmm_counts c = {0};
    ws_pairhmm_style style;
    ws_err parsing = {0};
    int rc = style_of(job, it->piece.format, &style, err);
    if (rc) return rc;
    parse(it, &parsing); /* the regions before a fault still get their rows */
    rc = ws_grow(&it->result, &it->result_cap, it->text.npair, sizeof *it->result, err);
    if (!rc) rc = score(job, &r->conf, it, lane, &c, err);
    if (!rc) rc = ws_pairhmm_write(&style, it->piece.format, it->piece.at.number, &it->text, it->result, out, err);
    add_counts(r, &c);
    if (rc || !parsing.code) return rc;
    *err = parsing;
    return parsing.code;
}

static int head(const ws_job *job, void *r_, ws_buf *out, ws_err *err) {
    reader *r = r_;
    const options *o = job->own;
    const ws_pairhmm_format f = ws_pairhmm_input_format(r->input);
    ws_pairhmm_style s;
    int n, rc = style_of(job, f, &s, err);
    if (rc || o->matrix) return rc;
    const char *const *name = ws_pairhmm_columns(f, o->raw, &n);
    rc = ws_provenance(job, 1, out, err);
    if (rc || job->common.header == WS_HEADER_NONE) return rc;
    if (job->common.header == WS_HEADER_HASH) rc = ws_buf_add(out, "#", 1, err);
    for (int c = 0; c < s.ncolumn && !rc; c++) rc = ws_buf_addf(out, err, "%s%s", c ? "\t" : "", name[s.column[c]]);
    return rc ? rc : ws_buf_add(out, "\n", 1, err);
}

static int end(const ws_job *job, void *r_, uint64_t rows, ws_buf *out, ws_err *err) {
    (void)r_;
    if (((const options *)job->own)->matrix || job->common.no_provenance) return WS_OK;
    return ws_buf_addf(out, err, "##end rows=%llu\n", (unsigned long long)rows);
}

static int ahead(void *r) { return ws_pairhmm_input_ahead(((reader *)r)->input); }
static void progress(void *r, uint64_t *done, uint64_t *size) {
    ws_pairhmm_input_progress(((reader *)r)->input, done, size);
}

static int stats(void *r_, ws_stat *stat, int max) {
    reader *r = r_;
    const ws_stat own[] = {
        {"regions", "regions", (double)r->regions, 0},
        {"pairs", "pairs of read and haplotype", (double)r->pairs, 0},
        {"cells", "cells, read length x haplotype length over the pairs", (double)r->cells, 0},
        {"cells_computed", "of these computed in single precision, the others were shared", (double)r->computed, 0},
        {"cells_double", "computed in double precision", (double)r->computed_double, 0},
        {"pairs_double", "pairs whose value comes from double precision", (double)r->rescued, 0},
        {"pairs_scaled", "pairs whose value comes from rescaled double precision", (double)r->scaled, 0},
    };
    const int n = (int)(sizeof own / sizeof *own);
    memcpy(stat, own, (size_t)(n < max ? n : max) * sizeof *own);
    return n < max ? n : max;
}

static const ws_reader pairhmm_reader = {
    .open = open_reader,
    .close = close_reader,
    .batch = set_batch,
    .create = create_item,
    .destroy = destroy_item,
    .fill = fill,
    .work = work,
    .head = head,
    .end = end,
    .ahead = ahead,
    .progress = progress,
    .stats = stats,
};

static const ws_backend *const backends[] = {&ws_pairhmm_cuda.base, WS_X86(&ws_pairhmm_avx512.base, &ws_pairhmm_avx2.base,)
                                             &ws_pairhmm_scalar.base, NULL};

const ws_tool ws_pairhmm_tool = {
    .name = "pairhmm",
    .summary = "likelihoods of reads given haplotypes: GATK's pair-HMM",
    .usage = "[REGIONS...]",
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
