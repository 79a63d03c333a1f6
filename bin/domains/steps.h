/* SPDX-License-Identifier: MIT
 * The domain stage as stages of a chain: parse, resolve and rescore. Spans of pairs (whole targets, regions, envelopes)
 * wait by model until vector registers are full, also if they come from different pools. So many threads can work on
 * one large pair.
 *
 * A device takes whole targets, regions and envelopes of all models together, when enough of them wait. Threads of the
 * CPU take those that it leaves, and cluster what its traces of a region found. While filters need the device the CPU
 * has all spans but envelopes, and then both share what is left. With device_first it is the other way round: spans
 * wait for the device, and threads of the CPU take what waits before they would have nothing to do. Not so envelopes,
 * which are the device's alone, unless they are few or more than it does in a second. A fourth stage of the CPU comes
 * before all others: it has what the device left, and makes the next spans, and hits, of its results. */
#ifndef WS_DOMAINS_STEPS_H
#define WS_DOMAINS_STEPS_H

#include "bin/stages/plan.h"

#include "kernels/dom/window.h"
#include "lib/run/chain.h"
#include "lib/run/job.h"

/* A pair on its way. The caller sets these members, and keeps the item until `done` has it. */
typedef struct ws_dom_item ws_dom_item;
struct ws_dom_item {
    ws_dom_pair pair; /* after ws_dom_pair_begin */
    const ws_dom_tables *tables;
    uint32_t model, M; /* its number in the chain, and its length */
    uint64_t order;   /* as in ws_chain_step */
    /* the pair is a window of DNA: its envelopes have backgrounds of their own, and it has no score. NULL: a target */
    const ws_dom_window_model *window;
    uint32_t left;    /* spans that are not done: of this file */
    ws_dom_item *next; /* of those that begin together, or end together; NULL: it is the last one */
};

/* Takes pairs whose hits are complete, linked by `next`; of windows only the envelopes are. Any thread may call it. */
typedef int ws_dom_done_fn(void *own, ws_dom_item *first, ws_err *err);

typedef struct ws_dom_steps ws_dom_steps;
enum { WS_DOM_STEPS = 4 };

typedef struct ws_dom_steps_conf {
    const ws_dom_backend *backend;
    ws_dom_options options;
    size_t models;
    int threads; /* of the chain, about: with fewer spans at hand steps are smaller */
    ws_job *job; /* whose device has threads in the chain; NULL: there is none */
    int device_first; /* for a chain whose other stages keep the CPU busy */
    void *own; /* handed to the functions below */
    ws_dom_done_fn *done;
    int (*eager)(void *own); /* returns 1 if spans should not wait for others. NULL: they should */
} ws_dom_steps_conf;

/* Makes *s, which keeps memory from run to run. The caller calls ws_dom_steps_destroy, after a failure too. Returns
 * WS_ENOMEM on failure. */
int ws_dom_steps_create(ws_dom_steps **s, const ws_dom_steps_conf *conf, ws_err *err);
void ws_dom_steps_destroy(ws_dom_steps *s); /* s may be NULL */
/* Sets the members of the stages in a chain. */
void ws_dom_steps_stages(ws_dom_steps *s, ws_chain_stage stage[WS_DOM_STEPS]);
/* Returns how many spans wait, but those that are a step already. Any thread may call this. */
size_t ws_dom_steps_waiting(ws_dom_steps *s);
/* Returns 1 while so many spans wait (131,072, or 4e10 cells) that no input should be read: a device's filters are
 * faster than cores with domains. Any thread may call this. */
int ws_dom_steps_are_many(ws_dom_steps *s);
/* Returns 1 while so few spans wait that threads of the CPU end them before a device brings others, in about 0.2 s. Any
 * thread may call this. */
int ws_dom_steps_are_few(ws_dom_steps *s);
/* Sets the cells of all spans of each kind that are not done. Any thread may call this. */
void ws_dom_steps_left(ws_dom_steps *s, double cells[WS_PLAN_SPAN_KINDS]);
/* Lets pairs begin that are linked by `next`. They may have no residues. Any thread may call this. Returns WS_ENOMEM on
 * failure; then none has begun. */
int ws_dom_steps_add(ws_dom_steps *s, ws_dom_item *first, ws_err *err);

#endif
