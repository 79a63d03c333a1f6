/* SPDX-License-Identifier: MIT
 * Writer of the packed stream; the format is man/warpsieve-packed.5. The reader is part of lib/formats/seqread.h.
 * Blocks are built in a caller's buffer, so a worker can format them and another thread write them. */
#ifndef WS_STREAM_PACKED_H
#define WS_STREAM_PACKED_H

#include "lib/base/alphabet.h"
#include "lib/stream/batch.h"
#include "lib/stream/ledger.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A block is closed at the first sequence that brings it to so many words (2^20 residues), sequences or bytes of text.
 * One with pairs is closed earlier (2^14 residues): the next stage of a pipe waits for it, with all its threads. */
enum {
    WS_PACKED_BLOCK_WORDS = (1 << 20) / WS_RESIDUES_PER_WORD,
    WS_PACKED_BLOCK_SEQS = 1 << 20,
    WS_PACKED_BLOCK_TEXT = 1 << 26,
    WS_PACKED_BLOCK_PAIRS = 1 << 13,
    WS_PACKED_PAIRS_WORDS = (1 << 14) / WS_RESIDUES_PER_WORD
};

/* Sequences that wait for their block to fill are full. */
static inline int ws_packed_is_full(const ws_batch *open) {
    return open->nword >= WS_PACKED_BLOCK_WORDS || open->n >= WS_PACKED_BLOCK_SEQS ||
           open->text.n >= WS_PACKED_BLOCK_TEXT;
}

/* Returns the end of those of sequences first .. end - 1 that go into a block with the open ones: the last fills it. */
size_t ws_packed_fit(const ws_batch *open, const ws_batch *b, size_t first, size_t end);

/* Totals of a stream, for its end block. */
typedef struct ws_packed_totals {
    uint64_t blocks, seqs, residues;
} ws_packed_totals;

/* Appends the stream header. */
int ws_packed_head(ws_buf *out, const ws_abc *abc, ws_err *err);

/* Appends the chosen sequences of a batch (indices pick[0..n), or all if pick is NULL) as blocks of at most about 1 MiB
 * of residues each, and adds to *t. Nothing is written for n = 0. */
int ws_packed_blocks(ws_buf *out, const ws_batch *b, const uint32_t *pick, size_t n, ws_packed_totals *t, ws_err *err);

/* Appends all sequences of a batch as one block of version 2, with a phrase for which a zero byte stands in
 * descriptions. n = 0: without a phrase. */
int ws_packed_block(ws_buf *out, const ws_batch *b, const char *phrase, size_t n, ws_packed_totals *t, ws_err *err);

/* Appends the end block. size: of the database that the sequences are some of; NULL: they are all of it. */
int ws_packed_end(ws_buf *out, const ws_packed_totals *t, const ws_stream_size *size, ws_err *err);

#ifdef __cplusplus
}
#endif
#endif
