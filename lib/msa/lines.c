/* SPDX-License-Identifier: MIT
 * Lines of a text that comes in chunks, with a look ahead, and sentences about them: see lib/msa/reader.h. */
#include "lib/msa/reader.h"

#include <stdarg.h>
#include <stdio.h>

/* Sets the current line to p[0..n), which ends before its line feed. */
static void set_line(ws_lines *l, const char *p, size_t n) {
    l->whole = 1;
    if (n > 0 && p[n - 1] == '\r') n--;
    l->p = p;
    l->n = n;
    l->number++;
}

static int next_chunk(ws_lines *l, ws_err *err) {
    l->at = l->nchunk = 0;
    const int rc = ws_source_next(l->source, -1, &l->chunk, &l->nchunk, err);
    if (rc == WS_EOF) l->eof = 1;
    return rc;
}

/* Fails if n bytes more would be too many before it is known what the text is. */
static int has_room(const ws_lines *l, size_t n, ws_err *err) {
    if (!l->most || l->held.n + n <= l->most) return WS_OK;
    return ws_fail(err, WS_EDATA, "%s: no alignment begins in the first %zu MB", ws_source_name(l->source),
                   l->most >> 20);
}

static int fail_zero(const ws_lines *l, size_t at, ws_err *err) {
    return ws_fail(err, WS_EDATA, "%s: line %llu: byte %zu is zero, and an alignment is text",
                   ws_source_name(l->source), (unsigned long long)l->number + 1, at);
}

/* Gives the next line of the source. */
static int read_line(ws_lines *l, ws_err *err) {
    int rc = WS_OK;
    l->carry.n = 0;
    for (;;) {
        if (l->at == l->nchunk && (l->eof || (rc = next_chunk(l, err)) != WS_OK)) {
            if (!l->eof) return rc;
            if (l->carry.n == 0) return WS_EOF;
            set_line(l, l->carry.p, l->carry.n);
            l->whole = 0;
            return WS_OK;
        }
        const char *p = (const char *)l->chunk + l->at, *end = memchr(p, '\n', l->nchunk - l->at);
        const size_t n = end ? (size_t)(end - p) : l->nchunk - l->at;
        const char *zero = memchr(p, '\0', n);
        if (zero) return fail_zero(l, l->carry.n + (size_t)(zero - p) + 1, err);
        l->at += n + (end != NULL);
        if (end && l->carry.n == 0) {
            set_line(l, p, n);
            return WS_OK;
        }
        if ((rc = has_room(l, l->carry.n + n, err)) || (rc = ws_buf_add(&l->carry, p, n, err))) return rc;
        if (end) {
            set_line(l, l->carry.p, l->carry.n);
            return WS_OK;
        }
    }
}

int ws_lines_next(ws_lines *l, ws_err *err) {
    if (l->held_at < l->held.n) {
        const char *p = l->held.p + l->held_at;
        const size_t n = (size_t)((const char *)memchr(p, '\n', l->held.n - l->held_at) - p);
        l->held_at += n + 1;
        set_line(l, p, n);
        return WS_OK;
    }
    if (!l->holding && l->held.n > 0) { /* all of it was given */
        ws_buf_release(&l->held);
        l->held_at = 0;
    }
    int rc = read_line(l, err);
    if (rc == WS_OK) rc = has_room(l, l->n, err);
    if (rc != WS_OK || !l->holding) return rc;
    if (ws_buf_add(&l->held, l->p, l->n, err) || ws_buf_add(&l->held, "\n", 1, err)) return err->code;
    l->held_at = l->held.n;
    return WS_OK;
}

int ws_lines_next_text(ws_lines *l, ws_err *err) {
    int rc;
    do {
        if ((rc = ws_lines_next(l, err)) != WS_OK) return rc;
    } while (ws_word_trim((ws_word){l->p, l->n}).n == 0);
    return WS_OK;
}

void ws_lines_hold(ws_lines *l) { l->holding = 1; }

void ws_lines_rewind(ws_lines *l) {
    l->holding = 0;
    l->held_at = 0;
    l->number = 0;
}

static int is_blank(char c) { return c == ' ' || c == '\t'; }

ws_word ws_word_next(ws_word *rest) {
    ws_word w = *rest;
    while (w.n > 0 && is_blank(*w.p)) w.p++, w.n--;
    size_t n = 0;
    while (n < w.n && !is_blank(w.p[n])) n++;
    rest->p = w.p + n;
    rest->n = w.n - n;
    while (rest->n > 0 && is_blank(*rest->p)) rest->p++, rest->n--;
    w.n = n;
    return w;
}

ws_word ws_word_trim(ws_word w) {
    while (w.n > 0 && is_blank(w.p[w.n - 1])) w.n--;
    return w;
}

int ws_msa_fail(const ws_msareader *r, ws_err *err, const char *fmt, ...) {
    char text[WS_ERR_MAX], which[48] = "";
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (r->number > 1) snprintf(which, sizeof which, ", alignment %llu", (unsigned long long)r->number);
    return ws_fail(err, WS_EDATA, "%s: line %llu%s: %s", r->name, (unsigned long long)r->lines.number, which, text);
}
