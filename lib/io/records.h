/* SPDX-License-Identifier: MIT
 * The lengths of records: what the "##record" lines of a table of windows say (man/warpsieve-tsv.5). A record is known
 * by its name and its number in the input of the first stage, from 1. */
#ifndef WS_IO_RECORDS_H
#define WS_IO_RECORDS_H

#include "lib/io/queries.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero-initialise; release at the end. Entries are in the order in which they were added. */
typedef struct ws_records {
    ws_queries *names; /* the number of a record in place of a model's hash; NULL: none */
    uint64_t *length;  /* 0: not known */
    size_t cap;
} ws_records;
void ws_records_release(ws_records *r);

/* A record. */
typedef struct ws_record {
    const char *name; /* n bytes */
    size_t n;
    uint64_t number;
} ws_record;

/* Finds or adds a record and raises its length to `length` residues. *entry may be NULL. WS_ENOMEM. */
int ws_records_add(ws_records *r, const ws_record *record, uint64_t length, uint32_t *entry, ws_err *err);
size_t ws_records_count(const ws_records *r);
ws_record ws_records_at(const ws_records *r, uint32_t entry);
/* Returns the length of a record, 0 if it is not known. */
uint64_t ws_records_length(const ws_records *r, const ws_record *record);

/* Returns whether a "##" line of n bytes, without its line feed, is one of a record or looks like one. */
int ws_records_is_line(const char *line, size_t n);
/* Adds what such a line says. Returns WS_EDATA without a sentence if the line is none, or gives another length than a
 * line before it; *what says which. WS_ENOMEM. */
int ws_records_take_line(ws_records *r, const char *line, size_t n, const char **what, ws_err *err);
/* Appends the line of a record, unless its length is 0. WS_ENOMEM. */
int ws_records_put_line(ws_buf *out, const ws_record *record, uint64_t length, ws_err *err);
/* Does the same for all records. */
int ws_records_put_lines(ws_buf *out, const ws_records *r, ws_err *err);

#ifdef __cplusplus
}
#endif
#endif
