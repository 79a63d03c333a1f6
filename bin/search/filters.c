/* SPDX-License-Identifier: MIT
 * The filters of hmmsieve as stages of a chain: see bin/search/sieve.h. */
#include "bin/search/sieve.h"

#include <math.h>
#include <string.h>

enum { CLOSED, TAKEN, READY }; /* ws_sieve_pool.state */
#define WHOLE SIZE_MAX         /* ws_chain_step.from of a step that makes a pool ready */

/* Cells of a step on the CPU: milliseconds of a core; most: about twenty (bench/kernels-zen5.txt). */
static const struct {
    double least, most;
} step_cells[] = {{3e7, 3e8}, {7e6, 1.4e8}, {3e6, 5e7}, {1e6, 3e7}};

/* A call of a device should have as many cells, or pairs, since the host's share of a pair that passed a filter is
 * larger. A call lasts as long as its longest sequence, some 4 ms for 4,910 residues: with 16,000 pairs the kernels of
 * vitfilt took 0.65 s for 3.5 million pairs, with 60,000 0.33, 125,000 0.28, 250,000 0.27. Four streams share the cells
 * of a search: 1,200 models x E. coli are 2.8e11, and took 1.08 s with calls of 2e11 cells, 0.82 with 5e10. A fifth
 * of a large pool is more: 100 models x 400 M residues took 4.2 s with 5e10, 3.9 with 2e11, 4.1 with 6e11 (H200). */
#define DEVICE_CELLS 5e10
#define DEVICE_MOST_CELLS 2e11
enum { DEVICE_PAIRS = 125000, DEVICE_FIRST_PAIRS = 4 << 20, TASKS_MAX = 2048, CALLS = 5 };

/* When a pool is full. A model meets few sequences of a small pool, and vector bodies that interleave sequences run out
 * of them: with four times as many fwdscore takes a seventh less processor time (2,766 models x E. coli, AVX-512). */
#define FULL_CELLS 4e9
enum { FULL_PAIRS = 128 << 10, FULL_BYTES = 64 << 20, FULL_FOR_DEVICE = 4, SOME = 4 };

/* After Forward each pair is a millisecond of a core. So with a device its pool is full early. While cores wait, fewer
 * pairs are worth a call: without that, all domains of 100 models x 400 M residues came after the last MSV, and the run
 * took 5.9 s for 4.2 (H200, cuda). Not where a device has the domains too, since their calls last long and MSV's wait
 * for them: 100 models x 1 G residues took 12.8 s for 9.6. */
enum { FULL_FOR_DEVICE_FWD_PAIRS = 16 << 10, WORTH_FOR_DEVICE = 8 << 10, WORTH_FOR_DEVICE_FWD = 2 << 10 };

static size_t models_of(const ws_sieve_filter *f) { return f->sieve->job->ntarget; }
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

/* Returns how many times over the open pool is full. */
static double fullness(const ws_sieve_filter *f) {
    const ws_sieve_pool *p = f->open;
    if (!p || !p->npair) return 0;
    const int device = ws_job_has_device(f->sieve->job);
    const double more = device ? FULL_FOR_DEVICE : 1;
    const double full = device && f->kind == WS_SIEVE_FWD ? FULL_FOR_DEVICE_FWD_PAIRS : more * FULL_PAIRS;
    const double pairs = (double)p->npair / full, cells = p->cells / (FULL_CELLS * (device ? 200 : 1));
    const double bytes = (double)(p->batch.nword * sizeof *p->batch.word + p->batch.text.n) / (more * FULL_BYTES);
    return fmax(fmax(pairs, cells), bytes);
}

/* Whether the open pool, which is `full`, is worth a step. */
static int is_worth(const ws_sieve_filter *f, double full) {
    if (!ws_job_has_device(f->sieve->job)) return full * SOME >= 1;
    return f->open && f->open->npair >= (f->kind == WS_SIEVE_FWD ? WORTH_FOR_DEVICE_FWD : WORTH_FOR_DEVICE);
}

