/* SPDX-License-Identifier: MIT
 * The output forms of pairhmm. */
#ifndef WS_LIKELIHOODS_FORMAT_H
#define WS_LIKELIHOODS_FORMAT_H

#include "kernels/pairhmm/pairhmm.h"
#include "lib/base/fields.h"
#include "lib/run/tool.h"

enum { WS_PAIRHMM_COLUMNS = 32, WS_PAIRHMM_DIGITS_MAX = 12 };

typedef struct ws_pairhmm_style {
    int matrix, decimals;
    int column[WS_PAIRHMM_COLUMNS], ncolumn; /* of the table: indices into ws_pairhmm_columns */
} ws_pairhmm_style;

/* Returns the names of the columns for input of format f; with `raw` also that of the precision. */
ws_names ws_pairhmm_columns(ws_pairhmm_format f, int raw);
/* The same for --help. */
extern const ws_names ws_pairhmm_help_columns;

/* Appends the rows of all regions of t, in order, to out. first_pair: number of the first pair of results text.
 * Returns WS_ENOMEM on failure. */
int ws_pairhmm_write(const ws_pairhmm_style *style, ws_pairhmm_format f, uint64_t first_pair, const ws_pairhmm_text *t,
                     const ws_pairhmm_result *result, ws_outtext *out, ws_err *err);

#endif
