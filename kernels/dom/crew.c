/* SPDX-License-Identifier: MIT
 * The steps of the domain stage on several threads: see kernels/dom/crew.h. */
#include "kernels/dom/crew.h"

#include <pthread.h>
#include <stdlib.h>

#include "kernels/dom/kernel.h"
#include "lib/base/parallel_for.h"

enum { THREADS_MAX = 64 }; /* limit of ws_parallel_for */

struct ws_dom_crew {
    int threads;
    const ws_dom_options *options; /* options of the first worker */
    ws_dom_worker *worker[THREADS_MAX];
    pthread_mutex_t lock; /* protects the idle workers, worker[0 .. idle) */
    int idle;
};

int ws_dom_crew_create(ws_dom_crew **crew, const ws_dom_backend *b, const ws_dom_options *o, int threads, ws_err *err) {
    ws_dom_crew *c = *crew = ws_calloc(1, sizeof *c, err);
    if (!c) return err->code;
    pthread_mutex_init(&c->lock, NULL);
    c->threads = (int)ws_min(THREADS_MAX, ws_max(1, (size_t)threads));
    for (; c->idle < c->threads; c->idle++)
        if (ws_dom_worker_create(&c->worker[c->idle], b, o, err) != WS_OK) {
            ws_dom_crew_destroy(c);
            *crew = NULL;
            return err->code;
        }
    c->options = &c->worker[0]->options;
    return WS_OK;
}

void ws_dom_crew_destroy(ws_dom_crew *c) {
    if (!c) return;
    for (int j = 0; j < c->idle; j++) ws_dom_worker_destroy(c->worker[j]);
    pthread_mutex_destroy(&c->lock);
    ws_free(c);
}

static ws_dom_worker *take(ws_dom_crew *c) {
    pthread_mutex_lock(&c->lock);
    ws_dom_worker *w = c->worker[--c->idle];
    pthread_mutex_unlock(&c->lock);
    return w;
}

static void give(ws_dom_crew *c, ws_dom_worker *w) {
    pthread_mutex_lock(&c->lock);
    c->worker[c->idle++] = w;
    pthread_mutex_unlock(&c->lock);
}

/* ---- pieces ---- */

typedef enum kind { PAIRS, REGIONS, ENVELOPES, ENDS } kind;

/* Arguments of one call of a step: entries from .. from + n of the step's list, all of one model. */
typedef struct piece {
    size_t from, n;
    double cells;
} piece;

/* One entry of a step's list. */
typedef struct entry {
    const ws_dom_tables *tables;
    ws_dom_part part; /* the step uses the fields that it needs */
    uint32_t L;
} entry;

typedef struct step {
    ws_dom_crew *crew;
    kind kind;
    entry *entry;
    size_t n;
    piece *piece;
    size_t npiece;
} step;

/* Most problems in a piece: they fill the registers twice, so that few problems are alone at a list's end. */
enum { MOST = 8 };

static int run_piece(void *ctx, size_t i, ws_err *err) {
    const step *s = ctx;
    const piece *p = &s->piece[i];
    const ws_dom_tables *t = s->entry[p->from].tables;
    ws_dom_pair *pair[MOST];
    ws_dom_part part[MOST];
    int rc = WS_OK;
    for (size_t j = 0; j < p->n; j++) {
        part[j] = s->entry[p->from + j].part;
        pair[j] = part[j].pair;
    }
    ws_dom_worker *w = take(s->crew);
    switch (s->kind) {
    case PAIRS: rc = ws_dom_parse(t, w, pair, p->n, err); break;
    case REGIONS: rc = ws_dom_resolve(t, w, part, p->n, err); break;
    case ENVELOPES: rc = ws_dom_rescore(t, w, part, p->n, err); break;
    case ENDS:
        for (size_t j = 0; rc == WS_OK && j < p->n; j++) rc = ws_dom_finish(t, s->crew->options, pair[j], err);
    }
    give(s->crew, w);
    return rc;
}

/* Orders entries by model, and within a model longest first. The address of a model's tables identifies it; any
 * order of models will do, because no result depends on it. */
static int by_model(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->tables != y->tables) return x->tables < y->tables ? -1 : 1;
    return (x->L < y->L) - (x->L > y->L);
}

/* Orders pieces by cost, highest first, so that no thread begins a large one when the others are done. */
static int by_cells(const void *a, const void *b) {
    const piece *x = a, *y = b;
    return (x->cells < y->cells) - (x->cells > y->cells);
}

/* Cuts the list so that each thread gets several pieces, and sorts them. Returns WS_ENOMEM on failure. */
static int cut(step *s, ws_err *err) {
    const size_t most = s->n < (size_t)s->crew->threads * MOST ? MOST / 2 : MOST;
    if (!(s->piece = ws_calloc(s->n, sizeof *s->piece, err))) return err->code;
    for (size_t j = 0; j < s->n; j++) {
        const entry *e = &s->entry[j];
        piece *p = s->npiece ? &s->piece[s->npiece - 1] : NULL;
        if (!p || p->n == most || s->entry[p->from].tables != e->tables) {
            p = &s->piece[s->npiece++];
            *p = (piece){.from = j};
        }
        p->n++;
        p->cells += (double)e->L * (double)e->tables->M;
    }
    qsort(s->piece, s->npiece, sizeof *s->piece, by_cells);
    return WS_OK;
}

/* Appends the parts of one pair that the step handles; without s->entry only counts them. */
static void list(step *s, const ws_dom_task *task) {
    ws_dom_pair *pair = task->pair;
    if (s->kind == PAIRS || s->kind == ENDS) {
        if (s->entry) s->entry[s->n] = (entry){task->tables, {pair, NULL, NULL}, pair->L};
        s->n++;
        return;
    }
    for (uint32_t r = 0; r < pair->nregion; r++) {
        ws_dom_region *g = &pair->region[r];
        const size_t parts = s->kind == ENVELOPES ? g->nenv : g->multi != 0;
        for (size_t e = 0; e < parts; e++, s->n++) {
            if (!s->entry) continue;
            ws_dom_envelope *env = s->kind == ENVELOPES ? &g->env[e] : NULL;
            const uint32_t L = env ? env->to - env->from + 1 : g->to - g->from + 1;
            s->entry[s->n] = (entry){task->tables, {pair, g, env}, L};
        }
    }
}

static int run_step(ws_dom_crew *c, kind k, const ws_dom_task *task, size_t n, ws_err *err) {
    step s = {.crew = c, .kind = k};
    for (size_t j = 0; j < n; j++) list(&s, &task[j]);
    if (!(s.entry = ws_calloc(s.n, sizeof *s.entry, err))) return err->code;
    s.n = 0;
    for (size_t j = 0; j < n; j++) list(&s, &task[j]);
    qsort(s.entry, s.n, sizeof *s.entry, by_model);
    int rc = cut(&s, err);
    /* ends take microseconds, less than a thread's start */
    const size_t threads = k == ENDS ? 1 + s.npiece / 32 : (size_t)c->threads;
    if (rc == WS_OK) rc = ws_parallel_for(s.npiece, (int)ws_min(threads, (size_t)c->threads), run_piece, &s, err);
    ws_free(s.entry);
    ws_free(s.piece);
    return rc;
}

int ws_dom_crew_score(ws_dom_crew *c, const ws_dom_task *task, size_t n, ws_err *err) {
    static const kind order[] = {PAIRS, REGIONS, ENVELOPES, ENDS};
    int rc = WS_OK;
    for (size_t k = 0; rc == WS_OK && k < sizeof order / sizeof *order; k++) rc = run_step(c, order[k], task, n, err);
    return rc;
}
