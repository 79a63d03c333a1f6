/* SPDX-License-Identifier: MIT
 * A chain of recorded work on a machine that need not be there, in virtual time. The order in which threads look at the
 * stages is the chain's own (ws_chain_choose), and every decision the plan's (bin/stages/plan.h).
 *
 * Modelled: the reading and making of models before the chain, and what is written behind it; pools that fill and
 * empty, batches, steps and calls as large as the plan has them; speeds as the run measures them; streams that share
 * their device, each call after seconds of its own for launches and its longest problem; decisions and ends on the CPU;
 * when --backend auto opens a device; one that opens late, is lost, or is slow; devices of different speeds. Not
 * modelled: threads that share cores, caches and locks, registers that are not full, memory, copies beside kernels,
 * shapes. Pairs of a filter are alike, and a share of them passes; spans have the sizes of a work's tenths, in a fixed
 * order. */
#ifndef WS_TESTS_SIMULATOR_H
#define WS_TESTS_SIMULATOR_H

#include "bin/stages/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MSV, VIT, FWD, PARSE, RESOLVE, RESCORE, KINDS, SPAN_KINDS = 3 }; /* of pairs, then of spans */
enum { TENTHS = 10, NAME = 32, SIM_DEVICES = 4 };

/* The work of a search. */
typedef struct sim_work {
    char name[NAME];
    double models, nodes, seqs, residues, read; /* read: seconds to read a residue */
    double n[KINDS], cells[KINDS];
    double tenth[KINDS][TENTHS], longest[KINDS]; /* cells of a span: means of tenths, shortest first */
    double from_regions; /* envelopes that come from ensembles; the others come from targets */
    /* seconds before the chain, and behind it: of one thread while others wait, and of all together */
    double start[2], end[2];
    struct sim_measured {
        char machine[NAME], backend[NAME];
        double seconds;
    } measured[4]; /* what such a search took */
    int nmeasured;
} sim_work;

typedef struct sim_machine {
    char name[NAME], width[NAME];
    int capability, threads, devices, streams; /* streams of each device */
    double cpu[KINDS], device[KINDS];      /* cells a second of a thread, of a device */
    double part[SIM_DEVICES];              /* of these that each device has */
    int bound;                             /* 1: a thread has a stream; 0: a call has one that is free */
    double wake, open, close;              /* seconds: of the driver, of devices that open and close */
    double call, serial;                   /* seconds: of a call at least; of a cell of its longest problem */
    double unpack, look, region;           /* of a residue; of a pair to decide about; of a region that was sampled */
} sim_machine;

typedef enum sim_mode { SIM_CPU, SIM_CUDA, SIM_BOTH, SIM_AUTO } sim_mode; /* --backend */

typedef struct sim_result {
    double seconds, bound; /* the end; no plan ends before the bound */
    double cpu, device;    /* seconds that threads of the CPU, and devices, worked */
    double done[KINDS];    /* pairs and spans */
} sim_result;

/* ---- what waits ---- */

typedef struct sim_span {
    double cells;
    int model;
    struct sim_span *next;
} sim_span;

typedef struct sim_pool {
    int state, all, inlet, user, steps; /* CLOSED ..; steps that are under way */
    double pairs, cells, bytes, seqs, residues, taken;
    unsigned loaded;                    /* by streams */
    uint64_t number, copy;              /* of this pool; of the open one that has copies of its sequences */
    double copied;                      /* pairs that went there */
    struct sim_pool *next;
} sim_pool;
enum { CLOSED, TAKEN, READY };

typedef struct sim_filter {
    struct sim *of;
    int kind, calls;
    sim_pool *first, *open[WS_PLAN_INLETS];
    double part; /* of the next pair that passes */
} sim_filter;

typedef struct sim_task {
    enum { MAKE, SCORE, DECIDE, SPANS, END, READ } what;
    int kind, steps_on; /* END: what follows from a device's regions */
    sim_pool *pool;
    sim_span *first;
    double pairs, cells, longest, seconds; /* seconds: of the CPU */
    struct sim_task *next;
} sim_task;

typedef struct sim_stage {
    struct sim *of;
    int kind, had;
    struct sim_bucket {
        sim_span *first;
        size_t n;
    } *bucket;
    size_t waiting, left, nsteps, made;
    double cells, cells_left, part[KINDS]; /* part: of the next span of each kind */
    sim_task *steps;
} sim_stage;

