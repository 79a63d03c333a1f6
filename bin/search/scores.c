/* SPDX-License-Identifier: MIT
 * Steps of the filters: scores of pairs, the decision about them, and where those that pass go.
 *
 * A thread of a device scores, and leaves the decision to the CPU as a step of its own, of the stage that comes before
 * all others. Deciding took its stream as long as half of the kernels: 74 calls for 1,200 models x 59 M residues had 20
 * ms of it each, in which the stream had nothing to do (H100). */
#include "bin/search/sieve.h"
#include "bin/stages/plan.h"

#include <math.h>
#include <string.h>

/* A thread's own memory, and a step's pairs, which it holds until the step has ended. */
struct ws_sieve_memory {
    ws_buf scratch, scores, hints, kept, tasks, pending, passed;
    struct ws_sieve_memory *next;

    ws_sieve_filter *f;
    ws_sieve_pool *p;
    const ws_backend *backend; /* that scores: one of ws_sieve_backends */
    size_t from, to;           /* pairs of the pool */
    size_t ntask;
};
typedef ws_sieve_memory scoring;

static scoring *take_memory(ws_sieve *s, ws_err *err) {
    scoring *g = ws_freelist_take(&s->idle);
    return g ? g : ws_calloc(1, sizeof *g, err);
}

static void destroy_memory(void *memory) {
    scoring *g = memory;
    ws_buf *const own[] = {&g->scratch, &g->scores, &g->hints, &g->kept, &g->tasks, &g->pending, &g->passed};
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) ws_buf_release(own[k]);
    ws_free(g);
}

void ws_sieve_scores_open(ws_sieve *s) { ws_freelist_open(&s->idle, destroy_memory); }

void ws_sieve_scores_release(ws_sieve *s) {
    for (scoring *g = s->scored, *next; g; g = next) {
        next = g->next;
        destroy_memory(g);
    }
    s->scored = NULL;
    ws_freelist_close(&s->idle);
}

static uint64_t length_of(const scoring *g, size_t t) { return g->f->sieve->job->target[t].qlen; }

/* Returns the tasks of a step; *from[ntask] is where the pairs of each begin. */
static ws_task *tasks_of(const scoring *g, const size_t **from) {
    ws_task *task = (ws_task *)(void *)g->tasks.p;
    *from = (const size_t *)(const void *)(task + g->ntask);
    return task;
}

/* ---- decisions ---- */

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
    return ws_buf_add(&g->passed, &pair, sizeof pair, err);
}

static int decide(scoring *g, const ws_task *task, size_t from, ws_err *err) {
    const ws_sieve_filter *f = g->f;
    const ws_sieve_pool *p = g->p;
    const ws_hmm_target *model = f->sieve->job->target[task->target].data;
    const ws_decider d = {.c = &f->cascade, .model = model, .gate = f->gate[task->target],
                          .cpu = &f->sieve->job->machine.cpu, .knows_msv = !p->all,
                          .list = ws_seqlist_of(&p->seqs, task->item, task->n),
                          .score = task->score, .hint = task->hint};
    ws_pending *q = ws_buf_scratch(&g->pending, task->n * (sizeof *q + WS_DECIDE_ROOM), err);
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
    return (double)residues * (double)length_of(g, task->target);
}

/* Decides about the pairs of n tasks that are scored, and counts them. */
static int decide_tasks(scoring *g, const ws_task *task, const size_t *from, size_t n, ws_err *err) {
    ws_job *job = g->f->sieve->job;
    double cells = 0;
    size_t pairs = 0;
    int rc = WS_OK;
    for (size_t k = 0; k < n && !rc; k++) {
        if (g->p->all) cells += cells_of(g, &task[k]);
        pairs += task[k].n;
        const ws_task some = narrowed(&task[k]);
        rc = decide(g, &some, from[k], err);
    }
    for (size_t k = 0; k < n; k++) ws_job_leave(job, task[k].target);
    if (!rc && g->p->all) ws_scan_count(job, pairs, (uint64_t)cells, g->backend->start ? (uint64_t)cells : 0);
    return rc;
}

/* ---- scores ---- */

/* Gives the tasks of a call room for the items that may pass, where a backend may leave the others out: its gate must
 * reject no pair that this stage's keeps. A pair that the host need not look at saves some 25 ns. WS_ENOMEM. */
