/* SPDX-License-Identifier: MIT
 * The parser of our own tables. A row is (sequence, model). Adjacent rows of one sequence share it, and stay in one
 * batch. So the last sequence of the batch is open, after the mark, until the parser sees a row of another sequence or
 * the end. Where rows may be apart (conf.rows_apart) it leaves at once, and a hash tells if the next batch goes on with
 * it. */
#include "lib/formats/tsv.h"

#include <string.h>

static int begin(void *own, ws_parse *s, ws_err *err) {
    tsv *t = own;
    (void)err;
    t->state = LINE_START;
    t->headers = t->pg1 = t->ends = t->owed = 0;
    t->rows = t->before = t->letters = t->in = t->told = 0;
    t->counted = 1;
    t->table = CLOSED;
    t->sorted = 0;
    t->line.n = 0;
    s->last = (XXH128_hash_t){0, 0};
    s->note_skips = 1;
    return WS_OK;
}

static void release(void *own) {
    tsv *t = own;
    ws_buf_release(&t->header);
    ws_buf_release(&t->line);
    ws_buf_release(&t->rest);
    ws_free(t->kind);
}

/* Fields */

static tsv_kind kind_here(const tsv *t) {
    return t->col < t->ncol && !t->fault.code ? (tsv_kind)t->kind[t->col] : TSV_DROP;
}

/* Returns the buffer for the text of the current field; NULL for residues and for fields that are dropped. */
static ws_buf *text_here(tsv *t, ws_parse *s) {
    switch (kind_here(t)) {
    case TSV_NAME:
    case TSV_DESC: return &s->head;
    case TSV_QUAL: return &s->qual;
    case TSV_REST: return &t->rest;
    case TSV_SEQ:
    case TSV_DROP: break;
    }
    return NULL;
}

static int start_field(tsv *t, ws_parse *s, ws_err *err) {
    const tsv_kind kind = kind_here(t);
    if (kind == TSV_REST && t->nrest++) {
        int rc = ws_buf_add(&t->rest, "\t", 1, err);
        if (rc) return rc;
    }
    const ws_buf *text = text_here(t, s);
    t->field = text ? text->n : 0;
    if (kind == TSV_NAME) s->name.at = s->head.n;
    if (kind == TSV_DESC) s->desc.at = s->head.n;
    if (t->col == t->query) t->query_text.at = t->rest.n;
    return WS_OK;
}

static void end_field(tsv *t, ws_parse *s) {
    const tsv_kind kind = kind_here(t);
    if (kind == TSV_NAME) s->name.n = s->head.n - s->name.at;
    if (kind == TSV_DESC) s->desc.n = s->head.n - s->desc.at;
    if (t->col == t->query) t->query_text.n = t->rest.n - t->query_text.at;
}

/* Rows */

static void drop_row(tsv *t, ws_parse *s) {
    ws_parse_drop(s);
    t->rest.n = t->nrest = t->col = t->field = 0;
    t->query_text = (ws_slice){0};
    t->fault.code = WS_OK;
}

static int start_row(tsv *t, ws_parse *s, ws_err *err) {
    drop_row(t, s);
    t->state = ROW;
    return start_field(t, s, err);
}

static int same_text(const ws_batch *b, ws_slice x, const ws_buf *y, size_t at, size_t n) {
    return x.n == n && (!n || !memcmp(b->text.p + x.at, y->p + at, n));
}

/* Returns whether the row's sequence, packed after nword, is that of the row before it. */
static int same_as_last(const ws_parse *s, uint64_t len) {
    const ws_batch *b = s->b;
    if (b->n == s->mark.n) return 0;
    const size_t i = b->n - 1;
    const ws_seqtext *last = &b->seqtext[i];
    return len == b->len[i] && same_text(b, last->name, &s->head, s->name.at, s->name.n) &&
           same_text(b, last->desc, &s->head, s->desc.at, s->desc.n) &&
           same_text(b, last->qual, &s->qual, 0, s->qual.n) &&
           !memcmp(b->word + b->first[i], b->word + b->nword, s->nopen * sizeof *b->word);
}

