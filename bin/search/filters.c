/* SPDX-License-Identifier: MIT
 * The filters of hmmsieve as stages of a chain: see bin/search/sieve.h. */
#include "bin/search/sieve.h"

#include <math.h>
#include <string.h>

#define WHOLE SIZE_MAX /* ws_chain_step.from of a step that makes a pool ready */

/* Cells of a step on the CPU: milliseconds of a core; most: about twenty (bench/data/kernels-zen5.txt). */
static const struct {
    double least, most;
} step_cells[] = {{3e7, 3e8}, {7e6, 1.4e8}, {3e6, 5e7}, {1e6, 3e7}};

/* A call of a device should have as many cells, or pairs, since the host's share of a pair that passed a filter is
 * larger. A call lasts as long as its longest sequence, some 4 ms for 4,910 residues: with 16,000 pairs the kernels of
 * vitfilt took 0.65 s for 3.5 million pairs, with 60,000 0.33, 125,000 0.28, 250,000 0.27. Streams share the cells
 * of a search: 1,200 models x E. coli are 2.8e11, and took 1.08 s with calls of 2e11 cells, 0.82 with 5e10. A fifth
 * of a large pool is more: 100 models x 400 M residues took 4.2 s with 5e10, 3.9 with 2e11, 4.1 with 6e11 (H200). */
#define DEVICE_CELLS 5e10
#define DEVICE_MOST_CELLS 2e11
/* The first calls of a filter have fewer cells, and need fewer pairs: a FIRST_SHAREth. Threads of the CPU have nothing
 * to do until some have passed. A trace of 1,200 models x 59 M residues had its first domains at 0.4 s of 3 (H100). */
#define DEVICE_FIRST_CELLS 2e10
enum { FIRST_CALLS = 8, FIRST_SHARE = 8 };
enum { DEVICE_PAIRS = 125000, DEVICE_FIRST_PAIRS = 4 << 20, TASKS_MAX = 2048, CALLS = 5 };

/* When a pool is full. A model meets few sequences of a small pool, and vector bodies that interleave sequences run out
 * of them: with four times as many fwdscore takes a seventh less processor time (2,766 models x E. coli, AVX-512).
 * FULL_BYTES bounds memory where all sequences pass, as those of a family do: each stream holds a pool and a pinned
 * copy of it, and each filter has further pools. Codes take as much again. */
#define FULL_CELLS 4e9
enum { FULL_PAIRS = 128 << 10, FULL_BYTES = 64 << 20, FULL_FOR_DEVICE = 4, SOME = 4 };

/* After Forward each pair is a millisecond of a core. So with a device its pool is full early. While cores wait, fewer
 * pairs are worth a call: without that, all domains of 100 models x 400 M residues came after the last MSV, and the run
 * took 5.9 s for 4.2 (H200, cuda). Not where a device has the domains too, since their calls last long and MSV's wait
 * for them: 100 models x 1 G residues took 12.8 s for 9.6. Calls of few pairs hold many multiprocessors while a few
 * warps work: 100 queries x 1 G residues took 3.63 s with 8,192 pairs of Viterbi, 3.54 with 24,576 (H100, means of
 * four). */
enum { FULL_FOR_DEVICE_FWD_PAIRS = 16 << 10, WORTH_FOR_DEVICE = 24 << 10, WORTH_FOR_DEVICE_FWD = 2 << 10 };

static uint64_t length_of(const ws_sieve_filter *f, size_t t) { return f->sieve->job->target[t].qlen; }

/* ---- pools ---- */

ws_sieve_pool *ws_sieve_filter_pool(ws_sieve_filter *f, ws_err *err) {
    pthread_mutex_lock(&f->lock);
    ws_sieve_pool *p = f->free;
    if (p) f->free = p->next;
    pthread_mutex_unlock(&f->lock);
    if (!p) return ws_calloc(1, sizeof *p, err);
    p->next = NULL;
    return p;
}

static void recycle(ws_sieve_filter *f, ws_sieve_pool *p) {
    ws_sieve_pool_reuse(p);
    pthread_mutex_lock(&f->lock);
    p->next = f->free;
    f->free = p;
    pthread_mutex_unlock(&f->lock);
}

void ws_sieve_filter_put(ws_sieve_filter *f, ws_sieve_pool *p) {
    pthread_mutex_lock(&f->lock);
    ws_sieve_pool **end = &f->first;
    while (*end) end = &(*end)->next;
    *end = p;
    pthread_mutex_unlock(&f->lock);
}

/* Returns the inlet of Viterbi to which pairs of a pool of MSV go. Where a batch alone brings a device enough pairs for
 * a call, batches go to several inlets. One pool for all had a copy of each sequence of all batches in flight, and
 * threads waited for one another to add to it. They did little else in the first second of 1,200 models x 590 M
 * residues, 16 threads and two H100 (a trace). */
