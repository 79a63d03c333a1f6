/* SPDX-License-Identifier: MIT
 * What stands before the first row and behind the last, in each output. */
#include "lib/run/stream.h"

/* "##warpsieve pg=2 prog=vitfilt version=... model=... args="..."": no date, host or path, so the same input gives the same
 * bytes; only options that change rows are named. */
int ws_provenance(const ws_job *job, int pg, ws_buf *out, ws_err *err) {
    if (job->common.no_provenance) return WS_OK;
    int rc = ws_buf_addf(out, err, "##warpsieve pg=%d prog=%s version=" WS_VERSION, pg, job->tool->name);
    if (!rc && job->model_id) rc = ws_buf_addf(out, err, " model=%s", job->model_id);
    return rc ? rc : ws_buf_addf(out, err, " args=\"%s\"\n", job->cmdline.args.p);
}

static int tsv_head(const ws_stream *st, ws_buf *out, ws_err *err) {
    const ws_job *job = st->job;
    const ws_tsv_head *head = ws_seqread_head(st->reader);
    int rc = job->common.no_provenance ? WS_OK : ws_buf_add(out, head->provenance.p, head->provenance.n, err);
    if (!rc) rc = ws_provenance(job, head->npg + 1, out, err);
    if (rc || job->common.header == WS_HEADER_NONE) return rc;
    if (job->common.header == WS_HEADER_HASH) rc = ws_buf_add(out, "#", 1, err);
    for (int c = 0; c < st->nocol && !rc; c++) rc = ws_buf_addf(out, err, "%s%s", c ? "\t" : "", st->ocol[c].name);
    return rc ? rc : ws_buf_add(out, "\n", 1, err);
}

static int main_head(const ws_stream *st, ws_buf *out, ws_err *err) {
    const ws_job *job = st->job;
    if (job->main_out.emit) return job->main_out.head ? job->main_out.head(job, out, err) : WS_OK;
    if (job->common.out_format == WS_OUT_TSV) return tsv_head(st, out, err);
    return job->common.out_format == WS_OUT_PACKED ? ws_packed_head(out, job->abc, err) : WS_OK;
}

static int side_head(ws_stream *st, ws_err *err) {
    const ws_job *job = st->job;
    ws_buf text = {0};
    int rc = job->side_out.head ? job->side_out.head(job, &text, err) : WS_OK;
    if (!rc) rc = ws_out_write(&st->side, text.p, text.n, err);
    ws_buf_release(&text);
    return rc;
}

int ws_stream_head(ws_stream *st, ws_err *err) {
    ws_buf text = {0};
    int rc = main_head(st, &text, err);
    if (!rc) rc = ws_out_write(&st->out, text.p, text.n, err);
    if (!rc && st->has_rejected) rc = ws_out_write(&st->rejected, text.p, text.n, err);
    if (!rc && st->has_side) rc = side_head(st, err);
    ws_buf_release(&text);
    st->headed = 1;
    return rc;
}

static int tsv_end(ws_stream *st, uint64_t rows, ws_buf *out, ws_err *err) {
    const ws_tsv_head *head = ws_seqread_head(st->reader);
    const ws_seqread_counts n = ws_stream_counts(st);
    if (st->job->common.no_provenance) return WS_OK;
    /* What the first stage read is handed on: E-values need it. Behind a cut nobody knows, so nothing is said. */
    if (head->uncounted || (head->npg > 0 && head->ends == 0))
        return ws_buf_addf(out, err, "##end rows=%llu\n", (unsigned long long)rows);
    unsigned long long in = head->ends ? head->in : n.seqs, residues = head->ends ? head->residues : n.residues;
    return ws_buf_addf(out, err, "##end rows=%llu in=%llu residues=%llu\n", (unsigned long long)rows, in, residues);
}

static int end_one(ws_stream *st, ws_out *out, uint64_t rows, ws_packout *packed, ws_err *err) {
    const ws_job *job = st->job;
    ws_buf text = {0};
    int rc = WS_OK;
    if (job->main_out.emit) {
        if (job->main_out.end) rc = job->main_out.end(job, &text, err);
    } else if (job->common.out_format == WS_OUT_PACKED) {
        return ws_packout_finish(packed, out, 1, err);
    } else if (job->common.out_format == WS_OUT_TSV) {
        rc = tsv_end(st, rows, &text, err);
    }
    if (!rc) rc = ws_out_write(out, text.p, text.n, err);
    ws_buf_release(&text);
    return rc;
}

static int side_end(ws_stream *st, ws_err *err) {
    const ws_job *job = st->job;
    ws_buf text = {0};
    int rc = job->side_out.end ? job->side_out.end(job, &text, err) : WS_OK;
    if (!rc) rc = ws_out_write(&st->side, text.p, text.n, err);
    ws_buf_release(&text);
    return rc;
}

int ws_stream_end(ws_stream *st, ws_err *err) {
    int rc = end_one(st, &st->out, st->rows, &st->packed_kept, err);
    if (!rc && st->has_rejected) rc = end_one(st, &st->rejected, st->rows_rejected, &st->packed_rejected, err);
    return rc || !st->has_side ? rc : side_end(st, err);
}

void ws_stream_break(ws_stream *st) {
    ws_err ignored;
    if (!st->headed || st->job->main_out.emit || st->job->common.out_format != WS_OUT_PACKED) return;
    (void)ws_packout_finish(&st->packed_kept, &st->out, 0, &ignored);
    if (st->has_rejected) (void)ws_packout_finish(&st->packed_rejected, &st->rejected, 0, &ignored);
}
