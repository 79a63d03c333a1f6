/* SPDX-License-Identifier: MIT
 * MAXL, the longest instance of a model worth looking for. Specification long-targets.md, section 3.1. */
#include "kernels/long/long.h"

/* Chances to be in each state of node k after emitting a number of residues, [0..M]. */
typedef struct column {
    double *M, *I, *D;
} column;

static float out_of(const ws_hmm *h, int k, int t) { return h->tr[(size_t)k * WS_NTRANS + (size_t)t]; }

/* Columns 1 and 2; returns the chance to have left the model at their end. */
static double begin(const ws_hmm *h, const column *c1, const column *c2) {
    const int M = h->M;
    c1->M[1] = 1.0;
    c1->D[2] = (double)out_of(h, 1, WS_TMD);
    for (int k = 3; k <= M; k++) c1->D[k] = (double)out_of(h, k - 1, WS_TDD) * c1->D[k - 1];
    c2->I[1] = (double)out_of(h, 1, WS_TMI) * c1->M[1];
    c2->M[2] = (double)out_of(h, 1, WS_TMM) * c1->M[1];
    for (int k = 3; k <= M; k++) {
        c2->M[k] = (double)out_of(h, k - 1, WS_TDM) * c1->D[k - 1];
        c2->D[k] = (double)out_of(h, k - 1, WS_TMD) * c2->M[k - 1] + (double)out_of(h, k - 1, WS_TDD) * c2->D[k - 1];
    }
    return c1->M[M] + c2->M[M] + c1->D[M] + c2->D[M];
}

/* A further column from the one before; returns the chance to be inside the model after it. */
static double advance(const ws_hmm *h, const column *old, const column *new) {
    const int M = h->M;
    new->M[1] = new->D[1] = 0.0;
    new->I[1] = (double)out_of(h, 1, WS_TII) * old->I[1];
    double inside = new->I[1];
    for (int k = 2; k <= M; k++) {
        const float *in = h->tr + (size_t)(k - 1) * WS_NTRANS, *out = h->tr + (size_t)k * WS_NTRANS;
        new->M[k] = (double)in[WS_TMM] * old->M[k - 1] + (double)in[WS_TDM] * old->D[k - 1] +
                    (double)in[WS_TIM] * old->I[k - 1];
        new->I[k] = (double)out[WS_TMI] * old->M[k] + (double)out[WS_TII] * old->I[k];
        new->D[k] = (double)in[WS_TMD] * new->M[k - 1] + (double)in[WS_TDD] * new->D[k - 1];
        inside += new->I[k] + new->M[k] * (double)(1.0f - out[WS_TMD]) +
                  new->D[k] * (double)(1.0f - out[WS_TDD]);
    }
    return inside + new->M[M] * (double)out_of(h, M, WS_TMD) + new->D[M] * (double)out_of(h, M, WS_TDD) - new->I[M];
}

static uint32_t by_distribution(const ws_hmm *h, double beta, double *memory) {
    const size_t n = (size_t)h->M + 1, most = ws_max((size_t)h->M, ws_min(20 * (size_t)h->M, 100000));
    column old = {memory, memory + n, memory + 2 * n}, new = {memory + 3 * n, memory + 4 * n, memory + 5 * n};
    double left = begin(h, &old, &new);
    for (size_t length = 3; length <= most; length++) {
        const column swap = old;
        old = new;
        new = swap;
        const double inside = advance(h, &old, &new);
        left += new.M[h->M] + new.D[h->M];
        if (inside / (inside + left) < beta) return (uint32_t)length;
    }
    return (uint32_t)most;
}

int ws_long_maxl(const ws_hmm *hmm, const ws_long_options *o, uint32_t *maxl, ws_err *err) {
    *maxl = o->w_length ? o->w_length : (uint32_t)hmm->maxl;
    if (o->w_length || (o->w_beta <= 0 && hmm->maxl)) return WS_OK;
    *maxl = 1;
    if (hmm->M == 1) return WS_OK;
    double *memory = ws_calloc(6 * ((size_t)hmm->M + 1), sizeof *memory, err);
    if (!memory) return err->code;
    *maxl = by_distribution(hmm, o->w_beta > 0 ? o->w_beta : 1e-7, memory);
    ws_free(memory);
    return WS_OK;
}