static int choose_inlet(const ws_sieve_filter *f, const ws_sieve_pool *p) {
    const ws_sieve *s = f->sieve;
    const double expected = s->F1 * (double)ws_sieve_pairs(p, ws_sieve_models(f));
    const int many = f->kind == WS_SIEVE_MSV && !s->dom.mem_given && expected >= WORTH_FOR_DEVICE;
    return many && ws_job_has_device(s->job) ? (int)(p->batch.number % WS_SIEVE_INLETS) : 0;
}

/* Returns the bytes of words and text with which a pool is full: less under a --mem that is given. */
static double full_bytes(const ws_sieve_filter *f) {
    enum { LEAST = 1 << 20, SHARE = 256 };
    const ws_domscore *d = &f->sieve->dom;
    return d->mem_given ? fmin(fmax((double)d->mem / SHARE, LEAST), FULL_BYTES) : FULL_BYTES;
}

/* Returns how many times over a pool is full; NULL: there is none. */
static double fullness(const ws_sieve_filter *f, const ws_sieve_pool *p) {
    if (!p || !p->npair) return 0;
    const int device = ws_job_has_device(f->sieve->job);
    const double more = device ? FULL_FOR_DEVICE : 1;
    const double full = device && f->kind == WS_SIEVE_FWD ? FULL_FOR_DEVICE_FWD_PAIRS : more * FULL_PAIRS;
    const double pairs = (double)p->npair / full, cells = p->cells / (FULL_CELLS * (device ? 200 : 1));
    const double bytes = (double)(p->batch.nword * sizeof *p->batch.word + p->batch.text.n) / full_bytes(f);
    return fmax(fmax(pairs, cells), bytes);
}

/* Whether the next call of a device is one of the first. */
static int is_first(const ws_sieve_filter *f) { return __atomic_load_n(&f->calls, __ATOMIC_RELAXED) < FIRST_CALLS; }

