/* SPDX-License-Identifier: MIT
 * The random sequences of calibrations, which are the same for all models: a builder draws them once. Specification
 * build.md, section 3.1. */
#include <string.h>

#include "kernels/cast/tables.h"
#include "kernels/dom/kernel.h"
#include "lib/dev/device.h"
#include "lib/stream/batch.h"
#include "lib/simd/codec.h"

enum { BEHIND = 64 }; /* bytes that vector code may read behind the last residue, or write behind the last word */

/* Makes room for the sequences of one filter. */
static int make_room(ws_build_random *r, const ws_build_lengths *want, ws_err *err) {
    const size_t n = want->n, words = (want->length + WS_RESIDUES_PER_WORD - 1) / WS_RESIDUES_PER_WORD;
    *r = (ws_build_random){.n = want->n, .length = want->length, .nword = n * words, .identity = ws_dev_identity()};
    r->codes = ws_calloc(r->nword * WS_RESIDUES_PER_WORD + BEHIND, 1, err);
    r->word = r->codes ? ws_calloc(r->nword * sizeof *r->word + BEHIND, 1, err) : NULL;
    r->first = r->word ? ws_calloc(n, sizeof *r->first, err) : NULL;
    r->len = r->first ? ws_calloc(n, sizeof *r->len, err) : NULL;
    r->lm = r->len ? ws_calloc(n, sizeof *r->lm, err) : NULL;
    if (!r->lm) return err->code;
    memset(r->codes, WS_CODE_PAD, r->nword * WS_RESIDUES_PER_WORD);
    for (size_t i = 0; i < n; i++) {
        r->first[i] = i * words;
        r->len[i] = want->length;
        ws_lenmodel_set(&r->lm[i], want->length);
    }
    return WS_OK;
}

int ws_build_draw(ws_builder *b, ws_err *err) {
    const ws_abc *abc = b->set.abc;
    double norm = 0.0, sum = 0.0, below[20];
    uint32_t state = ws_dom_seeded(b->set.seed);
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    for (int x = 0; x < abc->K; x++) norm += (double)abc->background[x];
    for (int x = 0; x < abc->K; x++) {
        sum += (double)abc->background[x];
        below[x] = sum / norm;
    }
    for (int f = 0; f < WS_BUILD_NFILTER; f++) {
        ws_build_random *r = &b->random[f];
        int rc = make_room(r, &b->set.random[f], err);
        if (rc) return rc;
        for (size_t i = 0; i < r->n; i++)
            for (size_t j = 0; j < r->length; j++) {
                const double u = ws_dom_deviate(ws_dom_random(&state));
                int x = 0;
                while (x < abc->K - 1 && !(u < below[x])) x++;
                r->codes[WS_RESIDUES_PER_WORD * r->first[i] + j] = (uint8_t)x;
            }
        ws_codec_get(&cpu)->pack(r->codes, r->nword * WS_RESIDUES_PER_WORD, r->word);
    }
    return WS_OK;
}

void ws_build_random_release(ws_build_random *r) {
    ws_free(r->codes);
    ws_free(r->word);
    ws_free(r->first);
    ws_free(r->len);
    ws_free(r->lm);
}
