/* SPDX-License-Identifier: MIT
 * The domain stage on several threads: each step's list is cut into pieces of one model, and each free thread takes
 * the next piece. */
#ifndef WS_DOM_CREW_H
#define WS_DOM_CREW_H

#include "kernels/dom/dom.h"

/* A pair and its model. */
typedef struct ws_dom_task {
    const ws_dom_tables *tables;
    ws_dom_pair *pair;
} ws_dom_task;

/* The workers of the threads, kept from one list to the next. */
typedef struct ws_dom_crew ws_dom_crew;
/* Makes *c for at most `threads` threads, up to 64. The caller calls ws_dom_crew_destroy. Returns WS_ENOMEM on
 * failure. */
int ws_dom_crew_create(ws_dom_crew **c, const ws_dom_backend *b, const ws_dom_options *o, int threads, ws_err *err);
void ws_dom_crew_destroy(ws_dom_crew *c);

/* Does all steps for all pairs, which ws_dom_pair_begin has set up. Pairs of a model should be adjacent, because
 * only adjacent ones share registers. Results are those of ws_dom_score. Returns WS_OK or WS_ENOMEM, after which the
 * caller can only release the pairs. */
int ws_dom_crew_score(ws_dom_crew *c, const ws_dom_task *task, size_t n, ws_err *err);

#endif
