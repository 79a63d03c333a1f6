/* SPDX-License-Identifier: MIT
 * The bytes of one input in their order, plain or decompressed, in chunks: the part of lib/compress/source.c that one
 * thread does at a time. Blocks of BGZF are only found here; any thread inflates them afterwards. */
#ifndef WS_COMPRESS_FEED_H
#define WS_COMPRESS_FEED_H

#include "lib/base/ws.h"
#include "lib/compress/bgzf.h"
#include "lib/compress/inflate.h"
#include "lib/compress/unzstd.h"

#include <stdatomic.h>

typedef struct ws_chunk {
    uint8_t *p;     /* room for WS_SOURCE_CHUNK bytes */
    size_t n;
    ws_bgzf *group; /* NULL: none was needed yet */
    int packed;     /* the group has blocks that give this chunk's bytes */
} ws_chunk;

typedef struct ws_feed {
    char *name;
    int fd, own_fd, always_ready; /* a regular file never makes us wait */
    int is_pipe;
    int64_t base; /* where the input begins in a regular file */
    uint64_t size;
    _Atomic uint64_t done;

    enum { WS_FEED_UNKNOWN, WS_FEED_PLAIN, WS_FEED_BGZF, WS_FEED_GZIP, WS_FEED_ZSTD } kind;
    uint8_t *raw;       /* bytes read and not yet used: the first ones of a plain input, else compressed ones */
    size_t nraw, raw_at; /* ... from raw_at on */
    int raw_eof;
    size_t most;        /* so much of this chunk is filled */
    uint64_t taken;     /* by blocks of BGZF */
    uint64_t blocks;    /* so many */
    int open;           /* the last of them had bytes */
    ws_inflate *inflate;
    ws_unzstd *unzstd;
} ws_feed;

/* Opens path ("-" is stdin), which sentences call `name`, into *f, which the caller has set to zero. The caller calls
 * ws_feed_close after a failure too. */
int ws_feed_open(ws_feed *f, const char *path, const char *name, ws_err *err);
void ws_feed_close(ws_feed *f);

/* Fills one chunk as far as it goes without waiting, except that it waits timeout_ms for the first byte. Returns WS_OK,
 * or what follows the bytes of the chunk: WS_EOF, WS_AGAIN or a failure. If c->packed is set, ws_chunk_unpack makes the
 * bytes. */
int ws_feed_fill(ws_feed *f, int timeout_ms, ws_chunk *c, ws_err *err);

/* Makes the bytes of a chunk whose `packed` is set, and unsets it. A failure follows the c->n bytes. Any thread. */
int ws_chunk_unpack(const ws_feed *f, ws_chunk *c, ws_err *err);

#endif
