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
    uint8_t *code = ws_buf_scratch(&room->code, words * WORD + CODE_SLACK + WS_BASES_SLACK, err);
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
    uint8_t *other = ws_buf_scratch(&room->other, n + WS_BASES_SLACK, err);
    if (other) codec->other_strand(ws_abc_get(WS_ABC_DNA), code, n, other);
    return other;
}

/* ---- finding ORFs ---- */

void ws_cut_orfs_release(ws_cut_orfs *o) {
    ws_free(o->orf);
    ws_buf_release(&o->residue);
    *o = (ws_cut_orfs){0};
}

/* The codons of a frame before a stop, from `from` on: this is behind the stop before it or, below 0, so many codons
 * before the span. place: that of the stop, from the span's first one on. */
typedef struct stretch {
    int64_t from;
    uint32_t place;
} stretch;
enum { NO_STRETCH = UINT32_MAX }; /* as a place: behind the last one of a frame */

typedef struct finder {
    const ws_cut *c;
    const ws_span *s;
    size_t n[WS_FRAMES];        /* codons of the frame that begins so many places behind lo */
    ws_frame frame[WS_FRAMES];
    stretch *stretch[WS_FRAMES]; /* those that are long enough */
} finder;

/* Sets codons of all frames. The residues go behind those of *to, and do not count there yet. */
static int look_up(finder *k, ws_cut_room *room, ws_cut_orfs *to, ws_err *err) {
    const ws_span *s = k->s;
    const size_t n = (size_t)(s->hi - s->lo), steps = (n + CODON * WS_FRAME_STEP - 1) / (CODON * WS_FRAME_STEP),
                 bits = steps * sizeof(uint64_t), room_of = (n / CODON + 3) * sizeof(stretch);
    uint8_t *base = ws_bases_get(&s->bases, k->c->codec, s->minus, s->lo, n + CODON - 1, room, err);
    char *p = base ? ws_buf_scratch(&room->work, WS_FRAMES * (2 * bits + room_of), err) : NULL;
    if (!p || ws_buf_reserve(&to->residue, WS_FRAMES * WS_FRAME_STEP * steps + CODE_SLACK, err)) return err->code;
    memset(base + n + CODON - 1, 0, WS_BASES_SLACK);
    uint64_t *const word = (uint64_t *)(void *)p;
    for (size_t f = 0; f < WS_FRAMES; f++) {
        k->n[f] = n > f ? (n - f + CODON - 1) / CODON : 0;
        k->frame[f] = (ws_frame){(uint8_t *)to->residue.p + to->residue.n + f * WS_FRAME_STEP * steps,
                                 word + 2 * f * steps, word + (2 * f + 1) * steps};
        k->stretch[f] = (stretch *)(void *)(p + WS_FRAMES * 2 * bits + f * room_of);
    }
    k->c->codec->frames(&k->c->code.codons, base, steps, k->frame);
    to->residue.n += WS_FRAMES * WS_FRAME_STEP * steps;
    return WS_OK;
}

/* Lists what the stops of frame f end, as far as it is long enough. */
static void list_stretches(finder *k, size_t f) {
    const size_t n = k->n[f], words = (n + WS_FRAME_STEP - 1) / WS_FRAME_STEP;
    const uint64_t open = k->s->open[(k->s->lo + f) % WS_FRAMES];
    const int64_t least = (int64_t)ws_min(k->c->least, INT64_MAX);
    stretch *to = k->stretch[f];
    int64_t from = open == WS_NO_PLACE ? 0 : -(int64_t)((k->s->lo + f - open) / CODON);
    for (size_t w = 0; w < words; w++) {
        uint64_t stop = k->frame[f].stop[w];
        if (w + 1 == words && n % WS_FRAME_STEP) stop &= (UINT64_C(1) << n % WS_FRAME_STEP) - 1;
        for (; stop; stop &= stop - 1) {
            const size_t at = w * WS_FRAME_STEP + (size_t)__builtin_ctzll(stop);
            *to = (stretch){from, (uint32_t)(CODON * at + f)};
            to += (int64_t)at - from >= least; /* no branch: none could foresee it */
            from = (int64_t)at + 1;
        }
    }
    *to = (stretch){from, (uint32_t)(CODON * n + f)};
    to += k->s->last && (int64_t)n - from >= least;
    to->place = NO_STRETCH;
}

