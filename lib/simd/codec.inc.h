/* SPDX-License-Identifier: MIT
 * The vector body of the codec, included once per width. The includer defines
 *   CODEC            the name of the ws_codec object
 *   CODEC_NAME       its name for people
 *   V, VH            the vector type and the one of half its width
 *   V_BYTES          bytes in V: 16, 32 or 64
 *   V_LOAD V_STORE VH_LOAD VH_STORE   unaligned
 *   V_LOAD_PART(p, n)                 the first n < V_BYTES bytes, ' ' after them; reads no others
 *   V_SET8 V_SET32 V_SET64            one value everywhere
 *   V_ROW(p)         16 bytes from p in every 128-bit lane
 *   V_LANES(p, step) 16 bytes to each 128-bit lane, from p, p + step and so on
 *   V_AND V_OR V_XOR V_ADD32 V_SHUFFLE8 V_MADDUBS V_MADD16 V_MULLO16
 *   V_LOOKUP8(t, v)  byte v[i] of the lane of t where v[i] is below 16, elsewhere 0
 *   V_SRL16 V_SRL32 V_SRL64 V_SLL64
 *   V_TOPS8(v)       bit i: the top bit of byte i, as uint64_t
 *   V_ANY(v)         not all zero
 *   V_SPREAD(v)      32-bit elements 3k..3k+2 to elements 4k..4k+2: 12 bytes to the front of every lane
 *   V_JOIN(v)        the inverse of V_SPREAD
 *   V_TURN(v)        the 128-bit lanes in the opposite order
 *   V_NARROW(v)      the low halves of the 64-bit elements, as VH
 *   V_WIDEN(h)       the 32-bit elements of a VH as 64-bit elements
 * and this file takes none of them back: an includer ends with it.
 *
 * One word is handled in one 64-bit element: six bytes of codes there, two unused. */

enum { WORDS = V_BYTES / 8 }; /* words per step; 6*WORDS codes */

/* Tables for translation. A character's code is a byte of abc->code_of; rows 2 to 7 of 16 bytes hold all residues. c
 * ^ row is below 16 where the character is in the row. Elsewhere the look-up gives 0. The inverted rows are OR-ed, so
 * a character of no row becomes 0xff. */
typedef struct rows {
    V row[6];
} rows;

WS_INLINE rows rows_of(const ws_abc *abc) {
    rows r;
    for (int k = 0; k < 6; k++) r.row[k] = V_XOR(V_ROW(abc->code_of + 16 * (k + 2)), V_SET8(-1));
    return r;
}

/* Translates V_BYTES characters. Returns a mask; bit i: character i is no residue. */
WS_INLINE uint64_t translate(const rows *r, const uint8_t *text, uint8_t *code) {
    const V c = V_LOAD(text);
    V x = V_LOOKUP8(r->row[0], V_XOR(c, V_SET8(0x20)));
    for (int k = 1; k < 6; k++) x = V_OR(x, V_LOOKUP8(r->row[k], V_XOR(c, V_SET8(16 * (k + 2)))));
    x = V_XOR(x, V_SET8(-1));
    V_STORE(code, x);
    return V_TOPS8(x);
}

static size_t digitise(const ws_abc *abc, const uint8_t *text, size_t n, uint8_t *code) {
    const rows r = rows_of(abc);
    size_t i = 0;
    for (; i + V_BYTES <= n; i += V_BYTES) {
        const uint64_t stop = translate(&r, text + i, code + i);
        if (stop) return i + (size_t)__builtin_ctzll(stop);
    }
    return i + ws_codec_scalar.digitise(abc, text + i, n - i, code + i);
}

/* Converts lines. The length of a line is known some 25 cycles after its load, and the next load would wait for it.
 * Most lines of a file have equal length, so the code assumes the previous length. While the branch is predicted, the
 * next load does not wait. The asm hides from the compiler that both values are equal. This saves 27 % of the reader's
 * cycles on Zen 5. */
