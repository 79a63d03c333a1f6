/* SPDX-License-Identifier: MIT
 * Items in order: two stages of a chain, read | work | write, over a ring of slots.
 *
 *   read    the chain's source fills the next slot
 *   work    on the oldest slot that has parts which no thread has taken. Several threads may work on one slot, a part
 *           each: a genome against all of Pfam is one slot, or a few
 *   write   the oldest slot, once it is done: slots leave in the order in which they were read
 *
 * Stages behind these get in `write`, in order, what they work on. Threads take steps of theirs first. */
#ifndef WS_RUN_RING_H
#define WS_RUN_RING_H

#include "lib/run/chain.h"

typedef struct ws_ring_ops {
    /* Fills a slot and sets *parts, at least 1: how many calls of work it needs. One call at a time, in order. Returns
     * WS_OK, WS_EOF after the last slot, WS_AGAIN if nothing came yet, or a failure. Slots read before a failure are
     * still worked on and written. */
    int (*read)(void *ctx, void *slot, size_t *parts, ws_err *err);
    /* Works on one part. Any number of calls at once; thread is its number in the chain. After a failure the slot's
     * other parts may be skipped. */
    int (*work)(void *ctx, void *slot, size_t part, int thread, ws_err *err);
    /* Finishes a slot after its last part, in the thread of that part. rc and err are its first failure, or WS_OK.
     * Returns rc or a failure of its own. A failed slot is written too, and is the last. */
    int (*finish)(void *ctx, void *slot, int rc, int thread, ws_err *err);
    /* Writes a slot. One call at a time, in order. After a failure nothing more is read or written; stages behind go on
     * with what they have. */
    int (*write)(void *ctx, void *slot, ws_err *err);
} ws_ring_ops;

typedef struct ws_ring ws_ring;
enum { WS_RING_STAGES = 2 };

/* Makes *r over nslot slots, for one run of a chain with so many threads. The caller calls ws_ring_destroy, after a
 * failure too. Returns WS_ENOMEM on failure. */
int ws_ring_create(ws_ring **r, const ws_ring_ops *ops, void *ctx, void *const *slot, int nslot, int threads,
                   ws_err *err);
void ws_ring_destroy(ws_ring *r); /* r may be NULL */
/* Sets the members of both stages, which are the first of a chain. */
void ws_ring_stages(ws_ring *r, ws_chain_stage stage[WS_RING_STAGES]);
/* Do what ws_chain_ops says of wish and read. */
ws_chain_wish ws_ring_wish(void *ring);
int ws_ring_read(void *ring, ws_err *err);
/* Returns after the run the failure of the first slot that failed, which comes before any failure of the source. */
int ws_ring_failure(const ws_ring *r, ws_err *err);

#endif
