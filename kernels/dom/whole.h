/* SPDX-License-Identifier: MIT
 * Whole targets, each aligned to the model as one domain: what hmmalign computes. Source: specification build.md,
 * section 14; README.md says why a list takes two runs at most. */
#ifndef WS_DOM_WHOLE_H
#define WS_DOM_WHOLE_H

#include "kernels/dom/dom.h"

/* How a target was computed: in odds without subnormal numbers, with them, or in logarithms. */
typedef enum ws_dom_way { WS_DOM_BY_ODDS, WS_DOM_BY_SUBNORMALS, WS_DOM_BY_LOGARITHMS, WS_DOM_WAYS } ws_dom_way;

typedef struct ws_dom_whole {
    const uint8_t *x; /* L codes, owned by the caller */
    uint32_t L;

    /* rows and nodes of the alignment's first and last M; i_to = 0: the target has no residue in a node */
    uint32_t i_from, i_to, k_from, k_to;
    uint8_t *column;    /* [ncolumn] its columns (lib/hmm/domain.h), and */
    float *posterior;   /* [ncolumn] the posterior of each, 0 for D */
    uint32_t ncolumn;
    uint8_t *outside;   /* [L] the code of the posterior of residues before i_from (in N) and after i_to (in C) */
    ws_dom_way way;
} ws_dom_whole;

/* Returns how many bytes of products a worker had better keep (ws_dom_options.plain) for targets that may be long.
 * Those of all rows spare a second Forward and Backward. But four long targets side by side have so many that memory is
 * slower than computing them twice. */
size_t ws_dom_whole_plain(const ws_dom_backend *b);

/* Aligns a list of targets to the model of t and p, where p is the profile that t was made of. The caller sets x and L
 * of each, zeroes the rest, and releases all of them after any outcome. A target of no residues gets no alignment.
 * Returns WS_OK or WS_ENOMEM. */
int ws_dom_align(const ws_dom_tables *t, const ws_profile *p, ws_dom_worker *w, ws_dom_whole *list, size_t n,
                 ws_err *err);
void ws_dom_whole_release(ws_dom_whole *a);

#endif
