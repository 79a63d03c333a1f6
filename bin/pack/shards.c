/* SPDX-License-Identifier: MIT
 * respack --shards: see bin/pack/shards.h. */
#include "bin/pack/shards.h"

#include "lib/stream/packed.h"
#include "lib/files/temp.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A shard that is being written. The first goes to the main output of the run, the others to files of their own. */
typedef struct shard {
    ws_shards *all;
    ws_job *job;
    long long number;
    ws_buf path, text;
    ws_out file;
    ws_packed_open block;
    ws_packed_totals totals;
} shard;

/* Sets *path to the name of a shard, as hmmsieve --db-shards reads it. */
static int name_of(const ws_shards *s, long long number, ws_buf *path, ws_err *err) {
    path->n = 0;
    return ws_buf_addf(path, err, "%s-%05lld-of-%05lld", s->given, number, s->n);
}

/* ---- before the input ---- */

static int head(const ws_job *job, void *own, ws_buf *text, ws_err *err) {
    (void)own;
    return ws_packed_head(text, ws_scan_of(job)->abc, err);
}

/* Makes a whole packed stream of a batch, in the worker: cat joins such streams. */
static int emit(const ws_job *job, const ws_batch *b, const ws_hits *hits, const ws_scan_worker *worker,
                ws_outtext *out, ws_err *err) {
    ws_shards *s = job->out[0].own;
    ws_packed_totals totals = {0};
    ws_packed_open block = {0};
    (void)hits;
    (void)worker;
    int rc = ws_packed_head(&out->text, ws_scan_of(job)->abc, err);
    if (!rc) rc = ws_packed_add(&block, b, 0, b->n, &out->text, &totals, err);
    if (!rc) rc = ws_packed_close(&block, NULL, 0, &out->text, &totals, err);
    ws_packed_open_release(&block);
    if (!rc) rc = ws_packed_end(&out->text, &totals, NULL, err);
    if (rc) return rc;
    out->rows = totals.seqs;
    __atomic_fetch_add(&s->residues, totals.residues, __ATOMIC_RELAXED);
    return WS_OK;
}

/* Lets the text of a batch wait in the temporary file, which has no name and stands in the folder of the shards. */
static int hold(const ws_job *job, void *own, const void *item, const ws_outtext *made, ws_buf *text, ws_err *err) {
    ws_shards *s = own;
    (void)item;
    (void)text;
    if (job->common.dry_run) return WS_OK;
    const char *slash = strrchr(s->given, '/');
    const int n = slash ? (int)(slash - s->given) + 1 : 2;
    if (!s->has_waiting) {
        char *folder = ws_strndup(slash ? s->given : "./", (size_t)n, err);
        if (!folder) return err->code;
        s->waiting = ws_temp_open_in(folder);
        s->has_waiting = s->waiting >= 0;
        ws_free(folder);
    }
    if (s->has_waiting && ws_temp_write(s->waiting, made->text.p, made->text.n) == 0) return WS_OK;
    return ws_fail_errno(err, WS_EIO, "cannot write to a temporary file in %.*s, where sequences wait for the end of "
                         "the input", n, slash ? s->given : "./");
}

int ws_shards_open(ws_shards *s, ws_job *job, ws_err *err) {
    const ws_scan *scan = ws_scan_of(job);
    ws_buf path = {0};
    if (!s->n) return WS_OK;
    s->given = job->common.output;
    if (ws_out_descriptor(s->given) >= 0)
        return ws_fail(err, WS_EUSAGE, "--shards writes files, so it needs --output NAME, which begins their names");
    if (scan->out_format != WS_OUT_PACKED)
        return ws_fail(err, WS_EUSAGE, "--shards writes packed streams, so it goes with --out-format packed only");
    int rc = ws_opt_clash(1, scan->rejected != NULL, "--shards", "--rejected", err);
    for (long long i = 1; i < s->n && !rc; i++) {
        rc = name_of(s, i, &path, err);
        if (!rc) rc = ws_job_add_file(job, "--shards", path.p, err);
    }
    ws_buf_release(&path);
    if (!rc) rc = name_of(s, 0, &s->first, err);
    if (rc) return rc;
    job->common.output = job->out[0].path = s->first.p;
    ws_scan_set_main(job, &(ws_scan_output){{.own = s, .head = head, .pack = hold, .whole = 1}, emit});
    return WS_OK;
}

