/* SPDX-License-Identifier: MIT
 * The filters of hmmsieve as stages of a chain: scores of pairs, the decision about them, and where those that pass go.
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
    ws_buf scratch, scores, hints, kept, pending, passed;
    struct ws_sieve_memory *next;

    ws_sieve_filter *f;
    ws_sieve_pool *p;
    size_t from, to; /* pairs of the pool */
    double cells;
    ws_scan_tasks tasks;
    ws_scan_call call;
};
typedef ws_sieve_memory scoring;

static scoring *take_memory(ws_sieve *s, ws_err *err) {
    scoring *g = ws_freelist_take(&s->idle);
    return g ? g : ws_calloc(1, sizeof *g, err);
}

static void destroy_memory(void *memory) {
    scoring *g = memory;
    ws_buf *const own[] = {&g->scratch, &g->scores, &g->hints, &g->kept, &g->tasks.room, &g->pending, &g->passed};
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

/* ---- decisions ---- */

/* hmmscan needs the cutoffs of a model when a sequence has passed its first filter, hmmsearch at once. */
static int check_cut(const ws_sieve_filter *f, uint32_t m, ws_err *err) {
    const ws_job *job = f->sieve->job;
    const int cut = f->sieve->dom.cut;
    const ws_hmm_target *all = job->target[0].data, *model = job->target[m].data;
    return cut < 0 || model->hmm->has_cut[cut] ? WS_OK : ws_thresholds_lack_cut(all->hmm, job->ntarget, cut, err);
}

/* With --scan, counts for a sequence that a model passed a filter. */
static void count_passed(const scoring *g, const ws_task *task, const ws_pending *q, int filter) {
    const size_t seq = ws_task_item(task, q->place);
    if (g->p->block) ws_sieve_scan_count(g->p->block[seq], g->p->number[seq], filter);
}

static int pass(scoring *g, const ws_task *task, const ws_pending *q, size_t item, ws_err *err) {
    const uint32_t seq = (uint32_t)ws_task_item(task, q->place);
    const int rc = check_cut(g->f, task->target, err);
    if (rc) return rc;
    const ws_fscore *score = task->score;
    const ws_sieve_pair pair = {seq, task->target, q->null2,
                                g->f->kind == WS_SIEVE_MSV ? score[q->place].nats : g->p->msv[item + q->place]};
    return ws_buf_add(&g->passed, &pair, sizeof pair, err);
}

/* Returns what surely fails of a model's scores: of the first filter from a table. */
static ws_gate gate_of(const ws_sieve_filter *f, uint32_t target) {
    if (f->gate) return f->gate[target];
    return ws_gate_make(&f->cascade, ((const ws_hmm_target *)f->sieve->job->target[target].data)->hmm);
}

/* The members of a ws_scan_call; own is a step's memory. */

static int decide(void *own, const ws_task *task, size_t item, ws_err *err) {
    scoring *g = own;
    const ws_sieve_filter *f = g->f;
    const ws_sieve_pool *p = g->p;
    const ws_hmm_target *model = f->sieve->job->target[task->target].data;
    const ws_decider d = {.c = &f->cascade, .model = model, .gate = gate_of(f, task->target),
                          .cpu = &f->sieve->job->machine.cpu, .knows_msv = !p->all,
                          .list = ws_seqlist_of(&p->seqs, task->item, task->n),
                          .score = task->score, .hint = task->hint};
    ws_pending *q = ws_buf_scratch(&g->pending, task->n * (sizeof *q + WS_DECIDE_ROOM), err);
    if (!q) return err->code;
    uint64_t passed[2] = {0};
    const size_t n = ws_decide_screen(&d, &passed[0], q);
    for (size_t i = 0; i < n && !p->all; i++) {
        q[i].null2 = p->null2[item + q[i].place];
        q[i].msv = p->msv[item + q[i].place];
    }
    for (size_t i = 0; i < n && f->kind == WS_SIEVE_MSV; i++)
        if (q[i].pass) count_passed(g, task, &q[i], 0);
    ws_decide_null_scores(&d, q, n, q + task->n);
    int rc = WS_OK;
    for (size_t i = 0; i < n && !rc; i++) {
        if (!ws_decide_pair(&d, &q[i])) continue;
        passed[1]++;
        count_passed(g, task, &q[i], f->kind + 1);
        rc = pass(g, task, &q[i], item, err);
    }
    uint64_t *count = f->sieve->passed.count[task->target];
    if (f->kind == WS_SIEVE_MSV) __atomic_add_fetch(&count[0], passed[0], __ATOMIC_RELAXED);
    __atomic_add_fetch(&count[f->kind + 1], passed[1], __ATOMIC_RELAXED);
    return rc;
}

/* A backend may leave pairs out if its gate rejects none that this filter's keeps. */
static int may_screen(const void *own, const ws_task *task, size_t n) {
    const scoring *g = own;
    int may = g->p->all && g->f->gate;
    for (size_t k = 0; k < n && may; k++) {
        const ws_hmm_target *target = g->f->sieve->job->target[task[k].target].data;
        const ws_gate *gate = &g->f->gate[task[k].target];
        may = target->gate.least <= gate->least && gate->each == 0;
    }
    return may;
}

/* Checks that a model is the one that rows of the input mean by its name, which takes the whole model. */
static int check_named(const ws_job *job, uint32_t t, ws_err *err) {
    const int rc = ws_hmm_target_whole(job->target[t].data, err);
    return rc ? rc : ws_scan_check_model(job, t, err);
}

/* Sets the form of a model that the filter scores with. Where rows of the input name models, it must be theirs. */
static int take_form(void *own, ws_task *t, void *prep, ws_err *err) {
    const scoring *g = own;
    void *form = NULL;
    int rc = ws_sieve_form(prep, g->f->kind, &form, err);
    if (!rc && g->p->batch.has_rows && !g->p->all) rc = check_named(g->f->sieve->job, t->target, err);
    t->prep = form;
    return rc;
}

static void call_by(scoring *g, const ws_backend *backend) {
    g->passed.n = 0;
    g->call = (ws_scan_call){g->f->sieve->job, backend, ws_sieve_scorer(backend, g->f->kind), &g->p->seqs,
                             &g->scores, &g->hints, &g->kept, &g->scratch, take_form, may_screen, decide, g};
}

/* ---- steps ---- */

/* Counts the pairs of a step that are decided, and gives those that passed to the next stage. */
static int go_on(const scoring *g, ws_err *err) {
    ws_sieve *s = g->f->sieve;
    const ws_sieve_pair *pair = (const ws_sieve_pair *)(const void *)g->passed.p;
    const size_t n = g->passed.n / sizeof *pair, all = g->to - g->from;
    const uint32_t *seq = g->p->item + ws_scan_pairs_item(&g->p->by_model, g->from);
    const int rc = g->p->block ? ws_sieve_scan_decide(s, g->p, seq, all, pair, n, err) : 0;
    if (!rc && g->p->all && g->f->kind < WS_SIEVE_FILTERS)
        ws_scan_count(s->job, all, (uint64_t)g->cells, g->call.backend->start ? (uint64_t)g->cells : 0);
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
    const ws_scan_pairs *all = &p->by_model;
    int rc = WS_OK;
    for (size_t i = g->from; i < g->to && !rc; i++) {
        const ws_sieve_pair pair = {all->item[ws_scan_pairs_item(all, i)],
                                    ws_scan_pairs_target(all, ws_scan_pairs_group(all, i)), NAN, NAN};
        if (p->batch.len[pair.seq]) rc = check_cut(g->f, pair.target, err);
        if (p->batch.len[pair.seq] && !rc) rc = ws_buf_add(&g->passed, &pair, sizeof pair, err);
    }
    return rc;
}

static int decide_step(const scoring *g, ws_err *err) {
    return ws_scan_decide_call(&g->call, g->tasks.task, g->tasks.item, g->tasks.n, err);
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

static int work(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    ws_sieve_filter *f = own;
    if (step->from == WS_SIEVE_WHOLE) return ws_sieve_filter_ready(f, step->pool, err);
    ws_job *job = f->sieve->job;
    scoring *g = take_memory(f->sieve, err);
    if (!g) return err->code;
    g->f = f;
    g->p = step->pool;
    g->from = step->from;
    g->to = step->to;
    g->cells = step->cells;
    g->passed.n = 0;
    if (f->kind == WS_SIEVE_FILTERS) return end(g, pass_all(g, err), err);
    const int on_device = t->kind == WS_CHAIN_DEVICE;
    call_by(g, on_device || !job->cpu_backend ? job->backend : job->cpu_backend);
    int rc = ws_scan_tasks_make(&g->tasks, &g->p->by_model, g->from, g->to, err);
    if (!rc && on_device && g->tasks.n <= ws_scan_call_size(&g->call)) {
        rc = ws_scan_score_call(&g->call, g->tasks.task, g->tasks.n, err);
        if (!rc && leave_decision(g)) return WS_OK;
        if (!rc) rc = decide_step(g, err);
    } else if (!rc) {
        rc = ws_scan_score(&g->call, &g->tasks, err);
    }
    if (rc && ws_job_fall_back_to_cpu(job, g->call.backend, rc, err)) {
        call_by(g, job->cpu_backend);
        rc = ws_scan_score(&g->call, &g->tasks, err);
    }
    return end(g, rc, err);
}

static int take(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    return ws_sieve_filter_take(own, t, need, step);
}

static int left(void *own) { return ws_sieve_filter_left(own); }

ws_chain_stage ws_sieve_filter_stage(ws_sieve_filter *f) {
    static const char *const name[] = {"msv", "vit", "fwd", "all"};
    static const ws_step_kind kind[] = {WS_STEP_MSV, WS_STEP_VIT, WS_STEP_FWD, WS_STEP_NONE};
    return (ws_chain_stage){f, take, work, left, name[f->kind], kind[f->kind]};
}

int ws_sieve_filter_create(ws_sieve_filter *f, ws_sieve *s, int kind, const ws_stage *stage, double p, ws_err *err) {
    *f = (ws_sieve_filter){.sieve = s, .kind = kind, .opts = {.p = p, .p_given = 1, .nobias = s->dom.cascade.nobias}};
    f->cascade = (ws_cascade){.stage = stage, .opts = &f->opts, .max_p = p};
    ws_sieve_filter_open_pools(f);
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
    ws_sieve_filter_close_pools(f);
    ws_free(f->gate);
}

/* ---- the stage of decisions ---- */

static int take_decision(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
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

static int decide_taken(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    scoring *g = step->pool;
    (void)own, (void)t;
    return end(g, decide_step(g, err), err);
}

/* Steps that wait are steps of a filter, which has them left. */
static int none_left(void *own) {
    (void)own;
    return 0;
}

ws_chain_stage ws_sieve_decision_stage(ws_sieve *s) {
    return (ws_chain_stage){s, take_decision, decide_taken, none_left, "decide", WS_STEP_NONE};
}
