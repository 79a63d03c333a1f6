/* SPDX-License-Identifier: MIT
 * Records and their lines: "##record", the name, the length in residues, the number, with tabs between them. */
#include "lib/io/records.h"

#include <string.h>

static const char word[] = "##record";
enum { WORD = sizeof word - 1, DIGITS_MOST = 19 /* of a number of 64 bits that is sure to fit */ };

void ws_records_release(ws_records *r) {
    ws_queries_destroy(r->names);
    ws_free(r->length);
    *r = (ws_records){0};
}

static ws_query query_of(const ws_record *record) {
    return (ws_query){.name = record->name, .n = record->n, .hash = record->number};
}

int ws_records_add(ws_records *r, const ws_record *record, uint64_t length, uint32_t *entry, ws_err *err) {
    const ws_query q = query_of(record);
    uint32_t at;
    int rc = r->names ? WS_OK : ws_queries_create(&r->names, err);
    const size_t had = rc ? 0 : ws_queries_count(r->names);
    if (!rc) rc = ws_grow(&r->length, &r->cap, had + 1, sizeof *r->length, err);
    if (!rc) rc = ws_queries_add(r->names, &q, &at, err);
    if (rc) return rc;
    if (at == had) r->length[at] = 0;
    r->length[at] = ws_max(r->length[at], length);
    if (entry) *entry = at;
    return WS_OK;
}

size_t ws_records_count(const ws_records *r) { return r->names ? ws_queries_count(r->names) : 0; }

ws_record ws_records_at(const ws_records *r, uint32_t entry) {
    const ws_query *q = ws_queries_at(r->names, entry);
    return (ws_record){q->name, q->n, q->hash};
}

uint64_t ws_records_length(const ws_records *r, const ws_record *record) {
    const ws_query q = query_of(record);
    const uint32_t at = r->names ? ws_queries_find_whole(r->names, &q) : UINT32_MAX;
    return at == UINT32_MAX ? 0 : r->length[at];
}

/* ---- lines ---- */

int ws_records_is_line(const char *line, size_t n) {
    return n >= WORD && !memcmp(line, word, WORD) && (n == WORD || line[WORD] == '\t' || line[WORD] == ' ');
}

/* Returns the number that all of from..to is; 0 if it is none from 1 on. */
static uint64_t number_of(const char *from, const char *to) {
    uint64_t v = 0;
    if (to - from > DIGITS_MOST) return 0;
    for (const char *p = from; p < to; p++) {
        if (*p < '0' || *p > '9') return 0;
        v = 10 * v + (uint64_t)(*p - '0');
    }
    return v;
}

static const char *tab_behind(const char *p, const char *end) {
    const char *tab = p < end ? memchr(p, '\t', (size_t)(end - p)) : NULL;
    return tab ? tab : end;
}

int ws_records_take_line(ws_records *r, const char *line, size_t n, const char **what, ws_err *err) {
    const char *end = line + n, *name = tab_behind(line, end) + 1, *length = tab_behind(name, end) + 1;
    const char *number = tab_behind(length, end) + 1;
    *what = "is not ##record, a name, a length and a number with tabs between them";
    if (number >= end || name != line + WORD + 1 || length == name + 1) return WS_EDATA;
    const ws_record record = {name, (size_t)(length - name) - 1, number_of(number, end)};
    const uint64_t residues = number_of(length, number - 1), before = ws_records_length(r, &record);
    if (record.number == 0 || residues == 0) return WS_EDATA;
    *what = "gives a record another length than a line before it; tables of different inputs are no one table";
    return before && before != residues ? WS_EDATA : ws_records_add(r, &record, residues, NULL, err);
}

int ws_records_put_line(ws_buf *out, const ws_record *record, uint64_t length, ws_err *err) {
    const size_t before = out->n;
    if (length == 0) return WS_OK;
    int rc = ws_buf_addf(out, err, "%s\t", word);
    if (!rc) rc = ws_buf_add(out, record->name, record->n, err);
    if (!rc)
        rc = ws_buf_addf(out, err, "\t%llu\t%llu\n", (unsigned long long)length, (unsigned long long)record->number);
    if (rc) out->n = before;
    return rc;
}

int ws_records_put_lines(ws_buf *out, const ws_records *r, ws_err *err) {
    int rc = WS_OK;
    for (size_t i = 0; i < ws_records_count(r) && !rc; i++) {
        const ws_record record = ws_records_at(r, (uint32_t)i);
        rc = ws_records_put_line(out, &record, r->length[i], err);
    }
    return rc;
}
