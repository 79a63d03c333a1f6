/* SPDX-License-Identifier: MIT
 * Stockholm, as Pfam and hmmsearch -A write it: section 4.3 of build.md. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/msa/reader.h"

/* One alignment while it is read. */
typedef struct sto {
    ws_msareader *r;
    ws_err *err;
    size_t columns;   /* before this block */
    size_t width;     /* of this block; 0: no line yet */
    size_t blocks, in_block; /* blocks before this one; rows in it */
    size_t next;      /* the row that is expected next */
    int weights;
} sto;

static const char *const gc_name[WS_MSA_NLINE] = {"RF", "MM", "SS_cons"};

/* ---- annotation ---- */

/* Reads a real number, which a float can hold; WS_EDATA says that `what` needs one. */
static int read_real(sto *s, ws_word w, const char *what, double *v) {
    char text[64], quote[WS_QUOTE_MAX], *end = text;
    if (w.n > 0 && w.n < sizeof text) {
        memcpy(text, w.p, w.n);
        text[w.n] = '\0';
        *v = strtod(text, &end);
    }
    if (w.n > 0 && (size_t)(end - text) == w.n && fabs(*v) <= (double)FLT_MAX) return WS_OK;
    return ws_msa_fail(s->r, s->err, "%s has \"%s\", where a number was expected", what, ws_quote(quote, w.p, w.n));
}

/* Takes a field that is one word. */
static int take_word(sto *s, const char *what, ws_word rest, char **to) {
    const ws_word w = ws_word_next(&rest);
    char quote[WS_QUOTE_MAX];
    if (w.n == 0) return ws_msa_fail(s->r, s->err, "%s has no value", what);
    if (rest.n > 0)
        return ws_msa_fail(s->r, s->err, "%s has more than one word: \"%s\" follows", what,
                           ws_quote(quote, rest.p, rest.n));
    ws_free(*to);
    *to = ws_strndup(w.p, w.n, s->err);
    return *to ? WS_OK : s->err->code;
}

static int take_cutoff(sto *s, int cut, ws_word rest) {
    static const char *const what[WS_NCUT] = {"#=GF GA", "#=GF TC", "#=GF NC"};
    ws_msa *m = s->r->m;
    double v = 0;
    ws_word w = ws_word_next(&rest);
    m->ncut[cut] = 0;
    if (w.n == 0) return ws_msa_fail(s->r, s->err, "%s has no value", what[cut]);
    for (int i = 0; i < 2 && w.n > 0; i++, w = ws_word_next(&rest)) {
        if (cut != WS_CUT_GA && i == 0 && ws_word_is(w, "undefined")) return WS_OK;
        if (w.p[w.n - 1] == ';') w.n--; /* Pfam's end of the line */
        if (read_real(s, w, what[cut], &v)) return s->err->code;
        m->cut[cut][m->ncut[cut]++] = (float)v;
    }
    return WS_OK;
}

static int read_gf(sto *s, ws_word rest) {
    ws_msa *m = s->r->m;
    const ws_word tag = ws_word_next(&rest), value = ws_word_trim(rest);
    if (tag.n == 0) return ws_msa_fail(s->r, s->err, "#=GF has neither tag nor text");
    if (ws_word_is(tag, "ID")) return take_word(s, "#=GF ID", value, &m->id);
    if (ws_word_is(tag, "AC")) return take_word(s, "#=GF AC", value, &m->acc);
    if (ws_word_is(tag, "GA")) return take_cutoff(s, WS_CUT_GA, value);
    if (ws_word_is(tag, "TC")) return take_cutoff(s, WS_CUT_TC, value);
    if (ws_word_is(tag, "NC")) return take_cutoff(s, WS_CUT_NC, value);
    if (!ws_word_is(tag, "DE")) return WS_OK;
    ws_free(m->desc);
    m->desc = ws_strndup(rest.p, rest.n, s->err); /* with blanks at its end, as HMMER has it */
    return m->desc ? WS_OK : s->err->code;
}

/* Finds or adds the row of a name. Rows are added before the first block ends. */
static int find_row(sto *s, ws_word name, size_t *row) {
    char quote[WS_QUOTE_MAX];
    const int64_t found = ws_rows_find(s->r, name, s->next);
    *row = (size_t)found;
    if (found >= 0) return WS_OK;
    if (s->blocks > 0)
        return ws_msa_fail(s->r, s->err, "\"%s\" is no row of the blocks before this one", ws_quote(quote, name.p,
            name.n));
    *row = s->r->m->rows;
    return ws_rows_add(s->r, name, s->err) || ws_rows_index(s->r, s->err) ? s->err->code : WS_OK;
}

