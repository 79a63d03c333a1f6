/* SPDX-License-Identifier: MIT
 * Reader of the packed stream. The reader trusts nothing in it. It checks numbers before it uses them, and memory grows
 * with the bytes that arrive. It refuses words with codes that the alphabet has not, even if the checksum is right. */
#include "lib/formats/packed_read.h"

#include "lib/stream/phrase.h"

static int begin(void *own, ws_parse *s, ws_err *err) {
    unpack *u = own;
    (void)s, (void)err;
    u->state = HEAD;
    u->at = 0;
    u->nframe = 0;
    return WS_OK;
}

static void release(void *own) {
    unpack *u = own;
    ws_buf_release(&u->front);
    ws_pairs_read_release(u);
}

/* Frames */

static int no_head(const unpack *u, const ws_parse *s, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    return ws_fail(err, WS_EDATA, "%s: expected the head of a packed stream at byte %llu, found \"%s\"", s->input,
                   (unsigned long long)u->frame_at, ws_quote(quote, u->f.magic, sizeof u->f.magic));
}

static int start_stream(unpack *u, ws_parse *s, ws_err *err) {
    const uint64_t abc = u->f.v[HEAD_ALPHABET];
    const uint64_t version = u->f.v[HEAD_VERSION];
    if (version != PACK_SEQUENCES && version != PACK_WITH_PAIRS)
        return ws_packed_bad(u, s, "is of a version that is not known here", err);
    if (abc != WS_ABC_AMINO && abc != WS_ABC_DNA && abc != WS_ABC_RNA)
        return ws_packed_bad(u, s, "names no known alphabet", err);
    if (s->any_abc) s->abc = ws_abc_get((ws_abc_type)abc);
    s->any_abc = 0;
    if ((abc == WS_ABC_AMINO) != (s->abc->type == WS_ABC_AMINO))
        return ws_fail(err, WS_EDATA, "%s: the packed stream holds %s sequences, expected %s, which %s packs", s->input,
                       ws_abc_get((ws_abc_type)abc)->name, s->abc->name,
                       s->abc->type == WS_ABC_AMINO ? "respack"
                       : s->abc->type == WS_ABC_DNA ? "respack --dna"
                                                    : "respack --rna");
    int rc = ws_parse_kind(s, version == PACK_WITH_PAIRS, err);
    if (rc) return rc;
    u->blocks = u->seqs = u->residues = u->pairs = 0;
    u->version = version;
    u->number.n = 0;
    u->owed = 0;
    u->state = FRAME;
    s->b->has_rows = s->pairs;
    return version == PACK_WITH_PAIRS ? ws_pairs_read_frame(u, s, err) : WS_OK;
}

static int end_stream(unpack *u, ws_parse *s, ws_err *err) {
    const uint64_t *v = u->f.v;
    const int pairs = u->version != PACK_WITH_PAIRS || v[END_PAIRS] == u->pairs;
    if (v[END_BLOCKS] != u->blocks || v[END_SEQS] != u->seqs || v[END_RESIDUES] != u->residues || !pairs)
        return ws_packed_bad(u, s, "is the end, but blocks are missing before it", err);
    const int own = u->version == PACK_SEQUENCES && !v[END_IN] && !v[END_IN_RESIDUES];
    const ws_stream_size size = own ? (ws_stream_size){WS_SIZE_KNOWN, u->seqs, u->residues}
                                    : ws_ledger_from_frame(v[END_IN], v[END_IN_RESIDUES]);
    if (!ws_ledger_add_size(&s->ledger, &size))
        return ws_packed_bad(u, s, "is the end, with which more than 10^18 sequences or residues were searched", err);
    s->table.present |= !own;
    s->ledger.ends += u->version == PACK_WITH_PAIRS && size.state != WS_SIZE_NO_END;
    u->state = ENDED;
    return WS_OK;
}

/* Returns the bytes of the block's phrase. */
static size_t phrase_of(const unpack *u) { return (size_t)(u->f.v[BLOCK_FLAGS] >> PACK_PHRASE_BITS); }

static int flags_are_legal(const unpack *u) {
    const uint64_t flags = u->f.v[BLOCK_FLAGS] & ((UINT64_C(1) << PACK_PHRASE_BITS) - 1);
    const size_t n = phrase_of(u);
    if (flags > (PACK_HAS_QUAL | PACK_HAS_PHRASE) || n > WS_PHRASE_MAX) return 0;
    return flags & PACK_HAS_PHRASE ? n > 0 && u->version == PACK_WITH_PAIRS : n == 0;
}

