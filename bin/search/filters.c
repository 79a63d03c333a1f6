/* SPDX-License-Identifier: MIT
 * The filters of hmmsieve as stages of a chain: see bin/search/sieve.h. */
#include "bin/search/sieve.h"

#include "bin/stages/machine.h"

#include <string.h>

#define WHOLE SIZE_MAX /* ws_chain_step.from of a step that makes a pool ready */

static uint64_t length_of(const ws_sieve_filter *f, size_t t) { return f->sieve->job->target[t].qlen; }

/* ---- pools ---- */

ws_sieve_pool *ws_sieve_filter_pool(ws_sieve_filter *f, ws_err *err) {
    ws_sieve_pool *p = ws_freelist_take(&f->idle);
    return p ? p : ws_calloc(1, sizeof *p, err);
}

static void destroy_pool(void *p) { ws_sieve_pool_release(p); }

static void recycle(ws_sieve_filter *f, ws_sieve_pool *p) {
    ws_sieve_pool_reuse(p);
    ws_freelist_give(&f->idle, p);
}

void ws_sieve_filter_put(ws_sieve_filter *f, ws_sieve_pool *p) {
    pthread_mutex_lock(&f->lock);
    ws_sieve_pool **end = &f->first;
    while (*end) end = &(*end)->next;
    *end = p;
    pthread_mutex_unlock(&f->lock);
}

_Static_assert((int)WS_SIEVE_MSV == WS_PLAN_MSV && (int)WS_SIEVE_FWD == WS_PLAN_FWD &&
               (int)WS_SIEVE_FILTERS == WS_PLAN_NO_FILTER, "filters have the plan's numbers");

static ws_plan_machine machine_of(const ws_sieve_filter *f) {
    return ws_plan_machine_of(f->sieve->job, f->sieve->job->nworker);
}

/* Returns what the plan knows of a pool. */
static ws_plan_pool plan_of(const ws_sieve_filter *f, const ws_sieve_pool *p) {
    const double bytes = (double)(p->batch.nword * sizeof *p->batch.word + p->batch.text.n);
    return (ws_plan_pool){f->kind, p->all, p->npair, p->cells, bytes};
}

static int calls_of(const ws_sieve_filter *f) { return __atomic_load_n(&f->calls, __ATOMIC_RELAXED); }

/* Returns the inlet of Viterbi to which pairs of a pool of MSV go: one of several, if the plan spreads them. */
static int choose_inlet(const ws_sieve_filter *f, const ws_sieve_pool *p) {
    const ws_sieve *s = f->sieve;
    const ws_plan_machine m = machine_of(f);
    const double passing = s->F1 * (double)ws_sieve_pairs(p, ws_sieve_models(f));
    const int spreads = !s->dom.mem_given && ws_plan_pool_spreads(&m, f->kind, passing);
    return spreads ? (int)(p->batch.number % WS_PLAN_INLETS) : 0;
}

/* Returns how many times over a pool is full; NULL: there is none. */
static double fullness(const ws_sieve_filter *f, const ws_sieve_pool *p) {
    if (!p) return 0;
    const ws_domscore *d = &f->sieve->dom;
    const ws_plan_machine m = machine_of(f);
    const ws_plan_pool q = plan_of(f, p);
    return ws_plan_pool_fullness(&m, &q, ws_plan_pool_bytes(d->mem_given ? d->mem : 0));
}

/* Closes the pool of an inlet under its lock. */
static void close_open(ws_sieve_filter *f, ws_sieve_inlet *in) {
    ws_sieve_filter_put(f, in->open);
    in->open = NULL;
}

/* Adds some pairs to the pool of an inlet under its lock, and closes it if it is full then. */
static int add_some(ws_sieve_filter *f, ws_sieve_inlet *in, ws_sieve_pool *from, const ws_sieve_pair *pair, size_t n,
                    double cells, ws_err *err) {
    if (!in->open) {
        in->open = ws_sieve_filter_pool(f, err);
        in->number++;
    }
    const int rc = in->open ? ws_sieve_pool_add(in->open, in->number, from, pair, n, err) : err->code;
    if (rc) return rc;
    in->open->cells += cells;
    if (fullness(f, in->open) >= 1) close_open(f, in);
    return WS_OK;
}

