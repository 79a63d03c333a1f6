/* SPDX-License-Identifier: MIT
 * ORFs of a part of a strand: see lib/translate/cut.h. */
#include "lib/translate/cut.h"

#include "lib/base/alphabet.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { CODON = 3, WORD = WS_RESIDUES_PER_WORD };

void ws_cut_room_release(ws_cut_room *room) {
    ws_buf_release(&room->word);
    ws_buf_release(&room->code);
    ws_buf_release(&room->other);
    ws_buf_release(&room->work);
}

/* ---- bases ---- */

enum { CODE_SLACK = 64 + WORD, WORD_SLACK = 16 }; /* of lib/simd/codec.h */

static int read_words(int fd, uint64_t first, size_t n, ws_buf *to, ws_err *err) {
    const size_t bytes = n * sizeof(uint32_t);
    char *p = ws_buf_scratch(to, bytes + WORD_SLACK * sizeof(uint32_t), err);
    if (!p) return WS_ENOMEM;
    for (size_t at = 0; at < bytes;) {
        const ssize_t got = pread(fd, p + at, bytes - at, (off_t)(first * sizeof(uint32_t) + at));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0)
            return ws_fail(err, WS_EIO, "cannot read a temporary file: %s", got < 0 ? strerror(errno) : "it is short");
        at += (size_t)got;
    }
    return WS_OK;
}

/* Returns n bases as they stand in the record. */
static uint8_t *forward(const ws_bases *b, const ws_codec *codec, uint64_t from, size_t n, ws_cut_room *room,
                        ws_err *err) {
    const uint64_t first = from / WORD;
    const size_t words = (size_t)((from + n + WORD - 1) / WORD - first);
    uint8_t *code = ws_buf_scratch(&room->code, words * WORD + CODE_SLACK, err);
    if (!code) return NULL;
    const uint32_t *word = b->word ? b->word + first : NULL;
    if (!word) {
        if (read_words(b->fd, first, words, &room->word, err)) return NULL;
        word = (const uint32_t *)(const void *)room->word.p;
    }
    codec->unpack(word, words * WORD, code);
    return code + from % WORD;
}

uint8_t *ws_bases_get(const ws_bases *b, const ws_codec *codec, int minus, uint64_t from, size_t n, ws_cut_room *room,
                      ws_err *err) {
    uint8_t *code = forward(b, codec, minus ? b->n - from - n : from, n, room, err);
    if (!code || !minus) return code;
    uint8_t *other = ws_buf_scratch(&room->other, n + CODE_SLACK, err);
    if (other) codec->other_strand(ws_abc_get(WS_ABC_DNA), code, n, other);
    return other;
}

/* ---- text ---- */

static char *put(char *to, const char *from, size_t n) {
    if (n) memcpy(to, from, n);
    return to + n;
}
#define PUT(to, literal) put(to, literal, sizeof(literal) - 1)

enum { DIGITS = 20 };

