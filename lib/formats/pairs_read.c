/* SPDX-License-Identifier: MIT
 * Reader of what only packed streams with pairs have: the head's columns, queries, pairs. Nothing in them is
 * trusted: every number is compared with what is there before it is used. */
#include "lib/stream/paircols.h"
#include "lib/formats/packed_read.h"

#include <stdio.h>

enum { COLUMNS_MAX = 1 << 20, QUERIES_MAX = 1 << 28 };
#define PAIRS_MAX (UINT64_C(1) << 34)

void ws_pairs_read_release(unpack *u) {
    ws_buf_release(&u->body);
    ws_buf_release(&u->number);
    ws_free(u->kind);
    ws_free(u->rest);
}

static uint32_t u32_at(const unpack *u, uint64_t at) {
    uint32_t n;
    memcpy(&n, u->body.p + at, sizeof n);
    return n;
}

static uint64_t u64_at(const unpack *u, uint64_t at) {
    uint64_t n;
    memcpy(&n, u->body.p + at, sizeof n);
    return n;
}

/* Returns the sum of n lengths from `at` on. */
static uint64_t sum_at(const unpack *u, uint64_t at, uint64_t n) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) sum += u32_at(u, at + 4 * i);
    return sum;
}

static int zeros(const unpack *u, uint64_t from, uint64_t to) {
    unsigned odd = 0;
    for (; from < to; from++) odd |= (uint8_t)u->body.p[from];
    return !odd;
}

/* Returns 1 if a text has no character that separates the fields or rows of a table. */
static int is_field(const char *p, uint64_t n) {
    return !n || (!memchr(p, '\t', (size_t)n) && !memchr(p, '\n', (size_t)n));
}

static int bad_counts(const unpack *u, const ws_parse *s, ws_err *err) {
    return ws_packed_bad(u, s, "has impossible counts", err);
}
static int bad_padding(const unpack *u, const ws_parse *s, ws_err *err) {
    return ws_packed_bad(u, s, "has padding that is not zero", err);
}

int ws_pairs_read_frame(unpack *u, ws_parse *s, ws_err *err) {
    const uint64_t *v = u->f.v;
    uint64_t n;
    if (ws_packed_is(u, PACK_HEAD)) {
        if (v[HEAD_COLUMNS] > COLUMNS_MAX || v[HEAD_TEXT] > PACK_TEXT_MAX) return bad_counts(u, s, err);
        n = 4 * (v[HEAD_COLUMNS] + 1) + v[HEAD_TEXT];
    } else if (ws_packed_is(u, PACK_QUERIES)) {
        if (v[QUERIES_FIRST] != u->number.n / sizeof(uint32_t))
            return ws_packed_bad(u, s, "has queries that do not follow those before them", err);
        if (v[QUERIES_N] == 0 || v[QUERIES_N] > QUERIES_MAX || v[QUERIES_TEXT] > PACK_TEXT_MAX)
            return bad_counts(u, s, err);
        n = 16 * v[QUERIES_N] + v[QUERIES_TEXT];
    } else {
        if (v[PAIRS_BLOCK] != u->blocks || v[PAIRS_N] > PAIRS_MAX || v[PAIRS_TABLE] > PACK_TEXT_MAX ||
            v[PAIRS_TEXT] > PACK_TEXT_MAX)
            return bad_counts(u, s, err);
        n = v[PAIRS_TABLE] + v[PAIRS_TEXT];
    }
    u->body.n = 0;
    u->want = pack_body(n);
    u->state = BODY;
    return WS_OK;
}

/* ---- head ---- */

/* Adds a column of the first stream: its kind, and whether it passes through. The arrays have room for it. */
static int add_column(unpack *u, ws_parse *s, const char *p, size_t n, unsigned *seen, ws_err *err) {
    const ws_paircol kind = ws_paircol_of(p, n);
    const unsigned bit = ws_paircol_stored(kind) ? 0 : 1u << kind;
    int passes = kind <= WS_PAIRCOL_QUERY;
    if (*seen & bit) return ws_packed_bad(u, s, "names a column twice", err);
    *seen |= bit;
    if (!is_field(p, n) || (n && (memchr(p, '\0', n) || memchr(p, '\r', n))))
        return ws_packed_bad(u, s, "has a control character in the name of a column", err);
    char *name = ws_strndup(p, n, err);
    if (!name) return err->code;
    for (int i = 0; i < s->conf->nown; i++) passes &= strcmp(name, s->conf->own[i]) != 0;
    s->table.all[s->table.nall++] = name;
    u->kind[u->ncol] = (uint8_t)kind;
    u->rest[u->ncol++] = passes ? s->table.ncolumn : -1;
    if (passes) s->table.column[s->table.ncolumn++] = name;
    return WS_OK;
}

