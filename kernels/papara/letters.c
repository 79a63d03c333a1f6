/* SPDX-License-Identifier: MIT
 * Characters to state masks and back. Source: specification papara.md, sections 3.2 and 4. */
#include "kernels/papara/papara.h"

#include <ctype.h>
#include <string.h>

static const char dna_letters[] = "_ACMGRSVTWYHKDB-"; /* letter of mask 0..15 */
static const char aa_letters[] = "ARNDCQEGHILKMFPSTWYV";

enum { ASX = 1 << 2 | 1 << 3, GLX = 1 << 5 | 1 << 6, XLE = 1 << 9 | 1 << 10 };

static void put(uint32_t mask[256], char c, uint32_t m) {
    mask[(unsigned char)c] = mask[tolower((unsigned char)c)] = m;
}

static void dna_masks(ws_papara_letters *l) {
    for (uint32_t m = 1; m < 15; m++) put(l->mask, dna_letters[m], m);
    put(l->mask, 'U', 8);
    for (const char *c = "N-?."; *c; c++) put(l->mask, *c, l->all);
}

static void aa_masks(ws_papara_letters *l) {
    for (uint32_t s = 0; s < 20; s++) put(l->mask, aa_letters[s], UINT32_C(1) << s);
    put(l->mask, 'B', ASX);
    put(l->mask, 'Z', GLX);
    put(l->mask, 'J', XLE);
    put(l->mask, 'U', l->mask['C']);
    put(l->mask, 'O', l->mask['K']);
    for (const char *c = "X-?.*"; *c; c++) put(l->mask, *c, l->all);
}

/* Sets the codes of a read's characters. Gaps, and with as_papara the residues that papara deletes, get the code of
 * a gap, which reads leave out. */
static void read_codes(ws_papara_letters *l, int protein, int as_papara) {
    uint8_t *code = l->abc.code_of;
    const uint8_t gap = code['.'];
    code['-'] = code['?'] = gap;
    code['_'] = code['~'] = WS_C_BAD;
    if (!protein) code['*'] = code['X'] = code['x'] = code['I'] = code['i'] = WS_C_BAD;
    if (!as_papara) return;
    for (int c = 33; c < 127; c++) {
        const int known = c != '>' && strchr(protein ? "ARNDCQEGHILKMFPSTWYVBZ" : "ACGTMRSVWYHKDB", c) != NULL;
        if (!known && c != '>') code[c] = gap;
    }
}

void ws_papara_letters_set(ws_papara_letters *l, int protein, int as_papara) {
    memset(l, 0, sizeof *l);
    l->abc = *ws_abc_get(protein ? WS_ABC_AMINO : WS_ABC_DNA);
    l->nstate = protein ? 20 : 4;
    l->all = (UINT32_C(1) << l->nstate) - 1;
    if (protein) aa_masks(l);
    else dna_masks(l);
    for (int c = 0; c < l->abc.Kp; c++) {
        const uint32_t m = l->mask[(unsigned char)l->abc.letters[c]];
        const int several = (m & (m - 1)) != 0;
        l->read_mask[c] = m == l->all || (protein && several) ? 0 : m;
    }
    read_codes(l, protein, as_papara);
}

char ws_papara_letter_of(const ws_papara_letters *l, uint32_t mask) {
    if (mask == l->all) return '-';
    if (l->nstate == 4) return dna_letters[mask & 15];
    if (mask == ASX) return 'B';
    if (mask == GLX) return 'Z';
    if (mask == XLE) return 'J';
    return aa_letters[__builtin_ctz(mask)];
}

size_t ws_papara_residues(const ws_papara_letters *l, const uint8_t *code, size_t n, uint32_t *mask) {
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        mask[m] = l->read_mask[code[i]];
        m += mask[m] != 0;
    }
    return m;
}

/* Returns the complement: A 1 <-> T 8, C 2 <-> G 4, the four bits reversed. */
static uint32_t complement(uint32_t m) { return (m & 1) << 3 | (m & 2) << 1 | (m & 4) >> 1 | (m & 8) >> 3; }

void ws_papara_reverse(uint32_t *mask, size_t m) {
    for (size_t i = 0, j = m; i < j--; i++) {
        const uint32_t a = complement(mask[i]);
        mask[i] = complement(mask[j]);
        mask[j] = a;
    }
}
