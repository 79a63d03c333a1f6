/* SPDX-License-Identifier: MIT
 * Text on its way to a file: see lib/io/sink.h. */
#include "lib/io/sink.h"

#include <stdarg.h>
#include <stdio.h>

/* Bytes of text that are worth a write, where they were collected and where they come at once. */
enum { ENOUGH = 1 << 20, MUCH = 1 << 16 };

void ws_sink_add(ws_sink *s, const char *p, size_t n) {
    if (s->err.code == WS_OK) (void)ws_buf_add(&s->text, p, n, &s->err);
}

void ws_sink_f(ws_sink *s, const char *fmt, ...) {
    va_list ap, again;
    if (s->err.code != WS_OK) return;
    va_start(ap, fmt);
    va_copy(again, ap);
    const int n = vsnprintf(NULL, 0, fmt, ap);
    if (n >= 0 && ws_buf_reserve(&s->text, (size_t)n + 1, &s->err) == WS_OK) {
        vsnprintf(s->text.p + s->text.n, (size_t)n + 1, fmt, again);
        s->text.n += (size_t)n;
    }
    va_end(again);
    va_end(ap);
}

static void write_all(ws_sink *s) {
    if (s->err.code != WS_OK || !s->write || s->text.n == 0) return;
    (void)s->write(s->to, s->text.p, s->text.n, &s->err);
    s->text.n = 0;
}

void ws_sink_pause(ws_sink *s) {
    if (s->text.n >= ENOUGH) write_all(s);
}

void ws_sink_pass(ws_sink *s, const char *p, size_t n) {
    if (!s->write || n < MUCH) {
        ws_sink_add(s, p, n);
        ws_sink_pause(s);
        return;
    }
    write_all(s);
    if (s->err.code == WS_OK) (void)s->write(s->to, p, n, &s->err);
}

int ws_sink_flush(ws_sink *s, ws_err *err) {
    write_all(s);
    if (s->err.code != WS_OK) *err = s->err;
    return s->err.code;
}

void ws_sink_release(ws_sink *s) { ws_buf_release(&s->text); }
