/* SPDX-License-Identifier: MIT
 * The decision of hmmsearch's pipeline for each (model, sequence) pair of a task. Source: specification
 * profile-filters.md, section 12.2. */
#include "bin/filters/cutoffs.h"
#include "kernels/filter/backend.h"

#include "lib/hmm/evalue.h"
#include "lib/hmm/fscore.h"

#include <math.h>
#include <string.h>

typedef struct deciding { /* the constants of one task */
    const ws_job *job;
    const ws_cascade *c;
    const ws_hmm_target *model;
    const ws_batch *b;
    const ws_seqs *seqs;
    const ws_lenmodel *lm; /* of each sequence */
    int everything; /* rejected pairs need values too */
    int with_bias;
    int gated;      /* the caller ignores pairs that the model's gate rejects */
    int msv_column; /* column of msv_bits in the input table, or -1 */
    int bias_column; /* of bias_bits */
    uint64_t passed[2]; /* pairs whose uncorrected score passes; pairs that pass */
} deciding;

static double p_of(const deciding *g, int mu, int lambda, int tail, float bits) {
    return ws_cutoffs_p(g->model->hmm, mu, lambda, tail, bits);
}

static double stage_p(const deciding *g, float bits) {
    return p_of(g, g->c->stage->mu, g->c->stage->lambda, g->c->stage->tail, bits);
}

static int enough_bits(const deciding *g, float bits) { return ws_cutoffs_bits_pass(g->c, bits); }
static int enough_p(const deciding *g, double p) { return ws_cutoffs_p_passes(g->c, p); }

/* Returns the exact MSV score, in nats, of a printed msv_bits. xJ - tjb is a whole number of third-bits, and the
 * print is accurate to 1e-4 bits, so rounding recovers it. Source: sections 6 (S5) and 11. */
static float msv_nats(double bits, const ws_lenmodel *lm) {
    double third_bits = (bits * WS_LN2 + lm->null_nats + 3.0) * WS_BYTE_SCALE;
    return ws_bytes_nats((int)lround(third_bits) + WS_BYTE_BASE, 0);
}

/* Returns 1 if hmmsearch would skip the Viterbi filter for sequence j: its bias-corrected MSV P is at or below the
 * threshold. null2: null score in nats. */
static int skips_viterbi(const deciding *g, const uint32_t *row, size_t j, const ws_lenmodel *lm, float null2) {
    if (g->msv_column < 0 || !row) return 0;
    const double printed = ws_row_number(g->b, &g->b->row[row[j]], g->msv_column);
    if (isnan(printed)) return 0;
    float bits = isinf(printed) ? (float)printed : ws_bits(msv_nats(printed, lm), null2);
    return enough_p(g, p_of(g, WS_MMU, WS_MLAMBDA, 0, bits));
}

static int add_hit(const deciding *g, const ws_task *task, const uint32_t *row, size_t j, int pass, float bits, float bias_bits,
                   double p, ws_hits *hits, ws_err *err) {
    const ws_cascade *c = g->c;
    ws_hit *h = ws_hits_add(hits, err);
    if (!h) return WS_ENOMEM;
    h->seq = (uint32_t)ws_task_item(task, j);
    h->row = row ? row[j] : UINT32_MAX;
    h->target = task->target;
    h->pass = pass || ws_scan_of(g->job)->all;
    h->value[c->col_bits] = bits;
    h->value[c->col_p] = p;
    if (c->col_bias >= 0) h->value[c->col_bias] = bias_bits;
    if (c->col_sat >= 0) h->value[c->col_sat] = isinf(bits) && bits > 0;
    if (c->col_evalue >= 0) h->value[c->col_evalue] = c->opts->z_given ? p * c->opts->z : NAN;
    return WS_OK;
}

/* Returns the length model of sequence j of the task. */
static const ws_lenmodel *lenmodel_of(const deciding *g, const ws_task *task, size_t j) {
    return &g->lm[ws_task_item(task, j)];
}

/* A pair that may still pass once its score against the null model is known. */
typedef struct pending {
    uint32_t place; /* index in the task */
    int pass;       /* passes all tests so far */
} pending;

static int may_skip(const deciding *g) { return g->c->stage->may_skip && !g->c->opts->no_skip; }

/* Applies the tests that need no bias to sequence j. Returns 1 and fills *out if the pair may still pass or needs
 * values. */
static int screen_pair(deciding *g, const ws_task *task, size_t j, pending *out) {
    const ws_fscore *score = (const ws_fscore *)task->score + j;
    const ws_lenmodel *lm = lenmodel_of(g, task, j);
    if (g->gated && score->status != WS_F_OPEN && ws_gate_fails(&g->model->gate, score->nats - lm->null_nats, lm->L)) return 0;
    float bits = ws_bits(score->nats, lm->null_nats);
    int pass = enough_bits(g, bits);
    if (pass && (g->c->stage->uncorrected_first || !g->with_bias)) pass = enough_p(g, stage_p(g, bits));
    if (score->status == WS_F_OPEN) pass = 1;
    g->passed[0] += pass != 0;
    *out = (pending){(uint32_t)j, pass};
    return pass || g->everything || (may_skip(g) && !g->with_bias);
}