typedef struct sim_thread {
    ws_chain_thread is;
    sim_task *task; /* NULL: it waits */
    int helps, stream; /* stream: that its call has, of all devices; -1: none */
    double host, kernel; /* seconds that are left: of its own, then of the device alone */
    double begun;        /* when it took its task, if that is a measure of its speed; below 0: it is none */
} sim_thread;

typedef struct sim {
    const sim_work *w;
    sim_machine m;
    sim_mode mode;
    ws_plan_machine plan;
    /* what threads did, in which time, and of this the cells of the first filter */
    double cells[WS_CHAIN_KINDS][KINDS], measured[WS_CHAIN_KINDS][KINDS], scored;
    double open_at; /* when devices are open; INFINITY: they stay closed */
    int heard;      /* a call has ended */
    ws_chain_ops ops;
    ws_chain_state state;
    ws_chain_stage stage[KINDS + 2];
    sim_filter filter[3];
    sim_stage spans[SPAN_KINDS];
    sim_task *ends, *decisions;
    int calls;
    double now, seqs_left, lost;
    uint64_t pools;
    sim_thread *thread;
    int nthread;
    sim_result r;
} sim;

static sim_task *sim_new_task(int what, int kind) {
    sim_task *t = calloc(1, sizeof *t);
    t->what = what;
    t->kind = kind;
    return t;
}

static void sim_queue(sim_task **list, sim_task *t) {
    while (*list) list = &(*list)->next;
    *list = t;
}

/* Returns the whole part of *part + x, and keeps the rest. */
static size_t sim_whole(double *part, double x) {
    const double all = *part + x + 1e-9, n = floor(all);
    *part = all - n;
    return (size_t)n;
}

/* ---- spans ---- */

static ws_plan_spans sim_plan_of(const sim_stage *st) {
    const sim *s = st->of;
    return (ws_plan_spans){.m = s->plan, .kind = st->kind - PARSE, .waiting = st->waiting, .cells = st->cells,
                           .steps = st->nsteps, .had = st->had, .calls = s->calls};
}

static void sim_push(sim_stage *st, struct sim_bucket *b, sim_span *p) {
    p->next = b->first;
    b->first = p;
    b->n++;
    st->waiting++;
    st->cells += p->cells;
}

static sim_span *sim_pop(sim_stage *st, struct sim_bucket *b) {
    sim_span *p = b->first;
    b->first = p->next;
    b->n--;
    st->waiting--;
    st->cells = st->waiting ? st->cells - p->cells : 0;
    return p;
}

static int sim_longer(const void *a, const void *b) {
    const double x = (*(sim_span *const *)a)->cells, y = (*(sim_span *const *)b)->cells;
    return (x < y) - (x > y);
}

/* Cuts spans of a model into steps, as bin/domains/steps.c does. */
static void sim_close(sim_stage *st, const ws_plan_spans *plan, struct sim_bucket *b) {
    sim_span *list[WS_PLAN_SPANS_OF_MODEL];
    const size_t of_step = ws_plan_spans_of_step(plan);
    size_t n = 0;
    while (b->first && n < WS_PLAN_SPANS_OF_MODEL) list[n++] = sim_pop(st, b);
    qsort(list, n, sizeof *list, sim_longer);
    while (n > ws_plan_spans_to_cut(plan, n)) sim_push(st, b, list[--n]);
    for (size_t i = 0; i < n; i += of_step) {
        sim_task *t = sim_new_task(SPANS, st->kind);
        for (size_t j = i; j < n && j < i + of_step; j++) {
            list[j]->next = t->first;
            t->first = list[j];
            t->cells += list[j]->cells;
        }
        sim_queue(&st->steps, t);
        st->nsteps++;
    }
}

static void sim_add_span(sim *s, int kind, int model) {
    const sim_work *w = s->w;
    sim_stage *st = &s->spans[kind - PARSE];
    sim_span *p = calloc(1, sizeof *p);
    const size_t i = st->made++;
    const double place = fmod(0.618033988749895 * (double)i, 1), all = w->n[kind];
    p->cells = i == (size_t)(all / 2) ? w->longest[kind] : w->tenth[kind][(int)(TENTHS * place)];
    p->model = model;
    sim_push(st, &st->bucket[model], p);
    st->left++;
    st->cells_left += p->cells;
    if (st->bucket[model].n < WS_PLAN_SPANS_OF_MODEL) return;
    const ws_plan_spans plan = sim_plan_of(st);
    if (ws_plan_spans_cut(&plan)) sim_close(st, &plan, &st->bucket[model]);
}

