/* SPDX-License-Identifier: MIT
 * Pools of sequences and pairs: what they hold, which wait before a filter, and what threads take of them. See
 * bin/search/sieve.h. */
#include "bin/search/sieve.h"

#include "bin/stages/machine.h"
#include "lib/base/counting_sort.h"

#include <string.h>

/* ---- a pool ---- */

/* Empties a pool and keeps its memory. */
static void reuse(ws_sieve_pool *p) {
    for (size_t i = 0; i < ws_min(p->batch.n, p->copy_cap); i++) ws_dom_seq_leave(p->copy[i].whole);
    if (p->copy) memset(p->copy, 0, p->copy_cap * sizeof *p->copy);
    ws_batch_reuse(&p->batch);
    p->npair = p->taken = 0;
    p->cells = 0;
    p->state = p->user = 0;
    p->next = NULL;
}

void ws_sieve_pool_release(ws_sieve_pool *p) {
    reuse(p);
    ws_batch_release(&p->batch);
    ws_buf_release(&p->codes);
    ws_buf_release(&p->lengths);
    ws_free(p->number);
    ws_free(p->block);
    ws_free(p->pair);
    ws_free(p->item);
    ws_free(p->start);
    ws_free(p->null2);
    ws_free(p->msv);
    ws_free(p->copy);
    ws_free(p);
}

/* Copies a sequence of another pool. */
static int copy_seq(ws_sieve_pool *p, const ws_sieve_pool *from, uint32_t seq, ws_err *err) {
    int rc = ws_grow(&p->number, &p->number_cap, p->batch.n + 1, sizeof *p->number, err);
    if (!rc) p->number[p->batch.n] = from->number[seq];
    if (!rc && from->block) {
        rc = ws_grow(&p->block, &p->block_cap, p->batch.n + 1, sizeof *p->block, err);
        if (!rc) p->block[p->batch.n] = from->block[seq];
    }
    return rc ? rc : ws_batch_copy_seq(&p->batch, &from->batch, seq, err);
}

/* Adds n pairs whose sequences are numbers `seq` of another pool. `number` is that of this pool. Returns WS_ENOMEM on
 * failure. */
static int add_pairs(ws_sieve_pool *p, uint64_t number, ws_sieve_pool *from, const ws_sieve_pair *pair, size_t n,
                     ws_err *err) {
    int rc = ws_grow(&p->pair, &p->pair_cap, p->npair + n, sizeof *p->pair, err);
    for (size_t i = 0; i < n && !rc; i++) {
        ws_sieve_copy *copy = &from->copy[pair[i].seq];
        if (copy->pool != number) {
            if ((rc = copy_seq(p, from, pair[i].seq, err))) break;
            copy->pool = number;
            copy->seq = (uint32_t)(p->batch.n - 1);
        }
        p->pair[p->npair] = pair[i];
        p->pair[p->npair++].seq = copy->seq;
    }
    return rc;
}

/* Lists the pairs by the rank of their models, and those of a model in their order. */
static int sort_pairs(ws_sieve_pool *p, size_t models, const uint32_t *rank, ws_err *err) {
    int rc = ws_grow(&p->null2, &p->null2_cap, p->npair, sizeof *p->null2, err);
    if (!rc) rc = ws_grow(&p->msv, &p->msv_cap, p->npair, sizeof *p->msv, err);
    if (!rc) rc = ws_grow(&p->start, &p->start_cap, models + 2, sizeof *p->start, err);
    if (rc) return rc;
    const ws_keys by_rank = {p->pair, sizeof *p->pair, offsetof(ws_sieve_pair, target), p->npair, 0, (uint32_t)models,
                             rank};
    ws_counting_sort(&by_rank, p->item, p->start);
    for (size_t i = 0; i < p->npair; i++) {
        const ws_sieve_pair *pair = &p->pair[p->item[i]];
        p->item[i] = pair->seq;
        p->null2[i] = pair->null2;
        p->msv[i] = pair->msv;
    }
    return WS_OK;
}