static int start_block(unpack *u, const ws_parse *s, ws_err *err) {
    const uint64_t *v = u->f.v;
    if (v[BLOCK_NUMBER] != u->blocks) return ws_packed_bad(u, s, "does not follow the block before it", err);
    if (v[BLOCK_SEQS] == 0 || v[BLOCK_SEQS] > PACK_SEQS_MAX || v[BLOCK_TEXT] > PACK_TEXT_MAX ||
        v[BLOCK_WORDS] > PACK_WORDS_MAX || !flags_are_legal(u) || v[BLOCK_RESIDUES] > 6 * v[BLOCK_WORDS])
        return ws_packed_bad(u, s, "has impossible counts", err);
    u->front.n = 0;
    u->nbytes = 0;
    u->ntail = 0;
    XXH3_64bits_reset(&u->hash);
    u->state = FRONT;
    return WS_OK;
}

static int end_frame(unpack *u, ws_parse *s, ws_err *err) {
    const int at_head = u->state == HEAD || u->state == ENDED;
    u->nframe = 0;
    if (at_head && !ws_packed_is(u, PACK_HEAD)) return no_head(u, s, err);
    if (pack_frame_check(&u->f) != u->f.check) return ws_packed_bad(u, s, "is damaged", err);
    if (at_head) return start_stream(u, s, err);
    const int two = u->version == PACK_WITH_PAIRS, pairs = two && ws_packed_is(u, PACK_PAIRS);
    if (pairs != u->owed)
        return ws_packed_bad(
            u, s, pairs ? "has pairs without sequences before them" : "has no pairs behind its sequences", err);
    if (ws_packed_is(u, PACK_END)) return end_stream(u, s, err);
    if (ws_packed_is(u, PACK_BLOCK)) return start_block(u, s, err);
    if (two && ws_packed_is(u, PACK_RECORDS))
        return ws_packed_bad(u, s, "holds windows of long DNA, as an earlier version wrote them; search the sequences "
                                   "themselves: nhmmsieve MODELS GENOME", err);
    if (pairs || (two && ws_packed_is(u, PACK_QUERIES))) return ws_pairs_read_frame(u, s, err);
    return ws_packed_bad(u, s, "is neither a block nor the end", err);
}

static size_t in_frame(unpack *u, ws_parse *s, const uint8_t *p, size_t n, int *rc, ws_err *err) {
    const size_t take = ws_min(n, PACK_FRAME - u->nframe);
    if (!u->nframe) u->frame_at = u->at;
    memcpy((uint8_t *)&u->f + u->nframe, p, take);
    u->nframe += take;
    if (u->nframe == PACK_FRAME) *rc = end_frame(u, s, err);
    return take;
}

/* Bodies */

static uint32_t length(const unpack *u, uint64_t array, uint64_t i) {
    uint32_t n;
    memcpy(&n, u->front.p + 4 * (array * u->f.v[BLOCK_SEQS] + i), sizeof n);
    return n;
}

static uint32_t qual_length(const unpack *u, uint64_t i) {
    return u->f.v[BLOCK_FLAGS] & PACK_HAS_QUAL ? length(u, 3, i) : 0;
}

/* Ends the front of a block. The counts of the frame and the lengths must agree. */
static int end_front(unpack *u, const ws_parse *s, ws_err *err) {
    uint64_t residues = 0, words = 0, text = phrase_of(u);
    unsigned odd = 0;
    for (uint64_t i = 0; i < u->f.v[BLOCK_SEQS]; i++) {
        const uint32_t len = length(u, 0, i), name = length(u, 1, i), qual = qual_length(u, i);
        residues += len;
        words += ws_batch_words(len);
        text += (uint64_t)name + length(u, 2, i) + qual;
        odd |= len > WS_LEN_MAX || name == 0 || (qual && qual != len);
    }
    if (odd || residues != u->f.v[BLOCK_RESIDUES] || words != u->f.v[BLOCK_WORDS] || text != u->f.v[BLOCK_TEXT])
        return ws_packed_bad(u, s, "has impossible lengths", err);
    for (uint64_t i = pack_lengths(&u->f) + text; i < u->front.n; i++) odd |= u->front.p[i] != 0;
    if (odd) return ws_packed_bad(u, s, "has padding that is not zero", err);
    u->state = WORDS;
    return WS_OK;
}