/* Adds the ORF of a stretch of frame f, if it is long enough. There is room for it. */
static int add_orf(const finder *k, size_t f, const stretch *e, uint32_t number, ws_cut_orfs *to, ws_err *err) {
    const ws_frame *frame = &k->frame[f];
    const uint64_t first = k->s->lo + f;
    const int64_t end = e->place / CODON;
    ws_cut_orf o = {.span = number, .residue = WS_CUT_FAR};
    int64_t at = e->from;
    while (at >= 0 && at < end && !(frame->start[at / WS_FRAME_STEP] >> at % WS_FRAME_STEP & 1)) at++;
    const uint64_t n = (uint64_t)(end - at);
    if (n == 0 || n < k->c->least) return WS_OK;
    if (n > WS_LEN_MAX)
        return ws_fail(err, WS_EDATA, "record \"%.*s\": an open reading frame of %llu residues is too long",
                       (int)ws_min(k->s->text.nname, 100), k->s->text.name, (unsigned long long)n);
    o.from = at < 0 ? first - CODON * (uint64_t)-at : first + CODON * (uint64_t)at;
    o.n = (uint32_t)n;
    if (at >= 0) o.residue = (uint32_t)((char *)frame->residue + at - to->residue.p);
    to->orf[to->n++] = o;
    return WS_OK;
}

int ws_cut_find(const ws_cut *c, const ws_span *s, uint32_t number, ws_cut_room *room, ws_cut_orfs *to, ws_err *err) {
    finder k = {.c = c, .s = s};
    const size_t had = to->n, residues = to->residue.n;
    int rc = look_up(&k, room, to, err);
    for (size_t f = 0; f < WS_FRAMES && !rc; f++) list_stretches(&k, f);
    const stretch *next[WS_FRAMES] = {k.stretch[0], k.stretch[1], k.stretch[2]};
    while (!rc) { /* the stretch that ends first */
        size_t f = next[1]->place < next[0]->place;
        if (next[2]->place < next[f]->place) f = 2;
        if (next[f]->place == NO_STRETCH) break;
        if (to->n == to->cap) rc = ws_grow(&to->orf, &to->cap, to->n + 1, sizeof *to->orf, err);
        if (!rc) rc = add_orf(&k, f, next[f]++, number, to, err);
    }
    if (to->n == had) to->residue.n = residues;
    return rc;
}

/* ---- writing them ---- */

static char *put(char *to, const char *from, size_t n) {
    if (n) memcpy(to, from, n);
    return to + n;
}
#define PUT(to, literal) put(to, literal, sizeof(literal) - 1)

enum { DIGITS = 20 };

/* Returns the decimal digits of a number. */
static size_t digits_of(uint64_t v) {
    static const uint64_t ten[DIGITS] = {
        0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000,
        1000000000000, 10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000,
        1000000000000000000, UINT64_C(10000000000000000000)};
    const size_t n = (size_t)(64 - __builtin_clzll(v | 1)) * 1233 >> 12; /* bits times the logarithm of 2 */
    return n + (v >= ten[n]);
}

