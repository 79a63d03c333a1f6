/* SPDX-License-Identifier: MIT
 * The packed stream as man/warpsieve-packed.5 describes it, for its writer and its reader. Internal to lib/io.
 *
 *   frame   8 bytes magic, six 64-bit numbers, XXH3-64 of these 56 bytes
 *   stream  head frame, (block frame, body)*, end frame */
#ifndef WS_IO_PACKFMT_H
#define WS_IO_PACKFMT_H

#include "lib/base/ws.h"

#include <string.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the packed stream is little-endian and is taken as it is"
#endif

enum { PACK_FRAME = 64, PACK_NUMBERS = 6, PACK_ALIGN = 64, PACK_VERSION = 1, PACK_HAS_QUAL = 1 };

/* Text-mode transfers change one of the last four bytes, as in PNG. */
#define PACK_HEAD "\x89WSP\r\n\x1a\n"
#define PACK_BLOCK "\x89WSB\r\n\x1a\n"
#define PACK_END "\x89WSE\r\n\x1a\n"

typedef struct pack_frame {
    char magic[8];
    uint64_t v[PACK_NUMBERS];
    uint64_t check;
} pack_frame;

/* Numbers of a head, a block and an end frame; the others are zero. */
enum { HEAD_VERSION, HEAD_ALPHABET };
enum { BLOCK_NUMBER, BLOCK_SEQS, BLOCK_WORDS, BLOCK_TEXT, BLOCK_RESIDUES, BLOCK_FLAGS };
enum { END_BLOCKS, END_SEQS, END_RESIDUES };

static inline uint64_t pack_frame_check(const pack_frame *f) { return XXH3_64bits(f, offsetof(pack_frame, check)); }

/* The parts of a body, in this order; all but the words and the checksum are its front. */
static inline uint64_t pack_lengths(const pack_frame *f) {
    return 4 * f->v[BLOCK_SEQS] * (f->v[BLOCK_FLAGS] & PACK_HAS_QUAL ? 4 : 3);
}
static inline uint64_t pack_round(uint64_t n) { return (n + PACK_ALIGN - 1) / PACK_ALIGN * PACK_ALIGN; }
static inline uint64_t pack_front(const pack_frame *f) { return pack_round(pack_lengths(f) + f->v[BLOCK_TEXT]); }
/* Zero bytes between the words and the checksum, which ends on a multiple of PACK_ALIGN. */
static inline uint64_t pack_gap(const pack_frame *f) {
    const uint64_t words = 4 * f->v[BLOCK_WORDS] + sizeof(uint64_t);
    return pack_round(words) - words;
}

#endif
