/* SPDX-License-Identifier: MIT
 * The policies of lib/run (lib/run/policy.h) and of batches (lib/stream/policy.h), a table for each decision. */
#include "lib/run/policy.h"
#include "lib/stream/policy.h"
#include "tests/tap.h"

#include <math.h>

static void test_speeds(tap *t) {
    const double wide = ws_policy_thread_speed("avx512", WS_STEP_MSV);
    const double half = ws_policy_thread_speed("avx2", WS_STEP_MSV);
    const double least = ws_policy_thread_speed("scalar", WS_STEP_MSV);
    tap_ok(t, wide > half && half > ws_policy_thread_speed("neon", WS_STEP_MSV) && least > 0 &&
              ws_policy_thread_speed("another", WS_STEP_MSV) == least,
           "a guess by width; a new width is as scalar code");
    tap_ok(t, ws_policy_thread_speed("avx512", WS_STEP_NONE) == 0 && ws_policy_device_speed(90, WS_STEP_NONE) == 0 &&
              ws_policy_thread_speed("avx512", WS_STEP_MARK) == 0 && ws_policy_device_speed(90, WS_STEP_SCAN) == 0 &&
              ws_policy_thread_speed("avx512", WS_STEP_SCAN) > 0 && ws_policy_device_speed(90, WS_STEP_MARK) > 0,
           "none of what a thread, or a device, never does");
    const double t4 = ws_policy_device_speed(75, WS_STEP_VIT), h100 = ws_policy_device_speed(90, WS_STEP_VIT);
    tap_ok(t, h100 > t4 && t4 > 0 && ws_policy_device_speed(0, WS_STEP_VIT) == t4 &&
              ws_policy_device_speed(86, WS_STEP_VIT) == t4 && ws_policy_device_speed(89, WS_STEP_VIT) > t4 &&
              ws_policy_device_speed(120, WS_STEP_VIT) == h100,
           "a guess by compute capability: the nearest that is not newer");
    static const struct {
        const char *what;
        double guess, cells, seconds, want;
    } c[] = {
        {"nothing was measured", 100, 0, 0, 100},
        {"as much as the guess counts", 100, 30, 0.1, 200},
        {"one step that was interrupted", 100, 0, 0.001, 99},
        {"much", 100, 1e6, 100, 1e4},
        {"100 times slower than believed", 100, 1, 1, 10},
        {"then more", 100, 100, 100, 1.1},
        {"no guess", 0, 50, 9.9, 5},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        const double got = ws_policy_believed(c[i].guess, c[i].cells, c[i].seconds);
        tap_ok(t, fabs(got - c[i].want) < 0.02 * c[i].want, "a belief: %s: %g", c[i].what, got);
    }
}

