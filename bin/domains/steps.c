/* SPDX-License-Identifier: MIT
 * Spans of the domain stage: those that wait, the steps that threads of the CPU make of them, and what follows from a
 * step. See bin/domains/steps.h. */
#include "bin/domains/stage.h"

#include "bin/stages/machine.h"
#include "lib/base/mem.h"

#include <stdlib.h>

enum { NONE = UINT32_MAX };

/* ---- workers ---- */

static ws_dom_worker *take_worker(ws_dom_steps *s, ws_err *err) {
    ws_dom_worker *w = ws_freelist_take(&s->idle);
    if (!w) (void)ws_dom_worker_create(&w, s->conf.backend, &s->conf.options, err);
    return w;
}

static void destroy_worker(void *w) { ws_dom_worker_destroy(w); }

/* ---- spans that wait: under the stage's lock ---- */

static int by_length(const void *a, const void *b) {
    const ws_dom_waiting *x = *(ws_dom_waiting *const *)a, *y = *(ws_dom_waiting *const *)b;
    if (x->L != y->L) return x->L > y->L ? -1 : 1;
    return (x->item->order > y->item->order) - (x->item->order < y->item->order);
}

/* Adds a span to those of a model. */
static void push(ws_dom_stage *st, ws_dom_bucket *b, ws_dom_waiting *p) {
    if (!b->n) b->last = p;
    p->next = b->first;
    b->first = p;
    b->n++;
    b->cells += p->cells;
    st->waiting++;
    st->cells += p->cells;
}

/* Counts n spans of a model as taken. Cells are whole numbers, so nothing is left of them. */
static void count_taken(ws_dom_stage *st, ws_dom_bucket *b, uint32_t n, double cells) {
    b->n -= n;
    b->cells -= cells;
    st->waiting -= n;
    st->cells -= cells;
}

/* Takes the first span of a model. */
static ws_dom_waiting *pop(ws_dom_stage *st, ws_dom_bucket *b) {
    ws_dom_waiting *p = b->first;
    b->first = p->next;
    count_taken(st, b, 1, p->cells);
    return p;
}

/* Returns what the plan knows of a stage. */
static ws_plan_spans plan_of(const ws_dom_stage *st) {
    const ws_dom_steps_conf *c = &st->of->conf;
    return (ws_plan_spans){.m = ws_plan_machine_of(c->job, c->threads), .kind = (int)st->kind, .waiting = st->waiting,
                           .cells = st->cells, .steps = st->nsteps, .had = st->had,
                           .calls = __atomic_load_n(&st->of->calls, __ATOMIC_RELAXED),
                           .device_first = c->device_first, .eager = c->eager && c->eager(c->own)};
}

/* Adds a step, whose spans are linked. */
static void add_step(ws_dom_stage *st, ws_dom_waiting *first) {
    first->step = NULL;
    *st->end = first;
    st->end = &first->step;
    st->nsteps++;
}

/* Cuts the spans of a model into steps, longest first, as far as the plan has it. */
static void close_bucket(ws_dom_stage *st, const ws_plan_spans *plan, ws_dom_bucket *b) {
    ws_dom_waiting *list[WS_PLAN_SPANS_OF_MODEL];
    const size_t of_step = ws_plan_spans_of_step(plan);
    size_t n = 0;
    while (b->first && n < WS_PLAN_SPANS_OF_MODEL) list[n++] = pop(st, b);
    qsort(list, n, sizeof *list, by_length);
    while (n > ws_plan_spans_to_cut(plan, n)) push(st, b, list[--n]);
    for (size_t i = 0; i < n; i++) {
        list[i]->next = i + 1 < n && (i + 1) % of_step ? list[i + 1] : NULL;
        if (i % of_step == 0) add_step(st, list[i]);
    }
}

/* Returns the first model with spans, NONE if there is none. */
static uint32_t first_model(ws_dom_stage *st) {
    while (st->first != NONE && st->bucket[st->first].n == 0) {
        st->bucket[st->first].listed = 0;
        st->first = st->bucket[st->first].next;
    }
    return st->first;
}

/* Returns the longest model with spans, whose steps last longest: at the end others fill the time beside them. It looks
 * at all models of the list, while no other thread can take a step. */
static uint32_t longest_model(ws_dom_stage *st) {
    uint32_t most = 0, best = first_model(st);
    for (uint32_t m = best; m != NONE; m = st->bucket[m].next) {
        const ws_dom_waiting *p = st->bucket[m].first;
        if (!p || p->item->M <= most) continue;
        most = p->item->M;
        best = m;
    }
    return best;
}

