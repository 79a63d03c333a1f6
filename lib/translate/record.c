/* SPDX-License-Identifier: MIT
 * A record that is cut in parts: see lib/translate/record.h. */
#include "lib/translate/record.h"

#include "lib/files/temp.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { SLACK = 64 }; /* of words: a codec reads as many bytes behind them */

static void drop_pieces(ws_record *r) {
    if (r->has_file) close(r->fd);
    r->has_file = 0;
    r->word.n = r->header.n = 0;
}

void ws_record_release(ws_record *r) {
    drop_pieces(r);
    ws_buf_release(&r->word);
    ws_buf_release(&r->header);
    ws_cut_room_release(&r->room);
}

/* Text behind a Ctrl-A describes another record, as in HMMER. */
static ws_cut_text text_of(const char *name, size_t nname, size_t ndesc, const char *desc) {
    const char *end = ndesc ? memchr(desc, '\1', ndesc) : NULL;
    return (ws_cut_text){.name = name, .desc = desc, .nname = nname, .ndesc = end ? (size_t)(end - desc) : ndesc};
}

static void begin_strand(ws_record *r, int minus) {
    r->minus = minus;
    r->at = 0;
    for (int f = 0; f < WS_FRAMES; f++) r->open[f] = WS_NO_PLACE;
}

static void begin(ws_record *r, int minus) {
    r->whole = ws_span_codons(r->bases.n) > 0;
    begin_strand(r, minus);
}

void ws_record_begin(ws_record *r, const ws_batch *b, size_t i, int minus) {
    const ws_seqtext *t = &b->seqtext[i];
    r->bases = (ws_bases){.word = b->word + b->first[i], .n = b->len[i]};
    r->text = text_of(ws_batch_text(b, t->name), t->name.n, t->desc.n, ws_batch_text(b, t->desc));
    begin(r, minus);
}

/* ---- pieces ---- */

static int fail_file(const char *what, ws_err *err) {
    return ws_fail(err, WS_EIO, "cannot %s a temporary file in %s: %s; TMPDIR chooses another folder", what,
                   ws_temp_folder(), strerror(errno));
}

static int to_file(ws_record *r, ws_err *err) {
    if (!r->has_file) {
        r->fd = ws_temp_open();
        if (r->fd < 0) return fail_file("make", err);
        r->has_file = 1;
    }
    if (ws_temp_write(r->fd, r->word.p, r->word.n)) return fail_file("write", err);
    r->word.n = 0;
    return WS_OK;
}

static int keep_header(ws_record *r, const ws_batch *b, const ws_seqtext *t, ws_err *err) {
    r->header.n = 0;
    const int rc = ws_buf_add(&r->header, ws_batch_text(b, t->name), t->name.n, err);
    return rc ? rc : ws_buf_add(&r->header, ws_batch_text(b, t->desc), t->desc.n, err);
}

/* Appends the words of a piece. Behind bases of another record they are shifted. */
static int add_words(ws_record *r, const uint32_t *word, size_t n, int more, const ws_codec *codec, ws_err *err) {
    const size_t words = ws_batch_words(n + r->ncode);
    int rc = ws_buf_reserve(&r->word, words * sizeof *word + SLACK, err);
    if (rc) return rc;
    char *const to = r->word.p + r->word.n;
    r->n += n + r->ncode;
    if (!r->ncode && (!more || n % WS_RESIDUES_PER_WORD == 0)) {
        memcpy(to, word, words * sizeof *word);
        r->word.n += words * sizeof *word;
        return WS_OK;
    }
    uint8_t *code = ws_buf_scratch(&r->room.code, r->ncode + n + 2 * SLACK, err);
    if (!code) return WS_ENOMEM;
    memcpy(code, r->code, r->ncode);
    codec->unpack(word, n, code + r->ncode);
    n += r->ncode;
    r->ncode = more ? n % WS_RESIDUES_PER_WORD : 0;
    n -= r->ncode;
    r->n -= r->ncode;
    memcpy(r->code, code + n, r->ncode);
    codec->pack(code, n, (uint32_t *)(void *)to);
    r->word.n += ws_batch_words(n) * sizeof *word;
    return WS_OK;
}

void ws_record_join(ws_record *r, const ws_batch *b, size_t i) {
    for (size_t k = 0; k < b->len[i]; k++) r->code[r->ncode++] = b->word[b->first[i]] >> 5 * k & 31;
}

int ws_record_add(ws_record *r, const ws_batch *b, size_t i, size_t hold, const ws_codec *codec, int minus,
                  ws_err *err) {
    const ws_seqtext *t = &b->seqtext[i];
    int rc = WS_OK;
    if (t->at == 0) { /* the record before it is cut */
        drop_pieces(r);
        r->n = 0;
        rc = keep_header(r, b, t, err);
    }
    if (!rc) rc = add_words(r, b->word + b->first[i], b->len[i], t->more, codec, err);
    if (!rc && (r->word.n > hold || (r->has_file && !t->more))) rc = to_file(r, err);
    if (rc || t->more) return rc;
    r->bases = (ws_bases){.word = r->has_file ? NULL : (const uint32_t *)(const void *)r->word.p, .fd = r->fd,
                          .n = r->n};
    r->text = text_of(r->header.p, t->name.n, t->desc.n, r->header.p + t->name.n);
    begin(r, minus);
    return WS_OK;
}

/* ---- parts ---- */

int ws_record_next(ws_record *r, const ws_cut *c, uint64_t most, int both, ws_span *s, ws_err *err) {
    const uint64_t n = ws_span_codons(r->bases.n);
    *s = (ws_span){.bases = r->bases, .text = r->text, .minus = r->minus, .lo = r->at, .hi = ws_min(r->at + most, n)};
    memcpy(s->open, r->open, sizeof s->open);
    s->last = s->hi == n;
    r->at = s->hi;
    if (!s->last) return ws_cut_open_at(c, s, r->open, &r->room, err);
    r->whole = both && !r->minus;
    if (r->whole) begin_strand(r, 1);
    return WS_OK;
}
