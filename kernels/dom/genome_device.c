/* SPDX-License-Identifier: MIT
 * Windows of a group of models scored by the filters of a device, in one call. A window whose Viterbi score says that no row of the scan
 * reaches the threshold has no sub-windows: up to its first point the scan does what the filter does. */
#include "kernels/dom/genome.h"
#include "lib/vit/score.h"

#include <math.h>

/* Windows as lib/run's backends take them. */
typedef struct request {
    ws_batch batch;
    ws_worker worker;    /* its codes and length models; the codes belong to the windows */
    ws_task *task;       /* [models] */
    uint32_t *item;      /* [windows] those of the first task, then of the second one ... */
    ws_fscore *score;    /* [windows] of the items */
    size_t ntask;
} request;

static const ws_lenmodel *lengths(const request *r) { return (const ws_lenmodel *)(const void *)r->worker.perseq.p; }

/* The windows as a batch. Their codes lie one behind the other, each at a whole word. scan: with the length models of the Viterbi scan,
 * whose windows count as no longer than the model's longest instance. */
static int make_batch(request *r, const ws_genome_model *model, const ws_genome_subs *w, const ws_codec *codec, int scan, ws_err *err) {
    const ws_seqtext none = {.at = 0};
    ws_lenmodel *lm = ws_buf_scratch(&r->worker.perseq, w->n * sizeof *lm, err);
    int rc = lm ? ws_batch_reserve_words(&r->batch, w->codes.n / WS_RESIDUES_PER_WORD + 1, err) : err->code;
    for (size_t j = 0; j < w->n && !rc; j++) {
        const ws_genome_sub *s = &w->at[j];
        const uint64_t first = s->at / WS_RESIDUES_PER_WORD;
        codec->pack((const uint8_t *)w->codes.p + s->at, s->len, r->batch.word + first);
        ws_lenmodel_set(&lm[j], scan ? (uint32_t)ws_min(s->len, model[s->target].model.maxl) : s->len);
        rc = ws_batch_add_seq(&r->batch, first, s->len, &none, err);
    }
    r->worker.codes = w->codes;
    r->worker.batch = &r->batch;
    return rc;
}

/* A task for each model that has windows. */
static int make_tasks(request *r, ws_genome_layout *const *layout, size_t from, size_t to, const ws_genome_subs *w, int scan,
                      ws_err *err) {
    size_t n = 0;
    r->task = ws_calloc(to - from, sizeof *r->task, err);
    r->item = r->task ? ws_calloc(w->n, sizeof *r->item, err) : NULL;
    r->score = r->item ? ws_calloc(w->n, sizeof *r->score, err) : NULL;
    if (!r->score) return err->code;
    for (size_t t = from; t < to; t++) {
        const ws_genome_layout *l = layout[t - from];
        ws_task *task = &r->task[r->ntask];
        *task = (ws_task){.target = (uint32_t)t, .prep = scan ? l->viterbi : l->forward, .item = r->item + n, .score = r->score + n};
        for (size_t j = 0; j < w->n; j++)
            if (w->at[j].target == t) r->item[n + task->n++] = (uint32_t)j;
        n += task->n;
        r->ntask += task->n > 0;
    }
    return WS_OK;
}

static int score(request *r, const ws_genome_search *s, ws_genome_layout *const *layout, size_t from, size_t to, const ws_genome_subs *w,
                 int scan, ws_err *err) {
    const ws_genome *g = s->job->own;
    const ws_backend *by = scan ? g->devices->viterbi : g->devices->forward;
    int rc = make_batch(r, g->model, w, s->cut.codec, scan, err);
    if (!rc) rc = make_tasks(r, layout, from, to, w, scan, err);
    return rc ? rc : by->score(&r->batch, r->task, r->ntask, &r->worker, err);
}

static void release(request *r) {
    ws_batch_release(&r->batch);
    ws_buf_release(&r->worker.perseq);
    ws_buf_release(&r->worker.scratch);
    ws_free(r->task);
    ws_free(r->item);
    ws_free(r->score);
}

/* Whether a row of a window may reach the threshold of the scan, by the filter's score. */
static int may_have_points(const ws_long_model *m, const ws_genome_sub *s, const ws_fscore *score) {
    ws_lenmodel lm;
    ws_long_vit v;
    ws_lenmodel_set(&lm, s->len);
    ws_long_vit_set(m, &lm, s->place.bias_nats, &v);
    const int xC = v.threshold + WS_WORD_E;
    return score->status != WS_F_OK || xC <= INT16_MIN || !(score->nats < ws_viterbi_score(xC, v.wmove).nats);
}

int ws_genome_filter_windows(const ws_genome_search *s, ws_genome_layout *const *layout, size_t from, size_t to, const ws_genome_subs *w,
                             uint8_t *keep, ws_err *err) {
    const ws_genome *g = s->job->own;
    request r = {0};
    const int rc = score(&r, s, layout, from, to, w, 1, err);
    for (size_t k = 0; k < r.ntask && !rc; k++)
        for (size_t j = 0; j < r.task[k].n; j++) {
            const ws_task *t = &r.task[k];
            keep[t->item[j]] = (uint8_t)may_have_points(&g->model[t->target].model, &w->at[t->item[j]], (const ws_fscore *)t->score + j);
        }
    release(&r);
    return rc;
}

/* The test of the sub-windows of one task. */
static int test_task(const ws_genome_search *s, const request *r, const ws_task *t, uint8_t *keep, ws_err *err) {
    const ws_genome_model *m = &((const ws_genome *)s->job->own)->model[t->target];
    const ws_seqs list = {.codes = (const uint8_t *)r->worker.codes.p, .first = r->batch.first, .len = r->batch.len, .lm = lengths(r),
                          .item = t->item, .n = t->n};
    float *bias = ws_calloc(t->n, sizeof *bias, err);
    if (!bias) return err->code;
    ws_bias_scores(&m->filter.bias, &s->job->machine.cpu, &list, bias);
    for (size_t j = 0; j < t->n; j++) {
        ws_long_fwd test;
        ws_long_test_fwd(&m->model, &lengths(r)[t->item[j]], ((const ws_fscore *)t->score)[j].nats, bias[j], &test);
        keep[t->item[j]] = (uint8_t)test.passes;
    }
    ws_free(bias);
    return WS_OK;
}

int ws_genome_test_subs(const ws_genome_search *s, ws_genome_layout *const *layout, size_t from, size_t to, const ws_genome_subs *subs,
                        uint8_t *keep, ws_err *err) {
    request r = {0};
    int rc = score(&r, s, layout, from, to, subs, 0, err);
    for (size_t k = 0; k < r.ntask && !rc; k++) rc = test_task(s, &r, &r.task[k], keep, err);
    release(&r);
    return rc;
}
