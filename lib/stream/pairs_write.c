/* SPDX-License-Identifier: MIT
 * Writer of pairs: see lib/stream/pairs.h. */
#include "lib/stream/pairs.h"

#include "lib/stream/packed.h"
#include "lib/stream/packfmt.h"
#include "lib/stream/paircols.h"
#include "lib/stream/phrase.h"

#include <limits.h>

/* A column of the open block: per pair the forms that print it, and its number or, of a text, its place among the
 * texts. */
typedef struct column {
    ws_paircol kind;
    int exact;    /* the next stage wants the number that was computed, not what is printed of it */
    uint16_t *forms;
    double *v;
    size_t forms_cap, v_cap;
    unsigned common; /* forms of all pairs */
} column;

struct ws_pairs {
    const char *const *name; /* [ncol] */
    column *col;
    int ncol;
    ws_queries *queries;
    size_t told; /* queries that have been written */

    /* the open block */
    ws_batch open;
    ws_packed_open block; /* the same, as it is written */
    uint32_t *count; /* pairs of each sequence */
    uint32_t *query; /* of each pair */
    size_t npair, count_cap, query_cap;
    ws_buf text; /* the texts of its cells: their length, 8 bytes, and the bytes */

    ws_phrase phrase;
    ws_packed_totals totals;
    uint64_t pairs;
};

int ws_pairs_open(ws_pairs **out, const char *const *names, int ncolumn, ws_err *err) {
    ws_pairs *p = *out = ws_calloc(1, sizeof *p, err);
    if (!p) return err->code;
    p->col = ws_calloc((size_t)ncolumn, sizeof *p->col, err);
    if (!p->col || ws_queries_create(&p->queries, err)) {
        ws_pairs_close(p);
        *out = NULL;
        return err->code;
    }
    p->name = names;
    p->ncol = ncolumn;
    for (int i = 0; i < ncolumn; i++) p->col[i].kind = ws_paircol_of(names[i], strlen(names[i]));
    for (int i = 0; i < ncolumn; i++) p->col[i].exact = !strcmp(names[i], "bias_bits");
    for (int i = 0; i < ncolumn; i++) p->col[i].common = UINT_MAX;
    return WS_OK;
}

void ws_pairs_close(ws_pairs *p) {
    if (!p) return;
    for (int i = 0; i < p->ncol; i++) {
        ws_free(p->col[i].forms);
        ws_free(p->col[i].v);
    }
    ws_free(p->col);
    ws_queries_destroy(p->queries);
    ws_batch_release(&p->open);
    ws_packed_open_release(&p->block);
    ws_free(p->count);
    ws_free(p->query);
    ws_buf_release(&p->text);
    ws_phrase_release(&p->phrase);
    ws_free(p);
}

/* ---- bodies ---- */

static int put_u32(ws_buf *out, uint64_t n, ws_err *err) {
    const uint32_t small = (uint32_t)n;
    if (n > UINT32_MAX)
        return ws_fail(err, WS_EDATA, "a text of %llu bytes is too long for the packed format", (unsigned long long)n);
    return ws_buf_add(out, &small, sizeof small, err);
}

static int put_zeros(ws_buf *out, uint64_t n, ws_err *err) {
    int rc = ws_buf_reserve(out, (size_t)n, err);
    if (rc) return rc;
    memset(out->p + out->n, 0, (size_t)n);
    out->n += (size_t)n;
    return WS_OK;
}

/* Zeros up to the next multiple of eight bytes from `start`. */
static int put_eight(ws_buf *out, size_t start, ws_err *err) {
    const uint64_t n = out->n - start;
    return put_zeros(out, pack_eight(n) - n, err);
}

/* Makes the bytes from `start` on a body: padding and checksum. */
static int end_body(ws_buf *out, size_t start, ws_err *err) {
    const uint64_t n = out->n - start;
    int rc = put_zeros(out, pack_body(n) - n - sizeof(uint64_t), err);
    if (rc) return rc;
    const uint64_t check = XXH3_64bits(out->p + start, out->n - start);
    return ws_buf_add(out, &check, sizeof check, err);
}