static void put(ws_dom_stage *st, ws_dom_waiting *p) {
    const uint32_t m = p->item->model;
    ws_dom_bucket *b = &st->bucket[m];
    push(st, b, p);
    st->left++;
    st->cells_left += p->cells;
    if (!b->listed) {
        b->listed = 1;
        b->next = NONE;
        if (first_model(st) == NONE) st->first = m;
        else st->bucket[st->last].next = m;
        st->last = m;
    }
    if (b->n >= WS_PLAN_SPANS_OF_MODEL) {
        const ws_plan_spans plan = plan_of(st);
        if (ws_plan_spans_cut(&plan)) close_bucket(st, &plan, b);
    }
}

/* ---- spans that are added: without a lock until all are made ---- */

/* Spans that a thread adds to the stages together, by kind; `spare` is memory of those that are done. */
typedef struct added {
    ws_dom_waiting *first[WS_DOM_KINDS], *spare;
} added;

static int add_span(added *a, ws_dom_kind k, ws_dom_item *item, ws_dom_region *g, ws_dom_envelope *env, ws_err *err) {
    ws_dom_waiting *p = a->spare;
    if (p) a->spare = p->next;
    else if (!(p = ws_alloc(sizeof *p, err))) return err->code;
    const double more = k == WS_DOM_RESOLVE ? WS_PLAN_TRACES_AS_NODES : 0;
    *p = (ws_dom_waiting){.item = item, .of = {&item->pair, g, env}, .next = a->first[k]};
    p->L = env ? env->to - env->from + 1 : g ? g->to - g->from + 1 : item->pair.L;
    p->cells = (double)p->L * ((double)item->M + more);
    a->first[k] = p;
    __atomic_add_fetch(&item->left, 1, __ATOMIC_RELAXED);
    return WS_OK;
}

static void free_spans(ws_dom_waiting *p) {
    for (ws_dom_waiting *next; p; p = next) {
        next = p->next;
        ws_free(p);
    }
}

/* Puts all into the stages; after a failure rc just frees them. Other threads may end their pairs at once. */
static void put_added(ws_dom_steps *s, const added *a, int rc) {
    free_spans(a->spare);
    for (int k = 0; k < WS_DOM_KINDS; k++) {
        if (rc) free_spans(a->first[k]);
        if (rc || !a->first[k]) continue;
        pthread_mutex_lock(&s->stage[k].lock);
        for (ws_dom_waiting *p = a->first[k], *next; p; p = next) {
            next = p->next;
            put(&s->stage[k], p);
        }
        pthread_mutex_unlock(&s->stage[k].lock);
    }
}

/* ---- steps that are taken: under the stage's lock ---- */

/* Takes a place among the steps of devices. Returns 0 if there is none. */
static int take_call(ws_dom_steps *s, const ws_plan_machine *m, ws_chain_need need) {
    if (__atomic_add_fetch(&s->calls, 1, __ATOMIC_RELAXED) <= ws_plan_spans_most_calls(m, need)) return 1;
    __atomic_sub_fetch(&s->calls, 1, __ATOMIC_RELAXED);
    return 0;
}

/* Sets the step of linked spans, of which the first has the order. */
static void set_step(ws_chain_step *step, ws_dom_waiting *first, size_t n, double cells) {
    *step = (ws_chain_step){.pool = first, .order = first->item->order, .n = n, .cells = cells};
}

int ws_dom_stage_take_for_cpu(ws_dom_stage *st, ws_chain_need need, ws_chain_step *step) {
    if (!st->steps && st->waiting) {
        const ws_plan_spans plan = plan_of(st);
        const int cuts = ws_plan_spans_cpu_cuts(&plan, need);
        if (cuts) close_bucket(st, &plan, &st->bucket[ws_plan_spans_longest_first(&plan, need) ? longest_model(st)
                                                                                              : first_model(st)]);
    }
    ws_dom_waiting *p = st->steps;
    if (!p) return 0;
    st->steps = p->step;
    st->nsteps--;
    if (!p->step) st->end = &st->steps;
    size_t n = 0;
    double cells = 0;
    for (const ws_dom_waiting *q = p; q; q = q->next, n++) cells += q->cells;
    set_step(step, p, n, cells);
    return 1;
}

/* Takes the spans of a model, as many as have `most` cells, at least one. Returns the first; *last is the last one. All
 * of them are taken without a look at each: a call has thousands, and other threads wait for the lock. */
