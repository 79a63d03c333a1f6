/* SPDX-License-Identifier: MIT
 * The loop over targets: which sequences of a batch meet which target, scored in calls and decided. */
#include "lib/base/counting_sort.h"
#include "lib/scan/state.h"

#include <string.h>

ws_hit *ws_hits_add(ws_hits *h, ws_err *err) {
    if (ws_grow(&h->hit, &h->cap, h->n + 1, sizeof *h->hit, err)) return NULL;
    memset(&h->hit[h->n], 0, sizeof h->hit[h->n]);
    return &h->hit[h->n++];
}

/* The pairs of a table with the targets from .. to, grouped by target. The pairs of target from + t are
 * item/row[start[t] .. start[t+1]). A batch without rows has `item` only if tasks can be parts of the batch; then it is
 * 0, 1, 2 ... */
typedef struct pairing {
    size_t from, to;
    uint32_t *item, *row, *start;
} pairing;

static void pairing_release(pairing *p) {
    ws_free(p->item);
    ws_free(p->row);
    ws_free(p->start);
}

static int count_up(pairing *p, size_t n, ws_err *err) {
    p->item = ws_calloc(n, sizeof *p->item, err);
    for (size_t i = 0; p->item && i < n; i++) p->item[i] = (uint32_t)i;
    return p->item ? WS_OK : WS_ENOMEM;
}

static int pairing_make(pairing *p, const ws_batch *b, ws_err *err) {
    const size_t ntarget = p->to - p->from;
    const ws_keys targets = {b->row, sizeof *b->row, offsetof(ws_row, target), b->nrow, (uint32_t)p->from,
                             (uint32_t)ntarget, NULL};
    p->item = ws_calloc(b->nrow, sizeof *p->item, err);
    p->row = ws_calloc(b->nrow, sizeof *p->row, err);
    p->start = ws_calloc(ntarget + 2, sizeof *p->start, err);
    if (!p->item || !p->row || !p->start) return WS_ENOMEM;
    if (ws_rows_are_free(b)) {
        for (size_t r = 0; r < b->nrow; r++) {
            p->item[r] = b->row[r].seq;
            p->row[r] = (uint32_t)r;
        }
        return WS_OK;
    }
    ws_counting_sort(&targets, p->row, p->start);
    for (uint32_t i = 0; i < p->start[ntarget]; i++) p->item[i] = b->row[p->row[i]].seq;
    return WS_OK;
}

/* How far a batch is scored. */
typedef struct cursor {
    size_t target, pair; /* the next pair: of that target's, that one */
} cursor;

/* Makes a task of the pairs from *at on: of one target, at least one pair if there is any, about `most` cells. Returns
 * the cells. */
static uint64_t make_task(ws_task *task, const uint32_t **row, const ws_job *job, const ws_batch *b, const pairing *p,
                          cursor *at, uint64_t most) {
    const uint64_t qlen = job->target[at->target].qlen;
    const uint32_t *start = b->has_rows && !ws_rows_are_free(b) ? &p->start[at->target - p->from] : NULL;
    const size_t from = start ? start[0] : 0, n = start ? start[1] - from : b->has_rows ? b->nrow : b->n;
    const uint32_t *item = p->item ? p->item + from : NULL;
    size_t end = at->pair;
    uint64_t cells = 0;
    if (!b->has_rows && at->pair == 0 && b->residues * qlen <= most) {
        item = NULL; /* all of the batch */
        end = n;
        cells = b->residues * qlen;
    }
    for (; end < n && cells < most; end++) cells += b->len[item ? item[end] : end] * qlen;
    *task = (ws_task){.target = (uint32_t)at->target, .item = item ? item + at->pair : NULL, .n = end - at->pair};
    *row = b->has_rows ? p->row + from + at->pair : NULL;
    *at = end < n ? (cursor){at->target, end} : (cursor){at->target + 1, 0};
    return cells;
}

/* Limits of one call: tasks, and pairs, whose scores take 32 MB of each thread. With half as many pairs the kernels of
 * msvfilt take a tenth longer (1,200 models, H200). */
enum { TASKS_MAX = 2048, PAIRS_MAX = 4 << 20 };
typedef struct call {
    ws_task task[TASKS_MAX];
    const uint32_t *row[TASKS_MAX];
    size_t n, pairs;
    uint64_t cells;
} call;

static void make_call(call *g, const ws_job *job, const ws_batch *b, const pairing *p, cursor *at, size_t most_tasks,
                      uint64_t most) {
    g->n = g->pairs = 0;
    g->cells = 0;
    while (at->target < p->to && g->n < most_tasks && g->cells < most && g->pairs < PAIRS_MAX) {
        g->cells += make_task(&g->task[g->n], &g->row[g->n], job, b, p, at, most);
        g->pairs += g->task[g->n].n;
        g->n += g->task[g->n].n > 0;
    }
}

/* Seconds that a CPU scores before it asks again for a free stream. The end of a run waits for a CPU no longer than
 * that. */
#define TURN_SECONDS 0.02