/* Makes the list of weights as long as that of rows. */
static int widen_weights(sto *s) {
    ws_msareader *r = s->r;
    if (ws_grow(&r->weight, &r->weight_cap, r->m->rows, sizeof *r->weight, s->err)) return s->err->code;
    while (r->nweight < r->m->rows) r->weight[r->nweight++] = -1;
    return WS_OK;
}

static int read_gs(sto *s, ws_word rest) {
    const ws_word name = ws_word_next(&rest), tag = ws_word_next(&rest);
    double v = 0;
    size_t row = 0;
    if (tag.n == 0) return ws_msa_fail(s->r, s->err, "#=GS needs the name of a row, a tag and a text");
    if (find_row(s, name, &row)) return s->err->code;
    s->next = row + 1;
    if (ws_word_is(tag, "AC")) return ws_rows_note(s->r, row, 0, ws_word_trim(rest), s->err);
    if (ws_word_is(tag, "DE")) return ws_rows_note(s->r, row, 1, ws_word_trim(rest), s->err);
    if (!ws_word_is(tag, "WT")) return WS_OK;
    if (read_real(s, ws_word_trim(rest), "#=GS .. WT", &v) || widen_weights(s)) return s->err->code;
    if (v < 0) return ws_msa_fail(s->r, s->err, "the weight of row \"%s\" is negative", ws_row_name(s->r, row));
    if (s->r->weight[row] >= 0)
        return ws_msa_fail(s->r, s->err, "row \"%s\" has a second weight", ws_row_name(s->r, row));
    s->r->weight[row] = v;
    s->weights = 1;
    return WS_OK;
}

/* ---- blocks ---- */

/* Checks that a line of a block has n columns. Sentences call it by the word between two texts. */
static int check_width(sto *s, const char *before, ws_word word, const char *after, size_t n) {
    char quote[WS_QUOTE_MAX], name[WS_QUOTE_MAX + 24];
    if (n > 0 && (s->width == 0 || n == s->width)) {
        s->width = n;
        return WS_OK;
    }
    snprintf(name, sizeof name, "%s%s%s", before, ws_quote(quote, word.p, word.n), after);
    if (n == 0) return ws_msa_fail(s->r, s->err, "%s has no aligned text", name);
    return ws_msa_fail(s->r, s->err, "%s has %zu columns in this block, where the line before has %zu", name, n,
                       s->width);
}

static int read_gc(sto *s, ws_word rest) {
    const ws_word tag = ws_word_next(&rest), text = ws_word_trim(rest);
    if (check_width(s, "#=GC ", tag, "", text.n)) return s->err->code;
    for (int i = 0; i < WS_MSA_NLINE; i++) {
        ws_buf *to = &s->r->line[i];
        if (!ws_word_is(tag, gc_name[i])) continue;
        if (to->n > s->columns)
            return ws_msa_fail(s->r, s->err, "this block has a second line #=GC %s", gc_name[i]);
        if (to->n < s->columns)
            return ws_msa_fail(s->r, s->err, "#=GC %s is in this block, but not in each block before it",
                               gc_name[i]);
        return ws_buf_add(to, text.p, text.n, s->err);
    }
    return WS_OK;
}

/* A line for one row: only its length matters. */
static int read_gr(sto *s, ws_word rest) {
    const ws_word name = ws_word_next(&rest), tag = ws_word_next(&rest), text = ws_word_trim(rest);
    size_t row;
    if (tag.n == 0) return ws_msa_fail(s->r, s->err, "#=GR needs the name of a row, a tag and a text");
    const int64_t last = s->next > 0 ? ws_rows_find(s->r, name, s->next - 1) : -1;
    if (last < 0 && find_row(s, name, &row)) return s->err->code;
    return check_width(s, "the #=GR line of \"", name, "\"", text.n);
}

