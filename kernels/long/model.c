/* SPDX-License-Identifier: MIT
 * Relative lengths and thresholds of a model in the search of long targets. Specification long-targets.md, sections
 * 3.2, 3.3 and the threshold of section 8. */
#include "kernels/long/long.h"

#include <math.h>

/* A double to int as x86 does it: INT_MIN where it does not fit. */
static int32_t to_int(double v) { return v > -2147483649.0 && v < 2147483648.0 ? (int32_t)v : INT32_MIN; }

/* The score whose P-value is P, in bits. */
static double inverse_gumbel(double P, float mu, float lambda) {
    const double g = P < 5e-9 ? (pow(P, P) - 1) / P : log(-log(1.0 - P));
    return (double)mu - g / (double)lambda;
}

/* 3.2: nodes' shares of MAXL by the odds of long inserts, and their sums from both ends. */
static void set_shares(ws_long_model *m, const ws_odds *o, float *share) {
    const int M = m->M;
    float sum = 0.0f;
    for (int k = 1; k < M; k++) {
        const double in = (double)o->tr[WS_PMI][k], stay = (double)o->tr[WS_PII][k];
        share[k] = in == 0.0 ? 1.0f : (float)(1.0 + (double)to_int(log(1e-7 / in) / log(stay)));
        sum += share[k];
    }
    for (int k = 1; k < M; k++) share[k] /= sum;
    for (int k = 1; k < M; k++) m->before[k] = m->before[k - 1] + share[k];
    m->after[M] = M > 1 ? share[M - 1] : 0.0f;
    for (int k = M - 1; k >= 1; k--) m->after[k] = m->after[k + 1] + share[k - 1];
}

/* 3.3 */
static void set_threshold(ws_long_model *m) {
    ws_lenmodel lm;
    ws_lenmodel_set(&lm, m->maxl);
    const float bits = (float)inverse_gumbel(m->options.F1, m->evparam[WS_MMU], m->evparam[WS_MLAMBDA]);
    const double t = ((double)lm.null_nats + (double)bits * WS_LN2 + 3.0) * (double)WS_BYTE_SCALE +
                     WS_BYTE_BASE + m->bytes.tec + lm.tjb;
    m->threshold = to_int(ceil(t)) & 255;
    m->begin = WS_BYTE_BASE - lm.tjb - m->bytes.tbm;
    const int xB = WS_BYTE_BASE - ((lm.tjb + m->bytes.tbm) & 255);
    m->xB = xB > 0 ? xB : 0;
}

int ws_long_model_create(ws_long_model *m, const ws_hmm *hmm, const ws_profile *p, const ws_long_options *o,
                         ws_err *err) {
    const size_t n = (size_t)hmm->M + 2;
    ws_odds odds = {0};
    *m = (ws_long_model){.M = hmm->M, .options = *o};
    for (int i = 0; i < WS_NEVPARAM; i++) m->evparam[i] = hmm->evparam[i];
    float *share = ws_calloc(n, sizeof *share, err);
    m->before = ws_calloc(n, sizeof *m->before, err);
    m->after = ws_calloc(n, sizeof *m->after, err);
    int rc = share && m->before && m->after ? WS_OK : WS_ENOMEM;
    if (!rc) rc = ws_long_maxl(hmm, o, &m->maxl, err);
    if (!rc) rc = ws_odds_create(&odds, p, err);
    if (!rc) rc = ws_bytes_create(&m->bytes, p, err);
    if (!rc) {
        set_shares(m, &odds, share);
        set_threshold(m);
    }
    ws_odds_destroy(&odds);
    ws_free(share);
    if (rc) ws_long_model_destroy(m);
    return rc;
}

void ws_long_model_destroy(ws_long_model *m) {
    ws_bytes_destroy(&m->bytes);
    ws_free(m->before);
    ws_free(m->after);
    *m = (ws_long_model){0};
}

void ws_long_vit_set(const ws_long_model *m, const ws_lenmodel *lm, float bias_nats, ws_long_vit *v) {
    const ws_long_options *o = &m->options;
    ws_lenmodel most;
    ws_lenmodel_set(&most, (uint32_t)ws_min(lm->L, m->maxl));
    const float weight = (float)ws_min(lm->L, o->B2) / (float)lm->L;
    const float filter = (float)((double)most.null_nats + (double)bias_nats * (double)weight);
    const float bits = (float)inverse_gumbel(o->F2, m->evparam[WS_VMU], m->evparam[WS_VLAMBDA]);
    const double t = ((double)filter + WS_LN2 * (double)bits + 3.0) * (double)WS_WORD_SCALE -
                     WS_WORD_E - most.wmove + WS_WORD_BASE;
    v->wmove = most.wmove;
    v->threshold = (int16_t)(uint16_t)((uint32_t)to_int(ceil(t)) & 0xffff);
}
