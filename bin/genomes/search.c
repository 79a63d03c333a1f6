/* SPDX-License-Identifier: MIT
 * The search of nhmmsieve as stages of a chain: see bin/genomes/program.h. */
#include "bin/genomes/program.h"
#include "bin/stages/machine.h"

/* Where a pool is: the stage that takes steps of it; in the hands of threads; done. */
enum { MARK, SCAN, TEST, DOMAINS, BUSY, OVER };

/* A batch against a set of models. It is at one stage at a time. The thread that ends its last step there takes it to
 * the next one. */
typedef struct pool {
    struct ws_genome_flight *of;
    size_t set;
    int at, on_device;    /* MARK ..., under the lock; a device has begun to mark it */
    size_t next, steps;   /* the first element that no thread has taken; steps that are under way: under the lock */
    ws_long_marks *marks; /* NULL: the CPU marks */
    ws_long_list *made;   /* [slices] of each step of the scan: windows if there are marks, else sub-windows */
    ws_long_list list;    /* of the later stages */
    struct subwindow *sub; /* [list.n] in the domain stage */
    size_t left;           /* of these. Atomic */
} pool;

/* A sub-window in the domain stage. */
typedef struct subwindow {
    ws_dom_item of; /* first: done gets its address */
    pool *pool;
} subwindow;

/* A batch on its way. */
typedef struct ws_genome_flight {
    ws_batch batch;
    ws_long_units units; /* their parts are the slices */
    pool *pool;          /* [sets] */
    ws_long_list *made;  /* [sets][slices] */
    ws_genome_hits hits; /* of --scan */
    size_t begun, over;  /* pools from here on are at MARK; before here they are over */
    size_t left, users;  /* slices that no thread has taken; pools that are not over */
    struct ws_genome_flight *next;
} flight;

typedef struct ws_genome_memory {
    ws_genome_search *of; /* of the step that it is used for, with the batch */
    flight *flight;
    ws_dom_worker *dom;
    ws_long_worker search;
    ws_long_list subwindows;
    ws_long_hits found;
} memory;

typedef ws_genome_search search;

/* ---- what a thread takes: under the lock ---- */

/* Returns the first pool at a stage. */
static pool *find(search *s, int stage) {
    for (flight *f = s->first; f; f = f->next) {
        if (stage == MARK && f->begun < s->sets.n) return &f->pool[f->begun];
        while (f->over < f->begun && f->pool[f->over].at == OVER) f->over++;
        for (pool *p = f->pool + f->over; p < f->pool + f->begun; p++)
            if (p->at == stage) return p;
    }
    return NULL;
}

/* Takes a pool from MARK to another stage. */
static pool *begin(pool *p, int at) {
    if (!p) return NULL;
    p->at = at;
    p->of->begun++;
    return p;
}

/* Returns what the plan knows of a search. */
static ws_plan_genome plan_of(const search *s) {
    const ws_plan_machine m = ws_plan_machine_of(s->job, s->job->nworker);
    const size_t spans = m.device ? ws_dom_steps_waiting(s->steps) : 0;
    return (ws_plan_genome){m, s->ahead, s->tested, s->marking, s->testing, spans};
}

static pool *find_for(search *s, int stage, ws_chain_kind kind, ws_chain_need need) {
    const int device = ws_job_expects_device(s->job);
    if (stage == MARK && (kind != WS_CHAIN_DEVICE || !device)) return NULL;
    if (stage != MARK && kind != (stage == TEST && device ? WS_CHAIN_DEVICE : WS_CHAIN_CPU)) return NULL;
    pool *p = stage == MARK ? NULL : find(s, stage);
    if (p || stage == TEST) return p;
    const ws_plan_genome g = plan_of(s);
    const int may = stage == MARK ? ws_plan_device_marks(&g) : ws_plan_cpu_marks(&g, need);
    return may ? begin(find(s, MARK), stage) : NULL;
}

static size_t end_of_slices(const search *s, const pool *p) {
    const uint64_t n = ws_plan_slices(p->marks != NULL, (uint64_t)s->sets.nodes, s->cut.block);
    return ws_min(p->next + n, p->of->units.nparts);
}

/* Returns the end of the next sub-windows of one model that are a step. */
static size_t end_of_chunk(const search *s, const ws_long_list *l, size_t from) {
    const uint32_t target = l->at[l->item[from]].target;
    double cells = 0;
    size_t i = from;
    for (; i < l->n && l->at[l->item[i]].target == target; i++) {
        cells += (double)l->len[l->item[i]] * s->genome->target[target].model.M;
        if (ws_plan_chunk_is_full(i - from, cells)) break;
    }
    return i;
}

