/* SPDX-License-Identifier: MIT
 * The main flow of a run: backend, outputs, input, chain, end. */
#include "lib/run/run.h"

#include "lib/base/cpu.h"
#include "lib/base/mem.h"
#include "lib/dev/device.h"
#include "lib/stream/ledger.h"
#include "lib/compress/source.h"
#include "lib/run/backend.h"
#include "lib/run/message.h"

#include <sys/stat.h>
#include <unistd.h>

int ws_job_threads(const ws_job *job) { return job->common.threads > 0 ? (int)job->common.threads : ws_cpu_allowed(); }

/* No date, host or path, so the same input gives the same bytes; only options that change rows are named. */
int ws_provenance_of(const ws_job *job, int pg, const char *program, const char *args, ws_buf *out, ws_err *err) {
    if (job->common.no_provenance) return WS_OK;
    return ws_ledger_put_stage(out, pg, program, job->model_id, args, err);
}

int ws_provenance(const ws_job *job, int pg, ws_buf *out, ws_err *err) {
    return ws_provenance_of(job, pg, job->tool->name, job->cmdline.args.p, out, err);
}

/* Runs the chain over all input, as often as the tool wants to. */
static int run_chain(ws_run *run, ws_err *err) {
    ws_job *job = run->job;
    int more = 0, rc = ws_run_chain(run, err);
    while (!rc && job->tool->again && !run->sampled && !(rc = job->tool->again(job, &more, err)) && more) {
        run->reader->close(job);
        job->reader = NULL;
        rc = run->reader->open(job, err);
        if (!rc) rc = ws_backend_renew(job, err);
        if (!rc) rc = ws_run_chain(run, err);
    }
    return rc;
}

/* Runs over all input, and writes what had to wait for its end. */
static int run_input(ws_run *run, ws_err *err) {
    ws_job *job = run->job;
    int rc = run_chain(run, err);
    if (!rc && job->tool->chain) ws_backend_retire(job); /* finish makes lists, without the device */
    if (rc && job->holds) {
        ws_err ignored;
        (void)ws_run_head(run, &ignored);
    }
    if (!rc) rc = ws_run_head(run, err);
    if (!rc && job->tool->finish) {
        const ws_moment t0 = ws_clock_start();
        rc = job->tool->finish(job, err);
        ws_clock_stop(&run->write, t0);
    }
    if (rc == WS_EDATA && run->sampled) rc = WS_OK; /* a tool may want to know how its input ends */
    if (!rc) rc = ws_outputs_end(job, err);
    job->failed = rc;
    if (rc && run->heads_written) ws_outputs_flush(job);
    return rc;
}

static void release_workers(ws_run *run) {
    for (int i = 0; run->worker && i < run->job->nworker; i++) ws_buf_release(&run->worker[i].scratch);
    ws_free(run->worker);
}

/* Outputs are opened first: a path that cannot be written is told before hours of work. */
static int run_stream(ws_run *run, ws_err *err) {
    ws_job *job = run->job;
    const ws_common *c = &job->common;
    int rc = ws_outputs_open(job, err);
    if (!rc && c->stats && *c->stats) {
        rc = ws_out_open(&run->stats, c->stats, err);
        run->has_stats = rc == WS_OK;
    }
    if (!rc && run->reader->open) rc = run->reader->open(job, err);
    if (!rc) {
        run->worker = ws_calloc((size_t)job->nworker, sizeof *run->worker, err);
        for (int i = 0; run->worker && i < job->nworker; i++) run->worker[i].number = i;
        rc = run->worker ? run_input(run, err) : WS_ENOMEM;
        ws_auto_device_join(run);
    }
    if (!rc && run->reader->note && !c->quiet) run->reader->note(job);
    if (job->odd_names)
        ws_message_note(job, "rows whose names begin with '#' or \"//\", which programs that read such files take for "
                        "other lines: %llu", (unsigned long long)job->odd_names);
    if (!rc) ws_report_progress(run, 1);
    if (!rc) rc = ws_dry_run_report(run, err);
    if (!rc) rc = ws_report_stats(run, err);
    if (!job->stop) ws_mem_leave(); /* else other work of the process follows */
    release_workers(run);
    ws_free(run->stage);
    if (run->reader->close) run->reader->close(job);
    if (run->has_stats && rc == WS_EUSAGE) ws_out_abandon(&run->stats);
    if (run->has_stats) rc = ws_out_close_keeping(&run->stats, rc, err);
    return ws_outputs_close(job, rc, err);
}

/* Returns whether standard input is /dev/null, by whatever name it was opened: cron and batch systems do that. */
static int stdin_is_null(void) {
    struct stat in, null;
    return fstat(STDIN_FILENO, &in) == 0 && stat("/dev/null", &null) == 0 && S_ISCHR(in.st_mode) &&
           in.st_rdev == null.st_rdev;
}

/* Fails if the run would wait for a person to type sequences, or if standard input is several inputs: the first leaves
 * nothing. */
static int check_stdin(const ws_job *job, ws_err *err) {
    int named = 0;
    for (int i = 0; i < job->ninput; i++) named += ws_source_is_stdin(job->input[i]);
    if (named > 1) return ws_fail(err, WS_EUSAGE, "standard input is named %d times, but can be read once", named);
    if (job->ninput == 0 && isatty(STDIN_FILENO))
        return ws_fail(err, WS_EUSAGE, "no input: name a file or pipe it in");
    if (job->ninput == 0 && job->tool->asks_input && stdin_is_null())
        return ws_fail(err, WS_EUSAGE, "no input: no file is named, and standard input is /dev/null");
    return WS_OK;
}

int ws_run_job(ws_job *job, ws_err *err) {
    ws_run run = {.job = job, .reader = job->tool->reader, .start_ns = ws_now_ns()};
    job->run = &run;
    ws_job_add_output(job, &(ws_output){.path = job->common.output});
    if (!job->stop) ws_backend_wake(job); /* else several threads of the process may be here */
    int rc = job->tool->open(job, err); /* beside the driver's start */
    ws_dev_awake();
    job->nworker = ws_job_threads(job);
    if (!rc) rc = check_stdin(job, err);
    if (!rc && run.reader->outputs) rc = run.reader->outputs(job, err);
    if (!rc) rc = ws_output_paths_check(job, err);
    if (!rc && job->tool->backends) rc = ws_backend_choose(job, err);
    if (!rc && job->backend) ws_backend_guess(job);
    if (!rc && job->backend) rc = ws_backend_begin(job, job->nworker, err);
    job->batch_given = job->common.batch != 0;
    if (!job->batch_given)
        job->common.batch =
            ws_job_batch(job, job->backend_ready || !job->cpu_backend ? job->backend : job->cpu_backend);
    if (job->common.dry_run && !job->batch_given) job->common.batch = ws_dry_run_batch(job, job->common.batch);
    job->batch_given |= job->common.dry_run;
    run.open_ns = ws_now_ns() - run.start_ns;
    if (!rc) rc = run_stream(&run, err);
    ws_backend_end(job);
    if (job->tool->close) job->tool->close(job);
    ws_buf_release(&job->own_files);
    return rc;
}
