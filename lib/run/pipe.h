/* SPDX-License-Identifier: MIT
 * The ordered pipeline: read | work | write over a ring of slots, by threads that take whatever role is open.
 *
 * There is no thread for reading and none for writing: of nthread threads each does what is most urgent, in this order:
 * write the next finished slot, work on the next unread-of one, read the next. So `-t 1` is one thread, and N threads never
 * stand by while one of N roles waits. Slots are written in the order they were read.
 *
 * A slot is worked on in parts, by as many threads: a genome against all of Pfam is one slot, or a few. */
#ifndef WS_RUN_PIPE_H
#define WS_RUN_PIPE_H

#include "lib/base/ws.h"

typedef struct ws_pipe_ops {
    /* Fills a slot and says in how many parts, at least 1, it is to be worked on. One call at a time, in order. WS_EOF ends the
     * stream, WS_AGAIN means nothing came yet. After a failure the slots read before are still worked on and written. */
    int (*read)(void *ctx, void *slot, size_t *parts, ws_err *err);
    /* Any number of calls at once, one part each; thread is 0..nthread-1. After a failure the slot's other parts may be left out. */
    int (*work)(void *ctx, void *slot, size_t part, int thread, ws_err *err);
    /* Once for each slot, behind the last of its parts and in that one's thread; rc and err: of its first failure, or WS_OK. Returns
     * rc or a failure of its own. A failed slot is written and is the last. */
    int (*finish)(void *ctx, void *slot, int rc, int thread, ws_err *err);
    /* One call at a time, in order. A failure stops everything. */
    int (*write)(void *ctx, void *slot, ws_err *err);
    /* For a thread without a role: returns 1 if it found something useful to do (reading ahead). May be NULL. */
    int (*idle)(void *ctx);
} ws_pipe_ops;

/* Runs to the end of the stream or the first failure, which is the one that comes first in the stream. */
int ws_pipe_run(const ws_pipe_ops *ops, void *ctx, void *const *slot, int nslot, int nthread, ws_err *err);

#endif
