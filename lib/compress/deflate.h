/* SPDX-License-Identifier: MIT
 * Data as a gzip member. */
#ifndef WS_COMPRESS_DEFLATE_H
#define WS_COMPRESS_DEFLATE_H

#include "lib/base/mem.h"

/* Appends p[0..n) as one gzip member without name and time, so that the same data give the same bytes. A file may
 * have many members, one after the other. WS_ENOMEM is the only failure. */
int ws_gzip_add(ws_buf *out, const void *p, size_t n, ws_err *err);

#endif
