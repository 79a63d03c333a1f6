/* SPDX-License-Identifier: MIT
 * The three stages of the pipeline as lib/run/pipe.h calls them. */
#include "lib/io/source.h"
#include "lib/run/stream.h"

#include <stdio.h>
#include <string.h>

/* "name: " if there is one input; a batch may hold rows of several. */
static const char *input_name(const ws_job *job, char name[512]) {
    name[0] = '\0';
    if (job->ninput <= 1) snprintf(name, 512, "%s: ", ws_source_name_of(job->ninput ? job->input[0] : "-"));
    return name;
}

/* Finds the target of each row. A row that names none ends the stream there: the batch keeps the rows before it. */
static int bind_rows(ws_stream *st, ws_batch *b, ws_err *err) {
    const ws_job *job = st->job;
    if (!b->has_rows || !job->tool->backends || job->tool->any_query || b->nrow == 0 || b->row[0].query.n == 0) return WS_OK;
    if (!st->names) {
        int rc = ws_names_create(&st->names, job->target, job->ntarget, err);
        if (rc) {
            b->nrow = b->n = 0;
            return rc;
        }
    }
    for (size_t r = 0; r < b->nrow; r++) {
        ws_row *row = &b->row[r];
        const char *query = ws_batch_text(b, row->query);
        row->target = ws_names_find(st->names, query, row->query.n);
        if (row->target != UINT32_MAX) continue;
        char q[WS_QUOTE_MAX], name[512];
        ws_fail(err, WS_EDATA, "%sline %llu: the query \"%s\" is none of the models given; use the model file that made the table",
                input_name(job, name), (unsigned long long)row->line, ws_quote(q, query, row->query.n));
        b->nrow = r;
        b->n = r ? b->row[r - 1].seq + 1 : 0;
        return WS_EDATA;
    }
    return WS_OK;
}

int ws_stream_read(void *stream, void *slot_, size_t *parts, ws_err *err) {
    ws_stream *st = stream;
    ws_slot *slot = slot_;
    const ws_moment t0 = ws_clock_start();
    int rc = st->read_err.code;
    if (rc) {
        *err = st->read_err;
        return rc;
    }
    if (!st->batch_given && st->late_begun && ws_job_is_open(st->job))
        ws_seqread_batch(st->reader, ws_job_batch(st->job, st->job->backend));
    rc = ws_seqread_fill(st->reader, &slot->batch, err);
    if (!st->columns_chosen && (rc == WS_OK || rc == WS_EOF)) {
        st->job->abc = ws_seqread_abc(st->reader);
        int bad = ws_stream_columns(st, err);
        if (bad) rc = bad;
    }
    if (rc == WS_OK) {
        slot->batch.number = st->nbatch++;
        bind_rows(st, &slot->batch, &st->read_err); /* a failure is kept in read_err for the next call */
        rc = ws_slot_split(st, slot, err);
        *parts = slot->nparts;
    }
    ws_clock_stop(&st->count.read, t0);
    return rc;
}

static void no_text(ws_slot *slot) {
    ws_outtext *out[] = {&slot->kept, &slot->rejected, &slot->side};
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) {
        out[i]->text.n = 0;
        out[i]->rows = 0;
    }
}

int ws_stream_work(void *stream, void *slot, size_t part, int thread, ws_err *err) {
    ws_stream *st = stream;
    const ws_moment t0 = ws_clock_start();
    int rc = ws_slot_score(st, slot, part, &st->lane[thread], err);
    ws_clock_stop(&st->count.score, t0);
    ws_late_look(st);
    return rc;
}

/* A slot is written even if its work fails: then with nothing in it, neither half a row nor what it held before. */
int ws_stream_finish(void *stream, void *slot_, int rc, int thread, ws_err *err) {
    ws_stream *st = stream;
    ws_slot *slot = slot_;
    const ws_moment t0 = ws_clock_start();
    no_text(slot);
    if (!rc) rc = ws_slot_collect(st, slot, err);
    if (!rc) rc = ws_stream_emit(st, slot, &st->lane[thread], err);
    if (rc) no_text(slot);
    ws_clock_stop(&st->count.score, t0);
    return rc;
}

static int write_one(ws_stream *st, ws_out *out, const ws_batch *b, const ws_outtext *o, ws_packout *packed, ws_err *err) {
    if (st->job->common.out_format == WS_OUT_PACKED && !st->job->main_out.emit) return ws_packout_write(packed, out, b, o, err);
    const char *between = o->rows && st->rows ? st->job->main_out.between : NULL;
    int rc = between ? ws_out_write(out, between, strlen(between), err) : WS_OK;
    return rc ? rc : ws_out_write(out, o->text.p, o->text.n, err);
}

int ws_stream_write(void *stream, void *slot_, ws_err *err) {
    ws_stream *st = stream;
    ws_slot *slot = slot_;
    const ws_moment t0 = ws_clock_start();
    int rc = st->headed ? WS_OK : ws_stream_head(st, err);
    if (!rc) rc = write_one(st, &st->out, &slot->batch, &slot->kept, &st->packed_kept, err);
    if (!rc && st->has_rejected) rc = write_one(st, &st->rejected, &slot->batch, &slot->rejected, &st->packed_rejected, err);
    if (!rc && st->has_side) rc = ws_out_write(&st->side, slot->side.text.p, slot->side.text.n, err);
    st->rows += slot->kept.rows;
    st->rows_rejected += slot->rejected.rows;
    ws_clock_stop(&st->count.write, t0);
    if (!rc) ws_report_progress(st, 0);
    return rc;
}

int ws_stream_idle(void *stream) { return ws_seqread_ahead(((ws_stream *)stream)->reader); }

ws_seqread_counts ws_stream_counts(ws_stream *st) {
    ws_seqread_counts n = {0};
    if (st->reader) ws_seqread_counts_get(st->reader, &n);
    return n;
}

void ws_stream_progress(ws_stream *st, uint64_t *done, uint64_t *size) {
    if (st->reader)
        ws_seqread_progress(st->reader, done, size);
    else
        st->job->tool->reader->progress(st->own_reader, done, size);
}
