/* SPDX-License-Identifier: MIT
 * Checked memory. Size computations check for overflow, buffers grow geometrically, and each failure becomes a
 * sentence. */
#ifndef WS_BASE_MEM_H
#define WS_BASE_MEM_H

#include "lib/base/ws.h"

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { WS_ALIGN = 64 }; /* one cache line, one AVX-512 register */

/* Returns a zeroed, WS_ALIGN-aligned array of n elements, which the caller releases with ws_free. n = 0 gives a
 * valid pointer. Returns NULL and a sentence in *err on failure. */
void *ws_calloc(size_t n, size_t size, ws_err *err);
/* Returns WS_ALIGN-aligned memory of undefined content, which the caller releases with ws_free; NULL and a sentence on
 * failure. The kernel gives pages of it only where something is written. */
void *ws_alloc(size_t bytes, ws_err *err);
void ws_free(void *p); /* p may be NULL */
/* Lets ws_free and ws_buf_release of all threads keep memory from now on: the process ends soon, and the kernel takes
 * all at once. */
void ws_mem_leave(void);

/* Returns a copy of n bytes and a NUL, which the caller releases with ws_free; NULL and a sentence on failure. */
char *ws_strndup(const char *s, size_t n, ws_err *err);

/* A growable byte buffer; `p` is WS_ALIGN-aligned. The user zero-initialises it and calls ws_buf_release. */
typedef struct ws_buf {
    char *p;
    size_t n, cap;
} ws_buf;

/* Makes room for `more` bytes after b->n, and keeps the content and b->n. Returns WS_ENOMEM on failure. */
int ws_buf_reserve(ws_buf *b, size_t more, ws_err *err);
/* Returns p, WS_ALIGN-aligned, with room for n bytes of undefined content; earlier content is lost. Returns NULL and
 * a sentence on failure. */
void *ws_buf_scratch(ws_buf *b, size_t n, ws_err *err);
/* Appends n bytes. This function and those below return WS_ENOMEM on failure, and then change nothing. */
int ws_buf_add(ws_buf *b, const void *p, size_t n, ws_err *err);
/* Append a text and put a NUL after it, which b->n does not count. So b->p is a string until bytes are added. */
int ws_buf_adds(ws_buf *b, const char *s, ws_err *err);
int ws_buf_addf(ws_buf *b, ws_err *err, const char *fmt, ...) WS_PRINTF(3, 4);
/* The same; ap is spent afterwards. */
int ws_buf_addv(ws_buf *b, ws_err *err, const char *fmt, va_list ap) WS_PRINTF(3, 0);
void ws_buf_release(ws_buf *b);

/* Makes *p (an array of elements of `size` bytes with room for *cap) hold at least `need`, by doubling; keeps the
 * content. */
int ws_grow(void *p, size_t *cap, size_t need, size_t size, ws_err *err);

#ifdef __cplusplus
}
#endif
#endif