/* Returns the cells of so many slices of a pool; 0 of a scan by marks, which looks at few of them. */
static double cells_of(const search *s, const pool *p, size_t slices) {
    const ws_genome *g = s->genome;
    double nodes = 0;
    if (p->marks) return 0;
    for (size_t i = s->sets.first[p->set]; i < s->sets.first[p->set + 1]; i++) nodes += g->target[i].model.M;
    return nodes * (double)p->of->batch.residues * (double)ws_genome_strands(g) * (double)slices /
           (double)p->of->units.nparts;
}

static int take(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    const ws_genome_stage *stage = own;
    search *s = stage->of;
    pthread_mutex_lock(&s->lock);
    pool *p = find_for(s, stage->number, t->kind, need);
    if (p) {
        const size_t all = p->at == SCAN ? p->of->units.nparts : 1, from = p->next;
        p->next = p->at == SCAN ? end_of_slices(s, p) : 1;
        *step = (ws_chain_step){.pool = p, .from = from, .to = p->next, .n = 1,
                                .order = p->of->batch.number * s->sets.n + p->set};
        if (p->at != TEST) step->cells = cells_of(s, p, p->at == MARK ? p->of->units.nparts : p->next - from);
        if (p->at == SCAN) p->of->left -= p->next - from;
        p->on_device |= p->at == MARK;
        s->ahead += p->at == MARK;
        s->marking += p->at == MARK;
        s->testing += p->at == TEST;
        p->steps++;
        if (p->next == all) p->at = BUSY;
    }
    pthread_mutex_unlock(&s->lock);
    return p != NULL;
}

static int left(void *own) {
    search *s = ((const ws_genome_stage *)own)->of;
    pthread_mutex_lock(&s->lock);
    const int some = s->first != NULL;
    pthread_mutex_unlock(&s->lock);
    return some;
}

/* ---- from stage to stage ---- */

/* Ends a batch, under the lock. */
static void put_free(search *s, flight *f) {
    ws_free(f->made);
    f->made = NULL;
    f->next = s->free;
    s->free = f;
}

/* Joins what the steps of the scan made. */
static int join(pool *p, ws_err *err) {
    int rc = WS_OK;
    for (size_t j = 0; j < p->of->units.nparts && !rc; j++) {
        ws_long_list *l = &p->made[j];
        if (p->list.n) {
            rc = ws_long_list_append(&p->list, l, err);
            ws_long_list_release(l);
        } else {
            p->list = *l;
            *l = (ws_long_list){0};
        }
    }
    ws_long_marks_destroy(p->marks);
    p->marks = NULL;
    return rc;
}

/* Ends a batch that is in no list. rc: of what was done with it. */
static int end_batch(search *s, flight *f, int rc, ws_err *err) {
    if (!rc) rc = ws_genome_scan_end(s, &f->batch, &f->hits, err);
    pthread_mutex_lock(&s->lock);
    put_free(s, f);
    pthread_mutex_unlock(&s->lock);
    return rc;
}

/* Ends a pool, and with the last one its batch. */
static int end_pool(search *s, pool *p, ws_err *err) {
    flight *f = p->of;
    int ends = 0;
    ws_long_list_release(&p->list);
    ws_free(p->sub);
    p->sub = NULL;
    pthread_mutex_lock(&s->lock);
    p->at = OVER;
    if (--f->users == 0) {
        flight **at = &s->first;
        while (*at != f) at = &(*at)->next;
        *at = f->next;
        ends = 1;
    }
    pthread_mutex_unlock(&s->lock);
    return ends ? end_batch(s, f, WS_OK, err) : WS_OK;
}

/* ---- the domain stage ---- */

/* Counts a sub-window of a pool as done. */
static int leave_pool(search *s, pool *p, ws_err *err) {
    return __atomic_sub_fetch(&p->left, 1, __ATOMIC_ACQ_REL) ? WS_OK : end_pool(s, p, err);
}

