/* SPDX-License-Identifier: MIT
 * Choice and preparation of backends: see lib/run/backend.h. */
#include "lib/run/backend.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static int no_such(const ws_tool *tool, const char *name, ws_err *err) {
    char q[WS_QUOTE_MAX];
    ws_buf list = {0};
    int rc = WS_OK;
    for (int i = 0; tool->backends[i] && !rc; i++) rc = ws_buf_addf(&list, err, ", %s", tool->backends[i]->name);
    if (!rc)
        rc = ws_fail(err, WS_EUSAGE, "--backend: there is no \"%s\"; this build has auto%s", ws_quote(q, name, strlen(name)), list.p);
    ws_buf_release(&list);
    return rc;
}

int ws_backend_choose(ws_job *job, ws_err *err) {
    const char *name = job->common.backend, *why = NULL;
    int any = !name || strcmp(name, "auto") == 0;
    for (int i = 0; job->tool->backends[i]; i++) {
        const ws_backend *b = job->tool->backends[i];
        if (!any && strcmp(b->name, name) != 0) continue;
        if (b->usable(&job->machine, &why)) {
            job->backend = b;
            return WS_OK;
        }
        if (!any) return ws_fail(err, WS_EDEV, "--backend %s cannot run here: %s", name, why);
    }
    return no_such(job->tool, name ? name : "", err);
}

int ws_backend_list(const ws_tool *tool, const ws_machine *m, ws_buf *out, ws_err *err) {
    int rc = ws_buf_adds(out, "backend\tusable\treason\n", err);
    for (int i = 0; tool->backends && tool->backends[i] && !rc; i++) {
        const char *why = "";
        int usable = tool->backends[i]->usable(m, &why);
        rc = ws_buf_addf(out, err, "%s\t%s\t%s\n", tool->backends[i]->name, usable ? "yes" : "no", usable ? "" : why);
    }
    return rc;
}

typedef struct prepare_work {
    ws_job *job;
    _Atomic size_t next;
    _Atomic int failed;
    ws_err err; /* of the thread that set failed first */
} prepare_work;

static void *prepare_main(void *arg) {
    prepare_work *w = arg;
    size_t t;
    while ((t = w->next++) < w->job->ntarget && !w->failed) {
        ws_err err = {0};
        if (w->job->backend->prepare(&w->job->target[t], &w->job->prep[t], &err) != WS_OK && !atomic_exchange(&w->failed, 1))
            w->err = err;
    }
    return NULL;
}

int ws_backend_prepare(ws_job *job, int threads, ws_err *err) {
    enum { MAX = 64 };
    pthread_t id[MAX];
    prepare_work w = {.job = job};
    int want = (int)ws_min((size_t)threads, ws_min(job->ntarget, MAX)), started = 1;
    job->prep = ws_calloc(job->ntarget, sizeof *job->prep, err);
    if (!job->prep) return WS_ENOMEM;
    while (started < want && pthread_create(&id[started], NULL, prepare_main, &w) == 0) started++;
    prepare_main(&w);
    for (int i = 1; i < started; i++) pthread_join(id[i], NULL);
    if (w.failed) *err = w.err;
    return w.failed ? err->code : WS_OK;
}

void ws_backend_release(ws_job *job) {
    for (size_t t = 0; job->prep && t < job->ntarget; t++)
        if (job->prep[t]) job->backend->release(job->prep[t]);
    ws_free(job->prep);
    job->prep = NULL;
}
