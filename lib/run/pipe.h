/* SPDX-License-Identifier: MIT
 * The ordered pipeline: read | work | write over a ring of slots.
 *
 * No thread is tied to reading or writing. Each does what is most urgent: it writes the oldest slot that is done, works
 * on the oldest slot that is read but not processed, or reads the next one. So `-t 1` is one thread. Slots are written
 * in the order in which they were read.
 *
 * Several threads may work on one slot, a part each: a genome against all of Pfam is one slot, or a few. */
#ifndef WS_RUN_PIPE_H
#define WS_RUN_PIPE_H

#include "lib/base/ws.h"

#include <pthread.h>

typedef struct ws_pipe_ops {
    /* Fills a slot and sets *parts, at least 1: how many calls of work it needs. One call at a time, in order. Returns
     * WS_OK, WS_EOF after the last slot, WS_AGAIN if nothing came yet, or a failure. Slots read before a failure are
     * still worked on and written. */
    int (*read)(void *ctx, void *slot, size_t *parts, ws_err *err);
    /* Works on one part. Any number of calls at once; thread is 0..nthread-1. After a failure the slot's other parts
     * may be skipped. */
    int (*work)(void *ctx, void *slot, size_t part, int thread, ws_err *err);
    /* Finishes a slot after its last part, in the thread of that part. rc and err are its first failure, or WS_OK.
     * Returns rc or a failure of its own. A failed slot is written too, and is the last. */
    int (*finish)(void *ctx, void *slot, int rc, int thread, ws_err *err);
    /* Writes a slot. One call at a time, in order. A failure ends the run. */
    int (*write)(void *ctx, void *slot, ws_err *err);
    /* Lets an idle thread read ahead: returns 1 if it did something. May be NULL. */
    int (*idle)(void *ctx);
} ws_pipe_ops;

/* Runs until the input ends or something fails. If there are several failures, returns that of the earliest slot. */
int ws_pipe_run(const ws_pipe_ops *ops, void *ctx, void *const *slot, int nslot, int nthread, ws_err *err);

/* Waits for a change of what `lock`, which the thread holds, guards. With `ahead`, for a thread that stands by while
 * another one reads: reads ahead first, and waits a millisecond at most. May return before a change. */
void ws_pipe_stand_by(pthread_mutex_t *lock, pthread_cond_t *change, int (*ahead)(void *ctx), void *ctx);

#endif