static ws_dom_waiting *take_some(ws_dom_stage *st, ws_dom_bucket *b, double most, ws_dom_waiting **last) {
    ws_dom_waiting *first = b->first;
    if (b->cells <= most) {
        *last = b->last;
        b->first = NULL;
        count_taken(st, b, b->n, b->cells);
        return first;
    }
    double cells = 0;
    for (ws_dom_waiting *p; b->n && cells < most; cells += p->cells) *last = p = pop(st, b);
    return first;
}

int ws_dom_stage_take_for_device(ws_dom_stage *st, ws_chain_need need, ws_chain_step *step) {
    ws_dom_waiting *first = NULL, **end = &first, *last = NULL;
    if (!st->waiting) return 0;
    const ws_plan_spans plan = plan_of(st);
    const double most = ws_plan_spans_call(&plan, need), cells = st->cells;
    const size_t n = st->waiting;
    if (most == 0 || !take_call(st->of, &plan.m, need)) return 0;
    for (; st->waiting && cells - st->cells < most; end = &last->next)
        *end = take_some(st, &st->bucket[first_model(st)], most - (cells - st->cells), &last);
    *end = NULL;
    st->had = 1;
    set_step(step, first, n - st->waiting, cells - st->cells);
    return 1;
}

/* ---- a step ---- */

static int add_envelopes(added *a, ws_dom_item *item, ws_dom_region *g, ws_err *err) {
    int rc = WS_OK;
    for (uint32_t e = 0; e < g->nenv && !rc; e++) rc = add_span(a, WS_DOM_RESCORE, item, g, &g->env[e], err);
    return rc;
}

/* Adds what follows from a span. */
static int go_on(added *a, ws_dom_kind k, const ws_dom_waiting *p, ws_err *err) {
    ws_dom_pair *pair = &p->item->pair;
    int rc = WS_OK;
    if (k == WS_DOM_RESOLVE) return add_envelopes(a, p->item, p->of.region, err);
    for (uint32_t r = 0; r < pair->nregion && k == WS_DOM_PARSE && !rc; r++) {
        ws_dom_region *g = &pair->region[r];
        rc = g->multi ? add_span(a, WS_DOM_RESOLVE, p->item, g, NULL, err) : add_envelopes(a, p->item, g, err);
    }
    return rc;
}

/* Counts a span as done. The pair ends with its last one, and joins the others that do. */
static int leave(const ws_dom_steps *s, ws_dom_item *item, ws_dom_item **ended, ws_err *err) {
    if (__atomic_sub_fetch(&item->left, 1, __ATOMIC_ACQ_REL)) return WS_OK;
    const int rc = item->window ? WS_OK : ws_dom_finish(item->tables, &s->conf.options, &item->pair, err);
    if (rc) return rc;
    item->next = *ended;
    *ended = item;
    return WS_OK;
}

static int rescore_windows(const ws_dom_waiting *first, ws_dom_worker *w, ws_err *err) {
    ws_dom_window_envelope e[WS_PLAN_SPANS_OF_STEP];
    size_t n = 0;
    for (const ws_dom_waiting *p = first; p; p = p->next) e[n++] = ws_dom_waiting_window(p);
    const int rc = ws_dom_window_rescore(first->item->window, w, e, n, err);
    n = 0;
    for (const ws_dom_waiting *p = first; p; p = p->next) ws_dom_waiting_take_window(p, &e[n++]);
    return rc;
}

static int run_spans(ws_dom_steps *s, ws_dom_kind k, const ws_dom_waiting *first, ws_err *err) {
    ws_dom_pair *pair[WS_PLAN_SPANS_OF_STEP];
    ws_dom_span list[WS_PLAN_SPANS_OF_STEP];
    const ws_dom_tables *t = first->item->tables;
    size_t n = 0;
    ws_dom_worker *w = take_worker(s, err);
    if (!w) return err->code;
    for (const ws_dom_waiting *p = first; p; p = p->next, n++) {
        list[n] = p->of;
        pair[n] = p->of.pair;
    }
    const int rc = k == WS_DOM_PARSE            ? ws_dom_parse(t, w, pair, n, err)
                   : k == WS_DOM_RESOLVE        ? ws_dom_resolve(t, w, list, n, err)
                   : first->item->window ? rescore_windows(first, w, err)
                                         : ws_dom_rescore(t, w, list, n, err);
    ws_freelist_give(&s->idle, w);
    return rc;
}

