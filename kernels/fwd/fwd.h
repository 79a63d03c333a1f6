/* SPDX-License-Identifier: MIT
 * Forward: the odds of a sequence summed over all its paths through a model. All backends do the operations in one
 * canonical order (kernels/fwd/README.md), so they agree to the last bit. */
#ifndef WS_FWD_H
#define WS_FWD_H

#include "kernels/filter/filter.h"
#include "lib/run/tool.h"

#include <math.h>

enum {
    WS_FWD_LANES = 32, /* a warp, two AVX-512 registers, or four AVX2 registers */
    WS_FWD_LEVELS = 5  /* levels of the prefix scan over the lanes: offsets 1, 2, 4, 8, 16 */
};
#define WS_FWD_BIG 4294967296.0f /* 2^32: a row whose E reaches this is scaled down */

/* The tables that every backend starts from, in model order. Node k = 1..N belongs to lane (k-1)/Q, at position
 * (k-1)%Q. N = 32 Q >= M. Tables are zero at index 0 and beyond M, so padded cells stay zero. */
typedef struct ws_fwd_tables {
    int M, Kp, Q, N;
    float *emit;           /* o_k(x): emit[x*(N+1) + k] */
    float *tr[WS_NPTRANS]; /* tr[t][k] as in ws_odds */
    float *pd;             /* product of DD from the first node of k's lane to k-1; 1 at the first node */
    /* PB: product of the DD out of all nodes of the 2^level lanes that end at z */
    float link[WS_FWD_LEVELS][WS_FWD_LANES];
} ws_fwd_tables;

/* Makes the tables of a profile, after computing its odds (specification profile-filters.md, section 5.3). The owner
 * calls ws_fwd_tables_destroy. Returns WS_ENOMEM on failure, which leaves nothing to destroy. */
int ws_fwd_tables_create(ws_fwd_tables *t, const ws_profile *p, ws_err *err);
void ws_fwd_tables_destroy(ws_fwd_tables *t);
extern const ws_profile_form ws_fwd_tables_form;

/* Returns the score of end = C pmove after the last row, and of the power of 2 that scaling took out
 * (kernels/fwd/README.md, canonical order). Without a path, and for L = 0, the score is minus infinity. */
static inline ws_fscore ws_fwd_score(float end, int64_t exponent) {
    ws_fscore s = {-INFINITY, WS_F_UNDERFLOW};
    if (!(end > 0.0f)) return s;
    s.nats = (float)((double)exponent * WS_LN2 + log((double)end));
    s.status = WS_F_OK;
    return s;
}

WS_DECLARE_WIDTHS(ws_body, ws_fwd_);
extern const ws_backend ws_fwd_cuda;

#endif
