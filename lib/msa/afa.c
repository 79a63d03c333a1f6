/* SPDX-License-Identifier: MIT
 * Aligned FASTA, A2M and A3M: section 4.3 of build.md. A3M is A2M whose insertions have no gaps beside them; A2M's dots
 * mean nothing either. */
#include <ctype.h>

#include "lib/msa/reader.h"

/* Adds the row of a header line, "> name description". */
static int add_row(ws_msareader *r, ws_word line, ws_err *err) {
    line.p++, line.n--;
    const ws_word name = ws_word_next(&line);
    if (name.n == 0) return ws_msa_fail(r, err, "the record has no name behind its \">\"");
    const int rc = ws_rows_add(r, name, err);
    return rc ? rc : ws_rows_note(r, r->m->rows - 1, 1, ws_word_trim(line), err);
}

static ws_word without_indent(const ws_lines *l) {
    ws_word w = {l->p, l->n};
    while (w.n > 0 && isspace((unsigned char)*w.p)) w.p++, w.n--;
    while (w.n > 0 && isspace((unsigned char)w.p[w.n - 1])) w.n--;
    return w;
}

typedef int row_fn(ws_msareader *r, void *of, size_t row, ws_err *err);
typedef int text_fn(ws_msareader *r, void *of, const uint8_t *code, size_t n, ws_err *err);

/* Reads all records; calls text() for what a line adds to its row, and end() behind each row. */
static int read_records(ws_msareader *r, text_fn *text, row_fn *end, void *of, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    ws_lines *l = &r->lines;
    int rc = ws_lines_next_text(l, err);
    if (rc) return rc;
    if (*without_indent(l).p != '>')
        return ws_msa_fail(r, err, "\"%s\" stands where \">\" and a name were expected", ws_quote(quote, l->p, l->n));
    do {
        size_t added;
        const ws_word w = without_indent(l);
        if (w.n > 0 && *w.p == '>') {
            if (r->m->rows > 0) rc = end(r, of, r->m->rows - 1, err);
            if (!rc) rc = add_row(r, w, err);
        } else if (w.n > 0) {
            rc = ws_rows_append(r, r->m->rows - 1, w, &added, err);
            if (!rc && text) rc = text(r, of, r->code + r->ncode - added, added, err);
        }
    } while (!rc && !(rc = ws_lines_next(l, err)));
    return rc == WS_EOF ? end(r, of, r->m->rows - 1, err) : rc;
}

/* ---- aligned FASTA ---- */

static int end_afa(ws_msareader *r, void *of, size_t row, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    const char *name = ws_row_name(r, row);
    (void)of;
    ws_quote(quote, name, strlen(name));
    if (r->length[row] == 0) return ws_msa_fail(r, err, "row \"%s\", which ends before this line, has no text", quote);
    if (r->length[row] == r->length[0]) return WS_OK;
    return ws_msa_fail(r, err, "row \"%s\", which ends before this line, has %zu columns, where the first row has "
                       "%zu%s", quote, r->length[row], r->length[0],
                       r->as_text ? "" : " (say --informat a2m if this is A2M or A3M)");
}

int ws_msa_read_afa(ws_msareader *r, ws_err *err) {
    const int rc = read_records(r, NULL, end_afa, NULL, err);
    return rc ? rc : ws_rows_finish(r, r->length[0], err);
}

/* ---- A2M ---- */

/* Insertions: before[k] residues stand before consensus column k, from 0, in the row at hand; most[k] in any row. */
typedef struct inserts {
    uint32_t *before, *most;
    size_t before_cap, columns; /* consensus columns of the first row */
    size_t k;                   /* of the row at hand so far */
} inserts;

static int count_a2m(ws_msareader *r, void *of, const uint8_t *code, size_t n, ws_err *err) {
    inserts *v = of;
    if (ws_grow(&v->before, &v->before_cap, v->k + n + 1, sizeof *v->before, err)) return err->code;
    if (v->k == 0 && r->length[r->m->rows - 1] == n) v->before[0] = 0;
    for (size_t i = 0; i < n; i++)
        if (code[i] & WS_MAP_LOWER) v->before[v->k]++;
        else v->before[++v->k] = 0;
    return WS_OK;
}

static int end_a2m(ws_msareader *r, void *of, size_t row, ws_err *err) {
    inserts *v = of;
    char quote[WS_QUOTE_MAX];
    const char *name = ws_row_name(r, row);
    if (row == 0) {
        v->columns = v->k;
        if (!(v->most = ws_calloc(v->columns + 1, sizeof *v->most, err))) return err->code;
    }
    if (v->k != v->columns)
        return ws_msa_fail(r, err,
            "row \"%s\", which ends before this line, has %zu capitals and '-', where the first row has "
                           "%zu", ws_quote(quote, name, strlen(name)), v->k, v->columns);
    for (size_t k = 0; k <= v->k && r->length[row] > 0; k++)
        if (v->before[k] > v->most[k]) v->most[k] = v->before[k];
    v->k = 0;
    return WS_OK;
}

/* Spreads the rows over their columns; insertions go to the left. A row needs no less room than its text, so the last
 * row goes first, and none is written over before it was moved. line: room for the text of a row. */
static void spread(ws_msareader *r, const inserts *v, uint8_t *line) {
    ws_msa *m = r->m;
    size_t end = r->ncode;
    for (size_t i = m->rows; i-- > 0;) {
        const size_t n = r->length[i];
        uint8_t *to = r->code + i * m->columns;
        size_t k = 0, at = 0, inserted = 0;
        end -= n;
        memcpy(line, r->code + end, n);
        memset(to, m->abc->K, m->columns);
        for (size_t j = 0; j < n; j++) {
            if (line[j] & WS_MAP_LOWER) {
                to[at + inserted++] = line[j] & (uint8_t)~WS_MAP_LOWER;
                continue;
            }
            at += v->most[k++];
            to[at++] = line[j];
            inserted = 0;
        }
    }
}

static int pad(ws_msareader *r, const inserts *v, ws_err *err) {
    ws_msa *m = r->m;
    size_t at = 0;
    m->columns = v->columns;
    for (size_t k = 0; k <= v->columns; k++) m->columns += v->most[k];
    if (m->columns == 0) return ws_msa_fail(r, err, "the alignment ends without a column");
    if (m->columns > SIZE_MAX / m->rows) return ws_fail_nomem(err, SIZE_MAX);
    if (!(m->line[WS_MSA_RF] = ws_calloc(m->columns + 1, 1, err))) return err->code;
    if (ws_grow(&r->code, &r->code_cap, m->rows * m->columns, 1, err)) return err->code;
    uint8_t *line = ws_alloc(m->columns, err);
    if (!line) return err->code;
    spread(r, v, line);
    ws_free(line);
    m->code = r->code;
    r->code = NULL;
    r->code_cap = 0;
    memset(m->line[WS_MSA_RF], '.', m->columns);
    for (size_t k = 0; k < v->columns; k++) {
        at += v->most[k];
        m->line[WS_MSA_RF][at++] = 'x';
    }
    return WS_OK;
}

int ws_msa_read_a2m(ws_msareader *r, ws_err *err) {
    inserts v = {0};
    int rc = read_records(r, count_a2m, end_a2m, &v, err);
    if (!rc) rc = pad(r, &v, err);
    ws_free(v.before);
    ws_free(v.most);
    return rc;
}