static char *put_number(char *to, uint64_t v) {
    static const char two[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                              "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                              "8081828384858687888990919293949596979899";
    char *const end = to + digits_of(v);
    char *p = end;
    for (; v >= 100; v /= 100) memcpy(p -= 2, two + v % 100 * 2, 2);
    if (v >= 10) memcpy(p - 2, two + v * 2, 2);
    else p[-1] = (char)('0' + v);
    return end;
}

void ws_cut_pass(ws_cut_place *to, const ws_span *span, const ws_cut_orf *o) {
    const ws_cut_text *t = &span[o->span].text;
    to->seq++;
    to->word += ws_batch_words(o->n);
    to->text += sizeof "orfsource= coords=.. length= frame= desc=" + 4 * DIGITS + t->nname + t->ndesc;
    to->number++;
}

static char *put_text(char *p, const ws_span *s, const ws_cut_orf *o, uint64_t number, ws_seqtext *t, size_t at) {
    char *const name = p;
    const uint64_t to = o->from + CODON * (uint64_t)o->n;
    char *const desc = p = put_number(PUT(p, "orf"), number);
    p = put(PUT(p, "source="), s->text.name, s->text.nname);
    p = put_number(PUT(p, " coords="), s->minus ? s->bases.n - o->from : o->from + 1);
    p = put_number(PUT(p, ".."), s->minus ? s->bases.n - to + 1 : to);
    p = PUT(put_number(PUT(p, " length="), o->n), " frame=");
    *p++ = (char)('1' + o->from % CODON + (s->minus ? WS_FRAMES : 0));
    p = put(PUT(p, " desc="), s->text.desc, s->text.ndesc);
    *t = (ws_seqtext){.name = {at, (size_t)(desc - name)},
                      .desc = {at + (size_t)(desc - name), (size_t)(p - desc)}};
    return p;
}

/* Translates an ORF that begins before its span, some codons at a time. */
static int far_words(const ws_cut *c, const ws_span *s, const ws_cut_orf *o, uint32_t *word, ws_err *err) {
    enum { STEP = 10000 * WORD };
    ws_cut_room room = {{0}, {0}, {0}, {0}};
    int rc = WS_OK;
    for (uint64_t i = 0; i < o->n && !rc; i += STEP) {
        const size_t some = (size_t)ws_min(o->n - i, STEP);
        const uint8_t *base = ws_bases_get(&s->bases, c->codec, s->minus, o->from + CODON * i, CODON * some, &room,
                                           err);
        uint8_t *residue = base ? ws_buf_scratch(&room.work, some + CODE_SLACK, err) : NULL;
        if (!residue) {
            rc = err->code;
            break;
        }
        for (size_t k = 0; k < some; k++) residue[k] = ws_codon(&c->code, base + CODON * k) & WS_CODON_RESIDUE;
        if (i == 0 && c->code.first >= 0) residue[0] = (uint8_t)c->code.first;
        c->codec->pack(residue, some, word + i / WORD);
    }
    ws_cut_room_release(&room);
    return rc;
}

static int put_words(const ws_cut *c, const ws_span *s, const ws_cut_orfs *from, const ws_cut_orf *o, uint32_t *word,
                     ws_err *err) {
    if (o->residue == WS_CUT_FAR) return far_words(c, s, o, word, err);
    uint8_t *const residue = (uint8_t *)from->residue.p + o->residue;
    if (c->code.first >= 0) residue[0] = (uint8_t)c->code.first;
    c->codec->pack(residue, o->n, word);
    return WS_OK;
}

int ws_cut_write(const ws_cut *c, const ws_span *span, const ws_cut_orfs *from, size_t first, size_t end,
                 ws_cut_place to, ws_batch *b, size_t *text, ws_err *err) {
    char *p = b->text.p + to.text;
    int rc = WS_OK;
    for (size_t i = first; i < end && !rc; i++, to.seq++) {
        const ws_cut_orf *o = &from->orf[i];
        const ws_span *s = &span[o->span];
        p = put_text(p, s, o, to.number++, &b->seqtext[to.seq], (size_t)(p - b->text.p));
        b->first[to.seq] = to.word;
        b->len[to.seq] = o->n;
        rc = put_words(c, s, from, o, b->word + to.word, err);
        to.word += ws_batch_words(o->n);
    }
    *text = (size_t)(p - b->text.p);
    return rc;
}

/* ---- the state between two spans ---- */

/* Returns where an ORF begins that is open behind codon `at` of a frame, or WS_NO_PLACE. base: those from `from` on. */
static uint64_t begins_behind(const ws_cut *c, const ws_span *s, const uint8_t *base, uint64_t from, uint64_t at) {
    while (at < s->hi && !(ws_codon(&c->code, base + (at - from)) & WS_CODON_START)) at += CODON;
    return at < s->hi ? at : WS_NO_PLACE;
}

/* Sets what the codons from place `from` on, whose bases are given, decide. */
static void look_back(const ws_cut *c, const ws_span *s, const uint8_t *base, uint64_t from, uint64_t open[WS_FRAMES],
                      int known[WS_FRAMES]) {
    for (uint64_t i = 0; i < WS_FRAMES && i < s->hi - from; i++) {
        uint64_t at = s->hi - 1 - i;
        const int f = (int)(at % WS_FRAMES);
        if (known[f]) continue;
        while (at >= from + CODON && !(ws_codon(&c->code, base + (at - from)) & WS_CODON_STOP)) at -= CODON;
        const int stopped = (ws_codon(&c->code, base + (at - from)) & WS_CODON_STOP) != 0;
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
