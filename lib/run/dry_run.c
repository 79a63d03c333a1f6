/* SPDX-License-Identifier: MIT
 * --dry-run: the run over a sample of the input, with outputs to /dev/null, and a report on what the whole would be and
 * cost. */
#include "lib/base/system.h"
#include "lib/dev/device.h"
#include "lib/run/backend.h"
#include "lib/run/run.h"

#include <stdio.h>

uint64_t ws_dry_run_batch(const ws_job *job, uint64_t batch) {
    return ws_policy_sample_batch(ws_job_nodes(job), batch);
}

int ws_dry_run_is_over(ws_run *run) {
    const uint64_t enough = run->open_ns + WS_POLICY_SAMPLE * UINT64_C(1000000000);
    if (!run->job->common.dry_run || ws_now_ns() - run->start_ns < enough) return 0;
    run->sampled = 1;
    return 1;
}

/* Seconds of the whole input, given those of the sample: opening does not grow. Below 0: the size of the input is
 * unknown. */
static double whole_seconds(const ws_run *run, double seconds, double share) {
    const double open = 1e-9 * (double)run->open_ns;
    if (!run->sampled) return seconds;
    return share > 0 ? open + (seconds - open) / share : -1;
}

static int add_models(const ws_job *job, ws_buf *text, ws_err *err) {
    if (!job->ntarget) return WS_OK;
    return ws_buf_addf(text, err, "models\t%zu\nnodes\t%llu\n", job->ntarget, (unsigned long long)ws_job_nodes(job));
}

static int add_backend(const ws_job *job, ws_buf *text, ws_err *err) {
    const char *why;
    const int waits = job->cpu_backend && !ws_job_is_open(job) && job->backend->usable(&job->machine, &why);
    int rc = ws_buf_addf(text, err, "backend\t%s%s\nthreads\t%d\n", ws_backend_name(job),
                         waits ? ", and a device once that pays off" : "", job->nworker);
    return rc || !ws_job_has_device(job) ? rc : ws_buf_addf(text, err, "device\t%s\n", ws_dev_name());
}

int ws_dry_run_report(ws_run *run, ws_err *err) {
    const ws_job *job = run->job;
    const double seconds = 1e-9 * (double)(ws_now_ns() - run->start_ns);
    char done[256];
    double share;
    ws_buf text = {0};
    if (!job->common.dry_run) return WS_OK;
    ws_run_progress(run, seconds, done, sizeof done, &share);
    const double whole = whole_seconds(run, seconds, share);
    int rc = ws_buf_addf(&text, err, "program\t%s " WS_VERSION "\n", job->tool->name);
    if (!rc) rc = add_models(job, &text, err);
    if (!rc) rc = add_backend(job, &text, err);
    if (!rc)
        rc = ws_buf_addf(&text, err, "memory\t%.0f MB at the end of the sample\n",
                         (double)ws_system_peak_memory() / 1e6);
    if (!rc) rc = ws_buf_addf(&text, err, "sample\t%s, in %.2f s", done, seconds);
    if (!rc && !run->sampled) rc = ws_buf_adds(&text, ", which is all\n", err);
    else if (!rc && share < 0) rc = ws_buf_adds(&text, ", of an input of unknown size\n", err);
    else if (!rc) rc = ws_buf_addf(&text, err, ", %.3g%% of the input\n", 100 * share);
    if (!rc)
        rc = whole < 0 ? ws_buf_adds(&text, "seconds\tunknown\n", err)
                       : ws_buf_addf(&text, err, "seconds\t%.3g\n", whole);
    if (!rc) rc = ws_out_file(NULL, text.p, text.n, err);
    ws_buf_release(&text);
    return rc;
}
