/* SPDX-License-Identifier: MIT
 * --backend auto: the processor begins, and a device joins it once there turns out to be work for one. Nothing is known of a
 * pipe beforehand, so the rule is the one for hiring skis: when all threads have scored for as long as opening a device takes, it is
 * opened, beside their work. That costs at most twice the time of whoever knew, and small runs never see a device. */
#include "lib/run/backend.h"
#include "lib/run/stream.h"

#include <stdio.h>

static void *open_late(void *stream) {
    ws_stream *st = stream;
    ws_job *job = st->job;
    ws_err err = {0};
    const char *why;
    if (!job->backend->usable(&job->machine, &why)) return NULL;
    int rc = ws_backend_open(job, st->nlane, &err); /* as many threads again: what waits for it costs more than they take */
    if (!rc) rc = job->backend->wait(&err);
    if (!rc)
        __atomic_store_n(&job->open, 1, __ATOMIC_RELEASE);
    else if (!job->common.quiet)
        fprintf(stderr, "%s: goes on without a device: %s\n", job->tool->name, err.text);
    return NULL;
}

void ws_late_look(ws_stream *st) {
    const ws_job *job = st->job;
    if (!job->beside || st->late_begun || ws_job_is_open(job)) return;
    if (1e-9 * (double)st->count.score.cpu / st->nlane < job->backend->start_seconds) return;
    if (atomic_exchange(&st->late_begun, 1)) return;
    st->late_runs = pthread_create(&st->late, NULL, open_late, st) == 0; /* else the processor does it all */
}

void ws_late_join(ws_stream *st) {
    if (st->late_runs) pthread_join(st->late, NULL);
    st->late_runs = 0;
}
