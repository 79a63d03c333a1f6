/* SPDX-License-Identifier: MIT
 * PHYLIP, interleaved and sequential: section 4.3 of build.md. Names have ten characters, or end at a blank. Which of
 * the four it is shows only at the end, so the text is read whole and tried. Then its codes take the place of the
 * text. Where characters are kept, names end at a blank, blank lines may stand anywhere, and each block of the
 * interleaved form may begin its lines with the names again. */
#include <ctype.h>

#include "lib/msa/reader.h"

enum { NAME = 10 };

/* The text, and one attempt to read it. */
typedef struct phylip {
    ws_msareader *r;
    const char *text;
    size_t n, at;          /* of the text; the next line */
    uint64_t first, number; /* numbers of the first line, and of the line at hand */
    ws_word line;
    size_t rows, columns;  /* as the header has them */
    size_t lines;          /* that are not blank */
    int interleaved, strict;
    int place; /* codes are to be kept: what came before was a trial */
} phylip;

/* Moves on to the next line: 0 at the end. */
static int next_line(phylip *p) {
    if (p->at >= p->n) return 0;
    const char *from = p->text + p->at, *end = memchr(from, '\n', p->n - p->at);
    p->line = (ws_word){from, end ? (size_t)(end - from) : p->n - p->at};
    p->at += p->line.n + 1;
    p->line = ws_word_trim(p->line);
    p->number++;
    return 1;
}

static int next_text(phylip *p) {
    while (next_line(p))
        if (p->line.n > 0) return 1;
    return 0;
}

/* Takes the name off the line. */
static int take_name(phylip *p, ws_err *err) {
    ws_word w = p->line, name;
    if (p->strict) {
        name = (ws_word){w.p, ws_min(w.n, NAME)};
        p->line = (ws_word){w.p + name.n, w.n - name.n};
        while (name.n > 0 && isspace((unsigned char)*name.p)) name.p++, name.n--;
        name = ws_word_trim(name);
    } else {
        name = ws_word_next(&w);
        p->line = w;
    }
    if (name.n == 0) return ws_msa_fail(p->r, err, "the row has no name in the first %d characters", NAME);
    const size_t at = p->r->m->names.n;
    if (ws_rows_add(p->r, name, err)) return err->code;
    for (char *c = p->r->m->names.p + at; *c; c++)
        if (isspace((unsigned char)*c)) *c = '_';
    return WS_OK;
}

/* Counts the columns that the line adds to row i, or keeps its codes. */
static int take_text(phylip *p, size_t i, ws_err *err) {
    ws_msareader *r = p->r;
    size_t added;
    if (p->place) return ws_rows_append(r, i, p->line, &added, err);
    for (size_t c = 0; c < p->line.n; c++) {
        const uint8_t x = r->map[(uint8_t)p->line.p[c]];
        if (x == WS_MAP_BAD) return ws_rows_bad(r, i, p->line, err);
        if (x == WS_MAP_SKIP) continue;
        if (r->length[i] == p->columns)
            return ws_msa_fail(r, err, "row \"%s\" has more than the %zu columns of the header%s", ws_row_name(r, i),
                               p->columns, r->as_text ? " (a name ends at a blank)" : "");
        r->length[i]++;
    }
    return WS_OK;
}

static int too_short(phylip *p, size_t rows, ws_err *err) {
    return ws_msa_fail(p->r, err, "the alignment ends after %zu of %zu rows", rows, p->rows);
}

/* Returns whether the next lines begin with the names of all rows, in their order. */
static int names_follow(phylip *p) {
    phylip ahead = *p;
    size_t i = 0;
    for (int same = 1; same && i < p->rows && next_text(&ahead); i += (size_t)same)
        same = ws_word_is(ws_word_next(&ahead.line), ws_row_name(p->r, i)) && ahead.line.n > 0;
    return i == p->rows;
}

/* Fails if there is one line for each row, and that of row i is shorter than the header says. */
static int check_single_line(const phylip *p, size_t i, ws_err *err) {
    const ws_msareader *r = p->r;
    if (!r->as_text || p->lines != p->rows || r->length[i] == p->columns) return WS_OK;
    return ws_msa_fail(r, err, "row \"%s\" has %zu columns, where the header has %zu%s", ws_row_name(r, i),
                       r->length[i], p->columns, r->length[i] ? "" : " (a blank stands between a name and its text)");
}

static int read_interleaved(phylip *p, ws_err *err) {
    ws_msareader *r = p->r;
    for (size_t done = 0, block = 0; done < p->columns; done = r->length[0], block++) {
        const int again = r->as_text && block > 0 && names_follow(p);
        for (size_t i = 0; i < p->rows; i++) {
            r->lines.number = p->number + 1;
            const int more = i == 0 || r->as_text ? next_text(p) : next_line(p);
            r->lines.number = p->number;
            if (!more || p->line.n == 0) {
                if (block == 0) return too_short(p, i, err);
                return ws_msa_fail(r, err, "the block ends after %zu of %zu rows, and columns %zu to %zu are missing",
                    i,
                                   p->rows, r->length[i] + 1, p->columns);
            }
            if (again) (void)ws_word_next(&p->line);
            if ((block == 0 && take_name(p, err)) || take_text(p, i, err)) return err->code;
            if (check_single_line(p, i, err)) return err->code;
            if (r->length[i] != r->length[0] || r->length[i] == done)
                return ws_msa_fail(r, err, "row \"%s\" has %zu columns in this block, where its first row has %zu",
                                   ws_row_name(r, i), r->length[i] - done, r->length[0] - done);
        }
    }
    return WS_OK;
}

