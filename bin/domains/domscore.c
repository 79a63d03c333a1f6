/* SPDX-License-Identifier: MIT
 * domscore: domains, final scores and hmmsearch's own tables of the pairs that passed the filters. */
#include "bin/domains/domscore.h"
#include "kernels/filter/backend.h"
#include "kernels/fwd/fwd.h"
#include "lib/run/message.h"

#include <math.h>
#include <string.h>

/* The decision about sequences that come without pairs: fwdscore's. */
static const ws_names no_columns; /* rows are of domains */
static const ws_stage stage = {.columns = &no_columns, .default_p = 1e-5, .mu = WS_FTAU,
                               .lambda = WS_FLAMBDA, .tail = 1, .bias = 1, .final = 1};

/* ---- what comes in ---- */

static int emit(const ws_job *job, const ws_batch *b, const ws_hits *hits, const ws_scan_worker *worker,
                ws_outtext *out, ws_err *err) {
    (void)job;
    return ws_pool_pack(b, hits, &worker->seqs, &out->text, err);
}

/* Enough to fill all threads for a while; and a bound on memory, of which a pair takes about a kilobyte and 6 bytes for
 * each residue. */
static int is_enough(const ws_job *job) {
    const ws_pool *p = &((ws_domscore *)job->own)->pool;
    return p->cells > 3e8 * job->nworker || p->codes.n + p->text.n > (64 << 20) || p->npair > (64 << 10);
}

/* With --stream the text of a sink leaves with each batch. */
static int hand_over(ws_dom_out *o, ws_buf *text, ws_err *err) {
    int rc = ws_sink_flush(&o->sink, err);
    if (!rc) rc = ws_buf_add(text, o->sink.text.p, o->sink.text.n, err);
    o->sink.text.n = 0;
    return rc;
}

static int pack_main(const ws_job *job, void *own, const void *item, const ws_outtext *made, ws_buf *text,
                     ws_err *err) {
    ws_dom_out *o = own;
    ws_domscore *d = job->own;
    (void)item;
    int rc = ws_pool_take(&d->pool, job->target, made->text.p, made->text.n, err);
    if (!rc && (d->stream || is_enough(job))) rc = ws_domscore_score(o->job, err);
    return rc || !d->stream ? rc : hand_over(o, text, err);
}

static int pack_side(const ws_job *job, void *own, const void *item, const ws_outtext *made, ws_buf *text,
                     ws_err *err) {
    (void)item;
    (void)made;
    return ((const ws_domscore *)job->own)->stream ? hand_over(own, text, err) : WS_OK;
}

/* ---- what goes out ---- */

static int to_output(void *to, const char *p, size_t n, ws_err *err) {
    const ws_dom_out *o = to;
    return ws_job_write(o->job, o->number, p, n, 0, err);
}

int ws_domscore_no_size(ws_err *err) {
    return ws_fail(err, WS_EDATA, "the input does not say how many sequences the database has, so there are no "
                                  "E-values; give -Z N");
}

static int finish(ws_job *job, ws_err *err) {
    ws_domscore *d = job->own;
    const ws_stream_size size = ws_scan_size(job);
    const int known = size.state == WS_SIZE_KNOWN;
    d->finished = 1;
    (void)ws_cascade_finish(job, err);
    int rc = ws_domscore_score(job, err);
    for (int k = 0; k < d->nout; k++) {
        d->out[k].sink.write = to_output;
        d->out[k].sink.to = &d->out[k];
    }
    if (!rc && !d->stream) rc = ws_domscore_write(job, known ? (double)size.seqs : NAN, known || d->Z_given, err);
    for (int k = 0; k < d->nout; k++) job->out[d->out[k].number].rows = d->out[k].rows;
    if (!rc) rc = ws_domscore_failure(d, err);
    return !rc && !known && !d->Z_given ? ws_domscore_no_size(err) : rc;
}

/* Writes what is held after a cut or other bad input. The size of the database is then unknown, and E-values that need
 * it are left out. */
static int flush(const ws_job *job, void *own, ws_buf *text, ws_err *err) {
    ws_domscore *d = job->own;
    ws_dom_out *o = own;
    int rc = WS_OK;
    if (!d->finished && job->failed == WS_EDATA) {
        d->finished = 1;
        rc = ws_domscore_score(o->job, err);
        if (!rc && !d->stream) rc = ws_domscore_write(o->job, NAN, 0, err);
    }
    return rc ? rc : hand_over(o, text, err);
}

/* ---- opening ---- */

static void add_output(ws_job *job, ws_dom_form form, const char *path) {
    ws_domscore *d = job->own;
    ws_dom_out *o = &d->out[d->nout];
    ws_output output = {.path = path, .own = o, .head = ws_domscore_head, .pack = d->nout ? pack_side : pack_main,
                        .end = ws_domscore_end, .flush = flush};
    *o = (ws_dom_out){.form = form, .job = job};
    if (d->nout++ == 0) ws_scan_set_main(job, &(ws_scan_output){output, emit});
    else o->number = ws_job_add_output(job, &output);
}