/* Writes the frame into the free place before the body that begins at `start`. */
static void fill_frame(ws_buf *out, size_t start, const char *magic, const uint64_t *v) {
    pack_frame f = {{0}, {0}, 0};
    memcpy(f.magic, magic, sizeof f.magic);
    memcpy(f.v, v, sizeof f.v);
    f.check = pack_frame_check(&f);
    memcpy(out->p + start - sizeof f, &f, sizeof f);
}

int ws_pairs_head(ws_pairs *p, ws_buf *out, const ws_abc *abc, const char *lines, size_t n, ws_err *err) {
    uint64_t v[PACK_NUMBERS] = {[HEAD_VERSION] = PACK_WITH_PAIRS,
                                [HEAD_ALPHABET] = abc->type,
                                [HEAD_COLUMNS] = (uint64_t)p->ncol,
                                [HEAD_TEXT] = n};
    int rc = put_zeros(out, PACK_FRAME, err);
    const size_t start = out->n;
    for (int i = 0; i < p->ncol && !rc; i++) {
        v[HEAD_TEXT] += strlen(p->name[i]);
        rc = put_u32(out, strlen(p->name[i]), err);
    }
    if (!rc) rc = put_u32(out, n, err);
    for (int i = 0; i < p->ncol && !rc; i++) rc = ws_buf_add(out, p->name[i], strlen(p->name[i]), err);
    if (!rc) rc = ws_buf_add(out, lines, n, err);
    if (!rc) rc = end_body(out, start, err);
    if (!rc) fill_frame(out, start, PACK_HEAD, v);
    return rc;
}

/* Appends the queries that have come since the last call. */
static int put_queries(ws_pairs *p, ws_buf *out, ws_err *err) {
    const size_t n = ws_queries_count(p->queries) - p->told;
    uint64_t v[PACK_NUMBERS] = {[QUERIES_FIRST] = p->told, [QUERIES_N] = n};
    if (!n) return WS_OK;
    int rc = put_zeros(out, PACK_FRAME, err);
    const size_t start = out->n;
    for (size_t i = 0; i < n && !rc; i++)
        rc = ws_buf_add(out, &ws_queries_at(p->queries, (uint32_t)(p->told + i))->hash, sizeof(uint64_t), err);
    for (size_t i = 0; i < n && !rc; i++)
        rc = put_u32(out, ws_queries_at(p->queries, (uint32_t)(p->told + i))->qlen, err);
    for (size_t i = 0; i < n && !rc; i++) rc = put_u32(out, ws_queries_at(p->queries, (uint32_t)(p->told + i))->n, err);
    for (size_t i = 0; i < n && !rc; i++) {
        const ws_query *q = ws_queries_at(p->queries, (uint32_t)(p->told + i));
        v[QUERIES_TEXT] += q->n;
        rc = ws_buf_add(out, q->name, q->n, err);
    }
    if (!rc) rc = end_body(out, start, err);
    if (!rc) fill_frame(out, start, PACK_QUERIES, v);
    p->told += n;
    return rc;
}

/* ---- columns of a block ---- */

/* Returns the text of a cell that has no number. */
static ws_slice text_at(const ws_pairs *p, double v) {
    uint64_t at;
    ws_slice s;
    memcpy(&at, &v, sizeof at);
    memcpy(&s.n, p->text.p + at, sizeof s.n);
    s.at = (size_t)at + sizeof s.n;
    return s;
}

/* Returns the narrowest form that prints all of a column as it is written. */
static ws_cellform form_of(const column *c) {
    return !ws_paircol_stored(c->kind) ? WS_CELL_IMPLIED
                                       : ws_cellform_choose(c->common | WS_CELL_BIT(WS_CELL_TEXT), c->exact);
}

/* Returns whether 16 bits hold the numbers of all queries so far. */
static int is_narrow(const ws_pairs *p) { return ws_queries_count(p->queries) <= UINT16_MAX; }

static int put_query_numbers(const ws_pairs *p, ws_buf *out, ws_err *err) {
    if (!is_narrow(p)) return ws_buf_add(out, p->query, p->npair * sizeof *p->query, err);
    int rc = ws_buf_reserve(out, p->npair * sizeof(uint16_t), err);
    for (size_t i = 0; i < p->npair && !rc; i++, out->n += sizeof(uint16_t)) {
        const uint16_t number = (uint16_t)p->query[i];
        memcpy(out->p + out->n, &number, sizeof number);
    }
    return rc;
}

