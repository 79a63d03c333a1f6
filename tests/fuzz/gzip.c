/* SPDX-License-Identifier: MIT
 * Fuzz target: gzip framing. Byte 0 cuts the input, byte 1 the room for output; bytes and failure must not depend on
 * it. Nor may they depend on who inflates: zlib, ISA-L, or blocks of BGZF for themselves. */
#include "lib/base/mem.h"
#include "lib/compress/bgzf.h"
#include "lib/compress/igzip.h"
#include "lib/compress/inflate.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

const char ws_fuzz_name[] = "gzip";

enum { OUT_MAX = 1 << 16 };

typedef struct steps {
    size_t in, out;
    int can_rewind;
} steps;

static int inflate_from(ws_inflate *f, const uint8_t *p, size_t n, size_t i, steps s, ws_buf *out, ws_err *err) {
    int rc = WS_OK, rewinds = 0;
    uint64_t to;
    for (int idle = 0; !rc && out->n < OUT_MAX;) {
        size_t nin = ws_min(n - i, s.in), nout = s.out;
        const size_t gave = nin;
        uint8_t *in = fuzz_copy(p + i, nin), *room = malloc(s.out);
        FUZZ_CHECK(room != NULL);
        rc = ws_inflate_step(f, in, &nin, room, &nout, err);
        FUZZ_CHECK(nin <= gave && nout <= s.out);
        FUZZ_CHECK(!ws_buf_add(out, room, nout, err) || rc);
        free(room);
        free(in);
        i += nin;
        idle = nin || nout ? 0 : idle + 1;
        int more = nin || nout || i < n;
        if (!more) more = ws_inflate_let_go(f);
        if (ws_inflate_rewinds(f, &to)) {
            FUZZ_CHECK(s.can_rewind && to <= i && ++rewinds <= (int)n);
            i = (size_t)to;
            idle = 0;
        } else if (!more) {
            break;
        }
        FUZZ_CHECK(idle < 3 || i == n);
    }
    return !rc && out->n < OUT_MAX ? ws_inflate_end(f, err) : rc;
}

static int inflate_all(const uint8_t *p, size_t n, steps s, ws_buf *out, ws_err *err) {
    ws_inflate *f = ws_inflate_create(s.can_rewind, err);
    const int rc = f ? inflate_from(f, p, n, 0, s, out, err) : err->code;
    ws_inflate_destroy(f);
    return rc;
}

/* Takes what blocks of BGZF there are for themselves, one by one, as lib/compress/feed.c takes several. */
static int inflate_blocks(const uint8_t *p, size_t n, ws_buf *out, ws_err *err) {
    static uint8_t text[OUT_MAX];
    const steps s = {SIZE_MAX, OUT_MAX, 0};
    size_t i = 0, size, ntext, nout = 0;
    ws_bgzf *g = ws_bgzf_create(err);
    ws_inflate *f = ws_inflate_create(0, err);
    int rc = g && f ? WS_OK : err->code, blocks = 0;
    for (; !rc && out->n < OUT_MAX && !ws_bgzf_find(p + i, n - i, &size, &ntext); i += size, blocks++) {
        ws_bgzf_reuse(g, i);
        FUZZ_CHECK(!ws_bgzf_add(g, p + i, size, err));
        rc = ws_bgzf_inflate(g, text, &nout, err);
        FUZZ_CHECK(nout <= ntext && (rc || nout == ntext) && !ws_buf_add(out, text, nout, err));
    }
    if (!rc && out->n < OUT_MAX) {
        ws_inflate_resume(f, i, (uint64_t)blocks, blocks && nout);
        rc = inflate_from(f, p, n, i, s, out, err);
    }
    ws_bgzf_destroy(g);
    ws_inflate_destroy(f);
    return rc;
}

/* Compares with what zlib gives of the whole. A block of BGZF whose length is wrong is refused, which zlib alone does
 * not see. ISA-L takes codes that zlib refuses as incomplete where the checksum of the text is right. */
static void compare(int a, const ws_buf *whole, int b, ws_buf *other, const ws_err *err, int by_isal) {
    const int wrong_length = b && strstr(err->text, "does not have the") != NULL;
    const int taken = by_isal && ws_igzip_version() && a && (!b || other->n > whole->n);
    if (whole->n < OUT_MAX && other->n < OUT_MAX && !wrong_length && !taken) {
        FUZZ_CHECK(a == b);
        FUZZ_CHECK(whole->n == other->n);
    }
    FUZZ_CHECK(!memcmp(whole->n ? whole->p : "", other->n ? other->p : "", ws_min(whole->n, other->n)));
    other->n = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    if (n < 4) return 0;
    ws_buf whole = {0}, other = {0};
    ws_err err[2] = {{0}, {0}};
    const steps at_once = {SIZE_MAX, OUT_MAX, 0};
    steps s = {1 + p[0] % 32, 1 + p[1], 0};
    p += 2;
    n -= 2;
    if (p[0] != 0x1f || p[1] != 0x8b) return 0; /* the source asks this first */
    const int a = inflate_all(p, n, at_once, &whole, &err[0]);
    for (s.can_rewind = 0; s.can_rewind < 2; s.can_rewind++)
        compare(a, &whole, inflate_all(p, n, s, &other, &err[1]), &other, &err[1], s.can_rewind);
    compare(a, &whole, inflate_all(p, n, (steps){SIZE_MAX, OUT_MAX, 1}, &other, &err[1]), &other, &err[1], 1);
    compare(a, &whole, inflate_blocks(p, n, &other, &err[1]), &other, &err[1], 1);
    ws_buf_release(&whole);
    ws_buf_release(&other);
    return 0;
}