static size_t digitise_lines(const ws_abc *abc, const uint8_t *text, size_t *n, uint8_t *code, uint64_t *lines) {
    const rows r = rows_of(abc);
    size_t i = 0, got = 0, last = 0;
    while (i + V_BYTES <= *n) {
        const uint64_t stop = translate(&r, text + i, code + got);
        if (!stop) {
            i += V_BYTES;
            got += V_BYTES;
            continue;
        }
        size_t k = (size_t)__builtin_ctzll(stop);
        if (k == last) __asm__("" : "=r"(k) : "0"(last));
        else last = k;
        i += k;
        got += k;
        const uint8_t c = abc->code_of[text[i]];
        if (c != WS_C_EOL && c != WS_C_SKIP) {
            *n = i;
            return got;
        }
        *lines += c == WS_C_EOL;
        i++;
    }
    size_t rest = *n - i;
    got += ws_codec_scalar.digitise_lines(abc, text + i, &rest, code + got, lines);
    *n = i + rest;
    return got;
}

static const uint8_t pack_order[16] = {0, 1, 2, 3, 4, 5, 0x80, 0x80, 6, 7, 8, 9, 10, 11, 0x80, 0x80};
static const uint8_t unpack_order[16] = {0, 1, 1, 2, 2, 3, 0x80, 0x80, 8, 9, 9, 10, 10, 11, 0x80, 0x80};
static const uint8_t join_order[16] = {0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 0x80, 0x80, 0x80, 0x80};

/* Packs codes as ws_codec.pack. A step reads 8*WORDS bytes and writes 4*WORDS, so up to 64 bytes and 7 words beyond
 * the end. */
static void pack(const uint8_t *code, size_t n, uint32_t *word) {
    const V order = V_ROW(pack_order), tens = V_SET32(0x20012001), twenties = V_SET64(INT64_C(0x0000000104000001));
    const size_t words = (n + 5) / 6, left = n % 6;
    for (size_t w = 0; w < words; w += WORDS) {
        V x = V_SHUFFLE8(V_SPREAD(V_LOAD(code + 6 * w)), order); /* c0 c1 c2 c3 c4 c5 0 0 */
        x = V_MADDUBS(x, tens);                                  /* 16 bits: c0 + 32 c1, c2 + 32 c3, c4 + 32 c5, 0 */
        x = V_MADD16(x, twenties);                               /* 32 bits: the first four, the last two */
        x = V_OR(x, V_SLL64(V_SRL64(x, 32), 20));
        VH_STORE(word + w, V_NARROW(x));
    }
    if (!left) return;
    const uint32_t codes = (UINT32_C(1) << 5 * left) - 1;
    word[words - 1] = (word[words - 1] & codes) | (UINT32_C(0x3fffffff) & ~codes);
}

static void unpack(const uint32_t *word, size_t n, uint8_t *code) {
    const V order = V_ROW(unpack_order), join = V_ROW(join_order), up = V_SET64(INT64_C(0x0000000400100040));
    const V low = V_SET32(0x001f001f), high = V_SET32(0x1f001f00);
    const size_t words = (n + 5) / 6;
    for (size_t w = 0; w < words; w += WORDS) {
        V x = V_SHUFFLE8(V_WIDEN(VH_LOAD(word + w)), order); /* 16 bits: two codes at bit 0, at bit 2, at bit 4 */
        x = V_MULLO16(x, up);                                /* ... all at bit 6 */
        x = V_OR(V_AND(V_SRL16(x, 6), low), V_AND(V_SRL16(x, 3), high));
        V_STORE(code + 6 * w, V_JOIN(V_SHUFFLE8(x, join)));
    }
}

static void spell(const ws_abc *abc, const uint8_t *code, size_t n, char *text) {
    char letters[32];
    memset(letters, '?', sizeof letters);
    memcpy(letters, abc->letters, (size_t)abc->Kp);
    const V lo = V_ROW(letters), hi = V_ROW(letters + 16), sixteen = V_SET8(16);
    size_t i = 0;
    for (; i + V_BYTES <= n; i += V_BYTES) {
        const V c = V_AND(V_LOAD(code + i), V_SET8(31));
        V_STORE(text + i, V_OR(V_LOOKUP8(lo, c), V_LOOKUP8(hi, V_XOR(c, sixteen))));
    }
    for (; i < n; i++) text[i] = letters[code[i] & 31];
}

