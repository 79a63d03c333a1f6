/* SPDX-License-Identifier: MIT
 * Writer of the packed stream: see lib/stream/packed.h. */
#include "lib/stream/packed.h"

#include "lib/stream/gather.h"
#include "lib/stream/packfmt.h"

typedef struct picked { /* the sequences pick[0..n), or from..from+n if pick is NULL */
    const ws_batch *b;
    const uint32_t *pick;
    size_t from, n;
    const char *phrase; /* nphrase bytes */
    size_t nphrase;
} picked;

static size_t at(const picked *p, size_t i) { return p->pick ? p->pick[p->from + i] : p->from + i; }

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

size_t ws_packed_fit(const ws_batch *open, const ws_batch *b, size_t first, size_t end) {
    ws_batch with = {.n = open->n, .nword = open->nword, .text.n = open->text.n};
    for (; first < end && !ws_packed_is_full(&with); first++) {
        const ws_seqtext *t = &b->seqtext[first];
        with.n++;
        with.nword += ws_batch_words(b->len[first]);
        with.text.n += t->name.n + t->desc.n + t->qual.n + t->acc.n;
    }
    return first;
}

/* Plans the next block: how many sequences it takes, and its numbers. */
static size_t plan(const picked *p, size_t most_words, uint64_t *v) {
    size_t i = 0;
    if (p->nphrase) v[BLOCK_FLAGS] = PACK_HAS_PHRASE | (uint64_t)p->nphrase << PACK_PHRASE_BITS;
    v[BLOCK_TEXT] = p->nphrase;
    while (i < p->n && v[BLOCK_WORDS] < most_words) {
        const size_t k = at(p, i++);
        const ws_seqtext *t = &p->b->seqtext[k];
        v[BLOCK_WORDS] += ws_batch_words(p->b->len[k]);
        v[BLOCK_TEXT] += t->name.n + t->desc.n + t->qual.n;
        v[BLOCK_RESIDUES] += p->b->len[k];
        if (t->qual.n) v[BLOCK_FLAGS] |= PACK_HAS_QUAL;
    }
    v[BLOCK_SEQS] = i;
    return i;
}

static int put_zeros(ws_buf *out, size_t n) {
    memset(out->p + out->n, 0, n);
    out->n += n;
    return WS_OK;
}

static int put_length(ws_buf *out, uint64_t n, ws_err *err) {
    const uint32_t small = (uint32_t)n;
    if (n > UINT32_MAX)
        return ws_fail(err, WS_EDATA, "a text of %llu bytes is too long for the packed format", (unsigned long long)n);
    memcpy(out->p + out->n, &small, sizeof small);
    out->n += sizeof small;
    return WS_OK;
}

static int put_lengths(ws_buf *out, const picked *p, int quals, ws_err *err) {
    int rc = WS_OK;
    for (size_t i = 0; i < p->n && !rc; i++) rc = put_length(out, p->b->len[at(p, i)], err);
    for (size_t i = 0; i < p->n && !rc; i++) rc = put_length(out, p->b->seqtext[at(p, i)].name.n, err);
    for (size_t i = 0; i < p->n && !rc; i++) rc = put_length(out, p->b->seqtext[at(p, i)].desc.n, err);
    for (size_t i = 0; i < p->n && quals && !rc; i++) rc = put_length(out, p->b->seqtext[at(p, i)].qual.n, err);
    return rc;
}

static void put(ws_buf *out, const void *from, size_t n) {
    if (n) memcpy(out->p + out->n, from, n);
    out->n += n;
}

static void put_texts(ws_buf *out, const picked *p) {
    ws_gather g = {.to = out->p + out->n};
    for (size_t i = 0; i < p->n; i++) {
        const ws_seqtext *t = &p->b->seqtext[at(p, i)];
        ws_gather_add(&g, ws_batch_text(p->b, t->name), t->name.n);
        ws_gather_add(&g, ws_batch_text(p->b, t->desc), t->desc.n);
        ws_gather_add(&g, ws_batch_text(p->b, t->qual), t->qual.n);
    }
    ws_gather_end(&g);
    out->n = (size_t)(g.to - out->p);
}

static void put_words(ws_buf *out, const picked *p) {
    ws_gather g = {.to = out->p + out->n};
    for (size_t i = 0; i < p->n; i++) {
        const size_t k = at(p, i);
        ws_gather_add(&g, p->b->word + p->b->first[k], 4 * ws_batch_words(p->b->len[k]));
    }
    ws_gather_end(&g);
    out->n = (size_t)(g.to - out->p);
}

static int put_body(ws_buf *out, const picked *p, const pack_frame *f, ws_err *err) {
    const size_t start = out->n;
    int rc = ws_buf_reserve(out, (size_t)(pack_front(f) + 4 * f->v[BLOCK_WORDS] + pack_gap(f) + sizeof(uint64_t)), err);
    if (!rc) rc = put_lengths(out, p, (int)(f->v[BLOCK_FLAGS] & PACK_HAS_QUAL), err);
    if (rc) return rc;
    put(out, p->phrase, p->nphrase);
    put_texts(out, p);
    put_zeros(out, start + (size_t)pack_front(f) - out->n);
    put_words(out, p);
    put_zeros(out, (size_t)pack_gap(f));
    const uint64_t check = XXH3_64bits(out->p + start, out->n - start);
    put(out, &check, sizeof check);
    return WS_OK;
}

/* Appends the first of the sequences as a block, and takes them off the list. */
static int put_block(ws_buf *out, picked *all, size_t most_words, ws_packed_totals *t, ws_err *err) {
    pack_frame f = {.v = {[BLOCK_NUMBER] = t->blocks}};
    picked now = *all;
    now.n = plan(all, most_words, f.v);
    int rc = ws_pack_frame(out, PACK_BLOCK, f.v, err);
    if (!rc) rc = put_body(out, &now, &f, err);
    all->from += now.n;
    all->n -= now.n;
    t->blocks++;
    t->seqs += now.n;
    t->residues += f.v[BLOCK_RESIDUES];
    return rc;
}

int ws_packed_blocks(ws_buf *out, const ws_batch *b, const uint32_t *pick, size_t n, ws_packed_totals *t, ws_err *err) {
    picked all = {.b = b, .pick = pick, .from = 0, .n = pick ? n : b->n};
    int rc = WS_OK;
    while (all.n && !rc) rc = put_block(out, &all, WS_PACKED_BLOCK_WORDS, t, err);
    return rc;
}

int ws_packed_block(ws_buf *out, const ws_batch *b, const char *phrase, size_t n, ws_packed_totals *t, ws_err *err) {
    picked all = {.b = b, .n = b->n, .phrase = phrase, .nphrase = n};
    return put_block(out, &all, SIZE_MAX, t, err);
}
