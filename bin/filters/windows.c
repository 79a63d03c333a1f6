/* SPDX-License-Identifier: MIT
 * Filters whose targets are windows of long DNA: how they learn of it, models, and the decision. Specification
 * long-targets.md, sections 7, 9 and 16.1. */
#include "bin/filters/windows.h"

#include "kernels/filter/backend.h"
#include "lib/hmm/evalue.h"

#include <math.h>
#include <string.h>

/* ---- opening ---- */

static int check_models(const ws_job *job, const ws_cascade *c, ws_err *err) {
    for (size_t i = 0; i < c->set.n; i++) {
        const ws_hmm *h = &c->set.hmm[i];
        if (!h->abc->complement)
            return ws_fail(err, WS_EDATA, "model %s is of proteins; windows are of DNA and RNA", h->name);
        if (!h->calibrated)
            return ws_fail(
                err, WS_EDATA,
                "model %s has no STATS lines, so it has no P-values, which windows need; build it with hmmbuild",
                h->name);
    }
    if (c->opts->bits_given || (c->opts->evalue_given && !c->stage->final))
        return ws_fail(err, WS_EUSAGE, "windows pass by -P alone, so -T and -E have no meaning for them");
    if (ws_scan_of(job)->cutter && ws_scan_of(job)->rejected)
        return ws_fail(err, WS_EUSAGE, "-U cannot be used %s: places that do not pass are not listed",
                       ws_scan_of(job)->cutter == &ws_cascade_cut_records ? "with --long"
                                                                          : "where vitfilt reads windows");
    return WS_OK;
}

static int open_windows(ws_job *job, ws_err *err) {
    ws_cascade *c = job->data;
    const ws_cascade_opts *o = c->opts;
    ws_cascade_windows *w = c->windows = ws_calloc(1, sizeof *w, err);
    if (!w) return err->code;
    ws_scan_of(job)->records = 1;
    job->target_mem = 0; /* what is made of their models stays */
    w->options = (ws_long_options)WS_LONG_DEFAULTS;
    w->options.F1 = w->options.F2 = w->options.F3 = o->p_given ? o->p : c->stage->window_p;
    if (o->full) w->options.B1 = w->options.B2 = w->options.B3 = (uint32_t)o->full;
    if (o->block) w->options.block = (uint32_t)o->block;
    w->options.nobias = o->nobias;
    w->options.w_length = (uint32_t)o->w_length;
    w->options.w_beta = o->w_beta;
    w->target = ws_calloc(job->ntarget, sizeof *w->target, err);
    return w->target ? check_models(job, c, err) : err->code;
}

int ws_cascade_windows_open(ws_job *job, ws_err *err) {
    const ws_cascade_opts *o = ((ws_cascade *)job->data)->opts;
    ws_scan *scan = ws_scan_of(job);
    scan->cutter = &ws_cascade_cut_records;
    scan->strands = o->watson || o->crick ? 1 : 2;
    int rc = ws_opt_clash(o->watson, o->crick, "--watson", "--crick", err);
    if (!rc) rc = open_windows(job, err);
    if (!rc) job->default_batch = 4 << 20;
    return rc;
}

void ws_cascade_windows_close(ws_job *job) {
    ws_cascade_windows *w = ((ws_cascade *)job->data)->windows;
    if (!w) return;
    for (size_t t = 0; w->target && t < job->ntarget; t++) ws_long_target_release(&w->target[t]);
    for (int i = 0; w->worker && i < w->nworker; i++) ws_long_worker_release(&w->worker[i]);
    ws_free(w->target);
    ws_free(w->worker);
    ws_free(w);
}

/* A stage that tests windows scores them by its backends. */
int ws_cascade_windows_make(ws_job *job, uint32_t t, ws_err *err) {
    const ws_cascade *c = job->data;
    ws_long_target *e = &c->windows->target[t];
    const ws_cutter *cutter = ws_scan_of(job)->cutter;
    const int stages = cutter == &ws_cascade_cut_records ? WS_LONG_SSV | (c->stage->window_stage & WS_LONG_MSV)
                                                         : c->stage->window_stage & (WS_LONG_VIT | WS_LONG_DOM);
    int rc = ws_long_target_create(e, &c->model[t], stages, &c->windows->options, err);
    if (!rc) rc = ws_long_target_lay_out(e, ws_job_width(job), err);
    if (rc) ws_long_target_release(e); /* another thread may make the model again */
    return rc;
}

/* A table that lacks some of the columns of windows would be scored as whole sequences. */
static int refuse_half_windows(const ws_scan *scan, const ws_long_columns *c, ws_err *err) {
    const ws_buf *lines = &scan->head->provenance;
    const int places = c->at[WS_LONG_FROM] >= 0 && c->at[WS_LONG_TO] >= 0 && c->at[WS_LONG_STRAND] >= 0;
    if (!scan->abc->complement || (!places && !(lines->n && memmem(lines->p, lines->n, "--long", 6)))) return WS_OK;
    int k = 0;
    while (c->at[k] >= 0) k++;
    return ws_fail(
        err, WS_EDATA,
        "the rows of the table look like windows, but there is no column %s; windows need %s, %s, %s and %s, as "
        "ssvfilt --long writes them",
        ws_long_column[k].name, ws_long_column[0].name, ws_long_column[1].name, ws_long_column[2].name,
        ws_long_column[3].name);
}

