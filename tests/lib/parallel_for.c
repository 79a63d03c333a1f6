/* SPDX-License-Identifier: MIT
 * Independent work on several threads: everything once, and of several failures the first. Results in order: as many
 * together as there is room for, and those before a failure. */
#include "lib/base/parallel_for.h"
#include "tests/tap.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum { MOST = 1000 };

typedef struct work {
    atomic_int begun[MOST];
    size_t from; /* those from here on fail, the first of them last */
} work;

static int one(void *ctx, size_t i, ws_err *err) {
    work *w = ctx;
    w->begun[i]++;
    if (i < w->from) return WS_OK;
    for (int n = 0; i == w->from && n < 1000; n++) sched_yield();
    return ws_fail(err, WS_EDATA, "number %zu", i);
}

/* ---- in order ---- */

enum { ROOM = 20 };

typedef struct line {
    atomic_int made[MOST], together, weights, most, giving;
    size_t given, fails_made, fails_given; /* the index whose make, or give, fails */
    int disorder;
} line;

static size_t weight(const void *ctx, size_t i) {
    (void)ctx;
    return i % 50 == 49 ? ROOM + 5 : i % 7;
}

static int make(void *ctx, size_t i, ws_err *err) {
    line *l = ctx;
    l->weights += (int)weight(l, i);
    const int now = l->weights, others = l->together;
    l->together++;
    if (others && now > l->most) l->most = now;
    for (int n = 0; i % 11 == 0 && n < 50; n++) sched_yield();
    l->made[i]++;
    return i == l->fails_made ? ws_fail(err, WS_EDATA, "made %zu", i) : WS_OK;
}

static int give(void *ctx, size_t i, ws_err *err) {
    line *l = ctx;
    l->disorder |= i != l->given || l->made[i] != 1 || l->giving++;
    if (i == l->fails_given) return ws_fail(err, WS_EDATA, "given %zu", i);
    l->given++;
    l->together--;
    l->weights -= (int)weight(l, i);
    l->giving--;
    return WS_OK;
}

static void test_in_order(tap *t, int threads) {
    static const struct {
        size_t made, given, good;
        const char *error;
    } way[] = {{MOST, MOST, MOST, ""}, {137, MOST, 137, "made 137"}, {MOST, 137, 137, "given 137"},
               {200, 137, 137, "given 137"}, {0, MOST, 0, "made 0"}};
    for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
        line l = {.fails_made = way[k].made, .fails_given = way[k].given};
        ws_err err = {0};
        const ws_ordered w = {.n = MOST, .room = ROOM, .weight = weight, .make = make, .give = give, .ctx = &l};
        const int rc = ws_parallel_in_order(&w, threads, &err);
        tap_ok(t, rc == (*way[k].error ? WS_EDATA : WS_OK) && !strcmp(err.text, way[k].error) &&
               l.given == way[k].good && !l.disorder && l.most <= ROOM,
               "%d threads in order: %zu given, \"%s\", at most %d together", threads, l.given, err.text, (int)l.most);
    }
    line none = {.fails_made = MOST};
    ws_err err = {0};
    const ws_ordered w = {.room = ROOM, .weight = weight, .make = make, .give = give, .ctx = &none};
    tap_ok(t, ws_parallel_in_order(&w, threads, &err) == WS_OK && none.given == 0, "%d threads in order: nothing",
           threads);
}

int main(void) {
    static const int threads[] = {0, 1, 2, 8, 64, 1000};
    tap t = {0};
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
        work all = {.from = MOST}, some = {.from = 137};
        ws_err err = {0};
        int once = ws_parallel_for(MOST, threads[k], one, &all, &err) == WS_OK;
        for (size_t i = 0; i < MOST; i++) once &= all.begun[i] == 1;
        tap_ok(&t, once, "%d threads: everything, once", threads[k]);
        int rc = ws_parallel_for(MOST, threads[k], one, &some, &err);
        tap_ok(&t, rc == WS_EDATA && strcmp(err.text, "number 137") == 0, "%d threads: the first failure (%s)",
               threads[k], err.text);
        tap_ok(&t, ws_parallel_for(0, threads[k], one, &some, &err) == WS_OK, "%d threads: nothing to do", threads[k]);
        test_in_order(&t, threads[k]);
    }
    return tap_end(&t);
}