/* Returns whether a row begins another sequence. A sequence meets a model once. So where the query of its first row
 * comes again, another sequence begins, whatever its name: databases have equal records. Each row without a query is a
 * sequence of its own. */
static int begins_anew(const tsv *t, uint64_t query) { return !t->query_text.n || query == t->first_query; }

/* Returns whether the residues are the word "seq", which stands there in the header of another table. */
static int is_word_seq(const ws_parse *s) {
    const uint8_t *code_of = s->abc->code_of;
    return !s->nopen && s->ncode == 3 && s->code[0] == code_of['S'] && s->code[1] == code_of['E'] &&
           s->code[2] == code_of['Q'];
}

static int check_row(const tsv *t, ws_parse *s, ws_err *err) {
    if (t->col + 1 != t->ncol)
        return ws_parse_fail(s, err, "a row of %zu fields, expected %zu as in the header", t->col + 1, t->ncol);
    if (t->fault.code) {
        *err = t->fault;
        return err->code;
    }
    if (!s->name.n) return ws_parse_fail(s, err, "a row without a name");
    if (s->conf->queries && t->query < t->ncol && !t->query_text.n)
        return ws_parse_fail(s, err,
                             "the query is empty, expected the name of a model, as the table has a column for it");
    if (!t->hash && s->name.n == 4 && !memcmp(s->head.p + s->name.at, "name", 4) && is_word_seq(s))
        return ws_parse_fail(s, err, "the columns of this table are not those of the first one");
    s->codec->copy_text(s->head.p, s->head.p, s->head.n);
    return s->qual.n ? ws_parse_qual(s, err) : WS_OK;
}

static int add_row(tsv *t, ws_parse *s, ws_err *err) {
    const uint64_t len = ws_parse_len(s);
    ws_batch *b = s->b;
    const uint64_t query = t->query_text.n ? XXH3_64bits(t->rest.p + t->query_text.at, t->query_text.n) : 0;
    const int anew = begins_anew(t, query);
    int rc = ws_parse_pack(s, err);
    if (!rc && (anew || !same_as_last(s, len))) {
        s->mark = ws_parse_all(b);
        rc = ws_parse_commit(s, len, err);
        if (!rc && b->n == 1 && s->conf->rows_apart)
            s->goes_on = !anew && XXH128_isEqual(s->last, ws_parse_identity(b, 0));
        if (b->n != 1 || !s->goes_on) t->first_query = query;
    }
    if (rc) return rc;
    t->rows++;
    t->table = OPEN;
    t->letters += len;
    const size_t at = b->text.n;
    const ws_row row = {.seq = (uint32_t)(b->n - 1),
                        .target = UINT32_MAX,
                        .number = UINT32_MAX,
                        .query = {at + t->query_text.at, t->query_text.n},
                        .rest = {at, t->rest.n},
                        .line = s->line};
    rc = ws_batch_add_text(b, t->rest.p, t->rest.n, err);
    return rc ? rc : ws_batch_add_row(b, &row, err);
}

static int end_row(tsv *t, ws_parse *s, ws_err *err) {
    ws_buf *text = text_here(t, s);
    /* name and description share a buffer: the CR of a line's end is one after the start of its last field */
    if (text && text->n > t->field && text->p[text->n - 1] == '\r') text->n--;
    const int joined =
        t->pg1 && text && text->n > t->field && ws_tsv_holds_stage(text->p + t->field, text->n - t->field);
    end_field(t, s);
    int rc = check_row(t, s, err);
    if (!rc && joined && !s->conf->allow_cut)
        rc = ws_parse_fail(s, err, "another table begins inside this row, so the table before it was cut "
                                   "(see --allow-cut)");
    if (!rc) rc = add_row(t, s, err);
    s->ledger.unknown |= joined;
    drop_row(t, s);
    t->state = LINE_START;
    return rc;
}

static size_t plain_text(const uint8_t *p, size_t n) {
    size_t i = 0;
    while (i < n && p[i] != '\t' && p[i] != '\n') i++;
    return i;
}