/* Decides from the input's columns whether its rows are windows, and opens what windows need. */
int ws_cascade_input(ws_job *job, ws_err *err) {
    ws_cascade *c = job->data;
    ws_scan *scan = ws_scan_of(job);
    ws_long_columns columns;
    int rc = WS_OK;
    if (ws_long_columns_find(&columns, scan->head)) {
        if (c->windows || c->stage->window_stage == WS_LONG_SSV)
            return ws_fail(err, WS_EDATA, "the input has windows already; the next program is msvfilt, without --long");
        if (c->stage->window_stage == WS_LONG_VIT) {
            scan->cutter = &ws_cascade_cut_windows;
            scan->ncol = 0; /* the scan of a window yields places, no score */
        }
        rc = open_windows(job, err);
        if (!rc) c->windows->columns = columns;
        scan->record_column = columns.at[WS_LONG_RECORD];
    } else if (!scan->cutter) {
        rc = refuse_half_windows(scan, &columns, err);
    }
    if (rc || !scan->cutter) return rc;
    ws_cascade_windows *w = c->windows;
    w->nworker = job->nworker;
    if (!(w->worker = ws_calloc((size_t)w->nworker, sizeof *w->worker, err))) return err->code;
    w->cut.abc = scan->abc;
    w->cut.codec = ws_codec_get(&job->machine.cpu);
    w->cut.block = w->options.block;
    w->cut.strands = (c->opts->crick ? 0 : WS_LONG_PLUS) | (c->opts->watson ? 0 : WS_LONG_MINUS);
    return WS_OK;
}

const ws_long_target *ws_cascade_window_target(const ws_cascade *c, uint32_t t) { return &c->windows->target[t]; }

const ws_long_columns *ws_cascade_window_columns(const ws_cascade *c) { return &c->windows->columns; }

/* ---- the decision ---- */

/* The result of a test of a window. */
typedef struct verdict {
    int passes;
    float bias_nats; /* NaN: not asked */
    double p;
} verdict;

static int add_hit(const ws_job *job, const ws_task *task, const uint32_t *row, size_t j, const ws_lenmodel *lm,
                   const verdict *v, ws_hits *hits, ws_err *err) {
    const ws_cascade *c = job->data;
    const float bits = ws_bits(((const ws_fscore *)task->score)[j].nats, lm->null_nats);
    if (!v->passes && !ws_scan_of(job)->all && !ws_scan_of(job)->keep_rejected) return WS_OK;
    ws_hit *h = ws_hits_add(hits, err);
    if (!h) return err->code;
    h->seq = (uint32_t)ws_task_item(task, j);
    h->row = row[j];
    h->target = task->target;
    h->pass = v->passes || ws_scan_of(job)->all;
    ws_cascade_put(c, &(ws_filter_values){.bits = bits, .bias_bits = ws_bits(v->bias_nats, 0.0f), .p = v->p, .z = NAN},
                   h);
    return WS_OK;
}

int ws_cascade_decide_windows(const ws_job *job, const ws_task *task, const uint32_t *row, const ws_scan_worker *worker,
                              ws_hits *hits, ws_err *err) {
    const ws_cascade *c = job->data;
    const ws_long_target *t = ws_cascade_window_target(c, task->target);
    const ws_seqlist list = ws_seqlist_of(&worker->seqs, task->item, task->n);
    const int msv = c->stage->window_stage == WS_LONG_MSV;
    const size_t size = msv ? sizeof(ws_long_msv) : sizeof(ws_long_fwd);
    char *verdicts = ws_buf_scratch(worker->scratch, task->n * (size + WS_LONG_JUDGE_ROOM), err);
    if (!verdicts) return err->code;
    const ws_long_msv *of_msv = (void *)verdicts;
    const ws_long_fwd *of_fwd = (void *)verdicts;
    void *room = verdicts + task->n * size;
    if (msv) ws_long_judge_msv(t, &job->machine.cpu, &list, task->score, task->hint, room, (void *)verdicts);
    else ws_long_judge_fwd(t, &job->machine.cpu, &list, task->score, task->hint, room, (void *)verdicts);
    int rc = WS_OK;
    for (size_t j = 0; j < task->n && !rc; j++) {
        const verdict v = msv ? (verdict){of_msv[j].passes, of_msv[j].bias_nats, of_msv[j].p_corrected}
                              : (verdict){of_fwd[j].passes, of_fwd[j].bias_nats, of_fwd[j].p};
        rc = add_hit(job, task, row, j, ws_seqlist_lm(&list, j), &v, hits, err);
    }
    return rc;
}
