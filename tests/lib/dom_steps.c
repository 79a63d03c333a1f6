/* SPDX-License-Identifier: MIT
 * The choice between the CPU and a device for waiting targets of the domain stage (bin/domains/steps.h), and how many
 * targets a step has. A stand-in for a device counts those of a call and fails. They end with it, or the CPU does
 * them. */
#include "bin/domains/stage.h"
#include "kernels/dom/device.h"
#include "tests/lib/sample.h"
#include "tests/tap.h"

#include <string.h>

enum { L = 1000, M = 100, MODELS = 2, MOST_ITEMS = 1 << 17, FULL = 512, STEP = 8,
       CUT = 16 * STEP /* of a full model, for 16 threads */ }; /* 1e5 cells a target */
/* nodes: 2e6 and 13e6 cells a target, 39e6 and 41e6 a window */
enum { LONG = 2000, TOO_LONG = 13000, LONG_WINDOW = 39000, TOO_LONG_WINDOW = 41000 };

static size_t had;    /* targets of the last call */
static size_t parses; /* targets that the stand-in parses before it fails, at most */

int ws_dom_device_parse(ws_dom_load *load, size_t n, ws_err *err) {
    const ws_dom_options options = {.seed = 42};
    ws_cpu best;
    ws_dom_worker *w;
    had = n;
    ws_cpu_probe(&best);
    sample_must(ws_dom_worker_create(&w, ws_dom_backend_best(&best), &options, err), err);
    for (size_t i = 0; i < n && i < parses; i++) {
        sample_must(ws_dom_parse(load[i].t, w, &load[i].span.pair, 1, err), err);
        load[i].span.pair->x = NULL; /* a second parse of the pair would crash */
        load[i].done = 1;
    }
    ws_dom_worker_destroy(w);
    return ws_fail(err, WS_EDEV, "the stand-in fails");
}
int ws_dom_device_rescore(ws_dom_load *load, size_t n, ws_err *err) { return ws_dom_device_parse(load, n, err); }
int ws_dom_device_resolve(ws_dom_load *load, size_t n, const ws_dom_options *o, ws_err *err) {
    (void)o;
    return ws_dom_device_parse(load, n, err);
}
int ws_dom_device_forward(ws_dom_load *load, size_t n, float *nats, ws_err *err) {
    (void)nats;
    return ws_dom_device_parse(load, n, err);
}
int ws_dom_device_targets(ws_dom_load *load, size_t n, float *nats, ws_err *err) {
    return ws_dom_device_forward(load, n, nats, err);
}
void ws_dom_device_forget(void *model) { (void)model; }

static int start(const ws_devconf *conf, ws_err *err) {
    (void)conf, (void)err;
    return WS_OK;
}
static const ws_backend cpu = {.name = "cpu"}, device = {.name = "device", .start = start};

static ws_dom_item item[MOST_ITEMS];
static uint8_t x[L];
static ws_lenmodel lm;

static int done(void *own, ws_dom_item *first, ws_err *err) {
    (void)err;
    for (ws_dom_item *i = first; i; i = i->next) {
        ++*(int *)own;
        ws_dom_pair_release(&i->pair);
    }
    return WS_OK;
}

/* A stage with n targets, of all models in turn. */
typedef struct scene {
    ws_job job;
    ws_dom_steps *steps;
    ws_chain_stage stage[WS_DOM_STEPS];
    int done;
} scene;

/* Adds item i to a stage, a target of a model of so many nodes. */
static void add_one(scene *s, const ws_dom_tables *t, int i, int model, int nodes) {
    ws_err err = {0};
    item[i] = (ws_dom_item){.tables = t, .model = (uint32_t)model, .M = (uint32_t)nodes, .order = (uint64_t)i};
    ws_dom_pair_begin(&item[i].pair, x, &lm);
    sample_must(ws_dom_steps_add(s->steps, &item[i], &err), &err);
}

static void add(scene *s, const ws_dom_tables *t, int models, int n) {
    for (int i = 0; i < n; i++) add_one(s, t, i, i % models, M);
}

