/* SPDX-License-Identifier: MIT
 * gzip members through zlib: see lib/io/inflate.h. Several members (BGZF is that), empty ones and zero padding behind
 * the last are legal; everything else behind a member is an error, because it would be lost in silence. */
#include "lib/io/inflate.h"

#include "lib/base/mem.h"

#include <zlib.h>

typedef enum place { BETWEEN, INSIDE, PADDING } place;

struct ws_inflate {
    z_stream z;
    place place;
    int full; /* the last output was filled up, so that zlib may hold more without further input */
    uint64_t taken, members; /* compressed bytes used so far; complete members */
};

enum { GZIP_ONLY = 16 + MAX_WBITS };

ws_inflate *ws_inflate_create(ws_err *err) {
    ws_inflate *f = ws_calloc(1, sizeof *f, err);
    if (!f) return NULL;
    if (inflateInit2(&f->z, GZIP_ONLY) != Z_OK) {
        ws_fail_nomem(err, 1 << 15);
        ws_free(f);
        return NULL;
    }
    return f;
}

void ws_inflate_destroy(ws_inflate *f) {
    if (f) inflateEnd(&f->z);
    ws_free(f);
}

static int garbage(const ws_inflate *f, const char *p, size_t n, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    return ws_fail(err, WS_EDATA,
                   "byte %llu of the gzip data is neither the start of a member nor zero padding: \"%s\" follows",
                   (unsigned long long)f->taken, ws_quote(quote, p, n));
}

/* What stands behind a member: another, padding, or what should not be there. Returns the bytes passed over. */
static int between(ws_inflate *f, const uint8_t *in, size_t n, size_t *used, ws_err *err) {
    size_t i = 0;
    if (f->place == BETWEEN && in[0] == 0) f->place = PADDING;
    if (f->place == PADDING) {
        while (i < n && in[i] == 0) i++;
        f->taken += i;
        *used = i;
        return i < n ? garbage(f, (const char *)in + i, n - i, err) : WS_OK;
    }
    *used = 0;
    if (in[0] != 0x1f) return garbage(f, (const char *)in, n, err);
    if (inflateReset(&f->z) != Z_OK) ws_bug("inflateReset");
    f->place = INSIDE;
    return WS_OK;
}

static int damaged(const ws_inflate *f, int z, ws_err *err) {
    if (z == Z_MEM_ERROR) return ws_fail_nomem(err, 1 << 15);
    /* one byte of a member's magic was right and the next was not */
    if (f->members && f->z.total_in <= 2)
        return ws_fail(err, WS_EDATA, "byte %llu of the gzip data is neither the start of a member nor zero padding",
                       (unsigned long long)(f->taken - f->z.total_in));
    return ws_fail(err, WS_EDATA, "the gzip data are damaged at byte %llu: %s", (unsigned long long)f->taken,
                   f->z.msg ? f->z.msg : "not a gzip member");
}

int ws_inflate_step(ws_inflate *f, const uint8_t *in, size_t *nin, uint8_t *out, size_t *nout, ws_err *err) {
    size_t i = 0, o = 0;
    int rc = WS_OK;
    while (!rc && o < *nout && (i < *nin || f->full)) {
        size_t used;
        if (f->place != INSIDE) {
            rc = between(f, in + i, *nin - i, &used, err);
            i += used;
            continue;
        }
        const uInt give = (uInt)ws_min(*nin - i, 1 << 30), room = (uInt)ws_min(*nout - o, 1 << 30);
        f->z.next_in = (z_const Bytef *)(in + i);
        f->z.avail_in = give;
        f->z.next_out = out + o;
        f->z.avail_out = room;
        const int z = inflate(&f->z, Z_NO_FLUSH);
        i += give - f->z.avail_in;
        f->taken += give - f->z.avail_in;
        o += room - f->z.avail_out;
        f->full = f->z.avail_out == 0;
        if (z == Z_STREAM_END) {
            f->place = BETWEEN;
            f->full = 0;
            f->members++;
        } else if (z != Z_OK && z != Z_BUF_ERROR) {
            rc = damaged(f, z, err);
        }
    }
    *nin = i;
    *nout = o;
    return rc;
}

int ws_inflate_end(const ws_inflate *f, ws_err *err) {
    if (f->place != INSIDE) return WS_OK;
    return ws_fail(err, WS_EDATA, "the gzip data end inside a member after %llu bytes, so they were cut",
                   (unsigned long long)f->taken);
}
