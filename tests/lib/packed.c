/* SPDX-License-Identifier: MIT
 * The packed stream: round trips, cuts and damage at every byte, and streams that lie with right checksums. */
#include "lib/stream/packed.h"
#include "lib/stream/packfmt.h"
#include "tests/lib/drip.h"

enum { BODY = 2 * PACK_FRAME }; /* where the first block's body begins */

static void fine(int rc) { must(!rc, "memory"); }

/* A batch of random sequences; every third has qualities if quals. */
static void random_batch(ws_batch *b, uint64_t *seed, const ws_abc *abc, int n, size_t longest, int quals) {
    ws_err err;
    ws_batch_reuse(b);
    for (int i = 0; i < n; i++) {
        char name[40];
        const size_t L = below(seed, 3) ? below(seed, longest + 1) : below(seed, 14), first = b->nword;
        uint8_t *code = malloc(L + 64);
        ws_seqtext t = {0};
        must(code != NULL, "memory");
        for (size_t k = 0; k < L; k++) code[k] = (uint8_t)below(seed, (size_t)abc->Kp);
        fine(ws_batch_reserve_words(b, ws_batch_words(L), &err));
        ws_codec_scalar.pack(code, L, b->word + first);
        t.name = (ws_slice){b->text.n, (size_t)snprintf(name, sizeof name, "seq%d", i)};
        fine(ws_batch_add_text(b, name, t.name.n, &err));
        t.desc = (ws_slice){b->text.n, below(seed, 30)};
        fine(ws_batch_add_text(b, "a description of thirty letters", t.desc.n, &err));
        if (quals && i % 3 == 0) {
            t.qual = (ws_slice){b->text.n, L};
            memset(code, '!' + (int)below(seed, 90), L);
            fine(ws_batch_add_text(b, (const char *)code, L, &err));
        }
        fine(ws_batch_add_seq(b, first, (uint32_t)L, &t, &err));
        free(code);
    }
}

/* Appends the chosen sequences as blocks; pick NULL: all. */
static int put_blocks(ws_buf *out, const ws_batch *b, const uint32_t *pick, size_t n, ws_packed_totals *t,
                      ws_err *err) {
    ws_packed_open open = {0};
    int rc = pick ? WS_OK : ws_packed_add(&open, b, 0, b->n, out, t, err);
    for (size_t i = 0; pick && i < n && !rc; i++) rc = ws_packed_add(&open, b, pick[i], pick[i] + 1, out, t, err);
    if (!rc) rc = ws_packed_close(&open, NULL, 0, out, t, err);
    ws_packed_open_release(&open);
    return rc;
}

static void write_stream(ws_buf *out, const ws_batch *b, const ws_abc *abc, const uint32_t *pick, size_t n) {
    ws_err err;
    ws_packed_totals t = {0};
    fine(ws_packed_head(out, abc, &err));
    fine(put_blocks(out, b, pick, n, &t, &err));
    fine(ws_packed_end(out, &t, NULL, &err));
}

static int read_stream(const ws_buf *in, const ws_abc *abc, size_t batch_seqs, int marks, ws_buf *got, ws_err *err) {
    char path[PATH_SIZE];
    const char *paths[] = {path};
    const ws_seqread_conf conf = {.path = paths, .npath = 1, .format = WS_FORMAT_PACKED, .abc = abc,
                                  .batch_residues = UINT64_C(1) << 40, .batch_seqs = batch_seqs};
    temp_file(path, in->p, in->n);
    int rc = read_all(&conf, got, marks, err);
    unlink(path);
    return rc;
}

static int same_buf(const ws_buf *a, const ws_buf *b) { return a->n == b->n && (!a->n || !memcmp(a->p, b->p, a->n)); }

