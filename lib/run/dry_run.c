/* SPDX-License-Identifier: MIT
 * --dry-run: the run over a sample of the input, with outputs to /dev/null, and a report on what the whole would be and
 * cost. */
#include "lib/base/system.h"
#include "lib/dev/device.h"
#include "lib/run/backend.h"
#include "lib/run/run.h"
#include "lib/simd/width.h"

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

/* ---- how big the whole job is, by first guesses of speeds ---- */

static int add_residues(double residues, int exact, ws_buf *text, ws_err *err) {
    if (residues < 0) return ws_buf_adds(text, "residues\tunknown: the size of the input is\n", err);
    if (exact) return ws_buf_addf(text, err, "residues\t%.0f\n", residues);
    return ws_buf_addf(text, err, "residues\tabout %.3g, by the size of the files\n", residues);
}

/* Adds seconds as hours of a core or of a device, what they are on n of them, and the speed that says so. */
static int add_hours(const char *word, double seconds, int n, const char *unit, double speed, ws_buf *text,
                     ws_err *err) {
    const double wall = seconds / n;
    const char *size = wall < 60 ? "seconds" : wall < 3600 ? "minutes" : wall < 86400 ? "hours" : "days";
    return ws_buf_addf(text, err, "%s\t%.2g h, %s: %.2g s on %d %s; a first guess of the first filter, %.2g cells/s\n",
                       word, seconds / 3600, size, wall, n, unit, speed);
}

/* Returns the kind of the first step, whose cells are those of the whole job. */
static ws_step_kind first_step(const ws_run *run) {
    size_t i = 0;
    while (i < run->source.nstage && run->source.stage[i].kind == WS_STEP_NONE) i++;
    return i < run->source.nstage ? run->source.stage[i].kind : WS_STEP_NONE;
}

/* The size of the input, as the reader says it. */
typedef struct whole_input {
    double residues, read; /* residues: below 0: unknown */
    int exact;
} whole_input;

static whole_input measure(const ws_run *run) {
    whole_input in = {.residues = -1};
    if (run->reader->residues)
        in.residues = run->reader->residues(run->job, !run->sampled, &in.exact, &in.read);
    return in;
}

/* Adds lines where the targets are models. Hours are those of searches, whose first step is MSV. */
static int add_size(const ws_run *run, const whole_input *in, ws_buf *text, ws_err *err) {
    const ws_job *job = run->job;
    const int capability = ws_job_has_device(run->job) ? ws_dev_capability() : WS_POLICY_USUAL_DEVICE;
    const double cells = in->residues * (double)ws_job_nodes(job);
    char unit[64];
    if (!run->reader->residues || !job->ntarget) return WS_OK;
    int rc = add_residues(in->residues, in->exact, text, err);
    if (rc || in->residues < 0 || first_step(run) != WS_STEP_MSV) return rc;
    rc = ws_buf_addf(text, err, "cells\t%.3g, residues times nodes\n", cells);
    const char *width = ws_width_name[ws_job_width(job)];
    snprintf(unit, sizeof unit, "threads with %s", width);
    double speed = ws_policy_thread_speed(width, WS_STEP_MSV);
    if (!rc) rc = add_hours("core_hours", cells / speed, job->nworker, unit, speed, text, err);
    snprintf(unit, sizeof unit, "GPU of capability %d.%d", capability / 10, capability % 10);
    speed = ws_policy_device_speed(capability, WS_STEP_MSV);
    return rc ? rc : add_hours("gpu_hours", cells / speed, 1, unit, speed, text, err);
}

static int add_backend(const ws_job *job, ws_buf *text, ws_err *err) {
    const char *why;
    const int waits = job->cpu_backend && !ws_job_is_open(job) && job->backend->usable(&job->machine, &why);
    int rc = ws_buf_addf(text, err, "backend\t%s%s\nthreads\t%d\n", ws_backend_name(job),
                         waits ? ", and one device or all once that pays off" : "", job->nworker);
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
    const whole_input in = measure(run);
    if (in.exact && in.residues > 0) share = in.read / in.residues; /* bytes are read ahead of sequences */
    const double whole = whole_seconds(run, seconds, share);
    int rc = ws_buf_addf(&text, err, "program\t%s " WS_VERSION "\n", job->tool->name);
    if (!rc) rc = add_models(job, &text, err);
    if (!rc) rc = add_size(run, &in, &text, err);
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
