/* SPDX-License-Identifier: MIT
 * The packed stream on its way out: sequences of any batches, or hits and the columns that pass through, into blocks
 * that depend on these alone. Runs in the writer. */
#include "lib/scan/state.h"

#include <string.h>

/* ---- pairs: blocks of lib/stream/pairs.h ---- */

static int pairs_head(const ws_job *job, ws_scan_form *f, ws_buf *text, ws_err *err) {
    const ws_scan_state *s = ws_scan_state_of(job);
    ws_buf lines = {0};
    const char **name = ws_calloc((size_t)s->nocol, sizeof *name, err);
    f->cell = ws_calloc((size_t)s->nocol, sizeof *f->cell, err);
    for (int c = 0; name && c < s->nocol; c++) name[c] = s->ocol[c].name;
    int rc = name && f->cell ? ws_pairs_open(&f->pairs, name, s->nocol, err) : WS_ENOMEM;
    if (!rc) rc = ws_scan_provenance(job, &lines, err);
    if (!rc) rc = ws_pairs_head(f->pairs, text, s->scan->abc, lines.p, lines.n, err);
    ws_buf_release(&lines);
    ws_free(name);
    return rc;
}

/* Returns the query that a row of the input names. */
static ws_query query_of_row(const ws_scan_state *s, const ws_batch *b, const ws_row *row) {
    if (row->number != UINT32_MAX) return *ws_queries_at(b->queries, row->number);
    const int column = ws_head_find(s->scan->head, "qlen");
    const double qlen = column < 0 ? 0 : ws_row_number(b, row, column);
    return (ws_query){.name = ws_batch_text(b, row->query), .n = row->query.n,
                      .qlen = qlen >= 1 && qlen <= UINT32_MAX ? (uint32_t)qlen : 0};
}

static int number_query(const ws_scan_state *s, ws_scan_form *f, const ws_batch *b, const ws_hit *h, uint32_t *number,
                        ws_err *err) {
    const ws_target *t = h->target == UINT32_MAX ? NULL : &s->job->target[h->target];
    const uint32_t key = t ? h->target : b->row[h->row].number; /* UINT32_MAX: names only */
    if (key < f->known && f->number_of[key] != UINT32_MAX) {
        *number = f->number_of[key];
        return WS_OK;
    }
    const ws_query q =
        t ? (ws_query){t->name, strlen(t->name), (uint32_t)t->qlen, t->hash} : query_of_row(s, b, &b->row[h->row]);
    int rc = ws_pairs_query(f->pairs, &q, number, err);
    if (rc || key == UINT32_MAX) return rc;
    if ((rc = ws_grow(&f->number_of, &f->known_cap, (size_t)key + 1, sizeof *f->number_of, err))) return rc;
    while (f->known <= key) f->number_of[f->known++] = UINT32_MAX;
    f->number_of[key] = *number;
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

static int pairs_add(const ws_job *job, ws_scan_form *f, const ws_scan_item *it, ws_buf *text, ws_err *err) {
    const ws_scan_state *s = ws_scan_state_of(job);
    uint32_t seq = UINT32_MAX;
    int rc = WS_OK;
    for (size_t i = 0; i < it->hits.n && !rc; i++) {
        const ws_hit *h = &it->hits.hit[i];
        uint32_t number = 0;
        if (ws_scan_output_of(s->scan, h) != f->number) continue;
        if (h->seq != seq) rc = ws_pairs_seq(f->pairs, text, &it->batch, seq = h->seq, err);
        if (!rc) rc = number_query(s, f, &it->batch, h, &number, err);
        if (rc) break;
        fill_cells(s, f->cell, &it->batch, h);
        rc = ws_pairs_add(f->pairs, number, f->cell, err);
    }
    return rc;
}

static int pairs_end(const ws_job *job, ws_scan_form *f, ws_buf *text, ws_err *err) {
    const ws_stream_size size = ws_scan_size(job);
    return ws_pairs_end(f->pairs, text, &size, err);
}

/* ---- sequences alone ---- */

static int close_block(ws_scan_form *f, ws_buf *text, ws_err *err) {
    return ws_packed_close(&f->open, NULL, 0, text, &f->totals, err);
}

int ws_packed_output_head(const ws_job *job, void *own, ws_buf *text, ws_err *err) {
    return ws_scan_packs_pairs(job) ? pairs_head(job, own, text, err) : ws_packed_head(text, ws_scan_of(job)->abc, err);
}

/* Returns number i of those that the worker made. */
static uint32_t pick_of(const ws_outtext *made, uint64_t i) {
    uint32_t pick;
    memcpy(&pick, made->text.p + i * sizeof pick, sizeof pick);
    return pick;
}

int ws_packed_output_add(const ws_job *job, void *own, const void *item, const ws_outtext *made, ws_buf *text,
                         ws_err *err) {
    ws_scan_form *f = own;
    const ws_batch *b = &((const ws_scan_item *)item)->batch;
    int rc = WS_OK;
    if (f->pairs) return made->rows ? pairs_add(job, f, item, text, err) : WS_OK;
    for (uint64_t i = 0; i < made->rows && !rc;) {
        const size_t first = pick_of(made, i);
        size_t end = first + 1;
        while (i + (end - first) < made->rows && pick_of(made, i + (end - first)) == end) end++;
        rc = ws_packed_add(&f->open, b, first, end, text, &f->totals, err);
        i += end - first;
    }
    return rc;
}

int ws_packed_output_flush(const ws_job *job, void *own, ws_buf *text, ws_err *err) {
    ws_scan_form *f = own;
    (void)job;
    return f->pairs ? ws_pairs_end(f->pairs, text, NULL, err) : close_block(f, text, err);
}

int ws_packed_output_end(const ws_job *job, void *own, uint64_t rows, ws_buf *text, ws_err *err) {
    ws_scan_form *f = own;
    (void)rows;
    if (f->pairs) return pairs_end(job, f, text, err);
    const ws_stream_size size = ws_scan_size(job);
    const int rc = close_block(f, text, err);
    return rc ? rc : ws_packed_end(text, &f->totals, ws_scan_of(job)->head->present ? &size : NULL, err);
}

void ws_packed_output_release(ws_scan_form *f) {
    ws_packed_open_release(&f->open);
    ws_pairs_close(f->pairs);
    ws_free(f->cell);
    ws_free(f->number_of);
}
