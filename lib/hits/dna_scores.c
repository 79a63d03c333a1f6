/* SPDX-License-Identifier: MIT
 * nhmmer's --aliscoresout: the score of each column of each hit. Specification nhmmer.md, section 6. */
#include <float.h>
#include <math.h>

#include "lib/hits/write.h"

static double log_of(const ws_odds *o, ws_ptrans t, uint32_t k) { return log((double)o->tr[t][k]); }

/* Returns how many columns from c on have the state of column c. */
static uint32_t run_of(const ws_dnahit *a, uint32_t c) {
    uint32_t n = 1;
    while (c + n < a->ncolumn && (a->column[c + n] & WS_COLUMN_STATE) == (a->column[c] & WS_COLUMN_STATE)) n++;
    return n;
}

/* Returns the logarithm as HMMER's vectors compute it: Cephes's polynomial for singles, all operations in single. */
static float cephes_log(float odds) {
    static const float c[] = {7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f,
                              1.4249322787e-1f, -1.6668057665e-1f, 2.0000714765e-1f, -2.4999993993e-1f,
                              3.3333331174e-1f};
    int exponent;
    if (!(odds >= FLT_MIN)) return -INFINITY;
    const float half = frexpf(odds, &exponent);
    const int low = half < 0.707106781186547524f;
    const float e = (float)(exponent - low), r = low ? half - 1.0f + half : half - 1.0f, square = r * r;
    float y = c[0];
    for (size_t i = 1; i < sizeof c / sizeof c[0]; i++) y = y * r + c[i];
    y = y * r * square + e * -2.12194440e-4f - square * 0.5f;
    return r + y + e * 0.693359375f;
}

/* Each sum rounds to single. */
static float match_score(const ws_odds *o, uint32_t k, uint8_t x) {
    float s = cephes_log(o->emit[x * ((size_t)o->M + 1) + k]);
    if (k > 1) s = (float)((double)s + log_of(o, WS_PMM, k - 1));
    return s;
}

/* Scores n residues between node k and the next one. */
static float insert_score(const ws_odds *o, uint32_t k, uint32_t n) {
    float s = (float)log_of(o, WS_PMI, k);
    for (uint32_t j = 1; j < n; j++) s = (float)((double)s + log_of(o, WS_PII, k));
    return (float)((double)s + (log_of(o, WS_PIM, k) - log_of(o, WS_PMM, k)));
}

/* Scores nodes k to z without residues. */
static float delete_score(const ws_odds *o, uint32_t k, uint32_t z) {
    float s = (float)log_of(o, WS_PMD, k - 1);
    for (uint32_t y = k; y < z; y++) s = (float)((double)s + log_of(o, WS_PDD, y));
    return (float)((double)s + (log_of(o, WS_PDM, z) - log_of(o, WS_PMM, z)));
}

static void put_score(ws_sink *s, float score) {
    if (isinf(score)) ws_sink_add(s, " >", 2);
    else ws_sink_f(s, " %.3f", (double)score * WS_LOG2E);
}

/* The last column of a gap has the score of the whole. */
static void put_scores(ws_sink *s, const ws_odds *o, const ws_dnahit *a) {
    const uint8_t *x = a->x;
    uint32_t k = a->hmm_from; /* the node of the next match or delete column */
    for (uint32_t c = 0, n; c < a->ncolumn; c += n) {
        const int state = a->column[c] & WS_COLUMN_STATE;
        n = state == WS_COLUMN_M ? 1 : run_of(a, c);
        for (uint32_t j = 1; j < n; j++) ws_sink_add(s, " >", 2);
        if (state == WS_COLUMN_M) put_score(s, match_score(o, k, *x));
        else put_score(s, state == WS_COLUMN_I ? insert_score(o, k - 1, n) : delete_score(o, k, k + n - 1));
        if (state != WS_COLUMN_D) x += n;
        if (state != WS_COLUMN_I) k += n;
    }
}

void ws_write_aliscores(ws_sink *s, const ws_dnaquery *q) {
    ws_odds o;
    if (s->err.code || ws_odds_create(&o, q->profile, &s->err)) return;
    for (size_t i = 0; i < q->list->n; i++) {
        const ws_dnahit *h = q->list->hit[i];
        if (!h->reported) continue;
        ws_sink_f(s, "%s %s %llu %llu :", q->hmm->name, h->record->name, (unsigned long long)h->ali_from,
                  (unsigned long long)h->ali_to);
        put_scores(s, &o, h);
        ws_sink_add(s, "\n", 1);
        ws_sink_pause(s);
    }
    ws_odds_destroy(&o);
}