/* Closes the open pool under its lock. */
static void close_open(ws_sieve_filter *f) {
    ws_sieve_filter_put(f, f->open);
    f->open = NULL;
}

int ws_sieve_filter_add(ws_sieve_filter *f, ws_sieve_pool *from, const ws_sieve_pair *pair, size_t n, ws_err *err) {
    int rc = WS_OK;
    pthread_mutex_lock(&f->filling);
    for (size_t i = 0; i < n && !rc; i++) {
        if (!f->open) {
            f->open = ws_sieve_filter_pool(f, err);
            f->number++;
        }
        rc = f->open ? ws_sieve_pool_add(f->open, f->number, from, &pair[i], err) : err->code;
        if (rc) break;
        f->open->cells += (double)from->batch.len[pair[i].seq] * (double)length_of(f, pair[i].target);
        if (fullness(f) >= 1) close_open(f);
    }
    pthread_mutex_unlock(&f->filling);
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
        const double cells = fmin(fmax(p->cells / CALLS, DEVICE_CELLS), DEVICE_MOST_CELLS);
        return (budget){cells, p->all ? DEVICE_FIRST_PAIRS : DEVICE_PAIRS, TASKS_MAX};
    }
    const double share = p->cells / (4.0 * f->sieve->job->nworker);
    return (budget){fmin(fmax(share, step_cells[f->kind].least), step_cells[f->kind].most), SIZE_MAX, SIZE_MAX};
}

/* Returns the model of pair number i. */
static size_t model_at(const ws_sieve_pool *p, size_t models, size_t i) {
    size_t from = 0, to = models;
    if (p->all) return i / p->batch.n;
    while (to - from > 1) { /* start[from] <= i < start[to] */
        const size_t middle = (from + to) / 2;
        if (p->start[middle] <= i) from = middle;
        else to = middle;
    }
    return from;
}

/* Returns where the pairs of a model begin; of `models` where the last ones end. */
static size_t start_of(const ws_sieve_pool *p, size_t t) { return p->all ? t * p->batch.n : p->start[t]; }
static size_t seq_at(const ws_sieve_pool *p, size_t i) { return p->all ? i % p->batch.n : p->item[i]; }

/* Returns the end of a step that begins with pair `from`: at least one pair. */
static size_t end_of_step(const ws_sieve_filter *f, const ws_sieve_pool *p, size_t from, budget b) {
    const size_t models = models_of(f), n = ws_sieve_pairs(p, models);
    size_t i = from, tasks = 0;
    double cells = 0;
    for (size_t t = model_at(p, models, from); i < n && tasks < b.tasks; t++) {
        const double whole = (double)p->batch.residues * (double)length_of(f, t);
        const size_t end = start_of(p, t + 1);
        if (p->all && i == start_of(p, t) && cells + whole <= b.cells && end - from <= b.pairs) {
            cells += whole;
            i = end;
        }
        for (; i < end && cells < b.cells && i - from < b.pairs; i++)
            cells += (double)p->batch.len[seq_at(p, i)] * (double)length_of(f, t);
        tasks += end > start_of(p, t);
        if (i < end || cells >= b.cells || i - from >= b.pairs) break;
    }
    return i;
}

static int take_from(const ws_sieve_filter *f, ws_sieve_pool *p, const ws_chain_thread *t, ws_chain_need need,
                     ws_chain_step *step) {
    const size_t n = ws_sieve_pairs(p, models_of(f));
    *step = (ws_chain_step){.pool = p, .from = WHOLE, .order = p->batch.n ? p->number[0] : 0};
    if (p->state == CLOSED) {
        p->state = TAKEN;
    } else {
        if (p->state != READY || p->taken == n || !is_for(f, t->kind, need)) return 0;
        step->from = p->taken;
        step->to = p->taken = end_of_step(f, p, p->taken, budget_of(f, p, t->kind));
    }
    p->steps++;
    return 1;
}

static int take_closed(ws_sieve_filter *f, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    int found = 0;
    pthread_mutex_lock(&f->lock);
    for (ws_sieve_pool *p = f->first; p && !found; p = p->next) found = take_from(f, p, t, need, step);
    pthread_mutex_unlock(&f->lock);
    return found;
}

