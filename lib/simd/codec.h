/* SPDX-License-Identifier: MIT
 * Residue codes in their three forms: characters, bytes (one code each) and packed words (six 5-bit codes, see
 * lib/stream/batch.h). Each function exists for several vector widths; ws_codec_get chooses. All widths give the same
 * bytes. */
#ifndef WS_SIMD_CODEC_H
#define WS_SIMD_CODEC_H

#include "lib/base/alphabet.h"
#include "lib/base/ws.h"
#include "lib/simd/width.h"

#include <stddef.h>

/* A genetic code. The number of a codon has five bits for each of its bases. */
enum { WS_CODON_RESIDUE = 31, WS_CODON_STOP = 64, WS_CODON_START = 128 }; /* bits of a codon's entry */
typedef struct ws_codons {
    uint8_t of[1 << 15];
    uint8_t plain[64]; /* the same of codons whose bases are below 4, with two bits for each base */
} ws_codons;

/* A frame of codons: their residues, and bit k % 64 of word k / 64: codon k is a stop, or may begin an ORF. */
typedef struct ws_frame {
    uint8_t *residue;
    uint64_t *stop, *start;
} ws_frame;
enum { WS_FRAMES = 3, WS_FRAME_STEP = 64 };

typedef struct ws_codec {
    const char *name; /* the width: "avx2", "scalar" */
    /* Translates text[0..n) to codes, up to the first character that is no residue (code_of >= WS_C_SKIP). Returns
     * the number of codes. Reads at most n bytes; may write up to 64 bytes beyond code[n). */
    size_t (*digitise)(const ws_abc *abc, const uint8_t *text, size_t n, uint8_t *code);
    /* Does the same, but continues after newlines, which it counts in *lines, and ignored characters. *n: characters
     * given; on return, characters used. Returns the number of codes. */
    size_t (*digitise_lines)(const ws_abc *abc, const uint8_t *text, size_t *n, uint8_t *code, uint64_t *lines);
    /* Packs n codes into ceil(n/6) words, padded with WS_CODE_PAD. May read up to 64 bytes beyond code[n), and write
     * up to 16 words beyond the last. */
    void (*pack)(const uint8_t *code, size_t n, uint32_t *word);
    /* Unpacks ceil(n/6)*6 codes, padding included, from words. May write up to 64 bytes beyond, and read up to 16
     * words beyond. */
    void (*unpack)(const uint32_t *word, size_t n, uint8_t *code);
    /* Writes the letters of n codes (five bits of each byte); '?' for a byte that is no code. */
    void (*spell)(const ws_abc *abc, const uint8_t *code, size_t n, char *text);
    /* Returns 1 if a sequence of n residues has only codes below Kp, then WS_CODE_PAD, and 0 in bits 30 and 31 of
     * each word. */
    int (*check)(const uint32_t *word, size_t n, int Kp);
    /* Copies n bytes, and replaces NUL, tab, LF and CR by blanks, because texts of a batch must not hold them.
     * Returns 1 if it replaced any. May write up to 64 bytes beyond; from == to is allowed. */
    int (*copy_text)(char *to, const char *from, size_t n);
    /* Writes the other strand of n codes of a nucleotide alphabet to other[0..n): the complements in reverse order.
     * The arrays must not overlap; nothing beyond them is read or written. */
    void (*other_strand)(const ws_abc *abc, const uint8_t *code, size_t n, uint8_t *other);
    /* Looks up steps * WS_FRAME_STEP codons of each frame; codon k of frame f has the bases 3k + f to 3k + f + 2. Reads
     * 3 * WS_FRAME_STEP * steps + 3 bases, and writes what belongs to the codons alone. */
    void (*frames)(const ws_codons *table, const uint8_t *base, size_t steps, const ws_frame frame[WS_FRAMES]);
} ws_codec;

/* The variants. Callers use ws_codec_get, because only scalar runs everywhere. */
WS_DECLARE_WIDTHS(ws_codec, ws_codec_);

/* Returns the fastest codec for this machine; static. */
static inline const ws_codec *ws_codec_get(const ws_cpu *cpu) {
    static const ws_codec *const codecs[WS_NWIDTH] = {WS_BY_WIDTH(ws_codec_)};
    return codecs[ws_cpu_best(cpu)];
}

#endif
