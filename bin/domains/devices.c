/* SPDX-License-Identifier: MIT
 * The stages as a chain sees them, their steps on a device, what it leaves to the CPU, and what follows from its
 * results: see bin/domains/steps.h. Steps of the CPU are those of bin/domains/steps.c. */
#include "bin/domains/stage.h"

#include "kernels/dom/device.h"
#include "lib/base/mem.h"
#include "lib/dev/device.h"

/* Ends a list after its first `most` spans, or where another model follows if one_model. Returns what follows. */
static ws_dom_waiting *cut(ws_dom_waiting *last, int most, int one_model) {
    const uint32_t model = last->item->model;
    for (int n = 1; n < most && last->next && (!one_model || last->next->item->model == model); n++) last = last->next;
    ws_dom_waiting *next = last->next;
    last->next = NULL;
    return next;
}

/* Leaves spans to the threads of the CPU: what follows from them if they are `done`, else all of them, of which a
 * device may have sampled regions. To these threads such steps come before all others: they may last long, and bring
 * the next spans, of which a device should have many at once. */
static void leave_to_cpu(ws_dom_stage *st, ws_dom_waiting *first, int done) {
    ws_dom_ends *e = &st->of->ends;
    ws_dom_waiting *steps = NULL, **end = &steps;
    for (ws_dom_waiting *p = first, *next; p; p = next) {
        next = cut(p, done ? WS_PLAN_SPANS_DONE : WS_PLAN_SPANS_OF_STEP, !done);
        p->stage = st;
        p->done = done;
        *end = p;
        end = &p->step;
    }
    if (!steps) return;
    *end = NULL;
    pthread_mutex_lock(&e->lock); /* threads of the CPU wait for it beneath the chain's lock */
    *e->end = steps;
    e->end = end;
    pthread_mutex_unlock(&e->lock);
}

/* Parts the linked spans by `done`. */
static void part(ws_dom_waiting *first, const uint8_t *done, ws_dom_waiting *of[2]) {
    ws_dom_waiting **end[2] = {&of[0], &of[1]};
    for (ws_dom_waiting *p = first; p; p = p->next) {
        const int yes = *done++;
        *end[yes] = p;
        end[yes] = &p->next;
    }
    *end[0] = *end[1] = NULL;
}

/* Leaves spans that are too long for a device to the CPU. Returns the others, and their number in *n. */
static ws_dom_waiting *leave_long(ws_dom_stage *st, ws_dom_waiting *first, size_t *n) {
    const double most = ws_plan_span_longest(st->of->conf.device_first);
    ws_dom_waiting *of[2], **end[2] = {&of[0], &of[1]};
    *n = 0;
    for (ws_dom_waiting *p = first; p; p = p->next) {
        const int is_short = p->cells <= most;
        *n += (size_t)is_short;
        *end[is_short] = p;
        end[is_short] = &p->next;
    }
    *end[0] = *end[1] = NULL;
    leave_to_cpu(st, of[0], 0);
    return of[1];
}

/* Does a step for the n spans of a list. After a failure those that have no `done` are untouched. */
static int load_device(const ws_dom_stage *st, const ws_dom_waiting *first, size_t n, uint8_t *done, ws_err *err) {
    ws_dom_load *load = ws_calloc(n, sizeof *load, err);
    if (!load) return err->code;
    n = 0;
    for (const ws_dom_waiting *p = first; p; p = p->next)
        load[n++] = (ws_dom_load){.t = p->item->tables, .span = p->of};
    const int rc = st->kind == WS_DOM_PARSE     ? ws_dom_device_parse(load, n, err)
                   : st->kind == WS_DOM_RESOLVE ? ws_dom_device_resolve(load, n, &st->of->conf.options, err)
                                                : ws_dom_device_rescore(load, n, err);
    /* threads of the CPU cluster what the traces of a region found */
    for (size_t i = 0; i < n; i++) done[i] = load[i].done && st->kind != WS_DOM_RESOLVE;
    ws_free(load);
    return rc;
}

