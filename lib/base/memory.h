/* SPDX-License-Identifier: MIT
 * How much memory the program may use. */
#ifndef WS_BASE_MEMORY_H
#define WS_BASE_MEMORY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the bytes of memory that this process may have. That is the least of the machine's, of the limits of its
 * cgroups, and of its own limit of address space. */
uint64_t ws_memory_allowed(void);

/* Returns the limit that a line of a cgroup's file says, "max" or a number of bytes; UINT64_MAX for "max" and for what
 * is no number. */
uint64_t ws_memory_limit(const char *line);

#ifdef __cplusplus
}
#endif
#endif
