/* SPDX-License-Identifier: MIT
 * The number of threads worth starting: see lib/base/cpu.h. */
#include "lib/base/cpu.h"

#include "lib/base/system.h"

int ws_cpu_least(int affinity, const ws_cgroup *groups, const char **limit) {
    int n = affinity;
    *limit = "the cores of this process";
    if (groups->set && groups->set < n) {
        n = groups->set;
        *limit = "the CPU set of its cgroup";
    }
    if (groups->quota && groups->quota < n) {
        n = groups->quota;
        *limit = "the CPU quota of its cgroup";
    }
    return n;
}

int ws_cpu_allowed(void) {
    const char *limit;
    return ws_cpu_least(ws_system_cores(), ws_cgroup_of_process(), &limit);
}

const char *ws_cpu_limit(void) {
    const char *limit;
    (void)ws_cpu_least(ws_system_cores(), ws_cgroup_of_process(), &limit);
    return limit;
}