/* Fails with the name of the first missing column. */
static int lacks_column(const unpack *u, ws_parse *s, unsigned missing, ws_err *err) {
    char says[80];
    const char *name = missing & 1u << WS_PAIRCOL_NAME ? "name" : missing & 1u << WS_PAIRCOL_SEQ ? "seq" : "query";
    snprintf(says, sizeof says, "lacks the column %s; name, seq and query are needed", name);
    return ws_packed_bad(u, s, says, err);
}

static int learn_columns(unpack *u, ws_parse *s, const char *p, ws_err *err) {
    const size_t n = (size_t)u->f.v[HEAD_COLUMNS];
    const unsigned must = 1u << WS_PAIRCOL_NAME | 1u << WS_PAIRCOL_SEQ | 1u << WS_PAIRCOL_QUERY;
    unsigned seen = 0;
    int rc = WS_OK;
    if (!(u->kind = ws_calloc(n, sizeof *u->kind, err)) || !(u->rest = ws_calloc(n, sizeof *u->rest, err)) ||
        !(s->table.all = ws_calloc(n, sizeof(char *), err)) || !(s->table.column = ws_calloc(n, sizeof(char *), err)))
        return err->code;
    for (size_t i = 0; i < n && !rc; i++) {
        const size_t len = u32_at(u, 4 * i);
        rc = add_column(u, s, p, len, &seen, err);
        p += len;
    }
    if (!rc && (seen & must) != must) rc = lacks_column(u, s, must & ~seen, err);
    return rc;
}

static int same_columns(const unpack *u, const ws_parse *s, const char *p, ws_err *err) {
    int same = u->f.v[HEAD_COLUMNS] == (uint64_t)s->table.nall;
    for (int i = 0; i < s->table.nall && same; i++) {
        const size_t n = u32_at(u, 4 * (uint64_t)i);
        same = n == strlen(s->table.all[i]) && !memcmp(p, s->table.all[i], n);
        p += n;
    }
    return same ? WS_OK : ws_packed_bad(u, s, "has other columns than the first stream", err);
}

/* Takes the "##" lines before the rows. It keeps those of the first stream, as with tables. */
static int take_lines(unpack *u, ws_parse *s, const char *p, size_t n, int first, ws_err *err) {
    const char *end = p + n;
    if (n && end[-1] != '\n') return ws_packed_bad(u, s, "has a line without an end", err);
    for (const char *at = p; at < end;) {
        const size_t len = (size_t)((const char *)memchr(at, '\n', (size_t)(end - at)) - at);
        if (len < 2 || memcmp(at, "##", 2) != 0)
            return ws_packed_bad(u, s, "has a line that does not begin with ##", err);
        if (memchr(at, '\r', len)) return ws_packed_bad(u, s, "has a carriage return in a ## line", err);
        if (ws_ledger_is_stage(at, len) && !ws_ledger_stage_number(at, len))
            return ws_packed_bad(u, s, "has a ##warpsieve line that is malformed", err);
        const int rc = first ? ws_ledger_add_line(&s->ledger, at, len, err) : WS_OK;
        if (rc) return rc;
        at += len + 1;
    }
    return WS_OK;
}

static int end_head(unpack *u, ws_parse *s, ws_err *err) {
    const uint64_t n = u->f.v[HEAD_COLUMNS] + 1, text = 4 * n, end = text + u->f.v[HEAD_TEXT];
    const int first = !u->ncol;
    if (sum_at(u, 0, n) != u->f.v[HEAD_TEXT]) return ws_packed_bad(u, s, "has impossible lengths", err);
    if (!zeros(u, end, u->want - sizeof(uint64_t))) return bad_padding(u, s, err);
    int rc = first ? learn_columns(u, s, u->body.p + text, err) : same_columns(u, s, u->body.p + text, err);
    const size_t lines = u32_at(u, 4 * (n - 1));
    if (!rc) rc = take_lines(u, s, u->body.p + end - lines, lines, first, err);
    if (!rc && !s->queries) rc = ws_queries_create(&s->queries, err);
    s->table.present = s->table.pairs = 1;
    return rc;
}

/* ---- queries ---- */

static int two_models(const unpack *u, const ws_parse *s, const ws_query *q, ws_err *err) {
    char quote[WS_QUOTE_MAX], what[WS_QUOTE_MAX + 100];
    snprintf(what, sizeof what, "has the query \"%s\", which is another model than that of the same name before it",
             ws_quote(quote, q->name, q->n));
    return ws_packed_bad(u, s, what, err);
}

