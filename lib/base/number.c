/* SPDX-License-Identifier: MIT
 * Numbers as text: see lib/base/number.h. */
#include "lib/base/number.h"

#include <stdio.h>
#include <stdlib.h>

char *ws_number_put(char *to, int64_t v) {
    char digits[WS_NUMBER_MAX];
    int n = 0;
    if (v < 0) *to++ = '-';
    for (uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v; n == 0 || u > 0; u /= 10)
        digits[n++] = (char)('0' + u % 10);
    while (n > 0) *to++ = digits[--n];
    return to;
}

const char *ws_number_real(char buf[WS_REAL_MAX], double v) {
    enum { FEWEST = 15, MOST = 17 };
    for (int digits = FEWEST; digits <= MOST; digits++) {
        snprintf(buf, WS_REAL_MAX, "%.*g", digits, v);
        if (strtod(buf, NULL) == v) break;
    }
    return buf;
}

const char *ws_number_human(char buf[WS_NUMBER_MAX], double v) {
    const char *unit = "\0KMGTP";
    while (v >= 999.5 && unit[1]) {
        v /= 1000;
        unit++;
    }
    snprintf(buf, WS_NUMBER_MAX, v < 9.995 && *unit ? "%.2f%c" : v < 99.95 && *unit ? "%.1f%c" : "%.0f%c", v, *unit);
    return buf;
}