int ws_domscore_choose(ws_domscore *d, const ws_job *job, ws_err *err) {
    if (job->common.fields && ws_hitforms[d->form].frame != WS_FRAME_COLUMNS)
        return ws_fail(err, WS_EUSAGE, "--fields chooses columns of a table, so it goes with --out-format tsv only");
    int rc = ws_hitcols_choose(&d->columns, &ws_hit_columns, job->common.fields, err);
    if (!rc) rc = ws_buf_addf(&d->author, err, "%s (warpsieve " WS_VERSION ")", ws_job_program(job));
    d->columns.plain = job->common.plain;
    const ws_textconf text = ws_domscore_text(d);
    const ws_hitquery q = {.columns = &d->columns, .text = &text};
    for (int k = 0; k < d->nout; k++)
        if (ws_hitforms[d->out[k].form].hold) d->hold |= ws_hitforms[d->out[k].form].hold(&q);
    return rc;
}

static int open_outputs(ws_job *job, ws_err *err) {
    ws_domscore *d = job->own;
    add_output(job, (ws_dom_form)d->form, NULL);
    for (int f = 0; f < WS_NDOMFORM; f++)
        if (d->beside[f]) add_output(job, (ws_dom_form)f, d->beside[f]);
    if (d->rejected)
        return ws_fail(
            err, WS_EUSAGE,
            "domscore has no -U: what it does not report was found, but below the thresholds; use fwdscore -U");
    return ws_domscore_choose(d, job, err);
}

static int open_tool(ws_job *job, ws_err *err) {
    ws_domscore *d = job->own;
    int rc = ws_cascade_open(job, &stage, err);
    if (rc) return rc;
    ws_scan_of(job)->own_fields = 1;
    rc = ws_domscore_check(d, &((ws_cascade *)job->data)->set, err);
    if (!rc) rc = open_outputs(job, err);
    if (!rc && !(d->tables = ws_calloc(job->ntarget, sizeof *d->tables, err))) rc = err->code;
    return rc;
}

void ws_domscore_forget(ws_domscore *d, const ws_job *job) {
    for (size_t m = 0; d->tables && m < job->ntarget; m++) ws_dom_tables_destroy(d->tables[m]);
    ws_free(d->tables);
    ws_free(d->threshold);
    ws_domscore_end_steps(d);
    ws_hitstore_destroy(&d->store);
    d->tables = NULL;
    d->threshold = NULL;
}

void ws_domscore_end_steps(ws_domscore *d) {
    ws_dom_steps_destroy(d->steps);
    d->steps = NULL;
}

void ws_domscore_close(ws_job *job) {
    ws_domscore *d = job->own;
    ws_domscore_forget(d, job);
    for (int k = 0; k < d->nout; k++) {
        ws_sink_release(&d->out[k].sink);
        ws_dom_out_release(&d->out[k]);
    }
    ws_pool_release(&d->pool);
    ws_hitcols_release(&d->columns);
    ws_buf_release(&d->echo);
    ws_buf_release(&d->settings);
    ws_buf_release(&d->author);
    ws_cascade_close(job);
}

/* Rows that have a Forward score have passed. */
static int has_passed(const ws_job *job) { return ws_head_find(ws_scan_of(job)->head, "fwd_bits") >= 0; }

static const ws_scoring scoring = {.score_size = sizeof(ws_fscore),
                                   .value_size = sizeof(ws_lenmodel),
                                   .has_passed = has_passed,
                                   .set_values = ws_cascade_set_values,
                                   .decide = ws_cascade_decide};

static const ws_backend *const backends[] = {&ws_fwd_cuda, WS_FILTER_BACKENDS(ws_fwd_), NULL};

const ws_tool ws_domscore_tool = {
    .name = "domscore",
    .summary = "domains, final scores, alignments and hmmsearch's tables",
    .usage = "MODELS [FILE...]",
    .columns = {&ws_hit_columns},
    .examples = "  # hmmsearch's tables, and a table of domains\n"
                "  zcat db.fa.gz | msvfilt m.hmm | vitfilt m.hmm | fwdscore m.hmm > hits.tsv\n"
                "  domscore --tblout hits.tbl --domtblout hits.dom m.hmm hits.tsv > domains.tsv\n"
                "  # all included domains aligned\n"
                "  ... | fwdscore m.hmm | domscore -O a3m m.hmm > domains.a3m\n",
    .opts = ws_domscore_opts,
    .own_size = sizeof(ws_domscore),
    .defaults = ws_domscore_defaults,
    .backends = backends,
    .reader = &ws_scan_reader,
    .scoring = &scoring,
    .open = open_tool,
    .close = ws_domscore_close,
    .make = ws_cascade_make,
    .finish = finish,
};
