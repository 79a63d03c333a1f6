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

/* Measures a step that began so: by processor time, which other programs do not change; of a device by the clock. */
static void measure(ws_job *job, ws_chain_kind by, ws_step_kind kind, const ws_chain_step *step, ws_moment since) {
    const ws_moment now = ws_clock_start();
    const uint64_t ns = by == WS_CHAIN_CPU ? now.cpu - since.cpu : now.wall - since.wall;
    ws_speeds *s = &job->speeds;
    __atomic_add_fetch(&s->cells[by][kind], (uint64_t)step->cells, __ATOMIC_RELAXED);
    __atomic_add_fetch(&s->n[by][kind], step->n, __ATOMIC_RELAXED);
    __atomic_add_fetch(&s->ns[by][kind], ns, __ATOMIC_RELAXED);
    if (by == WS_CHAIN_DEVICE) __atomic_add_fetch(&s->calls, 1, __ATOMIC_RELEASE);
}

static int work(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    const timed *w = own;
    ws_job *job = w->run->job;
    /* a call that waits for its device to open says nothing of its speed */
    const int measured = step->cells > 0 && (t->kind == WS_CHAIN_CPU || job->backend->ready());
    const ws_chain_step did = *step; /* the stage may free what it is of */
    const ws_moment t0 = ws_clock_start();
    int rc = ws_job_go_on(job, err);
    if (!rc) rc = w->stage->work(w->stage->own, t, step, err);
    ws_clock_stop(&w->run->work, t0);
    ws_clock_stop(&w->clock->clock[t->kind], t0);
    if (measured && !rc) measure(job, t->kind, w->stage->kind, &did, t0);
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
    ws_auto_device_look(run);
    if (!run->ring) ws_report_progress(run, 0); /* else the thread that writes does it */
    return rc;
}

/* Returns how long the first thread works alone. An option of the tool itself gets its threads at once. Scripts give
 * the programs of HMMER --cpu for every call, and most of their calls end within milliseconds. */
static uint64_t alone(const ws_job *job) {
    const int asked = job->common.threads > 0 && !job->peer;
    return asked || ws_job_has_device(job) ? 0 : WS_POLICY_ALONE;
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

static void name_clock(ws_stage_clock *c, const ws_chain_stage *of) {
    static const char *const by[] = {"", "_device"}, *const on[] = {"", " on a device"};
    static const char *const key[] = {"seconds", "done", "cells", "first_speed", "last_speed"};
    static const char *const what[] = {NULL, "pairs, spans or slices of these", "cells of these",
                                       "cells a second that the run believed in at first, of one thread",
                                       "the same in the end"};
    c->kind = of->kind;
    for (int b = 0; b < WS_CHAIN_KINDS; b++)
        for (int k = 0; k < WS_STAGE_STATS; k++) {
            snprintf(c->key[b][k], sizeof c->key[b][k], "%s%s_%s", of->name, by[b], key[k]);
            snprintf(c->what[b][k], sizeof c->what[b][k], "%s%s", k ? what[k] : b ? "seconds of its steps, one upon "
                     "another," : "processor seconds of stage ", k || b ? on[b] : of->name);
        }
}

/* Sets the members of the tool's stages, behind those of its reader's items. */
static void set_stages(ws_run *run, ws_chain_stage *stage, timed *own) {
    if (run->ring) ws_ring_stages(run->ring, stage);
    if (run->ring) stage += WS_RING_STAGES;
    for (size_t i = 0; i < run->source.nstage; i++) {
        own[i] = (timed){run, &run->source.stage[i], &run->stage[i]};
        stage[i] = (ws_chain_stage){&own[i], take, work, left, run->source.stage[i].name,
                                     run->source.stage[i].kind};
        name_clock(&run->stage[i], &stage[i]);
    }
    run->nstage = run->source.nstage;
}

static int run_stages(ws_run *run, ws_chain_stage *stage, timed *own, ws_err *err) {
    const ws_chain_ops ops = {.stage = stage, .nstage = run->source.nstage + (run->ring ? WS_RING_STAGES : 0),
                              .own = run, .wish = wish, .read = read_source, .ahead = ws_run_ahead, .hungry = hungry,
                              .alone = alone(run->job)};
    set_stages(run, stage, own);
    run->worked_before = run->work.cpu;
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
