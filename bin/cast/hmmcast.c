/* SPDX-License-Identifier: MIT
 * hmmcast: profile HMMs from alignments or sequences, as hmmbuild makes them. */
#include <stdio.h>
#include <string.h>

#include "bin/cast/program.h"
#include "bin/stages/plan.h"
#include "lib/base/number.h"
#include "lib/compress/source.h"

extern const ws_tool ws_hmmcast_tool;

/* Fails if standard input would be the score matrix and an alignment. */
static int check_stdin(const ws_job *job, const ws_cast_options *o, ws_err *err) {
    int from_stdin = job->ninput == 0;
    for (int i = 0; i < job->ninput; i++) from_stdin |= ws_source_is_stdin(job->input[i]);
    if (!o->mxfile || !ws_source_is_stdin(o->mxfile) || !from_stdin) return WS_OK;
    return ws_fail(err, WS_EUSAGE, "--mxfile: both the score matrix and the sequences would be read from standard "
                   "input; name a file for one of them");
}

/* hmmbuild writes models and summary, where both go to standard output, one after the other. */
static void join_outputs(const ws_job *job, ws_cast_options *o, ws_cast_plan *p) {
    const int fd = ws_out_descriptor(job->common.output);
    p->behind = fd >= 0 && fd == ws_out_descriptor(o->summary);
    if (p->behind) o->summary = NULL;
}

static int open_cast(ws_job *job, ws_err *err) {
    ws_cast_options *o = ws_cast_options_of(job);
    ws_cast_plan *p = job->data = ws_calloc(1, sizeof *p, err);
    if (!p) return err->code;
    if (job->peer && strcmp(job->common.output, "-") == 0)
        return ws_fail(err, WS_EUSAGE, "hmmbuild writes its models to a file, which - does not name");
    int rc = ws_cast_options_check(o, job->peer != NULL, err);
    if (!rc) rc = ws_cast_plan_make(p, o, err);
    if (!rc && job->peer) join_outputs(job, o, p);
    job->input = job->cmdline.operand;
    job->ninput = job->cmdline.noperand;
    job->default_batch = WS_PLAN_CAST_BATCH;
    return rc ? rc : check_stdin(job, o, err);
}

static void close_cast(ws_job *job) {
    if (job->data) ws_cast_plan_release(job->data);
    ws_free(job->data);
}

/* ---- the reader ---- */

typedef struct reader {
    ws_cast_input *input;
    atomic_int busy; /* items that are being worked on */
    _Atomic uint64_t models;
    _Atomic uint64_t read, made; /* residues of batches, and of their parts that are done */
} reader;
static reader *reader_of(const ws_job *job) { return job->reader; }

static int open_reader(ws_job *job, ws_err *err) {
    ws_cast_plan *p = ws_cast_plan_of(job);
    reader *r = job->reader = ws_calloc(1, sizeof *r, err);
    if (!r) return err->code;
    p->width = ws_job_width(job);
    return ws_cast_input_open(&r->input, job, p, err);
}

static void close_reader(ws_job *job) {
    if (job->reader) ws_cast_input_close(reader_of(job)->input);
    ws_free(job->reader);
}

static int create_item(void **out, ws_err *err) {
    return (*out = ws_calloc(1, sizeof(ws_cast_item), err)) ? WS_OK : err->code;
}

/* Gives back what the next filling does not use again. */
static void empty_item(ws_cast_item *it) {
    ws_msa_release(&it->msa);
    ws_free(it->name);
    it->name = NULL;
    it->nmodel = 0;
}

static void destroy_item(void *item) {
    ws_cast_item *it = item;
    empty_item(it);
    for (size_t i = 0; i < it->cap; i++) {
        ws_buf_release(&it->model[i].text);
        ws_buf_release(&it->model[i].resaved);
        ws_buf_release(&it->model[i].line);
    }
    ws_free(it->model);
    ws_batch_release(&it->batch);
    ws_buf_release(&it->codes);
    ws_free(it);
}

/* Returns the residues of sequences from .. to - 1 of a batch; 0 of an alignment. */
static uint64_t residues_of(const ws_cast_item *it, size_t from, size_t to) {
    uint64_t n = 0;
    for (size_t i = from; i < ws_min(to, it->batch.n); i++) n += it->batch.len[i];
    return n;
}

