/* SPDX-License-Identifier: MIT
 * The digital alphabets of HMMER: codes, letters, degenerate residues. lib/base holds them because readers digitise
 * and models score by the same table. Source: specification profile-filters.md, section 2. */
#ifndef WS_BASE_ALPHABET_H
#define WS_BASE_ALPHABET_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* the numbers of HMMER's binary files */
typedef enum ws_abc_type { WS_ABC_RNA = 1, WS_ABC_DNA = 2, WS_ABC_AMINO = 3 } ws_abc_type;

enum {
    WS_KP_MAX = 29,
    /* values of code_of[] that are not residue codes */
    WS_C_SKIP = 0xf0, /* space, tab, CR: ignored inside a sequence */
    WS_C_EOL = 0xf1,  /* LF */
    WS_C_RECORD = 0xf2, /* '>': ends the record wherever it occurs, as in HMMER */
    WS_C_BAD = 0xff   /* anything else: --bad-residue decides */
};

typedef struct ws_abc {
    ws_abc_type type;
    const char *name;       /* "amino", "DNA", "RNA" */
    int K, Kp;              /* canonical residues (20, 4), all codes (29, 18) */
    int any;                /* code of X or N */
    const char *letters;    /* Kp letters by code; the gap prints as '.', because FASTA readers refuse '-' */
    uint8_t code_of[256];   /* character -> code or WS_C_* */
    uint32_t contains[WS_KP_MAX]; /* bit y set: degenerate code contains canonical y; 0 for gap, '*', '~' */
    float background[20];   /* f(x), section 3.1 */
    /* [32]: the code on the other strand, or the same code where there is none; NULL for proteins */
    const uint8_t *complement;
} ws_abc;

/* Returns the alphabet of a type. It is static: the caller does not release it. */
const ws_abc *ws_abc_get(ws_abc_type type);

#ifdef __cplusplus
}
#endif
#endif