static void round_trip(tap *t, uint64_t seed, const ws_abc *abc, int n, size_t longest, int quals) {
    const uint64_t start = seed;
    ws_err err;
    ws_batch b = {0};
    ws_buf out = {0}, want = {0}, got = {0};
    size_t seqs = 0;
    random_batch(&b, &seed, abc, n, longest, quals);
    dump(&want, &b, abc, &seqs);
    write_stream(&out, &b, abc, NULL, 0);
    int rc = read_stream(&out, abc, 1 << 20, 0, &got, &err);
    int ok = rc == WS_EOF && same_buf(&got, &want) && out.n % PACK_ALIGN == 0;
    rc = read_stream(&out, abc, below(&seed, 50) + 1, 0, &got, &err);
    ok &= rc == WS_EOF && same_buf(&got, &want);
    tap_ok(t, ok, "%d sequences of up to %zu, %s%s, seed %llu", n, longest, abc->name, quals ? ", qualities" : "",
           (unsigned long long)start);
    ws_batch_release(&b);
    ws_buf_release(&out);
    ws_buf_release(&want);
    ws_buf_release(&got);
}

/* Three sequences with a text of their own: a stream that other tests take apart. */
static void small_stream(ws_buf *out, const ws_abc *abc) {
    ws_err err;
    ws_batch b = {0};
    uint64_t seed = 77;
    static const size_t lengths[] = {13, 0, 6};
    static const char names[] = "abc";
    for (int i = 0; i < 3; i++) {
        uint8_t code[128];
        ws_seqtext t = {.name = {b.text.n, 1}, .desc = {b.text.n, 0}, .qual = {b.text.n, 0}};
        for (size_t k = 0; k < lengths[i]; k++) code[k] = (uint8_t)below(&seed, (size_t)abc->Kp);
        fine(ws_batch_reserve_words(&b, 8, &err));
        ws_codec_scalar.pack(code, lengths[i], b.word + b.nword);
        fine(ws_batch_add_text(&b, names + i, 1, &err));
        fine(ws_batch_add_seq(&b, b.nword, (uint32_t)lengths[i], &t, &err));
    }
    write_stream(out, &b, abc, NULL, 0);
    ws_batch_release(&b);
}

static int zeros(const char *p, uint64_t n) {
    while (n > 0 && !p[n - 1]) n--;
    return n == 0;
}

/* The padding of lengths, texts and words is zero, whatever the memory held. The last word of a sequence is filled up
 * with 31, and its two highest bits are zero. */
static void padding(tap *t) {
    const ws_abc *abc = ws_abc_get(WS_ABC_AMINO);
    ws_buf out = {0};
    ws_err err;
    pack_frame f;
    fine(ws_buf_reserve(&out, 4096, &err));
    memset(out.p, 0xaa, out.cap);
    small_stream(&out, abc);
    memcpy(&f, out.p + PACK_FRAME, sizeof f);
    const char *body = out.p + 2 * PACK_FRAME;
    const uint64_t used = pack_lengths(&f) + f.v[BLOCK_TEXT], front = pack_front(&f), words = 4 * f.v[BLOCK_WORDS];
    tap_ok(t, f.v[BLOCK_SEQS] == 3 && front > used && zeros(body + used, front - used),
           "zeros behind lengths and texts");
    tap_ok(t, pack_gap(&f) > 0 && zeros(body + front + words, pack_gap(&f)), "zeros behind the words");
    uint32_t w[4]; /* 13 residues in three words, none, 6 in one */
    memcpy(w, body + front, sizeof w);
    tap_ok(t, words == sizeof w && w[2] >> 5 == 0x1ffffff && !((w[0] | w[1] | w[2] | w[3]) >> 30),
           "31 in the unused places of a word, bits 30 and 31 zero");
    ws_buf_release(&out);
}

static void choice_and_batches(tap *t) {
    const ws_abc *abc = ws_abc_get(WS_ABC_AMINO);
    static const uint32_t pick[] = {4, 1, 3};
    ws_err err;
    ws_batch b = {0};
    ws_buf out = {0}, got = {0};
    uint64_t seed = 5;
    ws_packed_totals totals = {0};
    random_batch(&b, &seed, abc, 6, 0, 0);
    for (size_t i = 0; i < b.n; i++) b.seqtext[i].desc.n = 0, b.len[i] = 0;
    write_stream(&out, &b, abc, pick, 3);
    int rc = read_stream(&out, abc, 2, 1, &got, &err);
    tap_ok(t, rc == WS_EOF && same_text(&got, "seq4|||\nseq1|||\n--\nseq3|||\n"), "chosen sequences, batches of two");
    out.n = 0;
    write_stream(&out, &b, abc, pick, 0);
    rc = read_stream(&out, abc, 9, 1, &got, &err);
    tap_ok(t, rc == WS_EOF && got.n == 0 && out.n == 2 * PACK_FRAME, "none chosen: head and end");
    fine(put_blocks(&out, &b, pick, 0, &totals, &err));
    tap_ok(t, totals.blocks == 0 && out.n == 2 * PACK_FRAME, "no sequence, no block");
    ws_batch_release(&b);
    ws_buf_release(&out);
    ws_buf_release(&got);
}

