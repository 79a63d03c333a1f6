/* SPDX-License-Identifier: MIT
 * The chain of a run: the stages of its reader's items (lib/run/items.c), those of the tool with clocks, and threads
 * for the streams of a device. */
#include "lib/base/mem.h"
#include "lib/run/run.h"

#include <stdio.h>

/* A stage of the tool, the run that it is in, and its clock. */
typedef struct timed {
    ws_run *run;
    const ws_chain_stage *stage;
    ws_stage_clock *clock;
} timed;

static int take(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    const ws_chain_stage *s = ((timed *)own)->stage;
    return s->take(s->own, t, need, step);
}

static int left(void *own) {
    const ws_chain_stage *s = ((timed *)own)->stage;
    return s->left(s->own);
}

static int work(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    const timed *w = own;
    const ws_moment t0 = ws_clock_start();
    int rc = ws_job_go_on(w->run->job, err);
    if (!rc) rc = w->stage->work(w->stage->own, t, step, err);
    ws_clock_stop(&w->run->work, t0);
    ws_clock_stop(&w->clock->clock[t->kind], t0);
    ws_auto_device_look(w->run);
    return rc;
}

static int read_source(void *own, ws_err *err) {
    ws_run *run = own;
    const ws_moment t0 = ws_clock_start();
    if (run->reader->resize && !run->job->batch_given && run->opener_begun && ws_job_is_open(run->job))
        run->reader->resize(run->job, ws_job_batch(run->job, run->job->backend));
    const int rc = ws_dry_run_is_over(run) ? WS_EOF
                   : run->ring             ? ws_ring_read(run->ring, err)
                                           : run->source.read(run->source.own, err);
    ws_clock_stop(&run->read, t0);
    if (!run->ring) ws_report_progress(run, 0); /* else the thread that writes does it */
    return rc;
}

/* Returns how long the first thread works alone. An option of the tool itself gets its threads at once. Scripts give
 * the programs of HMMER --cpu for every call, and most of their calls end within milliseconds. */
static uint64_t alone(const ws_job *job) {
    enum { ALONE = 10 * 1000 * 1000 };
    const int asked = job->common.threads > 0 && !job->peer;
    return asked || ws_job_has_device(job) ? 0 : ALONE;
}

static ws_chain_wish wish(void *own) {
    const ws_run *run = own;
    const ws_chain_wish of_items = run->ring ? ws_ring_wish(run->ring) : WS_CHAIN_HURRY;
    const ws_chain_wish of_tool = run->source.wish ? run->source.wish(run->source.own) : WS_CHAIN_HURRY;
    return of_items < of_tool ? of_items : of_tool;
}

static int hungry(void *own) {
    const ws_chain_ops *o = &((ws_run *)own)->source;
    return o->hungry && o->hungry(o->own);
}

static void name_clock(ws_stage_clock *c, const char *stage) {
    snprintf(c->key[WS_CHAIN_CPU], sizeof c->key[0], "%s_seconds", stage);
    snprintf(c->what[WS_CHAIN_CPU], sizeof c->what[0], "processor seconds of stage %s", stage);
    snprintf(c->key[WS_CHAIN_DEVICE], sizeof c->key[0], "%s_device_seconds", stage);
    snprintf(c->what[WS_CHAIN_DEVICE], sizeof c->what[0], "seconds of its steps on a device, one upon another");
}

/* Sets the members of the tool's stages, behind those of its reader's items. */
static void set_stages(ws_run *run, ws_chain_stage *stage, timed *own) {
    if (run->ring) ws_ring_stages(run->ring, stage);
    if (run->ring) stage += WS_RING_STAGES;
    for (size_t i = 0; i < run->source.nstage; i++) {
        own[i] = (timed){run, &run->source.stage[i], &run->stage[i]};
        stage[i] = (ws_chain_stage){&own[i], take, work, left, run->source.stage[i].name};
        name_clock(&run->stage[i], stage[i].name);
    }
    run->nstage = run->source.nstage;
}

static int run_stages(ws_run *run, ws_chain_stage *stage, timed *own, ws_err *err) {
    const ws_chain_ops ops = {.stage = stage, .nstage = run->source.nstage + (run->ring ? WS_RING_STAGES : 0),
                              .own = run, .wish = wish, .read = read_source, .ahead = ws_run_ahead, .hungry = hungry,
                              .alone = alone(run->job)};
    set_stages(run, stage, own);
    int rc = ws_chain_create(&run->chain, &ops, err);
    if (!rc) rc = ws_run_device_threads(run, err);
    if (!rc) rc = ws_chain_run(run->chain, run->job->nworker, err);
    ws_auto_device_join(run); /* it uses the chain */
    ws_chain_destroy(run->chain);
    run->chain = NULL; /* a next round may fail before it has one */
    return rc;
}

int ws_run_chain(ws_run *run, ws_err *err) {
    const ws_tool *tool = run->job->tool;
    ws_chain_stage *stage = NULL;
    timed *own = NULL;
    int rc = tool->chain ? tool->chain(run->job, &run->source, err) : WS_OK;
    const size_t n = run->source.nstage;
    if (!rc && run->reader->fill) rc = ws_items_open(run, err);
    if (!rc && !(stage = ws_calloc(n + WS_RING_STAGES, sizeof *stage, err))) rc = err->code;
    if (!rc && !(own = ws_calloc(n, sizeof *own, err))) rc = err->code;
    if (!rc && !run->stage && !(run->stage = ws_calloc(n, sizeof *run->stage, err))) rc = err->code;
    if (!rc) rc = run_stages(run, stage, own, err);
    ws_free(stage);
    ws_free(own);
    return ws_items_close(run, rc, err);
}
