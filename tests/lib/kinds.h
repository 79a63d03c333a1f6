/* SPDX-License-Identifier: MIT
 * The kinds of sequences with which tests compare backends. */
#ifndef WS_TESTS_KINDS_H
#define WS_TESTS_KINDS_H

#include "tests/lib/sample.h"

typedef enum kind { RANDOM, MIXED, STARS, ALL_X, HOMOLOG, REPEAT, SEGMENTS, NKIND } kind;

/* The residue that node k emits most often. */
WS_UNUSED static uint8_t sample_best(const ws_hmm *h, int k) {
    const float *p = h->mat + k * 20;
    int best = 0;
    for (int c = 1; c < 20; c++) best = p[c] > p[best] ? c : best;
    return (uint8_t)best;
}

/* L residues from somewhere in the model, without gaps. */
WS_UNUSED static void sample_part(sample *r, const ws_hmm *h, uint8_t *x, size_t L) {
    const int from = sample_below(r, h->M);
    for (size_t i = 0; i < L; i++) {
        const uint8_t best = sample_best(h, (from + (int)i) % h->M + 1);
        x[i] = sample_below(r, 3) ? best : sample_residue(r, h->abc);
    }
}

/* Residues x[0..L) for the model h, of proteins. */
WS_UNUSED static void fill(uint8_t *x, size_t L, kind what, sample *r, const ws_hmm *h) {
    const uint8_t one = sample_residue(r, h->abc);
    if (what == HOMOLOG) sample_homolog(r, h, x, L);
    for (size_t i = 0, part; i < L && what == SEGMENTS; i += part) { /* what SSV leaves open and MSV raises xB for */
        part = ws_min(L - i, (size_t)(5 + sample_below(r, 15)));
        if (sample_below(r, 3)) fill(x + i, part, RANDOM, r, h);
        else sample_part(r, h, x + i, part);
    }
    for (size_t i = 0; i < L && what != HOMOLOG && what != SEGMENTS; i++)
        switch (what) {
        case MIXED: x[i] = sample_below(r, 8) ? sample_residue(r, h->abc) : (uint8_t)sample_below(r, h->abc->Kp); break;
        case STARS: x[i] = 27; break;
        case ALL_X: x[i] = (uint8_t)h->abc->any; break;
        case REPEAT: x[i] = one; break;
        default: x[i] = sample_residue(r, h->abc);
        }
}

#endif
