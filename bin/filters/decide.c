/* SPDX-License-Identifier: MIT
 * The decision of hmmsearch's pipeline for each (model, sequence) pair of a task. Source: specification
 * profile-filters.md, section 12.2. */
#include "bin/filters/decide.h"

#include "lib/hmm/evalue.h"

#include <math.h>
#include <string.h>

static double p_of(const ws_decider *d, int mu, int lambda, int tail, float bits) {
    return ws_cutoffs_p(d->model->hmm, mu, lambda, tail, bits);
}

static double stage_p(const ws_decider *d, float bits) {
    return p_of(d, d->c->stage->mu, d->c->stage->lambda, d->c->stage->tail, bits);
}

static int enough_bits(const ws_decider *d, float bits) { return ws_cutoffs_bits_pass(d->c, bits); }
static int enough_p(const ws_decider *d, double p) { return ws_cutoffs_p_passes(d->c, p); }
static int may_skip(const ws_decider *d) { return d->c->stage->may_skip && !d->c->opts->no_skip; }
static int with_bias(const ws_decider *d) { return d->c->stage->bias && !d->c->opts->nobias; }

/* Returns 1 if hmmsearch would skip the Viterbi filter for a pair: its bias-corrected MSV P is at or below the
 * threshold. */
static int skips_viterbi(const ws_decider *d, float msv, float null2) {
    return !isnan(msv) && enough_p(d, p_of(d, WS_MMU, WS_MLAMBDA, 0, ws_bits(msv, null2)));
}

/* Applies the tests that need no bias to pair j. Returns 1 and fills *out if the pair may still pass or needs
 * values. */
static int screen_pair(const ws_decider *d, int gated, size_t j, uint64_t *passed, ws_pending *out) {
    const ws_fscore *score = &d->score[j];
    const ws_lenmodel *lm = ws_seqlist_lm(&d->list, j);
    if (gated && score->status != WS_F_OPEN && ws_gate_fails(&d->gate, score->nats - lm->null_nats, lm->L)) return 0;
    float bits = ws_bits(score->nats, lm->null_nats);
    int pass = enough_bits(d, bits);
    if (pass && (d->c->stage->uncorrected_first || !with_bias(d))) pass = enough_p(d, stage_p(d, bits));
    if (score->status == WS_F_OPEN) pass = 1;
    *passed += pass != 0;
    *out = (ws_pending){(uint32_t)j, pass, NAN, NAN, NAN};
    return pass || d->everything || (may_skip(d) && !with_bias(d));
}

size_t ws_decide_screen(const ws_decider *d, uint64_t *passed, ws_pending *q) {
    const int gated = !d->everything && !(may_skip(d) && d->knows_msv);
    size_t n = 0;
    for (size_t j = 0; j < d->list.n; j++)
        n += ws_seqlist_len(&d->list, j) > 0 && screen_pair(d, gated, j, passed, &q[n]);
    return n;
}

void ws_decide_null_scores(const ws_decider *d, ws_pending *q, size_t n, void *room) {
    float *null2 = room;
    if (with_bias(d)) memset(null2, 0, d->list.n * sizeof *null2);
    for (size_t i = 0; i < n; i++)
        null2[q[i].place] = with_bias(d) ? q[i].null2 : ws_seqlist_lm(&d->list, q[i].place)->null_nats;
    if (with_bias(d)) ws_filter_bias(&d->model->bias, d->cpu, &d->list, d->hint, null2 + d->list.n, null2);
    for (size_t i = 0; i < n; i++) q[i].null2 = null2[q[i].place];
}

int ws_decide_pair(const ws_decider *d, ws_pending *q) {
    const ws_fscore *score = &d->score[q->place];
    const ws_lenmodel *lm = ws_seqlist_lm(&d->list, q->place);
    q->p = stage_p(d, ws_bits(score->nats, q->null2));
    if (with_bias(d) && q->pass) q->pass = enough_p(d, q->p);
    if (!q->pass && may_skip(d))
        q->pass = enough_bits(d, ws_bits(score->nats, lm->null_nats)) && skips_viterbi(d, q->msv, q->null2);
    return q->pass;
}

/* ---- a task of a program, with rows ---- */

typedef struct deciding {
    const ws_job *job;
    const ws_cascade *c;
    const ws_batch *b;
    const ws_task *task;
    const uint32_t *row;
    int msv_column, bias_column; /* of msv_bits and bias_bits in the input table, or -1 */
} deciding;

/* Returns the exact MSV score, in nats, of a printed msv_bits. xJ - tjb is a whole number of third-bits, and the
 * print is accurate to 1e-4 bits, so rounding recovers it. Source: sections 6 (S5) and 11. */
static float msv_nats(double bits, const ws_lenmodel *lm) {
    if (!isfinite(bits)) return (float)bits;
    double third_bits = (bits * WS_LN2 + lm->null_nats + 3.0) * WS_BYTE_SCALE;
    return ws_bytes_nats((int)lround(third_bits) + WS_BYTE_BASE, 0);
}

