/* SPDX-License-Identifier: MIT
 * An item of the pipeline: a batch on its way from the reader to the writer. In how many parts it is worked on, the
 * hits of each, and all of them in the order of the output. */
#include "lib/base/counting_sort.h"
#include "lib/scan/state.h"

#include <string.h>

/* ---- parts ---- */

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
    ws_policy_work w = {job->nworker, ws_job_has_device(job), 0, it->batch.nrow, job->ntarget};
    if (w.threads > 1 && w.targets > 1) w.cells = cells_of(job, &it->batch);
    const size_t n = ws_policy_parts(&w);
    const size_t had = it->part_cap;
    int rc = ws_grow(&it->part, &it->part_cap, n, sizeof *it->part, err);
    if (rc) return rc;
    memset(it->part + had, 0, (it->part_cap - had) * sizeof *it->part);
    it->nparts = n;
    return WS_OK;
}

/* ---- hits of a part ---- */

ws_hit *ws_hits_add(ws_hits *h, ws_err *err) {
    if (ws_grow(&h->hit, &h->cap, h->n + 1, sizeof *h->hit, err)) return NULL;
    memset(&h->hit[h->n], 0, sizeof h->hit[h->n]);
    return &h->hit[h->n++];
}

/* The pairs of a part, and with rows the row of each item. */
typedef struct pairing {
    ws_scan_pairs of;
    uint32_t *item, *row, *start;
} pairing;

static void pairing_release(pairing *p) {
    ws_free(p->item);
    ws_free(p->row);
    ws_free(p->start);
}

/* Lists the pairs of `groups` targets from `first` on. Rows that name no target meet all of them. */
static int pairing_make(pairing *p, const ws_batch *b, size_t first, size_t groups, ws_err *err) {
    const size_t n = b->has_rows ? b->nrow : b->n;
    const ws_keys by_target = {b->row, sizeof *b->row, offsetof(ws_row, target), b->nrow, (uint32_t)first,
                               (uint32_t)groups, NULL};
    const int named = b->has_rows && !ws_rows_are_free(b);
    p->item = ws_calloc(n, sizeof *p->item, err);
    p->row = p->item && b->has_rows ? ws_calloc(n, sizeof *p->row, err) : NULL;
    p->start = p->row && named ? ws_calloc(groups + 2, sizeof *p->start, err) : NULL;
    if (!p->item || (b->has_rows && !p->row) || (named && !p->start)) return err->code;
    if (named) ws_counting_sort(&by_target, p->row, p->start);
    else for (size_t i = 0; i < n && p->row; i++) p->row[i] = (uint32_t)i;
    for (size_t i = 0; i < (named ? p->start[groups] : n); i++)
        p->item[i] = p->row ? b->row[p->row[i]].seq : (uint32_t)i;
    p->of = (ws_scan_pairs){b, NULL, (uint32_t)first, groups, p->item, p->start, n, !b->has_rows};
    return WS_OK;
}

/* A call of a part, for the functions of a ws_scan_call. */
typedef struct deciding {
    const ws_scan_state *s;
    const ws_batch *b;
    const uint32_t *row;
    const ws_scan_worker *worker;
    ws_hits *hits;
} deciding;

/* Says whether scores are of use that the gate rejects. Looks whether a target that a row names is the model of the
 * input. */
static int set_target(void *own, ws_task *t, void *prep, ws_err *err) {
    const deciding *d = own;
    const ws_scan *scan = ws_scan_of(d->s->job);
    (void)prep;
    t->gated = !scan->all && !scan->keep_rejected;
    return d->row && !ws_rows_are_free(d->b) ? ws_scan_check_model(d->s->job, t->target, err) : WS_OK;
}

static int decide(void *own, const ws_task *task, size_t item, ws_err *err) {
    const deciding *d = own;
    return d->s->scoring->decide(d->s->job, d->b, task, d->row ? d->row + item : NULL, d->worker, d->hits, err);
}

/* Scores and decides call after call. Which backend has a call follows from what is free then. */
static int score_calls(ws_scan_state *s, const ws_batch *b, const pairing *p, ws_scan_thread *thread, ws_hits *hits,
                       ws_err *err) {
    const ws_scan_worker *worker = &thread->worker;
    ws_job *job = s->job;
    deciding own = {s, b, p->row, worker, hits};
    const size_t n = ws_scan_pairs_start(&p->of, p->of.groups);
    int rc = WS_OK;
    for (size_t from = 0, to; from < n && !rc; from = to) {
        const ws_backend *be = ws_job_pick_backend(job);
        const int helps = be == job->cpu_backend && ws_job_is_open(job);
        const ws_scan_call c = {job, be, be, &worker->seqs, &thread->scores, &thread->hints, NULL, worker->scratch,
                                set_target, NULL, decide, &own};
        double cells;
        to = ws_scan_pairs_end(&p->of, job->target, from,
                               ws_policy_call(be->max_tasks, helps ? job->backend->cpu_speed : 0), &cells);
        rc = ws_scan_tasks_make(&thread->tasks, &p->of, from, to, err);
        if (!rc) rc = ws_scan_score(&c, &thread->tasks, err);
        if (rc && ws_job_fall_back_to_cpu(job, be, rc, err)) {
            to = from;
            rc = WS_OK;
            continue;
        }
        ws_scan_count(job, to - from, (uint64_t)cells, be->start ? (uint64_t)cells : 0);
    }
    return rc;
}

