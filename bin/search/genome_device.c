/* SPDX-License-Identifier: MIT
 * Windows of a group of models scored by the filters of a device, each filter in one call for all windows: MSV with the bias, the Viterbi
 * scan, and Forward of sub-windows. The tests themselves are the CPU's. */
#include "bin/domains/genome.h"

#include <math.h>

/* Windows as backends take them. */
typedef struct request {
    const ws_genome_search *s;
    const ws_genome_subs *windows;
    const ws_backend *by;
    ws_seqs seqs;       /* the windows, by the arrays below; the codes are those of the list */
    uint32_t *word, *len;
    uint64_t *first;
    ws_lenmodel *lm;
    ws_buf scratch;
    ws_task *task;      /* [models] */
    uint32_t *item;     /* [windows] those of the first task, then of the second one ... */
    ws_fscore *score;   /* [windows] of the items; of the scan, ws_vit_points in their place */
    float *hint;        /* [windows] of the items, where the backend gives some */
    size_t ntask;
} request;
_Static_assert(sizeof(ws_fscore) == sizeof(ws_vit_points), "both are what a backend for devices writes for an item");

static const ws_genome_model *model_of(const request *r, uint32_t target) { return &((const ws_genome *)r->s->job->own)->model[target]; }

/* Packs the windows. Those with keep[j] = 0 keep their place without it; keep may be NULL. */
static int make_seqs(request *r, const uint8_t *keep, ws_err *err) {
    const ws_genome_subs *w = r->windows;
    const size_t nword = w->codes.n / WS_RESIDUES_PER_WORD;
    r->word = ws_alloc(nword * sizeof *r->word + WS_ALIGN, err); /* codecs write whole registers */
    r->first = r->word ? ws_calloc(w->n, sizeof *r->first, err) : NULL;
    r->len = r->first ? ws_calloc(w->n, sizeof *r->len, err) : NULL;
    r->lm = r->len ? ws_calloc(w->n, sizeof *r->lm, err) : NULL;
    if (!r->lm) return err->code;
    for (size_t j = 0; j < w->n; j++) {
        const ws_genome_sub *s = &w->at[j];
        r->first[j] = s->at / WS_RESIDUES_PER_WORD;
        r->len[j] = s->len;
        if (!keep || keep[j]) r->s->cut.codec->pack((const uint8_t *)w->codes.p + s->at, s->len, r->word + r->first[j]);
        ws_lenmodel_set(&r->lm[j], s->len);
    }
    r->seqs = (ws_seqs){(const uint8_t *)w->codes.p, r->word, nword, r->first, r->len, w->n, r->lm, ws_dev_identity()};
    return WS_OK;
}

static int allocate(request *r, size_t nmodel, ws_err *err) {
    const size_t n = r->windows->n;
    r->task = ws_calloc(nmodel, sizeof *r->task, err);
    r->item = r->task ? ws_calloc(n, sizeof *r->item, err) : NULL;
    r->score = r->item ? ws_calloc(n, sizeof *r->score, err) : NULL;
    if (r->score && r->by->hints) r->hint = ws_calloc(n, sizeof *r->hint, err);
    return r->score && (r->hint || !r->by->hints) ? WS_OK : err->code;
}

/* A task for each model that has windows which count. */
static void make_tasks(request *r, void *const *prep, size_t from, size_t to, const uint8_t *keep) {
    const ws_genome_subs *w = r->windows;
    for (size_t t = from, n = 0; t < to; t++) {
        ws_task *task = &r->task[r->ntask];
        *task = (ws_task){.target = (uint32_t)t, .prep = prep[t - from], .item = r->item + n, .score = r->score + n,
                          .hint = r->hint ? r->hint + n : NULL};
        for (size_t j = 0; j < w->n; j++)
            if (w->at[j].target == t && (!keep || keep[j])) r->item[n + task->n++] = (uint32_t)j;
        n += task->n;
        r->ntask += task->n > 0;
    }
}

static int score(request *r, ws_err *err) {
    return r->ntask ? r->by->score(&r->seqs, r->task, r->ntask, &r->scratch, err) : WS_OK;
}

static void release(request *r) {
    ws_free(r->word);
    ws_free(r->first);
    ws_free(r->len);
    ws_free(r->lm);
    ws_buf_release(&r->scratch);
    ws_free(r->task);
    ws_free(r->item);
    ws_free(r->score);
    ws_free(r->hint);
}

/* Sets bias[j] to the bias score of items j of a task: those with ask[j], or all if ask is NULL. The device may have computed the sum. */
static int bias_of(const request *r, const ws_task *t, const uint8_t *ask, float *bias, ws_err *err) {
    uint32_t *item = ws_calloc(t->n, 2 * sizeof *item, err), *place = item ? item + t->n : NULL;
    float *some = item ? ws_calloc(t->n, sizeof *some, err) : NULL;
    size_t n = 0;
    for (size_t j = 0; some && j < t->n; j++) {
        if (ask && !ask[j]) continue;
        if (t->hint && !isnan(t->hint[j])) {
            bias[j] = ws_bias_finish(t->hint[j], &r->lm[t->item[j]]);
            continue;
        }
        item[n] = t->item[j];
        place[n++] = (uint32_t)j;
    }
    const ws_seqlist list = ws_seqlist_of(&r->seqs, item, n);
    if (n) ws_bias_scores(&model_of(r, t->target)->filter.bias, &r->s->job->machine.cpu, &list, some);
    for (size_t i = 0; i < n; i++) bias[place[i]] = some[i];
    const int rc = some ? WS_OK : err->code;
    ws_free(some);
    ws_free(item);
    return rc;
}

