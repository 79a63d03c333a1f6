/* SPDX-License-Identifier: MIT
 * Windows scored by the filters of a device, each filter in one call for all windows: MSV with the bias, the Viterbi
 * scan, and Forward of sub-windows. The CPU makes the tests of the scores, and scans what a device leaves to it. */
#include "kernels/long/point.h"
#include "kernels/long/search.h"
#include "kernels/vit/points.h"
#include "lib/base/parallel_for.h"

#include <string.h>

/* A list of windows as backends take it. */
typedef struct request {
    ws_long_list *l;
    ws_seqs seqs;   /* the words are `word` */
    uint32_t *word;
    ws_lenmodel *lm; /* those of the Viterbi scan; NULL: those of the list */
    ws_task *task;  /* [models] one for each that has windows; item: in l->item */
    size_t ntask;
    ws_fscore *score; /* [windows], in the order of l->item; of the scan ws_vit_points */
    float *hint;      /* the same */
} request;
_Static_assert(sizeof(ws_fscore) == sizeof(ws_vit_points), "both are what a backend for devices writes for an item");

static void release(request *r) {
    ws_free(r->word);
    ws_free(r->lm);
    ws_free(r->task);
    ws_free(r->score);
    ws_free(r->hint);
}

/* Packs the windows, and makes a task of those of each model. */
static int prepare(request *r, ws_long_list *l, const ws_codec *codec, ws_err *err) {
    const size_t nword = l->codes.n / WS_RESIDUES_PER_WORD;
    size_t models = 0;
    for (size_t i = 0; i < l->n; i += ws_long_list_run(l, i)) models++;
    *r = (request){.l = l, .word = ws_alloc(nword * sizeof *r->word + WS_ALIGN, err)}; /* codecs write whole registers
    * */
    r->task = r->word ? ws_calloc(models, sizeof *r->task, err) : NULL;
    r->score = r->task ? ws_calloc(l->n, sizeof *r->score, err) : NULL;
    r->hint = r->score ? ws_calloc(l->n, sizeof *r->hint, err) : NULL;
    if (!r->hint) return err->code;
    for (size_t j = 0; j < l->n; j++) codec->pack(ws_long_list_codes(l, j), l->len[j], r->word + l->first[j]);
    r->seqs = (ws_seqs){(const uint8_t *)l->codes.p, r->word, nword, l->first, l->len, l->n, l->lm, 0};
    for (size_t i = 0, n; i < l->n; i += n) {
        n = ws_long_list_run(l, i);
        r->task[r->ntask++] = (ws_task){.target = l->at[l->item[i]].target, .item = l->item + i, .n = n,
                                        .score = r->score + i,
                                        .hint = r->hint + i};
    }
    return WS_OK;
}

static uint32_t *items_of(const request *r, const ws_task *t) { return r->l->item + (t->item - r->l->item); }

/* Scores the tasks that have windows. The backend's forms of the models are at prep in each ws_long_target. */
static int score(request *r, const ws_backend *by, const ws_long_target *target, size_t prep, ws_buf *scratch,
                 ws_err *err) {
    size_t n = 0;
    for (size_t k = 0; k < r->ntask; k++) {
        ws_task t = r->task[k];
        if (t.n == 0) continue;
        t.prep = *(void *const *)(const void *)((const char *)&target[t.target] + prep);
        if (!by->hints) t.hint = NULL;
        r->task[n++] = t;
    }
    r->ntask = n;
    r->seqs.identity = ws_dev_identity();
    return n ? by->score(&r->seqs, r->task, n, scratch, err) : WS_OK;
}

/* The Viterbi scan reads the thresholds of windows in their length models. */
static int set_thresholds(request *r, const ws_long_target *target, ws_err *err) {
    ws_long_list *l = r->l;
    r->seqs.perseq = r->lm = ws_calloc(l->n, sizeof *r->lm, err);
    if (!r->lm) return err->code;
    for (size_t k = 0; k < r->ntask; k++)
        for (size_t j = 0; j < r->task[k].n; j++) {
            const uint32_t at = r->task[k].item[j];
            ws_long_vit v;
            ws_long_vit_set(&target[r->task[k].target].model, &l->lm[at], l->at[at].bias_nats, &v);
            r->lm[at] = l->lm[at];
            ws_vit_window_set(&r->lm[at], v.wmove, v.threshold);
        }
    return WS_OK;
}

