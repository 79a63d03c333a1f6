/* SPDX-License-Identifier: MIT
 * How many threads a quota of CPU time is worth, and what a limit of memory is. */
#include "lib/base/cpu.h"
#include "lib/base/memory.h"

#include "tests/tap.h"

#include <limits.h>
#include <sys/resource.h>

int main(void) {
    static const struct {
        long long quota, period;
        int cores;
    } v[] = {{100000, 100000, 1}, {150000, 100000, 2}, {200000, 100000, 2}, {200001, 100000, 3}, {1000, 100000, 1},
             {-1, 100000, 0},     {0, 100000, 0},      {100000, 0, 0},      {LLONG_MAX, 1, 1 << 20}};
    tap t = {0};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        tap_ok(&t, ws_cpu_quota(v[i].quota, v[i].period) == v[i].cores, "%lld us of every %lld us: %d cores",
               v[i].quota, v[i].period, v[i].cores);
    tap_ok(&t, ws_cpu_allowed() >= 1, "here at least one");
    tap_ok(&t,
           ws_memory_limit("max\n") == UINT64_MAX && ws_memory_limit("") == UINT64_MAX &&
               ws_memory_limit("12x") == UINT64_MAX && ws_memory_limit("1073741824\n") == 1 << 30 &&
               ws_memory_limit("99999999999999999999999") == UINT64_MAX,
           "limits of memory");
    const uint64_t all = ws_memory_allowed(), some = all / 2;
    tap_ok(&t, all >= 1 << 20, "there is memory: %llu bytes", (unsigned long long)all);
    struct rlimit was;
    tap_ok(&t, !getrlimit(RLIMIT_AS, &was) && !setrlimit(RLIMIT_AS, &(struct rlimit){some, was.rlim_max}) &&
                   ws_memory_allowed() == some,
           "and half of it with ulimit -v");
    setrlimit(RLIMIT_AS, &was); /* a sanitizer that looks for leaks at the end needs more */
    return tap_end(&t);
}