static void test_opening(tap *t) {
    enum { NOT = WS_OPENS_NOT, BESIDE = WS_OPENS_BESIDE, AT_ONCE = WS_OPENS_AT_ONCE };
    static const struct {
        const char *what;
        ws_policy_run r;
        int opens;
    } c[] = {
        {"nothing is known", {-1, 0, -1, 0.3, 0}, NOT},
        {"a pipe that has kept all threads for less than opening takes", {-1, 0.29, 0, 0.3, 1}, NOT},
        {"or for as long", {-1, 0.3, 0, 0.3, 1}, BESIDE},
        {"a pipe of which much has come", {-1, 0.02, 0.6, 0.3, 1}, AT_ONCE},
        {"twice as long as a device needs to begin and end", {0, 0, 0.6, 0.3, 1}, AT_ONCE},
        {"less", {0, 0, 0.59, 0.3, 1}, NOT},
        {"much was, and is done", {0.5, 0.6, 0.59, 0.3, 1}, NOT},
        {"no input", {0, 0, 0, 0.3, 1}, NOT},
        {"all is scored, and domains wait", {1, 0.1, 0.6, 0.3, 1}, AT_ONCE},
        {"a device that opens in 3 s: the same is not enough", {1, 0.1, 0.6, 3, 1}, NOT},
        {"much by a guess", {0, 0, 0.6, 0.3, 0}, AT_ONCE},
        {"nothing is measured: too early", {0.001, 0.07, -1, 0.3, 0}, NOT},
        {"a tenth took 0.08 s", {0.1, 0.08, -1, 0.3, 0}, BESIDE},
        {"a tenth of what was guessed to be little did", {0.1, 0.08, 0.01, 0.3, 0}, BESIDE},
        {"an eighth did", {0.13, 0.08, -1, 0.3, 0}, NOT},
        {"all is done", {1, 9, -1, 0.3, 0}, NOT},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        tap_ok(t, (int)ws_policy_opens(&c[i].r) == c[i].opens, "a device opens: %s", c[i].what);
}

static void test_opening_all(tap *t) {
    static const struct {
        const char *what;
        ws_policy_run r;
        int all;
    } c[] = {
        {"a minute of all threads is left", {0.1, 1, 60, 0.3, 1}, 1},
        {"less", {0.1, 1, 59, 0.3, 1}, 0},
        {"much is done", {0.9, 1000, 59, 0.3, 1}, 0},
        {"a minute by a guess", {0, 0, 60, 0.3, 0}, 1},
        {"a minute by what was done", {0.01, 0.61, -1, 0.3, 0}, 1},
        {"more than was guessed", {0.01, 0.61, 1, 0.3, 0}, 1},
        {"less by what was done", {0.01, 0.6, -1, 0.3, 0}, 0},
        {"a pipe of which a minute has come", {-1, 0, 60, 0.3, 1}, 1},
        {"a pipe that tells nothing", {-1, 100, -1, 0.3, 0}, 0},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        tap_ok(t, ws_policy_opens_all(&c[i].r) == c[i].all, "all devices open: %s: %d", c[i].what, c[i].all);
}

static void test_seconds(tap *t) {
    const ws_policy_step none[] = {{-1, 0, 0, 10}, {0, 0, 0, 1}}, first[] = {{-1, 100, 0, 10}, {0, 0, 0, 1}},
                         second[] = {{-1, 100, 100, 10}, {0, 15, 5, 1}},
                         third[] = {{-1, 100, 100, 10}, {0, 15, 5, 1}, {1, 1, 4, 0.1}},
                         both[] = {{-1, 100, 100, 10}, {0, 15, 5, 1}, {0, 1, 1, 0.1}};
    tap_ok(t, ws_policy_seconds(none, 2) == 0, "nothing is left");
    tap_ok(t, ws_policy_seconds(first, 2) == 12.5, "nothing was done: the first step, and a quarter for later ones");
    tap_ok(t, fabs(ws_policy_seconds(second, 2) - (10 + 15 + 20)) < 1e-9,
           "what waits, and what the first step will bring to the next");
    tap_ok(t, fabs(ws_policy_seconds(third, 3) - (10 + 35 * (1 + 10) + 10)) < 1e-9, "and so on");
    tap_ok(t, fabs(ws_policy_seconds(both, 3) - (10 + 15 + 20 + 10 + 20)) < 1e-9, "a step may bring cells to two");
}

static void test_calls(tap *t) {
    static const struct {
        const char *what;
        size_t tasks;
        double speed;
        ws_budget want;
    } c[] = {
        {"a core alone takes all pairs of a target", 0, 0, {INFINITY, 4 << 20, 1}},
        {"a core beside a device 20 ms of them", 1, 1e9, {2e7, 4 << 20, 1}},
        {"a slow one, a cell", 1, 1, {1, 4 << 20, 1}},
        {"a device as many targets as it can", 1024, 0, {INFINITY, 4 << 20, 1024}},
        {"up to 2,048", 4096, 0, {INFINITY, 4 << 20, 2048}},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        const ws_budget b = ws_policy_call(c[i].tasks, c[i].speed), *want = &c[i].want;
        tap_ok(t, b.cells == want->cells && b.pairs == want->pairs && b.tasks == want->tasks, "a call: %s", c[i].what);
    }
}

static void test_parts(tap *t) {
    static const struct {
        const char *what;
        ws_policy_work w;
        size_t parts;
    } c[] = {
        {"no cells: one", {4, 0, 0, 0, 64}, 1},
        {"no targets: one", {4, 0, 1e12, 0, 0}, 1},
        {"one thread: one", {1, 0, 1e12, 0, 64}, 1},
        {"fewer cells than a part has: one", {4, 0, 2.9e7, 0, 64}, 1},
        {"cells for four and a half: four", {4, 0, 1.4e8, 0, 64}, 4},
        {"eight for each thread beside the first", {3, 0, 1e12, 0, 64}, 16},
        {"no more than targets", {32, 0, 1e12, 0, 64}, 64},
        {"a device's are larger", {32, 1, 1e12, 0, 64}, 5},
        {"rows count too", {32, 1, 1e12, 250000, 64}, 7},
        {"but not on the CPU", {32, 0, 1e8, 250000, 64}, 3},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        const size_t got = ws_policy_parts(&c[i].w);
        tap_ok(t, got == c[i].parts, "parts: %s (%zu)", c[i].what, got);
    }
}

static void test_room(tap *t) {
    static const struct {
        const char *what;
        uint64_t mem;
        int slots;
        ws_policy_room want;
    } c[] = {
        {"half for rows, half for hits", 1000000000, 10, {50000000, 500000}},
        {"rows have a megabyte", 1000000, 10, {1 << 20, 500}},
        {"no more than a million hits", 1000000000000, 10, {50000000000, 1000000}},
        {"no memory", 0, 4, {1 << 20, 0}},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        const ws_policy_room r = ws_policy_item_room(c[i].mem, c[i].slots, 100);
        tap_ok(t, r.text == c[i].want.text && r.pairs == c[i].want.pairs, "room of an item: %s", c[i].what);
    }
    tap_ok(t, ws_policy_slots(1) == 4 && ws_policy_slots(16) == 34 && ws_policy_pair_batch(1000) == 4000,
           "two items for each thread, and two more; batches of pairs are four times as large");
}

static void test_batches(tap *t) {
    const uint64_t least = 128 << 10;
    tap_ok(t, ws_stream_batch(0, 1 << 20) == least && ws_stream_batch(8 * least, 1 << 20) == least &&
              ws_stream_batch(8 * least + 80, 1 << 20) == least + 10 && ws_stream_batch(1 << 30, 1 << 20) == 1 << 20 &&
              ws_stream_batch(0, 600) == 600,
           "a batch grows to an eighth of what was read, within bounds");
    const ws_stream_room none = ws_stream_expect(0), some = ws_stream_expect(768), most = ws_stream_expect(1u << 31);
    tap_ok(t, !none.seqs && !none.residues && !none.text && some.seqs == 3 && some.residues == 768 &&
              some.text == 256 && most.residues == 1 << 20 && most.seqs == 4096,
           "room for proteins, up to a megabyte");
}

static void test_items(tap *t) {
    tap_ok(t, ws_policy_sample_batch(0, 5000) == 5000 && ws_policy_sample_batch(1000000, 131072) == 1000 &&
              ws_policy_sample_batch(10000, 131072) == 100000 && ws_policy_sample_batch(1000000000, 600) == 600,
           "an item of the sample has 1e9 cells, at least 1,000 residues, and is no larger than others");
}

int main(void) {
    tap t = {0};
    test_speeds(&t);
    test_seconds(&t);
    test_opening(&t);
    test_opening_all(&t);
    test_calls(&t);
    test_parts(&t);
    test_room(&t);
    test_batches(&t);
    test_items(&t);
    return tap_end(&t);
}
