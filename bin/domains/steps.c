/* SPDX-License-Identifier: MIT
 * The domain stage as stages of a chain: see bin/domains/steps.h. */
#include "bin/domains/steps.h"

#include "lib/base/mem.h"

#include <pthread.h>
#include <stdlib.h>

typedef enum kind { PARSE, RESOLVE, RESCORE } kind;

/* A span that waits. Spans of one model are linked by `next`, and so are those of a step; `step` links steps. */
typedef struct span {
    ws_dom_item *item;
    ws_dom_span of;
    uint32_t L;
    struct span *next, *step;
} span;

/* The spans of a model that wait. Models that have some are linked by `next`. */
typedef struct bucket {
    span *first;
    uint32_t n;
    int listed;
    uint32_t next;
} bucket;

typedef struct stage {
    ws_dom_steps *of;
    kind kind;
    pthread_mutex_t lock;
    bucket *bucket;        /* [models] */
    uint32_t first, last;  /* models with spans, the one that came first; NONE: there is none */
    span *steps, **end;    /* that are ready */
    size_t waiting, left;  /* spans in buckets; all that are not done */
    double cells;          /* of those in buckets */
} stage;

struct ws_dom_steps {
    ws_dom_steps_conf conf;
    stage stage[WS_DOM_STEPS];
    pthread_mutex_t lock; /* protects the idle workers */
    ws_dom_worker **idle;
    size_t nidle, cap;
};

/* MOST spans in a step fill the registers twice, so that few are alone at its end. FULL spans of a model wait until
 * they are cut into steps: then spans of similar length share registers. With 32 in place of 512, Backward alone took
 * two thirds longer (one model x P. falciparum). ENOUGH cells for each thread, or TOO_MANY spans, do not wait. */
enum { NONE = UINT32_MAX, MOST = 8, FULL = 512, WORTH = 128, TOO_MANY = 64 << 10 };
#define ENOUGH 3e8

/* ---- workers ---- */

static ws_dom_worker *take_worker(ws_dom_steps *s, ws_err *err) {
    ws_dom_worker *w = NULL;
    pthread_mutex_lock(&s->lock);
    if (s->nidle) w = s->idle[--s->nidle];
    pthread_mutex_unlock(&s->lock);
    if (!w) (void)ws_dom_worker_create(&w, s->conf.backend, &s->conf.options, err);
    return w;
}

static void give_worker(ws_dom_steps *s, ws_dom_worker *w) {
    ws_err ignored;
    pthread_mutex_lock(&s->lock);
    const int kept = ws_grow(&s->idle, &s->cap, s->nidle + 1, sizeof *s->idle, &ignored) == WS_OK;
    if (kept) s->idle[s->nidle++] = w;
    pthread_mutex_unlock(&s->lock);
    if (!kept) ws_dom_worker_destroy(w);
}

/* ---- spans that wait: under the stage's lock ---- */

static double cells_of(const span *p) { return (double)p->L * (double)p->item->M; }

static int by_length(const void *a, const void *b) {
    const span *x = *(span *const *)a, *y = *(span *const *)b;
    if (x->L != y->L) return x->L > y->L ? -1 : 1;
    return (x->item->order > y->item->order) - (x->item->order < y->item->order);
}

/* Cuts the spans of a model into steps, longest first. */
static void close_bucket(stage *st, bucket *b) {
    span *list[FULL];
    const size_t most = st->waiting < (size_t)st->of->conf.threads * MOST ? MOST / 2 : MOST;
    size_t n = 0;
    for (span *p = b->first; p; p = p->next) {
        list[n++] = p;
        st->cells -= cells_of(p);
    }
    qsort(list, n, sizeof *list, by_length);
    for (size_t i = 0; i < n; i++) {
        list[i]->next = i + 1 < n && (i + 1) % most ? list[i + 1] : NULL;
        list[i]->step = NULL;
        if (i % most) continue;
        *st->end = list[i];
        st->end = &list[i]->step;
    }
    st->waiting -= n;
    b->first = NULL;
    b->n = 0;
}

/* Returns the first model with spans, NONE if there is none. */
static uint32_t first_model(stage *st) {
    while (st->first != NONE && st->bucket[st->first].n == 0) {
        st->bucket[st->first].listed = 0;
        st->first = st->bucket[st->first].next;
    }
    return st->first;
}

static void put(stage *st, span *p) {
    const uint32_t m = p->item->model;
    bucket *b = &st->bucket[m];
    pthread_mutex_lock(&st->lock);
    p->next = b->first;
    b->first = p;
    b->n++;
    st->waiting++;
    st->left++;
    st->cells += cells_of(p);
    if (!b->listed) {
        b->listed = 1;
        b->next = NONE;
        if (first_model(st) == NONE) st->first = m;
        else st->bucket[st->last].next = m;
        st->last = m;
    }
    if (b->n == FULL) close_bucket(st, b);
    pthread_mutex_unlock(&st->lock);
}

static int add_span(ws_dom_steps *s, kind k, ws_dom_item *item, ws_dom_region *g, ws_dom_envelope *env, ws_err *err) {
    span *p = ws_calloc(1, sizeof *p, err);
    if (!p) return err->code;
    *p = (span){.item = item, .of = {&item->pair, g, env}};
    p->L = env ? env->to - env->from + 1 : g ? g->to - g->from + 1 : item->pair.L;
    __atomic_add_fetch(&item->left, 1, __ATOMIC_RELAXED);
    put(&s->stage[k], p);
    return WS_OK;
}

