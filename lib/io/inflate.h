/* SPDX-License-Identifier: MIT
 * gzip members, one after another, as one stream: the part of lib/io/source.c that knows zlib. */
#ifndef WS_IO_INFLATE_H
#define WS_IO_INFLATE_H

#include "lib/base/ws.h"

typedef struct ws_inflate ws_inflate;

/* Makes the state for data that begin with the gzip magic. NULL and a sentence on failure. */
ws_inflate *ws_inflate_create(ws_err *err);
void ws_inflate_destroy(ws_inflate *f); /* NULL is legal */

/* Takes from in[0..*nin) and gives to out[0..*nout); both are set to what was used. If out was filled up there may be
 * more to come without further input. WS_OK, or a sentence (without the input's name) that holds after the *nout
 * bytes. The text of a member's last deflate block (1 MiB at most) and of a whole block of BGZF comes out once
 * the member's checksum is right. */
int ws_inflate_step(ws_inflate *f, const uint8_t *in, size_t *nin, uint8_t *out, size_t *nout, ws_err *err);

/* Lets the bytes go that wait for a checksum, since the input has ended without it. Returns 1 if there are such bytes,
 * for the next ws_inflate_step. */
int ws_inflate_let_go(ws_inflate *f);

/* Returns, after that, WS_OK if the input could end, else the sentence for a cut member or for BGZF without its end
 * block. */
int ws_inflate_end(const ws_inflate *f, ws_err *err);

#endif
