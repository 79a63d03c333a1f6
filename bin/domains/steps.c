/* SPDX-License-Identifier: MIT
 * The domain stage as stages of a chain: see bin/domains/steps.h. */
#include "bin/domains/steps.h"

#include "kernels/dom/device.h"
#include "lib/base/mem.h"
#include "lib/dev/device.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

typedef enum kind { PARSE, RESOLVE, RESCORE } kind;

typedef struct stage stage;

/* A span that waits. Spans of one model are linked by `next`, and so are those of a step; `step` links steps. */
typedef struct span {
    ws_dom_item *item;
    ws_dom_span of;
    uint32_t L;
    stage *ended; /* of a span whose results a device has made: what follows from them is left */
    struct span *next, *step;
} span;

/* The spans of a model that wait. Models that have some are linked by `next`. */
typedef struct bucket {
    span *first;
    uint32_t n;
    int listed;
    uint32_t next;
} bucket;

struct stage {
    ws_dom_steps *of;
    kind kind;
    pthread_mutex_t lock;
    bucket *bucket;        /* [models] */
    uint32_t first, last;  /* models with spans, the one that came first; NONE: there is none */
    span *steps, **end;    /* that are ready, for the CPU */
    size_t nsteps, waiting, left;  /* spans in buckets; all that are not done */
    double cells;          /* of those in buckets */
    int had;               /* a device has had some */
};

/* Spans that a device has done, by steps. */
typedef struct ends {
    pthread_mutex_t lock;
    span *first, **end;
} ends;

enum { KINDS = 3 }; /* and the stage of ends */
struct ws_dom_steps {
    ws_dom_steps_conf conf;
    stage stage[KINDS];
    ends ends;
    pthread_mutex_t lock; /* protects the idle workers */
    ws_dom_worker **idle;
    size_t nidle, cap;
    int calls; /* steps that devices have. Atomic */
};

/* MOST spans in a step fill the registers twice, so that few are alone at its end. FULL spans of a model wait until
 * they are cut into steps: then spans of similar length share registers. With 32 in place of 512, Backward alone took
 * two thirds longer (one model x P. falciparum). ENOUGH cells for each thread, or TOO_MANY spans, do not wait. */
enum { NONE = UINT32_MAX, MOST = 8, FULL = 512, WORTH = 128, TOO_MANY = 64 << 10 };
#define ENOUGH 3e8

/* Cells for which a call of a device is worth its while, those that it takes while more may come, and the most of a
 * call: some ten milliseconds. With a backend of devices alone, they begin with FEW cells too. Where both share, a
 * stream has the part of SHARE threads of the CPU: four streams are as fast as some hundred threads in ensembles and
 * envelopes. It makes no call for what the threads of the CPU end within SOON seconds, about as long as a call. */
#define DEVICE_WORTH 2e8
#define DEVICE_FULL 1e9
#define DEVICE_MOST 2e9
#define FEW 2e7
#define SHARE 24.0
#define SOON 0.02
static const double cpu_speed[] = {8e8, 4e8, 2.5e8}; /* cells a second of a thread that has a core */

/* A problem lasts as long as its rows and places, one after another. Where it has more cells than LONGEST, some 100 ms
 * a recurrence, the host is faster. So the host has those above LONG, unless they are more than a tenth of the call,
 * where they have company: enough for the device to end them sooner than the host's threads, each of which does LATENCY
 * such problems in the time that a device needs for one, or for all. */
#define LONGEST 12e6
#define LONG 1e6
#define LATENCY 4.0

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

/* A residue of an ensemble has the steps of 200 traces. They take as long as Forward of so many nodes. */
enum { TRACES_AS_NODES = 1000 };
static double cells_of(const span *p) {
    const int resolve = p->of.region && !p->of.env;
    return (double)p->L * ((double)p->item->M + (resolve ? TRACES_AS_NODES : 0));
}

static int by_length(const void *a, const void *b) {
    const span *x = *(span *const *)a, *y = *(span *const *)b;
    if (x->L != y->L) return x->L > y->L ? -1 : 1;
    return (x->item->order > y->item->order) - (x->item->order < y->item->order);
}

/* Takes the first span of a model. */
static span *pop(stage *st, bucket *b) {
    span *p = b->first;
    b->first = p->next;
    b->n--;
    st->waiting--;
    st->cells -= cells_of(p);
    return p;
}

