/* SPDX-License-Identifier: MIT
 * Fuzzing of one sequence parser: byte 0 of the input chooses options, byte 1 how the rest is cut into pieces. The
 * records and the failure must be the same for the whole text at once, for its pieces, and for any size of batch. */
#ifndef WS_TESTS_FUZZ_PARSER_H
#define WS_TESTS_FUZZ_PARSER_H

#include "lib/formats/parser.h"
#include "tests/fuzz/fuzz.h"
#include "tests/lib/io.h"

typedef struct fuzz_result {
    ws_buf records;
    int rc;
    ws_err err;
    uint64_t bad;
} fuzz_result;

static ws_seqread_conf fuzz_conf(uint8_t option, ws_format format) {
    static const char *const own[] = {"x_bits", "x_p"};
    static const ws_abc_type abc[] = {WS_ABC_AMINO, WS_ABC_DNA, WS_ABC_RNA, WS_ABC_AMINO};
    return (ws_seqread_conf){.format = format,
                             .abc = ws_abc_get(abc[option >> 2 & 3]),
                             .badres = (ws_badres)((option & 3) % 3),
                             .allow_cut = option >> 4 & 1,
                             .any_abc = option >> 5 & 1,
                             .batch_residues = 1 << 20,
                             .batch_seqs = 1 << 20,
                             .own = own,
                             .nown = 2};
}

/* Sizes of pieces: 1, 2, 3 ... or all at once if step is 0. */
static size_t fuzz_piece(uint8_t step, size_t k) { return step ? 1 + k * step % 11 : SIZE_MAX; }

static void fuzz_parse(const ws_parser *parser, const ws_seqread_conf *conf, const uint8_t *p, size_t n, uint8_t step,
                       fuzz_result *r) {
    ws_parse s;
    ws_batch batch = {0};
    size_t seqs = 0, k = 0;
    r->err.text[0] = '\0';
    must(!ws_parse_prepare(&s, conf, &r->err), "prepare");
    void *own = ws_calloc(1, parser->size, &r->err);
    must(own != NULL, "memory");
    s.b = &batch;
    s.input = "in";
    s.line = 1;
    r->rc = parser->begin(own, &s, &r->err);
    for (size_t i = 0; i < n && !r->rc; k++) {
        const size_t want = ws_min(n - i, fuzz_piece(step, k));
        size_t took = want;
        uint8_t *piece = fuzz_copy(p + i, want);
        r->rc = parser->feed(own, &s, piece, &took, &r->err);
        free(piece);
        FUZZ_CHECK(took <= want);
        FUZZ_CHECK(r->rc || took == want);
        i += took;
    }
    if (!r->rc) r->rc = parser->finish(own, &s, 1, &r->err);
    ws_err unused;
    if (r->rc) (void)parser->finish(own, &s, 0, &unused);
    const ws_mark mark = ws_parse_mark(&s);
    batch.n = mark.n;
    batch.nrow = mark.nrow;
    dump(&r->records, &batch, s.abc, &seqs);
    r->bad = s.bad_total;
    if (parser->release) parser->release(own);
    ws_free(own);
    ws_parse_release(&s);
    ws_batch_release(&batch);
}

/* Messages quote what was at hand, which a cut may shorten: they are compared up to the quotation. */
static int fuzz_same_sentence(const char *a, const char *b) {
    while (*a && *a == *b && *a != '"') a++, b++;
    return *a == *b;
}

WS_UNUSED static int fuzz_parser(const ws_parser *parser, ws_format format, uint8_t option, uint8_t step,
                                 const uint8_t *p, size_t n) {
    fuzz_result whole = {0}, cut = {0};
    const ws_seqread_conf conf = fuzz_conf(option, format);
    fuzz_parse(parser, &conf, p, n, 0, &whole);
    FUZZ_CHECK(!whole.records.n || !memchr(whole.records.p, '!', whole.records.n) || memchr(p, '!', n));
    if (step) {
        fuzz_parse(parser, &conf, p, n, step, &cut);
        FUZZ_CHECK(whole.rc == cut.rc);
        FUZZ_CHECK(!whole.rc || fuzz_same_sentence(whole.err.text, cut.err.text));
        FUZZ_CHECK(whole.records.n == cut.records.n);
        FUZZ_CHECK(!cut.records.n || !memcmp(whole.records.p, cut.records.p, cut.records.n));
        FUZZ_CHECK(whole.bad == cut.bad);
    }
    ws_buf_release(&whole.records);
    ws_buf_release(&cut.records);
    return 0;
}

#define FUZZ_TARGET(target, parser, format)                                     \
    const char ws_fuzz_name[] = target;                                         \
    int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {                    \
        return n < 2 ? 0 : fuzz_parser(&parser, format, p[0], p[1], p + 2, n - 2); \
    }

#endif
