/* SPDX-License-Identifier: MIT
 * From a run to what its plan knows of it. It stands apart from bin/stages/plan.h, which knows no engine. */
#ifndef WS_STAGES_MACHINE_H
#define WS_STAGES_MACHINE_H

#include "bin/stages/plan.h"

#include "lib/run/job.h"

/* Returns the machine of a run of so many threads as it is now. job: NULL stands for the CPU alone, as fast as most. */
static inline ws_plan_machine ws_plan_machine_of(const ws_job *job, int threads) {
    ws_plan_machine m = {.threads = threads, .cpu = 1};
    for (int k = 0; k < WS_STEP_KINDS && !job; k++) m.thread[k] = ws_policy_thread_speed("avx2", (ws_step_kind)k);
    if (!job) return m;
    m.cpu = job->cpu_backend || !job->backend->start;
    m.device = ws_job_expects_device(job);
    m.opening = !m.device && __atomic_load_n(&job->device_opens, __ATOMIC_ACQUIRE) == WS_OPENS_BESIDE;
    if (m.device) m.streams = ws_job_has_device(job) ? ws_dev_streams() : job->backend->streams;
    if (m.device && m.streams < 1) m.streams = 1;
    const int heard = m.device && __atomic_load_n(&job->speeds.calls, __ATOMIC_ACQUIRE);
    for (int k = 0; k < WS_STEP_KINDS; k++) {
        m.thread[k] = ws_job_speed(job, WS_CHAIN_CPU, (ws_step_kind)k);
        if (heard) m.stream[k] = ws_job_speed(job, WS_CHAIN_DEVICE, (ws_step_kind)k);
    }
    return m;
}

#endif
