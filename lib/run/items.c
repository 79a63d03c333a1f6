/* SPDX-License-Identifier: MIT
 * The items of a reader on their way: slots of a ring (lib/run/ring.h), which are read, worked on and written. */
#include "lib/base/mem.h"
#include "lib/run/run.h"

static int read_item(void *run_, void *slot, size_t *parts, ws_err *err) {
    ws_run *run = run_;
    return run->reader->fill(run->job, ((ws_slot *)slot)->item, parts, err);
}

static int work_item(void *run_, void *slot, size_t part, int thread, ws_err *err) {
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
static int format_item(void *run_, void *slot_, int rc, int thread, ws_err *err) {
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

static int write_item(void *run_, void *slot_, ws_err *err) {
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

static int make_slots(ws_run *run, ws_err *err) {
    int rc = WS_OK;
    run->nslot = ws_run_slots(run->job);
    run->slot = ws_calloc((size_t)run->nslot, sizeof *run->slot, err);
    run->slots = ws_calloc((size_t)run->nslot, sizeof *run->slots, err);
    if (!run->slot || !run->slots) return WS_ENOMEM;
    for (int i = 0; i < run->nslot && !rc; i++) {
        run->slots[i] = &run->slot[i];
        rc = run->reader->create(&run->slot[i].item, err);
    }
    return rc;
}

int ws_items_open(ws_run *run, ws_err *err) {
    static const ws_ring_ops ops = {read_item, work_item, format_item, write_item};
    const int rc = make_slots(run, err);
    return rc ? rc : ws_ring_create(&run->ring, &ops, run, run->slots, run->nslot, run->job->nworker, err);
}

int ws_items_close(ws_run *run, int rc, ws_err *err) {
    if (run->ring && ws_ring_failure(run->ring, err)) rc = err->code;
    ws_ring_destroy(run->ring);
    for (int i = 0; run->slot && i < run->nslot; i++) {
        if (run->slot[i].item) run->reader->destroy(run->slot[i].item);
        for (int k = 0; k < WS_OUTPUT_MAX; k++) ws_buf_release(&run->slot[i].out[k].text);
    }
    ws_free(run->slot);
    ws_free(run->slots);
    run->ring = NULL;
    run->slot = NULL;
    run->slots = NULL;
    return rc;
}
