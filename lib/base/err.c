/* SPDX-License-Identifier: MIT
 * The error record: see lib/base/ws.h. */
#include "lib/base/ws.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A message may contain paths of 4 KB each. */
enum { LONGEST = 16 * WS_ERR_MAX };

/* Stores `all` in err->text. A sentence that is too long loses its middle: its end has the reason, after the name
 * of a file. */
static void set_text(ws_err *err, const char *all) {
    static const char gap[] = "...";
    const size_t n = strlen(all), head = WS_ERR_MAX / 2, tail = WS_ERR_MAX - head - sizeof gap;
    if (n < sizeof err->text) {
        memcpy(err->text, all, n + 1);
        return;
    }
    memcpy(err->text, all, head);
    memcpy(err->text + head, gap, sizeof gap - 1);
    memcpy(err->text + head + sizeof gap - 1, all + n - tail, tail + 1);
}

WS_PRINTF(4, 0) static int fail_v(ws_err *err, int code, const char *tail, const char *fmt, va_list ap) {
    char all[LONGEST];
    int n = vsnprintf(all, sizeof all, fmt, ap);
    if (tail && n >= 0 && (size_t)n < sizeof all) snprintf(all + n, sizeof all - (size_t)n, ": %s", tail);
    err->code = code;
    err->ends_in_command = 0;
    set_text(err, all);
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
    char all[LONGEST];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(all, sizeof all - WS_ERR_MAX, fmt, ap);
    va_end(ap);
    if (n < 0) n = 0;
    const size_t at = ws_min((size_t)n, sizeof all - WS_ERR_MAX - 1);
    memcpy(all + at, err->text, strlen(err->text) + 1);
    set_text(err, all);
}

/* Returns the bytes of the character at p that a terminal may get: 1 for ASCII, 2 to 4 for valid UTF-8. Returns 0
 * for control characters and invalid bytes. */
static size_t shown(const unsigned char *p) {
    static const unsigned least[] = {0, 0, 0xa0, 0x800, 0x10000}; /* U+0080 to U+009F are the control characters C1 */
    if (p[0] < 0x80) return p[0] >= ' ' && p[0] != 0x7f;
    const size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    unsigned c = p[0] & (0xffu >> (n + 1));
    if (p[0] < 0xc0 || p[0] > 0xf4) return 0;
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : n;
}

char *ws_err_show(char *to, const char *text) {
    char *w = to;
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        const size_t n = shown(p);
        if (n) memcpy(w, p, n);
        w += n ? n : (size_t)sprintf(w, "\\x%02x", *p);
        p += n ? n : 1;
    }
    *w = '\0';
    return to;
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
