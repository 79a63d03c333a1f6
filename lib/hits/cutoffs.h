/* SPDX-License-Identifier: MIT
 * A table with cutoffs of models, beside the models: the form of --cutoffs, and the sheets of KofamScan and PADLOC. */
#ifndef WS_HITS_CUTOFFS_H
#define WS_HITS_CUTOFFS_H

#include "lib/base/mem.h"
#include "lib/base/ws.h"

/* Cells of a row. A score must be at least, an E-value at most, a share at least the cutoff. */
typedef enum ws_cutoff_cell {
    WS_CUTOFF_BITS, WS_CUTOFF_DOM_BITS, WS_CUTOFF_EVALUE, WS_CUTOFF_I_EVALUE, WS_CUTOFF_HMM_COV, WS_CUTOFF_TARGET_COV,
    WS_CUTOFF_CELLS
} ws_cutoff_cell;

typedef struct ws_cutoff_row {
    const char *model;
    size_t line;
    double cell[WS_CUTOFF_CELLS]; /* NaN: empty */
} ws_cutoff_row;

typedef struct ws_cutoffs {
    const char *path;
    char *text;          /* holds the names */
    ws_cutoff_row *row;  /* in the order of the names */
    size_t n, cap;
    ws_cutoff_row other; /* of models without a row; its model is NULL: there is no such row */
    int needs_domain;    /* KofamScan's: a score of domains decides about the sequence */
    int as_padloc;       /* PADLOC's: see ws_domain_limits */
} ws_cutoffs;

/* Reads a table. The path stays the caller's, and is needed for messages. WS_EIO, and WS_EDATA with file and line.
 * The caller releases the table in any case. */
int ws_cutoffs_read(ws_cutoffs *c, const char *path, ws_err *err);
/* The same, of n bytes and a NUL, which it may take over and change: it frees them with ws_free. */
int ws_cutoffs_parse(ws_cutoffs *c, const char *path, char *text, size_t n, ws_err *err);
void ws_cutoffs_release(ws_cutoffs *c);

/* Returns the row of a model, or that of all others. NULL and WS_EDATA if there is none. */
const ws_cutoff_row *ws_cutoffs_find(const ws_cutoffs *c, const char *model, ws_err *err);

#endif
