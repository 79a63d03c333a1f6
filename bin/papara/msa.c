/* SPDX-License-Identifier: MIT
 * Reference alignments: FASTA, and PHYLIP in its sequential, interleaved and relaxed forms.
 *
 * PHYLIP does not state its form. The parser decides by the number of lines: one a row, or a multiple of the rows that
 * fits as blocks. Otherwise rows go over several lines until each has the header's number of sites. */
#include "kernels/papara/papara.h"
#include "lib/compress/source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct line {
    const char *p;
    size_t n;  /* without white space at both ends; blank lines are skipped */
    size_t no; /* line number in the file, from 1 */
} line;

typedef struct parse {
    ws_papara_msa *m;
    const char *path;
    size_t size; /* size of the text */
    line *all, *line; /* line: those after the header of PHYLIP */
    size_t nline, cap;
    size_t *have; /* sites of each row so far */
    ws_buf names;
    size_t *name_at; /* offsets, because names moves when it grows */
    ws_err *err;
} parse;

static int blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

static int split_lines(parse *s, const char *text, size_t n) {
    size_t no = 1;
    for (const char *p = text, *end = text + n; p < end; no++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p)), *next = stop ? stop + 1 : end;
        if (!stop) stop = end;
        while (p < stop && blank(*p)) p++;
        while (stop > p && blank(stop[-1])) stop--;
        if (stop > p) {
            int rc = ws_grow(&s->all, &s->cap, s->nline + 1, sizeof *s->all, s->err);
            if (rc) return rc;
            s->all[s->nline++] = (line){p, (size_t)(stop - p), no};
        }
        p = next;
    }
    s->line = s->all;
    return WS_OK;
}

static size_t word(const char *p, size_t n) {
    size_t i = 0;
    while (i < n && !blank(p[i])) i++;
    return i;
}

static int fail_at(const parse *s, size_t no, const char *what) {
    return ws_fail(s->err, WS_EDATA, "%s: line %zu: %s", s->path, no, what);
}

static int add_name(parse *s, size_t row, const char *p, size_t n) {
    s->name_at[row] = s->names.n;
    int rc = ws_buf_add(&s->names, p, n, s->err);
    return rc ? rc : ws_buf_add(&s->names, "", 1, s->err);
}

static const char *row_name(const parse *s, size_t row) { return s->names.p + s->name_at[row]; }

/* Appends the characters of p that are no white space to a row. A row that becomes too long is WS_EDATA. */
static int add_sites(parse *s, size_t row, const char *p, size_t n, size_t no) {
    ws_papara_msa *m = s->m;
    char *to = m->sites_of_all + row * (m->sites + 1);
    char q[WS_QUOTE_MAX];
    for (size_t i = 0; i < n; i++) {
        if (blank(p[i])) continue;
        if (s->have[row] == m->sites)
            return ws_fail(s->err, WS_EDATA,
                           "%s: line %zu: row \"%s\" is longer than %zu sites, which is what the header says "
                           "(a name ends at a blank)", s->path,
                           no, ws_quote(q, row_name(s, row), strlen(row_name(s, row))), m->sites);
        to[s->have[row]++] = p[i];
    }
    return WS_OK;
}

static int too_short(const parse *s, size_t row, size_t no) {
    char q[WS_QUOTE_MAX];
    return ws_fail(s->err, WS_EDATA, "%s: line %zu: row \"%s\" has %zu sites, expected %zu", s->path, no,
                   ws_quote(q, row_name(s, row), strlen(row_name(s, row))), s->have[row], s->m->sites);
}

/* bytes allocated without proof, so that the messages on short rows can name their lines */
enum { BELIEVED = 1 << 24 };

/* Allocates n rows of `sites` sites. Each site is a character of the text, so larger sizes than that allows are
 * refused. */
static int make_rows(parse *s, size_t n, size_t sites) {
    ws_papara_msa *m = s->m;
    if (sites > ws_max(s->size, BELIEVED) / n)
        return ws_fail(s->err, WS_EDATA, "%s: %zu rows of %zu sites are more than the file has bytes", s->path, n,
                       sites);
    m->n = n;
    m->sites = sites;
    m->row = ws_calloc(n, sizeof *m->row, s->err);
    s->have = ws_calloc(n, sizeof *s->have, s->err);
    s->name_at = ws_calloc(n, sizeof *s->name_at, s->err);
    m->sites_of_all = ws_calloc(n, sites + 1, s->err);
    return m->row && s->have && s->name_at && m->sites_of_all ? WS_OK : WS_ENOMEM;
}

static void forget(parse *s) {
    memset(s->have, 0, s->m->n * sizeof *s->have);
    s->names.n = 0;
}

/* ---- PHYLIP ---- */

/* Parses a line "name sites". */
static int named_line(parse *s, size_t row, const line *l) {
    const size_t w = word(l->p, l->n);
    int rc = add_name(s, row, l->p, w);
    return rc ? rc : add_sites(s, row, l->p + w, l->n - w, l->no);
}

