/* SPDX-License-Identifier: MIT
 * The domain stage as stages of a chain: see bin/domains/steps.h. */
#include "bin/domains/stage.h"

#include "lib/base/mem.h"
#include "lib/dev/device.h"

#include <math.h>
#include <stdlib.h>

typedef ws_dom_waiting span;
typedef ws_dom_stage stage;
typedef ws_dom_bucket bucket;
typedef ws_dom_kind kind;

/* WS_DOM_OF_STEP spans fill the registers twice, so that few are alone at its end. FULL spans of a model wait until
 * they are cut into steps: then spans of similar length share registers. With 32 in place of 512, Backward alone took
 * two thirds longer (one model x P. falciparum). ENOUGH cells for each thread, or TOO_MANY spans, do not wait. */
enum { NONE = UINT32_MAX, FULL = 512, WORTH = 128, TOO_MANY = 64 << 10 };
#define ENOUGH 3e8
/* A device and 16 threads need some seconds for so many cells. In that time the filters of a device let a million
 * sequences of a family pass, and each of them would wait with five bytes for each residue. */
#define MANY_CELLS 4e10

/* Cells for which a call of a device is worth its while, those that it takes while more may come, and the most of a
 * call: some ten milliseconds. With a backend of devices alone, they begin with FEW cells too. Where both share, a
 * stream has the part of SHARE threads of the CPU: a device is as fast as some hundred threads in ensembles and
 * envelopes. It makes no call for what the threads of the CPU end within SOON seconds, about as long as a call. */
#define DEVICE_WORTH 2e8
#define DEVICE_FULL 1e9
#define DEVICE_MOST 2e9
#define FEW 2e7
/* With device_first, envelopes are for devices alone if they have FEW to so many cells, about a second of an H100.
 * In searches of proteins a device has them alone too, up to so many cells, while the filters have work for it: of all
 * steps it is fastest in these beside threads of the CPU.
 * In envelopes of long models a thread does an eighth of the cells a second that it does in targets. If threads take
 * steps of eight such envelopes, the end of a search waits for these: 16 DNA models x 63 Mb took 2.01 and 2.47 s so,
 * else 1.86 and 2.10 (H100, a trial build of 07ef100). */
#define DEVICES_OWN 8e9
#define SHARE 24.0
#define SOON 0.02
/* Seconds until a device brings domains: calls of Viterbi and Forward, and one of MSV that each may wait for. With 0.2
 * to 1 the CPU's threads of 100 queries x 1 G residues had work at all times, else they waited three times for 0.1 to
 * 0.2 s (traces, H100). */
#define SOON_FEW 0.2
static const double cpu_speed[] = {8e8, 4e8, 2.5e8}; /* cells a second of a thread that has a core */

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

static int by_length(const void *a, const void *b) {
    const span *x = *(span *const *)a, *y = *(span *const *)b;
    if (x->L != y->L) return x->L > y->L ? -1 : 1;
    return (x->item->order > y->item->order) - (x->item->order < y->item->order);
}

/* Adds a span to those of a model. */
static void push(stage *st, bucket *b, span *p) {
    p->next = b->first;
    b->first = p;
    b->n++;
    st->waiting++;
    st->cells += ws_dom_waiting_cells(p);
}

/* Takes the first span of a model. */
static span *pop(stage *st, bucket *b) {
    span *p = b->first;
    b->first = p->next;
    b->n--;
    st->waiting--;
    st->cells -= ws_dom_waiting_cells(p);
    return p;
}

/* Whether a device takes part in this stage. */
static int on_device(const stage *st) {
    return st->of->conf.job && ws_job_has_device(st->of->conf.job);
}

/* Adds a step, whose spans are linked. */
static void add_step(stage *st, span *first) {
    first->step = NULL;
    *st->end = first;
    st->end = &first->step;
    st->nsteps++;
}

/* Cuts the spans of a model into steps, longest first. Beside a device it cuts a step for each thread alone: a device
 * does no steps of the CPU, and steps of later stages come before them. When it cut 64, a trace of 20,000 targets of a
 * family showed some that waited until all else was done, and then kept few threads busy. */
