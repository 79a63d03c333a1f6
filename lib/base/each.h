/* SPDX-License-Identifier: MIT
 * Pieces of work that do not depend on one another, on several threads. */
#ifndef WS_BASE_EACH_H
#define WS_BASE_EACH_H

#include "lib/base/ws.h"

typedef int ws_each_fn(void *ctx, size_t i, ws_err *err);

/* Calls one(ctx, i) for i = 0 .. n-1, begun in this order, on up to `threads` threads, the calling one and at most 64 among them. A
 * thread that cannot be had is no failure: the others do its share. After a failure nothing more is begun; *err is that of the lowest
 * i, whatever the number of threads. */
int ws_each(size_t n, int threads, ws_each_fn *one, void *ctx, ws_err *err);

#endif