/* Returns 1 if the rows of the batch are hits without a score of this tool. */
static int has_passed(const ws_scan_state *s, const ws_batch *b) {
    return b->has_rows && !ws_rows_are_free(b) && s->scoring->has_passed && s->scoring->has_passed(s->job);
}

/* Makes the targets that rows name, as many as there is room for, and checks that they are the models of the input. A
 * target that another thread is making comes last, so that threads make different ones. */
static int ready_targets(ws_scan_state *s, const ws_batch *b, const pairing *p, ws_err *err) {
    ws_job *job = s->job;
    const ws_backend *be = has_passed(s, b) ? NULL : job->cpu_backend ? job->cpu_backend : job->backend;
    int rc = WS_OK, left = 0;
    for (int last = 0; last < 1 + left && !rc; last++)
        for (size_t g = 0; g < p->of.groups && !rc && ws_job_has_room(job); g++) {
            const uint32_t t = ws_scan_pairs_target(&p->of, g);
            int busy = 0;
            if (p->start[g] == p->start[g + 1]) continue;
            rc = ws_job_ready(job, be, t, last ? NULL : &busy, err);
            left |= busy;
            if (!rc && !busy) rc = ws_scan_check_model(job, t, err);
        }
    return rc;
}

static int add_passed(ws_hits *h, uint32_t seq, size_t row, uint32_t target, ws_err *err) {
    ws_hit *x = ws_hits_add(h, err);
    if (!x) return WS_ENOMEM;
    *x = (ws_hit){.seq = seq, .row = (uint32_t)row, .target = target, .pass = 1};
    return WS_OK;
}

/* Makes every sequence a hit, for a tool without targets (respack). */
static int pass_all(ws_hits *h, const ws_batch *b, ws_err *err) {
    int rc = WS_OK;
    for (size_t i = 0; i < (b->has_rows ? b->nrow : b->n) && !rc; i++)
        rc = b->has_rows ? add_passed(h, b->row[i].seq, i, UINT32_MAX, err)
                         : add_passed(h, (uint32_t)i, UINT32_MAX, UINT32_MAX, err);
    return rc;
}

/* Makes hits of the rows of targets from .. to. They are counted, since the tool's own work on them follows. */
static int pass_rows(ws_scan_state *s, ws_hits *h, const ws_batch *b, size_t from, size_t to, ws_err *err) {
    int rc = WS_OK;
    for (size_t r = 0; r < b->nrow && !rc; r++) {
        const ws_row *row = &b->row[r];
        if (row->target < from || row->target >= to) continue;
        rc = add_passed(h, row->seq, r, row->target, err);
        ws_scan_count(s->job, 1, b->len[row->seq] * s->job->target[row->target].qlen, 0);
    }
    return rc;
}

/* Unpacks a batch and sets the tool's values of its sequences, if the thread has not. identity: see ws_seqs. */
static int unpack(const ws_scan_state *s, ws_scan_thread *thread, const ws_batch *b, uint64_t identity, ws_err *err) {
    ws_scan_worker *w = &thread->worker;
    if (thread->batch == b && thread->filling == b->number) return WS_OK;
    thread->batch = NULL;
    w->value = ws_buf_scratch(&thread->values, b->n * s->scoring->value_size, err);
    if (!w->value || ws_scan_unpack(&w->seqs, b, s->codec, &thread->codes, err)) return err->code;
    w->seqs.identity = identity;
    w->seqs.perseq = w->value;
    if (s->scoring->set_values) s->scoring->set_values(&w->seqs, w->value);
    thread->batch = b;
    thread->filling = b->number;
    return WS_OK;
}

int ws_scan_passes_all(const ws_scan_state *s, const ws_batch *b) {
    const ws_scan *scan = s->scan;
    return !s->job->tool->backends && !b->has_rows && !scan->emit[0] && scan->out_format != WS_OUT_TSV;
}

int ws_scan_work(ws_scan_state *s, ws_scan_item *it, size_t part, ws_scan_thread *thread, ws_err *err) {
    const ws_batch *b = &it->batch;
    const size_t n = s->job->ntarget, from = part * n / it->nparts, to = (part + 1) * n / it->nparts;
    pairing p = {0};
    ws_hits *hits = &it->part[part];
    const int all = ws_scan_passes_all(s, b);
    if (all && s->scan->out_format != WS_OUT_FASTA) return WS_OK; /* nothing looks at its residues */
    int rc = unpack(s, thread, b, it->identity, err);
    if (!rc && all) return WS_OK;
    if (!rc && !s->job->tool->backends) return pass_all(hits, b, err);
    if (!rc) rc = pairing_make(&p, b, from, to - from, err);
    if (!rc && p.start) rc = ready_targets(s, b, &p, err);
    if (!rc && has_passed(s, b)) rc = pass_rows(s, hits, b, from, to, err);
    else if (!rc) rc = score_calls(s, b, &p, thread, hits, err);
    pairing_release(&p);
    return rc;
}

/* ---- hits of all parts ---- */

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
