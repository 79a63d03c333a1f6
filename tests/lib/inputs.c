/* SPDX-License-Identifier: MIT
 * The inputs of a run: their order, names and ends, and how much of them was read. */
#include "lib/compress/inputs.h"

#include "tests/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void must(int ok, const char *what) {
    if (ok) return;
    perror(what);
    exit(1);
}

static void make_file(char *path, const char *text) {
    const int fd = mkstemp(path);
    must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0, path);
}

/* Reads the open input to its end; returns how many bytes it gave. */
static size_t drain(ws_inputs *in) {
    ws_err err = {0};
    const uint8_t *p;
    size_t n, all = 0;
    int rc;
    while ((rc = ws_inputs_next(in, -1, &p, &n, &err)) == WS_OK) all += n;
    must(rc == WS_EOF, "read");
    return all;
}

static int is_at(ws_inputs *in, uint64_t done, uint64_t size) {
    uint64_t d, s;
    ws_inputs_progress(in, &d, &s);
    if (d == done && s == size) return 1;
    tap_note("%llu of %llu bytes, expected %llu of %llu", (unsigned long long)d, (unsigned long long)s,
             (unsigned long long)done, (unsigned long long)size);
    return 0;
}

static void files(tap *t) {
    char a[] = "/tmp/warpsieve.XXXXXX", b[] = "/tmp/warpsieve.XXXXXX", c[] = "/tmp/warpsieve.XXXXXX";
    const char *const path[] = {a, b, c};
    ws_inputs in;
    ws_err err = {0};
    make_file(a, "first\n");
    make_file(b, "");
    make_file(c, "the third\n");
    ws_inputs_init(&in, path, 3);
    int fine = is_at(&in, 0, 16);
    for (int i = 0; i < 3; i++) {
        fine &= ws_inputs_open(&in, &err) == WS_OK && strcmp(ws_inputs_name(&in), path[i]) == 0;
        fine &= drain(&in) == (i == 0 ? 6u : i == 1 ? 0u : 10u);
        ws_inputs_close(&in);
        fine &= is_at(&in, i < 2 ? 6 : 16, 16);
    }
    tap_ok(t, fine && ws_inputs_open(&in, &err) == WS_EOF && ws_inputs_ahead(&in) == 0,
           "three files, one of them empty: order, names, progress, end");
    ws_inputs_release(&in);
    const char *const missing[] = {a, "/nowhere/at/all"};
    ws_inputs_init(&in, missing, 2);
    fine = is_at(&in, 0, 0) && ws_inputs_open(&in, &err) == WS_OK;
    ws_inputs_close(&in);
    tap_ok(t, fine && ws_inputs_open(&in, &err) == WS_EIO,
           "a file that is missing: no share of the whole is known, and its turn fails");
    ws_inputs_release(&in);
    for (int i = 0; i < 3; i++) unlink(path[i]);
}

static void from_stdin(tap *t) {
    char a[] = "/tmp/warpsieve.XXXXXX";
    const int old = dup(STDIN_FILENO);
    ws_inputs in;
    ws_err err = {0};
    make_file(a, "0123456789");
    int fd = open(a, O_RDONLY);
    must(fd >= 0 && lseek(fd, 4, SEEK_SET) == 4 && dup2(fd, STDIN_FILENO) == STDIN_FILENO, "stdin");
    ws_inputs_init(&in, NULL, 0);
    int fine =
        is_at(&in, 0, 6) && ws_inputs_open(&in, &err) == WS_OK && strcmp(ws_inputs_name(&in), "standard input") == 0;
    tap_ok(t, fine && drain(&in) == 6 && is_at(&in, 6, 6),
           "standard input of which a shell has read 4 bytes: 6 are to come");
    ws_inputs_release(&in);
    must(dup2(old, STDIN_FILENO) == STDIN_FILENO, "stdin");
    close(old);
    close(fd);
    unlink(a);
}

int main(void) {
    tap t = {0};
    files(&t);
    from_stdin(&t);
    return tap_end(&t);
}