static void concatenated(tap *t) {
    const ws_abc *dna = ws_abc_get(WS_ABC_DNA), *rna = ws_abc_get(WS_ABC_RNA), *amino = ws_abc_get(WS_ABC_AMINO);
    ws_err err;
    ws_buf out = {0}, got = {0}, once = {0};
    small_stream(&out, dna);
    int rc = read_stream(&out, dna, 99, 0, &once, &err);
    tap_ok(t, rc == WS_EOF && once.n > 20, "a small stream");
    small_stream(&out, rna);
    rc = read_stream(&out, dna, 99, 0, &got, &err);
    tap_ok(t,
           rc == WS_EOF && got.n == 2 * once.n && !memcmp(got.p, once.p, once.n) &&
               !memcmp(got.p + once.n, once.p, once.n),
           "DNA and RNA concatenated, read as DNA");
    small_stream(&out, amino);
    rc = read_stream(&out, dna, 99, 0, &got, &err);
    tap_ok(t,
           rc == WS_EDATA && got.n == 2 * once.n &&
               strstr(err.text, "holds amino sequences, expected DNA, which respack --dna packs"),
           "... and amino");
    ws_buf_release(&out);
    ws_buf_release(&got);
    ws_buf_release(&once);
}

/* A pause inside the words of the second block: the first leaves, the second is whole. */
static void slow_stream(tap *t) {
    const ws_abc *abc = ws_abc_get(WS_ABC_AMINO);
    static const uint32_t pick[] = {0, 1, 2, 3, 4, 5, 6, 7};
    ws_err err;
    ws_batch b = {0};
    ws_buf out = {0}, got = {0}, want = {0};
    ws_packed_totals totals = {0};
    uint64_t seed = 21;
    size_t seqs = 0;
    random_batch(&b, &seed, abc, 8, 20000, 0);
    fine(ws_packed_head(&out, abc, &err));
    fine(put_blocks(&out, &b, pick, 2, &totals, &err));
    const size_t first = out.n;
    fine(put_blocks(&out, &b, pick + 2, 6, &totals, &err));
    fine(ws_packed_end(&out, &totals, NULL, &err));
    dump(&want, &b, abc, &seqs);
    drip d = {.text = &out, .seed = 3, .piece = first / 2, .pause_every = 5};
    const ws_seqread_conf conf = {.path = standard_input, .npath = 1, .abc = abc, .batch_residues = 1 << 30,
                                  .batch_seqs = 100};
    int rc = read_drips(&d, &conf, &got, 0, &err);
    tap_ok(t, rc == WS_EOF && same_buf(&got, &want), "pauses inside blocks");
    rc = read_drips(&d, &conf, &got, 1, &err);
    tap_ok(t, rc == WS_EOF && got.n > want.n, "... that close batches");
    ws_batch_release(&b);
    ws_buf_release(&out);
    ws_buf_release(&got);
    ws_buf_release(&want);
}

/* Two blocks: what is delivered of a damaged stream must be a beginning of the whole. */
static void two_blocks(ws_buf *out, const ws_abc *abc) {
    ws_err err;
    ws_batch b = {0};
    ws_packed_totals totals = {0};
    uint64_t seed = 3;
    static const uint32_t pick[] = {0, 1, 2, 3, 4};
    random_batch(&b, &seed, abc, 5, 40, 1);
    fine(ws_packed_head(out, abc, &err));
    fine(put_blocks(out, &b, pick, 2, &totals, &err));
    fine(put_blocks(out, &b, pick + 2, 3, &totals, &err));
    fine(ws_packed_end(out, &totals, NULL, &err));
    ws_batch_release(&b);
}

static int is_beginning(const ws_buf *got, const ws_buf *all) {
    return got->n <= all->n && !memcmp(got->p, all->p, got->n);
}

