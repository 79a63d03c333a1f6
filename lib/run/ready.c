/* SPDX-License-Identifier: MIT
 * Targets on demand: each is made, and prepared for each backend, by the thread that needs it first. With a bound on
 * memory (ws_job.target_mem) those that no thread uses are given back, the one that was used longest ago first, and are
 * made again when a thread needs them. */
#include "lib/base/parallel_for.h"
#include "lib/run/backend.h"
#include "lib/run/run.h"

#include <pthread.h>
#include <stdlib.h>

enum { LOCKS = 64 }; /* targets share them */

/* A target that can be given back. */
typedef struct held {
    uint32_t users; /* threads that use it. Grows under the target's lock; atomic */
    uint64_t used;  /* when a thread last began to use it, counted by `clock` */
    size_t bytes;   /* that it takes, about; 0: it is not made. Atomic, changed under the target's lock */
} held;

typedef struct candidate {
    uint64_t used;
    uint32_t target;
} candidate;

struct ws_readiness {
    pthread_mutex_t lock[LOCKS];
    uint8_t *made; /* [ntarget] atomic */
    int cpu_only;  /* no device prepares targets, now or later */

    /* with a bound */
    held *held;           /* [ntarget]; NULL: without */
    uint64_t clock;       /* atomic, as is bytes: of all that are made */
    uint64_t bytes;
    pthread_mutex_t lack; /* of the thread that gives targets back */
    candidate *candidate; /* [ntarget] its list */
};

int ws_ready_begin(ws_job *job, ws_err *err) {
    struct ws_readiness *r = job->readiness = ws_calloc(1, sizeof *r, err);
    if (!r) return err->code;
    for (int i = 0; i < LOCKS; i++) pthread_mutex_init(&r->lock[i], NULL);
    pthread_mutex_init(&r->lack, NULL);
    r->made = ws_calloc(job->ntarget, sizeof *r->made, err);
    r->cpu_only = !job->backend || !job->backend->start || !job->backend->prepare;
    if (!r->made || !job->target_mem || !job->tool->forget) return r->made ? WS_OK : err->code;
    r->held = ws_calloc(job->ntarget, sizeof *r->held, err);
    if (r->held) r->candidate = ws_calloc(job->ntarget, sizeof *r->candidate, err);
    return r->candidate ? WS_OK : err->code;
}

void ws_ready_end(ws_job *job) {
    struct ws_readiness *r = job->readiness;
    if (!r) return;
    for (int i = 0; i < LOCKS; i++) pthread_mutex_destroy(&r->lock[i]);
    pthread_mutex_destroy(&r->lack);
    ws_free(r->made);
    ws_free(r->held);
    ws_free(r->candidate);
    ws_free(r);
    job->readiness = NULL;
}

static pthread_mutex_t *lock_of(const ws_job *job, uint32_t t) { return &job->readiness->lock[t % LOCKS]; }

static int is_made(const ws_job *job, uint32_t t) { return !job->tool->make || __atomic_load_n(&job->readiness->made[t],
        __ATOMIC_ACQUIRE); }

static void set_made(ws_job *job, uint32_t t, uint8_t made) {
    __atomic_store_n(&job->readiness->made[t], made, __ATOMIC_RELEASE);
}

static void **prep_of(ws_job *job, const ws_backend *backend, uint32_t t) {
    return &(backend == job->cpu_backend ? job->cpu_prep : job->prep)[t];
}

static int is_ready(const ws_job *job, const ws_backend *backend, uint32_t t) {
    return backend ? ws_job_prep(job, backend, t) != NULL : is_made(job, t);
}

static int is_bounded(const ws_job *job) { return job->target_mem && job->readiness && job->readiness->held; }

/* Counts what target t takes from now on. */
static void count_bytes(ws_job *job, uint32_t t, size_t bytes) {
    struct ws_readiness *r = job->readiness;
    if (!r->held) return;
    const size_t before = __atomic_exchange_n(&r->held[t].bytes, bytes, __ATOMIC_ACQ_REL);
    __atomic_add_fetch(&r->bytes, bytes - before, __ATOMIC_RELAXED);
}

/* Makes target t under its lock. */
static int make(ws_job *job, const ws_backend *backend, uint32_t t, ws_err *err) {
    const ws_tool *tool = job->tool;
    int rc = is_made(job, t) ? WS_OK : tool->make(job, t, err);
    void *prep = NULL;
    if (rc) return rc;
    set_made(job, t, 1);
    if (!backend || ws_job_prep(job, backend, t)) return WS_OK;
    rc = backend->prepare(backend, &job->target[t], &prep, err);
    if (rc) return rc;
    __atomic_store_n(prep_of(job, backend, t), prep, __ATOMIC_RELEASE);
    size_t bytes = backend->size ? backend->size(backend, &job->target[t]) : 0;
    if (tool->forget && job->readiness->cpu_only) tool->forget(job, t);
    else if (tool->made_size) bytes += tool->made_size(job, t);
    count_bytes(job, t, bytes);
    return WS_OK;
}

