/* SPDX-License-Identifier: MIT
 * The FASTA parser, with the characters that hmmsearch takes (specification profile-filters.md, section 2.3). '>' ends
 * a record wherever it stands. The parser passes over blanks and CR inside a sequence. A record may be empty. Aligned
 * FASTA is the same with gaps, which are left out, and with as many columns in each record. */
#include "lib/formats/parser.h"

#include <string.h>

typedef struct fasta {
    enum { BEFORE, HEADER, SEQUENCE } state;
    int aligned;
    uint64_t columns, expected; /* of an aligned record so far, and of the first one */
    uint64_t records;
} fasta;

static int begin(void *own, ws_parse *s, ws_err *err) {
    (void)err;
    *(fasta *)own = (fasta){.state = BEFORE};
    s->note_skips = 0;
    s->of_gap = "; aligned FASTA has the format afa";
    return WS_OK;
}

static int begin_aligned(void *own, ws_parse *s, ws_err *err) {
    const int rc = begin(own, s, err);
    ((fasta *)own)->aligned = 1;
    return rc;
}

/* Each of these takes the bytes of p[0..n), n > 0, that belong to its state, and returns their number. *rc is a failure
 * or 0. */

static size_t in_before(fasta *f, ws_parse *s, const uint8_t *p, size_t n, int *rc, ws_err *err) {
    const size_t took = ws_parse_start(s, p, n, '>', "FASTA", rc, err);
    if (p[took - 1] == '>') f->state = HEADER;
    return took;
}

static size_t in_header(fasta *f, ws_parse *s, const uint8_t *p, size_t n, int *rc, ws_err *err) {
    const uint8_t *eol = memchr(p, '\n', n);
    const size_t take = eol ? (size_t)(eol - p) : n;
    *rc = ws_parse_text(s, &s->head, p, take, err);
    if (*rc || !eol) return take;
    *rc = ws_parse_header(s, err);
    s->line++;
    f->state = SEQUENCE;
    return take + 1;
}

static int check_columns(fasta *f, const ws_parse *s, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    if (f->records++ == 0) f->expected = f->columns;
    if (f->columns == f->expected) return WS_OK;
    return ws_parse_fail(s, err, "row \"%s\" before this line has %llu columns, expected %llu as in the first row",
                         ws_quote(quote, s->head.p + s->name.at, s->name.n), (unsigned long long)f->columns,
                         (unsigned long long)f->expected);
}

static int end_record(fasta *f, ws_parse *s, ws_err *err) {
    const uint64_t len = ws_parse_len(s);
    int rc = f->aligned ? check_columns(f, s, err) : WS_OK;
    f->columns = 0;
    if (!rc) rc = ws_parse_pack(s, err);
    return rc ? rc : ws_parse_commit(s, len, err);
}

static size_t in_aligned(fasta *f, ws_parse *s, const uint8_t *p, size_t n, int *rc, ws_err *err) {
    const uint8_t *next = memchr(p, '>', n);
    const size_t take = next ? (size_t)(next - p) : n;
    for (size_t i = 0; i < take; i++) f->columns += p[i] != '\n' && p[i] != '\r' && p[i] != ' ' && p[i] != '\t';
    *rc = ws_parse_without(s, p, take, WS_PARSE_GAPS, err);
    if (!*rc) *rc = ws_parse_piece(s, err);
    if (*rc || !next || ws_parse_full(s)) return take;
    *rc = end_record(f, s, err);
    f->state = HEADER;
    return take + 1;
}

static size_t in_sequence(fasta *f, ws_parse *s, const uint8_t *p, size_t n, int *rc, ws_err *err) {
    size_t i = 0;
    while (f->state == SEQUENCE && !*rc && !ws_parse_full(s)) {
        size_t got;
        *rc = ws_parse_lines(s, p + i, n - i, &got, err);
        i += got;
        if (!*rc) *rc = ws_parse_piece(s, err);
        if (*rc || i == n) break;
        if (p[i] == '>') {
            *rc = end_record(f, s, err);
            f->state = HEADER;
        } else {
            *rc = ws_parse_bad(s, p[i], err);
        }
        i++;
    }
    return i;
}

static int feed(void *own, ws_parse *s, const uint8_t *p, size_t *n, ws_err *err) {
    fasta *f = own;
    size_t i = 0;
    int rc = WS_OK;
    while (!rc && i < *n && !ws_parse_full(s)) switch (f->state) {
        case BEFORE: i += in_before(f, s, p + i, *n - i, &rc, err); break;
        case HEADER: i += in_header(f, s, p + i, *n - i, &rc, err); break;
        case SEQUENCE:
            i += (f->aligned ? in_aligned : in_sequence)(f, s, p + i, *n - i, &rc, err);
            break;
        }
    *n = i;
    return rc;
}

static int finish(void *own, ws_parse *s, int whole, ws_err *err) {
    fasta *f = own;
    int rc = WS_OK;
    if (!whole || f->state == BEFORE) return WS_OK;
    if (f->state == HEADER) rc = ws_parse_header(s, err);
    return rc ? rc : end_record(f, s, err);
}

const ws_parser ws_parser_fasta = {sizeof(fasta), begin, feed, finish, NULL};
const ws_parser ws_parser_afa = {sizeof(fasta), begin_aligned, feed, finish, NULL};
