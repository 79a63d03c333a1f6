/* SPDX-License-Identifier: MIT
 * The vector body of the codec, included once per width. The includer defines
 *   CODEC            the name of the ws_codec object
 *   CODEC_NAME       its name for people
 *   V, VH            the vector type and the one of half its width
 *   V_BYTES          bytes in V: 32 or 64
 *   V_LOAD V_STORE VH_LOAD VH_STORE   unaligned
 *   V_SET8 V_SET32 V_SET64            one value everywhere
 *   V_ROW(p)         16 bytes from p in every 128-bit lane
 *   V_AND V_OR V_XOR V_ADDS8U V_ADD32 V_SHUFFLE8 V_MADDUBS V_MADD16 V_MULLO16
 *   V_SRL16 V_SRL32 V_SRL64 V_SLL64
 *   V_TOPS8(v)       bit i: the top bit of byte i, as uint64_t
 *   V_ANY(v)         not all zero
 *   V_SPREAD(v)      32-bit elements 3k..3k+2 to elements 4k..4k+2: 12 bytes to the front of every lane
 *   V_JOIN(v)        the inverse of V_SPREAD
 *   V_NARROW(v)      the low halves of the 64-bit elements, as VH
 *   V_WIDEN(h)       the 32-bit elements of a VH as 64-bit elements
 * and this file takes none of them back: an includer ends with it.
 *
 * One word is handled in one 64-bit element: six bytes of codes there, two unused. */

enum { WORDS = V_BYTES / 8 }; /* words per step; 6*WORDS codes */

/* A character's code is a byte of abc->code_of; rows 2 to 7 of 16 bytes hold all that are residues. c ^ row is below 16
 * where the character is in the row; the saturating addition sets the top bit elsewhere, for which the shuffle gives 0.
 * The inverted rows are OR-ed, so that a character of no row becomes 0xff. */
static size_t digitise(const ws_abc *abc, const uint8_t *text, size_t n, uint8_t *code) {
    const V ones = V_SET8(-1), lift = V_SET8(0x70);
    V row[6];
    for (int k = 0; k < 6; k++) row[k] = V_XOR(V_ROW(abc->code_of + 16 * (k + 2)), ones);
    size_t i = 0;
    for (; i + V_BYTES <= n; i += V_BYTES) {
        const V c = V_LOAD(text + i);
        V r = V_SHUFFLE8(row[0], V_ADDS8U(V_XOR(c, V_SET8(0x20)), lift));
        for (int k = 1; k < 6; k++)
            r = V_OR(r, V_SHUFFLE8(row[k], V_ADDS8U(V_XOR(c, V_SET8(16 * (k + 2))), lift)));
        r = V_XOR(r, ones);
        V_STORE(code + i, r);
        uint64_t stop = V_TOPS8(r);
        if (stop) return i + (size_t)__builtin_ctzll(stop);
    }
    for (; i < n && (code[i] = abc->code_of[text[i]]) < WS_C_SKIP; i++) {}
    return i;
}

static const uint8_t pack_order[16] = {0, 1, 2, 3, 4, 5, 0x80, 0x80, 6, 7, 8, 9, 10, 11, 0x80, 0x80};
static const uint8_t unpack_order[16] = {0, 1, 1, 2, 2, 3, 0x80, 0x80, 8, 9, 9, 10, 10, 11, 0x80, 0x80};
static const uint8_t join_order[16] = {0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 0x80, 0x80, 0x80, 0x80};

/* Reads 8*WORDS and writes 4*WORDS bytes at a time, so up to 64 bytes and 7 words beyond. */
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
    if (left) word[words - 1] = (word[words - 1] & ((UINT32_C(1) << 5 * left) - 1)) | (UINT32_C(0x3fffffff) << 5 * left & 0x3fffffff);
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
    const V lo = V_ROW(letters), hi = V_ROW(letters + 16), lift = V_SET8(0x70), sixteen = V_SET8(16);
    size_t i = 0;
    for (; i + V_BYTES <= n; i += V_BYTES) {
        const V c = V_AND(V_LOAD(code + i), V_SET8(31));
        V_STORE(text + i, V_OR(V_SHUFFLE8(lo, V_ADDS8U(c, lift)), V_SHUFFLE8(hi, V_ADDS8U(V_XOR(c, sixteen), lift))));
    }
    for (; i < n; i++) text[i] = letters[code[i] & 31];
}

/* Even and odd codes apart have five free bits above them: adding 32 - Kp carries into the first of those where a code is
 * too large. */
static int check(const uint32_t *word, size_t n, int Kp) {
    const uint32_t field = 0x01f07c1f, carry = 0x02008020, add = (uint32_t)(32 - Kp) * 0x00100401u;
    const V fields = V_SET32((int)field), adds = V_SET32((int)add);
    V bad = V_SET32(0), all = V_SET32(0);
    uint32_t bad1 = 0, all1 = 0;
    size_t i = 0;
    for (; i + V_BYTES / 4 <= n; i += V_BYTES / 4) {
        const V w = V_LOAD(word + i);
        all = V_OR(all, w);
        bad = V_OR(bad, V_OR(V_ADD32(V_AND(w, fields), adds), V_ADD32(V_AND(V_SRL32(w, 5), fields), adds)));
    }
    for (; i < n; i++) {
        all1 |= word[i];
        bad1 |= ((word[i] & field) + add) | ((word[i] >> 5 & field) + add);
    }
    return !V_ANY(V_AND(bad, V_SET32((int)carry))) && !V_ANY(V_SRL32(all, 30)) && !(bad1 & carry) && !(all1 >> 30);
}

const ws_codec CODEC = {CODEC_NAME, digitise, pack, unpack, spell, check};
