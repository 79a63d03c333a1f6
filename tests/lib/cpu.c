/* SPDX-License-Identifier: MIT
 * How many threads a quota of CPU time is worth. */
#include "lib/base/cpu.h"

#include "tests/tap.h"

#include <limits.h>

int main(void) {
    static const struct {
        long long quota, period;
        int cores;
    } v[] = {{100000, 100000, 1}, {150000, 100000, 2}, {200000, 100000, 2}, {200001, 100000, 3}, {1000, 100000, 1},
             {-1, 100000, 0},     {0, 100000, 0},      {100000, 0, 0},      {LLONG_MAX, 1, 1 << 20}};
    tap t = {0};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        tap_ok(&t, ws_cpu_quota(v[i].quota, v[i].period) == v[i].cores, "%lld us of every %lld us: %d cores", v[i].quota, v[i].period,
               v[i].cores);
    tap_ok(&t, ws_cpu_allowed() >= 1, "here at least one");
    return tap_end(&t);
}
