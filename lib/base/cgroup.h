/* SPDX-License-Identifier: MIT
 * Limits of CPUs and memory that control groups of Linux, versions 1 and 2, set, as for a container. */
#ifndef WS_BASE_CGROUP_H
#define WS_BASE_CGROUP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ws_cgroup {
    int quota;       /* cores, by CPU time, rounded up; 0: no limit */
    int set;         /* cores of the CPU set; 0: no limit */
    uint64_t memory; /* bytes; UINT64_MAX: no limit */
} ws_cgroup;

/* Returns the least limits of the process's groups and of all groups around them that can be seen. `root` stands for
 * the folder /; "": that itself. */
ws_cgroup ws_cgroup_read(const char *root);

/* Returns the same of /, which it reads once. */
const ws_cgroup *ws_cgroup_of_process(void);

/* Returns a quota, CPU time by period, in cores, rounded up: half a core is one thread. 0: no quota. */
int ws_cgroup_quota(long long quota, long long period);

/* Returns how many cores a list such as "0-3,8" has; 0 for what is no list. */
int ws_cgroup_set(const char *list);

/* Returns the limit that a line of a group's file says, "max" or a number of bytes; UINT64_MAX for "max" and for what
 * is no number. */
uint64_t ws_cgroup_memory(const char *line);

#ifdef __cplusplus
}
#endif
#endif