static int take(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    stage *st = own;
    if (t->kind != WS_CHAIN_CPU) return 0;
    pthread_mutex_lock(&st->lock);
    if (!st->steps && st->waiting) {
        bucket *b = &st->bucket[first_model(st)];
        if (need == WS_CHAIN_ANY || (need == WS_CHAIN_SOME && st->waiting >= WORTH) || st->waiting >= TOO_MANY ||
            st->cells >= ENOUGH * st->of->conf.threads)
            close_bucket(st, b);
    }
    span *p = st->steps;
    if (p) {
        st->steps = p->step;
        if (!p->step) st->end = &st->steps;
        *step = (ws_chain_step){.pool = p, .order = p->item->order};
    }
    pthread_mutex_unlock(&st->lock);
    return p != NULL;
}

static int left(void *own) {
    stage *st = own;
    pthread_mutex_lock(&st->lock);
    const int some = st->left > 0;
    pthread_mutex_unlock(&st->lock);
    return some;
}

/* ---- a step ---- */

static int add_envelopes(ws_dom_steps *s, ws_dom_item *item, ws_dom_region *g, ws_err *err) {
    int rc = WS_OK;
    for (uint32_t e = 0; e < g->nenv && !rc; e++) rc = add_span(s, RESCORE, item, g, &g->env[e], err);
    return rc;
}

/* Adds what follows from a span. */
static int go_on(ws_dom_steps *s, kind k, const span *p, ws_err *err) {
    ws_dom_pair *pair = &p->item->pair;
    int rc = WS_OK;
    if (k == RESOLVE) return add_envelopes(s, p->item, p->of.region, err);
    for (uint32_t r = 0; r < pair->nregion && k == PARSE && !rc; r++) {
        ws_dom_region *g = &pair->region[r];
        rc = g->multi ? add_span(s, RESOLVE, p->item, g, NULL, err) : add_envelopes(s, p->item, g, err);
    }
    return rc;
}

/* Counts a span as done. The pair ends with its last one. */
static int leave(ws_dom_steps *s, ws_dom_item *item, ws_err *err) {
    if (__atomic_sub_fetch(&item->left, 1, __ATOMIC_ACQ_REL)) return WS_OK;
    const int rc = ws_dom_finish(item->tables, &s->conf.options, &item->pair, err);
    return rc ? rc : s->conf.done(s->conf.own, item, err);
}

static int run_spans(ws_dom_steps *s, kind k, const span *first, ws_err *err) {
    ws_dom_pair *pair[MOST];
    ws_dom_span list[MOST];
    const ws_dom_tables *t = first->item->tables;
    size_t n = 0;
    ws_dom_worker *w = take_worker(s, err);
    if (!w) return err->code;
    for (const span *p = first; p; p = p->next, n++) {
        list[n] = p->of;
        pair[n] = p->of.pair;
    }
    const int rc = k == PARSE     ? ws_dom_parse(t, w, pair, n, err)
                   : k == RESOLVE ? ws_dom_resolve(t, w, list, n, err)
                                  : ws_dom_rescore(t, w, list, n, err);
    give_worker(s, w);
    return rc;
}

static int work(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    stage *st = own;
    ws_dom_steps *s = st->of;
    size_t n = 0;
    (void)t;
    int rc = run_spans(s, st->kind, step->pool, err);
    for (span *p = step->pool, *next; p; p = next, n++) {
        next = p->next;
        if (!rc) rc = go_on(s, st->kind, p, err);
        if (!rc) rc = leave(s, p->item, err);
        ws_free(p);
    }
    pthread_mutex_lock(&st->lock);
    st->left -= n;
    pthread_mutex_unlock(&st->lock);
    return rc;
}

/* ---- all ---- */

int ws_dom_steps_add(ws_dom_steps *s, ws_dom_item *item, ws_err *err) {
    return add_span(s, PARSE, item, NULL, NULL, err);
}

void ws_dom_steps_stages(ws_dom_steps *s, ws_chain_stage to[WS_DOM_STEPS]) {
    for (int k = 0; k < WS_DOM_STEPS; k++) to[k] = (ws_chain_stage){&s->stage[k], take, work, left};
}

int ws_dom_steps_create(ws_dom_steps **out, const ws_dom_steps_conf *conf, ws_err *err) {
    ws_dom_steps *s = *out = ws_calloc(1, sizeof *s, err);
    if (!s) return err->code;
    s->conf = *conf;
    pthread_mutex_init(&s->lock, NULL);
    for (int k = 0; k < WS_DOM_STEPS; k++) {
        stage *st = &s->stage[k];
        *st = (stage){.of = s, .kind = (kind)k, .first = NONE, .end = &st->steps};
        pthread_mutex_init(&st->lock, NULL);
        if (!(st->bucket = ws_calloc(conf->models, sizeof *st->bucket, err))) return err->code;
    }
    return WS_OK;
}

static void free_spans(span *p) {
    for (span *next; p; p = next) {
        next = p->next;
        ws_free(p);
    }
}

/* After a failure spans may wait. */
static void release(stage *st, size_t models) {
    if (!st->of) return;
    for (span *p = st->steps, *next; p; p = next) {
        next = p->step;
        free_spans(p);
    }
    for (size_t m = 0; st->bucket && m < models; m++) free_spans(st->bucket[m].first);
    ws_free(st->bucket);
    pthread_mutex_destroy(&st->lock);
}

void ws_dom_steps_destroy(ws_dom_steps *s) {
    if (!s) return;
    for (int k = 0; k < WS_DOM_STEPS; k++) release(&s->stage[k], s->conf.models);
    while (s->nidle > 0) ws_dom_worker_destroy(s->idle[--s->nidle]);
    ws_free(s->idle);
    pthread_mutex_destroy(&s->lock);
    ws_free(s);
}
