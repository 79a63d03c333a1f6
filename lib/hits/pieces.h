/* SPDX-License-Identifier: MIT
 * A table of pieces in a temporary file. They are made group by group of rows, each with the pieces of all blocks of
 * columns, and read block by block. Pieces of a block stand side by side in the file, 32 MB of pieces at a time. */
#ifndef WS_HITS_PIECES_H
#define WS_HITS_PIECES_H

#include "lib/base/mem.h"

/* Zero-initialise, and call ws_pieces_release. */
typedef struct ws_pieces {
    size_t nblock, ngroup;
    uint64_t *at;       /* [nblock][ngroup] places in the file */
    const uint8_t *map; /* the file; NULL: it is empty, or there is none yet */
    uint64_t size;
    int has_file, fd;
} ws_pieces;

/* Appends the piece of a group in a block to a buffer. Blocks of a group are asked for in order, by one thread. */
typedef int ws_pieces_fn(void *ctx, size_t group, size_t block, ws_buf *to, ws_err *err);

/* Makes all pieces, on up to `threads` threads. Memory: 8 bytes for each piece, some 64 MB of pieces on their way, and
 * twice the pieces of a group for each thread. WS_ENOMEM; WS_EIO of the file; the failure of `make`. */
int ws_pieces_make(ws_pieces *p, size_t nblock, size_t ngroup, int threads, ws_pieces_fn *make, void *ctx,
                   ws_err *err);

/* Returns where a piece begins. */
static inline const uint8_t *ws_pieces_at(const ws_pieces *p, size_t block, size_t group) {
    return p->map + p->at[block * p->ngroup + group];
}

void ws_pieces_release(ws_pieces *p);

#endif
