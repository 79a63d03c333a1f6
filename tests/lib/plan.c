/* SPDX-License-Identifier: MIT
 * The policy of a chain (bin/stages/plan.h), a table for each decision: nothing waits, one is left, a device opens
 * late, is lost, or is 100 times slower than the plan believed. */
#include "bin/stages/plan.h"
#include "tests/tap.h"

#include <math.h>

enum { CPU = WS_CHAIN_CPU, DEVICE = WS_CHAIN_DEVICE };
enum { FULL = WS_CHAIN_FULL, EARLY = WS_CHAIN_EARLY, SOME = WS_CHAIN_SOME, ANY = WS_CHAIN_ANY, SPARE = WS_CHAIN_SPARE };
enum { MSV = WS_PLAN_MSV, VIT = WS_PLAN_VIT, FWD = WS_PLAN_FWD, NO_FILTER = WS_PLAN_NO_FILTER };

/* Speeds of msv, vit, fwd, parse, ensemble, envelope: of a thread with AVX-512, of a stream of four of an H100. */
#define THREAD {0, 6.4e10, 6.1e9, 1.6e9, 8e8, 4e8, 2.5e8}
#define STREAM {0, 5.75e12, 4.75e11, 2.5e11, 6.25e9, 1e10, 3.25e9}
#define SLOW {0, 5.75e10, 4.75e9, 2.5e9, 6.25e7, 1e8, 3.25e7}

/* 16 threads: alone, before or after a device; a device alone; a device beside which the CPU scores; one that opens, or
 * that has not ended a call; one that is 100 times slower than believed. */
static const ws_plan_machine alone = {.threads = 16, .cpu = 1, .thread = THREAD},
                             cuda = {16, 1, 4, 0, 0, THREAD, STREAM}, both = {16, 1, 4, 1, 0, THREAD, STREAM},
                             opening = {.threads = 16, .cpu = 1, .opening = 1, .thread = THREAD},
                             late = {16, 1, 4, 1, 0, THREAD, {0}}, slow = {16, 1, 4, 1, 0, THREAD, SLOW};

/* ---- filters ---- */

