/* SPDX-License-Identifier: MIT
 * zstd inputs as bytes: frames made by hand, whole, cut, damaged; a build without libzstd refuses them. */
#include "lib/compress/source.h"
#include "lib/compress/unzstd.h"
#include "tests/lib/io.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static void add(ws_buf *b, const void *p, size_t n) {
    ws_err err;
    must(!ws_buf_add(b, p, n, &err), "memory");
}

static void add_number(ws_buf *b, uint64_t x, size_t bytes) {
    for (; bytes; bytes--, x >>= 8) add(b, &(uint8_t){(uint8_t)x}, 1);
}

enum { SUM = 1, BLOCK = 5000 };

/* A frame of blocks that are not compressed (RFC 8878), with a window of 128 KiB. */
static void frame(ws_buf *b, const char *p, size_t n, int flags) {
    add(b, "\x28\xb5\x2f\xfd", 4);
    add_number(b, flags & SUM ? 4 : 0, 1);
    add_number(b, 7 << 3, 1);
    for (size_t i = 0, some; i < n || (i == 0 && n == 0); i += some) {
        some = ws_min(n - i, BLOCK);
        add_number(b, (uint64_t)(i + some == n) | some << 3, 3);
        add(b, p + i, some);
        if (n == 0) break;
    }
    if (flags & SUM) add_number(b, XXH64(p, n, 0), 4);
}

/* A block of one byte, repeated. */
static void run(ws_buf *b, char byte, size_t n) {
    add(b, "\x28\xb5\x2f\xfd\0\x38", 6);
    add_number(b, 1 | 1 << 1 | n << 3, 3);
    add(b, &byte, 1);
}

static void skippable(ws_buf *b, size_t n) {
    add(b, "\x5a\x2a\x4d\x18", 4);
    add_number(b, n, 4);
    for (; n; n--) add(b, "s", 1);
}

static void gives(tap *t, const ws_buf *in, const ws_buf *want, const char *what) {
    ws_err err;
    ws_buf got = {0};
    const int rc = read_source(in, &got, &err);
    tap_ok(t, rc == WS_EOF && got.n == want->n && (!got.n || !memcmp(got.p, want->p, got.n)), "%s", what);
    if (rc != WS_EOF) tap_note("%s", err.text);
    ws_buf_release(&got);
}

static void refused(tap *t, const ws_buf *in, const char *says, size_t before, const char *what) {
    ws_err err;
    ws_buf got = {0};
    const int rc = read_source(in, &got, &err);
    const int fine = rc == WS_EDATA && strstr(err.text, says) && got.n == before;
    tap_ok(t, fine, "%s", what);
    if (!fine) tap_note("%zu bytes, then: %s", got.n, rc == WS_EOF ? "the end" : err.text);
    ws_buf_release(&got);
}

static void shapes(tap *t, const ws_buf *text) {
    ws_buf z = {0}, twice = {0}, none = {0};
    add(&twice, text->p, text->n);
    add(&twice, text->p, text->n);
    frame(&z, text->p, text->n, 0);
    gives(t, &z, text, "a frame of many blocks");
    frame(&z, text->p, text->n, SUM);
    gives(t, &z, &twice, "... and one with a checksum");
    frame(&z, "", 0, SUM);
    skippable(&z, 0);
    skippable(&z, 700);
    gives(t, &z, &twice, "... with an empty frame and two skippable ones behind");
    const size_t end = z.n;
    for (int i = 0; i < 300; i++) add(&z, "", 1);
    gives(t, &z, &twice, "... and zero padding");
    add(&z, "x", 1);
    refused(t, &z, "the start of a frame nor zero padding: \"x\" follows", twice.n, "... and something behind");
    z.n = end;
    add(&z, "garbage", 7);
    char says[100];
    snprintf(says, sizeof says,
             "byte %zu of the zstd data is neither the start of a frame nor zero padding: \"garbage\"", end);
    refused(t, &z, says, twice.n, "garbage behind frames names its byte");
    z.n = end;
    add(&z, "\x28\xb5\x2f\xfc", 4);
    refused(t, &z, "is neither the start of a frame", twice.n, "half a magic number");
    z.n = 0;
    skippable(&z, 12);
    gives(t, &z, &none, "a skippable frame alone");
    frame(&z, text->p, text->n, SUM);
    gives(t, &z, text, "a skippable frame in front");
    z.n = none.n = 0;
    run(&z, 'A', 100000);
    for (int i = 0; i < 100000; i++) add(&none, "A", 1);
    gives(t, &z, &none, "a byte repeated");
    ws_buf_release(&z);
    ws_buf_release(&twice);
    ws_buf_release(&none);
}