static char *put_number(char *to, uint64_t v) {
    static const char two[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                              "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                              "8081828384858687888990919293949596979899";
    char digit[DIGITS];
    size_t at = DIGITS;
    for (; v >= 100; v /= 100) memcpy(digit + (at -= 2), two + v % 100 * 2, 2);
    if (v >= 10) memcpy(digit + (at -= 2), two + v * 2, 2);
    else digit[--at] = (char)('0' + v);
    return put(to, digit + at, DIGITS - at);
}

void ws_cut_number(ws_batch *b, size_t i, uint64_t number) {
    ws_slice *name = &b->seqtext[i].name;
    char *const end = b->text.p + b->seqtext[i].desc.at, *p = end;
    do *--p = (char)('0' + number % 10);
    while (number /= 10);
    p -= 3;
    memcpy(p, "orf", 3);
    *name = (ws_slice){(size_t)(p - b->text.p), (size_t)(end - p)};
}

/* ---- an ORF ---- */

/* A stretch of codons of a frame: it begins behind a stop, or, below 0, so many codons before the span, and ends before
 * the next one. */
typedef struct ws_cut_end {
    int64_t from;
    uint32_t stop;
} ws_cut_end;

typedef struct cutter {
    const ws_cut *c;
    const ws_span *s;
    ws_cut_room *room;
    ws_batch *to;
    uint16_t *codon;             /* numbers of all codons of the span */
    uint8_t *residue[WS_FRAMES]; /* of the frames by the place of their first codon: 0, 1 and 2 behind lo */
    ws_cut_end *end[WS_FRAMES];  /* of stretches that are long enough */
    size_t nend[WS_FRAMES];
} cutter;

static int add_text(const cutter *k, uint64_t from, uint64_t to, uint64_t len, ws_seqtext *t, ws_err *err) {
    const ws_span *s = k->s;
    ws_buf *text = &k->to->text;
    const size_t words = sizeof "source= coords=.. length= frame= desc=";
    const int rc = ws_buf_reserve(text, WS_CUT_NAME + words + 4 * DIGITS + s->text.nname + s->text.ndesc, err);
    if (rc) return rc;
    char *const start = text->p + text->n + WS_CUT_NAME, *p = PUT(start, "source=");
    p = put(p, s->text.name, s->text.nname);
    p = PUT(p, " coords=");
    p = put_number(p, s->minus ? s->bases.n - from : from + 1);
    p = PUT(p, "..");
    p = put_number(p, s->minus ? s->bases.n - to + 1 : to);
    p = PUT(p, " length=");
    p = put_number(p, len);
    p = PUT(p, " frame=");
    *p++ = (char)('1' + from % CODON + (s->minus ? WS_FRAMES : 0));
    p = PUT(p, " desc=");
    p = put(p, s->text.desc, s->text.ndesc);
    memset(text->p + text->n, ' ', WS_CUT_NAME);
    *t = (ws_seqtext){.name = {text->n, WS_CUT_NAME}, .desc = {text->n + WS_CUT_NAME, (size_t)(p - start)}};
    text->n = (size_t)(p - text->p);
    return WS_OK;
}

/* Translates an ORF that begins before the span, some codons at a time, into the words after the batch's. */
static int far_words(const cutter *k, uint64_t from, uint64_t n, ws_err *err) {
    enum { STEP = 10000 * WORD };
    uint32_t *word = k->to->word + k->to->nword;
    ws_cut_room room = {{0}, {0}, {0}, {0}};
    int rc = WS_OK;
    for (uint64_t i = 0; i < n && !rc; i += STEP) {
        const size_t some = (size_t)ws_min(n - i, STEP);
        const uint8_t *base = ws_bases_get(&k->s->bases, k->c->codec, k->s->minus, from + CODON * i, CODON * some,
                                           &room, err);
        uint8_t *residue = base ? ws_buf_scratch(&room.work, some + CODE_SLACK, err) : NULL;
        if (!residue) {
            rc = err->code;
            break;
        }
        for (size_t c = 0; c < some; c++) residue[c] = k->c->code.residue[ws_codon(base + CODON * c)];
        if (i == 0 && k->c->code.first >= 0) residue[0] = (uint8_t)k->c->code.first;
        k->c->codec->pack(residue, some, word + i / WORD);
    }
    ws_cut_room_release(&room);
    return rc;
}

/* Adds the ORF of so many residues that begins at a place. residue: NULL if it begins before the span. */
static int add_orf(const cutter *k, uint64_t from, uint64_t n, uint8_t *residue, ws_err *err) {
    ws_seqtext t;
    if (n > WS_LEN_MAX)
        return ws_fail(err, WS_EDATA, "record \"%.*s\": an open reading frame of %llu residues is too long",
                       (int)ws_min(k->s->text.nname, 100), k->s->text.name, (unsigned long long)n);
    int rc = ws_batch_reserve_words(k->to, ws_batch_words(n), err);
    if (!rc && residue) {
        if (k->c->code.first >= 0) residue[0] = (uint8_t)k->c->code.first;
        k->c->codec->pack(residue, (size_t)n, k->to->word + k->to->nword);
    } else if (!rc) {
        rc = far_words(k, from, n, err);
    }
    if (!rc) rc = add_text(k, from, from + CODON * n, n, &t, err);
    return rc ? rc : ws_batch_add_seq(k->to, k->to->nword, (uint32_t)n, &t, err);
}

/* ---- a span ---- */

/* Translates the frame whose first codon is at lo + i, and lists what its stops end, as far as it is long enough. */
static void translate_frame(cutter *k, size_t i, size_t n) {
    const uint8_t stop = ws_abc_get(WS_ABC_AMINO)->code_of['*'], *code = k->c->code.residue;
    const uint16_t *codon = k->codon + i;
    const uint64_t open = k->s->open[(k->s->lo + i) % WS_FRAMES];
    const int64_t least = (int64_t)ws_min(k->c->least, INT64_MAX);
    uint8_t *const residue = k->residue[i];
    ws_cut_end *end = k->end[i];
    int64_t from = open == WS_NO_PLACE ? 0 : -(int64_t)((k->s->lo + i - open) / CODON);
    for (size_t c = 0; c < n; c++) {
        const uint8_t r = residue[c] = code[codon[CODON * c]];
        if (r != stop) continue;
        if ((int64_t)c - from >= least) *end++ = (ws_cut_end){from, (uint32_t)c};
        from = (int64_t)c + 1;
    }
    if (k->s->last && (int64_t)n - from >= least) *end++ = (ws_cut_end){from, (uint32_t)n};
    k->nend[i] = (size_t)(end - k->end[i]);
}

/* Translates all codons of the span. */
static int translate(cutter *k, ws_err *err) {
    const ws_span *s = k->s;
    const size_t n = (size_t)(s->hi - s->lo), each = (n / CODON + 1 + CODE_SLACK) / WS_ALIGN * WS_ALIGN + WS_ALIGN,
                 ends = (n / CODON + 2) * sizeof(ws_cut_end), codons = (n * sizeof(uint16_t) / WS_ALIGN + 1) * WS_ALIGN;
    const uint8_t *base = ws_bases_get(&s->bases, k->c->codec, s->minus, s->lo, n + CODON - 1, k->room, err);
    char *p = base ? ws_buf_scratch(&k->room->work, codons + WS_FRAMES * (each + ends), err) : NULL;
    if (!p) return err->code;
    k->codon = (uint16_t *)(void *)p;
    for (size_t i = 0; i < n; i++) k->codon[i] = (uint16_t)ws_codon(base + i);
    p += codons;
    for (size_t i = 0; i < WS_FRAMES; i++, p += ends) {
        k->end[i] = (ws_cut_end *)(void *)p;
        k->residue[i] = (uint8_t *)k->codon + codons + WS_FRAMES * ends + i * each;
        translate_frame(k, i, n > i ? (n - i + CODON - 1) / CODON : 0);
    }
    return WS_OK;
}

/* Adds the ORF of the stretch that an end of frame i closes, if it is long enough. */
static int end_orf(cutter *k, size_t i, const ws_cut_end *e, uint64_t *seen, uint64_t skip, ws_err *err) {
    const uint64_t first = k->s->lo + i;
    if (e->from < 0) {
        const uint64_t from = first - CODON * (uint64_t)-e->from;
        return (*seen)++ < skip ? WS_OK : add_orf(k, from, (uint64_t)((int64_t)e->stop - e->from), NULL, err);
    }
    const uint16_t *codon = k->codon + i;
    size_t at = (size_t)e->from;
    while (at < e->stop && !k->c->code.starts[codon[CODON * at]]) at++;
    const uint64_t n = e->stop - at;
    if (n == 0 || n < k->c->least || (*seen)++ < skip) return WS_OK;
    return add_orf(k, first + CODON * (uint64_t)at, n, k->residue[i] + at, err);
}

/* A batch of short ORFs with a long description each. */
enum { TEXT_MOST = 1 << 26 };

int ws_cut_span(const ws_cut *c, const ws_span *s, ws_cut_room *room, ws_batch *to, uint64_t *skip, int *whole,
                ws_err *err) {
    cutter k = {.c = c, .s = s, .room = room, .to = to};
    size_t at[WS_FRAMES] = {0};
    uint64_t seen = 0;
    *whole = 0;
    int rc = translate(&k, err);
    while (!rc) {
        uint64_t first = WS_NO_PLACE;
        size_t next = WS_FRAMES;
        for (size_t i = 0; i < WS_FRAMES; i++) {
            if (at[i] == k.nend[i] || i + CODON * (uint64_t)k.end[i][at[i]].stop >= first) continue;
            first = i + CODON * (uint64_t)k.end[i][at[i]].stop;
            next = i;
        }
        if (next == WS_FRAMES) break;
        rc = end_orf(&k, next, &k.end[next][at[next]], &seen, *skip, err);
        at[next]++;
        if (!rc && to->text.n > TEXT_MOST && seen > *skip) {
            *skip = seen;
            return WS_OK;
        }
    }
    *whole = !rc;
    return rc;
}

/* ---- the state between two spans ---- */

/* Returns where an ORF begins that is open behind codon `at` of a frame, or WS_NO_PLACE. base: those from `from` on. */
static uint64_t begins_behind(const ws_cut *c, const ws_span *s, const uint8_t *base, uint64_t from, uint64_t at) {
    while (at < s->hi && !c->code.starts[ws_codon(base + (at - from))]) at += CODON;
    return at < s->hi ? at : WS_NO_PLACE;
}

/* Sets what the codons from place `from` on, whose bases are given, decide. */
static void look_back(const ws_cut *c, const ws_span *s, const uint8_t *base, uint64_t from, uint64_t open[WS_FRAMES],
                      int known[WS_FRAMES]) {
    const uint8_t stop = ws_abc_get(WS_ABC_AMINO)->code_of['*'];
    for (uint64_t i = 0; i < WS_FRAMES && i < s->hi - from; i++) {
        uint64_t at = s->hi - 1 - i;
        const int f = (int)(at % WS_FRAMES);
        if (known[f]) continue;
        while (at >= from + CODON && c->code.residue[ws_codon(base + (at - from))] != stop) at -= CODON;
        const int stopped = c->code.residue[ws_codon(base + (at - from))] == stop;
        if (!stopped && from > s->lo) continue;
        known[f] = 1;
        if (stopped || s->open[f] == WS_NO_PLACE) open[f] = begins_behind(c, s, base, from, at);
    }
}

int ws_cut_open_at(const ws_cut *c, const ws_span *s, uint64_t open[WS_FRAMES], ws_cut_room *room, ws_err *err) {
    int known[WS_FRAMES] = {0};
    memcpy(open, s->open, sizeof s->open);
    for (uint64_t n = 512;; n *= 4) {
        const uint64_t from = n < s->hi - s->lo ? s->hi - n : s->lo;
        const size_t want = (size_t)(s->hi - from) + CODON - 1;
        const uint8_t *base = ws_bases_get(&s->bases, c->codec, s->minus, from, want, room, err);
        if (!base) return err->code;
        look_back(c, s, base, from, open, known);
        if ((known[0] && known[1] && known[2]) || from == s->lo) return WS_OK;
    }
}
