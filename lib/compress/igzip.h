/* SPDX-License-Identifier: MIT
 * Deflate streams through ISA-L, which takes half of zlib's time. It finds the same damage, but says neither where nor
 * how. So callers that see a failure read the same bytes again through zlib. Codes that zlib refuses because a set of
 * them is incomplete are no damage here, where length and checksum of the text are right. */
#ifndef WS_COMPRESS_IGZIP_H
#define WS_COMPRESS_IGZIP_H

#include "lib/base/ws.h"

typedef struct ws_igzip ws_igzip;

/* Returns the version; NULL in a build without ISA-L, which calls no other function of this file. */
const char *ws_igzip_version(void);

/* Makes a state for one stream at a time. NULL and a sentence on failure. */
ws_igzip *ws_igzip_create(ws_err *err);
void ws_igzip_destroy(ws_igzip *z); /* NULL is legal */

/* Inflates a whole deflate stream. Returns 1 if it takes all nin bytes and gives exactly nout of this CRC, else 0. */
int ws_igzip_whole(ws_igzip *z, const uint8_t *in, size_t nin, uint8_t *out, size_t nout, uint32_t crc);

/* Begins a gzip member whose header the caller has taken. */
void ws_igzip_begin(ws_igzip *z);

typedef enum ws_igzip_at {
    WS_IGZIP_INSIDE, /* all that came out so far belongs to blocks before the last */
    WS_IGZIP_LAST,   /* the last block has begun */
    WS_IGZIP_END,    /* the member is complete, and its checksum and length are right */
    WS_IGZIP_FAILED
} ws_igzip_at;

/* Takes from in[0..*nin) and gives to out[0..*nout), each at most 1 GiB; both are set to what was used. Returns where
 * the stream is after that. If out was filled up there may be more to come without further input. */
ws_igzip_at ws_igzip_step(ws_igzip *z, const uint8_t *in, size_t *nin, uint8_t *out, size_t *nout);

#endif
