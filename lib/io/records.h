/* SPDX-License-Identifier: MIT
 * The lengths of records by their names: what the "##record" lines of a table of windows say (man/warpsieve-tsv.5). */
#ifndef WS_IO_RECORDS_H
#define WS_IO_RECORDS_H

#include "lib/io/queries.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero-initialise; release at the end. Records have numbers from 0 on, in the order in which their names came. */
typedef struct ws_records {
    ws_queries *names; /* NULL: none */
    uint64_t *length;  /* the largest that was given; 0: not known */
    size_t cap;
    uint32_t differs;  /* 1 + the number of the first record that was given two lengths; 0: none was */
} ws_records;
void ws_records_release(ws_records *r);

/* Finds or adds a record and raises its length to `length` residues. *number may be NULL. WS_ENOMEM. */
int ws_records_add(ws_records *r, const char *name, size_t n, uint64_t length, uint32_t *number, ws_err *err);
size_t ws_records_count(const ws_records *r);
/* Returns the name of a record. */
const ws_query *ws_records_name(const ws_records *r, uint32_t number);
/* Returns the length of the record of that name, 0 if it is not known. */
uint64_t ws_records_length(const ws_records *r, const char *name, size_t n);

/* Returns whether a "##" line of n bytes, without its line feed, is one of a record or looks like one. */
int ws_records_is_line(const char *line, size_t n);
/* Adds what such a line says. Returns WS_EDATA without a sentence if it says no name or no length from 1 on; WS_ENOMEM. */
int ws_records_take_line(ws_records *r, const char *line, size_t n, ws_err *err);
/* Appends the line of a record, unless its length is 0. WS_ENOMEM. */
int ws_records_put_line(ws_buf *out, const ws_query *name, uint64_t length, ws_err *err);
/* The same for all records. */
int ws_records_put_lines(ws_buf *out, const ws_records *r, ws_err *err);

#ifdef __cplusplus
}
#endif
#endif
