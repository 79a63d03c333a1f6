/* SPDX-License-Identifier: MIT
 * Packed pairs on their way out: hits and the columns that pass through into blocks of lib/io/pairs.h. Runs in the writer. */
#include "lib/scan/state.h"

#include <string.h>

int ws_scan_packs_pairs(const ws_job *job) {
    const ws_scan_state *s = ws_scan_state_of(job);
    if (s->scan->out_format != WS_OUT_PACKED || s->scan->main.emit) return 0;
    return job->tool->backends ? !s->scoring->any_query : ws_scan_changes_form_only(s);
}

int ws_pairs_output_head(const ws_job *job, ws_packed_output *p, ws_buf *text, ws_err *err) {
    const ws_scan_state *s = ws_scan_state_of(job);
    ws_buf lines = {0};
    if (!(p->cell = ws_calloc((size_t)s->nocol, sizeof *p->cell, err))) return WS_ENOMEM;
    int rc = ws_pairs_open(&p->pairs, s->oname, s->nocol, err);
    if (!rc) rc = ws_scan_provenance(job, &lines, err);
    if (!rc) rc = ws_pairs_head(p->pairs, text, s->scan->abc, lines.p, lines.n, err);
    ws_buf_release(&lines);
    return rc;
}

void ws_pairs_output_release(ws_packed_output *p) {
    ws_pairs_close(p->pairs);
    ws_records_release(&p->records.of);
    ws_free(p->cell);
    ws_free(p->number_of);
}

/* What a row of the input says of its query. */
static ws_query query_of_row(const ws_scan_state *s, const ws_batch *b, const ws_row *row) {
    if (row->number != UINT32_MAX) return *ws_queries_at(b->queries, row->number);
    const int column = ws_head_find(s->scan->head, "qlen");
    const double qlen = column < 0 ? 0 : ws_row_number(b, row, column);
    return (ws_query){.name = ws_batch_text(b, row->query), .n = row->query.n,
                      .qlen = qlen >= 1 && qlen <= UINT32_MAX ? (uint32_t)qlen : 0};
}

static int number_query(const ws_scan_state *s, ws_packed_output *p, const ws_batch *b, const ws_hit *h, uint32_t *number, ws_err *err) {
    const ws_target *t = h->target == UINT32_MAX ? NULL : &s->job->target[h->target];
    const uint32_t key = t ? h->target : b->row[h->row].number; /* UINT32_MAX: names only */
    if (key < p->known && p->number_of[key] != UINT32_MAX) {
        *number = p->number_of[key];
        return WS_OK;
    }
    const ws_query q = t ? (ws_query){t->name, strlen(t->name), (uint32_t)t->qlen, t->hash} : query_of_row(s, b, &b->row[h->row]);
    int rc = ws_pairs_query(p->pairs, &q, number, err);
    if (rc || key == UINT32_MAX) return rc;
    if ((rc = ws_grow(&p->number_of, &p->known_cap, (size_t)key + 1, sizeof *p->number_of, err))) return rc;
    while (p->known <= key) p->number_of[p->known++] = UINT32_MAX;
    p->number_of[key] = *number;
    return WS_OK;
}

static void fill_cells(const ws_scan_state *s, ws_cell *cell, const ws_batch *b, const ws_hit *h) {
    for (int c = 0; c < s->nocol; c++) {
        const ws_ocol *o = &s->ocol[c];
        switch (o->kind) {
        case WS_OCOL_REST: cell[c] = ws_row_cell(b, &b->row[h->row], o->index); break;
        case WS_OCOL_QLEN: cell[c] = ws_cell_number(WS_COL_COUNT, (double)s->job->target[h->target].qlen); break;
        case WS_OCOL_TLEN: cell[c] = ws_cell_number(WS_COL_COUNT, b->len[h->seq]); break;
        case WS_OCOL_OWN: cell[c] = ws_cell_number(s->scan->col[o->index].type, h->value[o->index]); break;
        case WS_OCOL_NAME:
        case WS_OCOL_SEQ:
        case WS_OCOL_QUAL:
        case WS_OCOL_DESC:
        case WS_OCOL_QUERY:
        case WS_OCOL_ACC: break; /* not stored */
        }
    }
}

int ws_pairs_output_add(const ws_job *job, ws_packed_output *p, const ws_scan_item *it, ws_buf *text, ws_err *err) {
    const ws_scan_state *s = ws_scan_state_of(job);
    uint32_t seq = UINT32_MAX;
    int rc = WS_OK;
    for (size_t i = 0; i < it->hits.n && !rc; i++) {
        const ws_hit *h = &it->hits.hit[i];
        uint32_t number = 0;
        if ((h->pass ? 0 : s->scan->rejected_output) != p->number) continue;
        if (h->seq != seq) rc = ws_pairs_seq(p->pairs, text, &it->batch, seq = h->seq, err);
        if (!rc) rc = number_query(s, p, &it->batch, h, &number, err);
        if (rc) break;
        fill_cells(s, p->cell, &it->batch, h);
        rc = ws_pairs_add(p->pairs, number, p->cell, err);
    }
    return rc;
}

int ws_pairs_output_end(const ws_job *job, ws_packed_output *p, ws_buf *text, ws_err *err) {
    ws_pairs_counts counts = ws_scan_counts(job);
    ws_buf lines = {0};
    int rc = ws_scan_records_put(job, &p->records, &lines, err);
    counts.records = lines.p;
    counts.nrecords = lines.n;
    if (!rc) rc = ws_pairs_end(p->pairs, text, &counts, err);
    ws_buf_release(&lines);
    return rc;
}

int ws_pairs_output_flush(ws_packed_output *p, ws_buf *text, ws_err *err) { return ws_pairs_end(p->pairs, text, NULL, err); }