static int put_numbers(const ws_pairs *p, const column *c, ws_cellform form, ws_buf *out, ws_err *err) {
    const size_t n = p->npair * ws_cellform_width(form);
    int rc = ws_buf_reserve(out, n, err);
    if (rc) return rc;
    for (size_t i = 0; i < p->npair; i++) ws_cellform_store(form, out->p + out->n, i, c->v[i]);
    out->n += n;
    return WS_OK;
}

/* Appends the texts to *text, and to *out where each of them ends in the column's texts. */
static int put_texts(const ws_pairs *p, const column *c, ws_buf *out, ws_buf *text, ws_err *err) {
    const size_t start = text->n;
    int rc = WS_OK;
    for (size_t i = 0; i < p->npair && !rc; i++) {
        ws_cell cell = {.forms = c->forms[i], .v = c->v[i]};
        if (cell.forms == WS_CELL_BIT(WS_CELL_TEXT)) {
            const ws_slice s = text_at(p, cell.v);
            cell.text = p->text.p + s.at;
            cell.n = s.n;
        }
        rc = ws_cell_print(text, &cell, err);
        if (!rc) rc = put_u32(out, text->n - start, err);
    }
    return rc;
}

static int put_columns(const ws_pairs *p, size_t start, ws_buf *out, ws_buf *text, ws_err *err) {
    int rc = WS_OK;
    for (int k = 0; k < p->ncol && !rc; k++) {
        const column *c = &p->col[k];
        const ws_cellform form = form_of(c);
        if (form == WS_CELL_IMPLIED) continue;
        rc = form == WS_CELL_TEXT ? put_texts(p, c, out, text, err) : put_numbers(p, c, form, out, err);
        if (!rc) rc = put_eight(out, start, err);
    }
    return rc;
}

static int put_pairs(const ws_pairs *p, ws_buf *out, ws_err *err) {
    uint64_t v[PACK_NUMBERS] = {[PAIRS_BLOCK] = p->totals.blocks - 1, [PAIRS_N] = p->npair};
    ws_buf text = {0};
    int rc = put_zeros(out, PACK_FRAME, err);
    const size_t start = out->n;
    for (int k = 0; k < p->ncol && !rc; k++) {
        const uint8_t form =
            p->col[k].kind == WS_PAIRCOL_QUERY && is_narrow(p) ? PACK_QUERY16 : (uint8_t)form_of(&p->col[k]);
        rc = ws_buf_add(out, &form, sizeof form, err);
    }
    if (!rc) rc = put_eight(out, start, err);
    if (!rc) rc = ws_buf_add(out, p->count, p->open.n * sizeof *p->count, err);
    if (!rc) rc = put_eight(out, start, err);
    if (!rc) rc = put_query_numbers(p, out, err);
    if (!rc) rc = put_eight(out, start, err);
    if (!rc) rc = put_columns(p, start, out, &text, err);
    v[PAIRS_TABLE] = out->n - start;
    v[PAIRS_TEXT] = text.n;
    if (!rc) rc = ws_buf_add(out, text.p, text.n, err);
    if (!rc) rc = end_body(out, start, err);
    if (!rc) fill_frame(out, start, PACK_PAIRS, v);
    ws_buf_release(&text);
    return rc;
}

static void reuse(ws_pairs *p) {
    ws_batch_reuse(&p->open);
    p->npair = p->text.n = 0;
    for (int k = 0; k < p->ncol; k++) p->col[k].common = UINT_MAX;
}

/* Appends the open block, all of it or nothing. */
static int close_block(ws_pairs *p, ws_buf *out, ws_err *err) {
    const size_t before = out->n;
    if (p->open.n && !p->count[p->open.n - 1]) p->open.n--; /* a failure came between the sequence and its first pair */
    if (!p->open.n) return WS_OK;
    ws_batch with;
    int rc = put_queries(p, out, err);
    if (!rc) rc = ws_phrase_take_out(&p->phrase, &p->open, &with, err);
    if (!rc) rc = ws_packed_add(&p->block, &with, 0, with.n, NULL, NULL, err);
    if (!rc) rc = ws_packed_close(&p->block, p->phrase.p, p->phrase.n, out, &p->totals, err);
    if (!rc) rc = put_pairs(p, out, err);
    if (rc) out->n = before;
    p->pairs += p->npair;
    reuse(p);
    return rc;
}

