/* SPDX-License-Identifier: MIT
 * One field of a table as a number: the forms in which numbers are printed and stored, and which of them give a text
 * back. */
#ifndef WS_STREAM_CELL_H
#define WS_STREAM_CELL_H

#include "lib/base/mem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The forms of a column of a block of pairs (man/warpsieve-packed.5). 32 and 64 are bits of an integer or of an IEEE
 * 754 number, 24 those of its printed form. */
typedef enum ws_cellform {
    WS_CELL_IMPLIED,   /* not stored: the sequence or the query says it */
    WS_CELL_STRAND,    /* + or - */
    WS_CELL_INT32,     /* %d */
    WS_CELL_EXACT32,   /* %.4f of the number that a tool computed; the other numbers may have been printed before */
    WS_CELL_FIXED32,   /* %.4f */
    WS_CELL_GENERAL32, /* %.4g */
    WS_CELL_INT64,
    WS_CELL_FIXED64,
    WS_CELL_GENERAL64,
    WS_CELL_TEXT,
    WS_CELL_GENERAL24, /* %.4g: four digits and a power of ten */
    WS_CELL_FIXED24,   /* %.4f: an integer of ten-thousandths */
    WS_NCELLFORM
} ws_cellform;

#define WS_CELL_BIT(form) (1u << (form))
/* Those of an empty field. */
#define WS_CELL_ALL_EMPTY (WS_CELL_BIT(WS_NCELLFORM) - WS_CELL_BIT(WS_CELL_STRAND))

/* How an output column prints its numbers. */
typedef enum ws_coltype {
    WS_COL_BITS,  /* %.4f */
    WS_COL_P,     /* %.4g */
    WS_COL_COUNT, /* integer */
    WS_COL_STRAND /* + or -: not below or below 0 */
} ws_coltype;

typedef struct ws_cell {
    unsigned forms;   /* Bits of all forms that print it as it is written; 0: a text that is not parsed yet */
    double v;         /* NaN: an empty field. Meaningful if there is a form but WS_CELL_TEXT */
    const char *text; /* n bytes, if there is none */
    size_t n;
} ws_cell;

/* Returns the cell of a tool's value: NaN is an empty field. */
ws_cell ws_cell_number(ws_coltype type, double v);

/* Looks which forms print p[0..n). The text must stay as long as the cell. */
ws_cell ws_cell_parse(const char *p, size_t n);

/* Chooses the first of the forms in an order of preference, narrow ones first. With `exact` the number that a tool
 * computed comes before what is printed of it. forms must have WS_CELL_TEXT. */
ws_cellform ws_cellform_choose(unsigned forms, int exact);

/* Returns the cell of a stored number. */
ws_cell ws_cell_stored(ws_cellform form, double v);

/* Appends a text as CSV has it where `plain`: one with quotes stands in quotes, which are doubled in it. WS_ENOMEM. */
int ws_cell_text(ws_buf *out, int plain, const char *p, size_t n, ws_err *err);

/* Appends the field as it is written. WS_ENOMEM. */
int ws_cell_print(ws_buf *out, const ws_cell *c, ws_err *err);

/* Returns the bytes of a stored number, for a text those of its end. 0: implied. */
size_t ws_cellform_width(ws_cellform form);
/* Returns number i of an array in a form other than text and implied, at any address. */
double ws_cellform_load(ws_cellform form, const void *array, size_t i);
void ws_cellform_store(ws_cellform form, void *array, size_t i, double v);

#ifdef __cplusplus
}
#endif
#endif
