/* SPDX-License-Identifier: MIT
 * The lines of a text of models: how many there are, and which of them are whole models. */
#include <string.h>

#include "lib/base/system.h"
#include "lib/hmm/hmmfile.h"

/* Returns the last line feed, searching in steps: the address sanitizer checks all bytes that memrchr may read, and
 * lines are short. */
static const char *last_lf(const char *text, size_t n) {
    enum { STEP = 4096 };
    const char *lf = NULL;
    for (size_t step; n > 0 && !lf; n -= step) {
        step = ws_min(n, STEP);
        lf = ws_system_last(text + n - step, '\n', step);
    }
    return lf;
}

size_t ws_hmmtext_whole(const char *text, size_t n) {
    const char *lf;
    while ((lf = last_lf(text, n)) != NULL) {
        const char *begin = last_lf(text, (size_t)(lf - text)), *p = begin ? begin + 1 : text;
        while (ws_hmmtext_is_blank(*p)) p++;
        if (p[0] == '/' && p[1] == '/' && ws_hmmtext_is_end(p[2])) return (size_t)(lf - text) + 1;
        n = (size_t)(lf - text);
    }
    return 0;
}

/* Counts in runs that fit a byte, so that the compiler vectorises the loop: the counting thread delays all others. */
size_t ws_hmmtext_lines(const char *text, size_t n) {
    enum { RUN = 240 };
    size_t lines = 0;
    for (size_t at = 0; at < n; at += RUN) {
        const size_t len = ws_min(RUN, n - at);
        uint8_t found = 0;
        for (size_t i = 0; i < len; i++) found += text[at + i] == '\n';
        lines += found;
    }
    return lines;
}