static size_t in_front(unpack *u, const ws_parse *s, const uint8_t *p, size_t n, int *rc, ws_err *err) {
    const uint64_t want = pack_front(&u->f);
    const size_t take = want - u->front.n < n ? (size_t)(want - u->front.n) : n;
    XXH3_64bits_update(&u->hash, p, take);
    *rc = ws_buf_add(&u->front, p, take, err);
    if (!*rc && u->front.n == want) *rc = end_front(u, s, err);
    return take;
}

/* Reads words straight into the batch. */
static size_t in_words(unpack *u, ws_parse *s, const uint8_t *p, size_t n, int *rc, ws_err *err) {
    const uint64_t want = 4 * u->f.v[BLOCK_WORDS];
    const size_t take = want - u->nbytes < n ? (size_t)(want - u->nbytes) : n;
    const size_t words = (size_t)((u->nbytes + take + 3) / 4);
    if ((*rc = ws_batch_reserve_words(s->b, words, err)) != WS_OK) return 0;
    if (take) memcpy((uint8_t *)(s->b->word + s->b->nword) + u->nbytes, p, take);
    XXH3_64bits_update(&u->hash, p, take);
    u->nbytes += take;
    s->nopen = words;
    if (u->nbytes == want) u->state = TAIL;
    return take;
}

static int check_words(const unpack *u, const ws_parse *s, ws_err *err) {
    const uint32_t *word = s->b->word + s->b->nword;
    for (uint64_t i = 0; i < u->f.v[BLOCK_SEQS]; i++) {
        const uint32_t len = length(u, 0, i);
        if (!s->codec->check(word, len, s->abc->Kp))
            return ws_packed_bad(u, s, "has residues that the alphabet does not know", err);
        word += ws_batch_words(len);
    }
    return WS_OK;
}

static int control_character(const unpack *u, const ws_parse *s, ws_err *err) {
    return ws_packed_bad(u, s, "has a control character in a name or description", err);
}

/* Copies the texts to the end of the arena. They count when the sequences do. */
static int copy_texts(const unpack *u, const ws_parse *s, ws_err *err) {
    ws_buf *text = &s->b->text;
    const size_t n = (size_t)u->f.v[BLOCK_TEXT];
    int rc = ws_buf_reserve(text, n + PACK_ALIGN, err);
    if (rc) return rc;
    return s->codec->copy_text(text->p + text->n, u->front.p + pack_lengths(&u->f), n) ? control_character(u, s, err)
                                                                                       : WS_OK;
}

static int add_sequence(const unpack *u, ws_batch *b, uint64_t i, const ws_seqtext *t, ws_err *err) {
    b->text.n = t->qual.at + t->qual.n;
    return ws_batch_add_seq(b, b->nword, length(u, 0, i), t, err);
}

static int add_sequences(const unpack *u, const ws_parse *s, ws_err *err) {
    int rc = copy_texts(u, s, err);
    for (uint64_t i = 0; i < u->f.v[BLOCK_SEQS] && !rc; i++) {
        ws_seqtext t = {0};
        t.name = (ws_slice){s->b->text.n, length(u, 1, i)};
        t.desc = (ws_slice){t.name.at + t.name.n, length(u, 2, i)};
        t.qual = (ws_slice){t.desc.at + t.desc.n, qual_length(u, i)};
        rc = add_sequence(u, s->b, i, &t, err);
    }
    return rc;
}

/* Does the same where the descriptions lack the block's phrase. */
static int add_with_phrase(const unpack *u, const ws_parse *s, ws_err *err) {
    ws_buf *out = &s->b->text;
    const char *phrase = u->front.p + pack_lengths(&u->f), *p = phrase + phrase_of(u);
    int rc = WS_OK;
    for (uint64_t i = 0; i < u->f.v[BLOCK_SEQS] && !rc; i++) {
        ws_seqtext t = {0};
        const size_t start = out->n, desc = length(u, 2, i);
        t.name = (ws_slice){start, length(u, 1, i)};
        t.qual.n = qual_length(u, i);
        rc = ws_buf_add(out, p, t.name.n, err);
        t.desc.at = out->n;
        if (!rc) rc = ws_phrase_put_back(phrase, phrase_of(u), p + t.name.n, desc, out, err);
        t.desc.n = out->n - t.desc.at;
        t.qual.at = out->n;
        if (!rc) rc = ws_buf_add(out, p + t.name.n + desc, t.qual.n, err);
        if (!rc) rc = ws_buf_reserve(out, PACK_ALIGN, err); /* copy_text may write after its text */
        if (!rc && s->codec->copy_text(out->p + start, out->p + start, out->n - start))
            rc = control_character(u, s, err);
        if (!rc) rc = add_sequence(u, s->b, i, &t, err);
        p += t.name.n + desc + t.qual.n;
    }
    return rc;
}

