/* SPDX-License-Identifier: MIT
 * The stages of the pipeline for tools with their own reader: see ws_reader in lib/run/tool.h. */
#include "lib/run/stream.h"

int ws_item_read(void *stream, void *slot, size_t *parts, ws_err *err) {
    (void)parts;
    ws_stream *st = stream;
    const ws_moment t0 = ws_clock_start();
    if (!st->batch_given && st->late_begun && ws_job_is_open(st->job))
        st->job->tool->reader->batch(st->own_reader, ws_job_batch(st->job, st->job->backend));
    int rc = st->job->tool->reader->fill(st->own_reader, ((ws_slot *)slot)->item, err);
    ws_clock_stop(&st->count.read, t0);
    return rc;
}

int ws_item_work(void *stream, void *slot_, size_t part, int thread, ws_err *err) {
    (void)part;
    ws_stream *st = stream;
    ws_slot *slot = slot_;
    const ws_moment t0 = ws_clock_start();
    slot->kept.text.n = 0;
    slot->kept.rows = 0;
    int rc = st->job->tool->reader->work(st->job, st->own_reader, slot->item, &st->lane[thread], &slot->kept, err);
    ws_clock_stop(&st->count.score, t0);
    ws_late_look(st);
    return rc;
}

int ws_item_finish(void *stream, void *slot, int rc, int thread, ws_err *err) {
    (void)stream, (void)slot, (void)thread, (void)err;
    return rc;
}

int ws_item_write(void *stream, void *slot_, ws_err *err) {
    ws_stream *st = stream;
    ws_slot *slot = slot_;
    const ws_moment t0 = ws_clock_start();
    int rc = st->headed ? WS_OK : ws_item_head(st, err);
    if (!rc) rc = ws_out_write(&st->out, slot->kept.text.p, slot->kept.text.n, err);
    st->rows += slot->kept.rows;
    ws_clock_stop(&st->count.write, t0);
    if (!rc) ws_report_progress(st, 0);
    return rc;
}

int ws_item_idle(void *stream) {
    ws_stream *st = stream;
    return st->job->tool->reader->ahead ? st->job->tool->reader->ahead(st->own_reader) : 0;
}

int ws_item_head(ws_stream *st, ws_err *err) {
    ws_buf text = {0};
    int rc = st->job->tool->reader->head(st->job, st->own_reader, &text, err);
    if (!rc) rc = ws_out_write(&st->out, text.p, text.n, err);
    ws_buf_release(&text);
    st->headed = 1;
    return rc;
}

int ws_item_end(ws_stream *st, ws_err *err) {
    ws_buf text = {0};
    int rc = st->job->tool->reader->end(st->job, st->own_reader, st->rows, &text, err);
    if (!rc) rc = ws_out_write(&st->out, text.p, text.n, err);
    ws_buf_release(&text);
    return rc;
}
