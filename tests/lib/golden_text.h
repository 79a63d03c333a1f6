/* SPDX-License-Identifier: MIT
 * The text of a file of golden data, for all tests that read such files whole. */
#ifndef WS_TESTS_GOLDEN_TEXT_H
#define WS_TESTS_GOLDEN_TEXT_H

#include "lib/base/mem.h"
#include "lib/compress/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the test program with the sentence of err if rc is a failure. */
WS_UNUSED static void must(int rc, const ws_err *err) {
    if (!rc) return;
    printf("Bail out! %s\n", err->text);
    exit(1);
}

/* Returns a file's text with a zero byte after it; inflates .gz, and .xz by the program xz. Release with ws_free. */
WS_UNUSED static char *golden_text(const char *path) {
    ws_err err = {0};
    ws_buf b = {0};
    char *text, command[1100], piece[65536];
    size_t n = strlen(path);
    if (n < 3 || strcmp(path + n - 3, ".xz") != 0) {
        must(ws_source_slurp(path, NULL, &text, &n, &err), &err);
        return text;
    }
    snprintf(command, sizeof command, "xz -dc '%s'", path);
    FILE *f = popen(command, "r");
    while (f && (n = fread(piece, 1, sizeof piece, f)) > 0) must(ws_buf_add(&b, piece, n, &err), &err);
    if (!f || pclose(f) != 0) must(ws_fail(&err, WS_EIO, "%s: xz failed", path), &err);
    must(ws_buf_add(&b, "", 1, &err), &err);
    return b.p;
}

#endif
