/* SPDX-License-Identifier: MIT
 * Writer of the packed stream: see lib/stream/packed.h. */
#include "lib/stream/packed.h"

#include "lib/stream/gather.h"
#include "lib/stream/packfmt.h"

int ws_pack_frame(ws_buf *out, const char *magic, const uint64_t *v, ws_err *err) {
    pack_frame f = {{0}, {0}, 0};
    memcpy(f.magic, magic, sizeof f.magic);
    memcpy(f.v, v, sizeof f.v);
    f.check = pack_frame_check(&f);
    return ws_buf_add(out, &f, sizeof f, err);
}

int ws_packed_head(ws_buf *out, const ws_abc *abc, ws_err *err) {
    const uint64_t v[PACK_NUMBERS] = {[HEAD_VERSION] = PACK_SEQUENCES, [HEAD_ALPHABET] = abc->type};
    return ws_pack_frame(out, PACK_HEAD, v, err);
}

int ws_packed_end(ws_buf *out, const ws_packed_totals *t, const ws_stream_size *size, ws_err *err) {
    uint64_t v[PACK_NUMBERS] = {[END_BLOCKS] = t->blocks, [END_SEQS] = t->seqs, [END_RESIDUES] = t->residues};
    if (size) ws_ledger_to_frame(size, &v[END_IN], &v[END_IN_RESIDUES]);
    return ws_pack_frame(out, PACK_END, v, err);
}

/* ---- the open block ---- */

void ws_packed_open_release(ws_packed_open *o) {
    for (int k = 0; k < PACK_LENGTHS; k++) ws_buf_release(&o->length[k]);
    ws_buf_release(&o->text);
    ws_buf_release(&o->word);
    *o = (ws_packed_open){0};
}

static void reuse(ws_packed_open *o) {
    for (int k = 0; k < PACK_LENGTHS; k++) o->length[k].n = 0;
    o->text.n = o->word.n = o->n = 0;
    o->residues = o->quals = 0;
}

/* Sequences that follow each other in a batch, and what they take of the sections. */
typedef struct run {
    size_t first, end, text, words;
} run;

static int is_full(const ws_packed_open *o, const run *r) {
    return o->word.n / sizeof(uint32_t) + r->words >= WS_PACKED_BLOCK_WORDS ||
           o->n + (r->end - r->first) >= WS_PACKED_BLOCK_SEQS || o->text.n + r->text >= WS_PACKED_BLOCK_TEXT;
}

/* Adds sequence r->end to a run. WS_EDATA. */
static int lengthen(run *r, const ws_batch *b, ws_err *err) {
    const ws_seqtext *t = &b->seqtext[r->end];
    const size_t longest = ws_max(t->name.n, ws_max(t->desc.n, t->qual.n));
    if (longest > UINT32_MAX)
        return ws_fail(err, WS_EDATA, "a text of %llu bytes is too long for the packed format",
                       (unsigned long long)longest);
    r->text += t->name.n + t->desc.n + t->qual.n;
    r->words += ws_batch_words(b->len[r->end++]);
    return WS_OK;
}

static int reserve(ws_packed_open *o, const run *r, ws_err *err) {
    int rc = ws_buf_reserve(&o->text, r->text, err);
    if (!rc) rc = ws_buf_reserve(&o->word, r->words * sizeof(uint32_t), err);
    for (int k = 0; k < PACK_LENGTHS && !rc; k++)
        rc = ws_buf_reserve(&o->length[k], (r->end - r->first) * sizeof(uint32_t), err);
    return rc;
}