static int end_block(unpack *u, ws_parse *s, ws_err *err) {
    const size_t gap = (size_t)pack_gap(&u->f);
    uint64_t check;
    unsigned odd = 0;
    XXH3_64bits_update(&u->hash, u->tail, gap);
    memcpy(&check, u->tail + gap, sizeof check);
    if (XXH3_64bits_digest(&u->hash) != check)
        return ws_packed_bad(u, s, "has a wrong checksum, so it is damaged", err);
    for (size_t i = 0; i < gap; i++) odd |= u->tail[i];
    if (odd) return ws_packed_bad(u, s, "has padding that is not zero", err);
    int rc = check_words(u, s, err);
    if (!rc) rc = phrase_of(u) ? add_with_phrase(u, s, err) : add_sequences(u, s, err);
    if (rc) return rc;
    s->nopen = 0;
    u->owed = u->version == PACK_WITH_PAIRS;
    u->blocks += !u->owed;
    u->seqs += u->f.v[BLOCK_SEQS];
    u->residues += u->f.v[BLOCK_RESIDUES];
    u->state = FRAME;
    return WS_OK;
}

static size_t in_tail(unpack *u, ws_parse *s, const uint8_t *p, size_t n, int *rc, ws_err *err) {
    const size_t want = (size_t)pack_gap(&u->f) + sizeof(uint64_t), take = ws_min(n, want - u->ntail);
    memcpy(u->tail + u->ntail, p, take);
    u->ntail += take;
    if (u->ntail == want) *rc = end_block(u, s, err);
    return take;
}

/* Reads a body that is wanted whole, with its checksum. */
static size_t in_body(unpack *u, ws_parse *s, const uint8_t *p, size_t n, int *rc, ws_err *err) {
    const size_t take = u->want - u->body.n < n ? (size_t)(u->want - u->body.n) : n;
    uint64_t check;
    *rc = ws_buf_add(&u->body, p, take, err);
    if (*rc || u->body.n < u->want) return take;
    const size_t whole = u->body.n - sizeof check;
    memcpy(&check, u->body.p + whole, sizeof check);
    *rc = XXH3_64bits(u->body.p, whole) == check ? ws_pairs_read_body(u, s, err)
                                                 : ws_packed_bad(u, s, "has a wrong checksum, so it is damaged", err);
    u->state = FRAME;
    return take;
}

static int feed(void *own, ws_parse *s, const uint8_t *p, size_t *n, ws_err *err) {
    unpack *u = own;
    size_t i = 0, took = 0;
    int rc = WS_OK;
    s->b->has_rows = s->pairs;
    while (!rc && i < *n && !ws_parse_full(s)) {
        switch (u->state) {
        case HEAD:
        case ENDED:
        case FRAME: took = in_frame(u, s, p + i, *n - i, &rc, err); break;
        case FRONT: took = in_front(u, s, p + i, *n - i, &rc, err); break;
        case WORDS: took = in_words(u, s, p + i, *n - i, &rc, err); break;
        case TAIL: took = in_tail(u, s, p + i, *n - i, &rc, err); break;
        case BODY: took = in_body(u, s, p + i, *n - i, &rc, err); break;
        }
        i += took;
        u->at += took;
    }
    *n = i;
    return rc;
}

static int finish(void *own, ws_parse *s, int whole, ws_err *err) {
    const unpack *u = own;
    if (!whole || (u->state == ENDED && !u->nframe)) return WS_OK;
    return ws_fail(err, WS_EDATA,
                   "%s: the packed stream ends at byte %llu, before the end of block %llu, so it was cut", s->input,
                   (unsigned long long)u->at, (unsigned long long)u->blocks);
}

const ws_parser ws_parser_packed = {sizeof(unpack), begin, feed, finish, release};
