/* SPDX-License-Identifier: MIT
 * Blocks of BGZF, which are gzip members that say how long they are. So one thread finds them, and others inflate
 * several at a time. Only blocks without any peculiarity are taken here; lib/compress/inflate.h knows all gzip
 * members. */
#ifndef WS_COMPRESS_BGZF_H
#define WS_COMPRESS_BGZF_H

#include "lib/base/ws.h"

/* Looks for a block at p[0..n): WS_OK, *size is its length and *text that of what it holds; WS_AGAIN, more bytes are
 * needed to say; WS_EDATA, there is no block that can be taken here. */
int ws_bgzf_find(const uint8_t *p, size_t n, size_t *size, size_t *text);

/* Some blocks in a row. */
typedef struct ws_bgzf ws_bgzf;

ws_bgzf *ws_bgzf_create(ws_err *err); /* NULL and a sentence on failure */
void ws_bgzf_destroy(ws_bgzf *g);     /* NULL is legal */

/* Empties it. The next block begins at byte `from` of the data. */
void ws_bgzf_reuse(ws_bgzf *g, uint64_t from);
/* Adds a copy of the block that ws_bgzf_find has found at p. */
int ws_bgzf_add(ws_bgzf *g, const uint8_t *p, size_t size, ws_err *err);
/* Returns the length of all blocks in it. */
size_t ws_bgzf_bytes(const ws_bgzf *g);

/* Inflates them all into `out`, which has room for the text of all. *nout is the text of the blocks before a damaged
 * one; the sentence for that one, without the input's name, is in *err. Any thread. */
int ws_bgzf_inflate(ws_bgzf *g, uint8_t *out, size_t *nout, ws_err *err);

#endif
