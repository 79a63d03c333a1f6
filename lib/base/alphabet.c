/* SPDX-License-Identifier: MIT
 * The three digital alphabets as constant tables. Specification profile-filters.md, sections 2.1, 2.3 and 3.1. */
#include "lib/base/alphabet.h"

#include "lib/base/ws.h"

/* Ranges of bytes between the residue letters, which no alphabet accepts. They include '-' and the digits: HMMER
 * refuses these in FASTA, and reads '.' and '_' as a residue that no match state emits. The ranges [a ... b] are a
 * GNU extension of gcc and clang; without it, each table would list 256 entries. */
#define BAD WS_C_BAD
#define NO_RESIDUES                                                                                                    \
    [0 ... 8] = BAD, ['\t'] = WS_C_SKIP, ['\n'] = WS_C_EOL, [11 ... 12] = BAD, ['\r'] = WS_C_SKIP, [14 ... 31] = BAD,  \
    [' '] = WS_C_SKIP, [33 ... 41] = BAD, [43 ... 45] = BAD, [47 ... 61] = BAD, \
    ['>'] = WS_C_RECORD, [63 ... 64] = BAD, \
    [91 ... 94] = BAD, [96] = BAD, [123 ... 125] = BAD, [127 ... 255] = BAD
#define BOTH(upper, code) [upper] = (code), [(upper) + ('a' - 'A')] = (code)
#define SYMBOLS(gap, non, missing) ['.'] = (gap), ['_'] = (gap), ['*'] = (non), ['~'] = (missing)

/* Bits of a degenerate code's set. */
#define B(code) (UINT32_C(1) << (code))

static const ws_abc amino = {
    .type = WS_ABC_AMINO,
    .name = "amino",
    .K = 20,
    .Kp = 29,
    .any = 26,
    .letters = "ACDEFGHIKLMNPQRSTVWY.BJZOUX*~",
    .code_of = {NO_RESIDUES, SYMBOLS(20, 27, 28),
                BOTH('A', 0),  BOTH('C', 1),  BOTH('D', 2),  BOTH('E', 3),  BOTH('F', 4),  BOTH('G', 5),  BOTH('H', 6),
                BOTH('I', 7),  BOTH('K', 8),  BOTH('L', 9),  BOTH('M', 10), BOTH('N', 11), BOTH('P', 12), BOTH('Q', 13),
                BOTH('R', 14), BOTH('S', 15), BOTH('T', 16), BOTH('V', 17), BOTH('W', 18), BOTH('Y', 19), BOTH('B', 21),
                BOTH('J', 22), BOTH('Z', 23), BOTH('O', 24), BOTH('U', 25), BOTH('X', 26)},
    .contains = {B(0),  B(1),  B(2),  B(3),  B(4),  B(5),  B(6),  B(7),  B(8),  B(9),
                 B(10), B(11), B(12), B(13), B(14), B(15), B(16), B(17), B(18), B(19),
                 [21] = B(2) | B(11), /* B = D N */
                 [22] = B(7) | B(9),  /* J = I L */
                 [23] = B(3) | B(13), /* Z = E Q */
                 [24] = B(8),         /* O, pyrrolysine = K */
                 [25] = B(1),         /* U, selenocysteine = C */
                 [26] = B(20) - 1},
    .background = {0.0787945f, 0.0151600f, 0.0535222f, 0.0668298f, 0.0397062f, 0.0695071f, 0.0229198f,
                   0.0590092f, 0.0594422f, 0.0963728f, 0.0237718f, 0.0414386f, 0.0482904f, 0.0395639f,
                   0.0540978f, 0.0683364f, 0.0540687f, 0.0673417f, 0.0114135f, 0.0304133f},
};

/* DNA and RNA differ only in the letter of code 3. Each reads the other's letter, as Easel does. */
#define NUCLEOTIDE_CODES                                                                                               \
    {NO_RESIDUES, SYMBOLS(4, 16, 17), ['E'] = BAD, ['e'] = BAD, ['F'] = BAD, ['f'] = BAD, ['J'] = BAD, ['j'] = BAD,    \
     ['L'] = BAD, ['l'] = BAD, ['O'] = BAD, ['o'] = BAD, ['P'] = BAD, ['p'] = BAD, ['Q'] = BAD, ['q'] = BAD,           \
     ['Z'] = BAD, ['z'] = BAD,                                                                                         \
     BOTH('A', 0), BOTH('C', 1), BOTH('G', 2), BOTH('T', 3), BOTH('U', 3), BOTH('R', 5), BOTH('Y', 6), BOTH('M', 7),   \
     BOTH('K', 8), BOTH('S', 9), BOTH('W', 10), BOTH('H', 11), BOTH('B', 12), BOTH('V', 13), BOTH('D', 14),            \
     BOTH('N', 15), BOTH('X', 15), BOTH('I', 0) /* inosine pairs like G but is an edited A */}
#define NUCLEOTIDE_SETS                                                                                                \
    {B(0), B(1), B(2), B(3), 0,                                                                                        \
     B(0) | B(2), B(1) | B(3), B(0) | B(1), B(2) | B(3), B(1) | B(2), B(0) | B(3), /* R Y M K S W */                   \
     B(0) | B(1) | B(3), B(1) | B(2) | B(3), B(0) | B(1) | B(2), B(0) | B(2) | B(3), /* H B V D */                     \
     B(4) - 1}

/* A-T C-G R-Y M-K H-D B-V. S, W, N, the gap, '*', '~' and unused codes map to themselves. */
static const uint8_t other_strand[32] = {3,  2,  1,  0,  4,  6,  5,  8,  7,  9,  10, 14, 13, 12, 11, 15,
                                         16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

#define NUCLEOTIDES \
    .K = 4, .Kp = 18, .any = 15, .code_of = NUCLEOTIDE_CODES, .contains = NUCLEOTIDE_SETS, \
    .background = {0.25f, 0.25f, 0.25f, 0.25f}, \
    .complement = other_strand

static const ws_abc dna = {.type = WS_ABC_DNA, .name = "DNA", .letters = "ACGT.RYMKSWHBVDN*~", NUCLEOTIDES};
static const ws_abc rna = {.type = WS_ABC_RNA, .name = "RNA", .letters = "ACGU.RYMKSWHBVDN*~", NUCLEOTIDES};

const ws_abc *ws_abc_get(ws_abc_type type) {
    switch (type) {
    case WS_ABC_AMINO: return &amino;
    case WS_ABC_DNA: return &dna;
    case WS_ABC_RNA: return &rna;
    }
    ws_bug("no such alphabet");
}
