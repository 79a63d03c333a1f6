/* SPDX-License-Identifier: MIT
 * SELEX: blocks in which blanks are gaps, so that places on a line count. Section 4.3 of build.md. */
#include "lib/msa/reader.h"

typedef enum kind { ROW, RF, MM, CS, OTHER } kind;

/* A line of the block: where its text lies. */
typedef struct part {
    kind kind;
    size_t at, n;        /* the line in text.p */
    size_t from, to;     /* of its aligned text; equal: it is blank */
    uint64_t number;
} part;

typedef struct block {
    ws_buf text;
    part *part;
    size_t n, cap, rows;
    size_t from, to;     /* of the aligned text of all lines */
} block;

static kind kind_of(ws_word line) {
    if (ws_word_starts(line, "#=RF")) return RF;
    if (ws_word_starts(line, "#=MM")) return MM;
    if (ws_word_starts(line, "#=CS")) return CS;
    if (ws_word_starts(line, "#=SS") || ws_word_starts(line, "#=SA")) return OTHER;
    return ws_word_starts(line, "#") && !ws_word_starts(line, "#=") ? OTHER : ROW; /* "#=GF" is a name, as in HMMER */
}

/* Adds a line to the block. */
static int add_line(block *b, const ws_lines *l, ws_err *err) {
    const ws_word line = {l->p, l->n};
    ws_word rest = ws_word_trim(line);
    part p = {.kind = kind_of(line), .at = b->text.n, .n = line.n, .number = l->number};
    if (p.kind == OTHER) return WS_OK; /* of one row, or a comment */
    ws_word_next(&rest);
    p.from = (size_t)(rest.p - line.p);
    p.to = p.from + rest.n;
    if (p.from < p.to) {
        b->from = b->to == 0 ? p.from : ws_min(b->from, p.from);
        b->to = ws_max(b->to, p.to);
    }
    if (ws_grow(&b->part, &b->cap, b->n + 1, sizeof *b->part, err)) return err->code;
    b->part[b->n++] = p;
    b->rows += p.kind == ROW;
    return ws_buf_add(&b->text, line.p, line.n, err);
}

/* Reads the lines of the next block: WS_EOF if there is none. */
static int read_block(ws_msareader *r, block *b, ws_err *err) {
    ws_lines *l = &r->lines;
    int rc;
    b->n = b->rows = b->text.n = b->from = b->to = 0;
    do {
        if ((rc = ws_lines_next_text(l, err))) return rc;
        do {
            if ((rc = add_line(b, l, err))) return rc;
        } while (!(rc = ws_lines_next(l, err)) && ws_word_trim((ws_word){l->p, l->n}).n > 0);
    } while (!rc && b->rows == 0 && b->n == 0);
    return rc == WS_EOF && b->n > 0 ? WS_OK : rc;
}

/* Adds a line of annotation: blanks are dots. */
static int add_note(ws_msareader *r, const block *b, const part *p, size_t columns, ws_err *err) {
    static const int line[] = {[RF] = WS_MSA_RF, [MM] = WS_MSA_MM, [CS] = WS_MSA_SS};
    ws_buf *to = &r->line[line[p->kind]];
    const size_t width = b->to - b->from;
    if (to->n != columns)
        return ws_msa_fail(r, err, to->n > columns ? "the block has a second line %.4s"
                                                   : "%.4s is in this block, but not in each block before it",
                           b->text.p + p->at);
    if (ws_buf_reserve(to, width, err)) return err->code;
    if (width == 0) return WS_OK;
    memset(to->p + to->n, '.', width);
    if (p->to > p->from) memcpy(to->p + to->n + p->from - b->from, b->text.p + p->at + p->from, p->to - p->from);
    to->n += width;
    return WS_OK;
}

static int add_row(ws_msareader *r, const block *b, const part *p, size_t row, size_t blocks, ws_err *err) {
    char quote[WS_QUOTE_MAX], own[WS_QUOTE_MAX];
    ws_word rest = {b->text.p + p->at, p->n};
    const ws_word name = ws_word_next(&rest), text = {b->text.p + p->at + p->from, p->to - p->from};
    size_t added;
    if (blocks == 0) {
        if (ws_rows_add(r, name, err)) return err->code;
    } else if (row >= r->m->rows || !ws_word_is(name, ws_row_name(r, row))) {
        const char *want = row < r->m->rows ? ws_row_name(r, row) : "a blank line";
        return ws_msa_fail(r, err, "the line is of row \"%s\", where \"%s\" was expected as in the first block",
                           ws_quote(quote, name.p, name.n), ws_quote(own, want, strlen(want)));
    }
    if (text.n == 0) return ws_rows_gaps(r, row, b->to - b->from, err);
    if (ws_rows_gaps(r, row, p->from - b->from, err)) return err->code;
    return ws_rows_append(r, row, text, &added, err) ? err->code : ws_rows_gaps(r, row, b->to - p->to, err);
}

/* Adds a block to the alignment. */
static int add_block(ws_msareader *r, const block *b, size_t columns, size_t blocks, ws_err *err) {
    size_t row = 0;
    int rc = WS_OK;
    const uint64_t number = r->lines.number;
    for (size_t i = 0; i < b->n && !rc; i++) {
        r->lines.number = b->part[i].number; /* for sentences */
        rc = b->part[i].kind == ROW ? add_row(r, b, &b->part[i], row++, blocks, err)
                                    : add_note(r, b, &b->part[i], columns, err);
    }
    if (rc) return rc;
    r->lines.number = number;
    if (row != r->m->rows)
        return ws_msa_fail(r, err, "the block before this line has %zu rows, where the first one has %zu", row,
            r->m->rows);
    return WS_OK;
}

int ws_msa_read_selex(ws_msareader *r, ws_err *err) {
    block b = {0};
    size_t columns = 0, blocks = 0;
    int rc;
    while (!(rc = read_block(r, &b, err)) && !(rc = add_block(r, &b, columns, blocks, err))) {
        columns += b.to - b.from;
        blocks++;
    }
    ws_buf_release(&b.text);
    ws_free(b.part);
    if (rc != WS_EOF || blocks == 0) return rc;
    for (int i = 0; i < WS_MSA_NLINE; i++)
        if (r->line[i].n > 0 && r->line[i].n != columns)
            return ws_msa_fail(r, err, "a line #=RF, #=MM or #=CS is missing in the last blocks");
    if (columns == 0 || r->m->rows == 0) return ws_msa_fail(r, err, "the alignment ends without a column");
    return ws_rows_finish(r, columns, err);
}
