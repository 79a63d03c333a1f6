/* SPDX-License-Identifier: MIT
 * What all tables have: the line of names, and the choice of columns by --fields. */
#ifndef WS_RUN_TABLE_H
#define WS_RUN_TABLE_H

#include "lib/run/job.h"

/* Appends the line with the names of n columns, as --header says; nothing for --header none. */
int ws_table_head(const ws_job *job, const char *const *name, int n, ws_buf *out, ws_err *err);

/* Returns how many columns a list "name,tlen" names: room that ws_table_choose needs. */
int ws_table_count(const char *list);

/* Sets pick[0..*npick) to the indices in name[0..n) of the columns that the list names, in its order; NULL: all n. Two of one name are the
 * first. WS_EUSAGE if there is no such column, or if they are more than `room`. */
int ws_table_choose(const char *list, const char *const *name, int n, int *pick, int room, int *npick, ws_err *err);

/* Appends the "##end" line of so many rows; nothing with --no-provenance. counts: what stands behind, " in=1 residues=2", or "". */
int ws_table_end(const ws_job *job, uint64_t rows, const char *counts, ws_buf *out, ws_err *err);

#endif
