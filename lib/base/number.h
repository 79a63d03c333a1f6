/* SPDX-License-Identifier: MIT
 * Numbers as text. */
#ifndef WS_BASE_NUMBER_H
#define WS_BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum { WS_NUMBER_MAX = 24 };

/* Writes v in decimal and returns the end: at most WS_NUMBER_MAX - 1 characters, no NUL. It replaces printf in
 * output where printf would take most of the time. */
char *ws_number_put(char *to, int64_t v);

enum { WS_REAL_MAX = 32 };

/* Writes v in the fewest of 15, 16 or 17 digits that read back equal, and returns buf. */
const char *ws_number_real(char buf[WS_REAL_MAX], double v);

/* Writes v >= 0 for people, in three digits and a unit ("12.3M"), and returns buf. */
const char *ws_number_human(char buf[WS_NUMBER_MAX], double v);

#endif
