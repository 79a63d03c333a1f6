/* SPDX-License-Identifier: MIT
 * Every vector codec against the scalar one: all lengths, all characters, all codes, random texts. */
#include "lib/base/cpu.h"
#include "tests/lib/io.h"

enum { LONGEST = 200, ROUNDS = 20000, ROOM = 4096 };

typedef struct mem { /* heap blocks of the exact sizes that codec.h grants, for the address sanitizer */
    uint8_t *text, *code;
    uint32_t *word;
} mem;

static mem grant(size_t n) {
    const size_t words = (n + 5) / 6;
    mem m = {malloc(n + 1), calloc(1, 6 * words + 64), calloc(words + 16, 4)};
    must(m.text && m.code && m.word, "memory");
    return m;
}

static void release(mem *m) {
    free(m->text);
    free(m->code);
    free(m->word);
}

static int same_digits(const ws_codec *c, const ws_abc *abc, const uint8_t *text, size_t n) {
    mem a = grant(n), b = grant(n);
    memcpy(a.text, text, n);
    size_t x = c->digitise(abc, a.text, n, a.code), y = ws_codec_scalar.digitise(abc, a.text, n, b.code);
    int same = x == y && !memcmp(a.code, b.code, y);
    release(&a);
    release(&b);
    return same;
}

static int same_words(const ws_codec *c, const ws_abc *abc, uint64_t *seed, size_t n) {
    mem a = grant(n), b = grant(n);
    const size_t words = (n + 5) / 6;
    for (size_t i = 0; i < n; i++) a.code[i] = b.code[i] = (uint8_t)below(seed, 32);
    for (size_t i = n; i < 6 * words + 64; i++) a.code[i] = (uint8_t)rnd(seed); /* what is beyond must not matter */
    c->pack(a.code, n, a.word);
    ws_codec_scalar.pack(b.code, n, b.word);
    int same = !memcmp(a.word, b.word, 4 * words);
    memset(a.code, 0xee, 6 * words + 64);
    c->unpack(b.word, n, a.code);
    ws_codec_scalar.unpack(b.word, n, b.code);
    same &= !memcmp(a.code, b.code, 6 * words);
    char *s = malloc(n + 64), *t = malloc(n + 64);
    must(s && t, "memory");
    c->spell(abc, a.code, n, s);
    ws_codec_scalar.spell(abc, b.code, n, t);
    same &= !memcmp(s, t, n);
    free(s);
    free(t);
    release(&a);
    release(&b);
    return same;
}

/* One wrong code, padding or bit among good ones, anywhere in a sequence of n residues, must be seen; none must not. */
static int same_check(const ws_codec *c, const ws_abc *abc, uint64_t *seed, size_t n) {
    const size_t words = (n + 5) / 6;
    uint32_t *word = malloc(4 * words + 1);
    must(word != NULL, "memory");
    for (size_t i = 0; i < words; i++) {
        word[i] = 0;
        for (size_t j = 0; j < 6; j++)
            word[i] |= (uint32_t)(6 * i + j < n ? below(seed, (size_t)abc->Kp) : WS_CODE_PAD) << 5 * j;
    }
    int same = c->check(word, n, abc->Kp) == 1;
    for (size_t i = 0; i < words; i++) {
        const uint32_t kept = word[i];
        for (size_t j = 0; j < 6; j++) {
            const uint32_t high = (uint32_t)abc->Kp + (uint32_t)below(seed, (size_t)(32 - abc->Kp));
            word[i] = (kept & ~(31u << 5 * j)) | (6 * i + j < n ? high : (uint32_t)below(seed, 31)) << 5 * j;
            same &= c->check(word, n, abc->Kp) == 0;
        }
        word[i] = kept | 1u << (30 + below(seed, 2));
        same &= c->check(word, n, abc->Kp) == 0;
        word[i] = kept;
    }
    free(word);
    return same;
}

static int same_lines(const ws_codec *c, const ws_abc *abc, const uint8_t *text, size_t n) {
    mem a = grant(n), b = grant(n);
    size_t x = n, y = n;
    uint64_t lines = 5, want = 5;
    memcpy(a.text, text, n);
    const size_t got = c->digitise_lines(abc, a.text, &x, a.code, &lines);
    int same = got == ws_codec_scalar.digitise_lines(abc, a.text, &y, b.code, &want) && x == y && lines == want &&
               !memcmp(a.code, b.code, got);
    release(&a);
    release(&b);
    return same;
}

/* Also in place, and back from the text that has no such characters. */
static int same_text_copy(const ws_codec *c, const uint8_t *text, size_t n) {
    char *from = malloc(n + 1), *a = malloc(n + 64), *b = malloc(n + 64);
    must(from && a && b, "memory");
    memcpy(from, text, n);
    const int odd = ws_codec_scalar.copy_text(b, from, n);
    int same = c->copy_text(a, from, n) == odd && !memcmp(a, b, n) && c->copy_text(a, a, n) == 0 && !memcmp(a, b, n);
    memcpy(a, from, n);
    same &= c->copy_text(a, a, n) == odd && !memcmp(a, b, n);
    free(from);
    free(a);
    free(b);
    return same;
}

