/* SPDX-License-Identifier: MIT
 * Deflate streams through ISA-L: see lib/compress/igzip.h. */
#include "lib/compress/igzip.h"

#include "lib/base/mem.h"

#include <isa-l.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

struct ws_igzip {
    struct inflate_state state;
};

const char *ws_igzip_version(void) {
    return TEXT(ISAL_MAJOR_VERSION) "." TEXT(ISAL_MINOR_VERSION) "." TEXT(ISAL_PATCH_VERSION);
}

ws_igzip *ws_igzip_create(ws_err *err) {
    ws_igzip *z = ws_calloc(1, sizeof *z, err);
    if (z) isal_inflate_init(&z->state);
    return z;
}

void ws_igzip_destroy(ws_igzip *z) { ws_free(z); }

static void give(struct inflate_state *s, const uint8_t *in, size_t nin, uint8_t *out, size_t nout) {
    s->next_in = (uint8_t *)(uintptr_t)in; /* ISA-L reads it only */
    s->avail_in = (uint32_t)nin;
    s->next_out = out;
    s->avail_out = (uint32_t)nout;
}

int ws_igzip_whole(ws_igzip *z, const uint8_t *in, size_t nin, uint8_t *out, size_t nout, uint32_t crc) {
    struct inflate_state *s = &z->state;
    isal_inflate_reset(s);
    s->crc_flag = ISAL_DEFLATE;
    give(s, in, nin, out, nout);
    if (isal_inflate_stateless(s) != ISAL_DECOMP_OK || s->avail_in || s->avail_out) return 0;
    return crc32_gzip_refl(0, out, nout) == crc;
}

void ws_igzip_begin(ws_igzip *z) {
    isal_inflate_reset(&z->state);
    z->state.crc_flag = ISAL_GZIP_NO_HDR_VER;
}

ws_igzip_at ws_igzip_step(ws_igzip *z, const uint8_t *in, size_t *nin, uint8_t *out, size_t *nout) {
    struct inflate_state *s = &z->state;
    give(s, in, *nin, out, *nout);
    const int rc = isal_inflate(s);
    *nin -= s->avail_in;
    *nout -= s->avail_out;
    if (rc != ISAL_DECOMP_OK && rc != ISAL_END_INPUT && rc != ISAL_OUT_OVERFLOW) return WS_IGZIP_FAILED;
    if (s->block_state == ISAL_BLOCK_FINISH) return WS_IGZIP_END;
    return s->bfinal ? WS_IGZIP_LAST : WS_IGZIP_INSIDE;
}