static void close_bucket(stage *st, bucket *b) {
    span *list[FULL];
    const size_t all = (size_t)st->of->conf.threads * WS_DOM_OF_STEP;
    const size_t most = st->waiting < all ? WS_DOM_OF_STEP / 2 : WS_DOM_OF_STEP;
    size_t n = 0;
    while (b->first && n < FULL) list[n++] = pop(st, b);
    qsort(list, n, sizeof *list, by_length);
    while (on_device(st) && n > all) push(st, b, list[--n]);
    for (size_t i = 0; i < n; i++) {
        list[i]->next = i + 1 < n && (i + 1) % most ? list[i + 1] : NULL;
        if (i % most == 0) add_step(st, list[i]);
    }
}

/* Returns the first model with spans, NONE if there is none. */
static uint32_t first_model(stage *st) {
    while (st->first != NONE && st->bucket[st->first].n == 0) {
        st->bucket[st->first].listed = 0;
        st->first = st->bucket[st->first].next;
    }
    return st->first;
}

/* Returns the longest model with spans, whose steps last longest: at the end others fill the time beside them. It looks
 * at all models of the list, while no other thread can take a step. */
static uint32_t longest_model(stage *st) {
    uint32_t most = 0, best = first_model(st);
    for (uint32_t m = best; m != NONE; m = st->bucket[m].next) {
        const span *p = st->bucket[m].first;
        if (!p || p->item->M <= most) continue;
        most = p->item->M;
        best = m;
    }
    return best;
}

static int is_eager(const stage *st) { return st->of->conf.eager && st->of->conf.eager(st->of->conf.own); }

/* Whether no more spans come from stages that need the device, or nothing should wait. */
static int is_last(const stage *st, ws_chain_need need) { return need == WS_CHAIN_ANY || is_eager(st); }

/* Whether what waits is for devices alone. Those of proteins are while the filters have work for the device; then both
 * share what is left. */
static int are_devices_own(const stage *st, ws_chain_need need) {
    if (st->kind != WS_DOM_RESCORE || st->cells >= DEVICES_OWN) return 0;
    return st->of->conf.device_first ? st->cells >= FEW : !is_last(st, need);
}

/* Whether threads of the CPU will soon have no step, although spans are not kept for a device. */
static int is_short_of_steps(const stage *st) {
    return !st->of->conf.device_first && !are_devices_own(st, WS_CHAIN_FULL) &&
           st->nsteps < (size_t)st->of->conf.threads;
}

