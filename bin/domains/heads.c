/* SPDX-License-Identifier: MIT
 * Heads and ends of domscore's outputs. */
#include "bin/domains/domscore.h"
#include "bin/peers/peers.h"
#include "lib/run/table.h"

static int text_head(const ws_job *job, ws_buf *text, ws_err *err) {
    const ws_domscore *d = ws_domscore_of(job);
    return ws_peer_report_head(d->as ? d->as : &ws_peer_hmmsearch, job, ws_peer_files_of(job, d->by_seq),
                               d->as != NULL, text, err);
}

static int table_head(const ws_job *job, ws_buf *text, ws_err *err) {
    const ws_domscore *d = ws_domscore_of(job);
    const int rc = d->provenance ? d->provenance(job, text, err) : ws_scan_provenance(job, text, err);
    return rc ? rc : ws_table_head(job, &ws_hit_columns, d->columns.column, d->columns.n, text, err);
}

/* The head of a table of hmmsearch's that is written as hits are found: the first name is not known yet. */
static int stream_head(const ws_job *job, const ws_hitform *f, ws_buf *text, ws_err *err) {
    const ws_hmm_target *h = job->target[0].data;
    const ws_hitlist none = {0};
    const ws_hitquery q = {.hmm = h->hmm, .list = &none, .first = 1, .streams = 1};
    ws_sink s = {0};
    f->pass[0].begin(&s, &q);
    int rc = ws_sink_flush(&s, err);
    if (!rc) rc = ws_buf_add(text, s.text.p, s.text.n, err);
    ws_sink_release(&s);
    return rc;
}

int ws_domscore_head(const ws_job *job, void *out, ws_buf *text, ws_err *err) {
    const ws_hitform *f = &ws_hitforms[((const ws_dom_out *)out)->form];
    switch (f->frame) {
    case WS_FRAME_COLUMNS: return table_head(job, text, err);
    case WS_FRAME_REPORT: return text_head(job, text, err);
    case WS_FRAME_HMMER: return ws_domscore_of(job)->stream ? stream_head(job, f, text, err) : WS_OK;
    default: return f->head ? ws_buf_adds(text, f->head, err) : WS_OK;
    }
}

static int hmmer_end(const ws_job *job, ws_dom_form form, ws_buf *text, ws_err *err) {
    const ws_domscore *d = ws_domscore_of(job);
    /* hmmscan too calls it a search that Pfam's table comes from */
    const char *mode = d->by_seq && form != WS_DOMFORM_PFAMTBLOUT ? "SCAN" : "SEARCH";
    return ws_peer_table_end(d->as, job, ws_peer_files_of(job, d->by_seq), mode, text, err);
}

int ws_domscore_end(const ws_job *job, void *out, uint64_t rows, ws_buf *text, ws_err *err) {
    const ws_dom_out *o = out;
    const ws_stream_size size = ws_scan_size(job);
    (void)rows;
    switch (ws_hitforms[o->form].frame) {
    case WS_FRAME_COLUMNS:
        if (job->common.no_provenance) return WS_OK;
        return ws_ledger_put_end(text, o->rows, &size, err);
    case WS_FRAME_REPORT: return ws_buf_addf(text, err, "[ok]\n");
    case WS_FRAME_HMMER: return hmmer_end(job, o->form, text, err);
    default: return WS_OK;
    }
}
