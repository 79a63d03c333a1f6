/* SPDX-License-Identifier: MIT
 * The state of the table parser, shared by its two halves: rows (tsv.c) and header and "##" lines (tsvhead.c).
 * Internal. */
#ifndef WS_FORMATS_TSV_H
#define WS_FORMATS_TSV_H

#include "lib/formats/parser.h"

typedef enum tsv_kind { TSV_NAME, TSV_SEQ, TSV_QUAL, TSV_DESC, TSV_REST, TSV_DROP } tsv_kind;

typedef struct tsv {
    enum { LINE_START, COLLECT, MATCH, ROW } state;

    /* the header; the same for all inputs */
    ws_buf header;      /* its line, without '#' */
    uint8_t *kind;      /* tsv_kind of each column */
    size_t ncol, query; /* query: its column, or SIZE_MAX */

    /* this input */
    int hash;               /* its first header began with '#' */
    int headers, pg1, ends; /* header lines, "pg=1" lines, "##end" lines seen in it */
    enum { CLOSED, BEGUN, OPEN } table; /* BEGUN: by its "pg=1" line; OPEN: its header or a row has come */
    int sorted; /* an end came first: the lines were sorted, and only their numbers say what is whole */
    int owed;               /* "pg=1" lines before the last header: as many ends must stand before the next one */
    uint64_t rows, before;  /* rows read in it; those before the last header or end */
    uint64_t letters;       /* residues of these rows */
    uint64_t in, told;      /* sums of what its "##end" lines say: sequences that were searched, and rows */
    int counted;            /* all of them had counts */
    ws_buf line;            /* a line that is needed whole: COLLECT */
    size_t matched;         /* bytes that agree with the header, one more if a CR follows: MATCH */

    /* this row; its name, description, quality and residues are in ws_parse */
    size_t col;
    size_t nrest; /* columns in rest */
    size_t field; /* where the text of the field begins */
    ws_buf rest;
    ws_slice query_text; /* in rest */
    ws_err fault;        /* of its residues: told at its end, since fields that are shifted are what is wrong then */

    uint64_t first_query; /* hash of the query of the open sequence's first row */
} tsv;

/* Takes a complete header line without '#': learns the columns, or compares them with those known. */
int ws_tsv_header(tsv *t, ws_parse *s, const char *p, size_t n, ws_err *err);

/* Takes note of a header behind others: the table before it must have had its end. WS_EDATA without it. */
int ws_tsv_next_table(tsv *t, ws_parse *s, ws_err *err);

/* Takes a complete "##" line. */
int ws_tsv_meta(tsv *t, ws_parse *s, const char *p, size_t n, ws_err *err);

/* Returns whether the first line of a table stands in p[0..n): the text before it was cut, and another table joined. */
int ws_tsv_holds_stage(const char *p, size_t n);

/* Compares what the "##end" lines of an input said together with its rows, and returns WS_EDATA if they differ. */
int ws_tsv_check_counts(const tsv *t, const ws_parse *s, ws_err *err);

#endif
