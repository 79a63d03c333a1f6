/* SPDX-License-Identifier: MIT
 * Forward: the odds of a sequence summed over all its paths through a model. Backends of one kernel; README.md has the
 * canonical order of operations, which makes them agree to the last bit. */
#ifndef WS_FWD_H
#define WS_FWD_H

#include "lib/hmm/fscore.h"
#include "lib/hmm/profile.h"
#include "lib/run/tool.h"

#include <math.h>

enum {
    WS_FWD_LANES = 32, /* one warp, two AVX-512 or four AVX2 registers */
    WS_FWD_LEVELS = 5  /* of the scan over the lanes: offsets 1, 2, 4, 8, 16 */
};
#define WS_FWD_BIG 4294967296.0f /* 2^32: a row whose E reaches this is scaled down */

/* What every backend starts from, in model order: node k = 1..N stands in lane (k-1)/Q at place (k-1)%Q. N = 32 Q is M or
 * more; tables are zero at index 0 and beyond M, so that padded cells stay zero. */
typedef struct ws_fwd_tables {
    int M, Kp, Q, N;
    float *emit;           /* o_k(x): emit[x*(N+1) + k] */
    float *tr[WS_NPTRANS]; /* tr[t][k] as in ws_odds */
    float *pd;             /* product of DD from the first node of k's lane up to k-1; 1 at the first node */
    float link[WS_FWD_LEVELS][WS_FWD_LANES]; /* PB: product of all DD that leave the nodes of the 2^level lanes ending at z */
} ws_fwd_tables;

/* From a profile, whose odds it works out (specification profile-filters.md, section 5.3). WS_ENOMEM is the only failure, and leaves
 * nothing to destroy. */
int ws_fwd_tables_create(ws_fwd_tables *t, const ws_profile *p, ws_err *err);
void ws_fwd_tables_destroy(ws_fwd_tables *t);

/* The score that follows from end = C pmove behind the last row and the power of 2 taken out of it: README.md, canonical order. No
 * path, and L = 0, is minus infinity. */
static inline ws_fscore ws_fwd_score(float end, int64_t exponent) {
    ws_fscore s = {-INFINITY, WS_F_UNDERFLOW};
    if (!(end > 0.0f)) return s;
    s.nats = (float)((double)exponent * 0.69314718055994529 + log((double)end));
    s.status = WS_F_OK;
    return s;
}

extern const ws_backend ws_fwd_scalar, ws_fwd_avx2, ws_fwd_avx512, ws_fwd_cuda;

#endif
