/* SPDX-License-Identifier: MIT
 * Choice and preparation of backends: see lib/run/backend.h. */
#include "lib/run/backend.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int ws_usable_always(const ws_machine *m, const char **why) {
    (void)m;
    (void)why;
    return 1;
}

static const char together[] = "+cpu"; /* behind the name of a device's backend: the CPU takes from the same queue */

static int is_together(const ws_backend *b, const char *name) {
    const size_t n = strlen(b->name);
    return b->start && strncmp(name, b->name, n) == 0 && strcmp(name + n, together) == 0;
}

static int no_such(const ws_tool *tool, const char *name, ws_err *err) {
    char q[WS_QUOTE_MAX];
    ws_buf list = {0};
    int rc = WS_OK;
    for (int i = 0; tool->backends[i] && !rc; i++) {
        const ws_backend *b = tool->backends[i];
        rc = ws_buf_addf(&list, err, ", %s", b->name);
        if (b->start && !rc) rc = ws_buf_addf(&list, err, ", %s%s", b->name, together);
    }
    if (!rc)
        rc = ws_fail(err, WS_EUSAGE, "--backend: there is no \"%s\"; this build has auto%s", ws_quote(q, name, strlen(name)), list.p);
    ws_buf_release(&list);
    return rc;
}

/* Bytes of the inputs; 0 if one is no regular file. */
static double input_bytes(const ws_job *job) {
    double sum = 0;
    struct stat s;
    for (int i = 0; i < job->ninput; i++) {
        int known = strcmp(job->input[i], "-") ? stat(job->input[i], &s) == 0 : fstat(STDIN_FILENO, &s) == 0;
        if (!known || !S_ISREG(s.st_mode)) return 0;
        sum += (double)s.st_size;
    }
    return job->ninput ? sum : fstat(STDIN_FILENO, &s) == 0 && S_ISREG(s.st_mode) ? (double)s.st_size : 0;
}

/* Whether a device is worth its start of about half a second in --backend auto: with all cores the scores would take more than
 * two. A pipe counts as a minute of the fastest parsing, which is no gain where the cores keep up with it. */
static int device_pays(const ws_job *job, const ws_backend *b, int threads) {
    const double parse = 3e8, residues_per_byte = 1.5; /* a second, one core; packed input, the densest but for gzip */
    double bytes = input_bytes(job), per_byte = job->tool->reader ? job->tool->reader->cells_per_byte : 0;
    const double speed = b->cpu_speed * threads; /* cells a second */
    for (size_t t = 0; t < job->ntarget; t++) per_byte += residues_per_byte * (double)job->target[t].qlen;
    return bytes > 0 ? bytes * per_byte > 2 * speed : parse * per_byte / residues_per_byte > speed;
}

static int take(ws_job *job, const ws_backend *b, ws_err *err) {
    const ws_devconf conf = {job->common.device, job->common.gpu_mem};
    job->backend = b;
    return b->start ? b->start(&conf, err) : WS_OK;
}

static void take_beside(ws_job *job) {
    const char *why;
    for (int i = 0; !job->beside; i++) { /* the last one, scalar, is always usable */
        const ws_backend *b = job->tool->backends[i];
        if (!b->start && b->usable(&job->machine, &why)) job->beside = b;
    }
}

int ws_backend_choose(ws_job *job, int threads, ws_err *err) {
    const char *name = job->common.backend, *why = NULL;
    int any = !name || strcmp(name, "auto") == 0;
    for (int i = 0; job->tool->backends[i]; i++) {
        const ws_backend *b = job->tool->backends[i];
        const int both = !any && is_together(b, name);
        if (any ? b->start && !device_pays(job, b, threads) : !both && strcmp(b->name, name) != 0) continue;
        if (both) take_beside(job);
        if (b->usable(&job->machine, &why)) return take(job, b, err);
        if (!any) return ws_fail(err, WS_EDEV, "--backend %s cannot run here: %s", name, why);
    }
    return no_such(job->tool, name ? name : "", err);
}

const char *ws_backend_name(const ws_job *job) {
    return job->beside ? job->common.backend : job->backend ? job->backend->name : "none";
}

int ws_backend_list(const ws_tool *tool, const ws_machine *m, ws_buf *out, ws_err *err) {
    int rc = ws_buf_adds(out, "backend\tusable\treason\n", err);
    for (int i = 0; tool->backends && tool->backends[i] && !rc; i++) {
        const ws_backend *b = tool->backends[i];
        const char *why = "";
        int usable = b->usable(m, &why);
        for (int both = 0; both <= (b->start != NULL) && !rc; both++)
            rc = ws_buf_addf(out, err, "%s%s\t%s\t%s\n", b->name, both ? together : "", usable ? "yes" : "no", usable ? "" : why);
    }
    return rc;
}

typedef struct prepare_work {
    ws_job *job;
    const ws_backend *backend;
    void **prep;
    _Atomic size_t next;
    _Atomic int failed;
    ws_err err; /* of the thread that set failed first */
} prepare_work;

static void *prepare_main(void *arg) {
    prepare_work *w = arg;
    size_t t;
    while ((t = w->next++) < w->job->ntarget && !w->failed) {
        ws_err err = {0};
        if (w->backend->prepare(&w->job->target[t], &w->prep[t], &err) != WS_OK && !atomic_exchange(&w->failed, 1)) w->err = err;
    }
    return NULL;
}

static int prepare(ws_job *job, const ws_backend *b, void ***prep, int threads, ws_err *err) {
    enum { MAX = 64 };
    pthread_t id[MAX];
    *prep = ws_calloc(job->ntarget, sizeof **prep, err);
    if (!*prep) return WS_ENOMEM;
    prepare_work w = {.job = job, .backend = b, .prep = *prep};
    int want = (int)ws_min((size_t)threads, ws_min(job->ntarget, MAX)), started = 1;
    while (started < want && pthread_create(&id[started], NULL, prepare_main, &w) == 0) started++;
    prepare_main(&w);
    for (int i = 1; i < started; i++) pthread_join(id[i], NULL);
    if (w.failed) *err = w.err;
    return w.failed ? err->code : WS_OK;
}

int ws_backend_prepare(ws_job *job, int threads, ws_err *err) {
    int rc = prepare(job, job->backend, &job->prep, threads, err);
    return rc || !job->beside ? rc : prepare(job, job->beside, &job->beside_prep, threads, err);
}

static void release(const ws_job *job, const ws_backend *b, void ***prep) {
    for (size_t t = 0; *prep && t < job->ntarget; t++)
        if ((*prep)[t]) b->release((*prep)[t]);
    ws_free(*prep);
    *prep = NULL;
}

void ws_backend_release(ws_job *job) {
    release(job, job->backend, &job->prep);
    release(job, job->beside, &job->beside_prep);
    if (job->backend && job->backend->stop) job->backend->stop();
}
