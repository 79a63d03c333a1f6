/* SPDX-License-Identifier: MIT
 * Independent work on several threads: everything once, and of several failures the first. */
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
    }
    return tap_end(&t);
}
