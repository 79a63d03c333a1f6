/* SPDX-License-Identifier: MIT
 * Blocks of BGZF: see lib/compress/bgzf.h. A block that is not in order goes through lib/compress/inflate.c for
 * its sentence. */
#include "lib/compress/bgzf.h"

#include "lib/base/mem.h"
#include "lib/compress/igzip.h"
#include "lib/compress/inflate.h"

#include <string.h>
#include <zlib.h>

/* Parts of a block (specification of SAM, section 4.1): header, extra field with the subfield "BC" that holds the
 * block's length, deflate stream, trailer of a CRC and the text's length. Both of these lengths are at most 64 KiB. */
enum { HEADER = 12, EXTRA_MAX = 64, TRAILER = 8, TEXT_MAX = 1 << 16 };

struct ws_bgzf {
    ws_buf packed;
    uint64_t from;
    ws_igzip *quick; /* NULL: zlib */
    z_stream z;      /* a raw stream, if `slow` */
    int slow;
};

static size_t u16(const uint8_t *p) { return p[0] | (size_t)p[1] << 8; }

static uint32_t u32(const uint8_t *p) { return (uint32_t)(u16(p) | u16(p + 2) << 16); }

/* Returns the block's length by its extra field, or 0 if there is none. */
static size_t length_of(const uint8_t *extra, size_t n) {
    for (size_t i = 0; i + 4 <= n; i += 4 + u16(extra + i + 2)) {
        if (extra[i] != 'B' || extra[i + 1] != 'C') continue;
        return u16(extra + i + 2) == 2 && i + 6 <= n ? u16(extra + i + 4) + 1 : 0;
    }
    return 0;
}

int ws_bgzf_find(const uint8_t *p, size_t n, size_t *size, size_t *text) {
    static const uint8_t magic[4] = {0x1f, 0x8b, 8, 4}; /* deflate, and an extra field only */
    if (memcmp(p, magic, ws_min(n, sizeof magic)) != 0) return WS_EDATA;
    if (n < HEADER) return WS_AGAIN;
    const size_t extra = u16(p + 10);
    if (extra > EXTRA_MAX) return WS_EDATA;
    if (n < HEADER + extra) return WS_AGAIN;
    *size = length_of(p + HEADER, extra);
    if (*size < HEADER + extra + TRAILER) return WS_EDATA;
    if (n < *size) return WS_AGAIN;
    *text = u32(p + *size - 4);
    return *text > TEXT_MAX ? WS_EDATA : WS_OK;
}

ws_bgzf *ws_bgzf_create(ws_err *err) {
    ws_bgzf *g = ws_calloc(1, sizeof *g, err);
    if (!g) return NULL;
    if (ws_igzip_version()) {
        g->quick = ws_igzip_create(err);
    } else {
        g->slow = inflateInit2(&g->z, -MAX_WBITS) == Z_OK;
        if (!g->slow) ws_fail_nomem(err, 1 << 15);
    }
    if (g->quick || g->slow) return g;
    ws_bgzf_destroy(g);
    return NULL;
}

void ws_bgzf_destroy(ws_bgzf *g) {
    if (!g) return;
    if (g->slow) inflateEnd(&g->z);
    ws_igzip_destroy(g->quick);
    ws_buf_release(&g->packed);
    ws_free(g);
}

void ws_bgzf_reuse(ws_bgzf *g, uint64_t from) {
    g->packed.n = 0;
    g->from = from;
}

int ws_bgzf_add(ws_bgzf *g, const uint8_t *p, size_t size, ws_err *err) { return ws_buf_add(&g->packed, p, size, err); }

size_t ws_bgzf_bytes(const ws_bgzf *g) { return g->packed.n; }

/* Returns whether a block is in order. */
static int take(ws_bgzf *g, const uint8_t *p, size_t size, uint8_t *out, size_t text) {
    const size_t begin = HEADER + u16(p + 10), n = size - TRAILER - begin;
    const uint32_t crc = u32(p + size - TRAILER);
    if (g->quick) return ws_igzip_whole(g->quick, p + begin, n, out, text, crc);
    if (inflateReset(&g->z) != Z_OK) ws_bug("inflateReset");
    g->z.next_in = (z_const Bytef *)(p + begin);
    g->z.avail_in = (uInt)n;
    g->z.next_out = out;
    g->z.avail_out = (uInt)text;
    return inflate(&g->z, Z_FINISH) == Z_STREAM_END && !g->z.avail_in && !g->z.avail_out &&
           crc32(crc32(0, NULL, 0), out, (uInt)text) == crc;
}

/* Fails with what is wrong with the block at byte `at`. */
static int damaged(const uint8_t *p, size_t size, uint64_t at, ws_err *err) {
    uint8_t *out = ws_alloc(TEXT_MAX, err);
    ws_inflate *f = out ? ws_inflate_create(0, err) : NULL;
    const uint64_t before = at ? 1 : 0;
    int rc = f ? WS_OK : err->code;
    if (f) ws_inflate_resume(f, at, before, 0);
    for (size_t i = 0, nin = 1, nout = 1; !rc && nin + nout; i += nin) {
        nin = size - i;
        nout = TEXT_MAX;
        rc = ws_inflate_step(f, p + i, &nin, out, &nout, err);
    }
    /* what follows a member that ends too soon may be damaged too */
    if (f && (!rc || ws_inflate_members(f) > before))
        rc = ws_fail(err, WS_EDATA,
                     "the gzip data are damaged at byte %llu: a block (BGZF) does not have the %zu bytes that it says",
                     (unsigned long long)at, size);
    ws_inflate_destroy(f);
    ws_free(out);
    return rc;
}

int ws_bgzf_inflate(ws_bgzf *g, uint8_t *out, size_t *nout, ws_err *err) {
    const uint8_t *p = (const uint8_t *)g->packed.p;
    *nout = 0;
    for (size_t i = 0, size, text; i < g->packed.n; i += size, *nout += text) {
        if (ws_bgzf_find(p + i, g->packed.n - i, &size, &text)) ws_bug("a block of BGZF");
        if (!take(g, p + i, size, out + *nout, text)) return damaged(p + i, size, g->from + i, err);
    }
    return WS_OK;
}