static void cuts_and_damage(tap *t) {
    char says[100];
    ws_err err;
    ws_buf z = {0}, got = {0};
    const char text[] = "MKVLAAGIVGLCAKAYLELPDDADSQRALNELAELLAEAGVEVHVLRGT";
    int fine = 1;
    frame(&z, text, 40, SUM);
    const size_t first = z.n;
    frame(&z, text, 40, SUM);
    const size_t second = z.n;
    skippable(&z, 5);
    const size_t all = z.n;
    for (size_t n = 4; n < all; n++) {
        z.n = n;
        const int rc = read_source(&z, &got, &err);
        snprintf(says, sizeof says, "the zstd data end inside a frame after %zu bytes, so they were cut", n);
        fine &= n == first || n == second ? rc == WS_EOF : rc == WS_EDATA && !strcmp(err.text, says);
    }
    tap_ok(t, fine, "cut at each of %zu bytes: an error with the offset, but at the seams", all);
    fine = 1;
    z.n = all;
    for (size_t i = 4; i < second; i++) {
        for (int bit = 0; bit < 8; bit++) {
            z.p[i] ^= (char)(1 << bit);
            const int rc = read_source(&z, &got, &err);
            const int same = got.n == 80 && !memcmp(got.p, text, 40) && !memcmp(got.p + 40, text, 40);
            fine &= rc == WS_EDATA || (rc == WS_EOF && same);
            z.p[i] ^= (char)(1 << bit);
        }
    }
    tap_ok(t, fine, "damaged at each bit of the frames: an error or the same text");
    ws_buf_release(&z);
    ws_buf_release(&got);
}

static void wrong(tap *t, const ws_buf *text) {
    ws_buf z = {0};
    const size_t last = text->n % BLOCK;
    frame(&z, text->p, text->n, SUM);
    z.p[z.n - 1] ^= 1;
    refused(t, &z, "the zstd data are damaged at byte ", text->n - last, "a wrong checksum keeps the last block back");
    z.n -= 4;
    refused(t, &z, "so they were cut", text->n, "a checksum that is missing does not");
    z.n = 6; /* the frame's header; then a block of a type that does not exist */
    add_number(&z, 1 | 3 << 1 | 8 << 3, 3);
    add(&z, "AAAAAAAA", 8);
    refused(t, &z, "the zstd data are damaged at byte 6: ", 0, "a block of no known type names its byte");
    z.n = 6;
    add_number(&z, 1 | 200000 << 3, 3);
    add(&z, "A", 1);
    refused(t, &z, "the zstd data are damaged at byte 6: a block of more than 128 KiB", 0, "a block that is too long");
    z.n = 5;
    add_number(&z, 31 << 3, 1);
    frame(&z, text->p, text->n, 0);
    refused(t, &z, "the zstd data are damaged at byte 0: ", 0, "a window of 2 TiB");
    ws_buf_release(&z);
}

int main(void) {
    tap t = {0};
    ws_err err;
    ws_buf text = {0};
    uint64_t seed = 3;
    must(!ws_buf_reserve(&text, 600001, &err), "memory");
    for (text.n = 0; text.n < 600001; text.n++) text.p[text.n] = (char)('A' + below(&seed, 20));
    if (ws_unzstd_version()) {
        shapes(&t, &text);
        cuts_and_damage(&t);
        wrong(&t, &text);
    } else {
        ws_buf z = {0};
        frame(&z, text.p, 100, 0);
        refused(&t, &z, "zstd is not supported; run: zstd -dc", 0, "a build without libzstd names the command");
        ws_buf_release(&z);
    }
    ws_buf_release(&text);
    return tap_end(&t);
}