static int decide_pair(deciding *g, const ws_task *task, const uint32_t *row, const pending *q, float null2, ws_hits *hits,
                       ws_err *err) {
    const size_t j = q->place;
    const ws_fscore *score = (const ws_fscore *)task->score + j;
    const ws_lenmodel *lm = lenmodel_of(g, task, j);
    float bits = ws_bits(score->nats, lm->null_nats);
    double p = stage_p(g, ws_bits(score->nats, null2));
    int pass = q->pass;
    if (g->with_bias && pass) pass = enough_p(g, p);
    if (!pass && may_skip(g)) pass = enough_bits(g, bits) && skips_viterbi(g, row, j, lm, null2);
    g->passed[1] += pass != 0;
    if (!pass && !g->everything) return WS_OK;
    return add_hit(g, task, row, j, pass, bits, ws_bits(null2, lm->null_nats), p, hits, err);
}

/* Returns the null score, corrected for bias, of a pair whose row has the bias as an earlier stage computed it; NaN if it has not. The
 * bias filter would take a sixth of vitfilt's processor time. */
static float null_score_of_row(const deciding *g, const ws_row *row, const ws_lenmodel *lm) {
    const float bits = ws_row_exact(g->b, row, g->bias_column);
    return isnan(bits) ? NAN : ws_bits_undo(bits, lm->null_nats);
}

/* Asks for the rows of pairs behind pair i, and for the bias of nearer ones. Rows of one model lie apart in memory, so without this the
 * waits for them would take a fifteenth of vitfilt's processor time. */
static void fetch_ahead(const deciding *g, const uint32_t *row, const pending *q, size_t n, size_t i) {
    enum { ROWS = 16, CELLS = 8 };
    if (i + ROWS < n) __builtin_prefetch(&g->b->row[row[q[i + ROWS].place]]);
    if (i + CELLS < n) ws_row_fetch(g->b, &g->b->row[row[q[i + CELLS].place]], g->bias_column);
}

/* Sets null2[j], the null score in nats that is subtracted, for the n items of the task that q names. room: for
 * ws_filter_bias. */
static void set_null_scores(const deciding *g, const ws_task *task, const uint32_t *row, const pending *q, size_t n,
                            void *room,
                            float *null2) {
    const ws_seqlist list = ws_seqlist_of(g->seqs, task->item, task->n);
    memset(null2, 0, task->n * sizeof *null2);
    for (size_t i = 0; i < n; i++) {
        const size_t j = q[i].place;
        const ws_lenmodel *lm = lenmodel_of(g, task, j);
        if (g->with_bias && g->bias_column >= 0) fetch_ahead(g, row, q, n, i);
        null2[j] = !g->with_bias            ? lm->null_nats
                   : g->bias_column >= 0 ? null_score_of_row(g, &g->b->row[row[j]], lm)
                                         : NAN;
    }
    if (g->with_bias) ws_filter_bias(&g->model->bias, &g->job->machine.cpu, &list, task->hint, room, null2);
}

static void count(const deciding *g, uint32_t model) {
    const ws_stage *s = g->c->stage;
    if (!g->c->tally || s->passed == WS_PAST_NOTHING) return;
    g->c->tally->count[model][s->passed] += g->passed[1];
    if (s->uncorrected_first) g->c->tally->count[model][WS_PAST_MSV] += g->passed[0];
}

int ws_cascade_decide(const ws_job *job, const ws_batch *b, const ws_task *task, const uint32_t *row,
                      const ws_scan_worker *worker, ws_hits *hits, ws_err *err) {
    const ws_cascade *c = job->data;
    const ws_scan *scan = ws_scan_of(job);
    if (c->windows) return ws_cascade_decide_windows(job, task, row, worker, hits, err);
    deciding g = {.job = job,
                 .c = c,
                 .model = job->target[task->target].data,
                 .b = b,
                 .seqs = &worker->seqs,
                 .lm = worker->value,
                 .everything = scan->all || scan->keep_rejected,
                 .with_bias = c->stage->bias && !c->opts->nobias,
                 .msv_column = b->has_rows ? ws_head_find(scan->head, "msv_bits") : -1,
                 .bias_column = b->has_rows ? ws_head_find(scan->head, "bias_bits") : -1};
    g.gated = !g.everything && !(may_skip(&g) && g.msv_column >= 0);
    pending *q = ws_buf_scratch(worker->scratch, task->n * (sizeof *q + sizeof(float) + WS_FILTER_BIAS_ROOM), err);
    if (!q) return err->code;
    float *null2 = (float *)(void *)(q + task->n);
    size_t n = 0;
    int rc = WS_OK;
    for (size_t j = 0; j < task->n; j++)
        n += b->len[ws_task_item(task, j)] > 0 && screen_pair(&g, task, j, &q[n]);
    set_null_scores(&g, task, row, q, n, null2 + task->n, null2);
    for (size_t j = 0, i = 0; j < (g.everything ? task->n : n) && !rc; j++) { /* in the order of the task */
        if (i < n && (!g.everything || q[i].place == j)) {
            rc = decide_pair(&g, task, row, &q[i], null2[q[i].place], hits, err);
            i++;
        } else if (g.everything && b->len[ws_task_item(task, j)] == 0) {
            rc = add_hit(&g, task, row, j, 0, -INFINITY, 0, 1, hits, err);
        }
    }
    if (!rc) count(&g, task->target);
    return rc;
}