/* Every length, in blocks of the exact size; the other strand of the other strand is the first one, codes only. */
static int same_strands(const ws_codec *c, const ws_abc *abc, uint64_t *seed, size_t n) {
    uint8_t *from = malloc(n + 1), *a = malloc(n + 1), *b = malloc(n + 1);
    must(from && a && b, "memory");
    for (size_t i = 0; i < n; i++) from[i] = (uint8_t)below(seed, 32);
    from[n] = a[n] = 0xee;
    c->other_strand(abc, from, n, a);
    ws_codec_scalar.other_strand(abc, from, n, b);
    int same = !memcmp(a, b, n) && a[n] == 0xee;
    c->other_strand(abc, a, n, b);
    same &= !memcmp(b, from, n);
    free(from);
    free(a);
    free(b);
    return same;
}

/* Codons with every code, few or no degenerate ones: residues and bits, and nothing behind them. */
static int same_frames(const ws_codec *c, const ws_codons *table, uint64_t *seed, size_t steps) {
    enum { STEP = WS_FRAME_STEP, MOST = 4 };
    static const size_t odd[] = {1, 40, 1 << 20};
    const size_t n = 3 * STEP * steps + 3, often = odd[below(seed, 3)];
    uint8_t *base = malloc(n), residue[2][WS_FRAMES][STEP * MOST];
    uint64_t bits[2][2 * WS_FRAMES][MOST];
    must(base != NULL, "memory");
    memset(residue, 0xee, sizeof residue);
    memset(bits, 0xee, sizeof bits);
    for (size_t i = 0; i < n; i++) base[i] = (uint8_t)below(seed, below(seed, often) ? 4 : 32);
    for (int k = 0; k < 2; k++) {
        ws_frame frame[WS_FRAMES];
        for (int f = 0; f < WS_FRAMES; f++)
            frame[f] = (ws_frame){residue[k][f], bits[k][2 * f], bits[k][2 * f + 1]};
        (k ? c : &ws_codec_scalar)->frames(table, base, steps, frame);
    }
    free(base);
    return !memcmp(residue[0], residue[1], sizeof residue[0]) && !memcmp(bits[0], bits[1], sizeof bits[0]);
}

static void codons(tap *t, const ws_codec *c, uint64_t seed) {
    enum { MOST = 4 };
    static ws_codons table;
    int same = 1;
    for (size_t i = 0; i < sizeof table.of; i++) table.of[i] = (uint8_t)(rnd(&seed) & ~32u);
    for (size_t i = 0; i < sizeof table.plain; i++)
        table.plain[i] = table.of[i >> 4 << 10 | (i >> 2 & 3) << 5 | (i & 3)];
    for (int round = 0; round < ROUNDS / 10; round++) same &= same_frames(c, &table, &seed, below(&seed, MOST + 1));
    tap_ok(t, same, "%s: frames of random codons", c->name);
}

static void characters(tap *t, const ws_codec *c, const ws_abc *abc) {
    uint8_t text[LONGEST];
    int same = 1;
    for (size_t n = 1; n <= LONGEST; n++) {
        for (int ch = 0; ch < 256; ch++) { /* each at a place of its own and at the end */
            memset(text, 'A', n);
            text[((size_t)ch * 7 + n) % n] = (uint8_t)ch;
            same &= same_digits(c, abc, text, n) && same_lines(c, abc, text, n) && same_text_copy(c, text, n);
            text[n - 1] = (uint8_t)ch;
            same &= same_digits(c, abc, text, n) && same_lines(c, abc, text, n) && same_text_copy(c, text, n);
        }
    }
    tap_ok(t, same, "%s: digitise, lines, text, %s, every character, lengths 1 to %d", c->name, abc->name, LONGEST);
}

static void lengths(tap *t, const ws_codec *c, const ws_abc *abc) {
    uint64_t seed = 1;
    int words = same_digits(c, abc, (const uint8_t *)"", 0), check = 1;
    for (size_t n = 0; n <= LONGEST; n++) words &= same_words(c, abc, &seed, n);
    for (size_t n = 0; n <= 2 * LONGEST; n++) check &= same_check(c, abc, &seed, n);
    tap_ok(t, words, "%s: pack, unpack, spell, %s, lengths 0 to %d", c->name, abc->name, LONGEST);
    if (abc->complement) {
        int strands = 1;
        for (size_t n = 0; n <= 2 * LONGEST; n++) strands &= same_strands(c, abc, &seed, n);
        tap_ok(t, strands, "%s: the other strand, %s, 0 to %d residues", c->name, abc->name, 2 * LONGEST);
    }
    tap_ok(t, check, "%s: check, %s, every place of 0 to %d residues", c->name, abc->name, 2 * LONGEST);
}

