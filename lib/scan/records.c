/* SPDX-License-Identifier: MIT
 * The records that an output has windows of, and their lengths, for the lines in front of its end. A record's length is known when it has
 * ended, and a stage behind the first knows it when its own input has ended. */
#include "lib/scan/state.h"

#include <string.h>

/* Notes a record; those of neighbours are often the same. */
static int note(ws_scan_records *r, const ws_record *record, ws_err *err) {
    const ws_record last = r->last ? ws_records_at(&r->of, r->last - 1) : (ws_record){NULL, 0, 0};
    if (last.number == record->number && last.n == record->n && memcmp(last.name, record->name, record->n) == 0) return WS_OK;
    uint32_t entry;
    const int rc = ws_records_add(&r->of, record, 0, &entry, err);
    if (!rc) r->last = entry + 1;
    return rc;
}

/* Windows that were cut from the sequences of `from`, which are records or pieces of them. */
static int note_cut(ws_scan_records *r, const ws_batch *from, const ws_hits *hits, ws_err *err) {
    size_t h = 0;
    int rc = WS_OK;
    for (size_t i = 0; i < from->n && !rc; i++) {
        const ws_seqtext *t = &from->seqtext[i];
        const ws_record record = {ws_batch_text(from, t->name), t->name.n, from->before + i + 1};
        if (t->at == 0) r->going_on = 0;
        for (; h < hits->n && hits->hit[h].row == i; h++) r->going_on = 1;
        if (r->going_on) rc = ws_records_add(&r->of, &record, t->at + from->len[i], NULL, err);
    }
    return rc;
}

int ws_scan_records_note(const ws_job *job, ws_scan_records *r, int output, const ws_scan_item *it, ws_err *err) {
    const ws_scan *scan = ws_scan_of(job);
    const ws_batch *b = &it->batch;
    int rc = WS_OK;
    if (!scan->records || !it->done) return WS_OK;
    if (it->cutter && !b->has_rows) return note_cut(r, &it->other, &it->hits, err);
    for (size_t i = 0; i < it->hits.n && !rc; i++) {
        const ws_hit *h = &it->hits.hit[i];
        const ws_slice name = b->seqtext[h->seq].name;
        if ((h->pass ? 0 : scan->rejected_output) != output) continue;
        const double number = ws_row_number(b, &b->row[h->row], scan->record_column);
        const ws_record record = {ws_batch_text(b, name), name.n, number >= 1 && number < 9007199254740992.0 ? (uint64_t)number : 0};
        rc = note(r, &record, err);
    }
    return rc;
}

int ws_scan_records_put(const ws_job *job, const ws_scan_records *r, ws_buf *text, ws_err *err) {
    const ws_records *read = &ws_scan_of(job)->head->records;
    int rc = WS_OK;
    if (job->common.no_provenance) return WS_OK;
    if (!ws_scan_of(job)->records) return ws_records_put_lines(text, read, err);
    for (size_t i = 0; i < ws_records_count(&r->of) && !rc; i++) {
        const ws_record record = ws_records_at(&r->of, (uint32_t)i);
        const uint64_t length = r->of.length[i];
        rc = ws_records_put_line(text, &record, length ? length : ws_records_length(read, &record), err);
    }
    return rc;
}

int ws_rows_end(const ws_job *job, void *own, uint64_t rows, ws_buf *text, ws_err *err) {
    const int rc = ws_scan_records_put(job, &((ws_rows_output *)own)->records, text, err);
    return rc ? rc : ws_scan_end(job, NULL, rows, text, err);
}
