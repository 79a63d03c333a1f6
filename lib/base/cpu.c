/* SPDX-License-Identifier: MIT
 * The number of threads worth starting: see lib/base/cpu.h. */
#include "lib/base/cpu.h"

#include "lib/base/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_line(const char *path, char *buf, size_t size) {
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    int ok = fgets(buf, (int)size, f) != NULL;
    fclose(f);
    return ok;
}

int ws_cpu_quota(long long quota, long long period) {
    if (quota <= 0 || period <= 0) return 0;
    const long long cores = quota / period + (quota % period != 0);
    return cores > 1 << 20 ? 1 << 20 : (int)cores;
}

/* Returns the quota of one cgroup folder in cores, rounded up; 0: no quota. */
static int quota_here(const char *folder, int v2) {
    char path[4200], line[128];
    long long quota = 0, period = 0;
    if (v2) {
        snprintf(path, sizeof path, "%s/cpu.max", folder);
        if (!read_line(path, line, sizeof line) || sscanf(line, "%lld %lld", &quota, &period) != 2) return 0;
    } else {
        snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
        if (!read_line(path, line, sizeof line)) return 0;
        quota = atoll(line);
        snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
        if (!read_line(path, line, sizeof line)) return 0;
        period = atoll(line);
    }
    return ws_cpu_quota(quota, period);
}

/* Returns the smallest quota from our group up to the mount point, in cores; 0: no quota. A container sees only the
 * upper end of that path. */
static int quota_upwards(const char *mount, const char *group, int v2) {
    char folder[4096];
    int best = 0;
    snprintf(folder, sizeof folder, "%s%s", mount, group);
    for (;;) {
        int q = quota_here(folder, v2);
        if (q && (!best || q < best)) best = q;
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < strlen(mount)) return best;
        *slash = '\0';
    }
}

static int has_word(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *p = list; p; p = strchr(p, ',')) {
        p += *p == ',';
        if (!strncmp(p, word, n) && (p[n] == '\0' || p[n] == ',')) return 1;
    }
    return 0;
}

/* Returns the quota that one line of /proc/self/cgroup leads to. The line is "number:controllers:group"; version 2
 * has no controllers. */
static int quota_of_line(char *line) {
    line[strcspn(line, "\n")] = '\0';
    char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;
    if (!group) return 0;
    *list++ = *group++ = '\0';
    if (!*list) {
        int q = quota_upwards("/sys/fs/cgroup", group, 1);
        return q ? q : quota_upwards("/sys/fs/cgroup/unified", group, 1);
    }
    if (!has_word(list, "cpu")) return 0;
    int q = quota_upwards("/sys/fs/cgroup/cpu", group, 0);
    return q ? q : quota_upwards("/sys/fs/cgroup/cpu,cpuacct", group, 0);
}

static int quota_cores(void) {
    char line[4096];
    int best = 0;
    FILE *f = fopen("/proc/self/cgroup", "r");
    if (!f) return 0;
    while (fgets(line, sizeof line, f)) {
        int q = quota_of_line(line);
        if (q && (!best || q < best)) best = q;
    }
    fclose(f);
    return best;
}

int ws_cpu_allowed(void) {
    int n = ws_system_cores(), q = quota_cores();
    return q && q < n ? q : n;
}