int ws_shards_input(ws_job *job, const ws_shards *s, ws_err *err) {
    if (!s->n || ws_head_find(ws_scan_of(job)->head, "query") < 0) return WS_OK;
    int rc = ws_fail(err, WS_EDATA, "found pairs of sequences and models, expected sequences alone: --shards cuts no "
                     "pairs");
    ws_scan_name_input(job, err);
    return rc;
}

/* ---- behind the input ---- */

static int put(shard *t, ws_err *err) {
    const int rc = t->number ? ws_out_write(&t->file, t->text.p, t->text.n, err)
                             : ws_job_write(t->job, 0, t->text.p, t->text.n, 0, err);
    t->text.n = 0;
    return rc;
}

static int close_block(shard *t, ws_err *err) {
    const int rc = ws_packed_close(&t->block, NULL, 0, &t->text, &t->totals, err);
    return rc ? rc : put(t, err);
}

/* Ends the shard at hand. The rows of a table may be some of a database; then no shard is known to be a part of it. */
static int end(shard *t, ws_err *err) {
    const ws_stream_size unknown = {.state = WS_SIZE_UNKNOWN};
    int rc = close_block(t, err);
    if (!rc) rc = ws_packed_end(&t->text, &t->totals, ws_scan_of(t->job)->head->present ? &unknown : NULL, err);
    if (!rc) rc = put(t, err);
    return t->number ? ws_out_close_keeping(&t->file, rc, err) : rc;
}

/* Ends the shard at hand and begins the next. */
static int next(shard *t, ws_err *err) {
    int rc = end(t, err);
    t->number++;
    t->totals = (ws_packed_totals){0};
    t->file = (ws_out){.fd = -1};
    if (!rc) rc = name_of(t->all, t->number, &t->path, err);
    if (!rc) rc = ws_out_open(&t->file, t->path.p, err);
    if (!rc) rc = ws_packed_head(&t->text, ws_scan_of(t->job)->abc, err);
    return rc ? rc : put(t, err);
}

/* Adds the sequences of a batch. `done` residues of all stand before them. */
static int add(shard *t, const ws_batch *b, uint64_t *done, ws_err *err) {
    const double all = (double)ws_max(t->all->residues, 1);
    int rc = ws_job_go_on(t->job, err);
    for (size_t i = 0; i < b->n && !rc; i++) {
        const long long here = (long long)((double)*done / all * (double)t->all->n);
        while (t->number < here && t->number < t->all->n - 1 && !rc) rc = next(t, err);
        if (!rc) rc = ws_packed_add(&t->block, b, i, i + 1, &t->text, &t->totals, err);
        if (!rc && t->text.n) rc = put(t, err);
        *done += b->len[i];
    }
    return rc;
}

static int cut(shard *t, ws_seqread *in, ws_err *err) {
    ws_batch b = {0};
    uint64_t done = 0;
    int rc = WS_OK;
    while (in && !rc && !(rc = ws_seqread_fill(in, &b, err))) rc = add(t, &b, &done, err);
    ws_batch_release(&b);
    if (rc == WS_EOF) rc = WS_OK;
    while (!rc && t->number < t->all->n - 1) rc = next(t, err);
    return rc ? rc : end(t, err);
}

int ws_shards_finish(ws_shards *s, ws_job *job, ws_err *err) {
    char path[32];
    const char *const paths[] = {path};
    const ws_scan *scan = ws_scan_of(job);
    const ws_seqread_conf conf = {.path = paths, .npath = 1, .format = WS_FORMAT_PACKED, .abc = scan->abc,
                                  .batch_residues = ws_job_batch(job, NULL), .batch_seqs = SIZE_MAX};
    shard t = {.all = s, .job = job, .file = {.fd = -1}};
    ws_seqread *in = NULL;
    if (!s->n || job->common.dry_run) return WS_OK;
    snprintf(path, sizeof path, "/dev/fd/%d", s->waiting);
    int rc = WS_OK;
    if (s->has_waiting && lseek(s->waiting, 0, SEEK_SET) < 0)
        rc = ws_fail_errno(err, WS_EIO, "cannot read the temporary file of --shards");
    if (!rc && s->has_waiting) rc = ws_seqread_open(&in, &conf, err);
    if (!rc) rc = cut(&t, in, err);
    if (t.number) rc = ws_out_close_keeping(&t.file, rc, err);
    ws_seqread_close(in);
    ws_packed_open_release(&t.block);
    ws_buf_release(&t.path);
    ws_buf_release(&t.text);
    return rc;
}

void ws_shards_close(ws_shards *s) {
    if (s->has_waiting) close(s->waiting);
    ws_buf_release(&s->first);
}