/* ---- what comes in ---- */

int ws_pairs_query(ws_pairs *p, const ws_query *query, uint32_t *number, ws_err *err) {
    *number = ws_queries_find(p->queries, query->name, query->n);
    return *number == UINT32_MAX ? ws_queries_add(p->queries, query, number, err) : WS_OK;
}

int ws_pairs_seq(ws_pairs *p, ws_buf *out, const ws_batch *b, size_t i, ws_err *err) {
    int rc = WS_OK;
    const int full = ws_packed_is_full(&p->open) || p->open.nword >= WS_PACKED_PAIRS_WORDS ||
                     p->npair >= WS_PACKED_BLOCK_PAIRS || p->text.n >= WS_PACKED_BLOCK_TEXT;
    if (full) rc = close_block(p, out, err);
    if (!rc) rc = ws_grow(&p->count, &p->count_cap, p->open.n + 1, sizeof *p->count, err);
    if (rc) return rc;
    p->count[p->open.n] = 0;
    return ws_batch_copy_seq(&p->open, b, i, err);
}

/* Returns the number that an implied column would hold. */
static double implied(const ws_pairs *p, const column *c, uint32_t query) {
    return c->kind == WS_PAIRCOL_TLEN ? p->open.len[p->open.n - 1] : ws_queries_at(p->queries, query)->qlen;
}

static int add_cell(ws_pairs *p, column *c, const ws_cell *from, uint32_t query, ws_err *err) {
    const size_t i = p->npair;
    ws_cell cell = from->forms ? *from : ws_cell_parse(from->text, from->n);
    int rc = ws_grow(&c->forms, &c->forms_cap, i + 1, sizeof *c->forms, err);
    if (!rc) rc = ws_grow(&c->v, &c->v_cap, i + 1, sizeof *c->v, err);
    if (rc) return rc;
    if (c->kind != WS_PAIRCOL_DATA && cell.forms & WS_CELL_BIT(WS_CELL_INT64) && cell.v == implied(p, c, query))
        cell.forms |= WS_CELL_BIT(WS_CELL_IMPLIED);
    if (cell.forms == WS_CELL_BIT(WS_CELL_TEXT)) {
        const uint64_t at = p->text.n;
        memcpy(&cell.v, &at, sizeof at);
        rc = ws_buf_add(&p->text, &cell.n, sizeof cell.n, err);
        if (!rc) rc = ws_buf_add(&p->text, cell.text, cell.n, err);
    }
    c->forms[i] = (uint16_t)cell.forms;
    c->v[i] = cell.v;
    c->common &= cell.forms;
    return rc;
}

int ws_pairs_add(ws_pairs *p, uint32_t query, const ws_cell *cell, ws_err *err) {
    int rc = ws_grow(&p->query, &p->query_cap, p->npair + 1, sizeof *p->query, err);
    for (int k = 0; k < p->ncol && !rc; k++)
        if (ws_paircol_stored(p->col[k].kind)) rc = add_cell(p, &p->col[k], &cell[k], query, err);
    if (rc) return rc;
    p->query[p->npair++] = query;
    p->count[p->open.n - 1]++;
    return WS_OK;
}

int ws_pairs_end(ws_pairs *p, ws_buf *out, const ws_stream_size *size, ws_err *err) {
    const int rc = close_block(p, out, err);
    if (rc || !size) return rc;
    uint64_t v[PACK_NUMBERS] = {[END_BLOCKS] = p->totals.blocks, [END_SEQS] = p->totals.seqs,
                                [END_RESIDUES] = p->totals.residues, [END_PAIRS] = p->pairs};
    ws_ledger_to_frame(size, &v[END_IN], &v[END_IN_RESIDUES]);
    return ws_pack_frame(out, PACK_END, v, err);
}