static void cut_and_damaged(tap *t) {
    const ws_abc *abc = ws_abc_get(WS_ABC_AMINO);
    ws_err err;
    ws_buf out = {0}, all = {0}, got = {0};
    int ok = 1, first = 0;
    two_blocks(&out, abc);
    must(read_stream(&out, abc, 99, 0, &all, &err) == WS_EOF, "two blocks");
    fine(ws_buf_reserve(&got, 1, &err));
    const size_t whole = out.n;
    for (size_t n = 1; n < whole; n++) {
        out.n = n;
        int rc = read_stream(&out, abc, 99, 0, &got, &err);
        ok &= rc == WS_EDATA && is_beginning(&got, &all);
        first |= got.n > 0 && got.n < all.n;
    }
    tap_ok(t, ok && first, "cut at each of %zu bytes: an error, whole blocks before it delivered", whole);
    out.n = whole;
    ok = 1;
    for (size_t i = 0; i < whole; i++)
        for (int bit = 0; bit < 8; bit++) {
            out.p[i] = (char)(out.p[i] ^ 1 << bit);
            int rc = read_stream(&out, abc, 99, 0, &got, &err);
            ok &= rc == WS_EDATA && is_beginning(&got, &all);
            out.p[i] = (char)(out.p[i] ^ 1 << bit);
        }
    tap_ok(t, ok, "every single bit turned is seen");
    fine(ws_buf_add(&out, "x", 1, &err));
    int rc = read_stream(&out, abc, 99, 0, &got, &err);
    tap_ok(t, rc == WS_EDATA && same_buf(&got, &all), "a byte behind the end is an error: %s", err.text);
    ws_buf_release(&out);
    ws_buf_release(&all);
    ws_buf_release(&got);
}

/* Streams that lie */

static pack_frame frame_at(const ws_buf *s, size_t at) {
    pack_frame f;
    memcpy(&f, s->p + at, sizeof f);
    return f;
}

static void seal_frame(ws_buf *s, size_t at, pack_frame *f) {
    f->check = pack_frame_check(f);
    memcpy(s->p + at, f, sizeof *f);
}

static void seal_body(ws_buf *s) {
    const pack_frame f = frame_at(s, PACK_FRAME);
    const size_t n = (size_t)(pack_front(&f) + 4 * f.v[BLOCK_WORDS] + pack_gap(&f));
    const uint64_t check = XXH3_64bits(s->p + BODY, n);
    memcpy(s->p + BODY + n, &check, sizeof check);
}

static void refused(tap *t, const ws_buf *s, const char *says, const char *what) {
    ws_err err;
    ws_buf got = {0};
    int rc = read_stream(s, ws_abc_get(WS_ABC_AMINO), 99, 0, &got, &err);
    tap_ok(t, rc == WS_EDATA && got.n == 0 && strstr(err.text, says), "%s", what);
    if (rc != WS_EDATA || !strstr(err.text, says)) tap_note("code %d: %s", rc, rc == WS_EOF ? "" : err.text);
    ws_buf_release(&got);
}

static void wrong_number(tap *t, int k, uint64_t value, const char *says) {
    ws_buf s = {0};
    char what[100];
    small_stream(&s, ws_abc_get(WS_ABC_AMINO));
    pack_frame f = frame_at(&s, PACK_FRAME);
    f.v[k] = value;
    seal_frame(&s, PACK_FRAME, &f);
    snprintf(what, sizeof what, "number %d of a block is %llu", k, (unsigned long long)value);
    refused(t, &s, says, what);
    ws_buf_release(&s);
}

static void wrong_word(tap *t, size_t at, uint32_t word, const char *what) {
    ws_buf s = {0};
    small_stream(&s, ws_abc_get(WS_ABC_AMINO));
    const pack_frame f = frame_at(&s, PACK_FRAME);
    memcpy(s.p + BODY + pack_front(&f) + 4 * at, &word, 4);
    seal_body(&s);
    refused(t, &s, "has residues that the alphabet does not know", what);
    ws_buf_release(&s);
}

static void wrong_front(tap *t, size_t at, uint32_t value, size_t n, const char *says, const char *what) {
    ws_buf s = {0};
    small_stream(&s, ws_abc_get(WS_ABC_AMINO));
    memcpy(s.p + BODY + at, &value, n);
    seal_body(&s);
    refused(t, &s, says, what);
    ws_buf_release(&s);
}