/* Windows of one model that the device left to the CPU, which a thread scans, and what it finds. */
typedef struct scan {
    const ws_long_target *target;
    const uint32_t *item;
    size_t n;
    ws_long_list found;
    ws_buf scratch;
} scan;

typedef struct scans {
    const ws_long_list *windows;
    scan *at;
    size_t n, cap;
} scans;

static int scan_one(void *ctx, size_t k, ws_err *err) {
    const scans *all = ctx;
    scan *c = &all->at[k];
    return ws_long_find_subwindows(c->target, all->windows, c->item, c->n, &c->found, &c->scratch, err);
}

/* Scans all windows on so many threads, and appends the sub-windows. */
static int scan_all(scans *all, int threads, ws_long_list *subwindows, ws_err *err) {
    int rc = ws_parallel_for(all->n, threads, scan_one, all, err);
    for (size_t k = 0; k < all->n && !rc; k++) rc = ws_long_list_append(subwindows, &all->at[k].found, err);
    return rc;
}

static void release_scans(scans *all) {
    for (size_t k = 0; k < all->n; k++) {
        ws_long_list_release(&all->at[k].found);
        ws_buf_release(&all->at[k].scratch);
    }
    ws_free(all->at);
}

/* Appends the windows item[0..n) of a model, a few to each thread. */
static int add_scans(scans *all, const ws_long_target *t, const uint32_t *item, size_t n, ws_err *err) {
    enum { WINDOWS = 8 };
    for (size_t from = 0; from < n; from += WINDOWS) {
        const int rc = ws_grow(&all->at, &all->cap, all->n + 1, sizeof *all->at, err);
        if (rc) return rc;
        all->at[all->n++] = (scan){.target = t, .item = item + from, .n = ws_min(WINDOWS, n - from)};
    }
    return WS_OK;
}

int ws_long_point_seeds(ws_long_seeds *seeds, const ws_vit_point *p, uint32_t n, int M, ws_err *err) {
    size_t row = seeds->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        const int rc = ws_long_point_add(seeds, ws_vit_point_row(p[i]), ws_vit_point_node(p[i]), err);
        if (rc) return rc;
        if (i + 1 < n && ws_vit_point_row(p[i + 1]) == ws_vit_point_row(p[i])) continue;
        ws_long_point_sort(seeds, row, M);
        row = seeds->n;
    }
    return WS_OK;
}

/* Appends the sub-windows of a task's windows by the points that the device found, which are in `list`; windows that
 * it does not know are left to be scanned. */
static int add_subwindows(const request *r, const ws_task *task, const ws_long_target *t, const ws_vit_point *list,
                          scans *unknown, ws_long_list *subwindows, ws_err *err) {
    const ws_vit_points *points = task->score;
    uint32_t *item = items_of(r, task);
    ws_long_seeds seeds = {0};
    size_t n = 0;
    int rc = WS_OK;
    for (size_t j = 0; j < task->n && !rc; j++) {
        const ws_vit_points p = points[j];
        if (p.n == WS_VIT_UNKNOWN) item[n++] = item[j];
        if (p.n == WS_VIT_UNKNOWN || p.n == 0) continue;
        rc = ws_long_point_seeds(&seeds, list + p.first, p.n, t->model.M, err);
        if (!rc) rc = ws_long_add_subwindows(t, r->l, item[j], &seeds, subwindows, err);
    }
    ws_free(seeds.at);
    return rc ? rc : add_scans(unknown, t, item, n, err);
}