static void test_takers(tap *t) {
    static const struct {
        const char *what;
        const ws_plan_machine *m;
        int filter, kind, need, yes;
    } c[] = {
        {"the CPU has all pairs before a device is open, and after it is lost", &alone, MSV, CPU, FULL, 1},
        {"a stream whose device is lost has none", &alone, MSV, DEVICE, FULL, 0},
        {"a device has full pools", &both, MSV, DEVICE, FULL, 1},
        {"the CPU leaves them to it", &both, VIT, CPU, FULL, 0},
        {"also at the end", &both, VIT, CPU, ANY, 0},
        {"also before it would wait, if its help is a sixteenth of that or less", &both, FWD, CPU, SPARE, 0},
        {"of a device that is slower than all threads it has its own", &slow, FWD, CPU, FULL, 1},
        {"and helps before it would wait", &slow, VIT, CPU, SPARE, 1},
        {"unless the device was asked for alone", &cuda, FWD, CPU, SPARE, 0},
        {"while a device opens the CPU has all", &opening, VIT, CPU, FULL, 1},
        {"and before its first call has ended both", &late, MSV, CPU, FULL, 1},
        {"a stream waits for it then", &late, MSV, DEVICE, FULL, 1},
        {"without filters pairs are the CPU's", &cuda, NO_FILTER, CPU, FULL, 1},
        {"and not a device's", &cuda, NO_FILTER, DEVICE, ANY, 0},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        tap_ok(t, ws_plan_filter_is_for(c[i].m, c[i].filter, (ws_chain_kind)c[i].kind, (ws_chain_need)c[i].need) ==
                      c[i].yes, "pairs: %s", c[i].what);
}

static void test_fullness(tap *t) {
    enum { P = 128 << 10 };
    static const struct {
        const char *what;
        const ws_plan_machine *m;
        ws_plan_pool p;
        double full;
    } c[] = {
        {"empty", &alone, {.filter = VIT}, 0},
        {"bytes alone are nothing", &alone, {.filter = VIT, .bytes = 1e9}, 0},
        {"one pair", &alone, {.filter = VIT, .pairs = 1, .cells = 1e5}, 1e5 / 4e9},
        {"131,072 pairs", &alone, {.filter = VIT, .pairs = P}, 1},
        {"four times as many for a device", &both, {.filter = VIT, .pairs = P}, 0.25},
        {"whose Forward has few", &both, {.filter = FWD, .pairs = P}, 8},
        {"without one it has as many", &alone, {.filter = FWD, .pairs = P}, 1},
        {"4e9 cells", &alone, {.filter = VIT, .pairs = 9, .cells = 4e9}, 1},
        {"200 times as many for a device", &both, {.filter = VIT, .pairs = 9, .cells = 4e9}, 0.005},
        {"64 MiB", &both, {.filter = VIT, .pairs = 9, .bytes = 64 << 20}, 1},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        const double full = ws_plan_pool_fullness(c[i].m, &c[i].p, ws_plan_pool_bytes(0));
        tap_ok(t, full == c[i].full || (full > 0.999 * c[i].full && full < 1.001 * c[i].full), "a pool: %s: %g",
               c[i].what, full);
    }
    tap_ok(t, ws_plan_pool_bytes(0) == 64 << 20 && ws_plan_pool_bytes(1) == 1 << 20 &&
              ws_plan_pool_bytes(UINT64_C(1) << 30) == 4 << 20 && ws_plan_pool_bytes(UINT64_C(1) << 40) == 64 << 20,
           "bytes of a pool: a 256th of --mem, from 1 to 64 MiB");
}

static void test_closing(tap *t) {
    static const struct {
        const char *what;
        const ws_plan_machine *m;
        int filter;
        size_t pairs;
        int calls, kind, need, yes;
    } c[] = {
        {"an empty one stays", &alone, VIT, 0, 0, CPU, ANY, 0},
        {"one pair is enough at the end", &alone, VIT, 1, 0, CPU, ANY, 1},
        {"and not before", &alone, VIT, 1, 0, CPU, SOME, 0},
        {"a quarter is enough", &alone, VIT, 32 << 10, 0, CPU, SOME, 1},
        {"less is not", &alone, VIT, (32 << 10) - 100, 0, CPU, SOME, 0},
        {"a device wants more", &both, VIT, (24 << 10) - 1, 8, DEVICE, EARLY, 0},
        {"so many", &both, VIT, 24 << 10, 8, DEVICE, EARLY, 1},
        {"of its first calls an eighth", &both, VIT, 3 << 10, 7, DEVICE, EARLY, 1},
        {"and not less", &both, VIT, (3 << 10) - 1, 7, DEVICE, EARLY, 0},
        {"of Forward fewer", &both, FWD, 2 << 10, 8, DEVICE, EARLY, 1},
        {"at the end any", &cuda, FWD, 1, 8, DEVICE, ANY, 1},
        {"not for a stream that has lost its device", &alone, FWD, 1 << 20, 8, DEVICE, ANY, 0},
        {"of a slow device, for the CPU at the end of what it has", &slow, FWD, 2 << 10, 8, CPU, SPARE, 1},
        {"of a fast one it is not", &both, FWD, 2 << 10, 8, CPU, SPARE, 0},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        const ws_plan_pool p = {.filter = c[i].filter, .pairs = c[i].pairs, .cells = 1e5 * (double)c[i].pairs};
        const double full = (double)c[i].pairs / (128 << 10);
        tap_ok(t, ws_plan_pool_closes(c[i].m, &p, full, c[i].calls, (ws_chain_kind)c[i].kind,
                                      (ws_chain_need)c[i].need) == c[i].yes, "an open pool: %s", c[i].what);
    }
    tap_ok(t, ws_plan_device_calibrates(&both) && ws_plan_device_calibrates(&cuda) &&
              !ws_plan_device_calibrates(&slow) && !ws_plan_device_calibrates(&alone),
           "a device calibrates all models if it is faster than all threads");
    tap_ok(t, ws_plan_pool_spreads(&both, MSV, 24 << 10) && !ws_plan_pool_spreads(&both, MSV, 24e3) &&
              !ws_plan_pool_spreads(&both, VIT, 1e6) && !ws_plan_pool_spreads(&alone, MSV, 1e6),
           "pairs of MSV are spread where a batch brings a device enough of them");
}

static void test_budgets(tap *t) {
    static const struct {
        const char *what;
        const ws_plan_machine *m;
        int filter, all;
        double cells;
        int kind, calls;
        double most;
        size_t pairs;
    } c[] = {
        {"of the CPU has half a millisecond's cells at least", &alone, MSV, 1, 1, CPU, 0, 3.2e7, SIZE_MAX},
        {"a share of the pool's", &alone, MSV, 1, 64e8, CPU, 0, 1e8, SIZE_MAX},
        {"and twenty at most", &alone, MSV, 1, 1e13, CPU, 0, 1.28e9, SIZE_MAX},
        {"of Viterbi fewer", &alone, VIT, 0, 1e13, CPU, 0, 1.22e8, SIZE_MAX},
        {"of listed pairs one and a half", &alone, VIT, 0, 1, CPU, 0, 9.15e6, SIZE_MAX},
        {"of Forward fewer", &alone, FWD, 0, 1e13, CPU, 0, 3.2e7, SIZE_MAX},
        {"without a filter as those of domains", &alone, NO_FILTER, 1, 1e13, CPU, 0, 1.6e7, SIZE_MAX},
        {"without a filter at least", &alone, NO_FILTER, 1, 1, CPU, 0, 4e5, SIZE_MAX},
        {"of a device is small at first", &both, MSV, 1, 1e13, DEVICE, 7, 2e10, 4 << 20},
        {"then larger", &both, MSV, 1, 1e9, DEVICE, 8, 5e10, 4 << 20},
        {"a fifth of a large pool", &both, MSV, 1, 5e11, DEVICE, 8, 1e11, 4 << 20},
        {"within bounds", &both, MSV, 1, 1e13, DEVICE, 8, 2e11, 4 << 20},
        {"of pairs that passed fewer", &both, VIT, 0, 1e9, DEVICE, 8, 5e10, 125000},
        {"of a slow device a tenth of a second", &slow, VIT, 0, 1e9, DEVICE, 8, 1.9e9, 125000},
        {"of one that has ended no call the usual", &late, VIT, 0, 1e9, DEVICE, 8, 5e10, 125000},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        const ws_plan_pool p = {.filter = c[i].filter, .all = c[i].all, .cells = c[i].cells};
        const ws_budget b = ws_plan_filter_step(c[i].m, &p, (ws_chain_kind)c[i].kind, c[i].calls);
        const size_t tasks = c[i].kind == CPU ? SIZE_MAX : 2048;
        tap_ok(t, fabs(b.cells - c[i].most) < 1e-9 * c[i].most && b.pairs == c[i].pairs && b.tasks == tasks,
               "a step: %s: %g cells", c[i].what, b.cells);
    }
    tap_ok(t, ws_plan_batch(0) == 1 << 20 && ws_plan_batch(1000) == 300000 && ws_plan_batch(1 << 20) == 128 << 10,
           "a batch has 3e8 cells, within bounds");
    tap_ok(t, ws_plan_most_batch(1e6) == 1000000 && ws_plan_most_batch(1e8) == 128 << 10 &&
              ws_plan_later_batch(1) == 16 << 10 && ws_plan_later_batch(7) == 112 << 10 && !ws_plan_later_batch(8),
           "it has at most 1e12; after the first filter fewer residues, if models are few");
    tap_ok(t, ws_plan_placed_batch(1e5, 0) == 40000 && ws_plan_placed_batch(1e10, 0) == 1 &&
              ws_plan_placed_batch(1, 0) == 128 << 10 && ws_plan_placed_batch(1e5, 8000) == 20000,
           "of reads that are placed 4e9, within bounds; fewer residues, if rows are kept");
}

static void test_decisions(tap *t) {
    tap_ok(t, ws_plan_leaves_decision(4, 3) && !ws_plan_leaves_decision(4, 4) && !ws_plan_leaves_decision(0, 0),
           "as many decisions wait for the CPU as there are streams");
    tap_ok(t, ws_plan_decides(WS_CHAIN_CPU, WS_CHAIN_FULL) && ws_plan_decides(WS_CHAIN_DEVICE, WS_CHAIN_ANY) &&
              !ws_plan_decides(WS_CHAIN_DEVICE, WS_CHAIN_FULL), "a stream decides only when nothing else is left");
    static const struct {
        const ws_plan_machine *m;
        size_t pools, half_full;
        int many;
        ws_chain_wish wish;
    } c[] = {{&alone, 0, 0, 0, WS_CHAIN_HURRY}, {&alone, 1, 1, 0, WS_CHAIN_ROOM}, {&alone, 17, 0, 0, WS_CHAIN_HURRY},
             {&alone, 18, 0, 0, WS_CHAIN_NO_ROOM}, {&both, 5, 5, 0, WS_CHAIN_ROOM}, {&both, 6, 0, 0, WS_CHAIN_NO_ROOM},
             {&both, 0, 0, 1, WS_CHAIN_NO_ROOM}};
    int bad = 0;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        bad += ws_plan_wish(c[i].m, c[i].pools, c[i].half_full, c[i].many) != c[i].wish;
    tap_ok(t, !bad, "the input is read while pools are few, for a device fewer, and domains are not many");
}

/* ---- domains ---- */

/* A state: of 16 threads and a device, targets, 1e5 cells each. */
typedef struct scene {
    const char *what;
    const ws_plan_machine *m;
    int kind;
    size_t waiting;
    int need;
    double want;
    double cells; /* of each; 0: 1e5 */
    int had, calls, first, eager;
} scene;
#define SCENE(what_, m_, kind_, waiting_, need_, want_, ...) \
    {.what = what_, .m = m_, .kind = kind_, .waiting = waiting_, .need = need_, .want = want_, __VA_ARGS__}

static ws_plan_spans state_of(const scene *c) {
    const double each = c->cells > 0 ? c->cells : 1e5;
    return (ws_plan_spans){.m = *c->m, .kind = c->kind, .waiting = c->waiting, .cells = each * (double)c->waiting,
                           .had = c->had, .calls = c->calls, .device_first = c->first, .eager = c->eager};
}

enum { PARSE = WS_PLAN_PARSE, RESOLVE = WS_PLAN_RESOLVE, RESCORE = WS_PLAN_RESCORE };

static void test_cpu(tap *t) {
    static const scene c[] = {
        SCENE("none", &alone, PARSE, 0, ANY, 0),
        SCENE("one is left", &alone, PARSE, 1, ANY, 1),
        SCENE("one may wait for others", &alone, PARSE, 1, FULL, 0),
        SCENE("not where nothing should wait", &alone, PARSE, 1, FULL, 1, .eager = 1),
        SCENE("128 while another thread reads", &alone, PARSE, 128, SOME, 1),
        SCENE("127 are not enough", &alone, PARSE, 127, SOME, 0),
        SCENE("enough cells for all threads", &alone, PARSE, 48000, FULL, 1),
        SCENE("too many", &alone, PARSE, 65536, FULL, 1, .cells = 1),
        SCENE("after a device was lost, what it had kept", &alone, RESCORE, 1, ANY, 1, .had = 1),
        SCENE("a device that has just opened has the first", &cuda, PARSE, 150, ANY, 0),
        SCENE("unless it scores beside the CPU", &both, PARSE, 150, ANY, 1),
        SCENE("or all its calls are taken, as those of a slow device are", &cuda, PARSE, 150, ANY, 1, .calls = 4),
        SCENE("or it has had some", &cuda, PARSE, 150, ANY, 1, .had = 1),
        SCENE("or they are more than few", &cuda, PARSE, 200, ANY, 1),
        SCENE("beside a device 128 may wait too", &both, PARSE, 128, FULL, 0),
        SCENE("before a thread would wait, 128", &cuda, PARSE, 128, SPARE, 1),
        SCENE("but not 127", &cuda, PARSE, 127, SPARE, 0),
        SCENE("envelopes are a device's while filters need it", &both, RESCORE, 48000, FULL, 0),
        SCENE("but too many, which the device leaves", &both, RESCORE, 80000, FULL, 1),
        SCENE("and all of a slow device", &slow, RESCORE, 48000, FULL, 1),
        SCENE("and at the end", &both, RESCORE, 1, ANY, 1),
        SCENE("while one opens 128 are enough", &opening, PARSE, 128, FULL, 1),
        SCENE("and not fewer", &opening, PARSE, 127, FULL, 0),
        SCENE("of genomes never, if there are more than few", &both, RESCORE, 200, ANY, 0, .first = 1),
        SCENE("few are", &both, RESCORE, 199, ANY, 1, .first = 1),
        SCENE("genomes: targets wait for a device", &both, PARSE, 48000, FULL, 0, .first = 1),
        SCENE("genomes: but not at the end", &both, PARSE, 1, ANY, 1, .first = 1),
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        const ws_plan_spans s = state_of(&c[i]);
        tap_ok(t, ws_plan_spans_cpu_cuts(&s, (ws_chain_need)c[i].need) == (c[i].want != 0), "steps of spans: %s",
               c[i].what);
    }
}

static void test_calls(tap *t) {
    static const scene c[] = {
        SCENE("none", &both, PARSE, 0, ANY, 0),
        SCENE("none without a device", &alone, PARSE, 50000, ANY, 0),
        SCENE("one is the CPU's", &both, PARSE, 1, ANY, 0),
        SCENE("one is a device's that is alone", &cuda, PARSE, 1, ANY, 2e9),
        SCENE("but the first", &cuda, PARSE, 1, ANY, 0, .had = 1),
        SCENE("or more than few, which the CPU ends sooner", &cuda, PARSE, 200, ANY, 0),
        SCENE("not while filters need the device", &both, PARSE, 50000, FULL, 0),
        SCENE("but far too many", &both, PARSE, 65536, FULL, 2e9),
        SCENE("ensembles sooner", &both, RESOLVE, 4096, FULL, 2e9),
        SCENE("4,095 are the CPU's", &both, RESOLVE, 4095, FULL, 0),
        SCENE("envelopes by 1e9 cells", &both, RESCORE, 10000, FULL, 2e9),
        SCENE("9,999 of 1e5 are fewer", &both, RESCORE, 9999, FULL, 0),
        SCENE("while another thread reads by 2e8", &both, RESCORE, 2000, SOME, 2e9),
        SCENE("a stream's share of what is left", &both, PARSE, 40000, ANY, 4e9 * 6.25 / (6.25 * 4 + 12.8)),
        SCENE("of a slow device less", &slow, PARSE, 40000, ANY, 2e8),
        SCENE("before its first call as little", &late, PARSE, 40000, ANY, 2e8),
        SCENE("not where the CPU ends sooner", &both, PARSE, 2559, ANY, 0),
        SCENE("a call at least", &both, PARSE, 2560, ANY, 2e8),
        SCENE("genomes: 1e9 cells", &both, PARSE, 10000, FULL, 2e9, .first = 1),
        SCENE("genomes: fewer wait", &both, PARSE, 9999, FULL, 0, .first = 1),
        SCENE("genomes: also early", &both, PARSE, 9999, EARLY, 0, .first = 1),
        SCENE("genomes: fewer while another thread reads", &both, PARSE, 2000, SOME, 2e9, .first = 1),
        SCENE("genomes: one envelope is the CPU's", &both, RESCORE, 1, ANY, 0, .first = 1),
        SCENE("genomes: any number of them is not", &both, RESCORE, 200, ANY, 2e9, .first = 1),
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        const ws_plan_spans s = state_of(&c[i]);
        const double most = ws_plan_spans_call(&s, (ws_chain_need)c[i].need);
        tap_ok(t, most == c[i].want || (most > 0.999 * c[i].want && most < 1.001 * c[i].want), "a call: %s: %g cells",
               c[i].what, most);
    }
    const ws_plan_machine single = {.threads = 16, .device = 1, .streams = 1, .cpu = 1};
    tap_ok(t, ws_plan_spans_most_calls(&both, WS_CHAIN_FULL) == 2 &&
              ws_plan_spans_most_calls(&both, WS_CHAIN_ANY) == 4 &&
              ws_plan_spans_most_calls(&single, WS_CHAIN_FULL) == 1,
           "half of the streams have domains, at the end all, one in any case");
    tap_ok(t, ws_plan_span_longest(0) == 12e6 && ws_plan_span_longest(1) == 40e6, "longer spans are the CPU's");
    tap_ok(t, ws_plan_spans_stream_ends(4, 4) && !ws_plan_spans_stream_ends(5, 4) && !ws_plan_spans_stream_ends(1, 0),
           "streams make hits where threads are not more than they");
}

static void test_cuts(tap *t) {
    const scene beside = {.m = &both, .kind = PARSE, .waiting = 512};
    const scene cpu = {.m = &alone, .kind = PARSE, .waiting = 127}, enough = {.m = &alone, .waiting = 128};
    ws_plan_spans s = state_of(&beside);
    const ws_plan_spans a = state_of(&cpu), b = state_of(&enough);
    tap_ok(t, ws_plan_spans_to_cut(&a, 512) == 512 && ws_plan_spans_to_cut(&s, 512) == 128 &&
              ws_plan_spans_to_cut(&s, 1) == 1,
           "spans of a model: all are cut, beside a device a step for each thread");
    tap_ok(t, ws_plan_spans_of_step(&a) == 4 && ws_plan_spans_of_step(&b) == 8 && ws_plan_spans_of_step(&s) == 8,
           "steps are smaller where spans are few");
    tap_ok(t, ws_plan_spans_cut(&a) && ws_plan_spans_cut(&s), "a model that has enough is cut at once");
    s.steps = 16;
    tap_ok(t, !ws_plan_spans_cut(&s), "beside a device not while each thread has a step");
    s.m = opening;
    tap_ok(t, !ws_plan_spans_cut(&s) && ws_plan_spans_to_cut(&s, 512) == 128, "nor while one opens");
    s.m = both;
    s.steps = 0;
    s.device_first = 1;
    tap_ok(t, !ws_plan_spans_cut(&s), "nor where the device is first");
    tap_ok(t, ws_plan_spans_longest_first(&a, WS_CHAIN_ANY) && !ws_plan_spans_longest_first(&a, WS_CHAIN_FULL) &&
              !ws_plan_spans_longest_first(&s, WS_CHAIN_ANY), "few spans at the end: the longest model first");
}

static void test_counts(tap *t) {
    const scene targets = {.m = &both, .kind = PARSE, .waiting = 16000, .cells = 1e5},
                envelopes = {.m = &both, .kind = RESCORE, .waiting = 16000, .cells = 1e5};
    const ws_plan_spans p = state_of(&targets);
    ws_plan_spans e = state_of(&envelopes), r = p;
    int bad = ws_plan_spans_seconds(&e) != 0;
    e.m = alone;
    r.kind = RESOLVE;
    bad += ws_plan_spans_seconds(&e) != 6.4 || ws_plan_spans_seconds(&r) != 4;
    tap_ok(t, !bad && ws_plan_spans_seconds(&p) == 2,
           "seconds of a thread in what waits, without what is a device's");
    tap_ok(t, ws_plan_spans_are_few(3.1, 16) && !ws_plan_spans_are_few(3.2, 16) && ws_plan_spans_are_few(0, 1),
           "0.2 s of all threads are few");
    tap_ok(t, ws_plan_spans_are_many(131072, 0) && !ws_plan_spans_are_many(131071, 1e10) &&
              ws_plan_spans_are_many(1, 4e10) && !ws_plan_spans_are_many(0, 0), "131,072, or 4e10 cells, are many");
}

/* ---- genomes ---- */

#define SIX(cpu_) {.threads = 16, .device = 1, .streams = 6, .cpu = cpu_}

static void test_genomes(tap *t) {
    static const struct {
        const char *what;
        ws_plan_genome g;
        int need, cpu, device;
    } c[] = {
        {"without a device the CPU scans without marks", {.m = {.threads = 16, .cpu = 1}}, FULL, 1, 0},
        {"nor does it wait for one that opens", {.m = {.threads = 16, .cpu = 1, .opening = 1}}, FULL, 1, 0},
        {"a device that has just opened marks first", {.m = SIX(1), .marking = 1}, SPARE, 0, 1},
        {"and when it has tested, the CPU helps", {.m = SIX(1), 1, 1, 1, 0, 0}, SPARE, 1, 1},
        {"also at the end", {.m = SIX(1), 1, 1, 1, 0, 0}, ANY, 1, 1},
        {"not while it has other work", {.m = SIX(1), 1, 1, 1, 0, 0}, FULL, 0, 1},
        {"nor while domains wait", {.m = SIX(1), 1, 1, 1, 0, 1}, SPARE, 0, 1},
        {"nor while a device tests", {.m = SIX(1), 1, 1, 1, 1, 0}, SPARE, 0, 1},
        {"nor while a device, however slow, marks nothing", {.m = SIX(1), 1, 1, 0, 0, 0}, SPARE, 0, 1},
        {"nor with a device alone", {.m = SIX(0), 1, 1, 1, 0, 0}, SPARE, 0, 1},
        {"a slow device has ten pools", {.m = SIX(1), 10, 1, 1, 0, 0}, SPARE, 1, 0},
        {"a lost one none", {.m = {.threads = 16, .cpu = 1}, 1, 1, 0, 0, 9}, FULL, 1, 0},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        tap_ok(t, ws_plan_cpu_marks(&c[i].g, (ws_chain_need)c[i].need) == c[i].cpu &&
                  ws_plan_device_marks(&c[i].g) == c[i].device, "genomes: %s", c[i].what);
    tap_ok(t, ws_plan_set_nodes(0) == 4096 && ws_plan_set_nodes(20000) == 5000 && ws_plan_set_nodes(1000000) == 16384,
           "a set has a quarter of the nodes that are left, within bounds");
    tap_ok(t, ws_plan_slices(0, 1, 1) == 1 && ws_plan_slices(1, 4096, 1 << 18) == 3 &&
              ws_plan_slices(1, 1, 1 << 18) == 32 && ws_plan_slices(1, 16384, 1 << 18) == 1,
           "a step has one slice, of a marked pool 3 << 30 cells");
    tap_ok(t, !ws_plan_chunk_is_full(0, 1e9) && !ws_plan_chunk_is_full(3, 1e9) && ws_plan_chunk_is_full(4, 1.1e7) &&
              !ws_plan_chunk_is_full(63, 1e7) && ws_plan_chunk_is_full(64, 0),
           "four sub-windows are a step, or up to 64 of few cells");
    tap_ok(t, ws_plan_genome_wish(16, 0, 0, 0) == WS_CHAIN_HURRY && ws_plan_genome_wish(16, 1, 1, 1) == WS_CHAIN_ROOM &&
              ws_plan_genome_wish(16, 18, 0, 0) == WS_CHAIN_NO_ROOM &&
              ws_plan_genome_wish(16, 2, 2, 2) == WS_CHAIN_NO_ROOM, "the input is read while few batches wait");
}

/* ---- what programs ask for ---- */

static void test_programs(tap *t) {
    const ws_plan_lists usual = ws_plan_lists_of(0, 1), plain = ws_plan_lists_of(0, 0), tight = ws_plan_lists_of(1, 0);
    tap_ok(t, usual.alone == 32768 && usual.together == 65536 && plain.together == 524288 && tight.alone == 8192 &&
              tight.together == 8192 && usual.lists == 4096,
           "text of lists: more hits are together without alignments, fewer with --mem");
    tap_ok(t, ws_plan_list_threads(16, 0, 0) == 1 && ws_plan_list_threads(16, 1, 1000) == 1 &&
              ws_plan_list_threads(16, 100, 1000) == 4 && ws_plan_list_threads(16, 900, 1000) == 16,
           "a list has twice its part of the threads, at least one");
}

int main(void) {
    tap t = {0};
    test_programs(&t);
    test_takers(&t);
    test_fullness(&t);
    test_closing(&t);
    test_budgets(&t);
    test_decisions(&t);
    test_cpu(&t);
    test_calls(&t);
    test_cuts(&t);
    test_counts(&t);
    test_genomes(&t);
    return tap_end(&t);
}