/* Even and odd codes, taken apart, have five free bits above them. Adding 32 - Kp carries into the first of these
 * where a code is too large. */
enum { EVEN = 0x01f07c1f, CARRY = 0x02008020 };
WS_INLINE uint32_t too_large(uint32_t w, uint32_t add) {
    return ((((w & EVEN) + add) | ((w >> 5 & EVEN) + add)) & CARRY) | w >> 30;
}

static int check(const uint32_t *word, size_t n, int Kp) {
    const uint32_t add = (uint32_t)(32 - Kp) * 0x00100401u;
    const V even = V_SET32(EVEN), adds = V_SET32((int)add);
    const size_t full = n / 6, step = V_BYTES / 4;
    V carry = V_SET32(0), all = V_SET32(0);
    uint32_t bad = 0;
    if (full < step) {
        for (size_t i = 0; i < full; i++) bad |= too_large(word[i], add);
    } else {
        for (size_t i = 0; i < full; i += step) { /* the last step overlaps the one before it */
            const V w = V_LOAD(word + (i + step <= full ? i : full - step));
            all = V_OR(all, w);
            carry = V_OR(carry, V_OR(V_ADD32(V_AND(w, even), adds), V_ADD32(V_AND(V_SRL32(w, 5), even), adds)));
        }
    }
    if (n % 6) {
        const uint32_t bits = 5 * (uint32_t)(n % 6), last = word[full];
        bad |= too_large(last & ((UINT32_C(1) << bits) - 1), add) | (last >> bits ^ UINT32_C(0x3fffffff) >> bits);
    }
    return !bad && !V_ANY(V_OR(V_AND(carry, V_SET32(CARRY)), V_SRL32(all, 30)));
}

/* Copies as ws_codec.copy_text. The table holds c ^ ' ' for replaced characters and 0 for the others below 16; the
 * look-up gives 0 from 16 on. */
static int copy_text(char *to, const char *from, size_t n) {
    static const uint8_t table[16] = {0 ^ ' ', [9] = 9 ^ ' ', [10] = 10 ^ ' ', [13] = 13 ^ ' '};
    const V change = V_ROW(table);
    V any = V_SET8(0);
    size_t i = 0;
    for (; i + V_BYTES <= n; i += V_BYTES) {
        const V c = V_LOAD(from + i), x = V_LOOKUP8(change, c);
        any = V_OR(any, x);
        V_STORE(to + i, V_XOR(c, x));
    }
    if (i < n) {
        const V c = V_LOAD_PART(from + i, n - i), x = V_LOOKUP8(change, c);
        any = V_OR(any, x);
        V_STORE(to + i, V_XOR(c, x));
    }
    return V_ANY(any);
}

