/* SPDX-License-Identifier: MIT
 * Queries by number and by name: pages that never move, and an open hash table over XXH3 of the names. */
#include "lib/stream/queries.h"

#include <string.h>
#include <xxhash.h>

enum { PAGE = 256, NPAGE = 24 }; /* page k holds PAGE << k queries */

struct ws_queries {
    ws_query *page[NPAGE];
    size_t n;
    uint32_t *entry; /* number + 1; 0: empty */
    size_t nslot;   /* a power of two, at least twice n */
};

int ws_queries_create(ws_queries **out, ws_err *err) {
    *out = ws_calloc(1, sizeof **out, err);
    return *out ? WS_OK : err->code;
}

void ws_queries_destroy(ws_queries *q) {
    if (!q) return;
    for (size_t i = 0; i < q->n; i++) {
        char *name;
        memcpy(&name, &ws_queries_at(q, (uint32_t)i)->name, sizeof name);
        ws_free(name);
    }
    for (int k = 0; k < NPAGE; k++) ws_free(q->page[k]);
    ws_free(q->entry);
    ws_free(q);
}

size_t ws_queries_count(const ws_queries *q) { return q->n; }

/* Returns a query by its number. Page k begins at number PAGE * (2^k - 1). */
ws_query *ws_queries_at(const ws_queries *q, uint32_t number) {
    const uint64_t x = (uint64_t)number / PAGE + 1;
    const int k = 63 - __builtin_clzll(x);
    return &q->page[k][number - PAGE * ((UINT64_C(1) << k) - 1)];
}

/* Returns the place where a query is, or would be added; without `whole`, of the first one of its name. */
static uint32_t *find_slot(const ws_queries *q, const ws_query *x, int whole) {
    size_t h = (size_t)XXH3_64bits(x->name, x->n) & (q->nslot - 1);
    for (;; h = (h + 1) & (q->nslot - 1)) {
        uint32_t *s = &q->entry[h];
        if (*s == 0) return s;
        const ws_query *have = ws_queries_at(q, *s - 1);
        if (have->n != x->n || memcmp(have->name, x->name, x->n) != 0) continue;
        if (!whole || (have->qlen == x->qlen && have->hash == x->hash)) return s;
    }
}

uint32_t ws_queries_find(const ws_queries *q, const char *name, size_t n) {
    const ws_query x = {.name = name, .n = n};
    const uint32_t s = q->nslot ? *find_slot(q, &x, 0) : 0;
    return s == 0 ? UINT32_MAX : s - 1;
}

static int widen(ws_queries *q, ws_err *err) {
    if (q->nslot >= 2 * (q->n + 1)) return WS_OK;
    const size_t n = q->nslot ? 2 * q->nslot : 2 * PAGE;
    uint32_t *entry = ws_calloc(n, sizeof *entry, err);
    if (!entry) return err->code;
    ws_free(q->entry);
    q->entry = entry;
    q->nslot = n;
    for (size_t i = 0; i < q->n; i++) *find_slot(q, ws_queries_at(q, (uint32_t)i), 1) = (uint32_t)i + 1;
    return WS_OK;
}

int ws_queries_add(ws_queries *q, const ws_query *query, uint32_t *number, ws_err *err) {
    int rc = widen(q, err);
    if (rc) return rc;
    uint32_t *s = find_slot(q, query, 1);
    *number = *s ? *s - 1 : (uint32_t)q->n;
    if (*s) return WS_OK;
    const int k = 63 - __builtin_clzll((uint64_t)q->n / PAGE + 1);
    if (k >= NPAGE) return ws_fail_nomem(err, SIZE_MAX);
    if (!q->page[k] && !(q->page[k] = ws_calloc((size_t)PAGE << k, sizeof(ws_query), err))) return err->code;
    char *name = ws_strndup(query->name, query->n, err);
    if (!name) return err->code;
    *ws_queries_at(q, *number) = (ws_query){name, query->n, query->qlen, query->hash};
    *s = *number + 1;
    q->n++;
    return WS_OK;
}
