/* SPDX-License-Identifier: MIT
 * --backend auto: the CPU starts, and a device joins once its start-up pays off, as ws_policy_opens says. The program
 * asks at the first reading, since the files then tell how much work there is, and after each step. Small runs never
 * open a device, and large ones open all of the machine. A chain then gets threads for the streams of the device. */
#include "lib/dev/device.h"
#include "lib/dev/ids.h"
#include "lib/run/backend.h"
#include "lib/run/message.h"
#include "lib/run/run.h"

/* Returns the cells of its first step that a thread is believed to do in a second; 0: nothing tells. */
static double speed_of(const ws_run *run) {
    for (size_t i = 0; i < run->source.nstage; i++) {
        const double speed = ws_job_speed(run->job, WS_CHAIN_CPU, run->source.stage[i].kind);
        if (speed > 0) return speed;
    }
    return run->job->backend->cpu_speed;
}

int ws_run_device_threads(ws_run *run, ws_err *err) {
    if (run->ring) return WS_OK; /* threads that work on items wait for it */
    if (!ws_job_has_device(run->job) || ws_chain_join(run->chain, WS_CHAIN_DEVICE, ws_dev_streams()) > 0) return WS_OK;
    if (!run->job->cpu_backend) return ws_fail(err, WS_ENOMEM, "no thread could be started for the device");
    __atomic_store_n(&run->job->backend_ready, 0, __ATOMIC_RELEASE);
    ws_chain_ask_again(run->chain); /* what was for the device is for the CPU */
    return WS_OK;
}

/* Returns what is known of this round of a run. */
static ws_policy_run state_of(const ws_run *run) {
    const ws_job *job = run->job;
    const double threads = job->nworker, speed = speed_of(run);
    double all = 0;
    ws_policy_run r = {.done = -1, .left = -1, .measured = run->source.seconds != NULL,
                       .start = job->backend->start_seconds,
                       .worked = 1e-9 * (double)(run->work.cpu - run->worked_before) / threads};
    if (run->reader->done) r.done = run->reader->done(run->job, &all);
    if (r.done < 0) all = 0;
    const double left = all * (1 - r.done);
    if (run->source.seconds) r.left = run->source.seconds(run->source.own, left, all) / threads;
    else if (all > 0 && speed > 0) r.left = left / speed / threads;
    return r;
}

static void set_opens(ws_run *run, ws_opens opens) {
    __atomic_store_n(&run->job->device_opens, opens, __ATOMIC_RELEASE);
    if (run->chain) ws_chain_ask_again(run->chain); /* threads may have other work now */
}

/* Threads of the CPU go on meanwhile. A device that opens at once is taken as open, as with --backend cuda+cpu: its
 * first call then tells of a failure. */
static void *open_device(void *run_) {
    ws_run *run = run_;
    ws_job *job = run->job;
    ws_err err = {0};
    const char *why;
    if (job->all_devices) ws_dev_widen(); /* before the driver starts, which `usable` asks first */
    const int usable = job->backend->usable(&job->machine, &why);
    /* besides the workers: waiting for the device costs more than these threads */
    int rc = usable ? ws_backend_open(job, job->nworker, &err) : WS_OK;
    if (usable && !rc && !ws_job_expects_device(job)) rc = job->backend->wait(&err);
    if (rc) ws_message_note(job, "goes on without a device: %s", err.text);
    if (usable && !rc) {
        __atomic_store_n(&job->backend_ready, 1, __ATOMIC_RELEASE);
        if (run->chain) (void)ws_run_device_threads(run, &err);
    }
    set_opens(run, WS_OPENS_NOT);
    return NULL;
}

void ws_auto_device_look(ws_run *run) {
    ws_job *job = run->job;
    if (!job->cpu_backend || run->opener_begun || ws_job_is_open(job)) return;
    const ws_policy_run r = state_of(run);
    const ws_opens opens = ws_policy_opens(&r);
    if (opens == WS_OPENS_NOT || atomic_exchange(&run->opener_begun, 1)) return;
    job->all_devices = !job->stop && ws_policy_opens_all(&r); /* of a library's process others may use the rest */
    set_opens(run, opens);
    /* without the thread the CPU scores everything */
    run->opener_runs = pthread_create(&run->opener, NULL, open_device, run) == 0;
    if (!run->opener_runs) set_opens(run, WS_OPENS_NOT);
}

void ws_auto_device_join(ws_run *run) {
    if (run->opener_runs) pthread_join(run->opener, NULL);
    run->opener_runs = 0;
}
