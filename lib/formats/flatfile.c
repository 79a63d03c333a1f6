/* SPDX-License-Identifier: MIT
 * The parsers of GenBank (also DDBJ) and EMBL (also UniProt): records of lines that begin with a word, the sequence
 * between a line of its own and "//". Names, accessions and descriptions are those that HMMER 3.4 takes of them. */
#include "lib/formats/parser.h"

#include <string.h>

/* How a format writes its records. */
typedef struct layout {
    const char *format, *article;
    const char *first, *last;       /* how the first line begins, and the one before the sequence */
    const char *acc, *desc;         /* ... and the ones with accession and description */
    const char *first_word, *last_word;
    size_t text;                    /* where the text of these lines begins */
    const char *name_end, *acc_end; /* what ends a name and an accession */
    int first_acc;                  /* the first accession counts, not the last one */
    int preface;                    /* lines before a record are passed over */
} layout;

static const layout genbank = {
    .format = "GenBank", .article = "a", .first = "LOCUS   ", .last = "ORIGIN", .acc = "VERSION   ",
    .desc = "DEFINITION ", .first_word = "LOCUS", .last_word = "ORIGIN", .text = 12, .name_end = " \t",
    .acc_end = " \t", .preface = 1,
};
static const layout embl = {
    .format = "EMBL", .article = "an", .first = "ID   ", .last = "SQ   ", .acc = "AC   ", .desc = "DE   ",
    .first_word = "ID", .last_word = "SQ", .text = 5, .name_end = " \t;", .acc_end = ";", .first_acc = 1,
};

typedef struct flat {
    const layout *of;
    enum { OUTSIDE, HEADER, SEQUENCE, END } state;
    ws_buf line;    /* text of a line that has not ended */
    int line_start; /* the next byte of the sequence begins a line */
    int text, found; /* since the input began: a line with text, a record */
} flat;

static int begin(flat *f, ws_parse *s, const layout *of) {
    *f = (flat){.of = of, .line = f->line};
    f->line.n = 0;
    s->note_skips = 0;
    return WS_OK;
}

static int begin_genbank(void *own, ws_parse *s, ws_err *err) {
    (void)err;
    return begin(own, s, &genbank);
}

static int begin_embl(void *own, ws_parse *s, ws_err *err) {
    (void)err;
    return begin(own, s, &embl);
}

static void release(void *own) { ws_buf_release(&((flat *)own)->line); }

/* ---- lines ---- */

static int line_is(const flat *f, const char *start) {
    const size_t n = strlen(start);
    return f->line.n >= n && memcmp(f->line.p, start, n) == 0;
}

static int is_blank(const flat *f) {
    for (size_t i = 0; i < f->line.n; i++)
        if (f->line.p[i] != ' ' && f->line.p[i] != '\t') return 0;
    return 1;
}

/* Returns the first word of the line's text up to one of `end`; an empty one: there is none. */
static ws_slice word_of(const flat *f, const char *end) {
    const ws_buf *l = &f->line;
    size_t from = f->of->text, n = 0;
    while (from < l->n && l->p[from] && strchr(end, l->p[from])) from++;
    while (from + n < l->n && (!l->p[from + n] || !strchr(end, l->p[from + n]))) n++;
    while (n && (l->p[from + n - 1] == ' ' || l->p[from + n - 1] == '\t')) n--;
    return (ws_slice){from, n};
}

static int add_text(flat *f, ws_parse *s, ws_buf *to, ws_slice from, ws_err *err) {
    return from.n ? ws_parse_text(s, to, (const uint8_t *)f->line.p + from.at, from.n, err) : WS_OK;
}

static int outside(flat *f, ws_parse *s, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    const layout *of = f->of;
    if (is_blank(f)) return WS_OK;
    f->text = 1;
    if (!line_is(f, of->first)) {
        if (of->preface) return WS_OK;
        return ws_parse_fail(s, err, "expected the line %s of %s %s record, found \"%s\"", of->first_word,
                             of->article, of->format, ws_quote(quote, f->line.p, f->line.n));
    }
    const ws_slice name = word_of(f, of->name_end);
    if (!name.n) return ws_parse_fail(s, err, "the line %s has no name", of->first_word);
    const int rc = add_text(f, s, &s->head, name, err);
    s->name = (ws_slice){0, name.n};
    s->desc = (ws_slice){name.n, 0};
    f->state = HEADER;
    f->found = 1;
    return rc;
}

