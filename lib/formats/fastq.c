/* SPDX-License-Identifier: MIT
 * The FASTQ parser: records of four lines. Wrapped sequences, where '@' and '+' may be qualities too, are refused. */
#include "lib/formats/parser.h"

#include <string.h>

typedef struct fastq {
    enum { BEFORE, HEADER, SEQUENCE, PLUS, PLUS_TEXT, QUALITY } state;
} fastq;

static int begin(void *own, ws_parse *s, ws_err *err) {
    (void)err;
    ((fastq *)own)->state = BEFORE;
    s->note_skips = 1;
    return WS_OK;
}

static size_t line_of(const uint8_t *p, size_t n) {
    const uint8_t *eol = memchr(p, '\n', n);
    return eol ? (size_t)(eol - p) : n;
}

static void next_line(fastq *f, ws_parse *s, int state) {
    s->line++;
    f->state = state;
}

/* Each of these takes the bytes of p[0..n), n > 0, that belong to its state, and returns their number. *rc is a failure
 * or 0. */

static size_t in_before(fastq *f, ws_parse *s, const uint8_t *p, size_t n, int *rc, ws_err *err) {
    const size_t took = ws_parse_start(s, p, n, '@', "FASTQ", rc, err);
    if (p[took - 1] == '@') f->state = HEADER;
    return took;
}

/* Returns whether the first line is SAM's, which begins with an '@' too. The parser has turned a tab there into a blank
 * or a '_'. */
static int is_sam(const ws_buf *head) {
    static const char *const line[] = {"HD\tVN:", "SQ\tSN:", "RG\tID:", "PG\tID:"};
    for (size_t i = 0; i < sizeof line / sizeof *line; i++)
        if (head->n > 6 && !memcmp(head->p, line[i], 2) && !memcmp(head->p + 3, line[i] + 3, 3)) return 1;
    return 0;
}

static size_t in_header(fastq *f, ws_parse *s, const uint8_t *p, size_t n, int *rc, ws_err *err) {
    const size_t take = line_of(p, n);
    *rc = ws_parse_text(s, &s->head, p, take, err);
    if (*rc || take == n) return take;
    *rc =
        is_sam(&s->head)
            ? ws_parse_fail(s, err, "found a header line of SAM, expected reads as FASTQ (samtools fastq writes them)")
            : ws_parse_header(s, err);
    next_line(f, s, SEQUENCE);
    return take + 1;
}

static size_t in_sequence(fastq *f, ws_parse *s, const uint8_t *p, size_t n, int *rc, ws_err *err) {
    size_t i = 0;
    while (f->state == SEQUENCE && !*rc) {
        size_t got;
        *rc = ws_parse_residues(s, p + i, n - i, &got, err);
        i += got;
        if (*rc || i == n) break;
        if (p[i] == '\n') next_line(f, s, PLUS);
        else if (p[i] != '\r') *rc = ws_parse_bad(s, p[i], err);
        i++;
    }
    return i;
}

static size_t in_plus(fastq *f, ws_parse *s, const uint8_t *p, size_t n, int *rc, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    f->state = PLUS_TEXT;
    if (*p != '+')
        *rc = ws_parse_fail(s, err,
                            "expected '+' (sequence and quality of a FASTQ record are one line each), found \"%s\"",
                            ws_quote(quote, (const char *)p, line_of(p, n)));
    return 1;
}

static size_t in_plus_text(fastq *f, ws_parse *s, const uint8_t *p, size_t n) {
    const size_t take = line_of(p, n);
    if (take == n) return n;
    next_line(f, s, QUALITY);
    return take + 1;
}

static int end_record(fastq *f, ws_parse *s, ws_err *err) {
    if (s->qual.n && s->qual.p[s->qual.n - 1] == '\r') s->qual.n--;
    int rc = ws_parse_qual(s, err);
    const uint64_t len = ws_parse_len(s);
    if (!rc) rc = ws_parse_pack(s, err);
    if (!rc) rc = ws_parse_commit(s, len, err);
    f->state = BEFORE;
    return rc;
}

static size_t in_quality(fastq *f, ws_parse *s, const uint8_t *p, size_t n, int *rc, ws_err *err) {
    const size_t take = line_of(p, n);
    *rc = ws_buf_add(&s->qual, p, take, err);
    if (*rc || take == n) return take;
    *rc = end_record(f, s, err);
    s->line++;
    return take + 1;
}

static int feed(void *own, ws_parse *s, const uint8_t *p, size_t *n, ws_err *err) {
    fastq *f = own;
    size_t i = 0;
    int rc = WS_OK;
    while (!rc && i < *n && !ws_parse_full(s)) switch (f->state) {
        case BEFORE: i += in_before(f, s, p + i, *n - i, &rc, err); break;
        case HEADER: i += in_header(f, s, p + i, *n - i, &rc, err); break;
        case SEQUENCE: i += in_sequence(f, s, p + i, *n - i, &rc, err); break;
        case PLUS: i += in_plus(f, s, p + i, *n - i, &rc, err); break;
        case PLUS_TEXT: i += in_plus_text(f, s, p + i, *n - i); break;
        case QUALITY: i += in_quality(f, s, p + i, *n - i, &rc, err); break;
        }
    *n = i;
    return rc;
}

/* Ends the input. The last line may lack its newline; a record without residues may lack its quality line too. */
static int finish(void *own, ws_parse *s, int whole, ws_err *err) {
    fastq *f = own;
    if (!whole || f->state == BEFORE) return WS_OK;
    if (f->state == QUALITY || (f->state == PLUS_TEXT && ws_parse_len(s) == 0)) return end_record(f, s, err);
    return ws_parse_fail(s, err, "the input ends inside a FASTQ record, so it was cut");
}

const ws_parser ws_parser_fastq = {sizeof(fastq), begin, feed, finish, NULL};
