/* SPDX-License-Identifier: MIT
 * One character for each node of a model: consensus, reference, mask, structure. Specification profile-filters.md,
 * section 1.4. */
#include <ctype.h>
#include <string.h>

#include "lib/hmm/hmmfile.h"

int ws_hmm_add_note(ws_hmm *h, int which, ws_err *err) {
    const size_t n = (size_t)h->M + 1;
    if (!(h->note[which] = ws_calloc(n + 1, 1, err))) return err->code;
    memset(h->note[which], ' ', n);
    return WS_OK;
}

int ws_hmm_derive_consensus(ws_hmm *h, ws_err *err) {
    const float sure = h->abc->type == WS_ABC_AMINO ? 0.5f : 0.9f;
    const size_t K = (size_t)h->abc->K;
    int rc = h->note[WS_NOTE_CONS] ? WS_OK : ws_hmm_add_note(h, WS_NOTE_CONS, err);
    if (rc) return rc;
    for (int k = 1; k <= h->M; k++) {
        const float *p = h->mat + (size_t)k * K;
        size_t best = 0;
        for (size_t x = 1; x < K; x++)
            if (p[x] > p[best]) best = x;
        const int letter = h->abc->letters[best];
        h->note[WS_NOTE_CONS][k] = (char)(p[best] >= sure ? toupper(letter) : tolower(letter));
    }
    return WS_OK;
}
