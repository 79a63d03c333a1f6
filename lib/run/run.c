/* SPDX-License-Identifier: MIT
 * The main flow of a run: backend, outputs, input, end; and between these its chain, of the stages of its reader's
 * items (lib/run/items.c), those of the tool with clocks, and threads for the streams of a device. */
#include "lib/run/run.h"

#include "lib/base/cpu.h"
#include "lib/base/mem.h"
#include "lib/dev/device.h"
#include "lib/stream/ledger.h"
#include "lib/compress/source.h"
#include "lib/run/backend.h"
#include "lib/run/message.h"

#include <stdio.h>
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

/* ---- the chain ---- */

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
    if (run->reader->resize && !run->job->batch_fixed && run->opener_begun && ws_job_is_open(run->job))
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

static int serve_stages(ws_run *run, ws_chain_stage *stage, timed *own, ws_err *err) {
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

/* Runs the chain once over the input. */
static int run_once(ws_run *run, ws_err *err) {
    const ws_tool *tool = run->job->tool;
    ws_chain_stage *stage = NULL;
    timed *own = NULL;
    int rc = tool->chain ? tool->chain(run->job, &run->source, err) : WS_OK;
    const size_t n = run->source.nstage;
    if (!rc && run->reader->fill) rc = ws_items_open(run, err);
    if (!rc && !(stage = ws_calloc(n + WS_RING_STAGES, sizeof *stage, err))) rc = err->code;
    if (!rc && !(own = ws_calloc(n, sizeof *own, err))) rc = err->code;
    if (!rc && !run->stage && !(run->stage = ws_calloc(n, sizeof *run->stage, err))) rc = err->code;
    if (!rc) rc = serve_stages(run, stage, own, err);
    ws_free(stage);
    ws_free(own);
    return ws_items_close(run, rc, err);
}

/* Runs the chain over all input, as often as the tool wants to. */
static int run_chain(ws_run *run, ws_err *err) {
    ws_job *job = run->job;
    int more = 0, rc = run_once(run, err);
    while (!rc && job->tool->again && !run->sampled && !(rc = job->tool->again(job, &more, err)) && more) {
        run->reader->close(job);
        job->reader = NULL;
        rc = run->reader->open(job, err);
        if (!rc) rc = ws_backend_renew(job, err);
        if (!rc) rc = run_once(run, err);
    }
    return rc;
}

/* ---- input and outputs ---- */

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
    struct stat in;
    return fstat(STDIN_FILENO, &in) == 0 && ws_out_is_null_file(&in);
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

/* Sets the size of an item, unless --batch says it. That of a sample stays as it is chosen here, whatever opens later.
 */
static void choose_batch(ws_job *job) {
    ws_common *c = &job->common;
    job->batch_fixed = c->batch != 0 || c->dry_run;
    if (c->batch) return;
    c->batch = ws_job_batch(job, job->backend_ready || !job->cpu_backend ? job->backend : job->cpu_backend);
    if (c->dry_run) c->batch = ws_dry_run_batch(job, c->batch);
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
    if (!rc) choose_batch(job);
    run.open_ns = ws_now_ns() - run.start_ns;
    if (!rc) rc = run_stream(&run, err);
    ws_backend_end(job);
    if (job->tool->close) job->tool->close(job);
    ws_buf_release(&job->own_files);
    return rc;
}