/* Asks for the rows of pairs after pair i, and for the bias of nearer ones. Rows of one model lie apart in memory, so
 * without this the waits for them would take a fifteenth of vitfilt's processor time. */
static void fetch_ahead(const deciding *g, const ws_pending *q, size_t n, size_t i) {
    enum { ROWS = 16, CELLS = 8 };
    if (i + ROWS < n) __builtin_prefetch(&g->b->row[g->row[q[i + ROWS].place]]);
    if (i + CELLS < n) ws_row_fetch(g->b, &g->b->row[g->row[q[i + CELLS].place]], g->bias_column);
}

/* Takes from the rows what earlier stages computed: the null score, corrected for bias, which would take a sixth of
 * vitfilt's processor time, and the MSV score of pairs that do not pass yet. */
static void take_from_rows(const deciding *g, const ws_decider *d, ws_pending *q, size_t n) {
    const int bias = g->bias_column >= 0 && with_bias(d);
    for (size_t i = 0; i < n && (bias || d->knows_msv); i++) {
        const ws_row *row = &g->b->row[g->row[q[i].place]];
        const ws_lenmodel *lm = ws_seqlist_lm(&d->list, q[i].place);
        if (bias) {
            fetch_ahead(g, q, n, i);
            const float bits = ws_row_exact(g->b, row, g->bias_column);
            if (!isnan(bits)) q[i].null2 = ws_bits_undo(bits, lm->null_nats);
        }
        if (d->knows_msv && may_skip(d)) q[i].msv = msv_nats(ws_row_number(g->b, row, g->msv_column), lm);
    }
}

static int add_hit(const deciding *g, size_t j, int pass, float bits, float bias_bits, double p, ws_hits *hits,
                   ws_err *err) {
    const ws_cascade *c = g->c;
    ws_hit *h = ws_hits_add(hits, err);
    if (!h) return WS_ENOMEM;
    h->seq = (uint32_t)ws_task_item(g->task, j);
    h->row = g->row ? g->row[j] : UINT32_MAX;
    h->target = g->task->target;
    h->pass = pass || ws_scan_of(g->job)->all;
    const double z = c->opts->z_given ? c->opts->z : NAN;
    const ws_filter_values v = {.bits = bits, .bias_bits = bias_bits, .p = p, .z = z};
    ws_filtercol_set(c->stage->columns, c->opts->nobias, &v, h->value);
    return WS_OK;
}

static int decide_pair(const deciding *g, const ws_decider *d, ws_pending *q, ws_hits *hits, ws_err *err) {
    const ws_lenmodel *lm = ws_seqlist_lm(&d->list, q->place);
    if (!ws_decide_pair(d, q) && !d->everything) return WS_OK;
    const float bits = ws_bits(d->score[q->place].nats, lm->null_nats), bias = ws_bits(q->null2, lm->null_nats);
    return add_hit(g, q->place, q->pass, bits, bias, q->p, hits, err);
}

int ws_cascade_decide(const ws_job *job, const ws_batch *b, const ws_task *task, const uint32_t *row,
                      const ws_scan_worker *worker, ws_hits *hits, ws_err *err) {
    const ws_cascade *c = ws_cascade_of(job);
    const ws_scan *scan = ws_scan_of(job);
    const deciding g = {.job = job,
                        .c = c,
                        .b = b,
                        .task = task,
                        .row = row,
                        .msv_column = b->has_rows ? ws_head_find(scan->head, "msv_bits") : -1,
                        .bias_column = b->has_rows ? ws_head_find(scan->head, "bias_bits") : -1};
    const ws_hmm_target *model = job->target[task->target].data;
    const ws_decider d = {.c = c, .model = model, .gate = model->gate, .cpu = &job->machine.cpu,
                          .everything = scan->all || scan->keep_rejected, .knows_msv = g.msv_column >= 0,
                          .list = ws_seqlist_of(&worker->seqs, task->item, task->n),
                          .score = task->score, .hint = task->hint};
    ws_pending *q = ws_buf_scratch(worker->scratch, task->n * (sizeof *q + WS_DECIDE_ROOM), err);
    if (!q) return err->code;
    uint64_t passed = 0;
    const size_t n = ws_decide_screen(&d, &passed, q);
    int rc = WS_OK;
    take_from_rows(&g, &d, q, n);
    ws_decide_null_scores(&d, q, n, q + task->n);
    for (size_t j = 0, i = 0; j < (d.everything ? task->n : n) && !rc; j++) { /* in the order of the task */
        if (i < n && (!d.everything || q[i].place == j)) {
            rc = decide_pair(&g, &d, &q[i], hits, err);
            i++;
        } else if (d.everything && b->len[ws_task_item(task, j)] == 0) {
            rc = add_hit(&g, j, 0, -INFINITY, 0, 1, hits, err);
        }
    }
    return rc;
}