static int one_line_each(parse *s) {
    for (size_t r = 0; r < s->m->n; r++) {
        const line *l = &s->line[r];
        if (word(l->p, l->n) == l->n)
            return fail_at(s, l->no, "there is no white space between a name and a sequence here");
        int rc = named_line(s, r, l);
        if (!rc && s->have[r] < s->m->sites) rc = too_short(s, r, l->no);
        if (rc) return rc;
    }
    return WS_OK;
}

/* Returns 1 if every line of the block begins with the name of its row. */
static int names_again(const parse *s, const line *block) {
    for (size_t r = 0; r < s->m->n; r++) {
        const size_t w = word(block[r].p, block[r].n);
        const char *name = row_name(s, r);
        if (w == block[r].n || strlen(name) != w || memcmp(name, block[r].p, w) != 0) return 0;
    }
    return 1;
}

/* Tries the interleaved form; returns a failure if anything does not fit. */
static int interleaved(parse *s) {
    const size_t n = s->m->n;
    int rc = WS_OK;
    for (size_t b = 0; b < s->nline && !rc; b += n) {
        const line *block = s->line + b;
        const int again = b > 0 && names_again(s, block);
        for (size_t r = 0; r < n && !rc; r++) {
            const size_t w = again ? word(block[r].p, block[r].n) : 0;
            if (b == 0 && word(block[r].p, block[r].n) == block[r].n) return WS_EDATA;
            rc = b == 0 ? named_line(s, r, &block[r]) : add_sites(s, r, block[r].p + w, block[r].n - w, block[r].no);
            if (!rc && r > 0 && s->have[r] != s->have[0]) rc = WS_EDATA;
        }
    }
    return rc ? rc : s->have[0] == s->m->sites ? WS_OK : WS_EDATA;
}

static int sequential(parse *s) {
    size_t l = 0;
    char q[WS_QUOTE_MAX];
    for (size_t r = 0; r < s->m->n; r++) {
        if (l == s->nline)
            return ws_fail(s->err, WS_EDATA, "%s: the file ends after %zu rows, expected %zu", s->path, r, s->m->n);
        int rc = named_line(s, r, &s->line[l++]);
        for (; !rc && s->have[r] < s->m->sites && l < s->nline; l++)
            rc = add_sites(s, r, s->line[l].p, s->line[l].n, s->line[l].no);
        if (!rc && s->have[r] < s->m->sites) rc = too_short(s, r, s->line[l - 1].no);
        if (rc) return rc;
    }
    if (l < s->nline)
        return ws_fail(s->err, WS_EDATA, "%s: line %zu: found \"%s\" after all %zu rows, expected the end of the file",
                       s->path, s->line[l].no, ws_quote(q, s->line[l].p, s->line[l].n), s->m->n);
    return WS_OK;
}

static int header(const line *l, size_t *n, size_t *sites) {
    char *end;
    const char *p = l->p, *stop = l->p + l->n;
    if (!isdigit((unsigned char)*p)) return 0;
    *n = strtoull(p, &end, 10);
    while (end < stop && blank(*end)) end++;
    if (end == p || end == stop || !isdigit((unsigned char)*end)) return 0;
    *sites = strtoull(end, &end, 10);
    return end == stop;
}

static int phylip(parse *s, const char *text, size_t n) {
    char q[WS_QUOTE_MAX];
    size_t rows = 0, sites = 0;
    int rc = split_lines(s, text, n);
    if (rc) return rc;
    if (s->nline == 0) return ws_fail(s->err, WS_EDATA, "%s: the alignment is empty", s->path);
    if (!header(s->line, &rows, &sites))
        return ws_fail(s->err, WS_EDATA,
                       "%s: line %zu: found \"%s\", expected \"taxa sites\" of PHYLIP or the \">\" of FASTA", s->path,
                       s->line->no, ws_quote(q, s->line->p, s->line->n));
    if (rows == 0 || sites == 0) return fail_at(s, s->line->no, "the alignment is empty: it has no rows or no sites");
    s->line++;
    s->nline--;
    if (rows > s->nline)
        return ws_fail(s->err, WS_EDATA, "%s: the file ends after %zu rows, expected %zu", s->path, s->nline, rows);
    if (sites > n) return fail_at(s, s->line[-1].no, "the header promises more sites than the file has bytes");
    rc = make_rows(s, rows, sites);
    if (rc) return rc;
    if (s->nline == rows) return one_line_each(s);
    if (s->nline % rows == 0) {
        ws_err *keep = s->err, hypothesis = {0};
        s->err = &hypothesis;
        rc = interleaved(s);
        s->err = keep;
        if (rc == WS_OK) return rc;
        forget(s);
    }
    return sequential(s);
}

/* ---- FASTA ---- */

