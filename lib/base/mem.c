/* SPDX-License-Identifier: MIT
 * Checked memory: see lib/base/mem.h. */
#include "lib/base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *ws_alloc(size_t bytes, ws_err *err) {
    void *p = NULL;
    if (posix_memalign(&p, WS_ALIGN, ws_max(bytes, WS_ALIGN)) != 0) {
        ws_fail_nomem(err, bytes);
        return NULL;
    }
    return p;
}

void *ws_calloc(size_t n, size_t size, ws_err *err) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        ws_fail_nomem(err, SIZE_MAX);
        return NULL;
    }
    void *p = ws_alloc(bytes, err);
    if (p) memset(p, 0, bytes);
    return p;
}

static int leaves; /* ws_free keeps memory. Atomic */

/* A sanitizer that looks for memory that is lost sees what it would without this. */
void ws_mem_leave(void) {
#ifndef __SANITIZE_ADDRESS__
    __atomic_store_n(&leaves, 1, __ATOMIC_RELAXED);
#endif
}

void ws_free(void *p) {
    if (!__atomic_load_n(&leaves, __ATOMIC_RELAXED)) free(p);
}

char *ws_strndup(const char *s, size_t n, ws_err *err) {
    char *p = malloc(n + 1); /* texts need no alignment, which takes as much as most names */
    if (!p) {
        ws_fail_nomem(err, n + 1);
        return NULL;
    }
    if (n) memcpy(p, s, n);
    p[n] = '\0';
    return p;
}

/* Makes *p, of `had` bytes, an array of so many bytes; keeps the content. */
static int regrow(void **p, size_t had, size_t bytes, ws_err *err) {
    enum { LARGE = 1 << 20 };
    if (*p && had >= LARGE) { /* the kernel moves its pages: nothing is copied, and memory holds it once */
        void *moved = realloc(*p, bytes);
        if (!moved) return ws_fail_nomem(err, bytes);
        *p = moved;
        if ((uintptr_t)moved % WS_ALIGN == 0) return WS_OK;
    }
    void *fresh = ws_alloc(bytes, err);
    if (!fresh) return WS_ENOMEM;
    if (*p) memcpy(fresh, *p, had);
    free(*p);
    *p = fresh;
    return WS_OK;
}

int ws_grow(void *pp, size_t *cap, size_t need, size_t size, ws_err *err) {
    if (need <= *cap) return WS_OK;
    size_t want = *cap ? *cap : 64, bytes;
    while (want < need) {
        if (want > SIZE_MAX / 2) return ws_fail_nomem(err, SIZE_MAX);
        want *= 2;
    }
    if (__builtin_mul_overflow(want, size, &bytes)) return ws_fail_nomem(err, SIZE_MAX);
    void *p;
    memcpy(&p, pp, sizeof p);
    const int rc = regrow(&p, *cap * size, bytes, err);
    memcpy(pp, &p, sizeof p);
    if (!rc) *cap = want;
    return rc;
}

int ws_buf_reserve(ws_buf *b, size_t more, ws_err *err) {
    size_t need;
    if (__builtin_add_overflow(b->n, more, &need)) return ws_fail_nomem(err, SIZE_MAX);
    return ws_grow(&b->p, &b->cap, need, 1, err);
}

void *ws_buf_scratch(ws_buf *b, size_t n, ws_err *err) {
    b->n = 0;
    if (b->cap < n) ws_buf_release(b); /* growing would copy bytes that no caller reads */
    return ws_buf_reserve(b, ws_max(n, 1), err) ? NULL : b->p;
}

int ws_buf_add(ws_buf *b, const void *p, size_t n, ws_err *err) {
    int rc = ws_buf_reserve(b, n, err);
    if (rc) return rc;
    if (n) memcpy(b->p + b->n, p, n);
    b->n += n;
    return WS_OK;
}

int ws_buf_adds(ws_buf *b, const char *s, ws_err *err) {
    const size_t n = strlen(s);
    int rc = ws_buf_reserve(b, n + 1, err);
    if (rc) return rc;
    memcpy(b->p + b->n, s, n + 1);
    b->n += n;
    return WS_OK;
}

int ws_buf_addv(ws_buf *b, ws_err *err, const char *fmt, va_list ap) {
    enum { MOST = 512 }; /* of nearly all rows */
    va_list again;
    int rc = ws_buf_reserve(b, MOST, err);
    if (rc) return rc;
    va_copy(again, ap);
    const size_t room = b->cap - b->n;
    const int n = vsnprintf(b->p + b->n, room, fmt, ap);
    if (n < 0) ws_bug("bad format");
    if ((size_t)n >= room && !(rc = ws_buf_reserve(b, (size_t)n + 1, err)))
        vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
    va_end(again);
    if (!rc) b->n += (size_t)n;
    return rc;
}

int ws_buf_addf(ws_buf *b, ws_err *err, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const int rc = ws_buf_addv(b, err, fmt, ap);
    va_end(ap);
    return rc;
}

void ws_buf_release(ws_buf *b) {
    ws_free(b->p);
    *b = (ws_buf){0};
}