/* Appends to a text. A quality string is as long as its sequence may be. */
static int add_text(const ws_parse *s, ws_buf *to, const uint8_t *p, size_t n, ws_err *err) {
    if (to != &s->qual && n > WS_TEXT_MAX - to->n)
        return ws_parse_fail_long(s, to == &s->head ? "a name and a description have" : "the columns of a row have",
                                  err);
    return ws_buf_add(to, p, n, err);
}

/* Each of these takes from p[0..n) what belongs to its state and returns how much that was; *rc is a failure or 0. */

static size_t in_row(tsv *t, ws_parse *s, const uint8_t *p, size_t n, int *rc, ws_err *err) {
    size_t i = 0;
    while (i < n && t->state == ROW && !*rc) {
        size_t got;
        ws_buf *text = text_here(t, s);
        const int residues = kind_here(t) == TSV_SEQ;
        if (residues) {
            *rc = ws_parse_residues(s, p + i, n - i, &got, err);
        } else {
            got = plain_text(p + i, n - i);
            if (text) *rc = add_text(s, text, p + i, got, err);
        }
        i += got;
        if (*rc || i == n) break;
        const uint8_t c = p[i++];
        if (c == '\t') {
            end_field(t, s);
            t->col++;
            *rc = start_field(t, s, err);
        } else if (c == '\n') {
            *rc = end_row(t, s, err);
            s->line++;
        } else if (s->abc->code_of[c] != WS_C_SKIP) {
            *rc = ws_parse_bad(s, c, err);
            if (*rc == WS_EDATA) {
                t->fault = *err;
                *rc = WS_OK;
            }
        }
    }
    return i;
}

/* Reads the first bytes of a row, which were held back. */
static int replay(tsv *t, ws_parse *s, const ws_buf *from, size_t n, ws_err *err) {
    int rc = start_row(t, s, err);
    if (!rc) in_row(t, s, (const uint8_t *)from->p, n, &rc, err);
    return rc;
}

/* Compares a line with the header, which may come again where tables were concatenated: here without a '#', whether or
 * not the first one had it. */
static size_t in_match(tsv *t, ws_parse *s, const uint8_t *p, size_t n, int *rc, ws_err *err) {
    size_t i = 0;
    while (i < n && t->matched < t->header.n && p[i] == (uint8_t)t->header.p[t->matched]) i++, t->matched++;
    if (i < n && t->matched == t->header.n && p[i] == '\r') i++, t->matched++;
    if (i == n) return n;
    if (t->matched >= t->header.n && p[i] == '\n') {
        t->state = LINE_START;
        *rc = ws_tsv_next_table(t, s, err);
        s->line++;
        return i + 1;
    }
    *rc = replay(t, s, &t->header, ws_min(t->matched, t->header.n), err);
    if (!*rc && t->matched > t->header.n) in_row(t, s, (const uint8_t *)"\r", 1, rc, err);
    return i;
}

/* Lines that are needed whole: "##", headers, and rows that begin like them. */

/* Returns whether a line is a header, by two columns: a record's name may be "#name". */
static int is_header(const tsv *t, const char *p, size_t n) {
    size_t two = 0;
    for (int tabs = 0; two < t->header.n && tabs < 2; two++) tabs += t->header.p[two] == '\t';
    return n > two && !memcmp(p + 1, t->header.p, two);
}

/* Returns whether the line so far, with n bytes, is a row, however it goes on. */
static int is_row(const tsv *t, const char *p, size_t n) {
    return t->headers && n > t->header.n + 1 && p[1] != '#' && !is_header(t, p, n);
}

/* Returns whether a line is one of "##", which a row with such a name is not. */
static int is_meta(const tsv *t, const char *p, size_t n) {
    size_t tabs = 0;
    if (n < 2 || memcmp(p, "##", 2)) return 0;
    for (size_t i = 0; i < n; i++) tabs += p[i] == '\t';
    return !t->headers || tabs + 1 != t->ncol;
}

