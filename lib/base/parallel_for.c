/* SPDX-License-Identifier: MIT
 * Work on several threads: see lib/base/parallel_for.h. */
#include "lib/base/parallel_for.h"

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

int ws_parallel_for(size_t n, int threads, ws_parallel_fn *one, void *ctx, ws_err *err) {
    enum { MAX = 64 };
    pthread_t id[MAX];
    work w = {.n = n, .one = one, .ctx = ctx, .failed = n};
    const size_t want = ws_min(ws_min(threads > 0 ? (size_t)threads : 1, n), MAX);
    size_t started = 1;
    pthread_mutex_init(&w.lock, NULL);
    while (started < want && pthread_create(&id[started], NULL, run, &w) == 0) started++;
    run(&w);
    while (--started > 0) pthread_join(id[started], NULL);
    pthread_mutex_destroy(&w.lock);
    if (w.failed == n) return WS_OK;
    *err = w.err;
    return err->code;
}
