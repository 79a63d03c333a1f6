/* SPDX-License-Identifier: MIT
 * A record that is cut in parts, because it is long or came in pieces. Internal to lib/translate. */
#ifndef WS_TRANSLATE_RECORD_H
#define WS_TRANSLATE_RECORD_H

#include "lib/translate/cut.h"

typedef struct ws_record {
    int whole;          /* all of it is there, and not all is cut */
    ws_bases bases;
    ws_cut_text text;
    int minus;          /* the strand that is cut */
    uint64_t at;        /* where its next part begins ... */
    uint64_t open[WS_FRAMES]; /* ... and what is open there */

    /* of one that comes in pieces */
    ws_buf word, header; /* words that are not in the file; name and description */
    uint8_t code[WS_RESIDUES_PER_WORD]; /* bases of this record and of ones before it that fill no word yet */
    size_t ncode;
    uint64_t n;          /* bases in the words */
    int has_file, fd;
    ws_cut_room room;
} ws_record;

void ws_record_release(ws_record *r);

/* Begins with a record that is sequence i of a batch, which stays until it is cut. */
void ws_record_begin(ws_record *r, const ws_batch *b, size_t i, int minus);
/* Adds a piece, or a whole record; sequence i of a batch. With the last one the record begins. hold: bytes in memory.
 * WS_ENOMEM, WS_EIO. */
int ws_record_add(ws_record *r, const ws_batch *b, size_t i, size_t hold, const ws_codec *codec, int minus,
                  ws_err *err);
/* Puts the bases of a record that has fewer than a codon before those of the next one that is added. */
void ws_record_join(ws_record *r, const ws_batch *b, size_t i);
static inline int ws_record_joins(const ws_record *r) { return r->ncode > 0; }

/* Sets *s to the next part, of at most so many codons. both: after the one strand comes the other. Fails as
 * ws_cut_open_at. */
int ws_record_next(ws_record *r, const ws_cut *c, uint64_t most, int both, ws_span *s, ws_err *err);

#endif