int ws_job_ready(ws_job *job, const ws_backend *backend, uint32_t t, int *busy, ws_err *err) {
    if (busy) *busy = 0;
    if (is_ready(job, backend, t)) return WS_OK;
    pthread_mutex_t *lock = lock_of(job, t);
    if (!busy) {
        pthread_mutex_lock(lock);
    } else if (pthread_mutex_trylock(lock) != 0) {
        *busy = 1;
        return WS_OK;
    }
    const int rc = make(job, backend, t, err);
    pthread_mutex_unlock(lock);
    return rc;
}

/* ---- with a bound ---- */

/* A device keeps what it prepared, so its targets stay. */
static int can_go(const ws_job *job, uint32_t t) {
    const held *h = &job->readiness->held[t];
    return __atomic_load_n(&h->bytes, __ATOMIC_ACQUIRE) && !__atomic_load_n(&h->users, __ATOMIC_ACQUIRE) &&
           !(job->backend->start && __atomic_load_n(&job->prep[t], __ATOMIC_ACQUIRE));
}

static void give_back(ws_job *job, uint32_t t) {
    const ws_backend *backend = job->cpu_backend ? job->cpu_backend : job->backend;
    void **prep = prep_of(job, backend, t), *old;
    if (pthread_mutex_trylock(lock_of(job, t)) != 0) return; /* a thread needs it, or its neighbour */
    old = *prep;
    if (can_go(job, t)) {
        __atomic_store_n(prep, NULL, __ATOMIC_RELEASE);
        set_made(job, t, 0);
        if (old) backend->release(old);
        job->tool->forget(job, t);
        count_bytes(job, t, 0);
    }
    pthread_mutex_unlock(lock_of(job, t));
}

static int by_use(const void *a, const void *b) {
    const uint64_t x = ((const candidate *)a)->used, y = ((const candidate *)b)->used;
    return (x > y) - (x < y);
}

/* Returns 1 if what is made takes more than so many eighths of the bound. */
static int takes_more(const ws_job *job, uint64_t eighths) {
    return __atomic_load_n(&job->readiness->bytes, __ATOMIC_RELAXED) > job->target_mem / 8 * eighths;
}

/* Gives back until an eighth of the bound is free, so that the list is sorted once for many targets. */
static void make_room(ws_job *job) {
    struct ws_readiness *r = job->readiness;
    size_t n = 0;
    if (!takes_more(job, 8) || pthread_mutex_trylock(&r->lack) != 0) return;
    for (uint32_t t = 0; t < job->ntarget; t++)
        if (can_go(job, t)) r->candidate[n++] = (candidate){__atomic_load_n(&r->held[t].used, __ATOMIC_RELAXED), t};
    qsort(r->candidate, n, sizeof *r->candidate, by_use);
    for (size_t i = 0; i < n && takes_more(job, 7); i++) give_back(job, r->candidate[i].target);
    pthread_mutex_unlock(&r->lack);
}

int ws_job_take(ws_job *job, const ws_backend *backend, uint32_t t, void **prep, ws_err *err) {
    struct ws_readiness *r = job->readiness;
    int rc = WS_OK;
    if (!is_bounded(job)) {
        rc = ws_job_ready(job, backend, t, NULL, err);
        *prep = rc ? NULL : ws_job_prep(job, backend, t);
        return rc;
    }
    pthread_mutex_lock(lock_of(job, t));
    if (!is_ready(job, backend, t)) rc = make(job, backend, t, err);
    *prep = rc ? NULL : ws_job_prep(job, backend, t);
    if (!rc) __atomic_add_fetch(&r->held[t].users, 1, __ATOMIC_ACQ_REL);
    __atomic_store_n(&r->held[t].used, __atomic_add_fetch(&r->clock, 1, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
    pthread_mutex_unlock(lock_of(job, t));
    make_room(job);
    return rc;
}

void ws_job_leave(ws_job *job, uint32_t t) {
    if (is_bounded(job)) __atomic_sub_fetch(&job->readiness->held[t].users, 1, __ATOMIC_ACQ_REL);
}

int ws_job_has_room(const ws_job *job) { return !is_bounded(job) || !takes_more(job, 7); }

/* ---- many at once ---- */

typedef struct all {
    ws_job *job;
    const ws_backend *backend;
    int made_only;
} all;

static int ready_one(void *work, size_t t, ws_err *err) {
    const all *a = work;
    if (a->made_only ? !is_made(a->job, (uint32_t)t) : !ws_job_has_room(a->job)) return WS_OK;
    const int rc = ws_job_go_on(a->job, err);
    return rc ? rc : ws_job_ready(a->job, a->backend, (uint32_t)t, NULL, err);
}

int ws_ready_for(ws_job *job, const ws_backend *backend, int threads, ws_err *err) {
    all a = {job, backend, 1};
    return ws_parallel_for(job->ntarget, threads, ready_one, &a, err);
}

int ws_job_ready_all(ws_job *job, int threads, ws_err *err) {
    all a = {.job = job, .backend = job->cpu_backend ? job->cpu_backend : job->backend};
    if (job->run) ws_auto_device_look(job->run); /* a device that pays opens meanwhile */
    if (job->one_by_one && (!a.backend || !a.backend->start)) return WS_OK;
    int rc = ws_parallel_for(job->ntarget, threads, ready_one, &a, err);
    a.backend = job->backend;
    return rc || !ws_job_is_open(job) ? rc : ws_parallel_for(job->ntarget, threads, ready_one, &a, err);
}