static int take(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    ws_sieve_filter *f = own;
    if (take_closed(f, t, need, step)) return 1;
    if (need == WS_CHAIN_FULL || need == WS_CHAIN_SPARE) return 0;
    if (pthread_mutex_trylock(&f->filling) != 0) return 0; /* a thread adds to it, and ends soon */
    const double full = fullness(f);
    const int closes = is_for(f, t->kind, need) && full > 0 && (need == WS_CHAIN_ANY || is_worth(f, full));
    if (closes) close_open(f);
    pthread_mutex_unlock(&f->filling);
    return closes && take_closed(f, t, need, step);
}

static int left(void *own) {
    ws_sieve_filter *f = own;
    pthread_mutex_lock(&f->filling);
    pthread_mutex_lock(&f->lock);
    const int some = f->open || f->first;
    pthread_mutex_unlock(&f->lock);
    pthread_mutex_unlock(&f->filling);
    return some;
}

/* Ends a step. The thread that ends the last one of a pool takes the pool out of the list. */
static void end_step(ws_sieve_filter *f, ws_sieve_pool *p, int state) {
    pthread_mutex_lock(&f->lock);
    p->state = state;
    const int done = --p->steps == 0 && state == READY && p->taken == ws_sieve_pairs(p, models_of(f));
    if (done) {
        ws_sieve_pool **at = &f->first;
        while (*at != p) at = &(*at)->next;
        *at = p->next;
    }
    pthread_mutex_unlock(&f->lock);
    if (done) recycle(f, p);
}

/* ---- scores ---- */

static ws_sieve_memory *take_memory(ws_sieve *s, ws_err *err) {
    pthread_mutex_lock(&s->lock);
    ws_sieve_memory *m = s->idle;
    if (m) s->idle = m->next;
    pthread_mutex_unlock(&s->lock);
    return m ? m : ws_calloc(1, sizeof *m, err);
}

static void give_memory(ws_sieve *s, ws_sieve_memory *m) {
    pthread_mutex_lock(&s->lock);
    m->next = s->idle;
    s->idle = m;
    pthread_mutex_unlock(&s->lock);
}

/* A step's pairs, and who scores them. */
typedef struct scoring {
    ws_sieve_filter *f;
    ws_sieve_pool *p;
    ws_sieve_memory *m;
    const ws_backend *backend; /* one of ws_sieve_backends */
    size_t from, to;
} scoring;

/* hmmscan needs the cutoffs of a model when a sequence has passed its first filter, hmmsearch at once. */
static int check_cut(const ws_sieve_filter *f, const ws_sieve_pool *p, uint32_t seq, uint32_t m, ws_err *err) {
    const ws_sieve *s = f->sieve;
    const ws_hmm *hmm = ((const ws_hmm_target *)s->job->target[m].data)->hmm;
    char name[WS_QUOTE_MAX];
    const ws_slice text = p->batch.seqtext[seq].name;
    if (s->dom.cut < 0 || hmm->has_cut[s->dom.cut]) return WS_OK;
    const int rc = ws_thresholds_check_cut(hmm, s->dom.cut, err);
    ws_err_prefix(err, "sequence %s: ", ws_quote(name, ws_batch_text(&p->batch, text), text.n));
    return rc;
}

/* With --scan, counts for a sequence that a model passed a filter. */
static void count_passed(const scoring *g, const ws_task *task, const ws_pending *q, int filter) {
    const size_t seq = ws_task_item(task, q->place);
    if (g->p->block) ws_sieve_scan_count(g->p->block[seq], g->p->number[seq], filter);
}

static int pass(scoring *g, const ws_task *task, const ws_pending *q, size_t from, ws_err *err) {
    const uint32_t seq = (uint32_t)ws_task_item(task, q->place);
    const int rc = check_cut(g->f, g->p, seq, task->target, err);
    if (rc) return rc;
    const ws_fscore *score = task->score;
    const ws_sieve_pair pair = {seq, task->target, q->null2,
                                g->f->kind == WS_SIEVE_MSV ? score[q->place].nats : g->p->msv[from + q->place]};
    return ws_buf_add(&g->m->passed, &pair, sizeof pair, err);
}

