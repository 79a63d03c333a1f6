/* SPDX-License-Identifier: MIT
 * The outputs of programs with a hit list: what they need, the files of those that are one for each query, and the end
 * of the input, when all that is held is written. */
#include "bin/domains/domscore.h"
#include "lib/hits/orf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what they need ---- */

/* Looks at a sequence that has to be an ORF. */
static int check_orf(const ws_batch *b, size_t i, ws_err *err) {
    const ws_seqtext *t = &b->seqtext[i];
    ws_orf o;
    return ws_orf_read(&o, ws_batch_text(b, t->name), t->name.n, ws_batch_text(b, t->desc), t->desc.n, b->len[i], err);
}

int ws_domscore_choose(ws_domscore *d, const ws_job *job, ws_err *err) {
    if (job->common.fields && ws_hitforms[d->form].frame != WS_FRAME_COLUMNS)
        return ws_fail(err, WS_EUSAGE, "--fields chooses columns of a table, so it goes with --out-format tsv only");
    const int known = (d->orfs ? WS_KNOWN_PLACES : 0) | (d->join ? WS_KNOWN_LOCI : 0);
    int rc = ws_hitcols_choose(&d->columns, &ws_hit_columns, known, job->common.fields, err);
    if (!rc) rc = ws_buf_addf(&d->author, err, "%s (warpsieve " WS_VERSION ")", ws_job_program(job));
    d->columns.plain = job->common.plain;
    if (d->orfs && !ws_scan_of(job)->translate) ws_scan_of(job)->check = check_orf;
    const ws_textconf text = ws_domscore_text(d);
    const ws_hitquery q = {.columns = &d->columns, .text = &text};
    for (int k = 0; k < d->nout; k++) {
        ws_dom_out *o = &d->out[k];
        o->unread = !o->pattern && !job->common.dry_run && ws_out_is_null(job->out[o->number].path);
        if (!o->unread && ws_hitforms[o->form].hold) d->hold |= ws_hitforms[o->form].hold(&q);
    }
    return rc;
}

/* ---- a file for each query: paths in which %q stands for its name ---- */

int ws_dom_out_is_apart(const char *path) { return path && strstr(path, "%q"); }

/* Sets *path to the pattern with the query's name in place of %q. A slash would name a folder, and a dot in front hide
 * the file. */
static int expand(const char *pattern, const char *name, ws_buf *path, ws_err *err) {
    int rc = WS_OK;
    path->n = 0;
    for (const char *p = pattern, *q; !rc; p = q + 2) {
        q = strstr(p, "%q");
        rc = q ? ws_buf_add(path, p, (size_t)(q - p), err) : ws_buf_adds(path, p, err);
        if (!q) break;
        const size_t from = path->n;
        if (!rc) rc = ws_buf_adds(path, name, err);
        for (size_t i = from; i < path->n && !rc; i++)
            if (path->p[i] == '/' || (i == from && path->p[i] == '.')) path->p[i] = '_';
    }
    return rc;
}

static int to_file(void *to, const char *p, size_t n, ws_err *err) {
    return ws_out_write(&((ws_dom_out *)to)->file, p, n, err);
}

int ws_dom_out_begin(ws_dom_out *o, const char *name, ws_err *err) {
    ws_buf head = {0};
    if (!o->pattern) return WS_OK;
    int rc = expand(o->pattern, name, &o->path, err);
    if (!rc) rc = ws_out_open(&o->file, o->path.p, err);
    if (rc) return rc;
    o->is_open = 1;
    o->rows = 0;
    o->sink.write = to_file;
    o->sink.to = o;
    rc = ws_domscore_head(o->job, o, &head, err);
    if (!rc) rc = ws_out_begin(&o->file, err);
    if (!rc && head.n) rc = ws_out_write(&o->file, head.p, head.n, err);
    ws_buf_release(&head);
    return rc;
}

int ws_dom_out_end(ws_dom_out *o, int rc, ws_err *err) {
    ws_buf end = {0};
    if (!o->is_open) return rc;
    if (!rc) rc = ws_sink_flush(&o->sink, err);
    if (!rc) rc = ws_domscore_end(o->job, o, o->rows, &end, err);
    if (!rc && end.n) rc = ws_out_write(&o->file, end.p, end.n, err);
    ws_buf_release(&end);
    o->is_open = 0;
    return ws_out_close_keeping(&o->file, rc, err);
}

