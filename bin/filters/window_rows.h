/* SPDX-License-Identifier: MIT
 * Windows as rows of a table: which columns say where a window is. The residues of a row are in the orientation of its
 * strand. Specification long-targets.md, section 16.1. */
#ifndef WS_FILTERS_WINDOW_ROWS_H
#define WS_FILTERS_WINDOW_ROWS_H

#include "kernels/long/search.h"
#include "lib/scan/scan.h"

enum { WS_LONG_FROM, WS_LONG_TO, WS_LONG_STRAND, WS_LONG_RECORD, WS_LONG_NCOLUMN };
extern const ws_col ws_long_column[WS_LONG_NCOLUMN]; /* from to strand record, as a tool writes them */

/* The columns of a table that is read. */
typedef struct ws_long_columns {
    int at[WS_LONG_NCOLUMN]; /* indices of pass-through columns */
} ws_long_columns;
/* Returns whether the table has all of them: then its rows are windows. Those that it lacks are -1. */
int ws_long_columns_find(ws_long_columns *c, const ws_tsv_head *head);

typedef struct ws_long_row {
    ws_long_place place; /* its record is not set */
    uint64_t record;     /* number of its record in the input of the first stage, from 1 */
} ws_long_row;
/* Takes what a row says. WS_EDATA if that is no window of as many residues as the row has. */
int ws_long_row_read(ws_long_row *r, const ws_long_columns *c, const ws_batch *b, const ws_row *row, ws_err *err);

/* Sets value[0..WS_LONG_NCOLUMN) to what a window of len residues says. */
void ws_long_row_values(double *value, const ws_long_place *p, uint32_t len, uint64_t record);

#endif
