/* SPDX-License-Identifier: MIT
 * Pairs of sequences with targets, scored in calls of a backend and decided: see lib/scan/scan.h. */
#include "lib/scan/scan.h"

#include <string.h>

/* ---- which pairs ---- */

int ws_scan_unpack(ws_seqs *seqs, const ws_batch *b, const ws_codec *codec, ws_buf *codes, ws_err *err) {
    /* 64 codes more than there are: codecs write, and kernels read, whole registers */
    uint8_t *code = ws_buf_scratch(codes, b->nword * WS_RESIDUES_PER_WORD + WS_ALIGN, err);
    if (!code) return err->code;
    codec->unpack(b->word, b->nword * WS_RESIDUES_PER_WORD, code);
    *seqs = ws_seqs_of(b, code);
    return WS_OK;
}

size_t ws_scan_pairs_group(const ws_scan_pairs *p, size_t i) {
    size_t from = 0, to = p->groups;
    if (!p->start) return i / p->n;
    while (to - from > 1) { /* start[from] <= i < start[to] */
        const size_t middle = (from + to) / 2;
        if (p->start[middle] <= i) from = middle;
        else to = middle;
    }
    return from;
}

size_t ws_scan_pairs_end(const ws_scan_pairs *p, const ws_target *target, size_t from, ws_budget most, double *cells_) {
    const size_t n = ws_scan_pairs_start(p, p->groups);
    const uint32_t *len = p->batch->len;
    size_t i = from, tasks = 0;
    double cells = 0;
    for (size_t g = ws_scan_pairs_group(p, from); i < n && tasks < most.tasks; g++) {
        const double nodes = (double)target[ws_scan_pairs_target(p, g)].qlen;
        const double all = (double)p->batch->residues * nodes;
        const size_t first = ws_scan_pairs_start(p, g), end = ws_scan_pairs_start(p, g + 1);
        tasks += end > i;
        if (p->whole && i == first && cells + all <= most.cells && end - from <= most.pairs) {
            cells += all;
            i = end;
        }
        for (; i < end && cells < most.cells && i - from < most.pairs; i++)
            cells += (double)len[p->item[ws_scan_pairs_item(p, i)]] * nodes;
        if (i < end || cells >= most.cells || i - from >= most.pairs) break;
    }
    *cells_ = cells;
    return i;
}

int ws_scan_tasks_make(ws_scan_tasks *t, const ws_scan_pairs *p, size_t from, size_t to, ws_err *err) {
    const size_t first = ws_scan_pairs_group(p, from), last = ws_scan_pairs_group(p, to - 1);
    t->n = 0;
    t->task = ws_buf_scratch(&t->room, (last + 1 - first) * (sizeof *t->task + sizeof *t->item), err);
    if (!t->task) return err->code;
    t->item = (size_t *)(void *)(t->task + (last + 1 - first));
    for (size_t g = first, i = from; g <= last; g++) {
        const size_t end = ws_min(ws_scan_pairs_start(p, g + 1), to), item = ws_scan_pairs_item(p, i);
        if (end == i) continue;
        const int whole = p->whole && end - i == p->n;
        t->task[t->n] = (ws_task){.target = ws_scan_pairs_target(p, g), .item = whole ? NULL : p->item + item,
                                  .n = end - i};
        t->item[t->n++] = item;
        i = end;
    }
    return WS_OK;
}

/* ---- scores and decisions ---- */

/* Gives tasks room for the items that may pass. A pair that the host need not look at saves some 25 ns. WS_ENOMEM. */
static int make_kept(const ws_scan_call *c, ws_task *task, size_t n, size_t pairs, ws_err *err) {
    ws_kept *kept = ws_buf_scratch(c->kept, n * sizeof *kept + pairs * sizeof *kept->item, err);
    uint32_t *item = kept ? (uint32_t *)(void *)(kept + n) : NULL;
    for (size_t k = 0; k < n && kept; k++) {
        kept[k] = (ws_kept){item, SIZE_MAX};
        task[k].kept = &kept[k];
        item += task[k].n;
    }
    return kept ? WS_OK : err->code;
}

int ws_scan_score_call(const ws_scan_call *c, ws_task *task, size_t n, ws_err *err) {
    const size_t size = c->job->tool->scoring->score_size;
    size_t pairs = 0, taken = 0;
    for (size_t k = 0; k < n; k++) {
        pairs += task[k].n;
        task[k].kept = NULL; /* the CPU may score again what a device has begun */
    }
    char *score = ws_buf_scratch(c->scores, pairs * size, err);
    float *hint = score && c->scorer->hints ? ws_buf_scratch(c->hints, pairs * sizeof *hint, err) : NULL;
    if (!score || (c->scorer->hints && !hint)) return err->code;
    int rc = c->may_screen && c->may_screen(c->own, task, n) ? make_kept(c, task, n, pairs, err) : WS_OK;
    for (size_t k = 0; k < n && !rc; k++) {
        void *prep = NULL;
        ws_task *t = &task[k];
        if ((rc = ws_job_take(c->job, c->backend, t->target, &prep, err))) break;
        taken++;
        t->prep = prep;
        t->score = score;
        t->hint = hint;
        score += t->n * size;
        if (hint) hint += t->n;
        if (c->ready) rc = c->ready(c->own, t, prep, err);
    }
    if (!rc) rc = c->scorer->score(c->seqs, task, n, c->scratch, err);
    while (rc && taken > 0) ws_job_leave(c->job, task[--taken].target);
    return rc;
}

/* Returns a task of the items that may pass, which are all if its backend does not tell. */
static ws_task narrowed(const ws_task *task) {
    ws_task t = *task;
    if (!t.kept || t.kept->n == SIZE_MAX) return t;
    t.item = t.kept->item;
    t.n = t.kept->n;
    return t;
}

int ws_scan_decide_call(const ws_scan_call *c, const ws_task *task, const size_t *item, size_t n, ws_err *err) {
    int rc = WS_OK;
    for (size_t k = 0; k < n && !rc; k++) {
        const ws_task some = narrowed(&task[k]);
        rc = c->decide(c->own, &some, item[k], err);
    }
    for (size_t k = 0; k < n; k++) ws_job_leave(c->job, task[k].target);
    return rc;
}

int ws_scan_score(const ws_scan_call *c, const ws_scan_tasks *t, ws_err *err) {
    const size_t most = ws_scan_call_size(c);
    int rc = WS_OK;
    for (size_t k = 0; k < t->n && !rc; k += most) {
        const size_t n = ws_min(most, t->n - k);
        rc = ws_scan_score_call(c, t->task + k, n, err);
        if (!rc) rc = ws_scan_decide_call(c, t->task + k, t->item + k, n, err);
    }
    return rc;
}
