/* SPDX-License-Identifier: MIT
 * zstd frames, one after another, as one stream: the part of lib/compress/feed.c that knows libzstd. Its functions are
 * those of lib/compress/inflate.h. */
#ifndef WS_COMPRESS_UNZSTD_H
#define WS_COMPRESS_UNZSTD_H

#include "lib/base/ws.h"

typedef struct ws_unzstd ws_unzstd;

/* Returns libzstd's version; NULL in a build without it, which calls no other function of this file. */
const char *ws_unzstd_version(void);

/* Makes the state for data that begin with a zstd frame, or with a skippable one. NULL and a sentence on failure. */
ws_unzstd *ws_unzstd_create(ws_err *err);
void ws_unzstd_destroy(ws_unzstd *f); /* NULL is legal */

/* Takes from in[0..*nin) and gives to out[0..*nout); both are set to what was used. If out was filled up there may be
 * more to come without further input. WS_OK, or a sentence (without the input's name) that holds after the *nout
 * bytes. The text of a frame's last block (128 KiB at most) comes out once the frame's checksum, if it has one, is
 * right. */
int ws_unzstd_step(ws_unzstd *f, const uint8_t *in, size_t *nin, uint8_t *out, size_t *nout, ws_err *err);

/* Lets the bytes go that wait for a checksum, since the input has ended without it. Returns 1 if there are such bytes,
 * for the next ws_unzstd_step. */
int ws_unzstd_let_go(ws_unzstd *f);

/* Returns, after that, WS_OK if the input could end, else the sentence for a cut frame. */
int ws_unzstd_end(const ws_unzstd *f, ws_err *err);

#endif