int ws_dom_stage_end_spans(ws_dom_stage *st, ws_dom_waiting *first, int rc, ws_err *err) {
    ws_dom_steps *s = st->of;
    ws_dom_item *ended = NULL;
    added a = {0};
    size_t n = 0;
    double cells = 0;
    for (ws_dom_waiting *p = first, *next; p; p = next, n++) {
        next = p->next;
        cells += p->cells;
        if (!rc) rc = go_on(&a, st->kind, p, err);
        if (!rc) rc = leave(s, p->item, &ended, err);
        p->next = a.spare;
        a.spare = p;
    }
    put_added(s, &a, rc);
    if (!rc && ended) rc = s->conf.done(s->conf.own, ended, err);
    pthread_mutex_lock(&st->lock);
    st->left -= n;
    st->cells_left = st->left ? st->cells_left - cells : 0;
    pthread_mutex_unlock(&st->lock);
    return rc;
}

int ws_dom_stage_run_on_cpu(ws_dom_stage *st, ws_dom_waiting *first, ws_err *err) {
    return ws_dom_stage_end_spans(st, first, run_spans(st->of, st->kind, first, err), err);
}

/* ---- all ---- */

/* Spans that wait, but those that are a step already. seconds: see ws_plan_spans_seconds. */
typedef struct waiting {
    size_t n;
    double cells, seconds;
} waiting;

static waiting count_waiting(ws_dom_steps *s) {
    waiting w = {0};
    for (int k = 0; k < WS_DOM_KINDS; k++) {
        pthread_mutex_lock(&s->stage[k].lock);
        const ws_plan_spans plan = plan_of(&s->stage[k]);
        pthread_mutex_unlock(&s->stage[k].lock);
        w.n += plan.waiting;
        w.cells += plan.cells;
        w.seconds += ws_plan_spans_seconds(&plan);
    }
    return w;
}

size_t ws_dom_steps_waiting(ws_dom_steps *s) { return count_waiting(s).n; }

int ws_dom_steps_are_many(ws_dom_steps *s) {
    const waiting w = count_waiting(s);
    return ws_plan_spans_are_many(w.n, w.cells);
}

int ws_dom_steps_are_few(ws_dom_steps *s) { return ws_plan_spans_are_few(count_waiting(s).seconds, s->conf.threads); }

void ws_dom_steps_left(ws_dom_steps *s, double cells[WS_PLAN_SPAN_KINDS]) {
    for (int k = 0; k < WS_DOM_KINDS; k++) {
        pthread_mutex_lock(&s->stage[k].lock);
        cells[k] = s->stage[k].cells_left;
        pthread_mutex_unlock(&s->stage[k].lock);
    }
}

int ws_dom_steps_add(ws_dom_steps *s, ws_dom_item *first, ws_err *err) {
    added a = {0};
    int rc = WS_OK;
    for (ws_dom_item *item = first; item && !rc; item = item->next)
        rc = add_span(&a, WS_DOM_PARSE, item, NULL, NULL, err);
    put_added(s, &a, rc);
    return rc;
}

int ws_dom_steps_create(ws_dom_steps **out, const ws_dom_steps_conf *conf, ws_err *err) {
    ws_dom_steps *s = *out = ws_calloc(1, sizeof *s, err);
    if (!s) return err->code;
    s->conf = *conf;
    ws_freelist_open(&s->idle, destroy_worker);
    pthread_mutex_init(&s->ends.lock, NULL);
    s->ends.end = &s->ends.first;
    for (int k = 0; k < WS_DOM_KINDS; k++) {
        ws_dom_stage *st = &s->stage[k];
        *st = (ws_dom_stage){.of = s, .kind = (ws_dom_kind)k, .first = NONE, .end = &st->steps};
        pthread_mutex_init(&st->lock, NULL);
        if (!(st->bucket = ws_calloc(conf->models, sizeof *st->bucket, err))) return err->code;
    }
    return WS_OK;
}

static void free_steps(ws_dom_waiting *p) {
    for (ws_dom_waiting *next; p; p = next) {
        next = p->step;
        free_spans(p);
    }
}

/* After a failure spans may wait. */
static void release(ws_dom_stage *st, size_t models) {
    if (!st->of) return;
    free_steps(st->steps);
    for (size_t m = 0; st->bucket && m < models; m++) free_spans(st->bucket[m].first);
    ws_free(st->bucket);
    pthread_mutex_destroy(&st->lock);
}

void ws_dom_steps_destroy(ws_dom_steps *s) {
    if (!s) return;
    for (int k = 0; k < WS_DOM_KINDS; k++) release(&s->stage[k], s->conf.models);
    free_steps(s->ends.first);
    pthread_mutex_destroy(&s->ends.lock);
    ws_freelist_close(&s->idle);
    ws_free(s);
}
