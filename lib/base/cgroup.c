/* SPDX-License-Identifier: MIT
 * Limits of control groups: see lib/base/cgroup.h. */
#include "lib/base/cgroup.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 4096, LINE = 8192, MOST_CORES = 1 << 20 };

/* A mounted hierarchy, as a line of /proc/self/mountinfo has it. */
typedef struct mounted {
    const char *top;     /* the group that the folder shows */
    const char *folder;
    const char *type;    /* "cgroup" or "cgroup2" */
    const char *options; /* the controllers of version 1 are among them */
} mounted;

int ws_cgroup_quota(long long quota, long long period) {
    if (quota <= 0 || period <= 0) return 0;
    const long long cores = quota / period + (quota % period != 0);
    return cores > MOST_CORES ? MOST_CORES : (int)cores;
}

int ws_cgroup_set(const char *list) {
    long cores = 0;
    while (*list >= '0' && *list <= '9' && cores < MOST_CORES) {
        char *end;
        const long first = strtol(list, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        if (last < first) return 0;
        cores += last - first + 1;
        list = *end == ',' ? end + 1 : end;
    }
    return (*list && *list != '\n') || cores > MOST_CORES ? 0 : (int)cores;
}

uint64_t ws_cgroup_memory(const char *line) {
    char *end;
    errno = 0;
    if (*line < '0' || *line > '9') return UINT64_MAX;
    const uint64_t n = strtoull(line, &end, 10);
    return errno || (*end && *end != '\n') ? UINT64_MAX : n;
}

/* Reads the first line of folder/name; returns whether there is one. */
static int read_line(const char *folder, const char *name, char *line, int size) {
    char path[PATH + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    const int ok = fgets(line, size, f) != NULL;
    fclose(f);
    return ok;
}

static void least(int *to, int n) {
    if (n > 0 && (*to == 0 || n < *to)) *to = n;
}

static void least_memory(ws_cgroup *to, const char *line) {
    const uint64_t n = ws_cgroup_memory(line);
    if (n < to->memory) to->memory = n;
}

/* Adds the limits that one folder has. A file of another version or controller is not there. */
static void add_folder(ws_cgroup *to, const char *folder) {
    char line[LINE];
    long long quota = 0, period = 0;
    if (read_line(folder, "cpu.max", line, LINE) && sscanf(line, "%lld %lld", &quota, &period) == 2)
        least(&to->quota, ws_cgroup_quota(quota, period));
    if (read_line(folder, "cpu.cfs_quota_us", line, LINE) && (quota = atoll(line)) > 0 &&
        read_line(folder, "cpu.cfs_period_us", line, LINE))
        least(&to->quota, ws_cgroup_quota(quota, atoll(line)));
    if (read_line(folder, "cpuset.cpus.effective", line, LINE) ||
        read_line(folder, "cpuset.effective_cpus", line, LINE) ||
        read_line(folder, "cpuset.cpus", line, LINE))
        least(&to->set, ws_cgroup_set(line));
    if (read_line(folder, "memory.max", line, LINE)) least_memory(to, line);
    if (read_line(folder, "memory.limit_in_bytes", line, LINE)) least_memory(to, line);
}

/* Adds the limits from a group up to the mount point. A container sees only the upper end of that path, or has its
 * own group mounted as the top. */
static void add_upwards(ws_cgroup *to, const char *root, const mounted *m, const char *group) {
    char folder[PATH];
    const size_t top = strcmp(m->top, "/") == 0 ? 0 : strlen(m->top);
    const int below = strncmp(group, m->top, top) == 0 && (group[top] == '/' || group[top] == '\0');
    const size_t least_length = strlen(root) + strlen(m->folder);
    if (snprintf(folder, sizeof folder, "%s%s%s", root, m->folder, below ? group + top : group) >= PATH ||
        strstr(group, "/../"))
        snprintf(folder, sizeof folder, "%s%s", root, m->folder);
    for (char *slash = folder; slash && strlen(folder) >= least_length;) {
        const size_t n = strlen(folder);
        if (n > least_length && folder[n - 1] == '/') folder[n - 1] = '\0';
        add_folder(to, folder);
        slash = strrchr(folder, '/');
        if (slash) *slash = '\0';
    }
}

static int has_word(const char *list, const char *word, size_t n) {
    for (const char *p = list; p; p = strchr(p, ',')) {
        p += *p == ',';
        if (strncmp(p, word, n) == 0 && (p[n] == '\0' || p[n] == ',' || p[n] == '\n')) return 1;
    }
    return 0;
}

/* Returns whether the hierarchy has one of the controllers of a line of /proc/self/cgroup; of version 2 there are
 * none. */
static int is_of(const mounted *m, const char *controllers) {
    if (!*controllers) return strcmp(m->type, "cgroup2") == 0;
    if (strcmp(m->type, "cgroup") != 0) return 0;
    for (const char *p = controllers; *p;) {
        const size_t n = strcspn(p, ",");
        if (has_word(m->options, p, n)) return 1;
        p += n + (p[n] == ',');
    }
    return 0;
}

/* Adds what the groups of the process have in a hierarchy. */
static void add_mounted(ws_cgroup *to, const char *root, const mounted *m) {
    char path[PATH], line[LINE];
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *f = fopen(path, "r");
    if (!f) return;
    while (fgets(line, sizeof line, f)) { /* "number:controllers:group" */
        line[strcspn(line, "\n")] = '\0';
        char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;
        if (!group) continue;
        *list++ = *group++ = '\0';
        if (is_of(m, list)) add_upwards(to, root, m, group);
    }
    fclose(f);
}

/* Takes a line of mountinfo apart; returns whether it is of a hierarchy of groups. */
static int parse_mounted(char *line, mounted *m) {
    enum { TOP = 3, FOLDER = 4 };
    char *rest = strstr(line, " - "), *at = NULL;
    const char *field[FOLDER + 1] = {NULL};
    if (!rest) return 0;
    *rest = '\0';
    for (int k = 0; k <= FOLDER; k++)
        if (!(field[k] = strtok_r(k ? NULL : line, " ", &at))) return 0;
    *m = (mounted){.top = field[TOP], .folder = field[FOLDER], .type = strtok_r(rest + 3, " ", &at)};
    if (!m->type || strncmp(m->type, "cgroup", strlen("cgroup")) != 0 || !strtok_r(NULL, " ", &at)) return 0;
    return (m->options = strtok_r(NULL, " ", &at)) != NULL;
}

ws_cgroup ws_cgroup_read(const char *root) {
    ws_cgroup limits = {.memory = UINT64_MAX};
    char path[PATH], line[LINE];
    mounted m;
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
    FILE *f = fopen(path, "r");
    if (!f) { /* no /proc: what a container of version 2 has */
        m = (mounted){.top = "/", .folder = "/sys/fs/cgroup"};
        add_upwards(&limits, root, &m, "/");
        return limits;
    }
    while (fgets(line, sizeof line, f))
        if (parse_mounted(line, &m)) add_mounted(&limits, root, &m);
    fclose(f);
    return limits;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static ws_cgroup ours;

static void read_ours(void) { ours = ws_cgroup_read(""); }

const ws_cgroup *ws_cgroup_of_process(void) {
    pthread_once(&once, read_ours);
    return &ours;
}
