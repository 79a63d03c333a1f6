/* SPDX-License-Identifier: MIT
 * Text on its way to a file: a sink collects it and hands it on in pieces. */
#ifndef WS_FILES_SINK_H
#define WS_FILES_SINK_H

#include "lib/base/mem.h"

/* Where text goes: it is collected and handed on in pieces of about a megabyte. A sink remembers its first failure, and
 * takes nothing after it. With write == NULL all stays in `text`. */
typedef struct ws_sink {
    ws_buf text;
    int (*write)(void *to, const char *p, size_t n, ws_err *err);
    void *to;
    ws_err err; /* code WS_OK: no failure */
} ws_sink;

void ws_sink_f(ws_sink *s, const char *fmt, ...) WS_PRINTF(2, 3);
void ws_sink_add(ws_sink *s, const char *p, size_t n);
/* Hands on what has come together, if it is much. Called between rows, so that a failed write leaves whole ones. */
void ws_sink_pause(ws_sink *s);
/* Adds text that ends between rows, and hands it on if it is much. Long text is not copied. */
void ws_sink_pass(ws_sink *s, const char *p, size_t n);
/* Writes items from .. to - 1 to s, which is the share's own; a failure stays in s. */
typedef void ws_sink_share(void *ctx, ws_sink *s, size_t from, size_t to);
/* Writes n items in order, in shares of so many, which up to `threads` threads make. Text of four shares for each
 * thread is in memory. The first failure stays in s. Returns 1 if there was text. */
int ws_sink_items(ws_sink *s, size_t n, size_t share, int threads, ws_sink_share *make, void *ctx);
/* Hands on all of it; returns the first failure of the sink. */
int ws_sink_flush(ws_sink *s, ws_err *err);
void ws_sink_release(ws_sink *s);

#endif