static void random_texts(tap *t, const ws_codec *c, const ws_abc *abc, uint64_t seed) {
    static const char letters[] = "ACDEFGHIKLMNPQRSTVWYacdefghiklmnpqrstvwyBJZOUX*~._";
    uint8_t *text = malloc(ROOM);
    int same = 1;
    const uint64_t start = seed;
    must(text != NULL, "memory");
    for (int round = 0; round < ROUNDS && same; round++) {
        const size_t n = below(&seed, ROOM), odd = below(&seed, 300) + 1;
        for (size_t i = 0; i < n; i++)
            text[i] = below(&seed, odd) ? (uint8_t)letters[below(&seed, sizeof letters - 1)] : (uint8_t)rnd(&seed);
        same &= same_digits(c, abc, text, n) && same_words(c, abc, &seed, n);
        for (size_t i = below(&seed, 70) + 1; i < n; i += below(&seed, 70) + 1) text[i] = below(&seed, 9) ? '\n' : ' ';
        same &= same_lines(c, abc, text, n) && same_text_copy(c, text, n);
    }
    tap_ok(t, same, "%s: %d random texts, %s, seed %llu", c->name, ROUNDS, abc->name, (unsigned long long)start);
    free(text);
}

/* The definition itself, on a case done by hand. */
static void by_hand(tap *t) {
    const ws_abc *abc = ws_abc_get(WS_ABC_AMINO);
    uint8_t code[64];
    uint32_t word[18];
    char text[64];
    size_t n = ws_codec_scalar.digitise(abc, (const uint8_t *)"aCdY*~X.\nA", 10, code);
    const uint8_t want[] = {0, 1, 2, 19, 27, 28, 26, 20};
    tap_ok(t, n == 8 && !memcmp(code, want, 8), "scalar: digitise stops at the newline");
    ws_codec_scalar.pack(code, n, word);
    tap_ok(t, word[0] == (0u | 1u << 5 | 2u << 10 | 19u << 15 | 27u << 20 | 28u << 25) &&
                  word[1] == (26u | 20u << 5 | 31u << 10 | 31u << 15 | 31u << 20 | 31u << 25),
           "scalar: pack, first residue lowest, padding 31");
    ws_codec_scalar.spell(abc, code, n, text);
    tap_ok(t, !memcmp(text, "ACDY*~X.", 8), "scalar: spell");
    const ws_abc *dna = ws_abc_get(WS_ABC_DNA);
    uint8_t other[18];
    n = ws_codec_scalar.digitise(dna, (const uint8_t *)"ACGT.RYMKSWHBVDN*~", 18, code);
    ws_codec_scalar.other_strand(dna, code, n, other);
    ws_codec_scalar.spell(dna, other, n, text);
    tap_ok(t, n == 18 && !memcmp(text, "~*NHBVDWSMKRY.ACGT", 18), "scalar: the other strand of every code");
    static ws_codons table; /* an entry is the sum of the bases; 3 and more is a stop, 1 may begin an ORF */
    uint8_t base[3 * WS_FRAME_STEP + 3] = {0, 1, 0, 3, 0, 0}, residue[WS_FRAMES][WS_FRAME_STEP];
    uint64_t stop[WS_FRAMES], start[WS_FRAMES];
    ws_frame frame[WS_FRAMES];
    for (int f = 0; f < WS_FRAMES; f++) frame[f] = (ws_frame){residue[f], &stop[f], &start[f]};
    for (unsigned i = 0; i < sizeof table.of; i++) {
        const unsigned sum = (i >> 10) + (i >> 5 & 31) + (i & 31);
        table.of[i] = (uint8_t)(sum % 32 + (sum > 2 ? WS_CODON_STOP : sum == 1 ? WS_CODON_START : 0));
    }
    ws_codec_scalar.frames(&table, base, 1, frame);
    tap_ok(t, residue[0][0] == 1 && residue[0][1] == 3 && residue[1][0] == 4 && residue[2][0] == 3 && !residue[2][1] &&
                  start[0] == 1 && stop[0] == 2 && !start[1] && stop[1] == 1 && stop[2] == 1,
           "scalar: three frames, residues, stops and starts");
}

int main(void) {
    static const ws_codec *const codecs[] = {WS_BY_WIDTH(ws_codec_)};
    static const ws_abc_type types[] = {WS_ABC_AMINO, WS_ABC_DNA, WS_ABC_RNA};
    tap t = {0};
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    tap_note("chosen: %s, %d threads allowed", ws_codec_get(&cpu)->name, ws_cpu_allowed());
    by_hand(&t);
    for (int w = 0; w < WS_WIDTH_scalar; w++) {
        const ws_codec *c = codecs[w];
        if (cpu.why_not[w]) {
            tap_skip(&t, ws_width_name[w], cpu.why_not[w]);
            continue;
        }
        codons(&t, c, 7);
        for (int k = 0; k < 3; k++) {
            const ws_abc *abc = ws_abc_get(types[k]);
            characters(&t, c, abc);
            lengths(&t, c, abc);
            random_texts(&t, c, abc, (uint64_t)(100 + k));
        }
    }
    return tap_end(&t);
}
