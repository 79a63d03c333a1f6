/* SPDX-License-Identifier: MIT
 * The lines that all tables have: that of names, and that at the end. */
#ifndef WS_RUN_TABLE_H
#define WS_RUN_TABLE_H

#include "lib/run/job.h"

/* Appends the line with the names of n columns, as --header says; nothing for --header none. pick: their places in
 * `all`; NULL: the first n. */
int ws_table_head(const ws_job *job, const ws_names *all, const int *pick, int n, ws_buf *out, ws_err *err);

/* Appends the "##end" line of so many rows of a table that no stage reads; nothing with --no-provenance. */
int ws_table_end(const ws_job *job, uint64_t rows, ws_buf *out, ws_err *err);

#endif
