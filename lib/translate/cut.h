/* SPDX-License-Identifier: MIT
 * ORFs of a strand, in the order in which they end: the order, the names and the descriptions of esl-translate.
 *
 * A strand's places count from 0 in its own direction. The codons that begin at places of one remainder by 3 are a
 * frame. An ORF of a frame ends before a stop codon, or with the frame's last whole codon; it begins at the first codon
 * behind the stop codon before it that the genetic code lets begin one.
 *
 * ORFs are found first, without text and without numbers. Once the ORFs before them are counted, they are written, each
 * once, to where they stand in a batch. Both are the work of any thread. Internal to lib/translate. */
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

/* Returns n bases of a strand from a place on, and WS_BASES_SLACK bytes of any content, until the next call with the
 * same memory; NULL and a sentence without memory, or if the file cannot be read. */
enum { WS_BASES_SLACK = 3 * WS_FRAME_STEP + 3 };
uint8_t *ws_bases_get(const ws_bases *b, const ws_codec *codec, int minus, uint64_t from, size_t n, ws_cut_room *room,
                      ws_err *err);

/* The texts that name an ORF. */
typedef struct ws_cut_text {
    const char *name, *desc;
    size_t nname, ndesc;
} ws_cut_text;

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

/* An ORF of one of several spans. */
typedef struct ws_cut_orf {
    uint64_t from;    /* the place of its first base */
    uint32_t n;       /* residues */
    uint32_t span;    /* its number */
    uint32_t residue; /* where they are in ws_cut_orfs.residue; WS_CUT_FAR: nowhere, since it begins before the span */
} ws_cut_orf;
#define WS_CUT_FAR UINT32_MAX

typedef struct ws_cut_orfs {
    ws_cut_orf *orf;
    size_t n, cap;
    ws_buf residue; /* codes */
} ws_cut_orfs;
void ws_cut_orfs_release(ws_cut_orfs *o);

/* Appends the ORFs of a span, the next of several that have fewer than 2^24 codons in all. WS_ENOMEM, WS_EIO, or
 * WS_EDATA for an ORF that is too long for a batch; those before it are there. */
int ws_cut_find(const ws_cut *c, const ws_span *s, uint32_t number, ws_cut_room *room, ws_cut_orfs *to, ws_err *err);

/* Where ORFs stand in a batch, and the number of the first one in its name. */
typedef struct ws_cut_place {
    size_t seq, word, text;
    uint64_t number;
} ws_cut_place;
/* Moves a place behind an ORF, as far as its text may reach. */
void ws_cut_pass(ws_cut_place *to, const ws_span *span, const ws_cut_orf *o);
/* Between places that several threads write to are so many words. */
enum { WS_CUT_GAP = 16 };

/* Writes ORFs first .. end - 1 to a batch that has room for them. Returns where its text ends in *text. WS_ENOMEM,
 * WS_EIO. */
int ws_cut_write(const ws_cut *c, const ws_span *span, const ws_cut_orfs *from, size_t first, size_t end,
                 ws_cut_place to, ws_batch *b, size_t *text, ws_err *err);

/* Sets open[] to what is open at `hi`, given what is open at `lo` of the same strand. Looks at no more than it must.
 * WS_ENOMEM, WS_EIO. */
int ws_cut_open_at(const ws_cut *c, const ws_span *s, uint64_t open[WS_FRAMES], ws_cut_room *room, ws_err *err);

#endif
