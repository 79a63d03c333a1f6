/* SPDX-License-Identifier: MIT
 * gzip members for writing: see lib/compress/deflate.h. */
#include "lib/compress/deflate.h"

#include <zlib.h>

enum { GZIP = 16 + 15, MEMORY = 8, MOST = 1 << 30 /* zlib counts in 32 bits */ };

static int no_memory(ws_err *err) { return ws_fail(err, WS_ENOMEM, "not enough memory for a deflater"); }

int ws_gzip_add(ws_buf *out, const void *p, size_t n, ws_err *err) {
    z_stream z = {0};
    const Bytef *from = p;
    int rc = WS_OK, done = 0;
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return no_memory(err);
    for (size_t left = n; !rc && !done;) {
        const size_t some = ws_min(left, MOST);
        if (z.avail_in == 0) {
            z.next_in = (Bytef *)(uintptr_t)from; /* zlib reads it only */
            z.avail_in = (uInt)some;
            from += some;
            left -= some;
        }
        rc = ws_buf_reserve(out, 1 << 16, err);
        if (rc) break;
        z.next_out = (Bytef *)out->p + out->n;
        z.avail_out = 1 << 16;
        done = deflate(&z, left == 0 ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_END;
        out->n += (1 << 16) - z.avail_out;
    }
    deflateEnd(&z);
    return rc;
}