static int add_query(unpack *u, ws_parse *s, const ws_query *q, ws_err *err) {
    uint32_t number = ws_queries_find(s->queries, q->name, q->n);
    const ws_query *old = number == UINT32_MAX ? q : ws_queries_at(s->queries, number);
    const int differs =
        (old->hash && q->hash && old->hash != q->hash) || (old->qlen && q->qlen && old->qlen != q->qlen);
    if (!q->n || !is_field(q->name, q->n))
        return ws_packed_bad(u, s, "has a query without a name, or a control character in it", err);
    if (differs) return two_models(u, s, old, err);
    int rc = ws_queries_add(s->queries, q, &number, err);
    return rc ? rc : ws_buf_add(&u->number, &number, sizeof number, err);
}

static int end_queries(unpack *u, ws_parse *s, ws_err *err) {
    const uint64_t n = u->f.v[QUERIES_N], end = 16 * n + u->f.v[QUERIES_TEXT];
    const char *p = u->body.p + 16 * n;
    int rc = WS_OK;
    if (sum_at(u, 12 * n, n) != u->f.v[QUERIES_TEXT]) return ws_packed_bad(u, s, "has impossible lengths", err);
    if (!zeros(u, end, u->want - sizeof(uint64_t))) return bad_padding(u, s, err);
    for (uint64_t i = 0; i < n && !rc; i++) {
        const ws_query q = {
            .name = p, .n = u32_at(u, 12 * n + 4 * i), .qlen = u32_at(u, 8 * n + 4 * i), .hash = u64_at(u, 8 * i)};
        p += q.n;
        rc = add_query(u, s, &q, err);
    }
    return rc;
}

/* ---- pairs ---- */

/* Where the parts of the body begin; 0 if there are fewer bytes than they need. */
typedef struct layout {
    uint64_t counts, queries, columns, width; /* width: bytes of a query's number */
} layout;

static uint64_t number_width(const unpack *u) {
    for (size_t k = 0; k < u->ncol; k++)
        if (u->kind[k] == WS_PAIRCOL_QUERY && (uint8_t)u->body.p[k] == PACK_QUERY16) return sizeof(uint16_t);
    return sizeof(uint32_t);
}

static uint32_t query_at(const unpack *u, const layout *l, uint64_t pair) {
    uint16_t n;
    if (l->width == sizeof(uint32_t)) return u32_at(u, l->queries + 4 * pair);
    memcpy(&n, u->body.p + l->queries + 2 * pair, sizeof n);
    return n;
}

static int find_parts(const unpack *u, uint64_t seqs, layout *l) {
    if (pack_eight(u->ncol) > u->f.v[PAIRS_TABLE]) return 0;
    l->counts = pack_eight(u->ncol);
    l->width = number_width(u);
    l->queries = pack_eight(l->counts + 4 * seqs);
    const uint64_t end = l->queries + l->width * u->f.v[PAIRS_N];
    l->columns = pack_eight(end);
    return l->columns <= u->f.v[PAIRS_TABLE] && zeros(u, u->ncol, l->counts) &&
           zeros(u, l->counts + 4 * seqs, l->queries) && zeros(u, end, l->columns);
}

static int form_is_legal(ws_paircol kind, unsigned form) {
    if (kind == WS_PAIRCOL_QUERY && form == PACK_QUERY16) return 1;
    if (!ws_paircol_stored(kind)) return form == WS_CELL_IMPLIED;
    return form < WS_NCELLFORM && (form != WS_CELL_IMPLIED || kind != WS_PAIRCOL_DATA);
}

/* Returns how long a column's texts are together, UINT64_MAX if their ends do not ascend from `text` on. */
static uint64_t check_texts(const unpack *u, uint64_t data, uint64_t text, uint64_t limit) {
    uint32_t last = 0;
    for (uint64_t i = 0; i < u->f.v[PAIRS_N]; i++) {
        const uint32_t end = u32_at(u, data + 4 * i);
        if (end < last || end > limit - text || !is_field(u->body.p + text + last, end - last)) return UINT64_MAX;
        last = end;
    }
    return last;
}

static int check_strands(const unpack *u, uint64_t data) {
    unsigned odd = 0;
    for (uint64_t i = 0; i < u->f.v[PAIRS_N]; i++) odd |= !strchr("+- ", u->body.p[data + i]) || !u->body.p[data + i];
    return !odd;
}

