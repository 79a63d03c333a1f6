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

/* Sequences that wait for their block of pairs to fill are full. */
static inline int ws_packed_is_full(const ws_batch *open) {
    return open->nword >= WS_PACKED_BLOCK_WORDS || open->n >= WS_PACKED_BLOCK_SEQS ||
           open->text.n >= WS_PACKED_BLOCK_TEXT;
}

/* Totals of a stream, for its end block. */
typedef struct ws_packed_totals {
    uint64_t blocks, seqs, residues;
} ws_packed_totals;

/* A block that is not full yet: its sections, as the format has them. Zero-initialise it. */
enum { PACK_LENGTHS = 4 };
typedef struct ws_packed_open {
    ws_buf length[PACK_LENGTHS]; /* uint32_t of each sequence: residues, bytes of name, description, qualities */
    ws_buf text, word;
    size_t n; /* sequences */
    uint64_t residues, quals; /* quals: bytes */
} ws_packed_open;
void ws_packed_open_release(ws_packed_open *o);

/* Appends the stream header. */
int ws_packed_head(ws_buf *out, const ws_abc *abc, ws_err *err);

/* Adds sequences first .. end - 1 of a batch. Appends each block that becomes full to *out, and adds it to *t; without
 * `out` all stay in one block. WS_ENOMEM, or WS_EDATA for a text that is too long. */
int ws_packed_add(ws_packed_open *o, const ws_batch *b, size_t first, size_t end, ws_buf *out, ws_packed_totals *t,
                  ws_err *err);

/* Appends the open block, if it has a sequence, and begins the next one. n > 0: a block of version 2 with a phrase of n
 * bytes, for which a zero byte stands in descriptions. */
int ws_packed_close(ws_packed_open *o, const char *phrase, size_t n, ws_buf *out, ws_packed_totals *t, ws_err *err);

/* Appends the end block. size: of the database that the sequences are some of; NULL: they are all of it. */
int ws_packed_end(ws_buf *out, const ws_packed_totals *t, const ws_stream_size *size, ws_err *err);

#ifdef __cplusplus
}
#endif
#endif