int ws_scan_score_tasks(const ws_scan_call *c, ws_task *task, size_t n, ws_err *err) {
    const size_t size = c->job->tool->scoring->score_size;
    size_t pairs = 0, taken = 0;
    int rc = WS_OK;
    for (size_t k = 0; k < n; k++) pairs += task[k].n;
    char *score = ws_buf_scratch(c->scores, pairs * size, err);
    float *hint = score && c->scorer->hints ? ws_buf_scratch(c->hints, pairs * sizeof *hint, err) : NULL;
    if (!score || (c->scorer->hints && !hint)) return err->code;
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

/* Looks whether a target that a row names is the model of the input. */
static int check_target(const void *job, ws_task *t, void *prep, ws_err *err) {
    (void)prep;
    return ws_scan_check_model(job, t->target, err);
}

/* Scores and decides call after call of the pairing's targets. */
static int score_calls(ws_scan_state *s, const ws_batch *b, const pairing *p, ws_scan_thread *thread, ws_hits *hits,
                       ws_err *err) {
    const ws_scan_worker *worker = &thread->worker;
    ws_job *job = s->job;
    const int named = b->has_rows && !ws_rows_are_free(b);
    call *g = ws_alloc(sizeof *g, err);
    int rc = g ? WS_OK : WS_ENOMEM;
    for (cursor at = {p->from, 0}; at.target < p->to && !rc;) {
        const cursor from = at;
        const ws_backend *be = ws_job_pick_backend(job);
        const int in_turns = be == job->cpu_backend && ws_job_is_open(job);
        const uint64_t most = in_turns ? ws_max((uint64_t)(TURN_SECONDS * job->backend->cpu_speed), 1) : UINT64_MAX;
        make_call(g, job, b, p, &at, ws_min(ws_max(be->max_tasks, 1), TASKS_MAX), most);
        if (g->n == 0) break;
        const ws_scan_call c = {job, be, be, &worker->seqs, &thread->scores, &thread->hints, worker->scratch,
                                named ? check_target : NULL, job};
        rc = ws_scan_score_tasks(&c, g->task, g->n, err);
        if (rc && ws_job_fall_back_to_cpu(job, be, rc, err)) {
            at = from;
            rc = WS_OK;
            continue;
        }
        const size_t taken = rc ? 0 : g->n;
        for (size_t i = 0; i < taken && !rc; i++)
            rc = s->scoring->decide(job, b, &g->task[i], g->row[i], worker, hits, err);
        for (size_t i = 0; i < taken; i++) ws_job_leave(job, g->task[i].target);
        s->pairs += g->pairs;
        s->cells += g->cells;
        if (be->start) s->device_cells += g->cells;
    }
    ws_free(g);
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
        for (size_t t = p->from; t < p->to && !rc && ws_job_has_room(job); t++) {
            int busy = 0;
            if (p->start[t - p->from] == p->start[t - p->from + 1]) continue;
            rc = ws_job_ready(job, be, (uint32_t)t, last ? NULL : &busy, err);
            left |= busy;
            if (!rc && !busy) rc = ws_scan_check_model(job, (uint32_t)t, err);
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
        s->cells += b->len[row->seq] * s->job->target[row->target].qlen;
        s->pairs++;
    }
    return rc;
}

/* Unpacks a batch and sets the tool's values of its sequences, if the thread has not. identity: see ws_seqs. */
static int unpack(const ws_scan_state *s, ws_scan_thread *thread, const ws_batch *b, uint64_t identity, ws_err *err) {
    ws_seqs *seqs = &thread->worker.seqs;
    if (thread->batch == b && thread->filling == b->number) return WS_OK;
    thread->batch = NULL;
    /* 64 codes more than there are: codecs write, and kernels read, whole registers */
    uint8_t *codes = ws_buf_scratch(&thread->codes, b->nword * WS_RESIDUES_PER_WORD + WS_ALIGN, err);
    void *value = codes ? ws_buf_scratch(&thread->values, b->n * s->scoring->value_size, err) : NULL;
    if (!value) return err->code;
    s->codec->unpack(b->word, b->nword * WS_RESIDUES_PER_WORD, codes);
    *seqs = ws_seqs_of(b, codes);
    seqs->identity = identity;
    seqs->perseq = thread->worker.value = value;
    if (s->scoring->set_values) s->scoring->set_values(seqs, value);
    thread->batch = b;
    thread->filling = b->number;
    return WS_OK;
}

int ws_scan_score(ws_scan_state *s, ws_scan_item *it, size_t part, ws_scan_thread *thread, ws_err *err) {
    const ws_batch *b = &it->batch;
    const size_t n = s->job->ntarget;
    pairing p = {.from = part * n / it->nparts, .to = (part + 1) * n / it->nparts};
    ws_hits *hits = &it->part[part];
    int rc = unpack(s, thread, b, it->identity, err);
    if (!rc && !s->job->tool->backends) return pass_all(hits, b, err);
    if (!rc && b->has_rows) rc = pairing_make(&p, b, err);
    if (!rc && b->has_rows && !ws_rows_are_free(b)) rc = ready_targets(s, b, &p, err);
    if (!rc && !b->has_rows && s->job->cpu_backend) rc = count_up(&p, b->n, err);
    if (!rc && has_passed(s, b)) rc = pass_rows(s, hits, b, p.from, p.to, err);
    else if (!rc) rc = score_calls(s, b, &p, thread, hits, err);
    pairing_release(&p);
    return rc;
}