/* Adds what follows from a span. */
static void sim_follow(sim *s, int kind, int model) {
    const double *n = s->w->n, direct = n[RESCORE] - s->w->from_regions;
    double *part = s->spans[kind - PARSE].part;
    size_t regions = kind == PARSE ? sim_whole(&part[RESOLVE], n[RESOLVE] / n[PARSE]) : 0, envelopes = 0;
    if (kind == PARSE) envelopes = sim_whole(&part[RESCORE], direct / n[PARSE]);
    if (kind == RESOLVE) envelopes = sim_whole(&part[RESCORE], s->w->from_regions / n[RESOLVE]);
    while (regions-- > 0) sim_add_span(s, RESOLVE, model);
    while (envelopes-- > 0) sim_add_span(s, RESCORE, model);
}

static void sim_end_spans(sim *s, sim_task *t) {
    for (sim_span *p = t->first, *next; p; p = next) {
        next = p->next;
        sim_follow(s, t->kind, p->model);
        s->spans[t->kind - PARSE].left--;
        s->spans[t->kind - PARSE].cells_left -= p->cells;
        s->r.done[t->kind]++;
        free(p);
    }
}

static struct sim_bucket *sim_model(const sim_stage *st) {
    struct sim_bucket *b = st->bucket;
    while (!b->n) b++;
    return b;
}

static sim_task *sim_spans_for_cpu(sim_stage *st, ws_chain_need need) {
    const ws_plan_spans plan = sim_plan_of(st);
    if (!st->steps && ws_plan_spans_cpu_cuts(&plan, need)) sim_close(st, &plan, sim_model(st));
    sim_task *t = st->steps;
    if (!t) return NULL;
    st->steps = t->next;
    st->nsteps--;
    t->next = NULL;
    return t;
}

static sim_task *sim_spans_for_device(sim_stage *st, ws_chain_need need) {
    const ws_plan_spans plan = sim_plan_of(st);
    const double most = ws_plan_spans_call(&plan, need);
    if (most == 0 || st->of->calls >= ws_plan_spans_most_calls(&plan.m, need)) return NULL;
    sim_task *t = sim_new_task(SPANS, st->kind);
    st->of->calls++;
    st->had = 1;
    while (st->waiting && t->cells < most) {
        sim_span *p = sim_pop(st, sim_model(st));
        p->next = t->first;
        t->first = p;
        t->cells += p->cells;
        t->longest = fmax(t->longest, p->cells);
    }
    return t;
}

static int sim_take_spans(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    step->pool = t->kind == WS_CHAIN_CPU ? sim_spans_for_cpu(own, need) : sim_spans_for_device(own, need);
    return step->pool != NULL;
}

static int sim_spans_left(void *own) { return ((sim_stage *)own)->left > 0; }

/* ---- filters ---- */

static ws_plan_pool sim_pool_of(const sim_filter *f, const sim_pool *p) {
    return (ws_plan_pool){f->kind, p->all, p->all ? 0 : (size_t)p->pairs, p->cells, p->bytes};
}

static double sim_fullness(const sim_filter *f, const sim_pool *p) {
    const ws_plan_pool q = sim_pool_of(f, p);
    return ws_plan_pool_fullness(&f->of->plan, &q, ws_plan_pool_bytes(0));
}

static void sim_close_pool(sim_filter *f, int inlet) {
    sim_pool **end = &f->first;
    while (*end) end = &(*end)->next;
    *end = f->open[inlet];
    f->open[inlet] = NULL;
}

/* Adds pairs that passed to the open pool of an inlet. Their sequences are copied once for each pool. */
static void sim_add_pairs(sim_filter *f, sim_pool *from, size_t n) {
    const double each = f->of->w->cells[f->kind] / f->of->w->n[f->kind], length = from->residues / from->seqs;
    enum { TEXT = 60 }; /* bytes of name and description */
    while (n > 0) {
        const size_t k = ws_min(n, WS_PLAN_ADD_PAIRS);
        sim_pool *p = f->open[from->inlet];
        if (!p) {
            p = f->open[from->inlet] = calloc(1, sizeof *p);
            p->number = ++f->of->pools;
        }
        if (from->copy != p->number) from->copied = 0;
        from->copy = p->number;
        const double had = exp(-from->copied / from->seqs);
        from->copied += (double)k;
        const double seqs = from->seqs * (had - exp(-from->copied / from->seqs));
        p->pairs += (double)k;
        p->cells += each * (double)k;
        p->seqs += seqs;
        p->residues += seqs * length;
        p->bytes += seqs * (length * 8 / 6 + TEXT);
        n -= k;
        if (sim_fullness(f, p) >= 1) sim_close_pool(f, from->inlet);
    }
}