/* The same for envelopes of windows. */
static int load_windows(const ws_dom_stage *st, const ws_dom_waiting *first, size_t n, uint8_t *done, ws_err *err) {
    const ws_dom_steps_conf *c = &st->of->conf;
    ws_dom_window_load *load = ws_calloc(n, sizeof *load, err);
    ws_dom_window_envelope *e = load ? ws_calloc(n, sizeof *e, err) : NULL;
    int rc = e ? WS_OK : err->code;
    n = 0;
    for (const ws_dom_waiting *p = first; p && !rc; p = p->next) {
        e[n] = ws_dom_waiting_window(p);
        load[n] = (ws_dom_window_load){.m = p->item->window, .e = &e[n]};
        n++;
    }
    if (!rc) rc = ws_dom_window_rescore_on_device(load, n, c->options.nonull2, c->threads, err);
    n = 0;
    for (const ws_dom_waiting *p = first; p && e; p = p->next) {
        done[n] = load[n].done != 0;
        if (done[n]) ws_dom_waiting_take_window(p, &e[n]);
        n++;
    }
    ws_free(e);
    ws_free(load);
    return rc;
}

/* Does a step of a device. The spans that the device leaves become steps of the CPU. */
static int run_on_device(ws_dom_stage *st, ws_dom_waiting *list, ws_err *err) {
    ws_dom_steps *s = st->of;
    ws_dom_waiting *of[2];
    size_t n;
    ws_dom_waiting *first = leave_long(st, list, &n);
    uint8_t *done = ws_calloc(n, 1, err);
    int rc = done ? WS_OK : err->code;
    if (!rc && first)
        rc = st->kind == WS_DOM_RESCORE && first->item->window ? load_windows(st, first, n, done, err)
                                                               : load_device(st, first, n, done, err);
    __atomic_sub_fetch(&s->calls, 1, __ATOMIC_RELAXED);
    if (rc && done && ws_job_fall_back_to_cpu(s->conf.job, s->conf.job->backend, rc, err)) rc = WS_OK;
    if (!rc) part(first, done, of);
    ws_free(done);
    if (rc) return ws_dom_stage_end_spans(st, first, rc, err);
    leave_to_cpu(st, of[0], 0);
    if (ws_plan_spans_stream_ends(s->conf.threads, ws_dev_streams()))
        return ws_dom_stage_end_spans(st, of[1], WS_OK, err);
    leave_to_cpu(st, of[1], 1);
    return WS_OK;
}

/* ---- the stage of ends ---- */

static int take_end(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    ws_dom_ends *e = own;
    (void)need;
    if (t->kind != WS_CHAIN_CPU) return 0;
    pthread_mutex_lock(&e->lock);
    ws_dom_waiting *p = e->first;
    if (p) {
        e->first = p->step;
        if (!p->step) e->end = &e->first;
        *step = (ws_chain_step){.pool = p, .order = p->item->order};
    }
    pthread_mutex_unlock(&e->lock);
    return p != NULL;
}

static int work_end(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    ws_dom_waiting *first = step->pool;
    (void)own, (void)t;
    return first->done ? ws_dom_stage_end_spans(first->stage, first, WS_OK, err)
                       : ws_dom_stage_run_on_cpu(first->stage, first, err);
}

/* The spans are left in the stages that they are of. */
static int left_end(void *own) {
    (void)own;
    return 0;
}

/* ---- the stages of spans ---- */

static int take(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    ws_dom_stage *st = own;
    pthread_mutex_lock(&st->lock);
    const int taken = t->kind == WS_CHAIN_CPU ? ws_dom_stage_take_for_cpu(st, need, step)
                                              : ws_dom_stage_take_for_device(st, need, step);
    pthread_mutex_unlock(&st->lock);
    return taken;
}

static int left(void *own) {
    ws_dom_stage *st = own;
    pthread_mutex_lock(&st->lock);
    const int some = st->left > 0;
    pthread_mutex_unlock(&st->lock);
    return some;
}

static int work(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    ws_dom_stage *st = own;
    ws_dom_waiting *first = step->pool;
    if (t->kind == WS_CHAIN_DEVICE) return run_on_device(st, first, err);
    return ws_dom_stage_run_on_cpu(st, first, err);
}

/* ---- all ---- */

void ws_dom_steps_stages(ws_dom_steps *s, ws_chain_stage to[WS_DOM_STEPS]) {
    static const char *const name[] = {"parse", "ensemble", "envelope"};
    for (int k = 0; k < WS_DOM_KINDS; k++)
        to[k] = (ws_chain_stage){&s->stage[k], take, work, left, name[k], (ws_step_kind)(WS_STEP_PARSE + k)};
    to[WS_DOM_KINDS] = (ws_chain_stage){&s->ends, take_end, work_end, left_end, "end", WS_STEP_NONE};
}
