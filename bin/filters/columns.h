/* SPDX-License-Identifier: MIT
 * Columns of the filters. Each filter has a table of its own: the tool writes these columns, and --help lists them.
 * A new column is an entry in a filter's file, and a function here if none gives its value. */
#ifndef WS_FILTERS_COLUMNS_H
#define WS_FILTERS_COLUMNS_H

#include "lib/base/fields.h"
#include "lib/scan/scan.h"

/* Results of a filter for a pair or a window. */
typedef struct ws_filter_values {
    float bits, bias_bits; /* bits: INFINITY where the score exceeds the range of its integers */
    double p, z;           /* z: sequences in the database, NaN if -Z does not say */
} ws_filter_values;

typedef double ws_filter_value(const ws_filter_values *v);
ws_filter_value ws_filtercol_bits, ws_filtercol_bias, ws_filtercol_p, ws_filtercol_evalue, ws_filtercol_saturated;

enum {
    WS_FILTER_IF_ABSENT = 1, /* written only if the table that was read lacks it */
    WS_FILTER_ON_DEMAND = 2, /* written only if -f names it too; stands behind WS_FILTER_ACCESSION */
    WS_FILTER_NEEDS_BIAS = 4 /* absent with --nobias */
};
typedef struct ws_filtercol {
    const char *name;
    ws_coltype type;
    ws_filter_value *value; /* NULL: the column is one of lib/scan's, and --help names it here */
    unsigned flags;
} ws_filtercol;

/* The accession of the query, which lib/scan writes on demand, in the place where --help names it. */
#define WS_FILTER_ACCESSION {.name = "query_accession"}

/* Adds a filter's columns after those that the scan has. */
void ws_filtercol_add(ws_scan *scan, const ws_names *columns, int nobias);
/* Sets the values of the columns that were added, from h->value[first] on. */
void ws_filtercol_set(const ws_names *columns, int nobias, const ws_filter_values *v, double *value);
/* Returns where the column with this value is among those that were added. */
int ws_filtercol_find(const ws_names *columns, int nobias, ws_filter_value *value);

#endif
