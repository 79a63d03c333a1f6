/* SPDX-License-Identifier: MIT
 * The decision of hmmsearch's pipeline on one (model, sequence) pair after another: specification, section 12.2. */
#include "lib/cascade/pass.h"

#include "lib/cascade/ungapped.h"
#include "lib/hmm/evalue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct judging { /* one task's constants */
    const ws_job *job;
    const ws_cascade *c;
    const ws_hmm_target *model;
    const ws_batch *b;
    const ws_lane *lane;
    int everything; /* values are wanted for pairs that fail too */
    int with_bias;
    int gated;      /* what the model's gate turns away is of no interest */
    int msv_column; /* of the table that is read, or -1 */
} judging;

static double p_of(const judging *g, int mu, int lambda, int tail, float bits) { return ws_pass_p(g->model->hmm, mu, lambda, tail, bits); }

static double stage_p(const judging *g, float bits) {
    return p_of(g, g->c->stage->mu, g->c->stage->lambda, g->c->stage->tail, bits);
}

static int enough_bits(const judging *g, float bits) { return ws_pass_bits(g->c, g->model->hmm, bits); }
static int enough_p(const judging *g, double p) { return ws_pass_enough(g->c, p); }

/* The MSV score behind a printed msv_bits, exact: with xJ - tjb it is a whole number of third-bits, and the print is good
 * to 1e-4 bits. Sections 6 (S5), 11. */
static float msv_nats(double bits, const ws_lenmodel *lm) {
    double third_bits = (bits * 0.69314718055994529 + lm->null_nats + 3.0) * WS_BYTE_SCALE;
    return ws_ungapped_nats((int)lround(third_bits) + WS_BYTE_BASE, 0);
}

/* hmmsearch does not ask the Viterbi filter about targets whose bias-corrected MSV P is at or below its threshold. */
static int skips(const judging *g, const uint32_t *row, size_t j, const ws_lenmodel *lm, float null2) {
    if (g->msv_column < 0 || !row) return 0;
    char text[32] = "";
    ws_slice s = ws_row_field(g->b, &g->b->row[row[j]], g->msv_column);
    if (s.n == 0 || s.n >= sizeof text) return 0;
    memcpy(text, ws_batch_text(g->b, s), s.n);
    char *end;
    double printed = strtod(text, &end);
    if (*end || isnan(printed)) return 0;
    float bits = isinf(printed) ? (float)printed : ws_bits(msv_nats(printed, lm), null2);
    return enough_p(g, p_of(g, WS_MMU, WS_MLAMBDA, 0, bits));
}

static int add_hit(const judging *g, const ws_task *task, const uint32_t *row, size_t j, int pass, float bits, float bias_bits,
                   double p, ws_hits *hits, ws_err *err) {
    const ws_cascade *c = g->c;
    ws_hit *h = ws_hits_add(hits, err);
    if (!h) return WS_ENOMEM;
    h->seq = (uint32_t)ws_task_item(task, j);
    h->row = row ? row[j] : UINT32_MAX;
    h->target = task->target;
    h->pass = pass || g->job->common.all;
    h->value[c->col_bits] = bits;
    h->value[c->col_p] = p;
    if (c->col_bias >= 0) h->value[c->col_bias] = bias_bits;
    if (c->col_evalue >= 0) h->value[c->col_evalue] = c->opts->z_given ? p * c->opts->z : NAN;
    return WS_OK;
}

/* The sequence of place j and its length model. */
static const ws_lenmodel *lenmodel_of(const judging *g, const ws_task *task, size_t j) {
    return (const ws_lenmodel *)(const void *)g->lane->perseq.p + ws_task_item(task, j);
}

/* A pair that is still in question once its score against the null model is known. */
typedef struct pending {
    uint32_t place; /* of the task */
    int pass;       /* so far */
} pending;

static int may_skip(const judging *g) { return g->c->stage->may_skip && !g->c->opts->no_skip; }

/* What can be said without the bias: 1 if place j stays in question. */
static int first_look(const judging *g, const ws_task *task, size_t j, pending *out) {
    const ws_fscore *score = (const ws_fscore *)task->score + j;
    const ws_lenmodel *lm = lenmodel_of(g, task, j);
    if (g->gated && score->status != WS_F_OPEN && ws_gate_fails(&g->model->gate, score->nats - lm->null_nats, lm->L)) return 0;
    float bits = ws_bits(score->nats, lm->null_nats);
    int pass = enough_bits(g, bits);
    if (pass && (g->c->stage->uncorrected_first || !g->with_bias)) pass = enough_p(g, stage_p(g, bits));
    if (score->status == WS_F_OPEN) pass = 1;
    *out = (pending){(uint32_t)j, pass};
    return pass || g->everything || (may_skip(g) && !g->with_bias);
}

