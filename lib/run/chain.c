/* SPDX-License-Identifier: MIT
 * A chain of stages: see lib/run/chain.h. */
#include "lib/run/chain.h"

#include "lib/base/mem.h"

#include <pthread.h>
#include <time.h>

typedef struct member {
    ws_chain *chain;
    ws_chain_thread thread;
    pthread_t id;
    struct member *next;
} member;

struct ws_chain {
    const ws_chain_ops *ops;
    pthread_mutex_t lock;
    pthread_cond_t change;
    member *first;       /* threads that were started */
    int nthread;         /* these and the caller of ws_chain_run */
    int later;           /* threads of the CPU that start once the caller has worked alone until then */
    uint64_t until;      /* of its processor time */
    ws_chain_state now;
    int over;            /* the run has ended, or a step failed */
    ws_err err;          /* of the failed step with the lowest order; code WS_OK: none failed */
    uint64_t order;
    ws_err source_err;
};

/* ---- what a thread does next: under the lock ---- */

static const ws_chain_stage *take_last(const ws_chain_ops *o, const ws_chain_thread *t, ws_chain_need need,
                                       ws_chain_step *step) {
    for (const ws_chain_stage *s = o->stage + o->nstage; s-- > o->stage;)
        if (s->take(s->own, t, need, step)) return s;
    return NULL;
}

static const ws_chain_stage *take_first(const ws_chain_ops *o, const ws_chain_thread *t, ws_chain_need need,
                                        ws_chain_step *step) {
    for (const ws_chain_stage *s = o->stage; s < o->stage + o->nstage; s++)
        if (s->take(s->own, t, need, step)) return s;
    return NULL;
}

/* Returns 1 while a stage has work. No thread works meanwhile, so nothing moves from stage to stage. */
static int any_left(const ws_chain_ops *o) {
    for (size_t i = 0; i < o->nstage; i++)
        if (o->stage[i].left(o->stage[i].own)) return 1;
    return 0;
}

ws_chain_action ws_chain_choose(const ws_chain_ops *o, const ws_chain_state *now, const ws_chain_thread *t,
                                const ws_chain_stage **stage, ws_chain_step *step) {
    const int may_read = t->kind == WS_CHAIN_CPU && !now->reading && !now->ended;
    const ws_chain_wish wish = now->ended     ? WS_CHAIN_DRAIN
                               : now->reading ? WS_CHAIN_NO_ROOM
                                              : o->wish(o->own);
    if (may_read && wish == WS_CHAIN_HURRY && now->busy && !now->paused) return WS_CHAIN_READ; /* others work */
    const int early = t->kind == WS_CHAIN_DEVICE && (now->idle || (o->hungry && o->hungry(o->own)));
    if (early && (*stage = take_last(o, t, WS_CHAIN_EARLY, step))) return WS_CHAIN_STEP;
    if ((*stage = take_last(o, t, WS_CHAIN_FULL, step))) return WS_CHAIN_STEP;
    if ((now->paused || wish == WS_CHAIN_DRAIN) && (*stage = take_first(o, t, WS_CHAIN_ANY, step)))
        return WS_CHAIN_STEP;
    if (may_read && wish > WS_CHAIN_NO_ROOM) return WS_CHAIN_READ;
    if (!now->ended && !now->paused && (*stage = take_first(o, t, WS_CHAIN_SOME, step))) return WS_CHAIN_STEP;
    if (t->kind == WS_CHAIN_CPU && (*stage = take_first(o, t, WS_CHAIN_SPARE, step))) return WS_CHAIN_HELP;
    return now->ended && !now->busy && !any_left(o) ? WS_CHAIN_LEAVE : WS_CHAIN_WAIT;
}

/* ---- each action: called with the lock held, leaves it meanwhile ---- */

static void do_step(ws_chain *c, const ws_chain_thread *t, const ws_chain_stage *stage, const ws_chain_step *step) {
    ws_err err = {0};
    c->now.busy++;
    pthread_mutex_unlock(&c->lock);
    const int rc = stage->work(stage->own, t, step, &err);
    if (!rc && c->ops->look) c->ops->look(c->ops->own);
    pthread_mutex_lock(&c->lock);
    c->now.busy--;
    if (rc && (c->err.code == WS_OK || step->order < c->order)) {
        c->err = err;
        c->err.code = rc;
        c->order = step->order;
    }
    c->over |= rc != WS_OK;
}

static void do_read(ws_chain *c) {
    ws_err err = {0};
    c->now.busy++;
    c->now.reading = 1;
    pthread_mutex_unlock(&c->lock);
    const int rc = c->ops->read(c->ops->own, &err);
    pthread_mutex_lock(&c->lock);
    c->now.busy--;
    c->now.reading = 0;
    c->now.paused = rc == WS_AGAIN;
    if (rc == WS_OK || rc == WS_AGAIN) return;
    c->now.ended = 1;
    if (rc == WS_EOF) return;
    c->source_err = err;
    c->source_err.code = rc;
}

