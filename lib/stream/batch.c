/* SPDX-License-Identifier: MIT
 * The batch: see lib/stream/batch.h. */
#include "lib/stream/batch.h"

#include "lib/stream/paircols.h"
#include "lib/stream/policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Codecs write up to 16 words after the last and read as many. */
enum { WORD_SLACK = 16 };

void ws_batch_reuse(ws_batch *b) {
    b->number = 0;
    b->nword = b->n = b->nrow = b->text.n = 0;
    b->has_rows = 0;
    b->nblock = b->raw.n = 0;
    b->residues = 0;
}

void ws_batch_release(ws_batch *b) {
    ws_free(b->word);
    ws_free(b->first);
    ws_free(b->len);
    ws_free(b->seqtext);
    ws_free(b->row);
    ws_buf_release(&b->text);
    ws_free(b->col);
    ws_buf_release(&b->raw);
    *b = (ws_batch){0};
}

int ws_batch_reserve_words(ws_batch *b, size_t words, ws_err *err) {
    size_t need;
    if (__builtin_add_overflow(b->nword, words, &need) || need > SIZE_MAX - WORD_SLACK)
        return ws_fail_nomem(err, SIZE_MAX);
    need += WORD_SLACK;
    return need <= b->word_cap ? WS_OK : ws_grow(&b->word, &b->word_cap, need, sizeof *b->word, err);
}

int ws_batch_make_room(ws_batch *b, size_t seqs, size_t words, size_t text, ws_err *err) {
    int rc = ws_batch_reserve_words(b, words, err);
    if (!rc) rc = ws_grow(&b->first, &b->first_cap, b->n + seqs, sizeof *b->first, err);
    if (!rc) rc = ws_grow(&b->len, &b->len_cap, b->n + seqs, sizeof *b->len, err);
    if (!rc) rc = ws_grow(&b->seqtext, &b->seqtext_cap, b->n + seqs, sizeof *b->seqtext, err);
    return rc ? rc : ws_buf_reserve(&b->text, text, err);
}

int ws_batch_expect(ws_batch *b, uint64_t residues, ws_err *err) {
    const ws_stream_room room = ws_stream_expect(residues);
    return ws_batch_make_room(b, room.seqs, room.residues / WS_RESIDUES_PER_WORD + room.seqs, room.text, err);
}

int ws_batch_add_text(ws_batch *b, const char *p, size_t n, ws_err *err) { return ws_buf_add(&b->text, p, n, err); }

int ws_batch_add_seq(ws_batch *b, uint64_t first, uint32_t len, const ws_seqtext *t, ws_err *err) {
    const size_t need = b->n + 1;
    if (need > b->first_cap && ws_grow(&b->first, &b->first_cap, need, sizeof *b->first, err)) return WS_ENOMEM;
    if (need > b->len_cap && ws_grow(&b->len, &b->len_cap, need, sizeof *b->len, err)) return WS_ENOMEM;
    if (need > b->seqtext_cap && ws_grow(&b->seqtext, &b->seqtext_cap, need, sizeof *b->seqtext, err)) return WS_ENOMEM;
    b->first[b->n] = first;
    b->len[b->n] = len;
    b->seqtext[b->n] = *t;
    b->n = need;
    b->nword = ws_max(b->nword, (size_t)first + ws_batch_words(len));
    b->residues += len;
    return WS_OK;
}

static ws_slice copy_text(ws_batch *to, const ws_batch *from, ws_slice s) {
    const ws_slice copy = {to->text.n, s.n};
    if (s.n) memcpy(to->text.p + to->text.n, ws_batch_text(from, s), s.n);
    to->text.n += s.n;
    return copy;
}

int ws_batch_copy_seq(ws_batch *to, const ws_batch *from, size_t i, ws_err *err) {
    const ws_seqtext *t = &from->seqtext[i];
    const size_t words = ws_batch_words(from->len[i]);
    int rc = ws_buf_reserve(&to->text, t->name.n + t->desc.n + t->qual.n + t->acc.n, err);
    if (!rc) rc = ws_batch_reserve_words(to, words, err);
    if (rc) return rc;
    if (words) memcpy(to->word + to->nword, from->word + from->first[i], words * sizeof *to->word);
    ws_seqtext copy = {.at = t->at, .old = t->old, .more = t->more};
    copy.name = copy_text(to, from, t->name);
    copy.desc = copy_text(to, from, t->desc);
    copy.qual = copy_text(to, from, t->qual);
    copy.acc = copy_text(to, from, t->acc);
    return ws_batch_add_seq(to, to->nword, from->len[i], &copy, err);
}

