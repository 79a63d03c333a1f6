/* SPDX-License-Identifier: MIT
 * Memory of a thread and of a pair; the generator; null2 of degenerate residues. */
#include "kernels/dom/kernel.h"

#include "lib/base/system.h"

/* ---- a thread ---- */

int ws_dom_worker_create(ws_dom_worker **w, const ws_dom_backend *b, const ws_dom_options *o, ws_err *err) {
    *w = ws_calloc(1, sizeof **w, err);
    if (!*w) return err->code;
    (*w)->backend = b;
    (*w)->options = *o;
    return WS_OK;
}

void ws_dom_worker_destroy(ws_dom_worker *w) {
    if (!w) return;
    for (int j = 0; j < WS_DOM_NSCRATCH; j++) ws_buf_release(&w->scratch[j]);
    ws_free(w->sample.segment);
    ws_free(w->sample.n2);
    ws_free(w->sample.label);
    ws_free(w);
}

/* Asks for large pages. A step touches a matrix of many megabytes from one end to the other. A fault for each 4 KB of
 * it would take a tenth of the time. Where the kernel has none, nothing changes. */
static void ask_for_large_pages(const ws_buf *b) {
    enum { PAGE = 4096, LARGE = 2 << 20 };
    const uintptr_t from = ((uintptr_t)b->p + PAGE - 1) & ~(uintptr_t)(PAGE - 1),
                    to = ((uintptr_t)b->p + b->cap) & ~(uintptr_t)(PAGE - 1);
    if (b->cap >= 2 * LARGE) ws_system_large_pages((void *)from, to - from);
}

void *ws_dom_scratch(ws_dom_worker *w, int place, size_t bytes, ws_err *err) {
    ws_buf *b = &w->scratch[place];
    const size_t had = b->cap;
    void *p = ws_buf_scratch(b, bytes, err);
    if (p && b->cap != had) ask_for_large_pages(b);
    return p;
}

/* ---- a pair ---- */

void ws_dom_pair_begin(ws_dom_pair *pair, const uint8_t *x, const ws_lenmodel *lm) {
    *pair = (ws_dom_pair){.x = x, .lm = lm, .L = lm->L, .hit = {.L = lm->L, .null_nats = lm->null_nats}};
}

void ws_dom_pair_release(ws_dom_pair *pair) {
    for (uint32_t r = 0; r < pair->nregion; r++) {
        ws_dom_region *g = &pair->region[r];
        for (uint32_t e = 0; e < g->nenv; e++) ws_free(g->env[e].domain.column);
        ws_free(g->env);
        ws_free(g->cluster);
        ws_free(g->sampled);
    }
    ws_free(pair->region);
    ws_free(pair->n2);
    ws_dom_result_release(&pair->hit);
    *pair = (ws_dom_pair){0};
}

/* ---- the generator: section 8.1 ---- */

uint32_t ws_dom_seeded(uint32_t seed) {
    uint32_t a = seed, b = 87654321, c = 12345678;
    static const int shift[3][3] = {{13, 8, 13}, {12, 16, 5}, {3, 10, 15}};
    for (int j = 0; j < 3; j++) {
        a -= b, a -= c, a ^= c >> shift[j][0];
        b -= c, b -= a, b ^= a << shift[j][1];
        c -= a, c -= b, c ^= b >> shift[j][2];
    }
    return c ? c : 42;
}

/* ---- null2 ---- */

/* Sets a degenerate code to the plain mean over its canonical residues, and codes without any to 1. */
void ws_dom_null2_degenerate(const ws_abc *abc, float *null2) {
    for (int x = abc->K; x < abc->Kp; x++) {
        float sum = 0.0f, n = 0.0f;
        for (int y = 0; y < abc->K; y++)
            if (abc->contains[x] >> y & 1) {
                sum += null2[y];
                n += 1.0f;
            }
        null2[x] = n > 0.0f ? sum / n : 1.0f;
    }
}
