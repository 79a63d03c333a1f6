/* SPDX-License-Identifier: MIT
 * The packed stream on its way out: sequences of any batches into blocks that depend on the sequences alone. */
#include "lib/scan/state.h"

#include <string.h>

static int close_block(ws_packed_output *p, ws_buf *text, ws_err *err) {
    const size_t before = text->n;
    int rc = ws_packed_blocks(text, &p->open, NULL, 0, &p->totals, err);
    if (rc) text->n = before; /* no half of a block */
    ws_batch_reuse(&p->open);
    return rc;
}

int ws_packed_output_head(const ws_job *job, void *own, ws_buf *text, ws_err *err) {
    return ws_scan_packs_pairs(job) ? ws_pairs_output_head(job, own, text, err) : ws_packed_head(text, ws_scan_of(job)->abc, err);
}

int ws_packed_output_add(const ws_job *job, void *own, const void *item, const ws_outtext *made, ws_buf *text, ws_err *err) {
    ws_packed_output *p = own;
    const ws_batch *b = &((const ws_scan_item *)item)->batch;
    int rc = WS_OK;
    if (p->pairs) {
        rc = ws_scan_records_note(job, &p->records, p->number, item, err);
        return rc || !made->rows ? rc : ws_pairs_output_add(job, p, item, text, err);
    }
    for (size_t i = 0; i < made->rows && !rc; i++) {
        uint32_t pick;
        memcpy(&pick, made->text.p + i * sizeof pick, sizeof pick);
        rc = ws_batch_copy_seq(&p->open, b, pick, err);
        if (!rc && ws_packed_is_full(&p->open)) rc = close_block(p, text, err);
    }
    return rc;
}

int ws_packed_output_flush(const ws_job *job, void *own, ws_buf *text, ws_err *err) {
    (void)job;
    return ((ws_packed_output *)own)->pairs ? ws_pairs_output_flush(own, text, err) : close_block(own, text, err);
}

int ws_packed_output_end(const ws_job *job, void *own, uint64_t rows, ws_buf *text, ws_err *err) {
    ws_packed_output *p = own;
    (void)rows;
    if (p->pairs) return ws_pairs_output_end(job, p, text, err);
    int rc = close_block(p, text, err);
    return rc ? rc : ws_packed_end(text, &p->totals, err);
}
