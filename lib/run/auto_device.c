/* SPDX-License-Identifier: MIT
 * --backend auto: the CPU starts, and a device joins once its start-up pays off. Where the size of the input is known,
 * that is when the CPU would need LEAST_LEFT times as long for the rest as opening a device takes. The program can tell
 * at once where even the fastest cores would need so long, else after KNOWN_AFTER of that time. The size of a pipe is
 * unknown. Then the program waits until all threads have scored for as long as opening a device takes, and opens it
 * while they go on. So the run takes at most twice the time that a program with knowledge of the size would need. Small
 * runs never open a device. A chain then gets threads for the streams of the device. */
#include "lib/dev/device.h"
#include "lib/run/backend.h"
#include "lib/run/message.h"
#include "lib/run/run.h"

/* Opening a device takes 0.3 s on an H200's host, closing it 0.1, and meanwhile the driver slows the other threads.
 * Runs of 0.6 and 0.7 s took a quarter longer with a device that came when half was done. */
#define LEAST_LEFT 2.0
#define KNOWN_AFTER 0.25

/* Cells that no core scores in a second: SSV, the fastest filter, scores up to 3.2e11 (bench/data/kernels-zen5.txt). */
#define CELLS_OF_A_SECOND 5e11

/* Returns whether so much work is left that opening a device pays off: `worked` is the time of all cores so far. */
static int enough_is_left(const ws_run *run, double worked) {
    const double start = run->job->backend->start_seconds, least = LEAST_LEFT * start;
    double all = 0;
    const double done = run->reader->done ? run->reader->done(run->job, &all) : -1;
    if (done >= 0 && all * (1 - done) > CELLS_OF_A_SECOND * run->job->nworker * least) return 1;
    if (worked < KNOWN_AFTER * start) return 0;
    return done < 0 ? worked >= start : (1 - done) * worked >= done * least;
}

int ws_run_device_threads(ws_run *run, ws_err *err) {
    if (run->ring) return WS_OK; /* threads that work on items wait for it */
    if (!ws_job_has_device(run->job) || ws_chain_join(run->chain, WS_CHAIN_DEVICE, ws_dev_streams()) > 0) return WS_OK;
    if (!run->job->cpu_backend) return ws_fail(err, WS_ENOMEM, "no thread could be started for the device");
    __atomic_store_n(&run->job->backend_ready, 0, __ATOMIC_RELEASE);
    ws_chain_ask_again(run->chain); /* what was for the device is for the CPU */
    return WS_OK;
}

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
    if (((ws_run *)run)->chain) (void)ws_run_device_threads(run, &err);
    return NULL;
}

void ws_auto_device_look(ws_run *run) {
    const ws_job *job = run->job;
    if (!job->cpu_backend || run->opener_begun || ws_job_is_open(job)) return;
    const double worked = 1e-9 * (double)run->work.cpu / job->nworker;
    if (!enough_is_left(run, worked)) return;
    if (atomic_exchange(&run->opener_begun, 1)) return;
    /* without the thread the CPU scores everything */
    run->opener_runs = pthread_create(&run->opener, NULL, open_device, run) == 0;
}

void ws_auto_device_join(ws_run *run) {
    if (run->opener_runs) pthread_join(run->opener, NULL);
    run->opener_runs = 0;
}
