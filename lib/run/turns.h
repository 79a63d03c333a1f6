/* SPDX-License-Identifier: MIT
 * Texts of a chain's output that are made in any order and leave in turn, for chains that write before the end of their
 * input.
 *
 *   take    before the work on a part of the input, in the order of the input
 *   give    when its text is made, by any thread. All texts leave that no earlier turn holds back */
#ifndef WS_RUN_TURNS_H
#define WS_RUN_TURNS_H

#include "lib/run/job.h"

#include <pthread.h>

/* A part of the input, and what goes to each output of the job. */
typedef struct ws_turn {
    ws_outtext out[WS_OUTPUT_MAX];
    int given; /* this and the next are of lib/run/turns.c */
    struct ws_turn *next;
} ws_turn;

typedef struct ws_turns {
    ws_job *job;
    pthread_mutex_t lock; /* of what follows */
    ws_turn *first, **end; /* in their order; end NULL: not open */
    size_t n;
    uint64_t bytes;       /* of texts that wait */
    int writing;          /* a thread writes */
} ws_turns;

void ws_turns_open(ws_turns *t, ws_job *job);
/* Frees turns that a failure has left. A zeroed struct is legal. */
void ws_turns_close(ws_turns *t);
/* Returns the next turn, without text; NULL and a sentence without memory. */
ws_turn *ws_turns_take(ws_turns *t, ws_err *err);
/* Takes a turn back with its texts. Writes it and those behind it that were given, unless another thread writes. Fails
 * as ws_job_write; then no other thread writes any more. */
int ws_turns_give(ws_turns *t, ws_turn *turn, ws_err *err);
/* Returns how many turns are taken or wait, and in *bytes the texts that wait. */
size_t ws_turns_left(ws_turns *t, uint64_t *bytes);

#endif
