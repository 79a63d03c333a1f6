/* SPDX-License-Identifier: MIT
 * The error record: see lib/base/ws.h. */
#include "lib/base/ws.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

WS_PRINTF(4, 0) static int fail_v(ws_err *err, int code, const char *tail, const char *fmt, va_list ap) {
    err->code = code;
    int n = vsnprintf(err->text, sizeof err->text, fmt, ap);
    if (tail && n >= 0 && (size_t)n < sizeof err->text)
        snprintf(err->text + n, sizeof err->text - (size_t)n, ": %s", tail);
    return code;
}

int ws_fail(ws_err *err, int code, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fail_v(err, code, NULL, fmt, ap);
    va_end(ap);
    return code;
}

int ws_fail_errno(ws_err *err, int code, const char *fmt, ...) {
    const char *why = strerror(errno);
    va_list ap;
    va_start(ap, fmt);
    fail_v(err, code, why, fmt, ap);
    va_end(ap);
    return code;
}

int ws_fail_nomem(ws_err *err, size_t bytes) {
    return ws_fail(err, WS_ENOMEM, "out of memory: %zu bytes were needed", bytes);
}

void ws_err_prefix(ws_err *err, const char *fmt, ...) {
    char old[WS_ERR_MAX], head[WS_ERR_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(head, sizeof head, fmt, ap);
    va_end(ap);
    memcpy(old, err->text, sizeof old);
    size_t n = strlen(head), m = strlen(old);
    if (n > sizeof old - 1) n = sizeof old - 1;
    if (m > sizeof old - 1 - n) m = sizeof old - 1 - n;
    memcpy(err->text, head, n);
    memcpy(err->text + n, old, m);
    err->text[n + m] = '\0';
}

void ws_bug_at(const char *file, int line, const char *what) {
    fprintf(stderr, "warpsieve: internal error at %s:%d: %s\n", file, line, what);
    abort();
}

const char *ws_quote(char *buf, const char *text, size_t n) {
    const size_t keep = 40;
    char *w = buf;
    for (size_t i = 0; i < n && i < keep; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x20 && c < 0x7f)
            *w++ = (char)c;
        else
            w += sprintf(w, "\\x%02x", c);
    }
    if (n > keep) w += sprintf(w, "...");
    *w = '\0';
    return buf;
}
