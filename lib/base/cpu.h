/* SPDX-License-Identifier: MIT
 * How much of this machine the program may use. */
#ifndef WS_BASE_CPU_H
#define WS_BASE_CPU_H

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the number of useful threads, at least 1: the smaller of the affinity mask and the cgroup's CPU quota,
 * rounded up. */
int ws_cpu_allowed(void);

/* Returns a cgroup's quota, CPU time by period, in cores, rounded up: half a core is one thread. 0: no quota. */
int ws_cpu_quota(long long quota, long long period);

#ifdef __cplusplus
}
#endif
#endif