static int decide(scoring *g, const ws_task *task, size_t from, ws_err *err) {
    const ws_sieve_filter *f = g->f;
    const ws_sieve_pool *p = g->p;
    const ws_hmm_target *model = f->sieve->job->target[task->target].data;
    const ws_decider d = {.c = &f->cascade, .model = model, .gate = f->gate[task->target],
                          .cpu = &f->sieve->job->machine.cpu, .knows_msv = !p->all,
                          .list = ws_seqlist_of(&p->seqs, task->item, task->n),
                          .score = task->score, .hint = task->hint};
    ws_pending *q = ws_buf_scratch(&g->m->pending, task->n * (sizeof *q + WS_DECIDE_ROOM), err);
    if (!q) return err->code;
    uint64_t passed[2] = {0};
    const size_t n = ws_decide_screen(&d, &passed[0], q);
    for (size_t i = 0; i < n && !p->all; i++) {
        q[i].null2 = p->null2[from + q[i].place];
        q[i].msv = p->msv[from + q[i].place];
    }
    for (size_t i = 0; i < n && f->kind == WS_SIEVE_MSV; i++)
        if (q[i].pass) count_passed(g, task, &q[i], 0);
    ws_decide_null_scores(&d, q, n, q + task->n);
    int rc = WS_OK;
    for (size_t i = 0; i < n && !rc; i++) {
        if (!ws_decide_pair(&d, &q[i])) continue;
        passed[1]++;
        count_passed(g, task, &q[i], f->kind + 1);
        rc = pass(g, task, &q[i], from, err);
    }
    uint64_t *count = f->sieve->passed.count[task->target];
    if (f->kind == WS_SIEVE_MSV) __atomic_add_fetch(&count[0], passed[0], __ATOMIC_RELAXED);
    __atomic_add_fetch(&count[f->kind + 1], passed[1], __ATOMIC_RELAXED);
    return rc;
}

/* Gives the tasks of a call room for the items that may pass, where a device may leave the others out: its gate must
 * reject no pair that this stage's keeps. A pair that the host need not look at saves some 25 ns. WS_ENOMEM. */
static int let_screen(scoring *g, ws_task *task, size_t n, size_t pairs, ws_err *err) {
    const ws_sieve_filter *f = g->f;
    int may = g->backend->start && g->p->all;
    for (size_t k = 0; k < n; k++) {
        task[k].kept = NULL; /* the CPU may score again what a device has begun */
        const ws_gate *own = &f->gate[task[k].target],
                      *target = &((const ws_hmm_target *)f->sieve->job->target[task[k].target].data)->gate;
        may = may && target->least <= own->least && own->each == 0;
    }
    if (!may) return WS_OK;
    ws_kept *kept = ws_buf_scratch(&g->m->kept, n * sizeof *kept + pairs * sizeof *kept->item, err);
    uint32_t *item = kept ? (uint32_t *)(void *)(kept + n) : NULL;
    for (size_t k = 0; k < n && kept; k++) {
        kept[k] = (ws_kept){item, SIZE_MAX};
        task[k].kept = &kept[k];
        item += task[k].n;
    }
    return kept ? WS_OK : err->code;
}

/* Returns a task of the items that may pass, which are all if its backend does not tell. */
static ws_task narrowed(const ws_task *task) {
    ws_task t = *task;
    if (!t.kept || t.kept->n == SIZE_MAX) return t;
    t.item = t.kept->item;
    t.n = t.kept->n;
    return t;
}

/* Returns the cells of a task of a pool in which every sequence meets every model. */
static double cells_of(const scoring *g, const ws_task *task) {
    const ws_batch *b = &g->p->batch;
    uint64_t residues = task->item ? 0 : b->residues;
    for (size_t j = 0; j < task->n && task->item; j++) residues += b->len[task->item[j]];
    return (double)residues * (double)length_of(g->f, task->target);
}