/* Finds and checks the columns. Those that pass through are noted in col[0..ncolumn) with offsets in the body. */
static int find_columns(const unpack *u, const ws_parse *s, const layout *l, ws_blockcol *col, ws_err *err) {
    uint64_t at = l->columns, text = u->f.v[PAIRS_TABLE];
    const uint64_t limit = text + u->f.v[PAIRS_TEXT];
    for (size_t k = 0; k < u->ncol; k++) {
        const ws_paircol kind = (ws_paircol)u->kind[k];
        const unsigned says = (uint8_t)u->body.p[k], form = ws_paircol_stored(kind) ? says : WS_CELL_IMPLIED;
        if (!form_is_legal(kind, says))
            return ws_packed_bad(u, s, "has a column in a form that is not known here", err);
        const uint64_t bytes = u->f.v[PAIRS_N] * ws_cellform_width((ws_cellform)form), next = pack_eight(at + bytes);
        if (next > u->f.v[PAIRS_TABLE]) return bad_counts(u, s, err);
        if (!zeros(u, at + bytes, next)) return bad_padding(u, s, err);
        if (u->rest[k] >= 0) col[u->rest[k]] = (ws_blockcol){u->kind[k], (uint8_t)form, (size_t)at, (size_t)text};
        if (form == WS_CELL_STRAND && !check_strands(u, at))
            return ws_packed_bad(u, s, "has a strand that is neither + nor -", err);
        if (form == WS_CELL_TEXT) {
            const uint64_t n = check_texts(u, at, text, limit);
            if (n == UINT64_MAX) return ws_packed_bad(u, s, "has texts that are no fields of a table", err);
            text += n;
        }
        at = next;
    }
    return at == u->f.v[PAIRS_TABLE] && text == limit ? WS_OK : bad_counts(u, s, err);
}

static int add_rows(unpack *u, ws_parse *s, const layout *l, ws_err *err) {
    ws_batch *b = s->b;
    const size_t seqs = b->n - s->mark.n;
    const uint32_t *number = (const uint32_t *)(const void *)u->number.p;
    const uint64_t queries = u->number.n / sizeof *number;
    uint64_t pair = 0;
    if (sum_at(u, l->counts, seqs) != u->f.v[PAIRS_N]) return bad_counts(u, s, err);
    for (size_t i = 0; i < seqs; i++) {
        const uint32_t n = u32_at(u, l->counts + 4 * i);
        if (!n) return ws_packed_bad(u, s, "has a sequence without pairs", err);
        for (uint32_t k = 0; k < n; k++, pair++) {
            const uint32_t q = query_at(u, l, pair);
            if (q >= queries) return ws_packed_bad(u, s, "has a pair of a query that is not named before it", err);
            const ws_row row = {.seq = (uint32_t)(s->mark.n + i), .target = UINT32_MAX, .number = number[q],
                                .block = (uint32_t)b->nblock, .place = (uint32_t)pair};
            int rc = ws_batch_add_row(b, &row, err);
            if (rc) return rc;
        }
    }
    return WS_OK;
}

static int end_pairs(unpack *u, ws_parse *s, ws_err *err) {
    ws_batch *b = s->b;
    const size_t ncol = (size_t)s->table.ncolumn, bytes = (size_t)(u->f.v[PAIRS_TABLE] + u->f.v[PAIRS_TEXT]);
    layout l;
    if (!find_parts(u, b->n - s->mark.n, &l)) return bad_counts(u, s, err);
    if (!zeros(u, bytes, u->want - sizeof(uint64_t))) return bad_padding(u, s, err);
    int rc = ws_grow(&b->col, &b->col_cap, (b->nblock + 1) * ncol, sizeof *b->col, err);
    if (rc) return rc;
    ws_blockcol *col = b->col + b->nblock * ncol;
    if (!(rc = find_columns(u, s, &l, col, err))) rc = add_rows(u, s, &l, err);
    for (size_t k = 0; k < ncol; k++) {
        col[k].data += b->raw.n;
        col[k].text += b->raw.n;
    }
    if (!rc) rc = ws_buf_add(&b->raw, u->body.p, bytes, err);
    if (rc) return rc;
    b->nblock++;
    b->ncolumn = ncol;
    b->queries = s->queries;
    s->mark = ws_parse_all(b);
    u->pairs += u->f.v[PAIRS_N];
    u->blocks++;
    u->owed = 0;
    return WS_OK;
}

int ws_pairs_read_body(unpack *u, ws_parse *s, ws_err *err) {
    if (ws_packed_is(u, PACK_HEAD)) return end_head(u, s, err);
    return ws_packed_is(u, PACK_QUERIES) ? end_queries(u, s, err) : end_pairs(u, s, err);
}
