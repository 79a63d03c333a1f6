/* SPDX-License-Identifier: MIT
 * The phrase of a block of packed pairs: what most of its descriptions have in common stands once. Descriptions of one
 * database all hold " OS=Escherichia coli (strain K12) OX=83333 GN=", or the like: four tenths of the bytes of their
 * texts. Internal to lib/stream. */
#ifndef WS_STREAM_PHRASE_H
#define WS_STREAM_PHRASE_H

#include "lib/stream/batch.h"

enum { WS_PHRASE_MAX = 255 };

/* The writer's. Zero-initialise; ws_phrase_release. */
typedef struct ws_phrase {
    char p[WS_PHRASE_MAX]; /* n bytes, of the last block; 0: none */
    size_t n;
    ws_buf text;           /* of the block, with a zero byte for the phrase in a description */
    ws_seqtext *seqtext;
    size_t cap;
} ws_phrase;

/* Makes *with of a batch, whose memory it shares, with the phrase taken out of the descriptions. The phrase is that of
 * the block before if half of the descriptions hold it; else it is looked for. Where it saves nothing *with equals the
 * batch and x->n is 0. WS_ENOMEM. */
int ws_phrase_take_out(ws_phrase *x, const ws_batch *b, ws_batch *with, ws_err *err);
void ws_phrase_release(ws_phrase *x);

/* Appends a description with the phrase in place of each zero byte. WS_ENOMEM. */
int ws_phrase_put_back(const char *phrase, size_t nphrase, const char *desc, size_t n, ws_buf *out, ws_err *err);

#endif