static void liars(tap *t) {
    static const uint64_t huge[] = {UINT64_MAX, UINT64_MAX / 4, UINT64_C(1) << 62, UINT64_C(1) << 41};
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++)
        for (int k = BLOCK_SEQS; k <= BLOCK_RESIDUES; k++) wrong_number(t, k, huge[i], "impossible counts");
    wrong_number(t, BLOCK_FLAGS, 2, "impossible counts");
    wrong_number(t, BLOCK_SEQS, 0, "impossible counts");
    wrong_number(t, BLOCK_SEQS, 1 << 28, "was cut");
    wrong_number(t, BLOCK_TEXT, UINT64_C(1) << 40, "was cut");
    wrong_number(t, BLOCK_WORDS, UINT64_C(1) << 38, "impossible lengths");
    wrong_number(t, BLOCK_RESIDUES, 18, "impossible lengths");
    wrong_number(t, BLOCK_NUMBER, 1, "does not follow");
    for (uint32_t code = 29; code < 32; code++)
        for (uint32_t k = 0; k < 6; k++) wrong_word(t, 0, code << 5 * k, "a code that is no residue");
    wrong_word(t, 1, 1u << 30, "bit 30 of a full word");
    wrong_word(t, 2, 0xffffffc0u, "bits 30 and 31 of a last word");
    wrong_word(t, 2, 0x3fffffdfu & ~(31u << 5), "padding that is not 31");
    wrong_word(t, 2, 0x3fffffffu, "31 for the last residue");
    wrong_front(t, 0, 14, 4, "impossible lengths", "a length too large");
    wrong_front(t, 0, UINT32_MAX, 4, "impossible lengths", "a length of 2^32 - 1");
    wrong_front(t, 12, 0, 4, "impossible lengths", "a name of length 0");
    wrong_front(t, 12, UINT32_MAX, 4, "impossible lengths", "a name of length 2^32 - 1");
    wrong_front(t, 36, '\t', 1, "control character", "a tab in a name");
    wrong_front(t, 36, '\0', 1, "control character", "a NUL in a name");
    wrong_front(t, 39, 'x', 1, "padding that is not zero", "padding behind the texts");
}

static void wrong_heads(tap *t) {
    ws_buf s = {0};
    small_stream(&s, ws_abc_get(WS_ABC_AMINO));
    pack_frame f = frame_at(&s, 0), end = frame_at(&s, s.n - PACK_FRAME);
    f.v[HEAD_VERSION] = 3;
    seal_frame(&s, 0, &f);
    refused(t, &s, "version", "another version");
    f.v[HEAD_VERSION] = PACK_SEQUENCES;
    f.v[HEAD_ALPHABET] = 9;
    seal_frame(&s, 0, &f);
    refused(t, &s, "alphabet", "another alphabet");
    f.v[HEAD_ALPHABET] = WS_ABC_AMINO;
    seal_frame(&s, 0, &f);
    end.v[END_SEQS]++;
    seal_frame(&s, s.n - PACK_FRAME, &end);
    ws_err err;
    ws_buf got = {0};
    int rc = read_stream(&s, ws_abc_get(WS_ABC_AMINO), 99, 0, &got, &err);
    tap_ok(t, rc == WS_EDATA && strstr(err.text, "blocks are missing"), "totals that do not agree");
    memmove(s.p, s.p + PACK_FRAME, s.n -= PACK_FRAME);
    refused(t, &s, "expected the head of a packed stream", "a stream without its head");
    ws_buf_release(&got);
    ws_buf_release(&s);
}

int main(void) {
    static const ws_abc_type types[] = {WS_ABC_AMINO, WS_ABC_DNA};
    tap t = {0};
    for (int i = 0; i < 2; i++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            round_trip(&t, seed, ws_abc_get(types[i]), 100, 500, seed % 2 == 0);
            round_trip(&t, seed, ws_abc_get(types[i]), 20, 300000, seed % 2 == 1);
        }
    round_trip(&t, 9, ws_abc_get(WS_ABC_AMINO), 2, 40000000, 0);
    padding(&t);
    choice_and_batches(&t);
    concatenated(&t);
    slow_stream(&t);
    cut_and_damaged(&t);
    liars(&t);
    wrong_heads(&t);
    return tap_end(&t);
}