/* Scores all windows, tests them task by task, and releases the request. prep[t - from]: model t as `by` made it. */
static int test_all(request *r, void *const *prep, size_t from, size_t to,
                    int (*test)(const request *r, const ws_task *t, uint8_t *keep, ws_err *err), uint8_t *keep, ws_err *err) {
    int rc = make_seqs(r, NULL, err);
    if (!rc) rc = allocate(r, to - from, err);
    if (!rc) make_tasks(r, prep, from, to, NULL);
    if (!rc) rc = score(r, err);
    for (size_t k = 0; k < r->ntask && !rc; k++) rc = test(r, &r->task[k], keep, err);
    release(r);
    return rc;
}

/* ---- MSV and bias ---- */

/* The test of the windows of one task. */
static int test_windows(const request *r, const ws_task *t, uint8_t *keep, ws_err *err) {
    const ws_long_model *m = &model_of(r, t->target)->model;
    const ws_fscore *of = t->score;
    float *bias = ws_calloc(t->n, sizeof *bias, err);
    uint8_t *ask = bias ? ws_calloc(t->n, 1, err) : NULL;
    ws_long_msv test;
    int rc = ask ? WS_OK : err->code;
    for (size_t j = 0; j < t->n && !rc; j++) {
        ws_long_test_msv(m, &r->lm[t->item[j]], of[j].nats, 0.0f, &test);
        ask[j] = (double)test.p <= m->options.F1;
    }
    if (!rc && !m->options.nobias) rc = bias_of(r, t, ask, bias, err);
    for (size_t j = 0; j < t->n && !rc; j++) {
        ws_genome_sub *window = &r->windows->at[t->item[j]];
        if (!ask[j]) continue;
        ws_long_test_msv(m, &r->lm[t->item[j]], of[j].nats, bias[j], &test);
        window->place.bias_nats = test.bias_nats;
        keep[t->item[j]] = (uint8_t)test.passes;
    }
    ws_free(ask);
    ws_free(bias);
    return rc;
}

int ws_genome_test_windows(const ws_genome_search *s, ws_genome_layout *const *layout, size_t from, size_t to, const ws_genome_subs *w,
                           uint8_t *keep, ws_err *err) {
    void *prep[WS_GENOME_GROUP];
    request r = {.s = s, .windows = w, .by = layout[0]->by->msv};
    for (size_t t = from; t < to; t++) prep[t - from] = layout[t - from]->msv;
    return test_all(&r, prep, from, to, test_windows, keep, err);
}

/* ---- the Viterbi scan ---- */

int ws_genome_find_points(const ws_genome_search *s, ws_genome_layout *const *layout, size_t from, size_t to, const ws_genome_subs *w,
                          const uint8_t *keep, ws_vit_points *points, ws_err *err) {
    void *prep[WS_GENOME_GROUP];
    request r = {.s = s, .windows = w, .by = layout[0]->by->points};
    for (size_t t = from; t < to; t++) prep[t - from] = layout[t - from]->points;
    int rc = make_seqs(&r, keep, err);
    if (!rc) rc = allocate(&r, to - from, err);
    for (size_t j = 0; j < w->n && !rc; j++) {
        const ws_genome_sub *window = &w->at[j];
        ws_long_vit v;
        if (!keep[j]) continue;
        ws_long_vit_set(&model_of(&r, window->target)->model, &r.lm[j], window->place.bias_nats, &v);
        ws_vit_window_set(&r.lm[j], v.wmove, v.threshold);
    }
    if (!rc) make_tasks(&r, prep, from, to, keep);
    if (!rc) rc = score(&r, err);
    for (size_t k = 0; k < r.ntask && !rc; k++)
        for (size_t j = 0; j < r.task[k].n; j++) points[r.task[k].item[j]] = ((const ws_vit_points *)r.task[k].score)[j];
    release(&r);
    return rc;
}

/* ---- Forward ---- */

/* The test of the sub-windows of one task. */
static int test_subs(const request *r, const ws_task *t, uint8_t *keep, ws_err *err) {
    const ws_long_model *m = &model_of(r, t->target)->model;
    const ws_fscore *of = t->score;
    float *bias = ws_calloc(t->n, sizeof *bias, err);
    int rc = bias ? bias_of(r, t, NULL, bias, err) : err->code;
    for (size_t j = 0; j < t->n && !rc; j++) {
        ws_long_fwd test;
        ws_long_test_fwd(m, &r->lm[t->item[j]], of[j].nats, bias[j], &test);
        keep[t->item[j]] = (uint8_t)test.passes;
    }
    ws_free(bias);
    return rc;
}

int ws_genome_test_subs(const ws_genome_search *s, ws_genome_layout *const *layout, size_t from, size_t to, const ws_genome_subs *subs,
                        uint8_t *keep, ws_err *err) {
    void *prep[WS_GENOME_GROUP];
    request r = {.s = s, .windows = subs, .by = layout[0]->by->forward};
    for (size_t t = from; t < to; t++) prep[t - from] = layout[t - from]->forward;
    return test_all(&r, prep, from, to, test_subs, keep, err);
}