/* Whether an open pool, which is `full`, is worth a step. */
static int is_worth(const ws_sieve_filter *f, const ws_sieve_pool *p, double full) {
    if (!ws_job_has_device(f->sieve->job)) return full * SOME >= 1;
    const size_t worth = f->kind == WS_SIEVE_FWD ? WORTH_FOR_DEVICE_FWD : WORTH_FOR_DEVICE;
    return p->npair >= (is_first(f) ? worth / FIRST_SHARE : worth);
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
    /* a thread has the lock for so many: a pool is larger than a full one by as many at most */
    enum { SOME_PAIRS = 512, SOME_RESIDUES = 1 << 20 };
    ws_sieve_inlet *in = &f->inlet[from->inlet];
    int rc = WS_OK;
    for (size_t i = 0, k; i < n && !rc; i += k) {
        double cells = 0;
        uint64_t residues = 0;
        for (k = 0; k < SOME_PAIRS && i + k < n && residues < SOME_RESIDUES; k++) {
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

/* Whether pairs of a filter are for threads of this kind. Those of the CPU leave them to a device, which is 40 times
 * faster, since domains wait for the CPU: 1,200 models x 59 M residues took 6.2 s where both kinds took pairs, 4.5 s
 * without the CPU (H200). With both backends the CPU's threads help before they would wait. */
static int is_for(const ws_sieve_filter *f, ws_chain_kind kind, ws_chain_need need) {
    const ws_job *job = f->sieve->job;
    const int device = ws_job_has_device(job);
    if (f->kind == WS_SIEVE_FILTERS) return kind == WS_CHAIN_CPU;
    if (kind == WS_CHAIN_DEVICE) return device;
    return (job->cpu_backend || !job->backend->start) && (!device || need == WS_CHAIN_SPARE);
}

/* How much a step may take. */
typedef struct budget {
    double cells;
    size_t pairs, tasks;
} budget;

static budget budget_of(const ws_sieve_filter *f, const ws_sieve_pool *p, ws_chain_kind kind) {
    if (kind == WS_CHAIN_DEVICE) {
        const double share = fmin(fmax(p->cells / CALLS, DEVICE_CELLS), DEVICE_MOST_CELLS);
        const double cells = is_first(f) ? DEVICE_FIRST_CELLS : share;
        return (budget){cells, p->all ? DEVICE_FIRST_PAIRS : DEVICE_PAIRS, TASKS_MAX};
    }
    const double share = p->cells / (4.0 * f->sieve->job->nworker);
    return (budget){fmin(fmax(share, step_cells[f->kind].least), step_cells[f->kind].most), SIZE_MAX, SIZE_MAX};
}

/* Returns the end of a step that begins with pair `from`: at least one pair. */
static size_t end_of_step(const ws_sieve_filter *f, const ws_sieve_pool *p, size_t from, budget b) {
    const size_t models = ws_sieve_models(f), n = ws_sieve_pairs(p, models);
    size_t i = from, tasks = 0;
    double cells = 0;
    for (size_t r = ws_sieve_pool_rank(p, models, from); i < n && tasks < b.tasks; r++) {
        const double nodes = (double)length_of(f, f->sieve->model[r]), whole = (double)p->batch.residues * nodes;
        const size_t end = ws_sieve_pool_start(p, r + 1);
        if (p->all && i == ws_sieve_pool_start(p, r) && cells + whole <= b.cells && end - from <= b.pairs) {
            cells += whole;
            i = end;
        }
        for (; i < end && cells < b.cells && i - from < b.pairs; i++)
            cells += (double)p->batch.len[ws_sieve_pool_seq(p, i)] * nodes;
        tasks += end > ws_sieve_pool_start(p, r);
        if (i < end || cells >= b.cells || i - from >= b.pairs) break;
    }
    return i;
}

static int take_from(ws_sieve_filter *f, ws_sieve_pool *p, const ws_chain_thread *t, ws_chain_need need,
                     ws_chain_step *step) {
    const size_t n = ws_sieve_pairs(p, ws_sieve_models(f));
    *step = (ws_chain_step){.pool = p, .from = WHOLE, .order = p->batch.n ? p->number[0] : 0};
    if (p->state == WS_SIEVE_CLOSED) {
        p->state = WS_SIEVE_TAKEN;
    } else {
        if (p->state != WS_SIEVE_READY || p->taken == n || !is_for(f, t->kind, need)) return 0;
        step->from = p->taken;
        step->to = p->taken = end_of_step(f, p, p->taken, budget_of(f, p, t->kind));
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
    const double full = fullness(f, in->open);
    const int closes = is_for(f, t->kind, need) && full > 0 && (need == WS_CHAIN_ANY || is_worth(f, in->open, full));
    if (closes) close_open(f, in);
    pthread_mutex_unlock(&in->lock);
    return closes;
}

static int take(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    ws_sieve_filter *f = own;
    if (take_closed(f, t, need, step)) return 1;
    if (need == WS_CHAIN_FULL || need == WS_CHAIN_SPARE) return 0;
    for (int k = 0; k < WS_SIEVE_INLETS; k++)
        if (close_early(f, &f->inlet[k], t, need)) return take_closed(f, t, need, step);
    return 0;
}

/* No thread works meanwhile, so no pool goes from an inlet to the list. */
static int left(void *own) {
    ws_sieve_filter *f = own;
    pthread_mutex_lock(&f->lock);
    int some = f->first != NULL;
    pthread_mutex_unlock(&f->lock);
    for (int k = 0; k < WS_SIEVE_INLETS && !some; k++) {
        pthread_mutex_lock(&f->inlet[k].lock);
        some = f->inlet[k].open != NULL;
        pthread_mutex_unlock(&f->inlet[k].lock);
    }
    return some;
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
        const int rc = ws_sieve_pool_make(p, ws_sieve_models(f), f->sieve->rank, f->sieve->codec, err);
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
    return (ws_chain_stage){f, take, work, left, name[f->kind]};
}

int ws_sieve_filter_create(ws_sieve_filter *f, ws_sieve *s, int kind, const ws_stage *stage, double p, ws_err *err) {
    *f = (ws_sieve_filter){.sieve = s, .kind = kind, .opts = {.p = p, .p_given = 1, .nobias = s->dom.cascade.nobias}};
    f->cascade = (ws_cascade){.stage = stage, .opts = &f->opts, .max_p = p};
    for (int k = 0; k < WS_SIEVE_INLETS; k++) pthread_mutex_init(&f->inlet[k].lock, NULL);
    pthread_mutex_init(&f->lock, NULL);
    if (!stage) return WS_OK;
    if (!(f->gate = ws_calloc(ws_sieve_models(f), sizeof *f->gate, err))) return err->code;
    for (size_t t = 0; t < ws_sieve_models(f); t++) {
        const ws_hmm_target *model = s->job->target[t].data;
        f->gate[t] = ws_gate_make(&f->cascade, model->hmm);
    }
    return WS_OK;
}

static void release_pools(ws_sieve_pool *p) {
    for (ws_sieve_pool *next; p; p = next) {
        next = p->next;
        ws_sieve_pool_release(p);
    }
}

void ws_sieve_filter_release(ws_sieve_filter *f) {
    if (!f->sieve) return;
    for (int k = 0; k < WS_SIEVE_INLETS; k++) {
        if (f->inlet[k].open) ws_sieve_pool_release(f->inlet[k].open);
        pthread_mutex_destroy(&f->inlet[k].lock);
    }
    release_pools(f->first);
    release_pools(f->free);
    ws_free(f->gate);
    pthread_mutex_destroy(&f->lock);
}
