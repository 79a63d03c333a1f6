/* SPDX-License-Identifier: MIT
 * A function for each index of a range, on several threads. */
#ifndef WS_BASE_PARALLEL_FOR_H
#define WS_BASE_PARALLEL_FOR_H

#include "lib/base/ws.h"

typedef int ws_parallel_fn(void *ctx, size_t i, ws_err *err);

/* Calls one(ctx, i) for i = 0 .. n-1 on up to `threads` threads; they begin in this order. The calling thread works
 * too; the most is 64. If a thread cannot start, the others do its share. After a failure no further index begins.
 * Returns the code of the lowest i that failed, and its sentence in *err, for any number of threads. */
int ws_parallel_for(size_t n, int threads, ws_parallel_fn *one, void *ctx, ws_err *err);

#endif
