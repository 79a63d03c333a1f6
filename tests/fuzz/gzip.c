/* SPDX-License-Identifier: MIT
 * Fuzz target: gzip framing. Byte 0 cuts the input, byte 1 the room for output; bytes and failure must not depend on
 * it. */
#include "lib/base/mem.h"
#include "lib/io/inflate.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

const char ws_fuzz_name[] = "gzip";

enum { OUT_MAX = 1 << 16 };

static int inflate_all(const uint8_t *p, size_t n, size_t in_step, size_t out_step, ws_buf *out, ws_err *err) {
    ws_inflate *f = ws_inflate_create(err);
    int rc = f ? WS_OK : err->code;
    size_t i = 0;
    for (int idle = 0; !rc && out->n < OUT_MAX;) {
        size_t nin = ws_min(n - i, in_step), nout = out_step;
        const size_t gave = nin;
        uint8_t *in = fuzz_copy(p + i, nin), *room = malloc(out_step);
        FUZZ_CHECK(room != NULL);
        rc = ws_inflate_step(f, in, &nin, room, &nout, err);
        FUZZ_CHECK(nin <= gave && nout <= out_step);
        FUZZ_CHECK(!ws_buf_add(out, room, nout, err) || rc);
        free(room);
        free(in);
        i += nin;
        idle = nin || nout ? 0 : idle + 1;
        FUZZ_CHECK(idle < 3 || i == n);
        if (!nin && !nout && i == n && !ws_inflate_let_go(f)) break;
    }
    if (!rc && out->n < OUT_MAX) rc = ws_inflate_end(f, err);
    ws_inflate_destroy(f);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    if (n < 4) return 0;
    ws_buf whole = {0}, cut = {0};
    ws_err err[2] = {{0}, {0}};
    const size_t in_step = 1 + p[0] % 32, out_step = 1 + p[1];
    p += 2;
    n -= 2;
    if (p[0] != 0x1f || p[1] != 0x8b) return 0; /* the source asks this first */
    const int a = inflate_all(p, n, SIZE_MAX, OUT_MAX, &whole, &err[0]);
    const int b = inflate_all(p, n, in_step, out_step, &cut, &err[1]);
    if (whole.n < OUT_MAX && cut.n < OUT_MAX) {
        FUZZ_CHECK(a == b);
        FUZZ_CHECK(whole.n == cut.n);
    }
    FUZZ_CHECK(!memcmp(whole.n ? whole.p : "", cut.n ? cut.p : "", ws_min(whole.n, cut.n)));
    ws_buf_release(&whole);
    ws_buf_release(&cut);
    return 0;
}
