/* SPDX-License-Identifier: MIT
 * The stages of the pipeline as lib/run/pipe.h calls them. */
#include "lib/run/run.h"

int ws_run_read(void *run_, void *slot, size_t *parts, ws_err *err) {
    ws_run *run = run_;
    const ws_moment t0 = ws_clock_start();
    if (run->reader->resize && !run->job->batch_given && run->opener_begun && ws_job_is_open(run->job))
        run->reader->resize(run->job, ws_job_batch(run->job, run->job->backend));
    int rc = ws_dry_run_is_over(run) ? WS_EOF : run->reader->fill(run->job, ((ws_slot *)slot)->item, parts, err);
    ws_clock_stop(&run->read, t0);
    return rc;
}

int ws_run_work(void *run_, void *slot, size_t part, int thread, ws_err *err) {
    ws_run *run = run_;
    const ws_moment t0 = ws_clock_start();
    void *item = ((ws_slot *)slot)->item;
    int rc = ws_job_go_on(run->job, err);
    if (!rc && run->reader->work) rc = run->reader->work(run->job, item, part, &run->worker[thread], err);
    ws_clock_stop(&run->work, t0);
    ws_auto_device_look(run);
    return rc;
}

/* An item is written even if its work fails: then with nothing in it, neither half a row nor what it held before. */
int ws_run_format(void *run_, void *slot_, int rc, int thread, ws_err *err) {
    ws_run *run = run_;
    ws_slot *slot = slot_;
    const ws_moment t0 = ws_clock_start();
    for (int k = 0; k < run->job->nout; k++) {
        slot->out[k].text.n = 0;
        slot->out[k].rows = 0;
    }
    ws_worker *worker = &run->worker[thread];
    if (!rc && run->reader->format) rc = run->reader->format(run->job, slot->item, worker, slot->out, err);
    ws_clock_stop(&run->work, t0);
    return rc;
}

int ws_run_head(ws_run *run, ws_err *err) {
    ws_job *job = run->job;
    if (run->heads_written) return WS_OK;
    run->heads_written = 1;
    int rc = job->tool->early && !job->common.dry_run ? job->tool->early(job, err) : WS_OK;
    return rc ? rc : ws_outputs_head(job, err);
}

int ws_job_head(ws_job *job, ws_err *err) { return ws_run_head(job->run, err); }

int ws_run_write(void *run_, void *slot_, ws_err *err) {
    ws_run *run = run_;
    ws_slot *slot = slot_;
    const ws_moment t0 = ws_clock_start();
    int rc = ws_run_head(run, err);
    if (!rc) rc = ws_outputs_write(run->job, slot->item, slot->out, err);
    ws_clock_stop(&run->write, t0);
    if (!rc) ws_report_progress(run, 0);
    return rc;
}

int ws_run_ahead(void *run_) {
    ws_run *run = run_;
    return run->reader->ahead ? run->reader->ahead(run->job) : 0;
}
