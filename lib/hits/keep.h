/* SPDX-License-Identifier: MIT
 * Memory that is given back at once, a sort in place, P-values, for all hit lists. */
#ifndef WS_HITS_KEEP_H
#define WS_HITS_KEEP_H

#include "lib/base/mem.h"

#include <string.h>

struct ws_hitblock;
/* Returns n zeroed bytes, aligned to 8, from the newest block of a list of blocks, or from a new one; NULL and a
 * sentence
 * on failure. *block is NULL at first. */
void *ws_hits_keep(struct ws_hitblock **block, size_t n, ws_err *err);
/* Gives all blocks back and sets *block to NULL. */
void ws_hits_forget(struct ws_hitblock **block);

/* Sorts an array of n pointers without further memory. compare gets two of them and ctx; it never returns 0. */
void ws_hits_sort(void *hit, size_t n, int (*compare)(const void *a, const void *b, const void *ctx), const void *ctx);

/* Two forms of a description, which is held as the input has it. The first returns how many bytes HMMER takes: text
 * behind a Ctrl-A is another record's. The others make what warpsieve's tables have: no blanks at the end and blanks in
 * place of tabs. */
static inline int ws_hits_desc(const char *desc) { return (int)strcspn(desc, "\1"); }
static inline size_t ws_hits_plain(const char *desc) {
    size_t n = strlen(desc);
    while (n && (desc[n - 1] == ' ' || desc[n - 1] == '\t')) n--;
    return n;
}
static inline void ws_hits_blank(char *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\t') text[i] = ' ';
}

/* Returns e^x for a P-value or an E-value: 0 in place of a subnormal number. */
double ws_hits_exp(double x);

#endif
