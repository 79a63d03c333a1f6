/* SPDX-License-Identifier: MIT
 * ORFs of a strand, in the order in which they end: the order, the names and the descriptions of esl-translate.
 *
 * A strand's places count from 0 in its own direction. The codons that begin at places of one remainder by 3 are a
 * frame. An ORF of a frame ends before a stop codon, or with the frame's last whole codon; it begins at the first codon
 * behind the stop codon before it that the genetic code lets begin one. Internal to lib/translate. */
#ifndef WS_TRANSLATE_CUT_H
#define WS_TRANSLATE_CUT_H

#include "lib/simd/codec.h"
#include "lib/stream/batch.h"
#include "lib/translate/code.h"

/* The bases of a record, in words as a batch has them: in memory, or from the beginning of a file on. */
typedef struct ws_bases {
    const uint32_t *word; /* NULL: they are in the file */
    int fd;
    uint64_t n;
} ws_bases;

/* Memory of a thread, of any content. */
typedef struct ws_cut_room {
    ws_buf word, code, other, work;
} ws_cut_room;
void ws_cut_room_release(ws_cut_room *room);

/* Returns n bases of a strand from a place on, until the next call with the same memory; NULL and a sentence without
 * memory, or if the file cannot be read. */
uint8_t *ws_bases_get(const ws_bases *b, const ws_codec *codec, int minus, uint64_t from, size_t n, ws_cut_room *room,
                      ws_err *err);

/* The texts that name an ORF. */
typedef struct ws_cut_text {
    const char *name, *desc;
    size_t nname, ndesc;
} ws_cut_text;

enum { WS_FRAMES = 3 };
#define WS_NO_PLACE UINT64_MAX

/* A part of a strand: the codons that begin at places lo .. hi - 1. Its ORFs are those that end there. */
typedef struct ws_span {
    ws_bases bases;
    ws_cut_text text;
    int minus;
    uint64_t lo, hi;
    uint64_t open[WS_FRAMES]; /* by the remainder of its place: where the ORF begins that is open at lo, before lo */
    int last;                 /* what is open at hi ends there, with the strand */
} ws_span;

/* Returns the places where codons may begin on a strand of n bases. */
static inline uint64_t ws_span_codons(uint64_t n) { return n < 3 ? 0 : n - 2; }

/* How to cut. */
typedef struct ws_cut {
    ws_gencode code;
    uint64_t least; /* residues of an ORF */
    const ws_codec *codec;
} ws_cut;

/* A name has this much room in a batch of ORFs, and the description follows. ws_cut_number writes the name into the end
 * of it. */
enum { WS_CUT_NAME = 24 };
void ws_cut_number(ws_batch *b, size_t i, uint64_t number);

/* Appends the ORFs of a span to a batch, without numbers, but for the first `skip` of them. Stops once the batch is
 * full, and adds what it has added to *skip; *whole: nothing of the span is left. WS_ENOMEM, WS_EIO, or WS_EDATA for an
 * ORF that is too long for a batch. */
int ws_cut_span(const ws_cut *c, const ws_span *s, ws_cut_room *room, ws_batch *to, uint64_t *skip, int *whole,
                ws_err *err);

/* Sets open[] to what is open at `hi`, given what is open at `lo` of the same strand. Looks at no more than it must.
 * WS_ENOMEM, WS_EIO. */
int ws_cut_open_at(const ws_cut *c, const ws_span *s, uint64_t open[WS_FRAMES], ws_cut_room *room, ws_err *err);

#endif
