/* SPDX-License-Identifier: MIT
 * The queries of a stream of pairs: their names, numbered in the order of their first pair. */
#ifndef WS_STREAM_QUERIES_H
#define WS_STREAM_QUERIES_H

#include "lib/base/mem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ws_query {
    const char *name; /* n bytes and a NUL */
    size_t n;
    uint32_t qlen;    /* positions of the model; 0: not known */
    uint64_t hash;    /* of the model, ws_hmm_hash; 0: not known */
} ws_query;

typedef struct ws_queries ws_queries;

int ws_queries_create(ws_queries **out, ws_err *err); /* WS_ENOMEM; *out is NULL then */
void ws_queries_destroy(ws_queries *q);               /* NULL is legal */

/* Finds the number of the query of that name, qlen and hash, and adds the query if it is new. WS_ENOMEM. */
int ws_queries_add(ws_queries *q, const ws_query *query, uint32_t *number, ws_err *err);

/* Returns the number of the first query of that name, UINT32_MAX if there is none. */
uint32_t ws_queries_find(const ws_queries *q, const char *name, size_t n);

size_t ws_queries_count(const ws_queries *q);

/* Returns the query of a number below the count. It stays where it is, so threads may ask for it while others add
 * queries. */
ws_query *ws_queries_at(const ws_queries *q, uint32_t number);

#ifdef __cplusplus
}
#endif
#endif
