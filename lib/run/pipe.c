/* SPDX-License-Identifier: MIT
 * The ordered pipeline: see lib/run/pipe.h. */
#include "lib/run/pipe.h"

#include "lib/base/mem.h"

#include <string.h>
#include <time.h>

typedef struct pipe_slot {
    size_t parts, left; /* how many, and how many of them are not done */
    int done;
    ws_err err; /* of its work; code WS_OK if all went well */
} pipe_slot;

typedef struct pipeline {
    const ws_pipe_ops *ops;
    void *ctx;
    void *const *slot;
    pipe_slot *state;
    /* how many slots were read, taken for work, written; slot of number i is i % nslot */
    uint64_t nslot, nread, nwork, nwrite;
    size_t part;                          /* the next of slot nwork */
    int reading, writing, ended, stop, nthread;
    ws_err err; /* the failure that ends the run */
    pthread_mutex_t lock;
    pthread_cond_t change;
} pipeline;

typedef struct pipe_thread {
    pipeline *p;
    int number;
    pthread_t id;
} pipe_thread;

static void fail(pipeline *p, const ws_err *err) {
    if (p->err.code == WS_OK) p->err = *err;
}

/* Each role: called with the lock held, leaves it during the operation. */

static void do_write(pipeline *p) {
    pipe_slot *s = &p->state[p->nwrite % p->nslot];
    ws_err err = {0};
    p->writing = 1;
    pthread_mutex_unlock(&p->lock);
    int rc = p->ops->write(p->ctx, p->slot[p->nwrite % p->nslot], &err);
    pthread_mutex_lock(&p->lock);
    p->writing = 0;
    if (rc == WS_OK && s->err.code != WS_OK) {
        rc = s->err.code;
        err = s->err;
    }
    if (rc != WS_OK) {
        p->err.code = WS_OK; /* it comes before any failure of the reader, which is further down the stream */
        fail(p, &err);
        p->stop = 1;
    }
    p->nwrite++;
}

static void do_work(pipeline *p, int thread) {
    const uint64_t i = p->nwork % p->nslot;
    pipe_slot *s = &p->state[i];
    const size_t part = p->part++;
    if (p->part == s->parts) {
        p->nwork++;
        p->part = 0;
    }
    if (s->err.code == WS_OK) {
        pthread_mutex_unlock(&p->lock);
        ws_err err = {0};
        int rc = p->ops->work(p->ctx, p->slot[i], part, thread, &err);
        pthread_mutex_lock(&p->lock);
        if (rc != WS_OK && s->err.code == WS_OK) {
            s->err = err;
            s->err.code = rc;
        }
    }
    if (--s->left > 0) return;
    pthread_mutex_unlock(&p->lock);
    int rc = p->ops->finish(p->ctx, p->slot[i], s->err.code, thread, &s->err);
    pthread_mutex_lock(&p->lock);
    s->err.code = rc;
    s->done = 1;
}

static void do_read(pipeline *p) {
    ws_err err = {0};
    pipe_slot *s = &p->state[p->nread % p->nslot];
    size_t parts = 1;
    p->reading = 1;
    pthread_mutex_unlock(&p->lock);
    int rc = p->ops->read(p->ctx, p->slot[p->nread % p->nslot], &parts, &err);
    pthread_mutex_lock(&p->lock);
    p->reading = 0;
    if (rc == WS_OK) {
        *s = (pipe_slot){.parts = parts, .left = parts};
        p->nread++;
    } else if (rc != WS_AGAIN) {
        p->ended = 1;
        if (rc != WS_EOF) fail(p, &err);
    }
}

void ws_pipe_stand_by(pthread_mutex_t *lock, pthread_cond_t *change, int (*ahead)(void *ctx), void *ctx) {
    if (!ahead) {
        pthread_cond_wait(change, lock);
        return;
    }
    pthread_mutex_unlock(lock);
    int busy = ahead(ctx);
    pthread_mutex_lock(lock);
    if (busy) return;
    /* The reader takes chunks without telling us, so look again soon: a chunk inflates in about a millisecond. */
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(change, lock, &until);
}

static int may_read(const pipeline *p) { return !p->reading && !p->ended && p->nread - p->nwrite < p->nslot; }

/* Returns whether one of several threads reads although there is work: of a slot in parts half are taken, and no other
 * slot was read. Its last parts may take so long that other threads would wait for the next slot. */
static int reads_ahead(const pipeline *p) {
    return p->nthread > 1 && p->nread - p->nwork == 1 && 2 * p->part > p->state[p->nwork % p->nslot].parts &&
           may_read(p);
}

static void *thread_main(void *arg) {
    pipe_thread *t = arg;
    pipeline *p = t->p;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        if (p->stop || (p->ended && p->nwrite == p->nread)) break;
        if (!p->writing && p->nwrite < p->nwork && p->state[p->nwrite % p->nslot].done)
            do_write(p);
        else if (p->nwork < p->nread && !reads_ahead(p))
            do_work(p, t->number);
        else if (may_read(p))
            do_read(p);
        else {
            ws_pipe_stand_by(&p->lock, &p->change, p->reading ? p->ops->idle : NULL, p->ctx);
            continue;
        }
        pthread_cond_broadcast(&p->change);
    }
    pthread_cond_broadcast(&p->change);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

int ws_pipe_run(const ws_pipe_ops *ops, void *ctx, void *const *slot, int nslot, int nthread, ws_err *err) {
    pipeline p = {.ops = ops, .ctx = ctx, .slot = slot, .nslot = (uint64_t)nslot, .nthread = nthread};
    pipe_thread *thread = NULL;
    int started = 1;
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.change, NULL);
    p.state = ws_calloc((size_t)nslot, sizeof *p.state, &p.err);
    if (p.state) thread = ws_calloc((size_t)nthread, sizeof *thread, &p.err);
    if (!thread) goto out;

    /* The caller is thread 0. Fewer threads than asked for is no failure: the work is done all the same. */
    for (int i = 0; i < nthread; i++) thread[i] = (pipe_thread){.p = &p, .number = i};
    while (started < nthread && pthread_create(&thread[started].id, NULL, thread_main, &thread[started]) == 0)
        started++;
    thread_main(&thread[0]);
    for (int i = 1; i < started; i++) pthread_join(thread[i].id, NULL);
out:
    ws_free(thread);
    ws_free(p.state);
    pthread_cond_destroy(&p.change);
    pthread_mutex_destroy(&p.lock);
    if (p.err.code != WS_OK) *err = p.err;
    return p.err.code;
}