/* Returns the models of a part: a device calibrates many in one call. The last part is not much smaller. */
static size_t group_of(const ws_job *job, size_t n) {
    const size_t most = WS_PLAN_CAST_MODELS, parts = ws_job_has_device(job) ? (n + most - 1) / most : n;
    return (n + parts - 1) / parts;
}

static int fill(ws_job *job, void *item, size_t *parts, ws_err *err) {
    reader *r = reader_of(job);
    ws_cast_item *it = item;
    const size_t had = it->cap;
    empty_item(it);
    int rc = ws_cast_input_fill(r->input, it, err);
    if (rc) return rc;
    it->group = group_of(job, it->nmodel);
    rc = ws_grow(&it->model, &it->cap, it->nmodel, sizeof *it->model, err);
    if (rc) return rc;
    memset(it->model + had, 0, (it->cap - had) * sizeof *it->model);
    *parts = (it->nmodel + it->group - 1) / it->group;
    r->read += residues_of(it, 0, it->batch.n);
    return WS_OK;
}

/* Makes the models of a part. Threads that are not at other items help with a deep alignment. */
static int work(ws_job *job, void *item, size_t part, ws_worker *worker, ws_err *err) {
    reader *r = reader_of(job);
    ws_cast_item *it = item;
    const int busy = ++r->busy, threads = job->nworker > busy ? job->nworker / busy : 1;
    const int rc = ws_cast_make(job, it, part, threads, &worker->scratch, err);
    const size_t from = part * it->group, to = ws_min(from + it->group, it->nmodel);
    r->busy--;
    for (size_t i = from; i < to && !rc; i++) r->models += !it->model[i].fault.code;
    r->made += residues_of(it, from, to);
    return rc;
}

/* Appends the models of an item up to the first that failed. */
static int format(ws_job *job, void *item, ws_worker *worker, ws_outtext *out, ws_err *err) {
    const ws_cast_plan *p = ws_cast_plan_of(job);
    ws_cast_item *it = item;
    (void)worker;
    for (size_t i = 0; i < it->nmodel; i++) {
        ws_cast_model *m = &it->model[i];
        if (m->fault.code) {
            *err = m->fault;
            return err->code;
        }
        int rc = ws_buf_add(&out[0].text, m->text.p, m->text.n, err);
        if (!rc && p->resave) rc = ws_buf_add(&out[p->resave].text, m->resaved.p, m->resaved.n, err);
        if (!rc && p->summary) rc = ws_buf_add(&out[p->summary].text, m->line.p, m->line.n, err);
        if (rc) return rc;
        for (int k = 0; k < job->nout; k++) out[k].rows++;
        ws_buf_release(&m->text);
        ws_buf_release(&m->resaved);
    }
    return WS_OK;
}

/* Writes the head of the summary, whose columns depend on the alphabet: behind the first item. */
static int summary_head(const ws_job *job, void *own, ws_buf *out, ws_err *err) {
    const ws_abc *abc = ws_cast_plan_of(job)->abc;
    const int amino = !abc || abc->type == WS_ABC_AMINO;
    (void)own;
    const ws_peer_files file = {job->input[0], job->common.output};
    int rc = job->peer ? ws_peer_report_head(job->peer, job, file, 1, out, err) : WS_OK;
    if (!rc) rc = ws_buf_addf(out, err, "# idx name                  nseq  alen  mlen %seff_nseq re/pos description\n",
                         amino ? "" : "    W ");
    if (rc) return rc;
    return ws_buf_addf(out, err, "#---- -------------------- ----- ----- ----- %s-------- ------ -----------\n",
                       amino ? "" : "----- ");
}

/* Ends the summary as hmmbuild does, without the line of its times. */
static int summary_end(const ws_job *job, void *own, uint64_t rows, ws_buf *out, ws_err *err) {
    (void)own;
    (void)rows;
    return job->peer ? ws_buf_adds(out, "\n", err) : WS_OK;
}

/* Hands on the models of an item and keeps their lines of the summary. own: the plan. */
static int keep_lines(const ws_job *job, void *own, const void *item, const ws_outtext *made, ws_buf *text,
                      ws_err *err) {
    const ws_cast_item *it = item;
    ws_cast_plan *p = own;
    (void)job;
    int rc = ws_buf_add(text, made->text.p, made->text.n, err);
    for (uint64_t i = 0; i < made->rows && !rc; i++)
        rc = ws_buf_add(&p->lines, it->model[i].line.p, it->model[i].line.n, err);
    return rc;
}