static int by_path(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Fails if a file cannot be written. */
static int check_file(const char *path, ws_err *err) {
    ws_out file;
    const int rc = ws_out_open(&file, path, err);
    if (!rc) ws_out_abandon(&file);
    return rc ? rc : ws_out_close(&file, err);
}

int ws_dom_out_check(const ws_dom_out *o, ws_err *err) {
    ws_job *job = o->job;
    const ws_domscore *d = ws_domscore_of(job);
    ws_buf path = {0};
    char **list = o->pattern ? ws_calloc(job->ntarget, sizeof *list, err) : NULL;
    int rc = !o->pattern || list ? WS_OK : err->code;
    for (size_t i = 0; list && i < job->ntarget && !rc; i++) {
        rc = expand(o->pattern, d->query ? d->query[i].name : job->target[i].name, &path, err);
        if (!rc && !(list[i] = ws_strndup(path.p, path.n, err))) rc = err->code;
        if (!rc && !job->common.dry_run) rc = check_file(list[i], err);
    }
    if (list && !rc) {
        qsort(list, job->ntarget, sizeof *list, by_path);
        for (size_t i = 1; i < job->ntarget && !rc; i++)
            if (strcmp(list[i - 1], list[i]) == 0)
                rc = ws_fail(err, WS_EUSAGE, "two queries would both be written to %s; give them names of their own",
                             list[i]);
    }
    for (size_t i = 0; list && i < job->ntarget && !rc; i++)
        rc = ws_job_add_file(job, ws_hitforms[o->form].option, list[i], err);
    for (size_t i = 0; list && i < job->ntarget; i++) ws_free(list[i]);
    ws_free(list);
    ws_buf_release(&path);
    return rc;
}

/* ---- the end of the input ---- */

static int to_output(void *to, const char *p, size_t n, ws_err *err) {
    const ws_dom_out *o = to;
    return ws_job_write(o->job, o->number, p, n, 0, err);
}

void ws_domscore_connect_outputs(ws_domscore *d) {
    for (int k = 0; k < d->nout; k++) {
        d->out[k].sink.write = to_output;
        d->out[k].sink.to = &d->out[k];
    }
}

int ws_domscore_write_held(ws_job *job, int ended, ws_err *err) {
    ws_domscore *d = ws_domscore_of(job);
    ws_domscore_end_steps(d);
    ws_domscore_connect_outputs(d);
    d->finished = 1;
    const int rc = d->stream ? WS_OK : ws_domscore_write(job, ended, err);
    for (int k = 0; k < d->nout; k++)
        if (!d->out[k].pattern) job->out[d->out[k].number].rows = d->out[k].rows;
    return rc;
}

double ws_domscore_size(const ws_job *job, int ended) {
    const ws_domscore *d = ws_domscore_of(job);
    const ws_stream_size size = ws_scan_size(job);
    if (d->Z_given) return d->Z;
    return ended && size.state == WS_SIZE_KNOWN ? (double)size.seqs : NAN;
}

int ws_domscore_no_size(ws_err *err) {
    return ws_fail(err, WS_EDATA, "the input does not say how many sequences the database has, so there are no "
                                  "E-values; give -Z N");
}

int ws_domscore_finish(ws_job *job, ws_err *err) {
    int rc = ws_cascade_finish(job, err);
    if (!rc) rc = ws_domscore_write_held(job, 1, err);
    if (!rc) rc = ws_domscore_failure(ws_domscore_of(job), err);
    return !rc && job->ntarget && isnan(ws_domscore_size(job, 1)) ? ws_domscore_no_size(err) : rc;
}

static void release_out(ws_dom_out *o) {
    ws_err ignored;
    if (o->is_open) (void)ws_out_close(&o->file, &ignored);
    ws_buf_release(&o->path);
    ws_sink_release(&o->sink);
}

void ws_domscore_close(ws_job *job) {
    ws_domscore *d = ws_domscore_of(job);
    ws_dom_pairs_release(d);
    ws_domscore_forget(d, job);
    for (int k = 0; k < d->nout; k++) release_out(&d->out[k]);
    ws_turns_close(&d->turns);
    ws_hitcols_release(&d->columns);
    ws_buf_release(&d->author);
    pthread_mutex_destroy(&d->lock);
    ws_cascade_close(job);
}
