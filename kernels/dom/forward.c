/* SPDX-License-Identifier: MIT
 * Forward alone, of many targets of one length: what a calibration needs. Specification domains.md, section 2. */
#include "kernels/dom/kernel.h"
#include "lib/simd/flush.h"

enum { TOGETHER = 16 }; /* problems in one call of a backend, at most */

static int forward_some(const ws_dom_tables *t, ws_dom_worker *w, const uint8_t *const *x, uint32_t L, size_t n,
                        float *nats, ws_err *err) {
    ws_dom_problem p[TOGETHER], *each[TOGETHER];
    ws_dom_row *row = ws_dom_scratch(w, WS_DOM_ROWS, n * ((size_t)L + 1) * sizeof *row, err);
    if (!row) return err->code;
    for (size_t j = 0; j < n; j++) {
        p[j] = (ws_dom_problem){.x = x[j], .L = L, .mode = ws_dom_multihit(L), .f = row + j * ((size_t)L + 1)};
        each[j] = &p[j];
    }
    const uint32_t before = ws_flush_begin();
    const int rc = w->backend->parse(t, w, each, n, err);
    ws_flush_end(before);
    for (size_t j = 0; !rc && j < n; j++) nats[j] = ws_dom_forward_nats(&p[j]);
    return rc;
}

int ws_dom_forward(const ws_dom_tables *t, ws_dom_worker *w, const uint8_t *const *x, uint32_t L, size_t n, float *nats,
                   ws_err *err) {
    int rc = WS_OK;
    for (size_t j = 0; !rc && j < n; j += TOGETHER)
        rc = forward_some(t, w, x + j, L, ws_min(TOGETHER, n - j), nats + j, err);
    return rc;
}
