/* SPDX-License-Identifier: MIT
 * The composition-bias filter, operation by operation: the score contains a sum of L singles, so another order would
 * give other bits. Source: specification profile-filters.md, section 10. */
#include "lib/hmm/bias.h"

#include "lib/hmm/floatlog.h"

void ws_bias_set(ws_bias *bias, const ws_hmm *hmm) {
    const ws_abc *abc = hmm->abc;
    float L1 = (float)((double)(float)hmm->M / 8.0); /* mean length of a biased stretch */
    bias->t10 = 1.0f / (L1 + 1.0f);
    bias->t11 = L1 / (L1 + 1.0f);
    for (int x = 0; x < WS_KP_MAX; x++) {
        uint32_t set = x < abc->Kp ? abc->contains[x] : 0;
        float e = 0.0f, f = 0.0f;
        for (int y = 0; y < abc->K; y++)
            if (set >> y & 1) {
                e += hmm->compo[y];
                f += abc->background[y];
            }
        bias->odds[x] = set ? e / f : 1.0f;
    }
}

float ws_bias_sum(const ws_bias *bias, const ws_lenmodel *lm, const uint8_t *x, size_t L) {
    float t00 = lm->p1, t01 = 1.0f - lm->p1;
    float a = 1.0f * WS_BIAS_PI0, b = bias->odds[x[0]] * WS_BIAS_PI1; /* states: background, composition */
    float F = 0.0f;
    for (size_t i = 0;;) {
        float m = a > b ? a : b; /* above 0, because a is */
        a /= m;
        b /= m;
        F += ws_float_log(m);
        if (++i == L) break;
        float next_a = a * t00 + b * bias->t10;
        float next_b = (a * t01 + b * bias->t11) * bias->odds[x[i]];
        a = next_a;
        b = next_b;
    }
    return F + ws_float_log(a + b);
}

float ws_bias_score(const ws_bias *bias, const ws_lenmodel *lm, const uint8_t *x, size_t L) {
    return ws_bias_finish(ws_bias_sum(bias, lm, x, L), lm);
}

void ws_bias_scores_scalar(const ws_bias *bias, const ws_seqlist *list, float *out) {
    for (size_t j = 0; j < list->n; j++) {
        const size_t L = ws_seqlist_len(list, j);
        out[j] = L ? ws_bias_score(bias, ws_seqlist_lm(list, j), ws_seqlist_codes(list, j), L) : 0.0f;
    }
}

/* ---- lists, by the best width that runs here ---- */

enum { BLOCK = 1024 }; /* items of a list that are sorted at once */

/* Scores a block of a list, long sequences first. */
static void score_block(const ws_bias *bias, ws_bias_scores_fn *scores, const ws_seqlist *list, float *out) {
    uint32_t item[BLOCK], place[BLOCK];
    float score[BLOCK];
    const ws_seqlist sorted = ws_seqlist_longest_first(list, item, place);
    scores(bias, &sorted, score);
    for (size_t j = 0; j < list->n; j++) out[place[j]] = score[j];
}

void ws_bias_scores(const ws_bias *bias, const ws_cpu *cpu, const ws_seqlist *list, float *out) {
    static ws_bias_scores_fn *const by_width[WS_NWIDTH] = {WS_BY_WIDTH(ws_bias_scores_)};
    if (list->n == 1) {
        by_width[ws_cpu_best(cpu)](bias, list, out);
        return;
    }
    for (size_t from = 0; from < list->n; from += BLOCK) {
        ws_seqlist block = *list;
        uint32_t item[BLOCK];
        block.n = ws_min(list->n - from, BLOCK);
        for (size_t j = 0; j < block.n; j++) item[j] = (uint32_t)ws_seqlist_at(list, from + j);
        block.item = item;
        score_block(bias, by_width[ws_cpu_best(cpu)], &block, out + from);
    }
}
