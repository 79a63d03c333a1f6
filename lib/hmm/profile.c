/* SPDX-License-Identifier: MIT
 * The search profile: a model's probabilities as log odds, local and multihit. The casts follow the section's single
 * and double precision. The parameters that depend on a target's length alone are at the end. Source: specification
 * profile-filters.md, sections 3 to 5. */
#include "lib/hmm/profile.h"

#include <math.h>

/* Computes occ_k, the probability that a path uses match state k. Returns their weighted sum Z (section 4.1). */
static float occupancy(float *occ, const ws_hmm *h) {
    float Z = 0.0f;
    occ[1] = h->tr[WS_TMI] + h->tr[WS_TMM];
    for (int k = 2; k <= h->M; k++) {
        const float *t = h->tr + (size_t)(k - 1) * WS_NTRANS;
        float stay = occ[k - 1] * (t[WS_TMM] + t[WS_TMI]);
        occ[k] = (float)((double)stay + (1.0 - (double)occ[k - 1]) * (double)t[WS_TDM]);
    }
    for (int k = 1; k <= h->M; k++) Z += occ[k] * (float)(h->M - k + 1);
    return Z;
}

/* Sets the entry scores. If a node's transitions add up to 1, occupancies lie in 0..1. Otherwise the model may have
 * no entry, or occupancies grow and change sign; a NaN and undefined conversions would follow. So that is WS_EDATA. */
static int set_entry(ws_profile *p, const ws_hmm *h, ws_err *err) {
    float *bm = p->tr[WS_PBM], *occ = ws_calloc((size_t)h->M + 1, sizeof *occ, err), Z;
    int bad = 0;
    if (!occ) return err->code;
    Z = occupancy(occ, h);
    bm[0] = -INFINITY;
    for (int k = 1; k <= h->M; k++) {
        bm[k] = (float)log((double)(occ[k] / Z));
        bad |= isnan(bm[k]);
    }
    ws_free(occ);
    if (bad || !(Z > 0.0f) || isinf(Z))
        return ws_fail(err, WS_EDATA, "model %s: the transition probabilities leave no path through the model",
                       h->name);
    return WS_OK;
}

/* Sets the transitions (4.2): core transitions leave nodes 1 to M-1. */
static void set_transitions(ws_profile *p, const ws_hmm *h) {
    static const struct {
        ws_ptrans to;
        int from;
    } map[] = {{WS_PMM, WS_TMM}, {WS_PIM, WS_TIM}, {WS_PDM, WS_TDM}, {WS_PMI, WS_TMI},
               {WS_PII, WS_TII}, {WS_PMD, WS_TMD}, {WS_PDD, WS_TDD}};
    for (size_t i = 0; i < sizeof map / sizeof map[0]; i++) {
        float *to = p->tr[map[i].to];
        to[0] = to[h->M] = -INFINITY;
        for (int k = 1; k < h->M; k++) to[k] = (float)log((double)h->tr[(size_t)k * WS_NTRANS + (size_t)map[i].from]);
    }
}

/* Sets the score of a degenerate residue (2.4): its expected score under the background, summed in single precision. */
static void set_degenerate(ws_profile *p, int x) {
    size_t row = (size_t)p->M + 1;
    float *sum = p->score + (size_t)x * row, denominator = 0.0f;
    for (size_t k = 1; k < row; k++) sum[k] = 0.0f;
    for (int y = 0; y < p->abc->K; y++) {
        if (!(p->abc->contains[x] >> y & 1)) continue;
        const float *s = p->score + (size_t)y * row, f = p->abc->background[y];
        for (size_t k = 1; k < row; k++) sum[k] += s[k] * f;
        denominator += f;
    }
    for (size_t k = 1; k < row; k++) sum[k] /= denominator;
}

/* Sets the emissions (4.3). */
static void set_emissions(ws_profile *p, const ws_hmm *h) {
    size_t row = (size_t)h->M + 1, K = (size_t)h->abc->K;
    for (size_t x = 0; x < (size_t)h->abc->Kp; x++) {
        float *s = p->score + x * row;
        s[0] = -INFINITY;
        if (x < K) {
            for (size_t k = 1; k < row; k++)
                s[k] = (float)log((double)h->mat[k * K + x] / (double)h->abc->background[x]);
        } else if (h->abc->contains[x]) {
            set_degenerate(p, (int)x);
        } else {
            for (size_t k = 1; k < row; k++) s[k] = -INFINITY;
        }
    }
}

int ws_profile_create_emissions(ws_profile *p, const ws_hmm *hmm, ws_err *err) {
    *p = (ws_profile){.M = hmm->M, .abc = hmm->abc};
    p->score = ws_calloc((size_t)hmm->abc->Kp * ((size_t)hmm->M + 1), sizeof *p->score, err);
    if (!p->score) return err->code;
    set_emissions(p, hmm);
    return WS_OK;
}

int ws_profile_create(ws_profile *p, const ws_hmm *hmm, ws_err *err) {
    size_t row = (size_t)hmm->M + 1;
    if (ws_profile_create_emissions(p, hmm, err) != WS_OK) return err->code;
    for (int t = 0; t < WS_NPTRANS; t++)
        if (!(p->tr[t] = ws_calloc(row, sizeof *p->tr[t], err))) goto fail;
    if (set_entry(p, hmm, err) != WS_OK) goto fail;
    set_transitions(p, hmm);
    return WS_OK;
fail:
    ws_profile_destroy(p);
    return err->code;
}

void ws_profile_destroy(ws_profile *p) {
    ws_free(p->score);
    for (int t = 0; t < WS_NPTRANS; t++) ws_free(p->tr[t]);
    *p = (ws_profile){0};
}

/* ---- the length of a target: sections 3.2, 4.4, 5.1 and 5.2 ---- */

void ws_lenmodel_set(ws_lenmodel *lm, uint32_t L) {
    float len = (float)L;
    *lm = (ws_lenmodel){.L = L};
    lm->p1 = len / (float)(L + 1);
    /* section 3.2 for L >= 1; an empty target, which no filter scores, gets the limit log(1) = 0 instead of 0 *
     * log(0) */
    if (L) lm->null_nats = (float)((double)len * log((double)lm->p1) + log(1.0 - (double)lm->p1));
    lm->pmove = (2.0f + 1.0f) / (len + 2.0f + 1.0f);
    lm->ploop = 1.0f - lm->pmove;
    /* at most 91, and at least -15,209 at L = 2^32, so neither form reaches its clamp */
    lm->tjb = (int)-roundf(WS_BYTE_SCALE * logf(3.0f / (float)(L + 3)));
    lm->wmove = (int)roundf(WS_WORD_SCALE * logf(lm->pmove));
}