int ws_sieve_filter_add(ws_sieve_filter *f, ws_sieve_pool *from, const ws_sieve_pair *pair, size_t n, ws_err *err) {
    ws_sieve_inlet *in = &f->inlet[from->inlet];
    int rc = WS_OK;
    for (size_t i = 0, k; i < n && !rc; i += k) {
        double cells = 0;
        uint64_t residues = 0;
        for (k = 0; k < WS_PLAN_ADD_PAIRS && i + k < n && residues < WS_PLAN_ADD_RESIDUES; k++) {
            residues += from->batch.len[pair[i + k].seq];
            cells += (double)from->batch.len[pair[i + k].seq] * (double)length_of(f, pair[i + k].target);
        }
        pthread_mutex_lock(&in->lock);
        rc = add_some(f, in, from, pair + i, k, cells, err);
        pthread_mutex_unlock(&in->lock);
    }
    return rc;
}

/* ---- steps ---- */

static int take_from(ws_sieve_filter *f, ws_sieve_pool *p, const ws_chain_thread *t, ws_chain_need need,
                     ws_chain_step *step) {
    const size_t n = ws_sieve_pairs(p, ws_sieve_models(f));
    *step = (ws_chain_step){.pool = p, .from = WHOLE, .order = p->batch.n ? p->number[0] : 0};
    if (p->state == WS_SIEVE_CLOSED) {
        p->state = WS_SIEVE_TAKEN;
    } else {
        const ws_plan_machine m = machine_of(f);
        if (p->state != WS_SIEVE_READY || p->taken == n || !ws_plan_filter_is_for(&m, f->kind, t->kind, need)) return 0;
        const ws_plan_pool q = plan_of(f, p);
        step->from = p->taken;
        step->to = p->taken = ws_scan_pairs_end(&p->by_model, f->sieve->job->target, p->taken,
                                                ws_plan_filter_step(&m, &q, t->kind, calls_of(f)), &step->cells);
        step->n = step->to - step->from;
        if (t->kind == WS_CHAIN_DEVICE) {
            __atomic_add_fetch(&f->calls, 1, __ATOMIC_RELAXED);
            if (!p->user) p->user = t->number + 1;
        }
    }
    p->steps++;
    return 1;
}

/* A thread of a device prefers the pool that its stream holds, then one that no stream holds: a stream needs some
 * milliseconds to load a pool, in which it has no kernels. */
static int prefers(const ws_sieve_pool *p, const ws_chain_thread *t, int wish) {
    enum { OWN, FREE };
    return wish == OWN ? p->user == t->number + 1 : wish == FREE ? !p->user : 1;
}

static int take_closed(ws_sieve_filter *f, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    enum { WISHES = 3 };
    int found = 0;
    pthread_mutex_lock(&f->lock);
    for (int wish = t->kind == WS_CHAIN_DEVICE ? 0 : WISHES - 1; wish < WISHES && !found; wish++)
        for (ws_sieve_pool *p = f->first; p && !found; p = p->next)
            found = prefers(p, t, wish) && take_from(f, p, t, need, step);
    pthread_mutex_unlock(&f->lock);
    return found;
}

/* Closes the pool of an inlet if a thread should take it. Returns whether it did. */
static int close_early(ws_sieve_filter *f, ws_sieve_inlet *in, const ws_chain_thread *t, ws_chain_need need) {
    if (pthread_mutex_trylock(&in->lock) != 0) return 0; /* a thread adds to it, and ends soon */
    int closes = 0;
    if (in->open) {
        const ws_plan_machine m = machine_of(f);
        const ws_plan_pool q = plan_of(f, in->open);
        closes = ws_plan_pool_closes(&m, &q, fullness(f, in->open), calls_of(f), t->kind, need);
    }
    if (closes) close_open(f, in);
    pthread_mutex_unlock(&in->lock);
    return closes;
}

static int take(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    ws_sieve_filter *f = own;
    if (take_closed(f, t, need, step)) return 1;
    if (need == WS_CHAIN_FULL || need == WS_CHAIN_SPARE) return 0;
    for (int k = 0; k < WS_PLAN_INLETS; k++)
        if (close_early(f, &f->inlet[k], t, need)) return take_closed(f, t, need, step);
    return 0;
}

/* No thread works meanwhile, so no pool goes from an inlet to the list. */
static int left(void *own) {
    ws_sieve_filter *f = own;
    pthread_mutex_lock(&f->lock);
    int some = f->first != NULL;
    pthread_mutex_unlock(&f->lock);
    for (int k = 0; k < WS_PLAN_INLETS && !some; k++) {
        pthread_mutex_lock(&f->inlet[k].lock);
        some = f->inlet[k].open != NULL;
        pthread_mutex_unlock(&f->inlet[k].lock);
    }
    return some;
}

