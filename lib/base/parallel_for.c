/* SPDX-License-Identifier: MIT
 * Work on several threads: see lib/base/parallel_for.h. */
#include "lib/base/parallel_for.h"

#include "lib/base/mem.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct work {
    size_t n;
    ws_parallel_fn *one;
    void *ctx;
    atomic_size_t next, failed; /* failed: lowest index that failed; n: none */
    pthread_mutex_t lock;       /* protects failed and err */
    ws_err err;
} work;

/* Works on indices until none is left. All indices below a failed one began earlier, and begun ones finish, so the
 * lowest failure is always found. */
static void *run(void *arg) {
    work *w = arg;
    size_t i;
    while (w->failed == w->n && (i = w->next++) < w->n) {
        ws_err err = {0};
        if (w->one(w->ctx, i, &err) == WS_OK) continue;
        pthread_mutex_lock(&w->lock);
        if (i < w->failed) {
            w->failed = i;
            w->err = err;
        }
        pthread_mutex_unlock(&w->lock);
    }
    return NULL;
}

/* Runs `function` on up to `threads` threads, one of which is the calling one. */
static void run_on(size_t threads, void *(*function)(void *), void *arg) {
    enum { MAX = 64 };
    pthread_t id[MAX];
    const size_t want = ws_min(threads, MAX);
    size_t started = 1;
    while (started < want && pthread_create(&id[started], NULL, function, arg) == 0) started++;
    function(arg);
    while (--started > 0) pthread_join(id[started], NULL);
}

static size_t threads_for(size_t n, int threads) { return ws_min(threads > 0 ? (size_t)threads : 1, n); }

int ws_parallel_for(size_t n, int threads, ws_parallel_fn *one, void *ctx, ws_err *err) {
    work w = {.n = n, .one = one, .ctx = ctx, .failed = n};
    pthread_mutex_init(&w.lock, NULL);
    run_on(threads_for(n, threads), run, &w);
    pthread_mutex_destroy(&w.lock);
    if (w.failed == n) return WS_OK;
    *err = w.err;
    return err->code;
}

/* ---- in order ---- */

typedef struct result {
    size_t weight; /* as it was when the index began */
    int made;
} result;

typedef struct ordered {
    const ws_ordered *of;
    pthread_mutex_t lock; /* protects all that follows */
    pthread_cond_t changed;
    result *result;       /* [n] */
    size_t next, given;   /* the first index that has not begun; the first that has not been given */
    size_t weight;        /* of those between */
    size_t failed;        /* lowest index that failed; n: none */
    int giving;           /* a thread gives */
    ws_err err;
} ordered;

static size_t weight_of(const ordered *o, size_t i) { return o->of->weight ? o->of->weight(o->of->ctx, i) : 1; }

static int may_begin(const ordered *o) {
    if (o->next == o->of->n || o->failed < o->of->n) return 0;
    return o->next == o->given || o->weight + weight_of(o, o->next) <= o->of->room;
}

/* Calls a function for index i without the lock. Returns 1 if it was successful. */
static int call(ordered *o, ws_parallel_fn *function, size_t i) {
    ws_err err = {0};
    pthread_mutex_unlock(&o->lock);
    const int rc = function(o->of->ctx, i, &err);
    pthread_mutex_lock(&o->lock);
    pthread_cond_broadcast(&o->changed);
    if (rc && i < o->failed) {
        o->failed = i;
        o->err = err;
    }
    return rc == WS_OK;
}

/* Gives what is next in order, else makes, else waits. */
static void *run_in_order(void *arg) {
    ordered *o = arg;
    pthread_mutex_lock(&o->lock);
    while (o->given < o->failed) {
        const size_t i = o->given;
        if (!o->giving && o->result[i].made) {
            o->giving = 1;
            if (call(o, o->of->give, i)) {
                o->weight -= o->result[i].weight;
                o->given++;
            }
            o->giving = 0;
        } else if (may_begin(o)) {
            const size_t begun = o->next++;
            o->weight += o->result[begun].weight = weight_of(o, begun);
            o->result[begun].made = call(o, o->of->make, begun);
        } else {
            pthread_cond_wait(&o->changed, &o->lock);
        }
    }
    pthread_mutex_unlock(&o->lock);
    return NULL;
}

int ws_parallel_in_order(const ws_ordered *w, int threads, ws_err *err) {
    ordered o = {.of = w, .failed = w->n};
    if (!(o.result = ws_calloc(w->n, sizeof *o.result, err))) return err->code;
    pthread_mutex_init(&o.lock, NULL);
    pthread_cond_init(&o.changed, NULL);
    run_on(threads_for(w->n, threads), run_in_order, &o);
    pthread_cond_destroy(&o.changed);
    pthread_mutex_destroy(&o.lock);
    ws_free(o.result);
    if (o.failed == w->n) return WS_OK;
    *err = o.err;
    return err->code;
}
