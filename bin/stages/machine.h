/* SPDX-License-Identifier: MIT
 * From a run to what its plan knows of it. It stands apart from bin/stages/plan.h, which knows no engine. */
#ifndef WS_STAGES_MACHINE_H
#define WS_STAGES_MACHINE_H

#include "bin/stages/plan.h"

#include "lib/run/job.h"

/* Returns the machine of a run of so many threads as it is now. job: NULL stands for the CPU alone. */
static inline ws_plan_machine ws_plan_machine_of(const ws_job *job, int threads) {
    if (!job) return (ws_plan_machine){.threads = threads, .cpu = 1};
    const int device = ws_job_has_device(job);
    return (ws_plan_machine){threads, device, device ? ws_dev_streams() : 0, job->cpu_backend || !job->backend->start};
}

#endif