/* Adds a step, whose spans are linked. */
static void add_step(stage *st, span *first) {
    first->step = NULL;
    *st->end = first;
    st->end = &first->step;
    st->nsteps++;
}

/* Cuts the spans of a model into steps, longest first. */
static void close_bucket(stage *st, bucket *b) {
    span *list[FULL];
    const size_t most = st->waiting < (size_t)st->of->conf.threads * MOST ? MOST / 2 : MOST;
    size_t n = 0;
    while (b->first && n < FULL) list[n++] = pop(st, b);
    qsort(list, n, sizeof *list, by_length);
    for (size_t i = 0; i < n; i++) {
        list[i]->next = i + 1 < n && (i + 1) % most ? list[i + 1] : NULL;
        if (i % most == 0) add_step(st, list[i]);
    }
}

/* Whether a device takes part in this stage. */
static int on_device(const stage *st) {
    return st->of->conf.job && ws_job_has_device(st->of->conf.job);
}

/* Returns the first model with spans, NONE if there is none. */
static uint32_t first_model(stage *st) {
    while (st->first != NONE && st->bucket[st->first].n == 0) {
        st->bucket[st->first].listed = 0;
        st->first = st->bucket[st->first].next;
    }
    return st->first;
}

/* Whether threads of the CPU will soon have no step, although spans are not kept for a device. */
static int is_short_of_steps(const stage *st) {
    return !st->of->conf.device_first && st->nsteps < (size_t)st->of->conf.threads;
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
    if (b->n >= FULL && (!on_device(st) || is_short_of_steps(st))) close_bucket(st, b);
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

static int is_eager(const stage *st) { return st->of->conf.eager && st->of->conf.eager(st->of->conf.own); }

/* Returns how many steps devices may have at once: half of the streams while the filters have work too, whose short
 * calls would else wait for the long ones of domains; one at least. */
static int most_calls(ws_chain_need need) {
    const int streams = ws_dev_streams();
    return (int)ws_max(1, need == WS_CHAIN_ANY ? streams : streams / 2);
}

/* Takes a place among the steps of devices. Returns 0 if there is none. */
static int take_call(ws_dom_steps *s, ws_chain_need need) {
    if (__atomic_add_fetch(&s->calls, 1, __ATOMIC_RELAXED) <= most_calls(need)) return 1;
    __atomic_sub_fetch(&s->calls, 1, __ATOMIC_RELAXED);
    return 0;
}

/* Whether no more spans come from stages that need the device, or nothing should wait. */
static int is_last(const stage *st, ws_chain_need need) { return need == WS_CHAIN_ANY || is_eager(st); }

/* Whether spans are for the CPU. Before a thread would wait, many are: 1,200 models x 59 M residues took 4.0 s so, else
 * 4.7 (H200, device_first). A device with a backend of its own has the first spans of a stage, however few. */
static int are_for_cpu(const stage *st, ws_chain_need need) {
    const ws_job *job = st->of->conf.job;
    if (!on_device(st) || (need == WS_CHAIN_SPARE && st->waiting >= WORTH)) return 1;
    const int busy = __atomic_load_n(&st->of->calls, __ATOMIC_RELAXED) >= most_calls(need);
    if (st->of->conf.device_first && !is_last(st, need)) return job->cpu_backend && (busy || st->cells < DEVICE_WORTH);
    return job->cpu_backend || busy || st->had || st->cells >= FEW;
}

/* Takes the oldest step; before that, if none is ready, spans become steps. */
static span *take_for_cpu(stage *st, ws_chain_need need) {
    const int worth = need == WS_CHAIN_SOME || (need == WS_CHAIN_SPARE && on_device(st));
    const int enough = need == WS_CHAIN_ANY || (worth && st->waiting >= WORTH) || st->waiting >= TOO_MANY ||
                       st->cells >= ENOUGH * st->of->conf.threads;
    if (!st->steps && st->waiting && are_for_cpu(st, need) && (enough || is_eager(st)))
        close_bucket(st, &st->bucket[first_model(st)]);
    span *p = st->steps;
    if (!p) return NULL;
    st->steps = p->step;
    st->nsteps--;
    if (!p->step) st->end = &st->steps;
    return p;
}

/* Cells of a call. */
typedef struct call {
    double least, most;
} call;

/* Returns what a device may take. While the filters have work for it, it takes too many spans alone. */
static call call_of(const stage *st, ws_chain_need need) {
    const ws_dom_steps_conf *c = &st->of->conf;
    const int last = is_last(st, need), first = !c->job->cpu_backend && !st->had && st->cells < FEW;
    call k = {0, DEVICE_MOST};
    if (!last && c->device_first) {
        k.least = need == WS_CHAIN_FULL || need == WS_CHAIN_EARLY ? DEVICE_FULL : DEVICE_WORTH;
    } else if (!last && need != WS_CHAIN_SOME) {
        k.least = INFINITY;
    } else if (!last || !first) {
        const double share = SHARE / (SHARE * (double)ws_max(ws_dev_streams(), 1) + c->threads);
        k.least = fmax(SOON * cpu_speed[st->kind] * c->threads, DEVICE_WORTH);
        k.most = fmin(fmax(st->cells * share, DEVICE_WORTH), DEVICE_MOST);
    }
    return k;
}

/* Takes spans of any models, linked. */
static span *take_for_device(stage *st, ws_chain_need need) {
    span *first = NULL, **end = &first;
    double cells = 0;
    if (!on_device(st) || !st->waiting) return NULL;
    const call c = call_of(st, need);
    if ((st->cells < c.least && st->waiting < TOO_MANY) || !take_call(st->of, need)) return NULL;
    while (st->waiting && cells < c.most) {
        span *p = pop(st, &st->bucket[first_model(st)]);
        cells += cells_of(p);
        *end = p;
        end = &p->next;
    }
    *end = NULL;
    st->had = 1;
    return first;
}

static int take(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    stage *st = own;
    pthread_mutex_lock(&st->lock);
    span *p = t->kind == WS_CHAIN_CPU ? take_for_cpu(st, need) : take_for_device(st, need);
    if (p) *step = (ws_chain_step){.pool = p, .order = p->item->order};
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
    const int rc = item->window ? WS_OK : ws_dom_finish(item->tables, &s->conf.options, &item->pair, err);
    return rc ? rc : s->conf.done(s->conf.own, item, err);
}

/* An envelope of a window, and what became of it. */
static ws_dom_window_envelope window_of(const span *p) {
    const ws_dom_envelope *e = p->of.env;
    return (ws_dom_window_envelope){.x = p->of.pair->x, .L = p->of.pair->L, .from = e->from, .to = e->to};
}
static void take_window(const span *p, const ws_dom_window_envelope *e) {
    p->of.env->scored = e->scored;
    p->of.env->domain = e->domain;
}

static int rescore_windows(const span *first, ws_dom_worker *w, ws_err *err) {
    ws_dom_window_envelope e[MOST];
    size_t n = 0;
    for (const span *p = first; p; p = p->next) e[n++] = window_of(p);
    const int rc = ws_dom_window_rescore(first->item->window, w, e, n, err);
    n = 0;
    for (const span *p = first; p; p = p->next) take_window(p, &e[n++]);
    return rc;
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
    const int rc = k == PARSE            ? ws_dom_parse(t, w, pair, n, err)
                   : k == RESOLVE        ? ws_dom_resolve(t, w, list, n, err)
                   : first->item->window ? rescore_windows(first, w, err)
                                         : ws_dom_rescore(t, w, list, n, err);
    give_worker(s, w);
    return rc;
}

/* Ends spans that are done; after a failure rc just frees them. Returns rc, or the first failure of what follows. */
static int end_spans(stage *st, span *first, int rc, ws_err *err) {
    size_t n = 0;
    for (span *p = first, *next; p; p = next, n++) {
        next = p->next;
        if (!rc) rc = go_on(st->of, st->kind, p, err);
        if (!rc) rc = leave(st->of, p->item, err);
        ws_free(p);
    }
    pthread_mutex_lock(&st->lock);
    st->left -= n;
    pthread_mutex_unlock(&st->lock);
    return rc;
}

/* Leaves what follows from spans to the threads of the CPU, to which it comes before all other steps: it takes as long
 * as the kernels, and brings the next spans. */
static void leave_ends(stage *st, span *first) {
    enum { SPANS = 64 };
    ends *e = &st->of->ends;
    pthread_mutex_lock(&e->lock);
    for (span *p = first, *next; p; p = next) {
        span *last = p;
        for (int n = 1; n < SPANS && last->next; n++) last = last->next;
        next = last->next;
        last->next = NULL;
        p->ended = st;
        p->step = NULL;
        *e->end = p;
        e->end = &p->step;
    }
    pthread_mutex_unlock(&e->lock);
}

/* Leaves spans to the threads of the CPU. */
static void leave_to_cpu(stage *st, span *first) {
    pthread_mutex_lock(&st->lock);
    for (span *p = first, *next; p; p = next) {
        span *last = p;
        for (int n = 1; n < MOST && last->next && last->next->item->model == p->item->model; n++) last = last->next;
        next = last->next;
        last->next = NULL;
        add_step(st, p);
    }
    pthread_mutex_unlock(&st->lock);
}

/* Parts the linked spans by `done`. */
static void part(span *first, const uint8_t *done, span *of[2]) {
    span **end[2] = {&of[0], &of[1]};
    for (span *p = first; p; p = p->next) {
        const int yes = *done++;
        *end[yes] = p;
        end[yes] = &p->next;
    }
    *end[0] = *end[1] = NULL;
}

/* Leaves spans that are too long for a device to the CPU. Returns the others, and their number in *n. */
static span *leave_long(stage *st, span *first, size_t *n) {
    double all = 0, large = 0, longest = 0;
    span *of[2], **end[2] = {&of[0], &of[1]};
    for (const span *p = first; p; p = p->next) {
        all += cells_of(p);
        if (cells_of(p) > LONG) large += cells_of(p);
        longest = fmax(longest, cells_of(p));
    }
    const int few = 10 * large <= all || large < LATENCY * st->of->conf.threads * longest;
    const double most = few ? LONG : LONGEST;
    *n = 0;
    for (span *p = first; p; p = p->next) {
        const int is_short = cells_of(p) <= most;
        *n += (size_t)is_short;
        *end[is_short] = p;
        end[is_short] = &p->next;
    }
    *end[0] = *end[1] = NULL;
    leave_to_cpu(st, of[0]);
    return of[1];
}

/* Does a step for the n spans of a list. After a failure those that have no `done` are untouched. */
static int load_device(const stage *st, const span *first, size_t n, uint8_t *done, ws_err *err) {
    ws_dom_load *load = ws_calloc(n, sizeof *load, err);
    if (!load) return err->code;
    n = 0;
    for (const span *p = first; p; p = p->next) load[n++] = (ws_dom_load){.t = p->item->tables, .span = p->of};
    const int rc = st->kind == PARSE     ? ws_dom_device_parse(load, n, err)
                   : st->kind == RESOLVE ? ws_dom_device_resolve(load, n, &st->of->conf.options, err)
                                         : ws_dom_device_rescore(load, n, err);
    /* threads of the CPU cluster what the traces of a region found */
    for (size_t i = 0; i < n; i++) done[i] = load[i].done && st->kind != RESOLVE;
    ws_free(load);
    return rc;
}

/* The same for envelopes of windows. */
static int load_windows(const stage *st, const span *first, size_t n, uint8_t *done, ws_err *err) {
    const ws_dom_steps_conf *c = &st->of->conf;
    ws_dom_window_load *load = ws_calloc(n, sizeof *load, err);
    ws_dom_window_envelope *e = load ? ws_calloc(n, sizeof *e, err) : NULL;
    int rc = e ? WS_OK : err->code;
    n = 0;
    for (const span *p = first; p && !rc; p = p->next) {
        e[n] = window_of(p);
        load[n] = (ws_dom_window_load){.m = p->item->window, .e = &e[n]};
        n++;
    }
    if (!rc) rc = ws_dom_window_rescore_on_device(load, n, c->options.nonull2, c->threads, err);
    n = 0;
    for (const span *p = first; p && e; p = p->next) {
        done[n] = load[n].done != 0;
        if (done[n]) take_window(p, &e[n]);
        n++;
    }
    ws_free(e);
    ws_free(load);
    return rc;
}

static int run_on_device(stage *st, span *list, ws_err *err) {
    ws_dom_steps *s = st->of;
    span *of[2];
    size_t n;
    span *first = leave_long(st, list, &n);
    uint8_t *done = ws_calloc(n, 1, err);
    int rc = done ? WS_OK : err->code;
    if (!rc && first)
        rc = st->kind == RESCORE && first->item->window ? load_windows(st, first, n, done, err)
                                                        : load_device(st, first, n, done, err);
    __atomic_sub_fetch(&s->calls, 1, __ATOMIC_RELAXED);
    if (rc && done && ws_job_fall_back_to_cpu(s->conf.job, s->conf.job->backend, rc, err)) rc = WS_OK;
    if (!rc) part(first, done, of);
    ws_free(done);
    if (rc) return end_spans(st, first, rc, err);
    leave_to_cpu(st, of[0]);
    if (s->conf.threads <= ws_dev_streams()) return end_spans(st, of[1], WS_OK, err);
    leave_ends(st, of[1]);
    return WS_OK;
}

static int work(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    stage *st = own;
    span *first = step->pool;
    if (t->kind == WS_CHAIN_DEVICE) return run_on_device(st, first, err);
    return end_spans(st, first, run_spans(st->of, st->kind, first, err), err);
}

/* ---- the stage of ends ---- */

static int take_end(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    ends *e = own;
    (void)need;
    if (t->kind != WS_CHAIN_CPU) return 0;
    pthread_mutex_lock(&e->lock);
    span *p = e->first;
    if (p) {
        e->first = p->step;
        if (!p->step) e->end = &e->first;
        *step = (ws_chain_step){.pool = p, .order = p->item->order};
    }
    pthread_mutex_unlock(&e->lock);
    return p != NULL;
}

static int work_end(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    span *first = step->pool;
    (void)own, (void)t;
    return end_spans(first->ended, first, WS_OK, err);
}

/* The spans are left in the stages that they are of. */
static int left_end(void *own) {
    (void)own;
    return 0;
}

/* ---- all ---- */

int ws_dom_steps_are_many(ws_dom_steps *s) {
    size_t n = 0;
    for (int k = 0; k < KINDS; k++) {
        pthread_mutex_lock(&s->stage[k].lock);
        n += s->stage[k].waiting;
        pthread_mutex_unlock(&s->stage[k].lock);
    }
    return n >= 2 * TOO_MANY;
}

int ws_dom_steps_add(ws_dom_steps *s, ws_dom_item *item, ws_err *err) {
    return add_span(s, PARSE, item, NULL, NULL, err);
}

void ws_dom_steps_stages(ws_dom_steps *s, ws_chain_stage to[WS_DOM_STEPS]) {
    static const char *const name[] = {"parse", "ensemble", "envelope"};
    for (int k = 0; k < KINDS; k++) to[k] = (ws_chain_stage){&s->stage[k], take, work, left, name[k]};
    to[KINDS] = (ws_chain_stage){&s->ends, take_end, work_end, left_end, "end"};
}

int ws_dom_steps_create(ws_dom_steps **out, const ws_dom_steps_conf *conf, ws_err *err) {
    ws_dom_steps *s = *out = ws_calloc(1, sizeof *s, err);
    if (!s) return err->code;
    s->conf = *conf;
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->ends.lock, NULL);
    s->ends.end = &s->ends.first;
    for (int k = 0; k < KINDS; k++) {
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

static void free_steps(span *p) {
    for (span *next; p; p = next) {
        next = p->step;
        free_spans(p);
    }
}

/* After a failure spans may wait. */
static void release(stage *st, size_t models) {
    if (!st->of) return;
    free_steps(st->steps);
    for (size_t m = 0; st->bucket && m < models; m++) free_spans(st->bucket[m].first);
    ws_free(st->bucket);
    pthread_mutex_destroy(&st->lock);
}

void ws_dom_steps_destroy(ws_dom_steps *s) {
    if (!s) return;
    for (int k = 0; k < KINDS; k++) release(&s->stage[k], s->conf.models);
    free_steps(s->ends.first);
    pthread_mutex_destroy(&s->ends.lock);
    while (s->nidle > 0) ws_dom_worker_destroy(s->idle[--s->nidle]);
    ws_free(s->idle);
    pthread_mutex_destroy(&s->lock);
    ws_free(s);
}