/* Scores tasks of one call, which share the buffers of scores and hints, and decides about their pairs. */
static int score_call(scoring *g, ws_task *task, const size_t *from, size_t n, ws_err *err) {
    ws_job *job = g->f->sieve->job;
    const ws_backend *be = ws_sieve_scorer(g->backend, g->f->kind);
    size_t pairs = 0, taken = 0;
    double cells = 0;
    int rc = WS_OK;
    for (size_t k = 0; k < n; k++) pairs += task[k].n;
    char *score = ws_buf_scratch(&g->m->scores, pairs * sizeof(ws_fscore), err);
    float *hint = score && be->hints ? ws_buf_scratch(&g->m->hints, pairs * sizeof *hint, err) : NULL;
    if (!score || (be->hints && !hint) || let_screen(g, task, n, pairs, err)) return err->code;
    for (; taken < n && !rc; taken += !rc) {
        void *prep = NULL, *form = NULL;
        ws_task *t = &task[taken];
        if ((rc = ws_job_take(job, g->backend, t->target, &prep, err))) break;
        rc = ws_sieve_form(prep, g->f->kind, &form, err);
        if (rc) ws_job_leave(job, t->target);
        t->prep = form;
        t->score = score;
        t->hint = hint;
        score += t->n * sizeof(ws_fscore);
        if (hint) hint += t->n;
    }
    if (!rc) rc = be->score(&g->p->seqs, task, n, &g->m->scratch, err);
    for (size_t k = 0; k < n && !rc; k++) {
        if (g->p->all) cells += cells_of(g, &task[k]);
        const ws_task some = narrowed(&task[k]);
        rc = decide(g, &some, from[k], err);
    }
    while (taken > 0) ws_job_leave(job, task[--taken].target);
    if (!rc && g->p->all) ws_scan_count(job, pairs, (uint64_t)cells, be->start ? (uint64_t)cells : 0);
    return rc;
}

/* Makes the models that a step's pairs belong to tasks, and notes where the pairs of each begin. A task of all
 * sequences has no list, since a device keeps one of them: a list for each model took longer than its kernels. */
static int make_tasks(scoring *g, size_t *n, ws_err *err) {
    const size_t models = models_of(g->f);
    const size_t first = model_at(g->p, models, g->from), last = model_at(g->p, models, g->to - 1);
    ws_task *task = ws_buf_scratch(&g->m->tasks, (last + 1 - first) * (sizeof *task + sizeof(size_t)), err);
    if (!task) return err->code;
    size_t *from = (size_t *)(void *)(task + (last + 1 - first));
    *n = 0;
    for (size_t t = first, i = g->from; t <= last; t++) {
        const size_t end = ws_min(start_of(g->p, t + 1), g->to);
        if (end == i) continue;
        const size_t at = g->p->all ? i % g->p->batch.n : i;
        const int whole = g->p->all && end - i == g->p->batch.n;
        task[*n] = (ws_task){.target = (uint32_t)t, .item = whole ? NULL : g->p->item + at, .n = end - i};
        from[(*n)++] = i;
        i = end;
    }
    if (from != (size_t *)(void *)(task + *n)) memmove(task + *n, from, *n * sizeof *from);
    return WS_OK;
}

static int score_tasks(scoring *g, size_t n, ws_err *err) {
    ws_task *task = (ws_task *)(void *)g->m->tasks.p;
    const size_t *from = (const size_t *)(const void *)(task + n);
    const size_t most = ws_max(ws_sieve_scorer(g->backend, g->f->kind)->max_tasks, 1);
    int rc = WS_OK;
    for (size_t k = 0; k < n && !rc; k += most) rc = score_call(g, task + k, from + k, ws_min(most, n - k), err);
    return rc;
}