static int second_look(const judging *g, const ws_task *task, const uint32_t *row, const pending *q, float null2, ws_hits *hits,
                       ws_err *err) {
    const size_t j = q->place;
    const ws_fscore *score = (const ws_fscore *)task->score + j;
    const ws_lenmodel *lm = lenmodel_of(g, task, j);
    float bits = ws_bits(score->nats, lm->null_nats);
    double p = stage_p(g, ws_bits(score->nats, null2));
    int pass = q->pass;
    if (g->with_bias && pass) pass = enough_p(g, p);
    if (!pass && may_skip(g)) pass = enough_bits(g, bits) && skips(g, row, j, lm, null2);
    if (!pass && !g->everything) return WS_OK;
    return add_hit(g, task, row, j, pass, bits, ws_bits(null2, lm->null_nats), p, hits, err);
}

/* The null scores of the n pairs in question that are to be taken off, in nats. Of those that the backend gave a hint for
 * only the end of the bias filter is left to do; the others together, because the bias of many sequences at once costs a tenth
 * of what it costs one by one. item, place and score have room for n each. */
static void take_bias(const judging *g, const ws_task *task, const pending *q, size_t n, uint32_t *item, uint32_t *place, float *score,
                      float *null2) {
    size_t rest = 0;
    for (size_t i = 0; i < n; i++) {
        const ws_lenmodel *lm = lenmodel_of(g, task, q[i].place);
        const float hint = task->hint ? task->hint[q[i].place] : NAN;
        if (!g->with_bias) {
            null2[i] = lm->null_nats;
        } else if (!isnan(hint)) {
            null2[i] = ws_bias_finish(hint, lm);
        } else {
            item[rest] = (uint32_t)ws_task_item(task, q[i].place);
            place[rest++] = (uint32_t)i;
        }
    }
    const ws_seqs list = {(const uint8_t *)g->lane->codes.p, g->b->first, g->b->len,
                          (const ws_lenmodel *)(const void *)g->lane->perseq.p, item, rest};
    if (rest) ws_bias_scores(&g->model->bias, &g->job->machine.cpu, &list, score);
    for (size_t i = 0; i < rest; i++) null2[place[i]] = score[i];
}

int ws_cascade_judge(const ws_job *job, const ws_batch *b, const ws_task *task, const uint32_t *row, ws_lane *lane,
                     ws_hits *hits, ws_err *err) {
    const ws_cascade *c = job->data;
    judging g = {.job = job,
                 .c = c,
                 .model = job->target[task->target].data,
                 .b = b,
                 .lane = lane,
                 .everything = job->common.all || job->keep_rejected,
                 .with_bias = c->stage->bias && !c->opts->nobias,
                 .msv_column = b->has_rows ? ws_head_find(job->head, "msv_bits") : -1};
    g.gated = !g.everything && !(may_skip(&g) && g.msv_column >= 0);
    pending *q = ws_lane_scratch(lane, task->n * (sizeof *q + 2 * sizeof(uint32_t) + 2 * sizeof(float)), err);
    if (!q) return err->code;
    uint32_t *item = (uint32_t *)(void *)(q + task->n);
    float *null2 = (float *)(void *)(item + 2 * task->n);
    size_t n = 0;
    int rc = WS_OK;
    for (size_t j = 0; j < task->n; j++)
        n += b->len[ws_task_item(task, j)] > 0 && first_look(&g, task, j, &q[n]);
    take_bias(&g, task, q, n, item, item + task->n, null2 + task->n, null2);
    for (size_t j = 0, i = 0; j < (g.everything ? task->n : n) && !rc; j++) { /* in the order of the task */
        if (i < n && (!g.everything || q[i].place == j)) {
            rc = second_look(&g, task, row, &q[i], null2[i], hits, err);
            i++;
        } else if (g.everything && b->len[ws_task_item(task, j)] == 0) {
            rc = add_hit(&g, task, row, j, 0, -INFINITY, 0, 1, hits, err);
        }
    }
    return rc;
}
