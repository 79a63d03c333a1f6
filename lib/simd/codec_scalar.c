/* SPDX-License-Identifier: MIT
 * The scalar codec, the definition for all others: see lib/simd/codec.h. */
#include "lib/simd/codec.h"

#include <string.h>

static size_t digitise(const ws_abc *abc, const uint8_t *text, size_t n, uint8_t *code) {
    size_t i = 0;
    for (; i < n && (code[i] = abc->code_of[text[i]]) < WS_C_SKIP; i++) {}
    return i;
}

static size_t digitise_lines(const ws_abc *abc, const uint8_t *text, size_t *n, uint8_t *code, uint64_t *lines) {
    size_t i = 0, got = 0;
    for (; i < *n; i++) {
        const uint8_t c = abc->code_of[text[i]];
        if (c < WS_C_SKIP) code[got++] = c;
        else if (c == WS_C_EOL) ++*lines;
        else if (c != WS_C_SKIP) break;
    }
    *n = i;
    return got;
}

static void pack(const uint8_t *code, size_t n, uint32_t *word) {
    for (size_t i = 0; i < n; i += 6, word++) {
        *word = UINT32_C(0x3fffffff); /* six times the padding, 31 */
        for (size_t j = 0; j < 6 && i + j < n; j++) *word ^= (uint32_t)(code[i + j] ^ 31) << 5 * j;
    }
}

static void unpack(const uint32_t *word, size_t n, uint8_t *code) {
    for (size_t i = 0; i < n; i += 6, word++)
        for (size_t j = 0; j < 6; j++) code[i + j] = *word >> 5 * j & 31;
}

static void spell(const ws_abc *abc, const uint8_t *code, size_t n, char *text) {
    for (size_t i = 0; i < n; i++) text[i] = (code[i] & 31) < abc->Kp ? abc->letters[code[i] & 31] : '?';
}

static int check(const uint32_t *word, size_t n, int Kp) {
    for (size_t i = 0; i < n; i += 6, word++) {
        if (*word >> 30) return 0;
        for (size_t j = 0; j < 6; j++) {
            const uint32_t code = *word >> 5 * j & 31;
            if (i + j < n ? code >= (uint32_t)Kp : code != 31) return 0;
        }
    }
    return 1;
}

static int copy_text(char *to, const char *from, size_t n) {
    int odd = 0;
    for (size_t i = 0; i < n; i++) {
        const char c = from[i];
        const int replace = c == '\0' || c == '\t' || c == '\n' || c == '\r';
        to[i] = replace ? ' ' : c;
        odd |= replace;
    }
    return odd;
}

static void other_strand(const ws_abc *abc, const uint8_t *code, size_t n, uint8_t *other) {
    for (size_t i = 0; i < n; i++) other[n - 1 - i] = abc->complement[code[i] & 31];
}

static void frames(const ws_codons *table, const uint8_t *base, size_t steps, const ws_frame frame[WS_FRAMES]) {
    for (size_t f = 0; f < WS_FRAMES; f++, base++)
        for (size_t w = 0; w < steps; w++) {
            uint64_t stop = 0, start = 0;
            for (size_t k = 0; k < WS_FRAME_STEP; k++) {
                const uint8_t *b = base + 3 * (WS_FRAME_STEP * w + k), is = table->of[b[0] << 10 | b[1] << 5 | b[2]];
                frame[f].residue[WS_FRAME_STEP * w + k] = is & WS_CODON_RESIDUE;
                stop |= (uint64_t)(is / WS_CODON_STOP & 1) << k;
                start |= (uint64_t)(is / WS_CODON_START) << k;
            }
            frame[f].stop[w] = stop;
            frame[f].start[w] = start;
        }
}

const ws_codec ws_codec_scalar = {"scalar", digitise,  digitise_lines, pack,  unpack,
                                  spell,    check,     copy_text,      other_strand, frames};
