/* SPDX-License-Identifier: MIT
 * The memory of this machine that the program may use: see lib/base/memory.h. */
#include "lib/base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

uint64_t ws_memory_limit(const char *line) {
    char *end;
    errno = 0;
    if (*line < '0' || *line > '9') return UINT64_MAX;
    const uint64_t n = strtoull(line, &end, 10);
    return errno || (*end && *end != '\n') ? UINT64_MAX : n;
}

static uint64_t limit_in(const char *folder, const char *file) {
    char path[4300], line[64];
    uint64_t n = UINT64_MAX;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *f = fopen(path, "r");
    if (!f) return n;
    if (fgets(line, sizeof line, f)) n = ws_memory_limit(line);
    fclose(f);
    return n;
}

/* Returns the least limit from our group up to the mount point. A container sees only the upper end of that path. */
static uint64_t limit_upwards(const char *mount, const char *group, const char *file) {
    char folder[4200];
    uint64_t n = UINT64_MAX;
    snprintf(folder, sizeof folder, "%s%s", mount, group);
    for (;;) {
        n = least(n, limit_in(folder, file));
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < strlen(mount)) return n;
        *slash = '\0';
    }
}

/* Returns the limit that one line of /proc/self/cgroup leads to, "number:controllers:group". Version 2 has no
 * controllers. */
static uint64_t limit_of_line(char *line) {
    line[strcspn(line, "\n")] = '\0';
    char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;
    if (!group) return UINT64_MAX;
    *list++ = *group++ = '\0';
    if (!*list) return limit_upwards("/sys/fs/cgroup", group, "memory.max");
    return strstr(list, "memory") ? limit_upwards("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes") : UINT64_MAX;
}

static uint64_t limit_of_groups(void) {
    char line[4096];
    uint64_t n = UINT64_MAX;
    FILE *f = fopen("/proc/self/cgroup", "r");
    if (!f) return n;
    while (fgets(line, sizeof line, f)) n = least(n, limit_of_line(line));
    fclose(f);
    return n;
}

uint64_t ws_memory_allowed(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t n = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_C(1) << 32;
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) n = least(n, space.rlim_cur);
    return least(n, limit_of_groups());
}