static int let_screen(scoring *g, ws_task *task, size_t n, ws_err *err) {
    const ws_sieve_filter *f = g->f;
    size_t pairs = 0;
    int may = g->p->all;
    for (size_t k = 0; k < n; k++) {
        pairs += task[k].n;
        task[k].kept = NULL; /* the CPU may score again what a device has begun */
        const ws_gate *own = &f->gate[task[k].target],
                      *target = &((const ws_hmm_target *)f->sieve->job->target[task[k].target].data)->gate;
        may = may && target->least <= own->least && own->each == 0;
    }
    if (!may) return WS_OK;
    ws_kept *kept = ws_buf_scratch(&g->kept, n * sizeof *kept + pairs * sizeof *kept->item, err);
    uint32_t *item = kept ? (uint32_t *)(void *)(kept + n) : NULL;
    for (size_t k = 0; k < n && kept; k++) {
        kept[k] = (ws_kept){item, SIZE_MAX};
        task[k].kept = &kept[k];
        item += task[k].n;
    }
    return kept ? WS_OK : err->code;
}

/* Checks that a model is the one that rows of the input mean by its name, which takes the whole model. */
static int check_named(const ws_job *job, uint32_t t, ws_err *err) {
    const int rc = ws_hmm_target_whole(job->target[t].data, err);
    return rc ? rc : ws_scan_check_model(job, t, err);
}

/* Sets the form of a model that the filter scores with. Where rows of the input name models, it must be theirs. */
static int take_form(const void *own, ws_task *t, void *prep, ws_err *err) {
    const scoring *g = own;
    void *form = NULL;
    int rc = ws_sieve_form(prep, g->f->kind, &form, err);
    if (!rc && g->p->batch.has_rows && !g->p->all) rc = check_named(g->f->sieve->job, t->target, err);
    t->prep = form;
    return rc;
}

/* Scores n tasks of one call. After success the models are taken. */
static int score_call(scoring *g, ws_task *task, size_t n, ws_err *err) {
    const ws_scan_call c = {g->f->sieve->job, g->backend, ws_sieve_scorer(g->backend, g->f->kind), &g->p->seqs,
                            &g->scores, &g->hints, &g->scratch, take_form, g};
    const int rc = let_screen(g, task, n, err);
    return rc ? rc : ws_scan_score_tasks(&c, task, n, err);
}

/* Makes the models that a step's pairs belong to tasks, and notes where the pairs of each begin. A task of all
 * sequences has no list, since a device keeps one of them: a list for each model took longer than its kernels. */
static int make_tasks(scoring *g, ws_err *err) {
    const size_t models = ws_sieve_models(g->f);
    const size_t first = ws_sieve_pool_rank(g->p, models, g->from);
    const size_t last = ws_sieve_pool_rank(g->p, models, g->to - 1);
    ws_task *task = ws_buf_scratch(&g->tasks, (last + 1 - first) * (sizeof *task + sizeof(size_t)), err);
    if (!task) return err->code;
    size_t *from = (size_t *)(void *)(task + (last + 1 - first)), n = 0;
    for (size_t r = first, i = g->from; r <= last; r++) {
        const size_t end = ws_min(ws_sieve_pool_start(g->p, r + 1), g->to);
        if (end == i) continue;
        const size_t at = g->p->all ? i % g->p->batch.n : i;
        const int whole = g->p->all && end - i == g->p->batch.n;
        task[n] = (ws_task){.target = g->f->sieve->model[r], .item = whole ? NULL : g->p->item + at, .n = end - i};
        from[n++] = i;
        i = end;
    }
    if (from != (size_t *)(void *)(task + n)) memmove(task + n, from, n * sizeof *from);
    g->ntask = n;
    return WS_OK;
}

/* Returns how many tasks the backend scores in a call. */
static size_t tasks_of_call(const scoring *g) {
    return ws_max(ws_sieve_scorer(g->backend, g->f->kind)->max_tasks, 1);
}

static int score_and_decide(scoring *g, ws_err *err) {
    const size_t *from, most = tasks_of_call(g);
    ws_task *task = tasks_of(g, &from);
    int rc = WS_OK;
    for (size_t k = 0; k < g->ntask && !rc; k += most) {
        const size_t n = ws_min(most, g->ntask - k);
        rc = score_call(g, task + k, n, err);
        if (!rc) rc = decide_tasks(g, task + k, from + k, n, err);
    }
    return rc;
}

/* ---- steps ---- */