/* Makes a closed pool ready. model: so many, by rank; rank: of each. Returns WS_ENOMEM on failure. */
static int make_ready(ws_sieve_pool *p, size_t models, const uint32_t *model, const uint32_t *rank,
                      const ws_codec *codec, ws_err *err) {
    const ws_batch *b = &p->batch;
    const size_t had = p->copy_cap;
    ws_lenmodel *lm = ws_buf_scratch(&p->lengths, b->n * sizeof *lm, err);
    int rc = lm ? ws_scan_unpack(&p->seqs, b, codec, &p->codes, err) : err->code;
    if (!rc) rc = ws_grow(&p->copy, &p->copy_cap, b->n, sizeof *p->copy, err);
    if (!rc && p->copy_cap > had) memset(p->copy + had, 0, (p->copy_cap - had) * sizeof *p->copy);
    if (!rc) rc = ws_grow(&p->item, &p->item_cap, p->all ? b->n : p->npair, sizeof *p->item, err);
    if (!rc && !p->all) rc = sort_pairs(p, models, rank, err);
    if (rc) return rc;
    for (size_t i = 0; i < b->n && p->all; i++) p->item[i] = (uint32_t)i;
    p->by_model = (ws_scan_pairs){b, model, 0, models, p->item, p->all ? NULL : p->start, b->n, p->all};
    for (size_t i = 0; i < b->n; i++) ws_lenmodel_set(&lm[i], b->len[i]);
    p->seqs.perseq = lm;
    p->seqs.identity = ws_dev_identity();
    return WS_OK;
}

static uint64_t length_of(const ws_sieve_filter *f, size_t t) { return f->sieve->job->target[t].qlen; }

/* ---- the pools of a filter ---- */

ws_sieve_pool *ws_sieve_filter_pool(ws_sieve_filter *f, ws_err *err) {
    ws_sieve_pool *p = ws_freelist_take(&f->idle);
    return p ? p : ws_calloc(1, sizeof *p, err);
}

static void destroy_pool(void *p) { ws_sieve_pool_release(p); }

static void recycle(ws_sieve_filter *f, ws_sieve_pool *p) {
    reuse(p);
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
    const int rc = in->open ? add_pairs(in->open, in->number, from, pair, n, err) : err->code;
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

/* ---- what threads take ---- */

static int take_from(ws_sieve_filter *f, ws_sieve_pool *p, const ws_chain_thread *t, ws_chain_need need,
                     ws_chain_step *step) {
    const size_t n = ws_sieve_pairs(p, ws_sieve_models(f));
    *step = (ws_chain_step){.pool = p, .from = WS_SIEVE_WHOLE, .order = p->batch.n ? p->number[0] : 0};
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

int ws_sieve_filter_take(ws_sieve_filter *f, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    if (take_closed(f, t, need, step)) return 1;
    if (need == WS_CHAIN_FULL || need == WS_CHAIN_SPARE) return 0;
    for (int k = 0; k < WS_PLAN_INLETS; k++)
        if (close_early(f, &f->inlet[k], t, need)) return take_closed(f, t, need, step);
    return 0;
}

int ws_sieve_filter_left(ws_sieve_filter *f) {
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

int ws_sieve_filter_ready(ws_sieve_filter *f, ws_sieve_pool *p, ws_err *err) {
    const size_t models = ws_sieve_models(f);
    const int rc = make_ready(p, models, f->sieve->model, f->sieve->rank, f->sieve->codec, err);
    p->inlet = choose_inlet(f, p);
    for (size_t m = 0; m < models && p->all; m++) p->cells += (double)p->batch.residues * (double)length_of(f, m);
    /* a pool that failed has nothing to take */
    ws_sieve_filter_end_step(f, p, rc ? WS_SIEVE_TAKEN : WS_SIEVE_READY);
    return rc;
}

/* ---- opening and closing ---- */

void ws_sieve_filter_open_pools(ws_sieve_filter *f) {
    for (int k = 0; k < WS_PLAN_INLETS; k++) pthread_mutex_init(&f->inlet[k].lock, NULL);
    pthread_mutex_init(&f->lock, NULL);
    ws_freelist_open(&f->idle, destroy_pool);
}

void ws_sieve_filter_close_pools(ws_sieve_filter *f) {
    for (int k = 0; k < WS_PLAN_INLETS; k++) {
        if (f->inlet[k].open) ws_sieve_pool_release(f->inlet[k].open);
        pthread_mutex_destroy(&f->inlet[k].lock);
    }
    for (ws_sieve_pool *p = f->first, *next; p; p = next) {
        next = p->next;
        ws_sieve_pool_release(p);
    }
    ws_freelist_close(&f->idle);
    pthread_mutex_destroy(&f->lock);
}
