/* SPDX-License-Identifier: MIT
 * Strands of corner lengths for the scans of kernels/long. */
#ifndef WS_TESTS_LONGDATA_H
#define WS_TESTS_LONGDATA_H

#include "kernels/long/scan.h"
#include "tests/lib/sample.h"

static const uint32_t lengths[] = {0, 1, 2, 7, 127, 128, 129, 255, 256, 257, 300, 511, 512, 513, 2000, 5000};
enum { NLENGTH = sizeof lengths / sizeof lengths[0] };

typedef struct longdata {
    uint8_t *codes[NLENGTH];
    ws_long_strand strand[NLENGTH];
} longdata;

/* A DNA model of M nodes like hmmbuild's: one favoured residue a node, rare gaps. Release with sample_model_release. */
WS_UNUSED static void make_dna_model(ws_hmm *h, sample *r, int M) {
    ws_err err = {0};
    *h = (ws_hmm){.M = M, .abc = ws_abc_get(WS_ABC_DNA), .calibrated = 1};
    h->mat = ws_calloc(((size_t)M + 1) * 4, sizeof *h->mat, &err);
    h->tr = ws_calloc(((size_t)M + 1) * WS_NTRANS, sizeof *h->tr, &err);
    if (!h->mat || !h->tr) sample_must(1, &err);
    for (int k = 0; k <= M; k++) {
        static const float t[WS_NTRANS] = {0.98f, 0.01f, 0.01f, 0.6f, 0.4f, 0.6f, 0.4f};
        const float favour = 0.4f + 0.55f * (float)sample_unit(r);
        const int best = sample_below(r, 4);
        for (int x = 0; x < 4; x++) h->mat[4 * k + x] = x == best ? favour : (1.0f - favour) / 3;
        memcpy(h->tr + (size_t)k * WS_NTRANS, t, sizeof t);
    }
    for (int x = 0; x < 4; x++) h->compo[x] = 0.25f;
}

/* L residues that the model emits without gaps, from node 1 round and round. */
WS_UNUSED static void emit(sample *r, const ws_hmm *h, uint8_t *x, size_t L) {
    for (size_t i = 0, k = 1; i < L; i++, k = k % (size_t)h->M + 1) {
        double u = sample_unit(r);
        int c = 0;
        while (c < h->abc->K - 1 && (u -= (double)h->mat[k * (size_t)h->abc->K + (size_t)c]) >= 0) c++;
        x[i] = (uint8_t)c;
    }
}

/* Replaces one code in a hundred by any other one, and some runs by N. */
WS_UNUSED static void add_odd_codes(sample *r, const ws_abc *abc, uint8_t *x, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (sample_below(r, 100) == 0) x[i] = (uint8_t)sample_below(r, abc->Kp);
    for (uint32_t i = 0; i < n; i += 1 + (uint32_t)sample_below(r, 2000)) {
        const uint32_t run = (uint32_t)sample_below(r, 200);
        if (run < n - i) memset(x + i, abc->any, run);
    }
}

/* Background with whole and cut instances of the model; every second strand has codes beside the four residues. */
WS_UNUSED static void make_data(longdata *d, sample *r, const ws_hmm *h) {
    for (int j = 0; j < NLENGTH; j++) {
        const uint32_t n = lengths[j];
        uint8_t *x = d->codes[j] = malloc(n + WS_LONG_PAD);
        for (uint32_t i = 0; i < n + WS_LONG_PAD; i++) x[i] = sample_residue(r, h->abc);
        for (uint32_t i = 0; i < n; i += 50 + (uint32_t)sample_below(r, 900))
            emit(r, h, x + i, (size_t)sample_below(r, (int)ws_min(n - i, 2 * (size_t)h->M) + 1));
        if (j % 2 == 0) add_odd_codes(r, h->abc, x, n);
        d->strand[j] = (ws_long_strand){x, n};
    }
}

WS_UNUSED static void release_data(longdata *d) {
    for (int j = 0; j < NLENGTH; j++) free(d->codes[j]);
}

WS_UNUSED static int same_seeds(const ws_long_seeds *a, const ws_long_seeds *b) {
    int same = a->n == b->n;
    for (size_t j = 0; same && j < a->n; j++)
        same = a->at[j].i == b->at[j].i && a->at[j].k == b->at[j].k && a->at[j].len == b->at[j].len;
    return same;
}

#endif
