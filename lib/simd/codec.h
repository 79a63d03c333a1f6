/* SPDX-License-Identifier: MIT
 * Residue codes between their three forms: characters, bytes (one code each) and packed words (six 5-bit codes, see
 * lib/io/batch.h). Each function exists for several vector widths and is chosen once, by ws_codec_get. All give the
 * same bytes. */
#ifndef WS_SIMD_CODEC_H
#define WS_SIMD_CODEC_H

#include "lib/base/alphabet.h"
#include "lib/base/cpu.h"
#include "lib/base/ws.h"

#include <stddef.h>

typedef struct ws_codec {
    const char *name; /* "scalar", "avx2", "avx512" */
    /* Translates text[0..n) to codes up to the first character that is no residue (code_of >= WS_C_SKIP): returns how
     * many were translated. May read up to `n` bytes only, may write up to 64 bytes beyond code[n). */
    size_t (*digitise)(const ws_abc *abc, const uint8_t *text, size_t n, uint8_t *code);
    /* The same, but newlines (counted in *lines) and characters that are ignored do not stop it: takes *n characters,
     * sets *n to how many were used up, returns the number of codes. */
    size_t (*digitise_lines)(const ws_abc *abc, const uint8_t *text, size_t *n, uint8_t *code, uint64_t *lines);
    /* Packs n codes into ceil(n/6) words; places behind the last are WS_CODE_PAD. May read up to 64 bytes beyond
     * code[n) and write up to 16 words beyond the last. */
    void (*pack)(const uint8_t *code, size_t n, uint32_t *word);
    /* Unpacks ceil(n/6)*6 codes from words, padding included. May write up to 64 bytes beyond, and read up to 16
     * words beyond. */
    void (*unpack)(const uint32_t *word, size_t n, uint8_t *code);
    /* Codes (five bits of each byte) to letters; '?' for what is no code. */
    void (*spell)(const ws_abc *abc, const uint8_t *code, size_t n, char *text);
    /* 1 if the words of a sequence of n residues hold codes below Kp, WS_CODE_PAD behind them and 0 in bits 30 and
     * 31. */
    int (*check)(const uint32_t *word, size_t n, int Kp);
    /* Copies n bytes; NUL, tab, LF and CR become blanks, because no text of a batch may hold them. Returns 1 if there
     * were any. May write up to 64 bytes beyond; from == to is legal. */
    int (*copy_text)(char *to, const char *from, size_t n);
} ws_codec;

/* The variants; a caller asks ws_codec_get, because only scalar runs everywhere. */
extern const ws_codec ws_codec_scalar, ws_codec_avx2, ws_codec_avx512;

/* The fastest for this machine. */
const ws_codec *ws_codec_get(const ws_cpu *cpu);
/* By name, NULL if not usable here; for tests. */
const ws_codec *ws_codec_named(const ws_cpu *cpu, const char *name);

#endif