/* Reads ahead, or waits for a millisecond: the reader takes chunks without telling anyone, and one inflates in about
 * that time. */
static void read_ahead(ws_chain *c) {
    enum { MILLISECOND = 1000000, SECOND = 1000 * MILLISECOND };
    struct timespec until;
    pthread_mutex_unlock(&c->lock);
    const int busy = c->ops->ahead(c->ops->own);
    pthread_mutex_lock(&c->lock);
    if (busy) return;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += MILLISECOND;
    if (until.tv_nsec >= SECOND) {
        until.tv_nsec -= SECOND;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&c->change, &c->lock, &until);
}

static void stand_by(ws_chain *c, ws_chain_kind kind) {
    const int cpu = kind == WS_CHAIN_CPU;
    c->now.idle += cpu;
    if (c->now.reading && cpu && c->ops->ahead) read_ahead(c);
    else pthread_cond_wait(&c->change, &c->lock);
    c->now.idle -= cpu;
}

static int start(ws_chain *c, ws_chain_kind kind);

/* Returns the processor time of this thread. */
static uint64_t worked_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Starts the threads that wait for this, under the lock, once the caller of ws_chain_run has worked long enough. */
static void start_later(ws_chain *c, const ws_chain_thread *t) {
    if (t->number != 0 || !c->later || worked_ns() < c->until) return;
    while (c->later && start(c, WS_CHAIN_CPU)) c->later--;
    c->later = 0; /* that fewer start is no failure */
}

static void serve(ws_chain *c, const ws_chain_thread *t) {
    pthread_mutex_lock(&c->lock);
    while (!c->over) {
        start_later(c, t);
        const ws_chain_stage *stage;
        ws_chain_step step;
        const ws_chain_action what = ws_chain_choose(c->ops, &c->now, t, &stage, &step);
        switch (what) {
        case WS_CHAIN_STEP: do_step(c, t, stage, &step); break;
        case WS_CHAIN_HELP:
            c->now.idle++;
            do_step(c, t, stage, &step);
            c->now.idle--;
            break;
        case WS_CHAIN_READ: do_read(c); break;
        case WS_CHAIN_LEAVE: c->over = 1; break;
        case WS_CHAIN_WAIT: stand_by(c, t->kind);
        }
        if (what != WS_CHAIN_WAIT) pthread_cond_broadcast(&c->change);
    }
    pthread_mutex_unlock(&c->lock);
}

/* ---- threads ---- */

static void *thread_main(void *arg) {
    const member *m = arg;
    serve(m->chain, &m->thread);
    return NULL;
}

/* Starts a thread under the lock. Returns 1, or 0 without memory or thread. */
static int start(ws_chain *c, ws_chain_kind kind) {
    ws_err ignored;
    member *m = ws_calloc(1, sizeof *m, &ignored);
    if (!m) return 0;
    *m = (member){.chain = c, .thread = {kind, c->nthread}, .next = c->first};
    if (pthread_create(&m->id, NULL, thread_main, m) != 0) {
        ws_free(m);
        return 0;
    }
    c->first = m;
    c->nthread++;
    return 1;
}

int ws_chain_join(ws_chain *c, ws_chain_kind kind, int n) {
    int started = 0;
    pthread_mutex_lock(&c->lock);
    while (started < n && !c->over && start(c, kind)) started++;
    pthread_mutex_unlock(&c->lock);
    return started;
}

void ws_chain_ask_again(ws_chain *c) {
    pthread_mutex_lock(&c->lock);
    pthread_cond_broadcast(&c->change);
    pthread_mutex_unlock(&c->lock);
}

int ws_chain_create(ws_chain **chain, const ws_chain_ops *ops, ws_err *err) {
    ws_chain *c = *chain = ws_calloc(1, sizeof *c, err);
    if (!c) return err->code;
    c->ops = ops;
    c->nthread = 1; /* the caller of ws_chain_run is number 0 */
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->change, NULL);
    return WS_OK;
}

void ws_chain_destroy(ws_chain *c) {
    if (!c) return;
    pthread_cond_destroy(&c->change);
    pthread_mutex_destroy(&c->lock);
    ws_free(c);
}

int ws_chain_run(ws_chain *c, int threads, ws_err *err) {
    const ws_chain_thread self = {WS_CHAIN_CPU, 0};
    if (c->ops->alone) {
        c->later = threads - 1;
        c->until = worked_ns() + c->ops->alone;
    } else {
        (void)ws_chain_join(c, WS_CHAIN_CPU, threads - 1);
    }
    serve(c, &self);
    while (c->first) { /* no thread adds to the list any more */
        member *m = c->first;
        c->first = m->next;
        pthread_join(m->id, NULL);
        ws_free(m);
    }
    if (c->err.code) *err = c->err;
    else if (c->source_err.code) *err = c->source_err;
    return c->err.code ? c->err.code : c->source_err.code;
}
