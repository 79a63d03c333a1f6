/* SPDX-License-Identifier: MIT
 * Targets on demand: each is made once, and prepared once for each backend, by whichever thread needs it first. */
#include "lib/base/parallel_for.h"
#include "lib/run/backend.h"

#include <pthread.h>

enum { LOCKS = 64 }; /* targets share them */

struct ws_readiness {
    pthread_mutex_t lock[LOCKS];
    uint8_t *made; /* [ntarget] atomic */
};

int ws_ready_begin(ws_job *job, ws_err *err) {
    struct ws_readiness *r = job->readiness = ws_calloc(1, sizeof *r, err);
    if (!r) return err->code;
    for (int i = 0; i < LOCKS; i++) pthread_mutex_init(&r->lock[i], NULL);
    r->made = ws_calloc(job->ntarget, sizeof *r->made, err);
    return r->made ? WS_OK : err->code;
}

void ws_ready_end(ws_job *job) {
    struct ws_readiness *r = job->readiness;
    if (!r) return;
    for (int i = 0; i < LOCKS; i++) pthread_mutex_destroy(&r->lock[i]);
    ws_free(r->made);
    ws_free(r);
    job->readiness = NULL;
}

static int is_made(const ws_job *job, uint32_t t) { return !job->tool->make || __atomic_load_n(&job->readiness->made[t],
        __ATOMIC_ACQUIRE); }

static int is_ready(const ws_job *job, const ws_backend *backend, uint32_t t) {
    return backend ? ws_job_prep(job, backend, t) != NULL : is_made(job, t);
}

static int make(ws_job *job, const ws_backend *backend, uint32_t t, ws_err *err) {
    int rc = is_made(job, t) ? WS_OK : job->tool->make(job, t, err);
    void *prep = NULL;
    if (rc) return rc;
    __atomic_store_n(&job->readiness->made[t], 1, __ATOMIC_RELEASE);
    if (!backend || ws_job_prep(job, backend, t)) return WS_OK;
    rc = backend->prepare(backend, &job->target[t], &prep, err);
    __atomic_store_n(&(backend == job->cpu_backend ? job->cpu_prep : job->prep)[t], prep, __ATOMIC_RELEASE);
    return rc;
}

int ws_job_ready(ws_job *job, const ws_backend *backend, uint32_t t, int *busy, ws_err *err) {
    pthread_mutex_t *lock = &job->readiness->lock[t % LOCKS];
    if (busy) *busy = 0;
    if (is_ready(job, backend, t)) return WS_OK;
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

typedef struct all {
    ws_job *job;
    const ws_backend *backend;
    int made_only;
} all;

static int ready_one(void *work, size_t t, ws_err *err) {
    const all *a = work;
    return a->made_only && !is_made(a->job, (uint32_t)t) ? WS_OK : ws_job_ready(a->job, a->backend, (uint32_t)t, NULL, err);
}

int ws_ready_for(ws_job *job, const ws_backend *backend, int threads, ws_err *err) {
    all a = {job, backend, 1};
    return ws_parallel_for(job->ntarget, threads, ready_one, &a, err);
}

int ws_job_ready_all(ws_job *job, int threads, ws_err *err) {
    all a = {.job = job, .backend = job->cpu_backend ? job->cpu_backend : job->backend};
    int rc = ws_parallel_for(job->ntarget, threads, ready_one, &a, err);
    a.backend = job->backend;
    return rc || !ws_job_is_open(job) ? rc : ws_parallel_for(job->ntarget, threads, ready_one, &a, err);
}