static int score_step(scoring *g, const ws_chain_thread *t, ws_err *err) {
    ws_job *job = g->f->sieve->job;
    size_t n = 0;
    int rc = make_tasks(g, &n, err);
    g->backend = t->kind == WS_CHAIN_DEVICE || !job->cpu_backend ? job->backend : job->cpu_backend;
    if (!rc) rc = score_tasks(g, n, err);
    if (rc && ws_job_fall_back_to_cpu(job, g->backend, rc, err)) {
        g->m->passed.n = 0;
        g->backend = job->cpu_backend;
        rc = score_tasks(g, n, err);
    }
    return rc;
}

/* Without a filter every pair with residues goes on. */
static int pass_all(scoring *g, ws_err *err) {
    const ws_sieve_pool *p = g->p;
    int rc = WS_OK;
    for (size_t i = g->from; i < g->to && !rc; i++) {
        const ws_sieve_pair pair = {(uint32_t)seq_at(p, i), (uint32_t)model_at(p, models_of(g->f), i), NAN, NAN};
        if (p->batch.len[pair.seq]) rc = check_cut(g->f, p, pair.seq, pair.target, err);
        if (p->batch.len[pair.seq] && !rc) rc = ws_buf_add(&g->m->passed, &pair, sizeof pair, err);
    }
    return rc;
}

static int go_on(const scoring *g, ws_err *err) {
    ws_sieve *s = g->f->sieve;
    const ws_sieve_pair *pair = (const ws_sieve_pair *)(const void *)g->m->passed.p;
    const size_t n = g->m->passed.n / sizeof *pair;
    const int rc = g->p->block ? ws_sieve_scan_decide(s, g->p, g->p->item + g->from, g->to - g->from, pair, n, err) : 0;
    if (rc || !n) return rc;
    return g->f->kind < WS_SIEVE_FWD ? ws_sieve_filter_add(g->f + 1, g->p, pair, n, err)
                                     : ws_sieve_domains_add(s, g->p, pair, n, err);
}

static int work(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    ws_sieve_filter *f = own;
    ws_sieve_pool *p = step->pool;
    if (step->from == WHOLE) {
        const int rc = ws_sieve_pool_make(p, models_of(f), f->sieve->codec, err);
        for (size_t m = 0; m < models_of(f) && p->all; m++)
            p->cells += (double)p->batch.residues * (double)length_of(f, m);
        end_step(f, p, rc ? TAKEN : READY); /* a pool that failed has nothing to take */
        return rc;
    }
    scoring g = {.f = f, .p = p, .m = take_memory(f->sieve, err), .from = step->from, .to = step->to};
    if (!g.m) return err->code;
    g.m->passed.n = 0;
    int rc = f->kind == WS_SIEVE_FILTERS ? pass_all(&g, err) : score_step(&g, t, err);
    if (!rc) rc = go_on(&g, err);
    give_memory(f->sieve, g.m);
    end_step(f, p, READY);
    return rc;
}

/* ---- opening and closing ---- */

ws_chain_stage ws_sieve_filter_stage(ws_sieve_filter *f) {
    static const char *const name[] = {"msv", "vit", "fwd", "all"};
    return (ws_chain_stage){f, take, work, left, name[f->kind]};
}

int ws_sieve_filter_create(ws_sieve_filter *f, ws_sieve *s, int kind, const ws_stage *stage, double p, ws_err *err) {
    *f = (ws_sieve_filter){.sieve = s, .kind = kind, .opts = {.p = p, .p_given = 1, .nobias = s->dom.cascade.nobias}};
    f->cascade = (ws_cascade){.stage = stage, .opts = &f->opts, .max_p = p};
    pthread_mutex_init(&f->filling, NULL);
    pthread_mutex_init(&f->lock, NULL);
    if (!stage) return WS_OK;
    if (!(f->gate = ws_calloc(models_of(f), sizeof *f->gate, err))) return err->code;
    for (size_t t = 0; t < models_of(f); t++) {
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
    if (f->open) ws_sieve_pool_release(f->open);
    release_pools(f->first);
    release_pools(f->free);
    ws_free(f->gate);
    pthread_mutex_destroy(&f->filling);
    pthread_mutex_destroy(&f->lock);
}