/* Takes a step of a closed pool. */
static sim_task *sim_take_from(sim_filter *f, sim_pool *p, const ws_chain_thread *t, ws_chain_need need) {
    const sim *s = f->of;
    sim_task *task = NULL;
    if (p->state == CLOSED) {
        p->state = TAKEN;
        task = sim_new_task(MAKE, f->kind);
        task->seconds = p->residues * s->m.unpack;
    } else {
        if (p->state != READY || p->taken >= p->pairs) return NULL;
        if (!ws_plan_filter_is_for(&s->plan, f->kind, t->kind, need)) return NULL;
        const ws_plan_pool q = sim_pool_of(f, p);
        const ws_budget b = ws_plan_filter_step(&s->plan, &q, t->kind, f->calls);
        const double each = p->cells / p->pairs, of_task = p->pairs / fmin(p->pairs, s->w->models);
        double most = fmin(ceil(b.cells / each), p->pairs - p->taken);
        if (b.pairs != SIZE_MAX) most = fmin(most, fmin((double)b.pairs, of_task * (double)b.tasks));
        task = sim_new_task(SCORE, f->kind);
        task->pairs = fmax(1, floor(most));
        if (p->pairs - p->taken - task->pairs < 1) task->pairs = p->pairs - p->taken;
        task->cells = task->pairs * each;
        p->taken += task->pairs;
        if (t->kind == WS_CHAIN_DEVICE) {
            f->calls++;
            if (!p->user) p->user = t->number + 1;
        }
    }
    task->pool = p;
    p->steps++;
    return task;
}

static sim_task *sim_take_closed(sim_filter *f, const ws_chain_thread *t, ws_chain_need need) {
    sim_task *task = NULL;
    for (int wish = t->kind == WS_CHAIN_DEVICE ? 0 : 2; wish < 3 && !task; wish++)
        for (sim_pool *p = f->first; p && !task; p = p->next)
            if (wish == 2 || p->user == (wish ? 0 : t->number + 1)) task = sim_take_from(f, p, t, need);
    return task;
}

static int sim_take_pairs(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    sim_filter *f = own;
    step->pool = sim_take_closed(f, t, need);
    if (step->pool || need == WS_CHAIN_FULL || need == WS_CHAIN_SPARE) return step->pool != NULL;
    for (int k = 0; k < WS_PLAN_INLETS && !step->pool; k++) {
        if (!f->open[k]) continue;
        const ws_plan_pool q = sim_pool_of(f, f->open[k]);
        if (!ws_plan_pool_closes(&f->of->plan, &q, sim_fullness(f, f->open[k]), f->calls, t->kind, need)) continue;
        sim_close_pool(f, k);
        step->pool = sim_take_closed(f, t, need);
    }
    return step->pool != NULL;
}

static int sim_pairs_left(void *own) {
    const sim_filter *f = own;
    int some = f->first != NULL;
    for (int k = 0; k < WS_PLAN_INLETS; k++) some |= f->open[k] != NULL;
    return some;
}

/* Lets pairs of a step pass, and ends the pool with its last step. */
static void sim_pass(sim *s, sim_task *t) {
    sim_filter *f = &s->filter[t->kind];
    sim_pool *p = t->pool;
    const double share = s->w->n[t->kind + 1] / s->w->n[t->kind];
    const size_t n = sim_whole(&f->part, t->pairs * share);
    s->r.done[t->kind] += t->pairs;
    if (t->kind < FWD) sim_add_pairs(f + 1, p, n);
    else
        for (size_t i = 0; i < n; i++) { /* a few models have most of the targets */
            const double place = fmod(0.7548776662466927 * (double)s->spans[0].made, 1);
            sim_add_span(s, PARSE, (int)(s->w->models * place * place));
        }
    if (--p->steps > 0 || p->taken < p->pairs) return;
    sim_pool **at = &f->first;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    free(p);
}

#endif
