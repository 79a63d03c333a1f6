/* SPDX-License-Identifier: MIT
 * The place of an ORF in the contig that it was cut from, as its description tells it. sixframe and Easel's
 * esl-translate write such descriptions:
 *
 *   source=CONTIG coords=FROM..TO length=RESIDUES frame=1..6 desc=TEXT
 */
#ifndef WS_HITS_ORF_H
#define WS_HITS_ORF_H

#include "lib/hits/hits.h"

/* Bases count from 1 on the contig's + strand; from > to on the other one. */
typedef struct ws_orf {
    const char *contig; /* in the description, without NUL */
    size_t ncontig;
    uint64_t from, to; /* the first base of the first codon, the last base of the last codon */
    int frame;         /* 1 to 3, on the other strand 4 to 6 */
    int minus;
} ws_orf;

/* Reads the place of a sequence of L residues from its description. It takes numbers from these fields alone, which the
 * description begins with. WS_EDATA with a sentence about the sequence where it does not, or where they contradict one
 * another or L. */
int ws_orf_read(ws_orf *o, const char *name, size_t nname, const char *desc, size_t ndesc, uint64_t L, ws_err *err);

/* Reads the place of a held target, which the list keeps as long. Fails as ws_orf_read. */
int ws_held_orf(const ws_held *h, ws_orf *o, ws_err *err);

/* Returns the first base of residue i, counted from 1; the last one. */
static inline uint64_t ws_orf_first(const ws_orf *o, uint64_t i) {
    return o->minus ? o->from - 3 * (i - 1) : o->from + 3 * (i - 1);
}
static inline uint64_t ws_orf_last(const ws_orf *o, uint64_t i) {
    return o->minus ? ws_orf_first(o, i) - 2 : ws_orf_first(o, i) + 2;
}

#endif