static int read_sequential(phylip *p, ws_err *err) {
    ws_msareader *r = p->r;
    for (size_t i = 0; i < p->rows; i++)
        for (int first = 1; first || r->length[i] < p->columns; first = 0) {
            const int more = next_text(p);
            r->lines.number = p->number;
            if (!more && first) return too_short(p, i, err);
            if (!more)
                return ws_msa_fail(r, err, "row \"%s\" ends after %zu of %zu columns", ws_row_name(r, i), r->length[i],
                                   p->columns);
            if ((first && take_name(p, err)) || take_text(p, i, err)) return err->code;
        }
    return WS_OK;
}

/* Reads the alignment in one of the four ways. */
static int attempt(phylip *p, ws_err *err) {
    ws_msareader *r = p->r;
    char quote[WS_QUOTE_MAX];
    r->m->rows = r->m->names.n = 0;
    p->at = 0;
    p->number = p->first;
    if (p->interleaved ? read_interleaved(p, err) : read_sequential(p, err)) return err->code;
    if (!next_text(p)) return WS_OK;
    r->lines.number = p->number;
    return ws_msa_fail(r, err, "\"%s\" follows the last row", ws_quote(quote, p->line.p, p->line.n));
}

/* Tries the ways that the format leaves; the sentence is that of the way which came farthest. */
static int attempt_all(phylip *p, ws_err *err) {
    ws_msareader *r = p->r;
    const int sequential = r->format == WS_MSA_PHYLIPS;
    uint64_t farthest = 0;
    ws_err why = {0}, best = {0};
    for (int way = 0; way < 4; way++) {
        p->interleaved = way / 2 == sequential;
        p->strict = way % 2 == 0;
        if (r->as_text && (p->strict || (!p->interleaved && p->lines == p->rows))) continue;
        p->place = 0;
        int rc = attempt(p, &why);
        p->place = rc == WS_OK;
        if (p->place) rc = attempt(p, &why);
        if (rc == WS_OK) return ws_rows_finish(r, p->columns, err);
        if (rc != WS_EDATA || p->number > farthest) best = why;
        if (rc != WS_EDATA) break;
        farthest = p->number > farthest ? p->number : farthest;
    }
    *err = best;
    return err->code;
}

static int read_number(ws_msareader *r, ws_word w, const char *what, size_t *v, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    *v = 0;
    for (size_t i = 0; i < w.n && isdigit((unsigned char)w.p[i]) && *v <= INT32_MAX; i++)
        *v = 10 * *v + (size_t)(w.p[i] - '0');
    for (size_t i = 0; i < w.n; i++)
        if (!isdigit((unsigned char)w.p[i])) *v = 0;
    if (*v > 0 && *v <= INT32_MAX) return WS_OK;
    return ws_msa_fail(r, err, "the first line has \"%s\" where the number of %s was expected, from 1 to %d",
                       ws_quote(quote, w.p, w.n), what, INT32_MAX);
}

/* Reads the rows, once the text is there. The reader takes the text over. */
static int read_text(phylip *p, ws_buf *text, ws_err *err) {
    ws_msareader *r = p->r;
    p->text = text->p;
    p->n = text->n;
    r->code = (uint8_t *)text->p;
    r->code_cap = text->cap;
    r->in_place = 1;
    *text = (ws_buf){0};
    if (p->rows > p->n / p->columns) {
        r->lines.number = p->first;
        return ws_msa_fail(r, err, "the header has %zu rows of %zu columns, but only %zu bytes follow", p->rows,
            p->columns, p->n);
    }
    return attempt_all(p, err);
}

int ws_msa_read_phylip(ws_msareader *r, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    phylip p = {.r = r};
    ws_buf text = {0};
    int rc = ws_lines_next_text(&r->lines, err);
    if (rc) return rc;
    ws_word line = {r->lines.p, r->lines.n};
    const ws_word rows = ws_word_next(&line), columns = ws_word_next(&line);
    if (read_number(r, rows, "rows", &p.rows, err) || read_number(r, columns, "columns", &p.columns, err))
        return err->code;
    if (r->as_text && line.n > 0)
        return ws_msa_fail(r, err, "\"%s\" follows the numbers of rows and columns, where the line was to end",
                           ws_quote(quote, line.p, line.n));
    p.first = r->lines.number;
    for (; !(rc = ws_lines_next(&r->lines, err)); p.lines += ws_word_trim((ws_word){r->lines.p, r->lines.n}).n > 0)
        if ((rc = ws_buf_add(&text, r->lines.p, r->lines.n, err)) || (rc = ws_buf_add(&text, "\n", 1, err))) break;
    if (rc == WS_EOF) rc = read_text(&p, &text, err);
    ws_buf_release(&text);
    return rc;
}
