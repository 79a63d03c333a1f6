/* SPDX-License-Identifier: MIT
 * The packed stream as man/warpsieve-packed.5 describes it, for its writer and its reader. Internal to lib/stream and
 * lib/formats.
 *
 *   frame     8 bytes magic, six 64-bit numbers, XXH3-64 of these 56 bytes
 *   version 1 head, (block)*, end
 *   version 2 head with a body, (queries | block, pairs)*, end
 * Blocks, queries and pairs are a frame and a body. */
#ifndef WS_STREAM_PACKFMT_H
#define WS_STREAM_PACKFMT_H

#include "lib/base/mem.h"

#include <string.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the packed stream is little-endian and is taken as it is"
#endif

enum { PACK_FRAME = 64, PACK_NUMBERS = 6, PACK_ALIGN = 64 };
/* Flags of a block. With a phrase its length is in the upper half of the flags, and its bytes are before the texts. */
enum { PACK_HAS_QUAL = 1, PACK_HAS_PHRASE = 2, PACK_PHRASE_BITS = 32 };
enum { PACK_QUERY16 = 12 }; /* as the form of the column query: numbers of 16 bits */
enum { PACK_SEQUENCES = 1, PACK_WITH_PAIRS = 2 }; /* versions */

/* Text-mode transfers change one of the last four bytes, as in PNG. */
#define PACK_HEAD "\x89WSP\r\n\x1a\n"
#define PACK_BLOCK "\x89WSB\r\n\x1a\n"
#define PACK_QUERIES "\x89WSQ\r\n\x1a\n"
#define PACK_PAIRS "\x89WSR\r\n\x1a\n"
#define PACK_RECORDS "\x89WSL\r\n\x1a\n" /* of windows, in earlier versions */
#define PACK_END "\x89WSE\r\n\x1a\n"

typedef struct pack_frame {
    char magic[8];
    uint64_t v[PACK_NUMBERS];
    uint64_t check;
} pack_frame;

/* Appends a frame with six numbers (lib/stream/packed_write.c). WS_ENOMEM. */
int ws_pack_frame(ws_buf *out, const char *magic, const uint64_t *v, ws_err *err);

/* Numbers of the frames; the others are zero. From version 2 on a head has columns and text. */
enum { HEAD_VERSION, HEAD_ALPHABET, HEAD_COLUMNS, HEAD_TEXT };
enum { BLOCK_NUMBER, BLOCK_SEQS, BLOCK_WORDS, BLOCK_TEXT, BLOCK_RESIDUES, BLOCK_FLAGS };
enum { QUERIES_FIRST, QUERIES_N, QUERIES_TEXT };
enum { PAIRS_BLOCK, PAIRS_N, PAIRS_TABLE, PAIRS_TEXT };
enum { END_BLOCKS, END_SEQS, END_RESIDUES, END_PAIRS, END_IN, END_IN_RESIDUES };
/* END_IN and END_IN_RESIDUES are the size of the stream: ws_ledger_to_frame in lib/stream/ledger.h. */

static inline uint64_t pack_frame_check(const pack_frame *f) { return XXH3_64bits(f, offsetof(pack_frame, check)); }

/* Return the bytes of the sections of a body, in this order. All but the words and the checksum are its front. */
static inline uint64_t pack_lengths(const pack_frame *f) {
    return 4 * f->v[BLOCK_SEQS] * (f->v[BLOCK_FLAGS] & PACK_HAS_QUAL ? 4 : 3);
}
static inline uint64_t pack_round(uint64_t n) { return (n + PACK_ALIGN - 1) / PACK_ALIGN * PACK_ALIGN; }
/* Returns the bytes of a body with n bytes in it: zeros after them, the checksum at the end. Not of a block, whose
 * layout is its own. */
static inline uint64_t pack_body(uint64_t n) { return pack_round(n + sizeof(uint64_t)); }
static inline uint64_t pack_eight(uint64_t n) { return (n + 7) / 8 * 8; }
static inline uint64_t pack_front(const pack_frame *f) { return pack_round(pack_lengths(f) + f->v[BLOCK_TEXT]); }
/* Returns the zero bytes between the words and the checksum, which ends on a multiple of PACK_ALIGN. */
static inline uint64_t pack_gap(const pack_frame *f) {
    const uint64_t words = 4 * f->v[BLOCK_WORDS] + sizeof(uint64_t);
    return pack_round(words) - words;
}

#endif