/* Appends the summary of what has been written, behind the models. */
static int flush_lines(const ws_job *job, void *own, ws_buf *text, ws_err *err) {
    const ws_cast_plan *p = own;
    const int rc = summary_head(job, NULL, text, err);
    return rc ? rc : ws_buf_add(text, p->lines.p, p->lines.n, err);
}

static int end_lines(const ws_job *job, void *own, uint64_t rows, ws_buf *text, ws_err *err) {
    const int rc = flush_lines(job, own, text, err);
    return rc ? rc : summary_end(job, NULL, rows, text, err);
}

static int outputs(ws_job *job, ws_err *err) {
    const ws_cast_options *o = ws_cast_options_of(job);
    ws_cast_plan *p = ws_cast_plan_of(job);
    (void)err;
    if (p->behind) {
        job->out[0].own = p;
        job->out[0].pack = keep_lines;
        job->out[0].end = end_lines;
        job->out[0].flush = flush_lines;
    }
    if (o->resave) p->resave = ws_job_add_output(job, &(ws_output){.path = o->resave});
    if (o->summary)
        p->summary = ws_job_add_output(job, &(ws_output){.path = o->summary, .head = summary_head, .end = summary_end});
    return WS_OK;
}

static int ahead(ws_job *job) { return ws_cast_input_ahead(reader_of(job)->input); }

static void progress(ws_job *job, double seconds, char *text, size_t n, double *share) {
    reader *r = reader_of(job);
    uint64_t done, size;
    (void)seconds;
    ws_cast_input_progress(r->input, &done, &size);
    *share = size ? (double)done / (double)size : -1;
    snprintf(text, n, "%llu models", (unsigned long long)r->models);
}

/* Returns the share of the input that was read, times that of it which is made. *all: cells of
 * Forward in calibrations. */
static double done(ws_job *job, double *all) {
    const reader *r = reader_of(job);
    const ws_cast_options *o = ws_cast_options_of(job);
    uint64_t at, size;
    ws_cast_input_progress(r->input, &at, &size);
    *all = at ? (double)r->read * (double)size / (double)at * (double)(o->EfN * o->EfL) : 0;
    return size && r->read ? (double)at / (double)size * (double)r->made / (double)r->read : -1;
}

static void resize(ws_job *job, uint64_t residues) {
    ws_cast_input_batch(reader_of(job)->input, residues);
}

static int stats(ws_job *job, double seconds, ws_stat *stat) {
    const reader *r = reader_of(job);
    (void)seconds;
    stat[0] = (ws_stat){"models", "models", (double)r->models, 0};
    return 1;
}

static const ws_reader cast_reader = {
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
    .done = done,
    .stats = stats,
};

#define BACKEND(width, ...) &(const ws_backend){.name = #width, .usable = ws_usable_##width},
static const ws_backend *const backends[] = {&(const ws_backend){WS_BACKEND_DEVICE, .batch = WS_PLAN_CAST_DEVICE_BATCH,
                                                                    .cpu_speed = WS_PLAN_CAST_SPEED},
                                             WS_WIDTHS(BACKEND, ) BACKEND(scalar, ) NULL};

static const ws_peer *const peers[] = {&ws_peer_hmmbuild, NULL};

const ws_tool ws_hmmcast_tool = {
    .name = "hmmcast",
    .peers = peers,
    .summary = "profile HMMs from alignments or sequences, as hmmbuild makes them",
    .usage = "[ALIGNMENT...]",
    .examples = "  # a model of each alignment of a file\n"
                "  hmmcast families.sto > families.hmm\n"
                "  # a model of each protein of a proteome\n"
                "  hmmcast --informat fasta proteins.fa.gz > proteins.hmm\n"
                "  # a search with a new model, without a file in between\n"
                "  hmmcast family.afa | hmmsieve - proteins.fa.gz\n",
    .opts = ws_cast_opts,
    .own_size = sizeof(ws_cast_options),
    .defaults = ws_cast_defaults,
    .backends = backends,
    .reader = &cast_reader,
    .open = open_cast,
    .close = close_cast,
};