static int read_row(sto *s, ws_word line) {
    ws_msareader *r = s->r;
    const ws_word name = ws_word_next(&line), text = ws_word_trim(line);
    char quote[WS_QUOTE_MAX];
    size_t row, added;
    if (check_width(s, "row \"", name, "\"", text.n) || find_row(s, name, &row)) return s->err->code;
    if (r->length[row] > s->columns)
        return ws_msa_fail(r, s->err, "row \"%s\" is in this block twice; each row needs a name of its own",
                           ws_quote(quote, name.p, name.n));
    if (ws_rows_append(r, row, text, &added, s->err)) return s->err->code;
    s->next = row + 1;
    s->in_block++;
    return WS_OK;
}

/* Ends a block: all rows were in it, and the annotation of columns that began in the first one. */
static int end_block(sto *s) {
    ws_msareader *r = s->r;
    if (s->width == 0) return WS_OK;
    const size_t columns = s->columns + s->width;
    if (s->in_block != r->m->rows) {
        size_t i = 0;
        while (r->length[i] == columns) i++;
        return ws_msa_fail(r, s->err, "the block before this line lacks row \"%s\"", ws_row_name(r, i));
    }
    for (int i = 0; i < WS_MSA_NLINE; i++)
        if (r->line[i].n > 0 && r->line[i].n != columns)
            return ws_msa_fail(r, s->err, "the block before this line lacks #=GC %s", gc_name[i]);
    s->columns = columns;
    s->width = s->in_block = s->next = 0;
    s->blocks++;
    return WS_OK;
}

static int finish(sto *s) {
    ws_msareader *r = s->r;
    if (s->columns == 0) return ws_msa_fail(r, s->err, "the alignment ends without a row");
    if (s->weights) {
        if (widen_weights(s)) return s->err->code;
        for (size_t i = 0; i < r->m->rows; i++)
            if (r->weight[i] < 0)
                return ws_msa_fail(r, s->err, "row \"%s\" has no weight, but others have (#=GS .. WT)", ws_row_name(r,
                    i));
        r->m->weight = r->weight;
        r->weight = NULL;
    }
    return ws_rows_finish(r, s->columns, s->err);
}

/* Finds "# STOCKHOLM 1.0": WS_EOF if only blank lines and comments follow. */
static int find_header(sto *s) {
    static const char begin[] = "# STOCKHOLM 1.";
    char quote[WS_QUOTE_MAX];
    ws_lines *l = &s->r->lines;
    int rc;
    while ((rc = ws_lines_next_text(l, s->err)) == WS_OK) {
        const ws_word line = {l->p, l->n};
        if (ws_word_starts(line, begin)) return WS_OK;
        if (!l->whole && line.n < strlen(begin) && memcmp(line.p, begin, line.n) == 0)
            return ws_msa_fail(s->r, s->err, "the input ends inside a line \"# STOCKHOLM 1.0\", so it was cut");
        if (*line.p != '#' || ws_word_starts(line, "# STOCKHOLM"))
            return ws_msa_fail(s->r, s->err, "\"%s\" stands where \"# STOCKHOLM 1.0\" was expected",
                               ws_quote(quote, line.p, line.n));
    }
    return rc;
}

int ws_msa_read_stockholm(ws_msareader *r, ws_err *err) {
    sto s = {.r = r, .err = err};
    ws_lines *l = &r->lines;
    int rc = find_header(&s);
    if (rc) return rc;
    while (!rc && !(rc = ws_lines_next(l, err))) {
        ws_word rest = {l->p, l->n}, line = rest;
        const ws_word first = ws_word_next(&rest);
        line.n -= (size_t)(first.p - line.p);
        line.p = first.p;
        if (ws_word_starts(first, "//")) return end_block(&s) ? err->code : finish(&s);
        if (first.n == 0) rc = end_block(&s);
        else if (ws_word_is(first, "#=GF")) rc = read_gf(&s, rest);
        else if (ws_word_is(first, "#=GS")) rc = read_gs(&s, rest);
        else if (ws_word_is(first, "#=GC")) rc = read_gc(&s, rest);
        else if (ws_word_is(first, "#=GR")) rc = read_gr(&s, rest);
        else if (ws_word_starts(line, "# STOCKHOLM 1."))
            rc = ws_msa_fail(r, err, "\"# STOCKHOLM 1.0\" comes before the // of the alignment before it");
        else if (*first.p != '#') rc = read_row(&s, line);
    }
    return rc == WS_EOF ? ws_msa_fail(r, err, "the input ends inside an alignment, where // was expected") : rc;
}