static void other_strand(const ws_abc *abc, const uint8_t *code, size_t n, uint8_t *other) {
    static const uint8_t backwards[16] = {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    const V lo = V_ROW(abc->complement), hi = V_ROW(abc->complement + 16), order = V_ROW(backwards);
    size_t i = 0;
    for (; i + V_BYTES <= n; i += V_BYTES) {
        const V c = V_AND(V_LOAD(code + i), V_SET8(31));
        const V x = V_OR(V_LOOKUP8(lo, c), V_LOOKUP8(hi, V_XOR(c, V_SET8(16))));
        V_STORE(other + n - i - V_BYTES, V_TURN(V_SHUFFLE8(x, order)));
    }
    ws_codec_scalar.other_strand(abc, code + i, n - i, other);
}

/* [j][i]: where every third byte of 48, from byte j on, stands in the 16 bytes from 16 i on. */
#define NO 0x80
static const uint8_t thirds[3][3][16] = {
    {{0, 3, 6, 9, 12, 15, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO},
     {NO, NO, NO, NO, NO, NO, 2, 5, 8, 11, 14, NO, NO, NO, NO, NO},
     {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, 1, 4, 7, 10, 13}},
    {{1, 4, 7, 10, 13, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO},
     {NO, NO, NO, NO, NO, 0, 3, 6, 9, 12, 15, NO, NO, NO, NO, NO},
     {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, 2, 5, 8, 11, 14}},
    {{2, 5, 8, 11, 14, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO},
     {NO, NO, NO, NO, NO, 1, 4, 7, 10, 13, NO, NO, NO, NO, NO, NO},
     {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, 0, 3, 6, 9, 12, 15}}};
#undef NO

/* Sets third[j] to every third of 3 * V_BYTES bytes, from byte j on. */
WS_INLINE void take_thirds(const uint8_t *p, int n, V *third) {
    const V x[3] = {V_LANES(p, 48), V_LANES(p + 16, 48), V_LANES(p + 32, 48)};
    for (int j = 0; j < n; j++)
        third[j] = V_OR(V_OR(V_SHUFFLE8(x[0], V_ROW(thirds[j][0])), V_SHUFFLE8(x[1], V_ROW(thirds[j][1]))),
                        V_SHUFFLE8(x[2], V_ROW(thirds[j][2])));
}

/* Looks up V_BYTES codons of each frame, as far as their bases are below 4, and shifts the bits of these by `at`.
 * Returns not 0 if a base is not below 4. */
WS_INLINE int plain_codons(const V *row, const uint8_t *base, size_t at, const ws_frame *frame, uint64_t *stop,
                           uint64_t *start) {
    V b[WS_FRAMES + 2]; /* of the codons of frame f: b[f], b[f + 1], b[f + 2] */
    take_thirds(base, 3, b);
    take_thirds(base + 3, 2, b + 3);
    for (int f = 0; f < WS_FRAMES; f++) {
        const V codon = V_OR(V_OR(V_SLL64(b[f], 4), V_SLL64(b[f + 1], 2)), b[f + 2]);
        V x = V_LOOKUP8(row[0], codon);
        for (int k = 1; k < 4; k++) x = V_OR(x, V_LOOKUP8(row[k], V_XOR(codon, V_SET8(16 * k))));
        V_STORE(frame[f].residue + at, V_AND(x, V_SET8(WS_CODON_RESIDUE)));
        stop[f] |= V_TOPS8(V_SLL64(x, 1)) << at % WS_FRAME_STEP;
        start[f] |= V_TOPS8(x) << at % WS_FRAME_STEP;
    }
    return V_ANY(V_AND(V_OR(V_OR(V_OR(b[0], b[1]), V_OR(b[2], b[3])), b[4]), V_SET8(0xfc)));
}

static void frames(const ws_codons *table, const uint8_t *base, size_t steps, const ws_frame frame[WS_FRAMES]) {
    const V row[4] = {V_ROW(table->plain), V_ROW(table->plain + 16), V_ROW(table->plain + 32),
                      V_ROW(table->plain + 48)};
    for (size_t w = 0; w < steps; w++) {
        const uint8_t *here = base + 3 * WS_FRAME_STEP * w;
        uint64_t stop[WS_FRAMES] = {0}, start[WS_FRAMES] = {0};
        ws_frame rest[WS_FRAMES];
        int odd = 0;
        for (size_t k = 0; k < WS_FRAME_STEP; k += V_BYTES)
            odd |= plain_codons(row, here + 3 * k, WS_FRAME_STEP * w + k, frame, stop, start);
        for (int f = 0; f < WS_FRAMES; f++) {
            frame[f].stop[w] = stop[f];
            frame[f].start[w] = start[f];
            rest[f] = (ws_frame){frame[f].residue + WS_FRAME_STEP * w, frame[f].stop + w, frame[f].start + w};
        }
        if (odd) ws_codec_scalar.frames(table, here, 1, rest);
    }
}

const ws_codec CODEC = {CODEC_NAME, digitise, digitise_lines, pack,         unpack,
                        spell,      check,    copy_text,      other_strand, frames};