static void open_scene(scene *s, const ws_dom_tables *t, int both, int device_first, int threads, int models, int n) {
    ws_err err = {0};
    *s = (scene){.job = {.backend = &device, .cpu_backend = both ? &cpu : NULL, .backend_ready = 1}};
    s->job.common.backend = "device";
    s->job.speeds.calls = 1;
    for (int k = WS_STEP_PARSE; k <= WS_STEP_RESCORE; k++) { /* a stream as fast as 24 threads, of envelopes 53 */
        const double thread[] = {8e8, 4e8, 2.5e8}, stream[] = {24 * 8e8, 24 * 4e8, 8e9 / 0.6};
        s->job.speeds.guess[WS_CHAIN_CPU][k] = thread[k - WS_STEP_PARSE];
        s->job.speeds.guess[WS_CHAIN_DEVICE][k] = stream[k - WS_STEP_PARSE];
    }
    ws_cpu_probe(&s->job.machine.cpu);
    const ws_dom_steps_conf conf = {.backend = ws_dom_backend_best(&s->job.machine.cpu), .options = {.seed = 42},
                                    .models = MODELS, .threads = threads, .job = &s->job, .own = &s->done,
                                    .device_first = device_first, .done = done};
    sample_must(ws_dom_steps_create(&s->steps, &conf, &err), &err);
    ws_dom_steps_stages(s->steps, s->stage);
    add(s, t, models, n);
}

/* Returns how many targets a thread gets that wants a step: 0 for none. Where targets stand for other spans, the CPU
 * parses them all the same. */
static size_t take(scene *s, ws_chain_kind kind, ws_chain_need need) {
    const ws_chain_thread t = {kind, 0};
    ws_dom_stage *st = &s->steps->stage[0];
    const ws_dom_kind as = st->kind;
    const int before = s->done;
    ws_chain_step step;
    ws_err err = {0};
    had = 0;
    if (!s->stage[0].take(st, &t, need, &step)) return 0;
    st->kind = WS_DOM_PARSE;
    const int rc = s->stage[0].work(st, &t, &step, &err);
    st->kind = as;
    if (kind == WS_CHAIN_CPU) sample_must(rc, &err);
    return kind == WS_CHAIN_CPU ? (size_t)(s->done - before) : had;
}

/* Targets become steps again once the CPU has done the steps that there were. */
static void test_again(tap *out, const ws_dom_tables *t) {
    scene s;
    size_t n = 0, again = 0;
    open_scene(&s, t, 0, 0, 16, 1, FULL);
    for (size_t k; (k = take(&s, WS_CHAIN_CPU, WS_CHAIN_FULL)) > 0;) n += k;
    add(&s, t, 1, FULL);
    for (size_t k; (k = take(&s, WS_CHAIN_CPU, WS_CHAIN_FULL)) > 0;) again += k;
    tap_ok(out, n == CUT && again == CUT, "a step for each thread of a full model, and again of others");
    ws_dom_steps_destroy(s.steps);
}

/* Does all steps that threads of the CPU get from a stage. */
static void drain(ws_chain_stage *stage) {
    const ws_chain_thread t = {WS_CHAIN_CPU, 0};
    ws_chain_step step;
    ws_err err = {0};
    while (stage->take(stage->own, &t, WS_CHAIN_ANY, &step))
        sample_must(stage->work(stage->own, &t, &step, &err), &err);
}

/* A device fails after none or 500 of its targets. A search that asked for no device goes on: the CPU does the other
 * targets, and no target twice. A search that asked for one ends with an error. */
static void test_fails(tap *out, const ws_dom_tables *t) {
    enum { N = 3000 };
    const ws_chain_thread device_thread = {WS_CHAIN_DEVICE, 0};
    for (int asked = 0; asked < 2; asked++)
        for (size_t some = 0; some <= 500; some += 500) {
            scene s;
            ws_chain_step step;
            ws_err err = {0};
            open_scene(&s, t, 1, 1, 4, 1, N);
            s.job.common.backend = asked ? "cuda+cpu" : NULL;
            s.job.common.quiet = 1;
            parses = some;
            const int takes = s.stage[0].take(s.stage[0].own, &device_thread, WS_CHAIN_ANY, &step);
            const int rc = takes ? s.stage[0].work(s.stage[0].own, &device_thread, &step, &err) : WS_OK;
            const size_t left = s.steps->stage[0].left;
            parses = 0;
            if (!asked) {
                drain(&s.stage[WS_DOM_KINDS]);
                drain(&s.stage[0]);
                tap_ok(out, takes && !rc && left == N && s.done == N && s.steps->stage[0].left == 0,
                       "a device has done %zu targets of %zu and fails: the CPU does the others", some, had);
            } else {
                tap_ok(out, takes && rc == WS_EDEV, "a device that was asked for does %zu and fails: an error", some);
                for (int i = 0; i < N; i++) ws_dom_pair_release(&item[i].pair);
            }
            ws_dom_steps_destroy(s.steps);
        }
}

