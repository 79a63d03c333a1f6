/* SPDX-License-Identifier: MIT
 * Hits to text: rows of the table, FASTA, names, or what the tool makes of them. Runs in the worker, so formatting is as
 * parallel as scoring; the writer only writes. */
#include "lib/run/stream.h"

#include <math.h>
#include <string.h>

static int add_slice(ws_buf *out, const ws_batch *b, ws_slice s, ws_err *err) {
    return ws_buf_add(out, ws_batch_text(b, s), s.n, err);
}

static int add_letters(const ws_stream *st, ws_buf *out, const ws_lane *lane, size_t seq, size_t from, size_t n, ws_err *err) {
    int rc = ws_buf_reserve(out, n + WS_ALIGN, err); /* the codec writes whole registers */
    if (rc) return rc;
    st->codec->spell(st->job->abc, ws_lane_codes(lane, seq) + from, n, out->p + out->n);
    out->n += n;
    return WS_OK;
}

static int add_value(ws_buf *out, ws_coltype type, double v, ws_err *err) {
    if (isnan(v)) return WS_OK;
    switch (type) {
    case WS_COL_BITS: return ws_buf_addf(out, err, "%.4f", v);
    case WS_COL_P: return ws_buf_addf(out, err, "%.4g", v);
    case WS_COL_COUNT: return ws_buf_addf(out, err, "%.0f", v);
    case WS_COL_STRAND: return ws_buf_add(out, v < 0 ? "-" : "+", 1, err);
    }
    return WS_OK;
}

static int add_field(const ws_stream *st, ws_buf *out, const ws_batch *b, const ws_lane *lane, const ws_hit *h, const ws_ocol *c,
                     ws_err *err) {
    const ws_job *job = st->job;
    const ws_seqtext *t = &b->seqtext[h->seq];
    switch (c->kind) {
    case WS_OCOL_NAME: return add_slice(out, b, t->name, err);
    case WS_OCOL_SEQ: return add_letters(st, out, lane, h->seq, 0, b->len[h->seq], err);
    case WS_OCOL_QUAL: return add_slice(out, b, t->qual, err);
    case WS_OCOL_DESC: return add_slice(out, b, t->desc, err);
    case WS_OCOL_REST: return add_slice(out, b, ws_row_field(b, &b->row[h->row], c->index), err);
    case WS_OCOL_QUERY: return ws_buf_adds(out, job->target[h->target].name, err);
    case WS_OCOL_QLEN: return ws_buf_addf(out, err, "%llu", (unsigned long long)job->target[h->target].qlen);
    case WS_OCOL_TLEN: return ws_buf_addf(out, err, "%u", b->len[h->seq]);
    case WS_OCOL_OWN: return add_value(out, job->col[c->index].type, h->value[c->index], err);
    }
    return WS_OK;
}

static int emit_rows(const ws_stream *st, ws_slot *slot, const ws_lane *lane, ws_err *err) {
    for (size_t i = 0; i < slot->hits.n; i++) {
        const ws_hit *h = &slot->hits.hit[i];
        ws_outtext *o = h->pass ? &slot->kept : &slot->rejected;
        int rc = WS_OK;
        for (int c = 0; c < st->nocol && !rc; c++) {
            if (c > 0) rc = ws_buf_add(&o->text, "\t", 1, err);
            if (!rc) rc = add_field(st, &o->text, &slot->batch, lane, h, &st->ocol[c], err);
        }
        if (!rc) rc = ws_buf_add(&o->text, "\n", 1, err);
        if (rc) return rc;
        o->rows++;
    }
    return WS_OK;
}

enum { FASTA_LINE = 60 };

static int emit_fasta(const ws_stream *st, ws_buf *out, const ws_batch *b, const ws_lane *lane, size_t seq, ws_err *err) {
    const ws_seqtext *t = &b->seqtext[seq];
    int rc = ws_buf_add(out, ">", 1, err);
    if (!rc) rc = add_slice(out, b, t->name, err);
    if (!rc && t->desc.n) rc = ws_buf_add(out, " ", 1, err);
    if (!rc) rc = add_slice(out, b, t->desc, err);
    if (!rc) rc = ws_buf_add(out, "\n", 1, err);
    for (size_t i = 0; i < b->len[seq] && !rc; i += FASTA_LINE) {
        rc = add_letters(st, out, lane, seq, i, ws_min(FASTA_LINE, b->len[seq] - i), err);
        if (!rc) rc = ws_buf_add(out, "\n", 1, err);
    }
    return rc;
}

static int emit_id(ws_buf *out, const ws_batch *b, size_t seq, ws_err *err) {
    int rc = add_slice(out, b, b->seqtext[seq].name, err);
    return rc ? rc : ws_buf_add(out, "\n", 1, err);
}

/* Formats of whole sequences: each goes out once, to the kept if any of its pairs passed. */
static int emit_seqs(const ws_stream *st, ws_slot *slot, const ws_lane *lane, ws_err *err) {
    const ws_batch *b = &slot->batch;
    uint32_t *pick[2] = {ws_calloc(b->n, sizeof *pick[0], err), ws_calloc(b->n, sizeof *pick[1], err)};
    size_t n[2] = {0, 0}, h = 0;
    int rc = pick[0] && pick[1] ? WS_OK : WS_ENOMEM;
    for (size_t s = 0; s < b->n && !rc; s++) {
        int pass = 0;
        for (; h < slot->hits.n && slot->hits.hit[h].seq == s; h++) pass |= slot->hits.hit[h].pass;
        pick[pass][n[pass]++] = (uint32_t)s;
    }
    for (int pass = st->has_rejected ? 0 : 1; pass < 2 && !rc; pass++) {
        ws_outtext *o = pass ? &slot->kept : &slot->rejected;
        if (st->job->common.out_format == WS_OUT_PACKED) rc = ws_buf_add(&o->text, pick[pass], n[pass] * sizeof **pick, err);
        for (size_t i = 0; i < n[pass] && !rc; i++) {
            if (st->job->common.out_format == WS_OUT_FASTA) rc = emit_fasta(st, &o->text, b, lane, pick[pass][i], err);
            if (st->job->common.out_format == WS_OUT_IDS) rc = emit_id(&o->text, b, pick[pass][i], err);
        }
        o->rows += n[pass];
    }
    ws_free(pick[0]);
    ws_free(pick[1]);
    return rc;
}

int ws_stream_emit(const ws_stream *st, ws_slot *slot, ws_lane *lane, ws_err *err) {
    const ws_job *job = st->job;
    int rc = job->main_out.emit                         ? job->main_out.emit(job, &slot->batch, &slot->hits, lane, &slot->kept, err)
             : job->common.out_format == WS_OUT_TSV ? emit_rows(st, slot, lane, err)
                                                    : emit_seqs(st, slot, lane, err);
    return rc || !st->has_side ? rc : job->side_out.emit(job, &slot->batch, &slot->hits, lane, &slot->side, err);
}
