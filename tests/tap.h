/* SPDX-License-Identifier: MIT
 * Test Anything Protocol for the unit tests: ok lines, comments, the plan at the end. */
#ifndef WS_TESTS_TAP_H
#define WS_TESTS_TAP_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/ws.h"

typedef struct tap {
    int run, failed;
} tap;

/* One test; returns `pass`. */
WS_UNUSED static int tap_ok(tap *t, int pass, const char *fmt, ...) WS_PRINTF(3, 4);
WS_UNUSED static int tap_ok(tap *t, int pass, const char *fmt, ...) {
    va_list ap;
    printf("%sok %d - ", pass ? "" : "not ", ++t->run);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
    t->failed += !pass;
    fflush(stdout);
    return pass;
}

WS_UNUSED static void tap_skip(tap *t, const char *what, const char *why) {
    printf("ok %d - %s # SKIP %s\n", ++t->run, what, why);
}

/* A comment line. */
WS_UNUSED static void tap_note(const char *fmt, ...) WS_PRINTF(1, 2);
WS_UNUSED static void tap_note(const char *fmt, ...) {
    va_list ap;
    printf("# ");
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
}

/* Returns whether each step takes long here, in an emulator or under a sanitizer (WARPSIEVE_SLOW). A test that would
 * take minutes does less then, and says so. */
WS_UNUSED static int tap_slow(void) {
    const char *said = getenv("WARPSIEVE_SLOW");
    return said && *said;
}

/* Returns whether this is a part of make check, which leaves the long rest to make check-full. A program that is run by
 * itself does all. */
WS_UNUSED static int tap_quick(void) {
    const char *depth = getenv("WARPSIEVE_TESTS");
    return depth && strcmp(depth, "quick") == 0;
}

/* The plan; the exit status of the program. */
WS_UNUSED static int tap_end(const tap *t) {
    printf("1..%d\n", t->run);
    return t->failed != 0;
}

#endif
