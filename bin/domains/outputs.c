/* SPDX-License-Identifier: MIT
 * Outputs that are a file for each query: paths in which %q stands for the query's name. */
#include "bin/domains/domscore.h"

#include <stdlib.h>
#include <string.h>

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

void ws_dom_out_release(ws_dom_out *o) {
    ws_err ignored;
    if (o->is_open) (void)ws_out_close(&o->file, &ignored);
    ws_buf_release(&o->path);
}

/* ---- before the search ---- */

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
