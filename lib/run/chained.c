/* SPDX-License-Identifier: MIT
 * A run whose tool is a chain of stages: its source and stages with clocks, and threads for the streams of a device. */
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
    if (!run->job->batch_given && run->opener_begun && ws_job_is_open(run->job))
        run->reader->resize(run->job, ws_job_batch(run->job, run->job->backend));
    const int rc = ws_dry_run_is_over(run) ? WS_EOF : run->source.read(run->source.own, err);
    ws_clock_stop(&run->read, t0);
    ws_report_progress(run, 0);
    return rc;
}

static ws_chain_wish wish(void *own) {
    const ws_chain_ops *o = &((ws_run *)own)->source;
    return o->wish(o->own);
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

int ws_run_chain(ws_run *run, ws_err *err) {
    ws_chain_stage *stage = NULL;
    timed *own = NULL;
    int rc = run->job->tool->chain(run->job, &run->source, err);
    ws_chain_ops ops = {.nstage = run->source.nstage, .own = run, .wish = wish, .read = read_source,
                        .ahead = ws_run_ahead, .hungry = hungry};
    if (!rc && !(stage = ws_calloc(ops.nstage, sizeof *stage, err))) rc = err->code;
    if (!rc && !(own = ws_calloc(ops.nstage, sizeof *own, err))) rc = err->code;
    if (!rc && !run->stage && !(run->stage = ws_calloc(ops.nstage, sizeof *run->stage, err))) rc = err->code;
    for (size_t i = 0; i < ops.nstage && !rc; i++) {
        own[i] = (timed){run, &run->source.stage[i], &run->stage[i]};
        stage[i] = (ws_chain_stage){&own[i], take, work, left, run->source.stage[i].name};
        name_clock(&run->stage[i], stage[i].name);
        run->nstage = i + 1;
    }
    ops.stage = stage;
    if (!rc) rc = ws_chain_create(&run->chain, &ops, err);
    if (!rc) rc = ws_run_device_threads(run, err);
    if (!rc) rc = ws_chain_run(run->chain, run->job->nworker, err);
    ws_auto_device_join(run); /* it uses the chain */
    ws_chain_destroy(run->chain);
    run->chain = NULL; /* a next round may fail before it has one */
    ws_free(stage);
    ws_free(own);
    return rc;
}