/* From windows to the worker's sub-windows. */
static int find_subwindows(request *r, const ws_long_target *target, const ws_cpu *cpu, int threads, ws_long_worker *w,
                           ws_err *err) {
    const ws_long_filters *by = target[r->task->target].by;
    scans unknown = {.windows = r->l};
    int rc = score(r, by->msv, target, offsetof(ws_long_target, dev_msv), &w->scratch, err);
    for (size_t k = 0; k < r->ntask && !rc; k++) {
        ws_task *t = &r->task[k];
        rc = ws_long_judge_windows(&target[t->target], cpu, r->l, items_of(r, t), &t->n, t->score, t->hint, w, err);
    }
    if (!rc) rc = set_thresholds(r, target, err);
    if (!rc) rc = score(r, by->points, target, offsetof(ws_long_target, dev_points), &w->scratch, err);
    for (size_t k = 0; k < r->ntask && !rc; k++)
        rc = add_subwindows(r, &r->task[k], &target[r->task[k].target], ws_vit_points_list(&w->scratch), &unknown,
                            &w->subwindows, err);
    if (!rc) rc = scan_all(&unknown, threads, &w->subwindows, err);
    release_scans(&unknown);
    return rc;
}

/* Keeps the sub-windows of a task that pass. The CPU looks at those of a model that changes once more. */
static int judge_subwindows(const request *r, ws_task *task, const ws_long_target *t, const ws_cpu *cpu,
                            ws_long_worker *w, ws_err *err) {
    uint32_t *item = items_of(r, task), *all = t->changes ? ws_alloc(task->n * sizeof *all, err) : NULL;
    const size_t n = task->n;
    if (t->changes && !all) return err->code;
    if (all) memcpy(all, item, n * sizeof *all);
    int rc = ws_long_judge_subwindows(t, cpu, r->l, item, &task->n, task->score, task->hint, w, err);
    if (!rc && all) rc = ws_long_look_back(t, cpu, r->l, all, n, item, &task->n, w, err);
    if (!rc && !t->changes && ws_long_by_block(&w->past)) ws_long_mark_behind(r->l, item, task->n);
    ws_free(all);
    return rc;
}

static int test_subwindows(request *r, const ws_long_target *target, const ws_cpu *cpu, ws_long_worker *w,
                           ws_long_list *subwindows, ws_err *err) {
    const ws_long_filters *by = target[r->task->target].by;
    int rc = score(r, by->forward, target, offsetof(ws_long_target, dev_forward), &w->scratch, err);
    for (size_t k = 0; k < r->ntask && !rc; k++) {
        ws_task *t = &r->task[k];
        rc = judge_subwindows(r, t, &target[t->target], cpu, w, err);
        if (!rc) rc = ws_long_list_pick(subwindows, r->l, t->item, t->n, err);
    }
    return rc;
}

int ws_long_sieve_on_device(const ws_long_target *target, const ws_cpu *cpu, const ws_codec *codec,
                            int threads, ws_long_list *windows, ws_long_worker *w, ws_long_list *subwindows,
                            ws_err *err) {
    const size_t before = subwindows->n;
    request r = {0};
    if (windows->n == 0) return WS_OK;
    ws_long_list_reuse(&w->subwindows);
    int rc = prepare(&r, windows, codec, err);
    if (!rc) rc = find_subwindows(&r, target, cpu, threads, w, err);
    release(&r);
    if (!rc && w->subwindows.n) {
        ws_long_list_sort(&w->subwindows, 0);
        rc = prepare(&r, &w->subwindows, codec, err);
        if (!rc) rc = test_subwindows(&r, target, cpu, w, subwindows, err);
        release(&r);
    }
    if (rc) return rc; /* nothing is counted: the CPU may do it again */
    ws_long_count_windows(&w->count, target, windows);
    ws_long_count_subwindows(&w->count, WS_LONG_PASSED_VIT, &w->subwindows, NULL, 0, w->subwindows.n);
    ws_long_count_subwindows(&w->count, WS_LONG_PASSED_FWD, subwindows, NULL, before, subwindows->n - before);
    return WS_OK;
}
