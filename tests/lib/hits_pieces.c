/* SPDX-License-Identifier: MIT
 * Pieces in a temporary file: each is what was made, for any number of threads; what failed is told. */
#include <stdlib.h>
#include <string.h>

#include "lib/hits/pieces.h"
#include "tests/tap.h"

typedef struct table {
    size_t nblock, fail; /* the group that cannot be made */
    size_t largest;      /* bytes of a piece */
    size_t next[4000];   /* by group: the block that comes next */
    int disorder;
} table;

/* Some pieces are empty. */
static size_t size_of(const table *of, size_t group, size_t block) {
    return (group * 31 + block * 7919) % 5 ? (group * 977 + block * 131) % of->largest : 0;
}
static uint8_t byte_of(size_t group, size_t block) { return (uint8_t)(group * 7 + block * 13); }

static int make(void *ctx, size_t group, size_t block, ws_buf *to, ws_err *err) {
    table *of = ctx;
    const size_t n = size_of(of, group, block);
    if (group >= of->fail && block == 1) return ws_fail(err, WS_EDATA, "no group %zu", group);
    if (of->next[group]++ != block) of->disorder = 1;
    if (ws_buf_reserve(to, n, err)) return err->code;
    if (n) memset(to->p + to->n, byte_of(group, block), n);
    to->n += n;
    return WS_OK;
}

static void test_table(tap *t, size_t nblock, size_t ngroup, size_t largest, int threads) {
    static table of;
    of = (table){.nblock = nblock, .largest = largest, .fail = SIZE_MAX};
    ws_pieces p = {0};
    ws_err err = {0};
    uint64_t all = 0;
    size_t wrong = 0;
    const int rc = ws_pieces_make(&p, nblock, ngroup, threads, make, &of, &err);
    if (!tap_ok(t, rc == WS_OK && !of.disorder, "%zu blocks, %zu groups, %d threads: made", nblock, ngroup, threads))
        tap_note("%s", err.text);
    for (size_t g = 0; g < ngroup && !rc; g++)
        for (size_t b = 0; b < nblock; b++) {
            const size_t n = size_of(&of, g, b);
            all += n;
            for (size_t k = 0; k < n; k++) wrong += ws_pieces_at(&p, b, g)[k] != byte_of(g, b);
        }
    tap_ok(t, wrong == 0 && p.size == all, "as made: %llu bytes", (unsigned long long)all);
    ws_pieces_release(&p);
    tap_ok(t, !p.map && !p.has_file && !p.at, "all is given back");
}

static void test_failures(tap *t) {
    static table of;
    of = (table){.nblock = 3, .largest = 100, .fail = 70};
    ws_pieces p = {0};
    ws_err err = {0};
    tap_ok(t, ws_pieces_make(&p, 3, 200, 3, make, &of, &err) == WS_EDATA && !strcmp(err.text, "no group 70"),
           "the first group that cannot be made");
    ws_pieces_release(&p);
    setenv("TMPDIR", "/nonexistent/folder", 1);
    of = (table){.nblock = 3, .largest = 100, .fail = SIZE_MAX};
    err = (ws_err){0};
    tap_ok(t, ws_pieces_make(&p, 3, 2, 1, make, &of, &err) == WS_EIO &&
           strstr(err.text, "temporary file of alignments in /nonexistent/folder, which TMPDIR chooses"),
           "no folder: a sentence");
    ws_pieces_release(&p);
}

int main(void) {
    tap t = {0};
    test_table(&t, 1, 2, 50, 1);
    test_table(&t, 1, 1, 1, 2); /* an empty file */
    test_table(&t, 9, 1000, 300, 1);
    test_table(&t, 70, 4000, 900, 3); /* 100 MB: written in several parts */
    test_failures(&t);
    return tap_end(&t);
}