/* Gives the sub-windows of a pool to the domain stage. */
static int begin_domains(search *s, pool *p, ws_err *err) {
    const ws_long_list *l = &p->list;
    ws_dom_item *first = NULL, **end = &first;
    int rc = WS_OK;
    if (!(p->sub = ws_calloc(l->n, sizeof *p->sub, err))) return err->code;
    p->left = l->n + 1; /* one for this function */
    for (size_t j = 0; j < l->n; j++) {
        const uint32_t i = l->item[j], target = l->at[i].target;
        ws_long_target *t = &s->genome->target[target];
        subwindow *w = &p->sub[i];
        if (l->at[i].behind && (rc = ws_long_target_behind(t, err))) return rc;
        *w = (subwindow){.pool = p, .of = {.tables = t->tables, .model = target, .M = (uint32_t)t->model.M,
                                          .order = p->of->batch.number * s->sets.n + p->set,
                                          .window = l->at[i].behind ? &t->behind : &t->background}};
        ws_dom_pair_begin(&w->of.pair, ws_long_list_codes(l, i), &l->lm[i]);
        *end = &w->of;
        end = &w->of.next;
    }
    rc = ws_dom_steps_add(s->steps, first, err);
    return rc ? rc : leave_pool(s, p, err);
}

/* Takes hits to the store. */
static int add_hits(search *s, flight *f, const ws_long_list *l, uint32_t target, ws_long_hits *found,
                    ws_err *err) {
    const ws_genome *g = s->genome;
    const ws_batch *b = &f->batch;
    const ws_dnalimits limits = ws_dna_limits(&g->dna, g->target[target].filter->hmm);
    const uint64_t residues = g->Z_given ? ws_genome_given(g) : __atomic_load_n(&g->residues, __ATOMIC_RELAXED);
    int rc = WS_OK;
    for (size_t j = 0; j < found->n && !rc; j++) {
        const uint32_t seq = l->at[found->at[j].item].record;
        ws_dnahit *hit = &found->at[j].hit;
        if (!g->by_seq && !g->dna.all &&
            (!g->dna.alignments || !ws_dnalimits_may(&limits, hit, residues, g->target[target].model.maxl)))
            hit->column = NULL;
        rc = g->by_seq ? ws_genome_scan_add(s, &f->hits, target, b, seq, hit, err)
                       : ws_dna_add(&s->genome->dna, target, b, seq, b->before + seq + 1,
                                    b->seqtext[seq].at + b->len[seq], hit, err);
    }
    s->envelopes += found->envelopes;
    return rc;
}

static int take_domain(search *s, ws_dom_item *item, ws_err *err) {
    subwindow *w = (subwindow *)item;
    pool *p = w->pool;
    ws_long_hits found = {0};
    const ws_long_target *t = &s->genome->target[item->model];
    int rc = ws_long_take_hits(t, &item->pair, &p->list, (size_t)(w - p->sub), &found, err);
    if (!rc) rc = add_hits(s, p->of, &p->list, item->model, &found, err);
    ws_long_hits_release(&found);
    ws_dom_pair_release(&item->pair);
    return rc ? rc : leave_pool(s, p, err);
}

/* ws_dom_steps_conf.done. With its last sub-window a pool goes. */
static int take_domains(void *own, ws_dom_item *first, ws_err *err) {
    int rc = WS_OK;
    for (ws_dom_item *item = first, *next; item && !rc; item = next) {
        next = item->next;
        rc = take_domain(own, item, err);
    }
    return rc;
}

/* Beside a device sub-windows wait for others, unless all that was read waits here. */
static int is_eager(void *own) {
    const search *s = own;
    return s->genome->cpu_domains || !ws_job_expects_device(s->job) ||
           __atomic_load_n(&s->searching, __ATOMIC_RELAXED) == 0;
}

