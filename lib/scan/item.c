/* SPDX-License-Identifier: MIT
 * An item of the pipeline: in how many parts its batch is worked on, and what came out of them put together. */
#include "lib/scan/state.h"

#include <string.h>

/* Cells of a part at least: milliseconds of a core (bench/data/kernels-zen5.txt), beside which one more thread unpacks
 * the batch; of a device's, ten (SSV, H200), beside which it is copied to one more stream; or so many rows of a table,
 * because a filter passed them before and the host's share of each is larger. A call of a device lasts as long as its
 * longest sequence, some 4 ms for 4,910 residues: with 16,000 rows the kernels of vitfilt took 0.65 s for 3.5 million
 * rows, with 60,000 0.33, 125,000 0.28, 250,000 0.27 (H200). A part that is worth it may be all there is for a thread
 * to do: a genome of 4,000 proteins is ten batches for a CPU, however many models it meets. */
#define PART_CELLS 3e7
#define DEVICE_PART_CELLS 2e11
#define DEVICE_PART_ROWS 125e3
enum { PARTS_PER_THREAD = 8 };

static double cells_of(const ws_job *job, const ws_batch *b) {
    double cells = 0;
    if (b->has_rows && !ws_rows_are_free(b))
        for (size_t r = 0; r < b->nrow; r++)
            cells += (double)b->len[b->row[r].seq] * (double)job->target[b->row[r].target].qlen;
    else
        for (size_t t = 0; t < job->ntarget; t++) cells += (double)b->residues * (double)job->target[t].qlen;
    return cells;
}

int ws_scan_split(const ws_scan_state *s, ws_scan_item *it, ws_err *err) {
    const ws_job *job = s->job;
    const size_t most = ws_max(1, ws_min(job->ntarget, (size_t)(PARTS_PER_THREAD * (job->nworker - 1))));
    size_t n = 1;
    if (most > 1) {
        const int device = ws_job_has_device(job);
        const double cells = cells_of(job, &it->batch);
        const double parts =
            device ? cells / DEVICE_PART_CELLS + (double)it->batch.nrow / DEVICE_PART_ROWS : cells / PART_CELLS;
        n = parts < 1 ? 1 : parts < (double)most ? (size_t)parts : most;
    }
    const size_t had = it->part_cap;
    int rc = ws_grow(&it->part, &it->part_cap, n, sizeof *it->part, err);
    if (rc) return rc;
    memset(it->part + had, 0, (it->part_cap - had) * sizeof *it->part);
    it->nparts = n;
    return WS_OK;
}

static size_t position_of(const ws_hit *h) { return h->row == UINT32_MAX ? h->seq : h->row; }

/* Hits come target by target; rows leave in input order, targets of one sequence in the order of the model file.
 * Counting sort by position in the input, stable. */
static int sort_hits(ws_scan_item *it, size_t nposition, ws_err *err) {
    ws_hits *to = &it->hits;
    size_t *start = ws_calloc(nposition + 1, sizeof *start, err);
    int rc = start ? WS_OK : WS_ENOMEM;
    to->n = 0;
    for (size_t k = 0; k < it->nparts; k++) to->n += it->part[k].n;
    if (!rc) rc = ws_grow(&to->hit, &to->cap, to->n, sizeof *to->hit, err);
    if (!rc) {
        for (size_t k = 0; k < it->nparts; k++)
            for (size_t i = 0; i < it->part[k].n; i++) start[position_of(&it->part[k].hit[i]) + 1]++;
        for (size_t i = 1; i <= nposition; i++) start[i] += start[i - 1];
        for (size_t k = 0; k < it->nparts; k++)
            for (size_t i = 0; i < it->part[k].n; i++)
                to->hit[start[position_of(&it->part[k].hit[i])]++] = it->part[k].hit[i];
    }
    ws_free(start);
    return rc;
}

static void no_hits(ws_scan_item *it) {
    for (size_t k = 0; k < it->part_cap; k++) {
        ws_free(it->part[k].hit);
        it->part[k] = (ws_hits){0};
    }
}

int ws_scan_collect(const ws_scan_state *s, ws_scan_item *it, ws_err *err) {
    const ws_batch *b = &it->batch;
    int rc = WS_OK;
    if (b->has_rows || s->job->ntarget > 1) {
        rc = sort_hits(it, b->has_rows ? b->nrow : b->n, err);
    } else {
        ws_free(it->hits.hit);
        it->hits = it->part[0];
        it->part[0] = (ws_hits){0};
    }
    no_hits(it); /* there is one copy of them while the batch waits for the writer */
    return rc;
}

void ws_scan_item_release(ws_scan_item *it) {
    ws_batch_release(&it->batch);
    no_hits(it);
    ws_free(it->part);
    ws_free(it->hits.hit);
}