static int fasta(parse *s, const char *text, size_t n) {
    size_t rows = 0, sites = 0, row = SIZE_MAX;
    int rc = split_lines(s, text, n);
    for (size_t l = 0; l < s->nline && !rc; l++) {
        rows += s->line[l].p[0] == '>';
        for (size_t i = 0; rows == 1 && s->line[l].p[0] != '>' && i < s->line[l].n; i++)
            sites += !blank(s->line[l].p[i]);
    }
    if (!rc && sites == 0) return fail_at(s, s->line->no, "the first row has no sites");
    if (!rc) rc = make_rows(s, rows, sites);
    for (size_t l = 0; l < s->nline && !rc; l++) {
        const line *x = &s->line[l];
        if (x->p[0] != '>') {
            if (row > 0 && s->have[row] == sites)
                return ws_fail(s->err, WS_EDATA,
                               "%s: line %zu: row \"%s\" is longer than %zu sites, the length of the first row",
                               s->path, x->no, row_name(s, row), sites);
            rc = add_sites(s, row, x->p, x->n, x->no);
            continue;
        }
        if (row != SIZE_MAX && s->have[row] < sites) return too_short(s, row, x->no);
        const size_t w = word(x->p + 1, x->n - 1);
        if (w == 0) return fail_at(s, x->no, "a row without a name");
        rc = add_name(s, ++row, x->p + 1, w);
    }
    if (!rc && s->have[row] < sites) rc = too_short(s, row, s->line[s->nline - 1].no);
    return rc;
}

/* ---- both ---- */

static int by_name(const void *a, const void *b) {
    return strcmp((*(const ws_papara_row *const *)a)->name, (*(const ws_papara_row *const *)b)->name);
}

static int refuse_duplicates(const parse *s) {
    const ws_papara_msa *m = s->m;
    char q[WS_QUOTE_MAX];
    int rc = WS_OK;
    const ws_papara_row **sorted = ws_calloc(m->n, sizeof *sorted, s->err);
    if (!sorted) return WS_ENOMEM;
    for (size_t r = 0; r < m->n; r++) sorted[r] = &m->row[r];
    qsort(sorted, m->n, sizeof *sorted, by_name);
    for (size_t r = 1; r < m->n && !rc; r++)
        if (strcmp(sorted[r - 1]->name, sorted[r]->name) == 0)
            rc = ws_fail(s->err, WS_EDATA, "%s: two rows have the name \"%s\"", s->path,
                         ws_quote(q, sorted[r]->name, strlen(sorted[r]->name)));
    ws_free(sorted);
    return rc;
}

int ws_papara_msa_parse(ws_papara_msa *m, const char *path, const char *text, size_t n, ws_err *err) {
    parse s = {.m = m, .path = path, .size = n, .err = err};
    size_t at = 0;
    *m = (ws_papara_msa){0};
    const char *nul = memchr(text, '\0', n);
    if (nul)
        return ws_fail(err, WS_EDATA, "%s: byte %zu is zero, so this is no alignment", path, (size_t)(nul - text) + 1);
    while (at < n && (blank(text[at]) || text[at] == '\n')) at++;
    int rc = at == n ? ws_fail(err, WS_EDATA, "%s: the alignment is empty", path)
             : text[at] == '('
                 ? ws_fail(err, WS_EDATA, "%s: this is a tree; the alignment comes first, the tree second", path)
             : text[at] == '>' ? fasta(&s, text, n)
                               : phylip(&s, text, n);
    m->names = s.names.p;
    for (size_t r = 0; r < m->n && !rc; r++)
        m->row[r] = (ws_papara_row){row_name(&s, r), m->sites_of_all + r * (m->sites + 1)};
    if (!rc) rc = refuse_duplicates(&s);
    ws_free(s.all);
    ws_free(s.have);
    ws_free(s.name_at);
    if (rc) ws_papara_msa_release(m);
    return rc;
}

int ws_papara_msa_read(ws_papara_msa *m, const char *path, ws_err *err) {
    char *text;
    size_t n;
    int rc = ws_source_slurp(path, ">0123456789", &text, &n, err);
    if (!rc) rc = ws_papara_msa_parse(m, ws_source_name_of(path), text, n, err);
    ws_free(text);
    return rc;
}

void ws_papara_msa_release(ws_papara_msa *m) {
    ws_free(m->row);
    ws_free(m->names);
    ws_free(m->sites_of_all);
    *m = (ws_papara_msa){0};
}

int ws_papara_msa_is_protein(const ws_papara_msa *m) {
    size_t only_protein = 0, letters = 0;
    for (size_t r = 0; r < m->n; r++)
        for (const char *c = m->row[r].site; *c; c++) {
            letters += isalpha((unsigned char)*c) != 0;
            only_protein += *c && strchr("EFILPQZefilpqz", *c) != NULL;
        }
    return only_protein * 20 > letters;
}
