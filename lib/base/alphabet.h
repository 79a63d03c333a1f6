/* SPDX-License-Identifier: MIT
 * The digital alphabets of HMMER (specification profile-filters.md, section 2): codes, letters, degenerate residues.
 * They stand in lib/base because the readers digitise and the models score by the same table. */
#ifndef WS_BASE_ALPHABET_H
#define WS_BASE_ALPHABET_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ws_abc_type { WS_ABC_RNA = 1, WS_ABC_DNA = 2, WS_ABC_AMINO = 3 } ws_abc_type; /* the numbers of HMMER's binary files */

enum {
    WS_KP_MAX = 29,
    /* values of code_of[] that are no residue codes */
    WS_C_SKIP = 0xf0, /* space, tab, CR: ignored inside a sequence */
    WS_C_EOL = 0xf1,  /* LF */
    WS_C_RECORD = 0xf2, /* '>': ends the record wherever it stands, as in HMMER */
    WS_C_BAD = 0xff   /* anything else: --bad-residue decides */
};

typedef struct ws_abc {
    ws_abc_type type;
    const char *name;       /* "amino", "DNA", "RNA" */
    int K, Kp;              /* canonical residues (20, 4), all codes (29, 18) */
    int any;                /* code of X or N */
    const char *letters;    /* Kp letters by code; the gap prints as '.', which readers of FASTA accept, '-' they do not */
    uint8_t code_of[256];   /* character -> code or WS_C_* */
    uint32_t contains[WS_KP_MAX]; /* bit y set: degenerate code contains canonical y; 0 for gap, '*', '~' */
    float background[20];   /* f(x), section 3.1 */
} ws_abc;

/* The alphabet of a type; static, never released. */
const ws_abc *ws_abc_get(ws_abc_type type);

#ifdef __cplusplus
}
#endif
#endif
