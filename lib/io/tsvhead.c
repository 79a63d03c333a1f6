/* SPDX-License-Identifier: MIT
 * The lines of a table about itself: the header line, by whose names the columns are found, and the "##" lines. */
#include "lib/io/tsv.h"

#include <stdlib.h>
#include <string.h>

static int is(const char *p, size_t n, const char *word) { return n == strlen(word) && !memcmp(p, word, n); }

static tsv_kind kind_of(const ws_seqread_conf *conf, const char *p, size_t n) {
    static const char *const known[] = {"name", "seq", "qual", "desc"}; /* TSV_NAME to TSV_DESC */
    for (int k = TSV_NAME; k <= TSV_DESC; k++)
        if (is(p, n, known[k])) return (tsv_kind)k;
    for (int i = 0; i < conf->nown; i++)
        if (is(p, n, conf->own[i])) return TSV_DROP;
    return TSV_REST;
}

/* Adds a column of the first header: its kind, and its name if it passes through. The arrays have room for every
 * column. */
static int add_column(tsv *t, ws_parse *s, const char *p, size_t n, unsigned *seen, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    const tsv_kind kind = kind_of(s->conf, p, n);
    const int query = is(p, n, "query");
    const unsigned bit = kind < TSV_REST ? 1u << kind : query ? 1u << TSV_REST : 0;
    if (*seen & bit) return ws_parse_fail(s, err, "column \"%s\" stands twice in the header", ws_quote(quote, p, n));
    *seen |= bit;
    char *name = ws_strndup(p, n, err);
    if (!name) return err->code;
    s->table.all[s->table.nall++] = name;
    if (kind == TSV_REST) s->table.column[s->table.ncolumn++] = name;
    if (query) t->query = t->ncol;
    t->kind[t->ncol++] = (uint8_t)kind;
    return WS_OK;
}

static int learn(tsv *t, ws_parse *s, const char *p, size_t n, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    unsigned seen = 0;
    size_t cols = 1;
    for (size_t i = 0; i < n; i++) cols += p[i] == '\t';
    if (!(t->kind = ws_calloc(cols, 1, err))) return err->code;
    if (!(s->table.all = ws_calloc(cols, sizeof(char *), err))) return err->code;
    if (!(s->table.column = ws_calloc(cols, sizeof(char *), err))) return err->code;
    t->query = SIZE_MAX;
    for (const char *at = p, *end = p + n; at <= end;) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        const char *stop = tab ? tab : end;
        int rc = add_column(t, s, at, (size_t)(stop - at), &seen, err);
        if (rc) return rc;
        at = stop + 1;
    }
    if (!(seen & 1u << TSV_NAME) || !(seen & 1u << TSV_SEQ))
        return ws_parse_fail(s, err, "expected a header line with the columns name and seq, found \"%s\"",
                             ws_quote(quote, p, n));
    s->table.present = 1;
    return ws_buf_add(&t->header, p, n, err);
}

int ws_tsv_next_table(tsv *t, const ws_parse *s, ws_err *err) {
    if (t->ends < t->owed && !s->conf->allow_cut)
        return ws_parse_fail(s, err, "another table begins, but no ##end line stands before it, so the table before "
                                     "it was cut (see --allow-cut)");
    t->owed = t->pg1;
    t->before = t->rows;
    t->letters = 0;
    return WS_OK;
}

int ws_tsv_header(tsv *t, ws_parse *s, const char *p, size_t n, ws_err *err) {
    int rc = ws_tsv_next_table(t, s, err);
    if (rc) return rc;
    t->headers++;
    if (!t->ncol) return learn(t, s, p, n, err);
    if (n == t->header.n && !memcmp(p, t->header.p, n)) return WS_OK;
    return ws_parse_fail(s, err, "the columns of this table are not those of the first one");
}

