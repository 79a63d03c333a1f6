/* SPDX-License-Identifier: MIT
 * The lines of a table about itself: the header line, by whose names the columns are found, and the "##" lines. */
#include "lib/formats/tsv.h"

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

int ws_tsv_next_table(tsv *t, ws_parse *s, ws_err *err) {
    if (t->ends < t->owed && !s->conf->allow_cut)
        return ws_parse_fail(s, err, "another table begins, but no ##end line stands before it, so the table before "
                                     "it was cut (see --allow-cut)");
    s->ledger.unknown |= t->table == OPEN && !t->sorted; /* nothing says what the table before it was made of */
    t->table = OPEN;
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

/* Refuses a table of windows of long DNA, whose rows are no targets of their own. */
static int refuse_windows(const ws_parse *s, ws_err *err) {
    return ws_parse_fail(s, err, "found a ##record line, so the rows are windows of long DNA, as an earlier version "
                                 "wrote them; search the sequences themselves: nhmmsieve MODELS GENOME");
}

int ws_tsv_holds_stage(const char *p, size_t n) {
    static const char stage[] = "##warpsieve pg=1 ";
    const size_t len = sizeof stage - 1;
    for (const char *end = p + n; n >= len && (p = memchr(p, '#', n - len + 1)); n = (size_t)(end - ++p))
        if (!memcmp(p, stage, len)) return 1;
    return 0;
}

/* "##end" */

/* Returns whether the line was cut and joined with another text, changed, comes a second time, or says less than what
 * was read. *err has the sentence then. */
static int end_lies(const tsv *t, const ws_parse *s, const char *line, size_t n, uint64_t *rows, ws_stream_size *size,
                    ws_err *err) {
    char quote[WS_QUOTE_MAX];
    const unsigned long long read = t->rows - t->before;
    if (!ws_ledger_read_end(line, n, rows, size))
        return ws_parse_fail(s, err, "found \"%s\", expected \"##end rows=N in=N residues=N\" with plain numbers, so "
                                     "the table was cut or changed there (see --allow-cut)", ws_quote(quote, line, n));
    if (t->table == CLOSED && !t->sorted)
        return ws_parse_fail(s, err, "found another ##end line, expected a table before it: its counts would be taken "
                                     "twice (see --allow-cut)");
    if (read > *rows)
        return ws_parse_fail(s, err, "the ##end line says %llu rows, but the table has %llu (see --allow-cut)",
                             (unsigned long long)*rows, read);
    if (size->state == WS_SIZE_KNOWN && ((read && !size->seqs) || (t->letters && !size->residues)))
        return ws_parse_fail(s, err, "the ##end line says that %llu sequences with %llu residues were searched, but "
                                     "the table has %llu rows (see --allow-cut)", (unsigned long long)size->seqs,
                             (unsigned long long)size->residues, read);
    return 0;
}

static int take_end(tsv *t, ws_parse *s, const char *line, size_t n, ws_err *err) {
    ws_stream_size size;
    uint64_t rows = 0;
    t->sorted |= !t->headers && !t->pg1;
    if (end_lies(t, s, line, n, &rows, &size, err)) {
        if (!s->conf->allow_cut) return err->code;
        size.state = WS_SIZE_UNKNOWN;
    }
    if (!ws_ledger_add_size(&s->ledger, &size)) {
        (void)ws_parse_fail(s, err, "the ##end lines count more than 10^18 sequences or residues (see --allow-cut)");
        if (!s->conf->allow_cut) return err->code;
        size.state = WS_SIZE_UNKNOWN;
        s->ledger.unknown = 1;
    }
    s->ledger.ends++;
    t->ends++;
    t->table = CLOSED;
    t->before = t->rows;
    t->letters = 0;
    t->told += ws_min(rows, UINT64_MAX - t->told);
    t->counted &= size.state == WS_SIZE_KNOWN;
    if (size.state == WS_SIZE_KNOWN) t->in += size.seqs;
    return WS_OK;
}

int ws_tsv_check_counts(const tsv *t, const ws_parse *s, ws_err *err) {
    const int tables = t->headers > t->pg1 ? t->headers : t->pg1;
    if (t->sorted && t->ends > tables && !s->conf->allow_cut)
        return ws_fail(err, WS_EDATA,
                       "%s: found %d ##end lines, expected %d, one for each table: their counts would be taken twice "
                       "(see --allow-cut)", s->input, t->ends, tables);
    if (t->sorted && t->rows > t->told && !s->conf->allow_cut)
        return ws_fail(err, WS_EDATA, "%s: its ##end lines say %llu rows, but it has %llu (see --allow-cut)", s->input,
                       (unsigned long long)t->told, (unsigned long long)t->rows);
    if (!t->ends || !t->counted || t->in || !t->rows || s->conf->allow_cut) return WS_OK;
    return ws_fail(err, WS_EDATA, "%s: its ##end lines say that no sequences were searched, but it has %llu rows "
                                  "(see --allow-cut)", s->input, (unsigned long long)t->rows);
}

/* Takes the line of a stage. That of the first one begins a table. */
static int take_stage(tsv *t, ws_parse *s, const char *p, size_t n, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    const uint64_t number = ws_ledger_stage_number(p, n);
    if (!number)
        return ws_parse_fail(s, err, "found \"%s\", expected ##warpsieve pg=N prog=NAME version=VERSION "
                                     "model=NAME(xxh3:HASH) args=\"...\"", ws_quote(quote, p, n));
    if (number > 1) return WS_OK;
    t->pg1++;
    s->ledger.unknown |= t->table == OPEN && !t->sorted; /* the table before it has no end */
    t->table = BEGUN;
    return WS_OK;
}

/* Takes a "##" line. The lines before the first header are kept, so that they are the same however the input arrives.
 * Later tables only add to the sums and to the list of tables that must have an end. */
int ws_tsv_meta(tsv *t, ws_parse *s, const char *p, size_t n, ws_err *err) {
    s->table.present = 1;
    if (n >= 8 && !memcmp(p, "##record", 8)) return refuse_windows(s, err);
    if (n >= 5 && !memcmp(p, "##end", 5)) return take_end(t, s, p, n, err);
    if (ws_tsv_holds_stage(p + 1, n - 1)) {
        if (!s->conf->allow_cut)
            return ws_parse_fail(s, err, "another table begins inside this line, so the table before it was cut "
                                         "(see --allow-cut)");
        s->ledger.unknown = 1;
    }
    const int rc = ws_ledger_is_stage(p, n) ? take_stage(t, s, p, n, err) : WS_OK;
    return rc || t->ncol ? rc : ws_ledger_add_line(&s->ledger, p, n, err);
}
