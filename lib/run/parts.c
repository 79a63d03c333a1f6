/* SPDX-License-Identifier: MIT
 * The work on a slot in parts: how many are worth it, and their hits put together. */
#include "lib/run/stream.h"

#include <string.h>

/* Cells of a part at least: milliseconds of a core (bench/kernels-zen5.txt), beside which one more thread unpacks the batch; of a
 * device's, ten (SSV, H200), beside which it is copied to one more lane; or so many rows of a table, because a filter passed them before
 * and the host's share of each is larger. Estimates: other values were not tried. A part that is worth it may be all there is for a
 * thread to do: a genome of 4,000 proteins is ten batches for a CPU, however many models it meets. */
#define PART_CELLS 3e7
#define DEVICE_PART_CELLS 2e11
#define DEVICE_PART_ROWS 16e3
enum { PARTS_PER_THREAD = 8 };

static double cells_of(const ws_job *job, const ws_batch *b) {
    double cells = 0;
    if (b->has_rows && !ws_rows_are_free(b))
        for (size_t r = 0; r < b->nrow; r++) cells += (double)b->len[b->row[r].seq] * (double)job->target[b->row[r].target].qlen;
    else
        for (size_t t = 0; t < job->ntarget; t++) cells += (double)b->residues * (double)job->target[t].qlen;
    return cells;
}

int ws_slot_split(const ws_stream *st, ws_slot *slot, ws_err *err) {
    const ws_job *job = st->job;
    const size_t most = ws_max(1, ws_min(job->ntarget, (size_t)(PARTS_PER_THREAD * (st->nlane - 1))));
    size_t n = 1;
    if (most > 1) {
        const int device = job->backend->start && ws_job_is_open(job);
        const double cells = cells_of(job, &slot->batch);
        const double parts = device ? cells / DEVICE_PART_CELLS + (double)slot->batch.nrow / DEVICE_PART_ROWS : cells / PART_CELLS;
        n = parts < 1 ? 1 : parts < (double)most ? (size_t)parts : most;
    }
    const size_t had = slot->part_cap;
    int rc = ws_grow(&slot->part, &slot->part_cap, n, sizeof *slot->part, err);
    if (rc) return rc;
    memset(slot->part + had, 0, (slot->part_cap - had) * sizeof *slot->part);
    slot->nparts = n;
    return WS_OK;
}

static size_t place_of(const ws_hit *h) { return h->row == UINT32_MAX ? h->seq : h->row; }

/* Hits come target by target; rows leave in input order, targets of one sequence in the order of the model file. Counting
 * sort by place in the input, stable. */
static int sort_hits(ws_slot *slot, size_t nplace, ws_err *err) {
    ws_hits *to = &slot->hits;
    size_t *start = ws_calloc(nplace + 1, sizeof *start, err);
    int rc = start ? WS_OK : WS_ENOMEM;
    to->n = 0;
    for (size_t k = 0; k < slot->nparts; k++) to->n += slot->part[k].n;
    if (!rc) rc = ws_grow(&to->hit, &to->cap, to->n, sizeof *to->hit, err);
    if (!rc) {
        for (size_t k = 0; k < slot->nparts; k++)
            for (size_t i = 0; i < slot->part[k].n; i++) start[place_of(&slot->part[k].hit[i]) + 1]++;
        for (size_t s = 1; s <= nplace; s++) start[s] += start[s - 1];
        for (size_t k = 0; k < slot->nparts; k++)
            for (size_t i = 0; i < slot->part[k].n; i++) to->hit[start[place_of(&slot->part[k].hit[i])]++] = slot->part[k].hit[i];
    }
    ws_free(start);
    return rc;
}

static void no_hits(ws_slot *slot) {
    for (size_t k = 0; k < slot->part_cap; k++) {
        ws_free(slot->part[k].hit);
        slot->part[k] = (ws_hits){0};
    }
}

int ws_slot_collect(const ws_stream *st, ws_slot *slot, ws_err *err) {
    const ws_batch *b = &slot->batch;
    int rc = WS_OK;
    if (b->has_rows || st->job->ntarget > 1) {
        rc = sort_hits(slot, b->has_rows ? b->nrow : b->n, err);
    } else {
        ws_free(slot->hits.hit);
        slot->hits = slot->part[0];
        slot->part[0] = (ws_hits){0};
    }
    no_hits(slot); /* there is one copy of them while the slot waits for the writer */
    return rc;
}

void ws_slot_release(ws_slot *slot) {
    ws_batch_release(&slot->batch);
    no_hits(slot);
    ws_free(slot->part);
    ws_free(slot->hits.hit);
    ws_buf_release(&slot->kept.text);
    ws_buf_release(&slot->rejected.text);
    ws_buf_release(&slot->side.text);
}
