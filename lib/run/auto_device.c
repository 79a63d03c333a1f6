/* SPDX-License-Identifier: MIT
 * --backend auto: the CPU starts, and a device joins once its start-up pays off. The size of a pipe is unknown, so the
 * program waits until all threads have scored for as long as opening a device takes. Then it opens one while they go
 * on. The run takes at most twice the time that a program with knowledge of the size would need, and small runs never
 * open a device. */
#include "lib/run/backend.h"
#include "lib/run/message.h"
#include "lib/run/run.h"

static void *open_device(void *run) {
    ws_job *job = ((ws_run *)run)->job;
    ws_err err = {0};
    const char *why;
    if (!job->backend->usable(&job->machine, &why)) return NULL;
    /* besides the workers: waiting for the device costs more than these threads */
    int rc = ws_backend_open(job, job->nworker, &err);
    if (!rc) rc = job->backend->wait(&err);
    if (rc) {
        ws_message_note(job, "goes on without a device: %s", err.text);
        return NULL;
    }
    __atomic_store_n(&job->backend_ready, 1, __ATOMIC_RELEASE);
    if (((ws_run *)run)->chain) (void)ws_chain_join(((ws_run *)run)->chain, WS_CHAIN_DEVICE, ws_dev_streams());
    return NULL;
}

void ws_auto_device_look(ws_run *run) {
    const ws_job *job = run->job;
    if (!job->cpu_backend || run->opener_begun || ws_job_is_open(job)) return;
    if (1e-9 * (double)run->work.cpu / job->nworker < job->backend->start_seconds) return;
    if (atomic_exchange(&run->opener_begun, 1)) return;
    /* without the thread the CPU scores everything */
    run->opener_runs = pthread_create(&run->opener, NULL, open_device, run) == 0;
}

void ws_auto_device_join(ws_run *run) {
    if (run->opener_runs) pthread_join(run->opener, NULL);
    run->opener_runs = 0;
}
