/* SPDX-License-Identifier: MIT
 * Genetic codes: which residue a codon stands for, and which codons begin a protein. Tables are NCBI's, by their
 * numbers. */
#ifndef WS_TRANSLATE_CODE_H
#define WS_TRANSLATE_CODE_H

#include "lib/simd/codec.h"

/* Which codons an ORF may begin with: any that is no stop; ATG; those that the table names. With the last two the first
 * residue is M, whatever the codon. */
typedef enum ws_starts { WS_STARTS_ANY, WS_STARTS_ATG, WS_STARTS_TABLE } ws_starts;

typedef struct ws_gencode {
    /* bases: codes of lib/base/alphabet.h. A codon's residue is X where its bases leave open which one, '*' of a stop.
     * WS_CODON_START: each codon that it may be begins an ORF. */
    ws_codons codons;
    int first; /* code of the first residue of each ORF; -1: what its codon says */
} ws_gencode;

/* Returns what a codon of three bases is, as in ws_codons. */
static inline unsigned ws_codon(const ws_gencode *g, const uint8_t *base) {
    return g->codons.of[base[0] << 10 | base[1] << 5 | base[2]];
}

/* Returns WS_EUSAGE if there is no table of that number; `option` is what chose it, as it is typed. */
int ws_gencode_check(long long table, const char *option, ws_err *err);
/* Makes *g of a table that is there. */
void ws_gencode_make(ws_gencode *g, long long table, ws_starts starts);

#endif