/* A device takes some thousands of ensembles although filters have full pools: here targets stand for them. */
static void test_ensembles(tap *out, const ws_dom_tables *t) {
    size_t got[2];
    for (int k = 0; k < 2; k++) {
        scene s;
        open_scene(&s, t, 0, 0, 16, 1, (k ? 4096 : 4095) + CUT);
        s.steps->stage[0].kind = WS_DOM_RESOLVE;
        got[k] = take(&s, WS_CHAIN_DEVICE, WS_CHAIN_FULL);
        ws_dom_steps_destroy(s.steps);
    }
    if (!tap_ok(out, got[0] == 0 && got[1] == 4096, "a device takes 4,096 ensembles at any time"))
        tap_note("%zu %zu", got[0], got[1]);
}

/* Where devices come first, envelopes are theirs, unless these are few or more than they do in a second: here targets
 * stand for them. */
static void test_envelopes(tap *out, const ws_dom_tables *t) {
    static const struct {
        int n, need, want;
    } c[] = {{199, WS_CHAIN_ANY, 1}, {200, WS_CHAIN_ANY, 0}, {79999, WS_CHAIN_SPARE, 0}, {80000, WS_CHAIN_SPARE, 1}};
    int bad = 0;
    for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
        scene s;
        open_scene(&s, t, 1, 1, 16, 1, c[k].n);
        s.steps->stage[0].kind = WS_DOM_RESCORE;
        bad += (take(&s, WS_CHAIN_CPU, (ws_chain_need)c[k].need) > 0) != c[k].want;
        if (k == 1) bad += take(&s, WS_CHAIN_DEVICE, WS_CHAIN_ANY) != (size_t)c[k].n;
        ws_dom_steps_destroy(s.steps);
    }
    tap_ok(out, bad == 0, "device first: envelopes are a device's, all of them at the end, but few and far too many");
}

/* Envelopes of proteins are a device's while the filters have work for it, a thousand million cells a call, unless the
 * CPU would wait or there are far too many. At the end both have their share. Here targets stand for them. */
static void test_kept(tap *out, const ws_dom_tables *t) {
    static const struct {
        int n, kind, need;
        size_t want;
    } c[] = {{9999, WS_CHAIN_DEVICE, WS_CHAIN_FULL, 0},      {10001, WS_CHAIN_DEVICE, WS_CHAIN_FULL, 10001},
             {10001, WS_CHAIN_DEVICE, WS_CHAIN_EARLY, 10001}, {2001, WS_CHAIN_DEVICE, WS_CHAIN_SOME, 2001},
             {1999, WS_CHAIN_DEVICE, WS_CHAIN_SOME, 0},      {10001, WS_CHAIN_DEVICE, WS_CHAIN_ANY, 7694},
             {79999, WS_CHAIN_CPU, WS_CHAIN_SOME, 0},        {80001, WS_CHAIN_CPU, WS_CHAIN_SOME, STEP},
             {10001, WS_CHAIN_CPU, WS_CHAIN_SPARE, STEP},    {10001, WS_CHAIN_CPU, WS_CHAIN_ANY, STEP}};
    int bad = 0;
    for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
        scene s;
        open_scene(&s, t, 0, 0, 16, 1, 0);
        s.steps->stage[0].kind = WS_DOM_RESCORE;
        add(&s, t, 1, c[k].n);
        const size_t n = take(&s, (ws_chain_kind)c[k].kind, (ws_chain_need)c[k].need);
        if (n != c[k].want) tap_note("case %zu: %zu for %zu", k, n, c[k].want);
        bad += n != c[k].want;
        ws_dom_steps_destroy(s.steps);
    }
    scene far; /* 1.1e10 cells of long ones, which the CPU may take too */
    open_scene(&far, t, 0, 0, 16, 1, 0);
    far.steps->stage[0].kind = WS_DOM_RESCORE;
    for (int i = 0; i < 1100; i++) add_one(&far, t, i, 0, 10000);
    bad += take(&far, WS_CHAIN_DEVICE, WS_CHAIN_FULL) != 200;
    ws_dom_steps_destroy(far.steps);
    tap_ok(out, bad == 0, "beside filters envelopes are a device's, at the end both have their share");
}