/* Returns the cells of the pairs of a pool that no thread has taken. */
static double cells_left(const ws_sieve_filter *f, const ws_sieve_pool *p) {
    const size_t n = ws_sieve_pairs(p, ws_sieve_models(f));
    return n ? p->cells * (double)(n - p->taken) / (double)n : 0;
}

double ws_sieve_filter_waiting(ws_sieve_filter *f) {
    double cells = 0;
    pthread_mutex_lock(&f->lock);
    for (const ws_sieve_pool *p = f->first; p; p = p->next) cells += cells_left(f, p);
    pthread_mutex_unlock(&f->lock);
    for (int k = 0; k < WS_PLAN_INLETS; k++) {
        if (pthread_mutex_trylock(&f->inlet[k].lock) != 0) continue; /* no decision needs all */
        if (f->inlet[k].open) cells += f->inlet[k].open->cells;
        pthread_mutex_unlock(&f->inlet[k].lock);
    }
    return cells;
}

void ws_sieve_filter_end_step(ws_sieve_filter *f, ws_sieve_pool *p, int state) {
    pthread_mutex_lock(&f->lock);
    p->state = state;
    const int done = --p->steps == 0 && state == WS_SIEVE_READY && p->taken == ws_sieve_pairs(p, ws_sieve_models(f));
    if (done) {
        ws_sieve_pool **at = &f->first;
        while (*at != p) at = &(*at)->next;
        *at = p->next;
    }
    pthread_mutex_unlock(&f->lock);
    if (done) recycle(f, p);
}

static int work(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    ws_sieve_filter *f = own;
    ws_sieve_pool *p = step->pool;
    if (step->from == WHOLE) {
        const int rc = ws_sieve_pool_make(p, ws_sieve_models(f), f->sieve->model, f->sieve->rank, f->sieve->codec, err);
        p->inlet = choose_inlet(f, p);
        for (size_t m = 0; m < ws_sieve_models(f) && p->all; m++)
            p->cells += (double)p->batch.residues * (double)length_of(f, m);
        /* a pool that failed has nothing to take */
        ws_sieve_filter_end_step(f, p, rc ? WS_SIEVE_TAKEN : WS_SIEVE_READY);
        return rc;
    }
    return ws_sieve_score(f, t, step, err);
}

/* ---- opening and closing ---- */

ws_chain_stage ws_sieve_filter_stage(ws_sieve_filter *f) {
    static const char *const name[] = {"msv", "vit", "fwd", "all"};
    static const ws_step_kind kind[] = {WS_STEP_MSV, WS_STEP_VIT, WS_STEP_FWD, WS_STEP_NONE};
    return (ws_chain_stage){f, take, work, left, name[f->kind], kind[f->kind]};
}

int ws_sieve_filter_create(ws_sieve_filter *f, ws_sieve *s, int kind, const ws_stage *stage, double p, ws_err *err) {
    *f = (ws_sieve_filter){.sieve = s, .kind = kind, .opts = {.p = p, .p_given = 1, .nobias = s->dom.cascade.nobias}};
    f->cascade = (ws_cascade){.stage = stage, .opts = &f->opts, .max_p = p};
    for (int k = 0; k < WS_PLAN_INLETS; k++) pthread_mutex_init(&f->inlet[k].lock, NULL);
    pthread_mutex_init(&f->lock, NULL);
    ws_freelist_open(&f->idle, destroy_pool);
    if (!stage || kind != WS_SIEVE_MSV) return WS_OK; /* the others meet few models */
    if (!(f->gate = ws_calloc(ws_sieve_models(f), sizeof *f->gate, err))) return err->code;
    for (size_t t = 0; t < ws_sieve_models(f); t++) {
        const ws_hmm_target *model = s->job->target[t].data;
        f->gate[t] = ws_gate_make(&f->cascade, model->hmm);
    }
    return WS_OK;
}

void ws_sieve_filter_release(ws_sieve_filter *f) {
    if (!f->sieve) return;
    for (int k = 0; k < WS_PLAN_INLETS; k++) {
        if (f->inlet[k].open) ws_sieve_pool_release(f->inlet[k].open);
        pthread_mutex_destroy(&f->inlet[k].lock);
    }
    for (ws_sieve_pool *p = f->first, *next; p; p = next) {
        next = p->next;
        ws_sieve_pool_release(p);
    }
    ws_freelist_close(&f->idle);
    ws_free(f->gate);
    pthread_mutex_destroy(&f->lock);
}
