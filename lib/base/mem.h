/* SPDX-License-Identifier: MIT
 * Checked memory: sizes are multiplied with overflow checks, buffers grow geometrically, failures become sentences. */
#ifndef WS_BASE_MEM_H
#define WS_BASE_MEM_H

#include "lib/base/ws.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WS_ALIGN = 64 }; /* one cache line, one AVX-512 register */

/* Zeroed, WS_ALIGN-aligned array of n elements; NULL and a sentence in *err on failure. Release with ws_free. n = 0 gives
 * a valid pointer. */
void *ws_calloc(size_t n, size_t size, ws_err *err);
void ws_free(void *p); /* NULL is legal */

/* A copy of n bytes with a NUL behind them. Release with ws_free. */
char *ws_strndup(const char *s, size_t n, ws_err *err);

/* A growable byte buffer; `p` is WS_ALIGN-aligned. Zero-initialise; release with ws_buf_release. */
typedef struct ws_buf {
    char *p;
    size_t n, cap;
} ws_buf;

/* Room for `more` bytes behind b->n; the content is kept, b->n unchanged. */
int ws_buf_reserve(ws_buf *b, size_t more, ws_err *err);
/* Appends n bytes. This and what follows can fail with WS_ENOMEM alone, and then change nothing. */
int ws_buf_add(ws_buf *b, const void *p, size_t n, ws_err *err);
/* These two leave a NUL behind the text, which b->n does not count: b->p is a string then, until bytes are added. */
int ws_buf_adds(ws_buf *b, const char *s, ws_err *err);
int ws_buf_addf(ws_buf *b, ws_err *err, const char *fmt, ...) WS_PRINTF(3, 4);
void ws_buf_release(ws_buf *b);

/* Makes *p (an array of elements of `size` bytes with room for *cap) hold at least `need`, by doubling; keeps the content. */
int ws_grow(void *p, size_t *cap, size_t need, size_t size, ws_err *err);

#ifdef __cplusplus
}
#endif
#endif