/* Few are those that 16 threads end in 0.2 s. Envelopes that are kept for a device do not count. */
static void test_few(tap *out, const ws_dom_tables *t) {
    static const struct {
        ws_dom_kind kind;
        int n, want;
    } c[] = {{WS_DOM_PARSE, 25599 + CUT, 1},   {WS_DOM_PARSE, 25600 + CUT, 0}, {WS_DOM_RESOLVE, 12799 + CUT, 1},
             {WS_DOM_RESOLVE, 12800 + CUT, 0}, {WS_DOM_RESCORE, 79999 + CUT, 1}, {WS_DOM_RESCORE, 80000 + CUT, 0}};
    int bad = 0;
    for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
        scene s;
        open_scene(&s, t, 0, 0, 16, 1, 0);
        s.steps->stage[0].kind = c[k].kind;
        add(&s, t, 1, c[k].n);
        if (ws_dom_steps_are_few(s.steps) != c[k].want) tap_note("%d spans of kind %d", c[k].n, (int)c[k].kind);
        bad += ws_dom_steps_are_few(s.steps) != c[k].want;
        ws_dom_steps_destroy(s.steps);
    }
    tap_ok(out, bad == 0, "what 16 threads end in 0.2 s is few, and what is kept for a device");
}

/* Long targets are a device's, and too long ones the CPU's. Where devices come first they are windows, and longer. */
static void test_long(tap *out, const ws_dom_tables *t) {
    static const struct {
        int nodes;
        size_t want;
    } c[] = {{LONG, 9}, {TOO_LONG, 0}, {LONG_WINDOW, 6 /* a device's share of nine */}, {TOO_LONG_WINDOW, 0}};
    int bad = 0;
    for (int k = 0; k < 4; k++) {
        scene s;
        open_scene(&s, t, 0, k / 2, 16, 1, 0);
        for (int i = 0; i < 9; i++) add_one(&s, t, i, 0, c[k].nodes);
        const size_t got = take(&s, WS_CHAIN_DEVICE, WS_CHAIN_ANY);
        if (got != c[k].want) tap_note("%d nodes: %zu", c[k].nodes, got);
        bad += got != c[k].want;
        ws_dom_steps_destroy(s.steps);
    }
    tap_ok(out, bad == 0, "long targets and windows are a device's, too long ones the CPU's");
}

/* At the end the longest model comes first, else the one whose targets came first. */
static void test_longest(tap *out, const ws_dom_tables *t) {
    const ws_chain_thread cpu_thread = {WS_CHAIN_CPU, 0};
    uint64_t order[2];
    for (int k = 0; k < 2; k++) {
        scene s;
        ws_chain_step step = {0};
        open_scene(&s, t, 0, 0, 1, MODELS, 0);
        for (int i = 0; i < 300; i++) add_one(&s, t, i, i % 2, M + i % 2);
        s.stage[0].take(s.stage[0].own, &cpu_thread, k ? WS_CHAIN_ANY : WS_CHAIN_SOME, &step);
        order[k] = step.order;
        ws_err err = {0};
        sample_must(s.stage[0].work(s.stage[0].own, &cpu_thread, &step, &err), &err);
        ws_dom_steps_destroy(s.steps);
    }
    tap_ok(out, order[0] % 2 == 0 && order[1] % 2 == 1, "the longest model comes first at the end, else the first");
}

/* Input waits where there is far more work for the domain stage than it has threads. */
static void test_many(tap *out, const ws_dom_tables *t) {
    scene s;
    open_scene(&s, t, 0, 1, 16, MODELS, MOST_ITEMS - 1);
    const int before = ws_dom_steps_are_many(s.steps);
    add(&s, t, 1, 1);
    tap_ok(out, !before && ws_dom_steps_are_many(s.steps), "%d targets are many", MOST_ITEMS);
    ws_dom_steps_destroy(s.steps);
    int many[2];
    open_scene(&s, t, 0, 1, 16, 1, 0);
    for (int i = 0; i < 20000; i++) {
        add_one(&s, t, i, 0, LONG);
        if (i >= 19998) many[i - 19998] = ws_dom_steps_are_many(s.steps);
    }
    tap_ok(out, !many[0] && many[1], "20,000 long targets are many");
    ws_dom_steps_destroy(s.steps);
}

