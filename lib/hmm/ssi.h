/* SPDX-License-Identifier: MIT
 * Indexes of Easel (SSI, version 3): where the model of a name or accession begins in a file. Source: specification
 * press.md, section 4. */
#ifndef WS_HMM_SSI_H
#define WS_HMM_SSI_H

#include "lib/base/mem.h"

/* A key in an index that is being made. */
typedef struct ws_ssi_key {
    size_t name, acc; /* of ws_ssi_list.text; acc SIZE_MAX: none */
    uint64_t at;
} ws_ssi_key;

/* The keys of an index. The user zero-initialises it and calls ws_ssi_list_release. */
typedef struct ws_ssi_list {
    ws_buf text;
    ws_ssi_key *key;
    size_t n, cap;
    size_t nacc; /* keys with an accession */
} ws_ssi_list;

/* Adds the model of a name, with an accession or NULL, which begins at byte `at`. WS_ENOMEM. */
int ws_ssi_add(ws_ssi_list *list, const char *name, const char *acc, uint64_t at, ws_err *err);
/* Appends the index of these keys over a file, by the path that the user gave. Returns WS_EDATA if a name, or an
 * accession, occurs twice; WS_ENOMEM. */
int ws_ssi_write(const ws_ssi_list *list, const char *path, ws_buf *out, ws_err *err);
void ws_ssi_list_release(ws_ssi_list *list);

/* An index in memory. */
typedef struct ws_ssi {
    ws_buf text;
    uint64_t nname, nacc;
    size_t namelen, acclen; /* bytes of a key, with the zero */
    size_t names, accs;     /* where the records begin */
    size_t offset;          /* bytes of an offset */
} ws_ssi;

/* Reads an index. Returns 1, or 0 if there is none that is whole: an index is a help, and nothing fails without one.
 * The caller calls ws_ssi_release. */
int ws_ssi_read(ws_ssi *x, const char *path);
void ws_ssi_release(ws_ssi *x);
/* Looks for a name, then for an accession. Returns 1 and sets *at, or returns 0. */
int ws_ssi_find(const ws_ssi *x, const char *key, uint64_t *at);

#endif
