/* SPDX-License-Identifier: MIT
 * gzip members, one after another, as one stream: the part of lib/compress/feed.c that knows zlib. */
#ifndef WS_COMPRESS_INFLATE_H
#define WS_COMPRESS_INFLATE_H

#include "lib/base/ws.h"

typedef struct ws_inflate ws_inflate;

/* Returns zlib's version. */
const char *ws_inflate_version(void);

/* Makes the state for data that begin with the gzip magic. can_rewind: the caller can go back in its input. Then
 * ISA-L inflates, if the build has it. Where ISA-L does not come through, zlib inflates that member from its beginning:
 * so bytes and sentences are those of zlib, but for codes that only zlib refuses (lib/compress/igzip.h). NULL and a
 * sentence on failure. */
ws_inflate *ws_inflate_create(int can_rewind, ws_err *err);
void ws_inflate_destroy(ws_inflate *f); /* NULL is legal */

/* Begins at byte `taken` of the data, behind so many members. bgzf_open: the last of them was a block of BGZF that had
 * bytes, so that more blocks must follow. */
void ws_inflate_resume(ws_inflate *f, uint64_t taken, uint64_t members, int bgzf_open);

/* Returns how many members are complete. */
uint64_t ws_inflate_members(const ws_inflate *f);

/* Returns 1 if the caller must go back, and give next what is at byte *to of the data. It asks after each call of
 * ws_inflate_step and ws_inflate_let_go. */
int ws_inflate_rewinds(ws_inflate *f, uint64_t *to);

/* Takes from in[0..*nin) and gives to out[0..*nout); both are set to what was used. If out was filled up there may be
 * more to come without further input. WS_OK, or a sentence (without the input's name) that holds after the *nout
 * bytes. The text of a member's last deflate block (1 MiB at most) and of a whole block of BGZF comes out once
 * the member's checksum is right. */
int ws_inflate_step(ws_inflate *f, const uint8_t *in, size_t *nin, uint8_t *out, size_t *nout, ws_err *err);

/* Lets the bytes go that wait for a checksum, since the input has ended without it. Returns 1 if there are such bytes,
 * for the next ws_inflate_step, or if the caller must go back. */
int ws_inflate_let_go(ws_inflate *f);

/* Returns, after that, WS_OK if the input could end, else the sentence for a cut member or for BGZF without its end
 * block. */
int ws_inflate_end(const ws_inflate *f, ws_err *err);

#endif
