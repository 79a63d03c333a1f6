/* SPDX-License-Identifier: MIT
 * Finds of a filter on a device, which it has beside scores. */
#ifndef WS_FILTER_FOUND_H
#define WS_FILTER_FOUND_H

#include "lib/base/mem.h"
#include "lib/run/tool.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A find, of the pair whose score has this number in the call. A kernel writes all bytes of it. */
typedef struct ws_devfound {
    uint64_t what, pair;
} ws_devfound;

/* The finds of a call, on the device: at[0..*n). *n is larger than the room where there were more. */
typedef struct ws_devfinds {
    ws_devfound *at;
    uint32_t *n;
    uint32_t room;
} ws_devfinds;

/* Sets the scores of all tasks, each of 8 bytes as the device wrote it, by the n finds of the call, in any order.
 * Appends to `list` what the caller gets beside the scores. found NULL: there were more than the device had room for.
 * The only failure is WS_ENOMEM. */
typedef int ws_devfound_take(const ws_task *task, size_t ntask, const ws_devfound *found, size_t n, ws_buf *list,
                             ws_err *err);

#ifdef __cplusplus
}
#endif
#endif
