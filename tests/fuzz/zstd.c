/* SPDX-License-Identifier: MIT
 * Fuzz target: zstd framing. Byte 0 cuts the input, byte 1 the room for output; bytes, failure and sentence must not
 * depend on it. A build without libzstd looks at nothing. */
#include "lib/base/mem.h"
#include "lib/compress/unzstd.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

const char ws_fuzz_name[] = "zstd";

enum { OUT_MAX = 1 << 16 };

static int unpack_all(const uint8_t *p, size_t n, size_t in_step, size_t out_step, ws_buf *out, ws_err *err) {
    ws_unzstd *f = ws_unzstd_create(err);
    int rc = f ? WS_OK : err->code;
    size_t i = 0;
    for (int idle = 0; !rc && out->n < OUT_MAX;) {
        size_t nin = ws_min(n - i, in_step), nout = out_step;
        const size_t gave = nin;
        uint8_t *in = fuzz_copy(p + i, nin), *room = malloc(out_step);
        FUZZ_CHECK(room != NULL);
        rc = ws_unzstd_step(f, in, &nin, room, &nout, err);
        FUZZ_CHECK(nin <= gave && nout <= out_step);
        FUZZ_CHECK(!ws_buf_add(out, room, nout, err) || rc);
        free(room);
        free(in);
        i += nin;
        idle = nin || nout ? 0 : idle + 1;
        FUZZ_CHECK(idle < 3 || i == n);
        if (!nin && !nout && i == n && !ws_unzstd_let_go(f)) break;
    }
    if (!rc && out->n < OUT_MAX) rc = ws_unzstd_end(f, err);
    ws_unzstd_destroy(f);
    return rc;
}

/* Returns whether two sentences are the same but for the bytes that follow, of which a smaller step sees fewer. */
static int same_text(const char *a, const char *b) {
    const char *quote = strchr(a, '"');
    return quote ? !strncmp(a, b, (size_t)(quote - a)) : !strcmp(a, b) || strstr(b, "nor zero padding") != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    if (n < 6 || !ws_unzstd_version()) return 0;
    ws_buf whole = {0}, cut = {0};
    ws_err err[2] = {{0}, {0}};
    const size_t in_step = 1 + p[0] % 32, out_step = 1 + p[1];
    p += 2;
    n -= 2;
    const int frame = !memcmp(p, "\x28\xb5\x2f\xfd", 4);
    const int skippable = !memcmp(p + 1, "\x2a\x4d\x18", 3) && p[0] >> 4 == 5;
    if (!frame && !skippable) return 0; /* the source asks this first */
    const int a = unpack_all(p, n, SIZE_MAX, OUT_MAX, &whole, &err[0]);
    const int b = unpack_all(p, n, in_step, out_step, &cut, &err[1]);
    if (whole.n < OUT_MAX && cut.n < OUT_MAX) {
        FUZZ_CHECK(a == b);
        FUZZ_CHECK(whole.n == cut.n);
        FUZZ_CHECK(!a || same_text(err[0].text, err[1].text));
    }
    FUZZ_CHECK(!memcmp(whole.n ? whole.p : "", cut.n ? cut.p : "", ws_min(whole.n, cut.n)));
    ws_buf_release(&whole);
    ws_buf_release(&cut);
    return 0;
}
