/* SPDX-License-Identifier: MIT
 * The columns of a table that the packed stream knows by name. Internal to lib/stream. */
#ifndef WS_STREAM_PAIRCOLS_H
#define WS_STREAM_PAIRCOLS_H

#include <string.h>

typedef enum ws_paircol {
    WS_PAIRCOL_DATA,  /* stored with each pair */
    WS_PAIRCOL_QLEN,  /* the same unless the query says it */
    WS_PAIRCOL_TLEN,  /* ... the sequence */
    WS_PAIRCOL_QUERY, /* this one and those that follow are never stored and stand once in a table */
    WS_PAIRCOL_NAME,
    WS_PAIRCOL_SEQ,
    WS_PAIRCOL_QUAL,
    WS_PAIRCOL_DESC
} ws_paircol;

static inline int ws_paircol_stored(ws_paircol kind) { return kind < WS_PAIRCOL_QUERY; }

static inline ws_paircol ws_paircol_of(const char *name, size_t n) {
    static const struct {
        const char *name;
        ws_paircol kind;
    } known[] = {{"name", WS_PAIRCOL_NAME}, {"seq", WS_PAIRCOL_SEQ},     {"qual", WS_PAIRCOL_QUAL},
                 {"desc", WS_PAIRCOL_DESC}, {"query", WS_PAIRCOL_QUERY}, {"qlen", WS_PAIRCOL_QLEN},
                 {"tlen", WS_PAIRCOL_TLEN}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == n && !memcmp(known[i].name, name, n)) return known[i].kind;
    return WS_PAIRCOL_DATA;
}

#endif
