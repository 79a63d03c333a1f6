/* SPDX-License-Identifier: MIT
 * Forward, scalar: the definition of the result, operation by operation. Source: specification profile-filters.md,
 * section 9, in the order of kernels/fwd/README.md. The compiler must not reassociate or contract; fused operations
 * are explicit. */
#include <math.h>
#include <string.h>

#include "kernels/fwd/fwd.h"

enum { LANES = WS_FWD_LANES };

/* One row, index 0..N; index 0 stays 0. The next row reads X(k), all that node k sends to M of node k+1, and I(k). */
typedef struct row {
    float *X, *I, *M, *D;
} row;

static void match(const ws_fwd_tables *t, const float *o, float B, const row *r) {
    const float *BM = t->tr[WS_PBM];
    for (int k = 1; k <= t->N; k++) r->M[k] = fmaf(B, BM[k], r->X[k - 1]) * o[k];
}

/* Computes X and I for the next row from M, I and D of this one. */
static void send_on(const ws_fwd_tables *t, const row *r) {
    const float *MM = t->tr[WS_PMM], *IM = t->tr[WS_PIM], *DM = t->tr[WS_PDM], *MI = t->tr[WS_PMI], *II = t->tr[WS_PII];
    for (int k = 1; k <= t->N; k++) {
        float s = r->M[k] * MM[k];
        s = fmaf(r->I[k], IM[k], s);
        r->X[k] = fmaf(r->D[k], DM[k], s);
        r->I[k] = fmaf(r->M[k], MI[k], r->I[k] * II[k]);
    }
}

/* Does an inclusive prefix scan of a[] over the lanes: a[z] becomes the D that reaches the first node after lane z from
 * lanes 0..z. */
static void prefix_scan(float *a, const float link[WS_FWD_LEVELS][LANES]) {
    for (int level = 0; level < WS_FWD_LEVELS; level++)
        for (int off = 1 << level, z = LANES - 1; z >= off; z--) a[z] = fmaf(link[level][z], a[z - off], a[z]);
}

/* Computes D: first within each lane, then the D that enters the lane. */
static void delete(const ws_fwd_tables *t, const row *r) {
    const float *MD = t->tr[WS_PMD], *DD = t->tr[WS_PDD], *M = r->M;
    float *D = r->D, a[LANES];
    for (int z = 0; z < LANES; z++) {
        float d = 0.0f;
        for (int k = z * t->Q + 1; k <= (z + 1) * t->Q; k++) {
            D[k] = d;
            d = fmaf(d, DD[k], M[k] * MD[k]);
        }
        a[z] = d;
    }
    prefix_scan(a, t->link);
    for (int z = 1; z < LANES; z++)
        for (int k = z * t->Q + 1; k <= (z + 1) * t->Q; k++) D[k] = fmaf(a[z - 1], t->pd[k], D[k]);
}

/* Returns E: each lane sums its M, then its D; then the lanes are summed pairwise. */
static float sum(const ws_fwd_tables *t, const row *r) {
    float e[LANES], other[LANES];
    for (int z = 0; z < LANES; z++) {
        e[z] = 0.0f;
        for (int k = z * t->Q + 1; k <= (z + 1) * t->Q; k++) e[z] += r->M[k];
        for (int k = z * t->Q + 1; k <= (z + 1) * t->Q; k++) e[z] += r->D[k];
    }
    for (int off = LANES / 2; off >= 1; off /= 2) {
        for (int z = 0; z < LANES; z++) other[z] = e[z ^ off];
        for (int z = 0; z < LANES; z++) e[z] += other[z];
    }
    return e[0]; /* all lanes hold the same sum */
}

static void scale(const ws_fwd_tables *t, const row *r, float by) {
    for (int k = 1; k <= t->N; k++) {
        r->X[k] *= by;
        r->I[k] *= by;
    }
}

static size_t room_of(const void *form) { return 4 * sizeof(float) * ((size_t)((const ws_fwd_tables *)form)->N + 1); }

static ws_fscore one(const void *form, const ws_lenmodel *lm, const uint8_t *x, size_t L, void *room) {
    const ws_fwd_tables *t = form;
    float *cell = room;
    size_t n = (size_t)t->N + 1;
    const row r = {cell, cell + n, cell + 2 * n, cell + 3 * n};
    float N = 1.0f, B = lm->pmove, C = 0.0f; /* J equals C at every step */
    int64_t exponent = 0;

    memset(cell, 0, 4 * n * sizeof *cell);
    for (size_t i = 0; i < L; i++) {
        match(t, t->emit + x[i] * n, B, &r);
        delete(t, &r);
        send_on(t, &r);
        float E = sum(t, &r);
        N = N * lm->ploop;
        C = fmaf(C, lm->ploop, E * 0.5f);
        B = fmaf(C, lm->pmove, N * lm->pmove);
        if (E >= WS_FWD_BIG) {
            int e = ilogbf(E);
            float by = ldexpf(1.0f, -e);
            N *= by;
            C *= by;
            B *= by;
            scale(t, &r, by);
            exponent += e;
        }
    }
    return ws_fwd_score(C * lm->pmove, exponent);
}

const ws_body ws_fwd_scalar = {.form = &ws_fwd_tables_form, .node_bytes = 160, .room = room_of, .one = one};
