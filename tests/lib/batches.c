/* SPDX-License-Identifier: MIT
 * How many residues the batches of a large input have. */
#include "lib/formats/seqread.h"
#include "tests/lib/io.h"

/* Batches that grow begin with some hundred thousand residues, and have the given number in a large input. */
static void growing(tap *t) {
    enum { RECORDS = 12000, L = 1000, FIRST = 128 << 10, USUAL = 1 << 20 };
    char path[PATH_SIZE];
    const char *paths[] = {path};
    ws_err err;
    ws_buf text = {0};
    must(!ws_buf_reserve(&text, RECORDS * (L + 6), &err), "memory");
    for (int i = 0; i < RECORDS; i++) {
        must(!ws_buf_adds(&text, ">a\n", &err), "memory");
        memset(text.p + text.n, 'A', L);
        text.n += L;
        must(!ws_buf_adds(&text, "\n", &err), "memory");
    }
    temp_file(path, text.p, text.n);
    ws_buf_release(&text);
    for (int grows = 0; grows < 2; grows++) {
        const ws_seqread_conf conf = {.path = paths, .npath = 1, .abc = ws_abc_get(WS_ABC_AMINO),
                                      .batch_residues = USUAL, .batch_seqs = USUAL, .grows = grows};
        uint64_t first = 0, before = 0, most = 0, all = 0;
        int shrinks = 0;
        ws_seqread *r;
        ws_batch b = {0};
        must(!ws_seqread_open(&r, &conf, &err), "open");
        while (!ws_seqread_fill(r, &b, &err)) {
            if (!all) first = b.residues;
            all += b.residues;
            shrinks += b.residues + L < before && all < (uint64_t)RECORDS * L;
            before = b.residues;
            most = ws_max(most, b.residues);
        }
        const uint64_t want = grows ? FIRST : USUAL;
        tap_ok(t, all == (uint64_t)RECORDS * L && first >= want && first < want + L && !shrinks && most >= USUAL,
               "batches %s: the first has %llu residues, the largest %llu", grows ? "grow" : "do not grow",
               (unsigned long long)first, (unsigned long long)most);
        ws_seqread_close(r);
        ws_batch_release(&b);
    }
    unlink(path);
}

int main(void) {
    tap t = {0};
    growing(&t);
    return tap_end(&t);
}