int main(void) {
    enum { C = WS_CHAIN_CPU, D = WS_CHAIN_DEVICE };
    static const struct {
        const char *what;
        int both, device_first, threads, models, n, kind, need;
        size_t want;
    } c[] = {
        {"few targets are for a device that has its own backend", 0, 0, 1, 1, 150, D, WS_CHAIN_ANY, 150},
        {"and not for the CPU", 0, 0, 1, 1, 100, C, WS_CHAIN_ANY, 0},
        {"but before a thread would wait", 0, 0, 1, 1, 150, C, WS_CHAIN_SPARE, STEP},
        {"few are for the CPU where both have a backend", 1, 0, 1, 1, 150, C, WS_CHAIN_ANY, STEP},
        {"and not for a device", 1, 0, 1, 1, 150, D, WS_CHAIN_ANY, 0},
        {"more are for the CPU", 0, 0, 1, 1, 300, C, WS_CHAIN_ANY, STEP},
        {"since it ends sooner than a device", 0, 0, 1, 1, 300, D, WS_CHAIN_ANY, 0},
        {"many are no step of a device while filters have full pools", 0, 0, 16, 1, 20000, D, WS_CHAIN_FULL, 0},
        {"nor while they have what is enough for a call", 0, 0, 16, 1, 20000, D, WS_CHAIN_EARLY, 0},
        {"else it takes its share of what is no step", 0, 0, 16, 1, 10000 + CUT, D, WS_CHAIN_SOME, 6000},
        {"also at the end", 1, 0, 16, 1, 10000 + CUT, D, WS_CHAIN_ANY, 6000},
        {"for half of the threads it is more", 0, 0, 8, 1, 10000 + CUT / 2, D, WS_CHAIN_ANY, 7500},
        {"but not where threads end sooner", 0, 0, 16, 1, 2540 + CUT, D, WS_CHAIN_ANY, 0},
        {"and that is soon", 0, 0, 16, 1, 2580 + CUT, D, WS_CHAIN_ANY, 2000},
        {"a model has enough for full registers", 0, 0, 16, 1, FULL, C, WS_CHAIN_FULL, STEP},
        {"or has not", 0, 0, 16, 2, FULL, C, WS_CHAIN_FULL, 0},
        {"device first: the CPU leaves them", 0, 1, 16, 1, FULL, C, WS_CHAIN_FULL, 0},
        {"device first: unless it would wait", 0, 1, 16, 1, FULL, C, WS_CHAIN_SPARE, STEP},
        {"device first: many are a step", 0, 1, 16, 1, 10001, D, WS_CHAIN_FULL, 10001},
        {"device first: few are not", 0, 1, 16, 1, 9000, D, WS_CHAIN_FULL, 0},
        {"device first: but at the end", 0, 1, 16, 1, 90, D, WS_CHAIN_ANY, 90},
        {"device first: where both have their share", 0, 1, 16, 1, 10000, D, WS_CHAIN_ANY, 6000},
        {"device first: also the CPU", 0, 1, 16, 1, 300, C, WS_CHAIN_ANY, STEP},
    };
    sample r = {7};
    ws_hmm h;
    ws_profile p;
    ws_dom_tables *t;
    ws_err err = {0};
    tap out = {0};
    sample_model(&h, &r, M, 0);
    sample_must(ws_profile_create(&p, &h, &err), &err);
    sample_must(ws_dom_tables_create(&t, &p, -5, 0.7f, &err), &err);
    memset(x, h.abc->code_of['W'], L); /* no domain, so that a target is done with its first step */
    ws_lenmodel_set(&lm, L);
    for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
        scene s;
        open_scene(&s, t, c[k].both, c[k].device_first, c[k].threads, c[k].models, c[k].n);
        const size_t got = take(&s, (ws_chain_kind)c[k].kind, (ws_chain_need)c[k].need);
        if (!tap_ok(&out, got == c[k].want, "%d: %s", c[k].n, c[k].what)) tap_note("%zu for %zu", got, c[k].want);
        ws_dom_steps_destroy(s.steps);
    }
    test_again(&out, t);
    test_fails(&out, t);
    test_ensembles(&out, t);
    test_envelopes(&out, t);
    test_kept(&out, t);
    test_few(&out, t);
    test_long(&out, t);
    test_longest(&out, t);
    test_many(&out, t);
    ws_dom_tables_destroy(t);
    ws_profile_destroy(&p);
    sample_model_release(&h);
    return tap_end(&out);
}