/* Gives pairs that passed to the next stage. */
static int go_on(const scoring *g, ws_err *err) {
    ws_sieve *s = g->f->sieve;
    const ws_sieve_pair *pair = (const ws_sieve_pair *)(const void *)g->passed.p;
    const size_t n = g->passed.n / sizeof *pair;
    const int rc = g->p->block ? ws_sieve_scan_decide(s, g->p, g->p->item + g->from, g->to - g->from, pair, n, err) : 0;
    if (rc || !n) return rc;
    return g->f->kind < WS_SIEVE_FWD ? ws_sieve_filter_add(g->f + 1, g->p, pair, n, err)
                                     : ws_sieve_domains_add(s, g->p, pair, n, err);
}

/* Ends a step whose pairs are decided, unless it failed. Returns rc, or the failure of what follows. */
static int end(scoring *g, int rc, ws_err *err) {
    ws_sieve_filter *f = g->f;
    ws_sieve_pool *p = g->p;
    if (!rc) rc = go_on(g, err);
    ws_freelist_give(&f->sieve->idle, g);
    ws_sieve_filter_end_step(f, p, WS_SIEVE_READY);
    return rc;
}

/* Without a filter every pair with residues goes on. */
static int pass_all(scoring *g, ws_err *err) {
    const ws_sieve_pool *p = g->p;
    int rc = WS_OK;
    for (size_t i = g->from; i < g->to && !rc; i++) {
        const size_t rank = ws_sieve_pool_rank(p, ws_sieve_models(g->f), i);
        const ws_sieve_pair pair = {(uint32_t)ws_sieve_pool_seq(p, i), g->f->sieve->model[rank], NAN, NAN};
        if (p->batch.len[pair.seq]) rc = check_cut(g->f, p, pair.seq, pair.target, err);
        if (p->batch.len[pair.seq] && !rc) rc = ws_buf_add(&g->passed, &pair, sizeof pair, err);
    }
    return rc;
}

/* Leaves the decision about a step's pairs to a thread of the CPU. Returns 0 if too many steps wait for one. */
static int leave_decision(scoring *g) {
    ws_sieve *s = g->f->sieve;
    pthread_mutex_lock(&s->lock);
    scoring **last = &s->scored;
    int waiting = 0;
    for (; *last; last = &(*last)->next) waiting++;
    const int leaves = ws_plan_leaves_decision(ws_dev_streams(), waiting);
    if (leaves) {
        g->next = NULL;
        *last = g;
    }
    pthread_mutex_unlock(&s->lock);
    return leaves;
}

int ws_sieve_score(ws_sieve_filter *f, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    ws_job *job = f->sieve->job;
    scoring *g = take_memory(f->sieve, err);
    if (!g) return err->code;
    g->f = f;
    g->p = step->pool;
    g->from = step->from;
    g->to = step->to;
    g->passed.n = 0;
    if (f->kind == WS_SIEVE_FILTERS) return end(g, pass_all(g, err), err);
    g->backend = t->kind == WS_CHAIN_DEVICE || !job->cpu_backend ? job->backend : job->cpu_backend;
    int rc = make_tasks(g, err);
    if (!rc && t->kind == WS_CHAIN_DEVICE && g->ntask <= tasks_of_call(g)) {
        const size_t *from;
        ws_task *task = tasks_of(g, &from);
        rc = score_call(g, task, g->ntask, err);
        if (!rc && leave_decision(g)) return WS_OK;
        if (!rc) rc = decide_tasks(g, task, from, g->ntask, err);
    } else if (!rc) {
        rc = score_and_decide(g, err);
    }
    if (rc && ws_job_fall_back_to_cpu(job, g->backend, rc, err)) {
        g->passed.n = 0;
        g->backend = job->cpu_backend;
        rc = score_and_decide(g, err);
    }
    return end(g, rc, err);
}

/* ---- the stage of decisions ---- */

static int take(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    ws_sieve *s = own;
    if (!ws_plan_decides(t->kind, need)) return 0;
    pthread_mutex_lock(&s->lock);
    scoring *g = s->scored;
    if (g) {
        s->scored = g->next;
        *step = (ws_chain_step){.pool = g, .order = g->p->number[0]};
    }
    pthread_mutex_unlock(&s->lock);
    return g != NULL;
}

static int work(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    scoring *g = step->pool;
    const size_t *from;
    const ws_task *task = tasks_of(g, &from);
    (void)own, (void)t;
    return end(g, decide_tasks(g, task, from, g->ntask, err), err);
}

/* Steps that wait are steps of a filter, which has them left. */
static int left(void *own) {
    (void)own;
    return 0;
}

ws_chain_stage ws_sieve_decision_stage(ws_sieve *s) {
    return (ws_chain_stage){s, take, work, left, "decide", WS_STEP_NONE};
}
