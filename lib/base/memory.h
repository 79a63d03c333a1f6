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

/* Returns the words for the one of these that decides. */
const char *ws_memory_limit(void);

#ifdef __cplusplus
}
#endif
#endif
