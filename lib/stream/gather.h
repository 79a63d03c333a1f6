/* SPDX-License-Identifier: MIT
 * Bytes from many places to one: what follows each other there too is copied at once. */
#ifndef WS_STREAM_GATHER_H
#define WS_STREAM_GATHER_H

#include <stddef.h>
#include <string.h>

/* Zero-initialise but for `to`, where the bytes go. */
typedef struct ws_gather {
    char *to;
    const char *from; /* n bytes that are not copied yet */
    size_t n;
} ws_gather;

/* Copies what waits. */
static inline void ws_gather_end(ws_gather *g) {
    if (g->n) memcpy(g->to, g->from, g->n);
    g->to += g->n;
    g->n = 0;
}

/* Adds n bytes, which stay until the end. There is room for them. */
static inline void ws_gather_add(ws_gather *g, const void *from, size_t n) {
    if (!n) return;
    if (!g->n || g->from + g->n != (const char *)from) {
        ws_gather_end(g);
        g->from = from;
    }
    g->n += n;
}

#endif
