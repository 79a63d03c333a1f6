/* SPDX-License-Identifier: MIT
 * The outputs of a job: opened together, begun with their heads, written in input order, ended, closed. */
#include "lib/base/mem.h"
#include "lib/run/run.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int ws_job_add_output(ws_job *job, const ws_output *output) {
    if (job->nout == WS_OUTPUT_MAX) ws_bug("more outputs than expected");
    job->out[job->nout] = *output;
    return job->nout++;
}

/* Returns whether a path is that of a regular file, or of none so far. A link to nowhere is none: the file is made
 * where it leads. */
static int is_file(const char *path) {
    struct stat st;
    if (!path || ws_out_descriptor(path) >= 0) return 0;
    if (stat(path, &st) == 0) return S_ISREG(st.st_mode);
    return errno == ENOENT && lstat(path, &st) != 0;
}

/* Opens an output under its name, or beside it. */
static int open_one(const ws_job *job, ws_output *o, ws_err *err) {
    if (job->common.dry_run) return ws_out_open(&o->file, "/dev/null", err);
    o->is_part = o->whole && is_file(o->path);
    if (!o->is_part) return ws_out_open(&o->file, o->path, err);
    const int rc = ws_whole_open(&o->part, o->path, err);
    if (rc) ws_whole_release(&o->part);
    else o->file = (ws_out){.fd = o->part.fd, .name = o->path, .regular = 1};
    return rc;
}

int ws_outputs_open(ws_job *job, ws_err *err) {
    int rc = WS_OK;
    for (int k = 0; k < job->nout && !rc; k++) {
        rc = open_one(job, &job->out[k], err);
        job->out[k].is_open = rc == WS_OK;
        /* a link may have led there, which the paths did not tell */
        for (int j = 0; j < k && !rc && !job->common.dry_run; j++)
            if (ws_out_same(&job->out[j].file, &job->out[k].file) &&
                !ws_job_share_descriptor(job, ws_out_descriptor(job->out[j].path), ws_out_descriptor(job->out[k].path)))
                rc = ws_fail(err, WS_EUSAGE, "two outputs go to the same file: %s and %s", job->out[j].file.name,
                             job->out[k].file.name);
    }
    return rc;
}

/* Writes what was appended to o->text; rc: of who appended. */
static int put_text(ws_output *o, int rc, ws_err *err) {
    ws_err second;
    const int rc2 = o->text.n ? ws_out_write(&o->file, o->text.p, o->text.n, rc ? &second : err) : WS_OK;
    o->text.n = 0;
    return rc ? rc : rc2;
}

int ws_outputs_head(ws_job *job, ws_err *err) {
    int rc = WS_OK;
    for (int k = 0; k < job->nout && !rc; k++) {
        ws_output *o = &job->out[k];
        if (o->head) rc = o->head(job, o->own, &o->text, err);
        if (rc) o->text.n = 0; /* no half of a line */
        rc = put_text(o, rc, err);
        if (!rc) rc = ws_out_begin(&o->file, err);
    }
    return rc;
}

static int write_one(ws_job *job, ws_output *o, const void *item, const ws_outtext *made, ws_err *err) {
    int rc = WS_OK;
    if (o->pack) {
        rc = put_text(o, o->pack(job, o->own, item, made, &o->text, err), err);
    } else {
        if (o->between && made->rows && o->rows) rc = ws_out_write(&o->file, o->between, strlen(o->between), err);
        if (!rc) rc = ws_out_write(&o->file, made->text.p, made->text.n, err);
        for (int more = o->rest != NULL; more && !rc;) {
            rc = o->rest(job, o->own, item, &o->text, &o->rows, err);
            more = rc != WS_EOF;
            rc = put_text(o, more ? rc : WS_OK, err);
        }
    }
    o->rows += made->rows;
    return rc;
}

int ws_outputs_write(ws_job *job, const void *item, const ws_outtext *made, ws_err *err) {
    int rc = WS_OK;
    for (int k = 0; k < job->nout && !rc; k++) rc = write_one(job, &job->out[k], item, &made[k], err);
    return rc;
}

int ws_job_write(ws_job *job, int k, const void *text, size_t n, uint64_t rows, ws_err *err) {
    job->out[k].rows += rows;
    return ws_out_write(&job->out[k].file, text, n, err);
}

int ws_outputs_end(ws_job *job, ws_err *err) {
    int rc = WS_OK;
    for (int k = 0; k < job->nout && !rc; k++) {
        ws_output *o = &job->out[k];
        if (o->end) rc = put_text(o, o->end(job, o->own, o->rows, &o->text, err), err);
    }
    return rc;
}

void ws_outputs_flush(ws_job *job) {
    ws_err ignored;
    for (int k = 0; k < job->nout; k++) {
        ws_output *o = &job->out[k];
        if (o->flush) (void)put_text(o, o->flush(job, o->own, &o->text, &ignored), &ignored);
    }
}

/* Lets an output that is sealed appear under its name, or go, after a run that ended with rc. */
static int close_part(ws_output *o, int rc, ws_err *err) {
    if (!rc) rc = ws_whole_place(&o->part, err);
    ws_whole_release(&o->part);
    return rc;
}

/* The main output is the last. No part gets its name before all are on disk. After a failure a file that this run made
 * and wrote nothing to goes away. */
int ws_outputs_close(ws_job *job, int rc, ws_err *err) {
    for (int k = 0; k < job->nout && !rc; k++)
        if (job->out[k].is_open && job->out[k].is_part) rc = ws_whole_seal(&job->out[k].part, err);
    for (int i = 1; i <= job->nout; i++) {
        ws_output *o = &job->out[i % job->nout];
        if (o->is_open && rc && !o->is_part) ws_out_abandon(&o->file);
        if (o->is_open) rc = o->is_part ? close_part(o, rc, err) : ws_out_close_keeping(&o->file, rc, err);
        ws_buf_release(&o->text);
    }
    return rc;
}
