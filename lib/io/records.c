/* SPDX-License-Identifier: MIT
 * Records by name, and their lines: "##record", a tab, the name, a tab, the length in residues. */
#include "lib/io/records.h"

#include <string.h>

static const char word[] = "##record";
enum { WORD = sizeof word - 1, DIGITS_MOST = 19 /* of a length, which has 64 bits */ };

void ws_records_release(ws_records *r) {
    ws_queries_destroy(r->names);
    ws_free(r->length);
    *r = (ws_records){0};
}

int ws_records_add(ws_records *r, const char *name, size_t n, uint64_t length, uint32_t *number, ws_err *err) {
    const ws_query q = {.name = name, .n = n};
    uint32_t at;
    int rc = r->names ? WS_OK : ws_queries_create(&r->names, err);
    const size_t had = rc ? 0 : ws_queries_count(r->names);
    if (!rc) rc = ws_grow(&r->length, &r->cap, had + 1, sizeof *r->length, err);
    if (!rc) rc = ws_queries_add(r->names, &q, &at, err);
    if (rc) return rc;
    if (at == had) r->length[at] = 0;
    if (r->length[at] && length && r->length[at] != length && !r->differs) r->differs = at + 1;
    r->length[at] = ws_max(r->length[at], length);
    if (number) *number = at;
    return WS_OK;
}

size_t ws_records_count(const ws_records *r) { return r->names ? ws_queries_count(r->names) : 0; }

const ws_query *ws_records_name(const ws_records *r, uint32_t number) { return ws_queries_at(r->names, number); }

uint64_t ws_records_length(const ws_records *r, const char *name, size_t n) {
    const uint32_t at = r->names ? ws_queries_find(r->names, name, n) : UINT32_MAX;
    return at == UINT32_MAX ? 0 : r->length[at];
}

/* ---- lines ---- */

int ws_records_is_line(const char *line, size_t n) {
    return n >= WORD && !memcmp(line, word, WORD) && (n == WORD || line[WORD] == '\t' || line[WORD] == ' ');
}

/* Returns the number that all of p[0..n) is; 0 if it is none from 1 on. */
static uint64_t number_of(const char *p, size_t n) {
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i] < '0' || p[i] > '9') return 0;
        v = 10 * v + (uint64_t)(p[i] - '0');
    }
    return n <= DIGITS_MOST ? v : 0;
}

int ws_records_take_line(ws_records *r, const char *line, size_t n, ws_err *err) {
    const char *name = line + ws_min(n, WORD + 1), *end = line + n, *tab = memchr(name, '\t', (size_t)(end - name));
    const uint64_t length = tab ? number_of(tab + 1, (size_t)(end - tab) - 1) : 0;
    if (length == 0 || tab == name || line[WORD] != '\t') return WS_EDATA;
    return ws_records_add(r, name, (size_t)(tab - name), length, NULL, err);
}

int ws_records_put_line(ws_buf *out, const ws_query *name, uint64_t length, ws_err *err) {
    const size_t before = out->n;
    if (length == 0) return WS_OK;
    int rc = ws_buf_addf(out, err, "%s\t", word);
    if (!rc) rc = ws_buf_add(out, name->name, name->n, err);
    if (!rc) rc = ws_buf_addf(out, err, "\t%llu\n", (unsigned long long)length);
    if (rc) out->n = before;
    return rc;
}

int ws_records_put_lines(ws_buf *out, const ws_records *r, ws_err *err) {
    int rc = WS_OK;
    for (size_t i = 0; i < ws_records_count(r) && !rc; i++)
        rc = ws_records_put_line(out, ws_records_name(r, (uint32_t)i), r->length[i], err);
    return rc;
}
