/* SPDX-License-Identifier: MIT
 * From the counts of an alignment to its calibrated model. Specification build.md, sections 5 (order), 9.2 and 10.3. */
#include <string.h>

#include "kernels/cast/tables.h"
#include "lib/simd/flush.h"

/* Copies the parameters that stand in the place of the counts. */
static int take_parameters(ws_hmm *h, const ws_build_counts *c, ws_err *err) {
    const size_t nodes = (size_t)c->M + 1, K = (size_t)c->abc->K;
    int rc = ws_hmm_alloc(h, err);
    if (!rc && !h->made && !(h->made = ws_calloc(1, sizeof *h->made, err))) rc = err->code;
    if (!rc && !(h->made->ins = ws_calloc(nodes * K, sizeof *h->made->ins, err))) rc = err->code;
    if (rc) return rc;
    memcpy(h->mat + K, c->mat + K, (nodes - 1) * K * sizeof *h->mat);
    memcpy(h->made->ins, c->ins, nodes * K * sizeof *c->ins);
    memcpy(h->tr, c->tr, nodes * WS_NTRANS * sizeof *c->tr);
    return WS_OK;
}

static int make(const ws_builder *b, ws_build_counts *c, ws_hmm *h, ws_err *err) {
    const ws_build_settings *s = &b->set;
    float effn = 0.0f;
    int rc = ws_build_scale_counts(b, h->name, c, &effn, err);
    if (rc) return rc;
    ws_build_estimate(s->prior == WS_BUILD_NO_PRIOR ? NULL : &b->priors, c);
    rc = take_parameters(h, c, err);
    if (rc) return rc;
    h->made->effn = effn;
    h->nseq = c->nseq;
    ws_build_composition(h);
    return ws_hmm_derive_consensus(h, err);
}

int ws_build_draft_counts(const ws_builder *b, ws_build_counts *c, ws_hmm *h, ws_err *err) {
    const uint32_t before = ws_flush_begin();
    const int rc = make(b, c, h, err);
    ws_flush_end(before);
    return rc;
}

int ws_build_from_counts(const ws_builder *b, ws_build_counts *c, ws_hmm *h, ws_err *err) {
    const int rc = ws_build_draft_counts(b, c, h, err);
    return rc ? rc : ws_build_complete(b, h, err);
}