/* Returns the number after " key=" in a "##" line; 0 if it is not there. */
static uint64_t number_of(const char *line, const char *key) {
    const char *at = strstr(line, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static int take_record(ws_parse *s, const char *line, size_t n, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    const char *what;
    const int rc = ws_records_take_line(&s->table.records, line, n, &what, err);
    return rc == WS_EDATA ? ws_parse_fail(s, err, "\"%s\" %s", ws_quote(quote, line, n), what) : rc;
}

int ws_tsv_holds_stage(const char *p, size_t n) {
    static const char stage[] = "##warpsieve pg=1 ";
    const size_t len = sizeof stage - 1;
    for (const char *end = p + n; n >= len && (p = memchr(p, '#', n - len + 1)); n = (size_t)(end - ++p))
        if (!memcmp(p, stage, len)) return 1;
    return 0;
}

/* "##end" */

#define COUNT_MAX UINT64_C(1000000000000000000) /* as many sequences as -Z takes */

/* Reads "key" and a plain decimal number of at most COUNT_MAX at *p, and moves *p after it. Returns 0 if there is none
 * or if it begins with a needless zero. */
static int take_count(const char **p, const char *key, uint64_t *v) {
    const size_t n = strlen(key);
    if (strncmp(*p, key, n)) return 0;
    const char *digit = *p += n;
    for (*v = 0; **p >= '0' && **p <= '9' && *v <= COUNT_MAX; ++*p) *v = 10 * *v + (uint64_t)(**p - '0');
    return *p > digit && *v <= COUNT_MAX && (*digit != '0' || *p == digit + 1);
}

/* Takes an "##end" line: rows, and with *counted the sequences and residues. Returns whether it is one, to the last
 * byte. */
static int read_end(const char *p, uint64_t *rows, uint64_t *in, uint64_t *residues, int *counted) {
    *in = *residues = 0;
    if (!take_count(&p, "##end rows=", rows)) return 0;
    *counted = *p != '\0';
    return !*counted || (take_count(&p, " in=", in) && take_count(&p, " residues=", residues) && *p == '\0');
}

/* Returns whether the line was cut and joined with another text, changed, or says less than what was read. *err has the
 * sentence then. */
static int end_lies(const tsv *t, const ws_parse *s, const char *line, size_t n, int *counted, uint64_t *in,
                    uint64_t *residues, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    uint64_t rows;
    const unsigned long long read = t->rows - t->before;
    if (strlen(line) != n || !read_end(line, &rows, in, residues, counted))
        return ws_parse_fail(s, err, "found \"%s\", expected \"##end rows=N in=N residues=N\" with plain numbers, so "
                                     "the table was cut or changed there (see --allow-cut)", ws_quote(quote, line, n));
    if (read > rows)
        return ws_parse_fail(s, err, "the ##end line says %llu rows, but the table has %llu (see --allow-cut)",
                             (unsigned long long)rows, read);
    if (*counted && ((read && !*in) || (t->letters && !*residues)))
        return ws_parse_fail(s, err, "the ##end line says that %llu sequences with %llu residues were searched, but "
                                     "the table has %llu rows (see --allow-cut)", (unsigned long long)*in,
                             (unsigned long long)*residues, read);
    if (*in > COUNT_MAX - s->table.in || *residues > COUNT_MAX - s->table.residues)
        return ws_parse_fail(s, err,
                             "the ##end lines count more than 10^18 sequences or residues (see --allow-cut)");
    return 0;
}

static int take_end(tsv *t, ws_parse *s, const char *line, size_t n, ws_err *err) {
    uint64_t in = 0, residues = 0;
    int counted = 0;
    if (end_lies(t, s, line, n, &counted, &in, &residues, err)) {
        if (!s->conf->allow_cut) return err->code;
        counted = 0;
    }
    t->ends++;
    s->table.ends++;
    t->before = t->rows;
    t->letters = 0;
    t->counted &= counted;
    s->table.uncounted |= !counted;
    if (!counted) return WS_OK;
    t->in += in;
    s->table.in += in;
    s->table.residues += residues;
    return WS_OK;
}

int ws_tsv_check_counts(const tsv *t, const ws_parse *s, ws_err *err) {
    if (!t->ends || !t->counted || t->in || !t->rows || s->conf->allow_cut) return WS_OK;
    return ws_fail(err, WS_EDATA, "%s: its ##end lines say that no sequences were searched, but it has %llu rows "
                                  "(see --allow-cut)", s->input, (unsigned long long)t->rows);
}

/* Takes a "##" line. Provenance is the text before the first header, so that it is the same however the input arrives.
 * Later tables only add to the sums and to the list of tables that must have an end. */
int ws_tsv_meta(tsv *t, ws_parse *s, const char *p, size_t n, ws_err *err) {
    s->table.present = 1;
    if (ws_records_is_line(p, n)) return take_record(s, p, n, err);
    char *line = ws_strndup(p, n, err);
    if (!line) return err->code;
    int rc = WS_OK;
    if (!strncmp(line, "##end", 5)) {
        rc = take_end(t, s, line, n, err);
    } else if (ws_tsv_holds_stage(p + 1, n - 1) && !s->conf->allow_cut) {
        rc = ws_parse_fail(s, err, "another table begins inside this line, so the table before it was cut "
                                   "(see --allow-cut)");
    } else {
        const int stage = ws_parse_is_stage(p, n);
        t->pg1 += stage && number_of(line, " pg=") == 1;
        if (!t->ncol) {
            s->table.npg += stage;
            rc = ws_buf_add(&s->table.provenance, p, n, err);
            if (!rc) rc = ws_buf_add(&s->table.provenance, "\n", 1, err);
        }
    }
    ws_free(line);
    return rc;
}
