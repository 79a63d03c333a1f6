/* SPDX-License-Identifier: MIT
 * Columns by their names: the list of them as text, and the choice that --fields makes. */
#ifndef WS_BASE_FIELDS_H
#define WS_BASE_FIELDS_H

#include "lib/base/mem.h"

/* The names of n columns: each element of a table, `size` bytes, begins with a const char *. */
typedef struct ws_names {
    const void *element;
    size_t size;
    int n;
} ws_names;
/* The names of all elements of an array. */
#define WS_NAMES(array) {array, sizeof *(array), (int)(sizeof(array) / sizeof *(array))}

const char *ws_name_of(const ws_names *l, int i);

/* Appends the names, `between` between two of them. */
int ws_names_add(ws_buf *out, const ws_names *l, const char *between, ws_err *err);

/* Returns how many columns a list "name,tlen" names: room that ws_fields_choose needs. */
int ws_fields_count(const char *list);

/* Sets pick[0..*npick) to the indices in `all` of the columns that the list names, in its order; NULL: all of them. Two
 * of one name are the first. WS_EUSAGE if there is no such column, or if they are more than `room`. */
int ws_fields_choose(const char *list, const ws_names *all, int *pick, int room, int *npick, ws_err *err);

#endif