static int collected(tsv *t, ws_parse *s, ws_err *err) {
    size_t n = t->line.n;
    const char *p = t->line.p;
    t->state = LINE_START;
    if (n && p[n - 1] == '\r') n--;
    if (!t->headers && memchr(p, '\r', n)) return ws_parse_fail_returns(s, err);
    if (is_meta(t, p, n)) return ws_tsv_meta(t, s, p, n, err);
    if (!t->headers) {
        const int hash = n && p[0] == '#';
        t->hash = hash;
        return ws_tsv_header(t, s, p + hash, n - (size_t)hash, err);
    }
    if (is_header(t, p, n)) return ws_tsv_header(t, s, p + 1, n - 1, err);
    int rc = replay(t, s, &t->line, n, err);
    return rc ? rc : end_row(t, s, err);
}

static size_t in_line(tsv *t, ws_parse *s, const uint8_t *p, size_t n, int *rc, ws_err *err) {
    const uint8_t *eol = memchr(p, '\n', n);
    const size_t take = eol ? (size_t)(eol - p) : n;
    *rc = take > WS_TEXT_MAX - t->line.n ? ws_parse_fail_long(s, "this line has", err)
                                         : ws_buf_add(&t->line, p, take, err);
    /* a name may begin with '#' */
    if (!*rc && !eol && is_row(t, t->line.p, t->line.n)) *rc = replay(t, s, &t->line, t->line.n, err);
    if (*rc || !eol) return take;
    *rc = collected(t, s, err);
    s->line++;
    return take + 1;
}

static size_t at_start(tsv *t, ws_parse *s, const uint8_t *p, int *rc, ws_err *err) {
    if (*p == '\n' || *p == '\r') {
        s->line += *p == '\n';
        return 1;
    }
    t->line.n = t->matched = 0;
    if (*p == '#' || !t->headers) t->state = COLLECT;
    else if (*p == (uint8_t)t->header.p[0]) t->state = MATCH;
    else *rc = start_row(t, s, err);
    return 0;
}

static int feed(void *own, ws_parse *s, const uint8_t *p, size_t *n, ws_err *err) {
    tsv *t = own;
    size_t i = 0;
    int rc = WS_OK;
    s->b->has_rows = 1;
    while (!rc && i < *n && !ws_parse_full(s)) switch (t->state) {
        case LINE_START: i += at_start(t, s, p + i, &rc, err); break;
        case COLLECT: i += in_line(t, s, p + i, *n - i, &rc, err); break;
        case MATCH: i += in_match(t, s, p + i, *n - i, &rc, err); break;
        case ROW: i += in_row(t, s, p + i, *n - i, &rc, err); break;
        }
    *n = i;
    return rc;
}

/* Ends a last line without a newline. */
static int last_line(tsv *t, ws_parse *s, ws_err *err) {
    int rc = WS_OK;
    if (t->state == COLLECT) return collected(t, s, err);
    if (t->state == MATCH && t->matched < t->header.n) rc = replay(t, s, &t->header, t->matched, err);
    return rc || t->state != ROW ? rc : end_row(t, s, err);
}

static int finish(void *own, ws_parse *s, int whole, ws_err *err) {
    tsv *t = own;
    int rc = WS_OK;
    const int in_meta = t->state == COLLECT && is_meta(t, t->line.p, t->line.n);
    const int torn = whole && (t->pg1 || in_meta) && t->state != LINE_START;
    if (whole && !torn) rc = last_line(t, s, err);
    drop_row(t, s);
    t->state = LINE_START;
    s->mark = ws_parse_all(s->b);
    if (rc || !whole) return rc;
    s->ledger.unknown |= torn || t->ends < t->pg1;
    s->ledger.unknown |= t->sorted ? t->ends < t->headers || t->rows > t->told : t->table != CLOSED;
    if (!torn && t->ends >= t->pg1) return ws_tsv_check_counts(t, s, err);
    if (s->conf->allow_cut) return WS_OK;
    return ws_fail(err, WS_EDATA,
                   "%s ended without its ##end line, so it was cut; its complete rows were read (see --allow-cut)",
                   s->input);
}

const ws_parser ws_parser_tsv = {sizeof(tsv), begin, feed, finish, release};
