/* SPDX-License-Identifier: MIT
 * A function for each index of a range, on several threads; and work whose results leave in order. */
#ifndef WS_BASE_PARALLEL_FOR_H
#define WS_BASE_PARALLEL_FOR_H

#include "lib/base/ws.h"

typedef int ws_parallel_fn(void *ctx, size_t i, ws_err *err);

/* Calls one(ctx, i) for i = 0 .. n-1 on up to `threads` threads; they begin in this order. The calling thread works
 * too; the most is 64. If a thread cannot start, the others do its share. After a failure no further index begins.
 * Returns the code of the lowest i that failed, and its sentence in *err, for any number of threads. */
int ws_parallel_for(size_t n, int threads, ws_parallel_fn *one, void *ctx, ws_err *err);

/* Work whose results leave in order. `make` runs on any thread. `give` hands a result on: in the order of the indices,
 * one at a time, while other threads make the next. room: the results that are in memory together have weights of at
 * most this sum, or there is one of them. weight NULL: each has 1. */
typedef struct ws_ordered {
    size_t n, room;
    size_t (*weight)(const void *ctx, size_t i);
    ws_parallel_fn *make, *give;
    void *ctx;
} ws_ordered;

/* Runs w on up to `threads` threads, as ws_parallel_for. After a failure no index begins, and those before it are still
 * given. Returns the code of the lowest i whose make or give failed, and its sentence in *err; WS_ENOMEM. */
int ws_parallel_in_order(const ws_ordered *w, int threads, ws_err *err);

#endif
