/* SPDX-License-Identifier: MIT
 * The tests of windows by MSV and of sub-windows by Forward, and the scores of hits. Specification long-targets.md,
 * sections 7, 9 and 11. */
#include "kernels/long/long.h"
#include "lib/hmm/evalue.h"

#include <math.h>

static float weight_of(uint32_t L, uint32_t full) { return (float)ws_min(L, full) / (float)L; }

/* The first P-value takes the quotient as a double and is a single itself; the second is the other way round (18.2). */
void ws_long_test_msv(const ws_long_model *m, const ws_lenmodel *lm, float msv_nats, float bias_score, ws_long_msv *t) {
    const float mu = m->evparam[WS_MMU], lambda = m->evparam[WS_MLAMBDA];
    *t = (ws_long_msv){.filter_nats = lm->null_nats};
    t->p = (float)ws_gumbel_p((double)(msv_nats - lm->null_nats) / WS_LN2, mu, lambda);
    t->p_corrected = (double)t->p;
    t->passes = !((double)t->p > m->options.F1);
    if (!t->passes || m->options.nobias) return;
    t->bias_nats = bias_score - lm->null_nats;
    t->filter_nats = lm->null_nats + t->bias_nats * weight_of(lm->L, m->options.B1);
    t->p_corrected = ws_gumbel_p((double)ws_bits(msv_nats, t->filter_nats), mu, lambda);
    t->passes = !(t->p_corrected > m->options.F1);
}

void ws_long_test_fwd(const ws_long_model *m, const ws_lenmodel *lm, float fwd_nats, float bias_score, ws_long_fwd *t) {
    t->bias_nats = m->options.nobias ? 0.0f : bias_score - lm->null_nats;
    t->filter_nats = (float)((double)lm->null_nats + (double)t->bias_nats * (double)weight_of(lm->L, m->options.B3));
    t->p = ws_exp_p(ws_bits(fwd_nats, t->filter_nats), m->evparam[WS_FTAU], m->evparam[WS_FLAMBDA]);
    t->passes = !(t->p > m->options.F3);
}

/* Each line rounds to single, its right side is double. */
float ws_long_score(const ws_long_model *m, uint32_t envelope, uint32_t alignment, float nats, float *bits,
                    double *lnp) {
    const double le = (double)envelope, W = (double)m->maxl;
    const double all = fmax(W, le), outside = (double)(envelope - alignment);
    ws_lenmodel lm;
    ws_lenmodel_set(&lm, (uint32_t)ws_max(m->maxl, envelope));
    float s = nats;
    s = (float)((double)s - 2.0 * log(2.0 / (le + 2.0)));
    s = (float)((double)s + 2.0 * log(2.0 / (W + 2.0)));
    s = (float)((double)s - outside * log((double)((float)envelope / (float)(envelope + 2))));
    s = (float)((double)s + (all - (double)alignment) * log((double)((float)m->maxl / (float)(m->maxl + 2))));
    *bits = ws_bits(s, lm.null_nats);
    *lnp = ws_exp_lnp(*bits, m->evparam[WS_FTAU], m->evparam[WS_FLAMBDA]);
    return s;
}
