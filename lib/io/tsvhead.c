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

int ws_tsv_header(tsv *t, ws_parse *s, const char *p, size_t n, ws_err *err) {
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

/* Takes a "##" line. Provenance is the text before the first header, so that it is the same however the input arrives.
 * Later tables only add to the sums and to the list of tables that must have an end. */
int ws_tsv_meta(tsv *t, ws_parse *s, const char *p, size_t n, ws_err *err) {
    s->table.present = 1;
    if (ws_records_is_line(p, n)) return take_record(s, p, n, err);
    char *line = ws_strndup(p, n, err);
    if (!line) return err->code;
    int rc = WS_OK;
    if (!strncmp(line, "##end", 5) && (line[5] == ' ' || line[5] == '\0')) {
        t->ends++;
        s->table.ends++;
        s->table.uncounted |= strstr(line, " in=") == NULL;
        s->table.in += number_of(line, " in=");
        s->table.residues += number_of(line, " residues=");
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
