/* SPDX-License-Identifier: MIT
 * Batches whose sequences are cut by the tool: what comes out of the parts of a batch, joined, takes the batch's place on its way to the
 * output. */
#include "lib/scan/state.h"

#include <string.h>

void ws_scan_cut_release(ws_scan_item *it) {
    for (size_t k = 0; k < it->piece_cap; k++) {
        ws_batch_release(&it->piece[k].batch);
        ws_free(it->piece[k].hits.hit);
    }
    ws_free(it->piece);
    ws_batch_release(&it->other);
    if (it->cutter) it->cutter->release(it->plan);
}

int ws_scan_plan(ws_scan_state *s, ws_scan_item *it, ws_err *err) {
    const size_t had = it->piece_cap;
    it->cutter = s->scan->cutter;
    int rc = it->cutter->plan(s->job, &it->batch, &it->plan, &it->nparts, err);
    if (!rc) rc = ws_grow(&it->piece, &it->piece_cap, it->nparts, sizeof *it->piece, err);
    if (!rc) memset(it->piece + had, 0, (it->piece_cap - had) * sizeof *it->piece);
    return rc;
}

int ws_scan_cut(ws_scan_state *s, ws_scan_item *it, size_t part, ws_scan_thread *thread, ws_err *err) {
    ws_scan_piece *p = &it->piece[part];
    int rc = WS_OK;
    ws_batch_reuse(&p->batch);
    p->hits.n = 0;
    if (it->batch.has_rows) rc = ws_scan_ready_rows(s, &it->batch, err);
    if (!rc && it->batch.has_rows) rc = ws_scan_unpack(s, thread, it, err);
    return rc ? rc : it->cutter->cut(s->job, &it->batch, it->plan, part, &thread->worker, &p->batch, &p->hits, err);
}

static int append(ws_batch *to, ws_hits *hits, const ws_scan_piece *p, ws_err *err) {
    const uint32_t seq = (uint32_t)to->n, row = (uint32_t)to->nrow;
    int rc = WS_OK;
    for (size_t i = 0; i < p->batch.n && !rc; i++) rc = ws_batch_copy_seq(to, &p->batch, i, err);
    for (size_t i = 0; i < p->batch.nrow && !rc; i++) {
        ws_row r = p->batch.row[i];
        const ws_slice rest = {to->text.n, r.rest.n};
        rc = ws_batch_add_text(to, ws_batch_text(&p->batch, r.rest), r.rest.n, err);
        r.seq += seq;
        r.rest = rest;
        if (!rc) rc = ws_batch_add_row(to, &r, err);
    }
    for (size_t i = 0; i < p->hits.n && !rc; i++) {
        ws_hit *h = ws_hits_add(hits, err);
        if (!h) return err->code;
        *h = p->hits.hit[i];
        h->seq += seq;
        h->row += row;
    }
    return rc;
}

static void swap_batches(ws_scan_item *it) {
    const ws_batch batch = it->batch;
    it->batch = it->other;
    it->other = batch;
    it->joined = !it->joined;
}

void ws_scan_part(ws_scan_item *it) {
    if (it->joined) swap_batches(it);
}

int ws_scan_join(const ws_scan_state *s, ws_scan_item *it, ws_scan_thread *thread, ws_err *err) {
    ws_batch *to = &it->other;
    int rc = WS_OK;
    ws_batch_reuse(to);
    it->hits.n = 0;
    for (size_t k = 0; k < it->nparts && !rc; k++) rc = append(to, &it->hits, &it->piece[k], err);
    if (rc) return rc;
    swap_batches(it);
    it->batch.number = it->other.number;
    it->batch.has_rows = it->other.has_rows;
    it->identity = 0; /* nothing scores what was cut out */
    thread->batch = NULL; /* its sequences are of the batch that was cut */
    return ws_scan_unpack(s, thread, it, err);
}
