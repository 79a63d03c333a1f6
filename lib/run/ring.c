/* SPDX-License-Identifier: MIT
 * Items in order: see lib/run/ring.h. */
#include "lib/run/ring.h"

#include "lib/base/mem.h"

#include <pthread.h>

typedef struct ring_slot {
    size_t parts, left; /* how many, and how many of them are not done */
    int done;
    ws_err err; /* of its work; code WS_OK if all went well */
} ring_slot;

struct ws_ring {
    const ws_ring_ops *ops;
    void *ctx;
    void *const *slot;
    ring_slot *state;
    uint64_t nslot;
    int threads;

    pthread_mutex_t lock; /* of what follows */
    /* how many slots were read, taken for work, written; slot of number i is i % nslot */
    uint64_t nread, nwork, nwrite;
    size_t part; /* the next of slot nwork */
    int writing;
    ws_err err; /* of the first slot that failed: the ring has ended */
};

/* ---- what there is to do: under the lock ---- */

static int can_write(const ws_ring *r) {
    return !r->err.code && !r->writing && r->nwrite < r->nwork && r->state[r->nwrite % r->nslot].done;
}

/* Returns whether one of several threads reads although there is work: of a slot in parts half are taken, and no other
 * slot was read. Its last parts may take so long that other threads would wait for the next slot. */
static int reads_ahead(const ws_ring *r) {
    return r->threads > 1 && r->nread - r->nwork == 1 && 2 * r->part > r->state[r->nwork % r->nslot].parts;
}

ws_chain_wish ws_ring_wish(void *own) {
    ws_ring *r = own;
    pthread_mutex_lock(&r->lock);
    const int full = !r->err.code && r->nread - r->nwrite == r->nslot;
    const int hurry = reads_ahead(r) && !can_write(r);
    pthread_mutex_unlock(&r->lock);
    return full ? WS_CHAIN_NO_ROOM : hurry ? WS_CHAIN_HURRY : WS_CHAIN_ROOM;
}

static int left(void *own) {
    ws_ring *r = own;
    pthread_mutex_lock(&r->lock);
    const int some = !r->err.code && r->nwrite < r->nread;
    pthread_mutex_unlock(&r->lock);
    return some;
}

static int take_part(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    ws_ring *r = own;
    (void)need;
    pthread_mutex_lock(&r->lock);
    const int some = t->kind == WS_CHAIN_CPU && !r->err.code && r->nwork < r->nread;
    if (some) {
        *step = (ws_chain_step){.from = r->nwork % r->nslot, .to = r->part, .order = r->nwork};
        if (++r->part == r->state[step->from].parts) {
            r->nwork++;
            r->part = 0;
        }
    }
    pthread_mutex_unlock(&r->lock);
    return some;
}

static int take_written(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    ws_ring *r = own;
    (void)need;
    pthread_mutex_lock(&r->lock);
    const int some = t->kind == WS_CHAIN_CPU && can_write(r);
    if (some) {
        *step = (ws_chain_step){.from = r->nwrite % r->nslot, .order = r->nwrite};
        r->writing = 1;
    }
    pthread_mutex_unlock(&r->lock);
    return some;
}

/* ---- each action: without the lock. Failures wait for their turn, so no step fails ---- */

int ws_ring_read(void *own, ws_err *err) {
    ws_ring *r = own;
    size_t parts = 1;
    pthread_mutex_lock(&r->lock);
    const int ended = r->err.code != WS_OK;
    const uint64_t i = r->nread % r->nslot;
    pthread_mutex_unlock(&r->lock);
    const int rc = ended ? WS_EOF : r->ops->read(r->ctx, r->slot[i], &parts, err);
    if (rc) return rc;
    pthread_mutex_lock(&r->lock);
    r->state[i] = (ring_slot){.parts = parts, .left = parts};
    r->nread++;
    pthread_mutex_unlock(&r->lock);
    return WS_OK;
}

static int work_part(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    ws_ring *r = own;
    ring_slot *s = &r->state[step->from];
    void *slot = r->slot[step->from];
    ws_err first = {0};
    (void)err;
    pthread_mutex_lock(&r->lock);
    const int skip = s->err.code != WS_OK;
    pthread_mutex_unlock(&r->lock);
    const int rc = skip ? WS_OK : r->ops->work(r->ctx, slot, step->to, t->number, &first);
    pthread_mutex_lock(&r->lock);
    if (rc && !s->err.code) {
        s->err = first;
        s->err.code = rc;
    }
    const int last = --s->left == 0;
    pthread_mutex_unlock(&r->lock);
    if (!last) return WS_OK;
    s->err.code = r->ops->finish(r->ctx, slot, s->err.code, t->number, &s->err);
    pthread_mutex_lock(&r->lock);
    s->done = 1;
    pthread_mutex_unlock(&r->lock);
    return WS_OK;
}

static int write_slot(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    ws_ring *r = own;
    const ws_err *of_slot = &r->state[step->from].err;
    ws_err own_err = {0};
    (void)t;
    (void)err;
    const int rc = r->ops->write(r->ctx, r->slot[step->from], &own_err);
    if (rc) own_err.code = rc;
    pthread_mutex_lock(&r->lock);
    r->err = rc ? own_err : *of_slot;
    r->writing = 0;
    r->nwrite++;
    pthread_mutex_unlock(&r->lock);
    return WS_OK;
}

/* ---- all ---- */

void ws_ring_stages(ws_ring *r, ws_chain_stage stage[WS_RING_STAGES]) {
    stage[0] = (ws_chain_stage){r, take_part, work_part, left, "work", WS_STEP_NONE};
    stage[1] = (ws_chain_stage){r, take_written, write_slot, left, "write", WS_STEP_NONE};
}

int ws_ring_failure(const ws_ring *r, ws_err *err) {
    if (r->err.code) *err = r->err;
    return r->err.code;
}

int ws_ring_create(ws_ring **ring, const ws_ring_ops *ops, void *ctx, void *const *slot, int nslot, int threads,
                   ws_err *err) {
    ws_ring *r = *ring = ws_calloc(1, sizeof *r, err);
    if (!r) return err->code;
    *r = (ws_ring){.ops = ops, .ctx = ctx, .slot = slot, .nslot = (uint64_t)nslot, .threads = threads};
    pthread_mutex_init(&r->lock, NULL);
    r->state = ws_calloc((size_t)nslot, sizeof *r->state, err);
    return r->state ? WS_OK : err->code;
}

void ws_ring_destroy(ws_ring *r) {
    if (!r) return;
    pthread_mutex_destroy(&r->lock);
    ws_free(r->state);
    ws_free(r);
}