int ws_batch_add_row(ws_batch *b, const ws_row *row, ws_err *err) {
    int rc = ws_grow(&b->row, &b->row_cap, b->nrow + 1, sizeof *b->row, err);
    if (rc) return rc;
    b->row[b->nrow++] = *row;
    return WS_OK;
}

static ws_cell text_cell(const char *p, size_t n) { return (ws_cell){.text = p, .n = n}; }

static ws_cell table_cell(const ws_batch *b, const ws_row *row, int index, ws_rowplace *place) {
    const char *p = ws_batch_text(b, row->rest), *end = p + row->rest.n;
    int at = 0;
    if (place->at && place->index <= index) {
        p = place->at;
        at = place->index;
    }
    for (; at < index; at++) p = (const char *)memchr(p, '\t', (size_t)(end - p)) + 1;
    const char *tab = memchr(p, '\t', (size_t)(end - p));
    *place = (ws_rowplace){p, index};
    return text_cell(p, (size_t)((tab ? tab : end) - p));
}

static ws_cell implied_cell(const ws_batch *b, const ws_row *row, ws_paircol kind) {
    const ws_query *q = ws_queries_at(b->queries, row->number);
    if (kind == WS_PAIRCOL_QUERY) return text_cell(q->name, q->n);
    return ws_cell_number(WS_COL_COUNT, kind == WS_PAIRCOL_TLEN ? b->len[row->seq] : q->qlen);
}

static const ws_blockcol *column_of(const ws_batch *b, const ws_row *row, int index) {
    return row->number == UINT32_MAX ? NULL : &b->col[row->block * b->ncolumn + (size_t)index];
}

ws_cell ws_row_cell(const ws_batch *b, const ws_row *row, int index) {
    return ws_row_cell_behind(b, row, index, &(ws_rowplace){0});
}

ws_cell ws_row_cell_behind(const ws_batch *b, const ws_row *row, int index, ws_rowplace *place) {
    const ws_blockcol *c = column_of(b, row, index);
    if (!c) return table_cell(b, row, index, place);
    const ws_cellform form = (ws_cellform)c->form;
    if (form == WS_CELL_IMPLIED) return implied_cell(b, row, (ws_paircol)c->kind);
    if (form != WS_CELL_TEXT) return ws_cell_stored(form, ws_cellform_load(form, b->raw.p + c->data, row->place));
    uint32_t end[2] = {0, 0};
    if (row->place) memcpy(end, b->raw.p + c->data + 4 * ((size_t)row->place - 1), sizeof end);
    else memcpy(&end[1], b->raw.p + c->data, sizeof end[1]);
    return text_cell(b->raw.p + c->text + end[0], end[1] - end[0]);
}

float ws_row_exact(const ws_batch *b, const ws_row *row, int index) {
    const ws_blockcol *c = column_of(b, row, index);
    return c && c->form == WS_CELL_EXACT32 ? (float)ws_cellform_load(WS_CELL_EXACT32, b->raw.p + c->data, row->place)
                                           : NAN;
}

void ws_row_fetch(const ws_batch *b, const ws_row *row, int index) {
    const ws_blockcol *c = column_of(b, row, index);
    if (c && c->form == WS_CELL_EXACT32)
        __builtin_prefetch(b->raw.p + c->data + ws_cellform_width(WS_CELL_EXACT32) * row->place);
}

double ws_row_number(const ws_batch *b, const ws_row *row, int index) {
    const ws_blockcol *stored = column_of(b, row, index);
    if (stored && stored->form != WS_CELL_IMPLIED && stored->form != WS_CELL_TEXT)
        return ws_cellform_load((ws_cellform)stored->form, b->raw.p + stored->data, row->place);
    ws_cell c = ws_row_cell(b, row, index);
    char text[32], *end;
    if (c.forms) return c.v;
    if (c.n == 0 || c.n >= sizeof text) return NAN;
    memcpy(text, c.text, c.n);
    text[c.n] = '\0';
    const double v = strtod(text, &end);
    return end == text + c.n ? v : NAN;
}
