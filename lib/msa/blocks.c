/* SPDX-License-Identifier: MIT
 * Blocks of "name text": PSI-BLAST and Clustal, section 4.3 of build.md. */
#include <ctype.h>

#include "lib/msa/reader.h"

/* Returns whether a line ends a block: a blank one, or Clustal's marks below a block. */
static int ends_block(const ws_msareader *r) {
    const ws_lines *l = &r->lines;
    const char *marks = r->format == WS_MSA_CLUSTAL ? " \t.:*" : " \t";
    for (size_t i = 0; i < l->n; i++)
        if (l->p[i] == '\0' || !strchr(marks, l->p[i])) return 0;
    return 1;
}

/* Adds the columns of a line of PSI-BLAST to RF: 'x' capitals, '.' small letters, '-' neither so far. */
static int mark_case(ws_msareader *r, size_t from, ws_word text, ws_err *err) {
    ws_buf *rf = &r->line[WS_MSA_RF];
    if (ws_buf_reserve(rf, from + text.n - rf->n, err)) return err->code;
    while (rf->n < from + text.n) rf->p[rf->n++] = '-';
    for (size_t i = 0; i < text.n; i++) {
        char *mark = &rf->p[from + i];
        if (!isalpha((unsigned char)text.p[i])) continue;
        const char want = isupper((unsigned char)text.p[i]) ? 'x' : '.';
        if (*mark != '-' && *mark != want)
            return ws_msa_fail(r, err,
                "'%c' is character %zu of the aligned text, where the rows above have a %s letter; "
                               "a column has capitals or small letters", text.p[i], i + 1,
                               *mark == 'x' ? "capital" : "small");
        *mark = want;
    }
    return WS_OK;
}

/* Takes the aligned text of a line behind its name. Clustal may count residues behind the text. */
static int take_text(const ws_msareader *r, ws_word *rest, ws_word *text, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    *text = ws_word_next(rest);
    if (text->n == 0) return ws_msa_fail(r, err, "the line has a name, but no aligned text");
    *rest = ws_word_trim(*rest);
    size_t digits = 0;
    while (digits < rest->n && isdigit((unsigned char)rest->p[digits])) digits++;
    if (rest->n == 0 || (r->format == WS_MSA_CLUSTAL && digits == rest->n)) return WS_OK;
    return ws_msa_fail(r, err, "\"%s\" follows the aligned text, where the end of the line was expected",
                       ws_quote(quote, rest->p, rest->n));
}

/* Reads one line: row `row` of a block that begins at column `from`. */
static int read_row(ws_msareader *r, size_t row, size_t from, size_t block, ws_err *err) {
    char quote[WS_QUOTE_MAX], own[WS_QUOTE_MAX];
    ws_word rest = {r->lines.p, r->lines.n}, text;
    const ws_word name = ws_word_next(&rest);
    size_t added;
    ws_quote(quote, name.p, name.n);
    if (take_text(r, &rest, &text, err)) return err->code;
    if (block == 0) {
        if (ws_rows_add(r, name, err)) return err->code;
    } else if (row >= r->m->rows) {
        return ws_msa_fail(r, err, "the block has more rows than the first one, which has %zu", r->m->rows);
    } else if (!ws_word_is(name, ws_row_name(r, row))) {
        return ws_msa_fail(r, err, "the line is of row \"%s\", where \"%s\" was expected as in the first block", quote,
                           ws_quote(own, ws_row_name(r, row), strlen(ws_row_name(r, row))));
    }
    if (ws_rows_append(r, row, text, &added, err)) return err->code;
    if (r->length[row] != r->length[0])
        return ws_msa_fail(r, err, "row \"%s\" has %zu columns in this block, where its first row has %zu", quote,
            text.n,
                           r->length[0] - from);
    return r->format == WS_MSA_PSIBLAST ? mark_case(r, from, text, err) : WS_OK;
}

/* Reads the first line of Clustal, MUSCLE and others: WS_EOF if there is no text. */
static int read_header(ws_msareader *r, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    const int rc = ws_lines_next_text(&r->lines, err);
    if (rc) return rc;
    ws_word line = {r->lines.p, r->lines.n};
    for (; line.n >= 9; line.p++, line.n--)
        if (ws_word_starts(line, "alignment")) return WS_OK;
    return ws_msa_fail(r, err, "\"%s\" stands where \"CLUSTAL .. alignment\" was expected",
                       ws_quote(quote, r->lines.p, r->lines.n));
}

int ws_msa_read_blocks(ws_msareader *r, ws_err *err) {
    ws_lines *l = &r->lines;
    size_t columns = 0, block = 0;
    int rc = r->format == WS_MSA_CLUSTAL ? read_header(r, err) : WS_OK;
    if (rc) return rc;
    while (!(rc = ws_lines_next_text(l, err))) {
        size_t row = 0;
        do {
            if ((rc = read_row(r, row++, columns, block, err))) return rc;
        } while (!(rc = ws_lines_next(l, err)) && !ends_block(r));
        if (rc && rc != WS_EOF) return rc;
        if (row != r->m->rows)
            return ws_msa_fail(r, err, "the block before this line has %zu rows, where the first one has %zu", row,
                r->m->rows);
        columns = r->length[0];
        block++;
    }
    if (rc != WS_EOF) return rc;
    if (block > 0) return ws_rows_finish(r, columns, err);
    return r->format == WS_MSA_PSIBLAST ? WS_EOF : ws_msa_fail(r, err, "the alignment ends without a row");
}
