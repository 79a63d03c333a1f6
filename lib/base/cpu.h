/* SPDX-License-Identifier: MIT
 * How much of this machine the program may use. */
#ifndef WS_BASE_CPU_H
#define WS_BASE_CPU_H

#include "lib/base/cgroup.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the number of useful threads, at least 1: the least of the affinity mask, the CPU sets and the CPU quotas of
 * the process's groups. */
int ws_cpu_allowed(void);

/* Returns the same of these numbers, and sets *limit to the words for the one that decided. */
int ws_cpu_least(int affinity, const ws_cgroup *groups, const char **limit);

/* Returns the words for the limit that decides here. */
const char *ws_cpu_limit(void);

#ifdef __cplusplus
}
#endif
#endif
