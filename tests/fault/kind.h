/* SPDX-License-Identifier: MIT
 * Reads the variable WS_FAULT, KIND or KIND=N, for shim.c and cuda.cu. */
#ifndef WS_TESTS_FAULT_KIND_H
#define WS_TESTS_FAULT_KIND_H

#include <stdlib.h>
#include <string.h>

static char kind[32];
static long number = -1; /* -1: none is given */

/* what: the variable's value, NULL for nothing. */
static void ask_for(const char *what) {
    if (!what) return;
    const size_t n = strcspn(what, "=");
    if (n < sizeof kind) memcpy(kind, what, n);
    if (what[n]) number = strtol(what + n + 1, NULL, 10);
}

static int is(const char *what) { return strcmp(kind, what) == 0; }

#endif
