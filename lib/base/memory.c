/* SPDX-License-Identifier: MIT
 * The memory of this machine that the program may use: see lib/base/memory.h. */
#include "lib/base/memory.h"

#include "lib/base/cgroup.h"

#include <sys/resource.h>
#include <unistd.h>

/* Returns the least limit, and sets *limit to the words for it. */
static uint64_t allowed(const char **limit) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t n = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_C(1) << 32;
    struct rlimit space;
    *limit = "the memory of this machine";
    if (ws_cgroup_of_process()->memory < n) {
        n = ws_cgroup_of_process()->memory;
        *limit = "the memory limit of its cgroup";
    }
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY && space.rlim_cur < n) {
        n = space.rlim_cur;
        *limit = "the limit of its address space";
    }
    return n;
}

uint64_t ws_memory_allowed(void) {
    const char *limit;
    return allowed(&limit);
}

const char *ws_memory_limit(void) {
    const char *limit;
    (void)allowed(&limit);
    return limit;
}