/* Takes a pool whose steps of a stage are done to the next stage that has work. */
static int go_on(search *s, pool *p, int stage, ws_err *err) {
    int next = stage == MARK ? SCAN : stage == SCAN && p->marks ? TEST : DOMAINS;
    const int rc = stage == SCAN ? join(p, err) : WS_OK;
    if (stage == DOMAINS || (next != SCAN && p->list.n == 0)) next = OVER;
    if (next != SCAN && next != OVER) ws_long_list_sort(&p->list, next == DOMAINS);
    pthread_mutex_lock(&s->lock);
    p->next = 0;
    p->at = next;
    s->marking -= stage == MARK;
    s->testing -= stage == TEST;
    s->tested |= stage == TEST || (stage == SCAN && p->on_device && next == OVER); /* there may be no windows at all */
    if (next >= DOMAINS) {
        s->ahead -= (size_t)p->on_device;
        p->on_device = 0;
        __atomic_sub_fetch(&s->searching, 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&s->lock);
    if (next == OVER && !rc) return end_pool(s, p, err);
    return next == DOMAINS && !rc ? begin_domains(s, p, err) : rc;
}

static memory *take_memory(search *s, ws_err *err) {
    memory *m = ws_freelist_take(&s->idle);
    return m ? m : ws_calloc(1, sizeof *m, err);
}

/* Ends a step. Returns 1 if it was the pool's last one at its stage. */
static int end_step(search *s, pool *p, memory *m) {
    ws_freelist_give(&s->idle, m);
    pthread_mutex_lock(&s->lock);
    const int last = --p->steps == 0 && p->at == BUSY;
    pthread_mutex_unlock(&s->lock);
    return last;
}

/* ---- the stages ---- */

static ws_long_set set_of(const search *s, const pool *p) {
    const size_t *first = &s->sets.first[p->set];
    return (ws_long_set){.cut = &s->cut, .batch = &p->of->batch, .unit = p->of->units.at, .nunit = p->of->units.n,
                           .target = s->genome->target, .from = first[0], .to = first[1], .marks = p->marks};
}

/* Where a device fails in a run that asked for none, the CPU marks. */
static int mark(search *s, pool *p, ws_err *err) {
    ws_long_set g = set_of(s, p);
    const int rc = ws_long_set_mark(&g, s->genome->model[g.from].by, err);
    p->marks = g.marks;
    return rc && ws_job_fall_back_to_cpu(s->job, s->job->backend, rc, err) ? WS_OK : rc;
}

/* Makes the memory ready for domains. */
static int begin_hits(const search *s, memory *m, ws_err *err) {
    const ws_genome *g = s->genome;
    const ws_dom_options options = {.seed = (uint32_t)g->seed, .nonull2 = g->nonull2, .memory = g->mem};
    ws_long_hits_reuse(&m->found);
    return m->dom ? WS_OK : ws_dom_worker_create(&m->dom, g->target[0].dom, &options, err);
}

/* Takes the hits of sub-windows item[from..to) of a list, all of one model, to the store. */
static int find_hits(search *s, flight *f, const ws_long_list *l, size_t from, size_t to, memory *m, ws_err *err) {
    const uint32_t target = l->at[l->item[from]].target;
    int rc = begin_hits(s, m, err);
    for (size_t i = from; i < to && !rc; i++)
        if (l->at[l->item[i]].behind) rc = ws_long_target_behind(&s->genome->target[target], err);
    if (!rc) rc = ws_long_find_hits(&s->genome->target[target], m->dom, l, l->item + from, to - from, &m->found, err);
    return rc ? rc : add_hits(s, f, l, target, &m->found, err);
}

/* ws_long_past.first. Its envelopes are no part of the statistics: how many there are depends on the threads. */
static int find_first(void *own, const ws_long_target *t, const ws_long_list *l, uint32_t item, int behind, int *any,
                      ws_err *err) {
    memory *m = own;
    int rc = begin_hits(m->of, m, err);
    if (!rc) rc = ws_long_find_first_hits(t, m->dom, l, item, behind, &m->found, err);
    *any = m->found.envelopes > 0;
    m->found.envelopes = 0;
    return rc ? rc : add_hits(m->of, m->flight, l, l->at[item].target, &m->found, err);
}

/* Finds the hits of what a step of the scan found itself. */
static int find_own(search *s, flight *f, memory *m, ws_err *err) {
    int rc = WS_OK;
    ws_long_list_sort(&m->subwindows, 1);
    for (size_t from = 0, to; from < m->subwindows.n && !rc; from = to) {
        to = end_of_chunk(s, &m->subwindows, from);
        rc = find_hits(s, f, &m->subwindows, from, to, m, err);
    }
    ws_long_list_reuse(&m->subwindows);
    return rc;
}

/* Takes windows to the thread's sub-windows. */
static int sieve(const search *s, ws_long_list *windows, memory *m, ws_err *err) {
    ws_long_list_sort(windows, 0);
    const int rc = ws_long_sieve(s->genome->target, &s->job->machine.cpu, windows, &m->search, &m->subwindows, err);
    ws_long_list_reuse(windows);
    return rc;
}

/* nhmmscan needs the cutoffs of a model when a sequence has a window, nhmmer at once. */
static int check_cut(const search *s, const ws_long_list *windows, size_t from, ws_err *err) {
    const ws_genome *g = s->genome;
    int rc = WS_OK;
    for (size_t j = from; j < windows->n && g->by_seq && g->cut >= 0 && !rc; j++)
        if (!g->set.hmm[windows->at[j].target].has_cut[g->cut])
            rc = ws_thresholds_lack_cut(g->set.hmm, g->set.n, g->cut, err);
    return rc;
}

/* Without marks the thread tests the windows of a block at once, which are in the cache. */
static int scan_unit(search *s, flight *f, const ws_long_set *g, size_t u, ws_long_list *windows, memory *m,
                     uint64_t *cells, ws_err *err) {
    const ws_batch *b = g->batch;
    const size_t before = windows->n;
    int rc = ws_long_set_search(g, u, b->number << 32 | u, &m->search, windows, cells, err);
    s->windows += windows->n - before;
    if (!rc) rc = check_cut(s, windows, before, err);
    const int many = windows->codes.n > WS_PLAN_WINDOWS;
    if (!rc && (!g->marks || many)) rc = sieve(s, windows, m, err);
    return !rc && (many || m->subwindows.codes.n >= WS_PLAN_SUBWINDOWS) ? find_own(s, f, m, err) : rc;
}

static int scan(search *s, pool *p, const ws_chain_step *step, memory *m, ws_err *err) {
    const ws_long_set g = set_of(s, p);
    const size_t *part = p->of->units.part;
    ws_long_list *windows = &m->search.windows, *made = g.marks ? windows : &m->subwindows;
    uint64_t cells = 0;
    int rc = WS_OK;
    ws_long_list_reuse(windows);
    ws_long_list_reuse(&m->subwindows);
    for (size_t u = part[step->from]; u < part[step->to] && !rc; u++)
        rc = scan_unit(s, p->of, &g, u, windows, m, &cells, err);
    s->cells += cells;
    if (g.marks) s->device_cells += cells;
    if (made->n == 0) return rc;
    p->made[step->from] = *made;
    *made = (ws_long_list){0};
    return rc;
}

/* A device that fails in a run that asked for none leaves its windows to the thread. */
static int test(search *s, pool *p, ws_chain_kind kind, memory *m, ws_err *err) {
    const ws_cpu *cpu = &s->job->machine.cpu;
    int rc = WS_OK, by_cpu = kind == WS_CHAIN_CPU;
    ws_long_list_reuse(&m->subwindows);
    if (!by_cpu) {
        rc = ws_long_sieve_on_device(s->genome->target, cpu, s->cut.codec, s->job->nworker, &p->list, &m->search,
                                     &m->subwindows, err);
        by_cpu = rc && ws_job_fall_back_to_cpu(s->job, s->job->backend, rc, err);
        if (by_cpu) ws_long_list_reuse(&m->subwindows);
    }
    if (by_cpu) rc = sieve(s, &p->list, m, err);
    const ws_long_list empty = p->list;
    p->list = m->subwindows;
    m->subwindows = empty;
    return rc;
}

static int work(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    const ws_genome_stage *stage = own;
    search *s = stage->of;
    pool *p = step->pool;
    memory *m = take_memory(s, err);
    if (!m) return err->code;
    const ws_genome *g = s->genome;
    m->of = s;
    m->flight = p->of;
    m->search.count = (ws_long_count){g->by_seq ? p->of->hits.passed : g->dna.passed, g->by_seq};
    if (!g->nonull2) m->search.past = (ws_long_past){g->history, find_first, m};
    int rc = WS_OK;
    switch (stage->number) {
    case MARK: rc = mark(s, p, err); break;
    case SCAN: rc = scan(s, p, step, m, err); break;
    default: rc = test(s, p, t->kind, m, err);
    }
    return end_step(s, p, m) && !rc ? go_on(s, p, stage->number, err) : rc;
}

int ws_genome_search_stages(search *s, ws_chain_stage stage[WS_GENOME_STAGES + WS_DOM_STEPS], ws_err *err) {
    static const char *const name[] = {"mark", "scan", "test"};
    static const ws_step_kind kind[] = {WS_STEP_MARK, WS_STEP_SCAN, WS_STEP_NONE};
    const ws_genome *g = s->genome;
    const ws_dom_steps_conf conf = {.backend = g->target[0].dom, .models = s->job->ntarget, .threads = s->job->nworker,
                                    .options = {.seed = (uint32_t)g->seed, .nonull2 = g->nonull2, .memory = g->mem},
                                    .job = g->cpu_domains ? NULL : s->job, .device_first = 1, .own = s,
                                    .done = take_domains, .eager = is_eager};
    for (int k = 0; k < WS_GENOME_STAGES; k++) {
        s->stage[k] = (ws_genome_stage){s, k};
        stage[k] = (ws_chain_stage){&s->stage[k], take, work, left, name[k], kind[k]};
    }
    const int rc = ws_dom_steps_create(&s->steps, &conf, err);
    if (!rc) ws_dom_steps_stages(s->steps, stage + WS_GENOME_STAGES);
    return rc;
}

/* ---- batches ---- */

static int make_pools(search *s, flight *f, const ws_batch *b, ws_err *err) {
    const size_t n = s->sets.n;
    int rc = ws_long_units_cut(&f->units, b, s->cut.block, s->genome->scan.block, err);
    if (!rc) rc = ws_genome_scan_begin(s, b, &f->hits, err);
    if (rc) return rc;
    if (!f->pool && !(f->pool = ws_calloc(n, sizeof *f->pool, err))) return err->code;
    if (!(f->made = ws_calloc(n * f->units.nparts, sizeof *f->made, err))) return err->code;
    for (size_t g = 0; g < n; g++) f->pool[g] = (pool){.of = f, .set = g, .made = f->made + g * f->units.nparts};
    f->begun = f->over = 0;
    f->left = n * f->units.nparts;
    f->users = n;
    return WS_OK;
}

int ws_genome_add(search *s, ws_batch *b, ws_err *err) {
    pthread_mutex_lock(&s->lock);
    flight *f = s->free;
    if (f) s->free = f->next;
    pthread_mutex_unlock(&s->lock);
    if (!f && !(f = ws_calloc(1, sizeof *f, err))) return err->code;
    const int rc = make_pools(s, f, b, err);
    const ws_batch empty = f->batch;
    f->batch = *b;
    *b = empty;
    f->next = NULL;
    pthread_mutex_lock(&s->lock);
    flight **end = &s->first;
    while (*end) end = &(*end)->next;
    const int over = rc || f->left == 0;
    if (!over) {
        *end = f;
        __atomic_add_fetch(&s->searching, s->sets.n, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&s->lock);
    return over ? end_batch(s, f, rc, err) : WS_OK;
}

/* The program reads ahead once half the slices of the last batch are taken. */
ws_chain_wish ws_genome_wish(void *own) {
    search *s = own;
    size_t n = 0, open = 0, waiting = 0;
    pthread_mutex_lock(&s->lock);
    for (const flight *f = s->first; f; f = f->next, n++) {
        open += 2 * f->left > f->units.nparts * s->sets.n;
        waiting += f->begun < s->sets.n;
    }
    pthread_mutex_unlock(&s->lock);
    uint64_t bytes;
    if (s->genome->by_seq) n = ws_turns_left(&s->turns, &bytes);
    return ws_plan_genome_wish(s->job->nworker, n, open, waiting);
}

/* ---- opening and closing ---- */

static void destroy_memory(void *own) {
    memory *m = own;
    ws_dom_worker_destroy(m->dom);
    ws_long_worker_release(&m->search);
    ws_long_list_release(&m->subwindows);
    ws_long_hits_release(&m->found);
    ws_free(m);
}

void ws_genome_search_begin(search *s) {
    pthread_mutex_init(&s->lock, NULL);
    ws_freelist_open(&s->idle, destroy_memory);
}

/* After a failure there are pools that are not over. */
static void release_flights(const search *s, flight *f) {
    for (flight *next; f; f = next) {
        next = f->next;
        for (size_t g = 0; f->pool && g < s->sets.n; g++) {
            ws_long_marks_destroy(f->pool[g].marks);
            for (size_t j = 0; f->pool[g].sub && j < f->pool[g].list.n; j++)
                ws_dom_pair_release(&f->pool[g].sub[j].of.pair);
            ws_long_list_release(&f->pool[g].list);
            ws_free(f->pool[g].sub);
        }
        for (size_t j = 0; f->made && j < s->sets.n * f->units.nparts; j++) ws_long_list_release(&f->made[j]);
        ws_batch_release(&f->batch);
        ws_long_units_release(&f->units);
        ws_genome_hits_release(&f->hits);
        ws_free(f->pool);
        ws_free(f->made);
        ws_free(f);
    }
}

void ws_genome_search_release(search *s) {
    ws_dom_steps_destroy(s->steps);
    release_flights(s, s->first);
    release_flights(s, s->free);
    ws_freelist_close(&s->idle);
    ws_turns_close(&s->turns);
    pthread_mutex_destroy(&s->lock);
}
