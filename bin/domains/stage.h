/* SPDX-License-Identifier: MIT
 * The stages of the domain steps inside: what waits, and what devices.c needs of steps.c. */
#ifndef WS_DOMAINS_STAGE_H
#define WS_DOMAINS_STAGE_H

#include "bin/domains/steps.h"
#include "bin/stages/plan.h"
#include "lib/base/freelist.h"

#include <pthread.h>

typedef enum ws_dom_kind {
    WS_DOM_PARSE = WS_PLAN_PARSE, WS_DOM_RESOLVE = WS_PLAN_RESOLVE, WS_DOM_RESCORE = WS_PLAN_RESCORE,
    WS_DOM_KINDS = WS_PLAN_SPAN_KINDS
} ws_dom_kind;

typedef struct ws_dom_stage ws_dom_stage;

/* A span that waits. Spans of one model are linked by `next`, and so are those of a step; `step` links steps. */
typedef struct ws_dom_waiting {
    ws_dom_item *item;
    ws_dom_span of;
    uint32_t L;
    double cells; /* of its recurrences */
    /* of the first span of a step that a device has left to the CPU: its stage; what is left is what follows alone */
    ws_dom_stage *stage;
    int done;
    struct ws_dom_waiting *next, *step;
} ws_dom_waiting;

/* The spans of a model that wait. Models that have some are linked by `next`. */
typedef struct ws_dom_bucket {
    ws_dom_waiting *first, *last; /* last: valid while n > 0 */
    double cells;
    uint32_t n;
    int listed;
    uint32_t next;
} ws_dom_bucket;

struct ws_dom_stage {
    ws_dom_steps *of;
    ws_dom_kind kind;
    pthread_mutex_t lock;
    ws_dom_bucket *bucket;        /* [models] */
    uint32_t first, last;         /* models with spans, the one that came first; UINT32_MAX: there is none */
    ws_dom_waiting *steps, **end; /* that are ready, for the CPU */
    size_t nsteps, waiting, left; /* spans in buckets; all that are not done */
    double cells, cells_left;     /* of those in buckets; of all that are not done */
    int had;                      /* a device has had some */
};

/* Spans that a device has left to threads of the CPU, by steps. */
typedef struct ws_dom_ends {
    pthread_mutex_t lock;
    ws_dom_waiting *first, **end;
} ws_dom_ends;

struct ws_dom_steps {
    ws_dom_steps_conf conf;
    ws_dom_stage stage[WS_DOM_KINDS];
    ws_dom_ends ends;
    ws_freelist idle; /* ws_dom_workers */
    int calls; /* steps that devices have. Atomic */
};

/* Returns an envelope of a window; takes what became of it. */
static inline ws_dom_window_envelope ws_dom_waiting_window(const ws_dom_waiting *p) {
    const ws_dom_envelope *e = p->of.env;
    return (ws_dom_window_envelope){.x = p->of.pair->x, .L = p->of.pair->L, .from = e->from, .to = e->to,
                                    .fit = p->item->window};
}
static inline void ws_dom_waiting_take_window(const ws_dom_waiting *p, const ws_dom_window_envelope *e) {
    p->of.env->scored = e->scored;
    p->of.env->domain = e->domain;
}

/* Take a step for a thread, under the stage's lock, and set all of *step; return 0 if there is none. That of the CPU is
 * the oldest one; if none is ready, spans become steps before. That of a device has spans of any models. */
int ws_dom_stage_take_for_cpu(ws_dom_stage *st, ws_chain_need need, ws_chain_step *step);
int ws_dom_stage_take_for_device(ws_dom_stage *st, ws_chain_need need, ws_chain_step *step);
/* Ends spans that are done; after a failure rc just frees them. Returns rc, or the first failure of what follows. */
int ws_dom_stage_end_spans(ws_dom_stage *st, ws_dom_waiting *first, int rc, ws_err *err);
/* Does a step of the CPU, and adds what follows from its spans, which are of one model. The CPU clusters what a device
 * sampled. */
int ws_dom_stage_run_on_cpu(ws_dom_stage *st, ws_dom_waiting *first, ws_err *err);

#endif
