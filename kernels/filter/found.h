/* SPDX-License-Identifier: MIT
 * Finds: values that kernels of a filter write beside scores, such as the points of a window. */
#ifndef WS_FILTER_FOUND_H
#define WS_FILTER_FOUND_H

#include "lib/base/mem.h"
#include "lib/run/tool.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One thing that a kernel found for a pair. The filter says what `what` means. */
typedef struct ws_devfound {
    uint64_t what;
    uint32_t pair; /* the number of the pair's score in the call */
    uint32_t zero; /* kernels write it, so that no byte is copied unset */
} ws_devfound;

/* All of a call, on the device: at[0..*n). If kernels find more than `room`, *n is larger than that. */
typedef struct ws_devfinds {
    ws_devfound *at;
    uint32_t *n;
    uint32_t room;
} ws_devfinds;

/* Sets the scores of all tasks, each of 8 bytes as the device wrote it, by what the kernels of the call found:
 * found[0..n), in any order. Appends to `list` what the caller gets beside the scores. found NULL: the device had no
 * room for all of it. The only failure is WS_ENOMEM. */
typedef int ws_devfound_take(const ws_task *task, size_t ntask, const ws_devfound *found, size_t n, ws_buf *list,
                             ws_err *err);

#ifdef __cplusplus
}
#endif
#endif