/* Appends a line of the description, without blanks at its end, behind a blank. */
static int add_description(flat *f, ws_parse *s, ws_err *err) {
    ws_slice text = {ws_min(f->of->text, f->line.n), 0};
    text.n = f->line.n - text.at;
    while (text.n && strchr(" \t", f->line.p[text.at + text.n - 1])) text.n--;
    int rc = s->desc.n ? ws_buf_add(&s->head, " ", 1, err) : WS_OK;
    if (!rc) rc = add_text(f, s, &s->head, text, err);
    s->desc.n = s->head.n - s->desc.at;
    return rc;
}

static int in_header(flat *f, ws_parse *s, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    const layout *of = f->of;
    if (line_is(f, of->last)) {
        f->state = SEQUENCE;
        f->line_start = 1;
        s->returned = 0;
        return WS_OK;
    }
    if (line_is(f, "//") || line_is(f, of->first))
        return ws_parse_fail(s, err, "found \"%s\", expected the line %s and the sequence of record \"%.*s\" first",
                             ws_quote(quote, f->line.p, f->line.n), of->last_word, (int)ws_min(s->name.n, 80),
                             s->head.p);
    if (line_is(f, of->desc)) return add_description(f, s, err);
    if (!line_is(f, of->acc) || (of->first_acc && s->acc.n)) return WS_OK;
    s->acc.n = 0;
    s->returned = 0;
    return add_text(f, s, &s->acc, word_of(f, of->acc_end), err);
}

static int end_record(flat *f, ws_parse *s, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    if (!f->line_start || !line_is(f, "//"))
        return ws_parse_fail(s, err, "found \"%s\" in a sequence, expected residues, or // on a line of its own",
                             ws_quote(quote, f->line.p, f->line.n));
    const uint64_t len = ws_parse_len(s);
    int rc = ws_parse_pack(s, err);
    if (!rc) rc = ws_parse_commit(s, len, err);
    f->state = OUTSIDE;
    return rc;
}

/* Deals with the line that is complete. */
static int take_line(flat *f, ws_parse *s, ws_err *err) {
    const int rc = f->state == OUTSIDE ? outside(f, s, err)
                   : f->state == HEADER ? in_header(f, s, err)
                                        : end_record(f, s, err);
    f->line.n = 0;
    return rc;
}

/* ---- the sequence ---- */

/* Takes a part of the lines of the sequence, with numbers of residues that do not count, up to a slash. */
static size_t in_sequence(flat *f, ws_parse *s, const uint8_t *p, size_t n, int *rc, ws_err *err) {
    const uint8_t *slash = memchr(p, '/', n);
    const size_t take = slash ? (size_t)(slash - p) : n;
    if (take) {
        f->line_start = p[take - 1] == '\n';
        *rc = ws_parse_without(s, p, take, "0123456789", err);
        if (!*rc) *rc = ws_parse_piece(s, err);
    }
    if (slash) f->state = END;
    return take;
}

static int feed(void *own, ws_parse *s, const uint8_t *p, size_t *n, ws_err *err) {
    flat *f = own;
    size_t i = 0;
    int rc = WS_OK, whole;
    while (!rc && i < *n && !ws_parse_full(s)) {
        if (f->state == SEQUENCE) {
            i += in_sequence(f, s, p + i, *n - i, &rc, err);
            continue;
        }
        i += ws_parse_line(s, &f->line, p + i, *n - i, WS_TEXT_MAX, &whole, &rc, err);
        if (rc || !whole) continue;
        rc = take_line(f, s, err);
        s->line++;
    }
    *n = i;
    return rc;
}

static int finish(void *own, ws_parse *s, int whole, ws_err *err) {
    flat *f = own;
    int rc = WS_OK;
    if (!whole) return WS_OK;
    while (f->line.n && f->line.p[f->line.n - 1] == '\r') f->line.n--;
    if (f->line.n && memchr(f->line.p, '\r', f->line.n)) return ws_parse_fail_returns(s, err);
    if (f->line.n) rc = take_line(f, s, err);
    if (!rc && f->state != OUTSIDE)
        rc = ws_parse_fail(s, err, "the input ends inside %s %s record, which ends with //, so it was cut",
                           f->of->article, f->of->format);
    if (!rc && f->text && !f->found)
        rc = ws_parse_fail(s, err, "the input has no line %s, with which %s %s record begins", f->of->first_word,
                           f->of->article, f->of->format);
    return rc;
}

const ws_parser ws_parser_genbank = {sizeof(flat), begin_genbank, feed, finish, release};
const ws_parser ws_parser_embl = {sizeof(flat), begin_embl, feed, finish, release};