/* Adds a run to the sections: all of it or nothing. */
static int add_run(ws_packed_open *o, const ws_batch *b, const run *r, ws_err *err) {
    const int rc = reserve(o, r, err);
    if (rc) return rc;
    uint32_t *length[PACK_LENGTHS];
    for (int k = 0; k < PACK_LENGTHS; k++) {
        length[k] = (uint32_t *)(void *)(o->length[k].p + o->length[k].n);
        o->length[k].n += (r->end - r->first) * sizeof *length[k];
    }
    ws_gather text = {.to = o->text.p + o->text.n}, word = {.to = o->word.p + o->word.n};
    for (size_t i = r->first; i < r->end; i++) {
        const ws_seqtext *t = &b->seqtext[i];
        const ws_slice of[] = {t->name, t->desc, t->qual};
        *length[0]++ = b->len[i];
        for (int k = 0; k < PACK_LENGTHS - 1; k++) {
            *length[k + 1]++ = (uint32_t)of[k].n;
            ws_gather_add(&text, ws_batch_text(b, of[k]), of[k].n);
        }
        ws_gather_add(&word, b->word + b->first[i], ws_batch_words(b->len[i]) * sizeof *b->word);
        o->residues += b->len[i];
        o->quals += t->qual.n;
    }
    ws_gather_end(&text);
    ws_gather_end(&word);
    o->text.n += r->text;
    o->word.n += r->words * sizeof(uint32_t);
    o->n += r->end - r->first;
    return WS_OK;
}

int ws_packed_add(ws_packed_open *o, const ws_batch *b, size_t first, size_t end, ws_buf *out, ws_packed_totals *t,
                  ws_err *err) {
    int rc = WS_OK;
    while (first < end && !rc) {
        run r = {first, first, 0, 0};
        while (r.end < end && !rc && !(out && is_full(o, &r))) rc = lengthen(&r, b, err);
        const int full = out && is_full(o, &r);
        if (!rc) rc = add_run(o, b, &r, err);
        if (!rc && full) rc = ws_packed_close(o, NULL, 0, out, t, err);
        first = r.end;
    }
    return rc;
}

/* ---- blocks ---- */

static void put(ws_buf *out, const void *from, size_t n) {
    if (n) memcpy(out->p + out->n, from, n);
    out->n += n;
}

static void put_zeros(ws_buf *out, size_t n) {
    memset(out->p + out->n, 0, n);
    out->n += n;
}

static int put_body(ws_buf *out, const ws_packed_open *o, const char *phrase, size_t nphrase, const pack_frame *f,
                    ws_err *err) {
    const size_t start = out->n;
    const int rc = ws_buf_reserve(out, (size_t)(pack_front(f) + o->word.n + pack_gap(f) + sizeof(uint64_t)), err);
    if (rc) return rc;
    for (int k = 0; k < PACK_LENGTHS - !o->quals; k++) put(out, o->length[k].p, o->length[k].n);
    put(out, phrase, nphrase);
    put(out, o->text.p, o->text.n);
    put_zeros(out, start + (size_t)pack_front(f) - out->n);
    put(out, o->word.p, o->word.n);
    put_zeros(out, (size_t)pack_gap(f));
    const uint64_t check = XXH3_64bits(out->p + start, out->n - start);
    put(out, &check, sizeof check);
    return WS_OK;
}

int ws_packed_close(ws_packed_open *o, const char *phrase, size_t n, ws_buf *out, ws_packed_totals *t, ws_err *err) {
    const size_t before = out->n;
    pack_frame f = {.v = {[BLOCK_NUMBER] = t->blocks, [BLOCK_SEQS] = o->n, [BLOCK_RESIDUES] = o->residues}};
    f.v[BLOCK_WORDS] = o->word.n / sizeof(uint32_t);
    f.v[BLOCK_TEXT] = n + o->text.n;
    f.v[BLOCK_FLAGS] = (o->quals ? PACK_HAS_QUAL : 0) | (n ? PACK_HAS_PHRASE | (uint64_t)n << PACK_PHRASE_BITS : 0);
    if (!o->n) return WS_OK;
    int rc = ws_pack_frame(out, PACK_BLOCK, f.v, err);
    if (!rc) rc = put_body(out, o, phrase, n, &f, err);
    if (rc) out->n = before; /* no half of a block */
    t->blocks++;
    t->seqs += o->n;
    t->residues += o->residues;
    reuse(o);
    return rc;
}