static void put(stage *st, span *p) {
    const uint32_t m = p->item->model;
    bucket *b = &st->bucket[m];
    pthread_mutex_lock(&st->lock);
    push(st, b, p);
    st->left++;
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

/* Returns how many steps devices may have at once: half as many as there are streams while the filters have work too,
 * whose short calls would else wait for the long ones of domains; one at least. A step of windows' envelopes has a
 * second stream in its second half. */
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

/* Whether spans are for the CPU. Before a thread would wait, many are, but envelopes of genomes: 1,200 models x 59 M
 * residues took 4.0 s so, else 4.7 (H200, device_first). A device with a backend of its own has the first spans of a
 * stage, however few. */
static int are_for_cpu(const stage *st, ws_chain_need need) {
    const ws_job *job = st->of->conf.job;
    if (!on_device(st)) return 1;
    const int own = are_devices_own(st, need);
    if (own && st->of->conf.device_first) return 0;
    if (need == WS_CHAIN_SPARE && st->waiting >= WORTH) return 1;
    if (own) return 0;
    if (st->of->conf.device_first && !is_last(st, need)) return 0;
    const int busy = __atomic_load_n(&st->of->calls, __ATOMIC_RELAXED) >= most_calls(need);
    return job->cpu_backend || busy || st->had || st->cells >= FEW;
}

/* Takes the oldest step; before that, if none is ready, spans become steps. */
static span *take_for_cpu(stage *st, ws_chain_need need) {
    const int worth = need == WS_CHAIN_SOME || (need == WS_CHAIN_SPARE && on_device(st));
    const int enough = need == WS_CHAIN_ANY || (worth && st->waiting >= WORTH) || st->waiting >= TOO_MANY ||
                       st->cells >= ENOUGH * st->of->conf.threads;
    if (!st->steps && st->waiting && are_for_cpu(st, need) && (enough || is_eager(st)))
        close_bucket(st, &st->bucket[need == WS_CHAIN_ANY && st->waiting < FULL ? longest_model(st) : first_model(st)]);
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

/* Returns what a device may take. While the filters have work for it, it takes envelopes, and of other spans too many
 * alone. */
static call call_of(const stage *st, ws_chain_need need) {
    const ws_dom_steps_conf *c = &st->of->conf;
    const int last = is_last(st, need), first = !c->job->cpu_backend && !st->had && st->cells < FEW;
    call k = {0, DEVICE_MOST};
    if (!last && c->device_first) {
        k.least = need == WS_CHAIN_FULL || need == WS_CHAIN_EARLY ? DEVICE_FULL : DEVICE_WORTH;
    } else if (!last && st->kind == WS_DOM_RESCORE && !c->device_first) {
        k.least = need == WS_CHAIN_SOME ? DEVICE_WORTH : DEVICE_FULL;
    } else if (!last && need != WS_CHAIN_SOME) {
        k.least = INFINITY;
    } else if ((!last || !first) && !are_devices_own(st, need)) {
        const double share = SHARE / (SHARE * (double)ws_max(ws_dev_streams(), 1) + c->threads);
        k.least = fmax(SOON * cpu_speed[st->kind] * c->threads, DEVICE_WORTH);
        k.most = fmin(fmax(st->cells * share, DEVICE_WORTH), DEVICE_MOST);
    }
    return k;
}

/* Returns how many spans a device takes although the filters have work for it. Ensembles need not be so many: threads
 * of the CPU had 180 of their 280 seconds in those of 1,200 models x 590 M residues. */
static size_t too_many(const stage *st) {
    enum { ENSEMBLES = 4 << 10 };
    return st->kind == WS_DOM_RESOLVE && !st->of->conf.device_first ? ENSEMBLES : TOO_MANY;
}

/* Takes spans of any models, linked. */
static span *take_for_device(stage *st, ws_chain_need need) {
    span *first = NULL, **end = &first;
    double cells = 0;
    if (!on_device(st) || !st->waiting) return NULL;
    const call c = call_of(st, need);
    if ((st->cells < c.least && st->waiting < too_many(st)) || !take_call(st->of, need)) return NULL;
    while (st->waiting && cells < c.most) {
        span *p = pop(st, &st->bucket[first_model(st)]);
        cells += ws_dom_waiting_cells(p);
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
    for (uint32_t e = 0; e < g->nenv && !rc; e++) rc = add_span(s, WS_DOM_RESCORE, item, g, &g->env[e], err);
    return rc;
}

/* Adds what follows from a span. */
static int go_on(ws_dom_steps *s, kind k, const span *p, ws_err *err) {
    ws_dom_pair *pair = &p->item->pair;
    int rc = WS_OK;
    if (k == WS_DOM_RESOLVE) return add_envelopes(s, p->item, p->of.region, err);
    for (uint32_t r = 0; r < pair->nregion && k == WS_DOM_PARSE && !rc; r++) {
        ws_dom_region *g = &pair->region[r];
        rc = g->multi ? add_span(s, WS_DOM_RESOLVE, p->item, g, NULL, err) : add_envelopes(s, p->item, g, err);
    }
    return rc;
}

/* Counts a span as done. The pair ends with its last one. */
static int leave(ws_dom_steps *s, ws_dom_item *item, ws_err *err) {
    if (__atomic_sub_fetch(&item->left, 1, __ATOMIC_ACQ_REL)) return WS_OK;
    const int rc = item->window ? WS_OK : ws_dom_finish(item->tables, &s->conf.options, &item->pair, err);
    return rc ? rc : s->conf.done(s->conf.own, item, err);
}

static int rescore_windows(const span *first, ws_dom_worker *w, ws_err *err) {
    ws_dom_window_envelope e[WS_DOM_OF_STEP];
    size_t n = 0;
    for (const span *p = first; p; p = p->next) e[n++] = ws_dom_waiting_window(p);
    const int rc = ws_dom_window_rescore(first->item->window, w, e, n, err);
    n = 0;
    for (const span *p = first; p; p = p->next) ws_dom_waiting_take_window(p, &e[n++]);
    return rc;
}

static int run_spans(ws_dom_steps *s, kind k, const span *first, ws_err *err) {
    ws_dom_pair *pair[WS_DOM_OF_STEP];
    ws_dom_span list[WS_DOM_OF_STEP];
    const ws_dom_tables *t = first->item->tables;
    size_t n = 0;
    ws_dom_worker *w = take_worker(s, err);
    if (!w) return err->code;
    for (const span *p = first; p; p = p->next, n++) {
        list[n] = p->of;
        pair[n] = p->of.pair;
    }
    const int rc = k == WS_DOM_PARSE            ? ws_dom_parse(t, w, pair, n, err)
                   : k == WS_DOM_RESOLVE        ? ws_dom_resolve(t, w, list, n, err)
                   : first->item->window ? rescore_windows(first, w, err)
                                         : ws_dom_rescore(t, w, list, n, err);
    give_worker(s, w);
    return rc;
}

int ws_dom_stage_end_spans(stage *st, span *first, int rc, ws_err *err) {
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

int ws_dom_stage_run_on_cpu(stage *st, span *first, ws_err *err) {
    return ws_dom_stage_end_spans(st, first, run_spans(st->of, st->kind, first, err), err);
}

static int work(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    stage *st = own;
    span *first = step->pool;
    if (t->kind == WS_CHAIN_DEVICE) return ws_dom_stage_run_on_device(st, first, err);
    return ws_dom_stage_run_on_cpu(st, first, err);
}

/* ---- all ---- */

/* Spans that wait, but those that are a step already. seconds: in which a thread does those that it may take. */
typedef struct waiting {
    size_t n;
    double cells, seconds;
} waiting;

static waiting count_waiting(ws_dom_steps *s) {
    waiting w = {0};
    for (int k = 0; k < WS_DOM_KINDS; k++) {
        pthread_mutex_lock(&s->stage[k].lock);
        w.n += s->stage[k].waiting;
        w.cells += s->stage[k].cells;
        const stage *st = &s->stage[k];
        if (!on_device(st) || !are_devices_own(st, WS_CHAIN_FULL)) w.seconds += st->cells / cpu_speed[st->kind];
        pthread_mutex_unlock(&s->stage[k].lock);
    }
    return w;
}

size_t ws_dom_steps_waiting(ws_dom_steps *s) { return count_waiting(s).n; }

int ws_dom_steps_are_many(ws_dom_steps *s) {
    const waiting w = count_waiting(s);
    return w.n >= 2 * TOO_MANY || w.cells >= MANY_CELLS;
}

int ws_dom_steps_are_few(ws_dom_steps *s) { return count_waiting(s).seconds < SOON_FEW * s->conf.threads; }

int ws_dom_steps_add(ws_dom_steps *s, ws_dom_item *item, ws_err *err) {
    return add_span(s, WS_DOM_PARSE, item, NULL, NULL, err);
}

void ws_dom_steps_stages(ws_dom_steps *s, ws_chain_stage to[WS_DOM_STEPS]) {
    static const char *const name[] = {"parse", "ensemble", "envelope"};
    for (int k = 0; k < WS_DOM_KINDS; k++) to[k] = (ws_chain_stage){&s->stage[k], take, work, left, name[k]};
    to[WS_DOM_KINDS] = ws_dom_ends_stage(&s->ends);
}

int ws_dom_steps_create(ws_dom_steps **out, const ws_dom_steps_conf *conf, ws_err *err) {
    ws_dom_steps *s = *out = ws_calloc(1, sizeof *s, err);
    if (!s) return err->code;
    s->conf = *conf;
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->ends.lock, NULL);
    s->ends.end = &s->ends.first;
    for (int k = 0; k < WS_DOM_KINDS; k++) {
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
    for (int k = 0; k < WS_DOM_KINDS; k++) release(&s->stage[k], s->conf.models);
    free_steps(s->ends.first);
    pthread_mutex_destroy(&s->ends.lock);
    while (s->nidle > 0) ws_dom_worker_destroy(s->idle[--s->nidle]);
    ws_free(s->idle);
    pthread_mutex_destroy(&s->lock);
    ws_free(s);
}
