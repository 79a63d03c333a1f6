/* SPDX-License-Identifier: MIT
 * Genetic codes: see lib/translate/code.h. */
#include "lib/translate/code.h"

#include "lib/base/alphabet.h"

#include <stdio.h>
#include <string.h>

/* NCBI's tables, as of those that esl-translate of Easel 0.49 knows: residues of the codons TTT TTC TTA TTG TCT ..
 * GGG, and an M for each codon that begins a protein. */
static const struct {
    int number;
    const char *residue, *start;
} tables[] = {
    {1, "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
     "---M---------------M---------------M----------------------------"},
    {2, "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSS**VVVVAAAADDEEGGGG",
     "--------------------------------MMMM---------------M------------"},
    {3, "FFLLSSSSYY**CCWWTTTTPPPPHHQQRRRRIIMMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
     "----------------------------------MM----------------------------"},
    {4, "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
     "--MM---------------M------------MMMM---------------M------------"},
    {5, "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSSSSVVVVAAAADDEEGGGG",
     "---M----------------------------MMMM---------------M------------"},
    {6, "FFLLSSSSYYQQCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
     "-----------------------------------M----------------------------"},
    {9, "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNNKSSSSVVVVAAAADDEEGGGG",
     "-----------------------------------M---------------M------------"},
    {10, "FFLLSSSSYY**CCCWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
     "-----------------------------------M----------------------------"},
    {11, "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
     "---M---------------M------------MMMM---------------M------------"},
    {12, "FFLLSSSSYY**CC*WLLLSPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
     "-------------------M---------------M----------------------------"},
    {13, "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSSGGVVVVAAAADDEEGGGG",
     "---M------------------------------MM---------------M------------"},
    {14, "FFLLSSSSYYY*CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNNKSSSSVVVVAAAADDEEGGGG",
     "-----------------------------------M----------------------------"},
    {16, "FFLLSSSSYY*LCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
     "-----------------------------------M----------------------------"},
    {21, "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNNKSSSSVVVVAAAADDEEGGGG",
     "-----------------------------------M---------------M------------"},
    {22, "FFLLSS*SYY*LCC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
     "-----------------------------------M----------------------------"},
    {23, "FF*LSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
     "--------------------------------M--M---------------M------------"},
    {24, "FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSSKVVVVAAAADDEEGGGG",
     "---M---------------M---------------M---------------M------------"},
    {25, "FFLLSSSSYY**CCGWLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG",
     "---M-------------------------------M---------------M------------"},
};
enum { NTABLES = sizeof tables / sizeof *tables, BASES = 4 };

/* Returns the place in a table of the codon of three canonical bases, whose codes are in the order ACGT. */
static int place(int a, int b, int c) {
    static const int of[BASES] = {2, 1, 3, 0}; /* in the order TCAG */
    return 16 * of[a] + 4 * of[b] + of[c];
}

/* Returns the codons that one with degenerate bases may be: their bits are set, by `place`. A gap is no base. */
static uint64_t meanings(const ws_abc *dna, const int *base) {
    uint64_t may = 0;
    const uint32_t set[3] = {dna->contains[base[0]], dna->contains[base[1]], dna->contains[base[2]]};
    for (int a = 0; a < BASES; a++)
        for (int b = 0; b < BASES; b++)
            for (int c = 0; c < BASES; c++)
                if (set[0] >> a & set[1] >> b & set[2] >> c & 1) may |= UINT64_C(1) << place(a, b, c);
    return may;
}

static int begins(int t, int at, ws_starts starts) {
    if (starts == WS_STARTS_ANY) return tables[t].residue[at] != '*';
    return starts == WS_STARTS_ATG ? at == place(0, 3, 2) : tables[t].start[at] == 'M';
}

/* Returns what a codon is. */
static uint8_t codon_of(int t, ws_starts starts, const int *base) {
    const ws_abc *amino = ws_abc_get(WS_ABC_AMINO);
    const uint64_t may = meanings(ws_abc_get(WS_ABC_DNA), base);
    int residue = -1, all = may != 0;
    for (int at = 0; at < BASES * BASES * BASES; at++) {
        if (!(may >> at & 1)) continue;
        const int r = amino->code_of[(uint8_t)tables[t].residue[at]];
        residue = residue < 0 || residue == r ? r : amino->any;
        all &= begins(t, at, starts);
    }
    if (residue < 0) residue = amino->any;
    return (uint8_t)(residue | (residue == amino->code_of['*'] ? WS_CODON_STOP : 0) | (all ? WS_CODON_START : 0));
}

static int find(long long table) {
    int t = 0;
    while (t < NTABLES && tables[t].number != table) t++;
    return t;
}

int ws_gencode_check(long long table, const char *option, ws_err *err) {
    char list[8 * NTABLES] = "";
    if (find(table) < NTABLES) return WS_OK;
    for (int t = 0; t < NTABLES; t++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%d",
                 t == 0 ? "" : t + 1 < NTABLES ? ", " : " and ", tables[t].number);
    return ws_fail(err, WS_EUSAGE, "%s: there is no genetic code %lld; the tables of NCBI that are here are %s", option,
                   table, list);
}

void ws_gencode_make(ws_gencode *g, long long table, ws_starts starts) {
    const int t = find(table);
    ws_codons *c = &g->codons;
    g->first = starts == WS_STARTS_ANY ? -1 : ws_abc_get(WS_ABC_AMINO)->code_of['M'];
    memset(c->of, ws_abc_get(WS_ABC_AMINO)->any, sizeof c->of);
    for (int i = 0; i < (int)sizeof c->of; i++) {
        const int base[] = {i >> 10, i >> 5 & 31, i & 31}, Kp = ws_abc_get(WS_ABC_DNA)->Kp;
        if (base[0] < Kp && base[1] < Kp && base[2] < Kp) c->of[i] = codon_of(t, starts, base);
    }
    for (size_t i = 0; i < sizeof c->plain; i++) c->plain[i] = c->of[i >> 4 << 10 | (i >> 2 & 3) << 5 | (i & 3)];
}
