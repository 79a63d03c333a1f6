/* SPDX-License-Identifier: MIT
 * MSV: the worked example row by row, a second implementation over whole matrices, and the call rule. */
#include "kernels/msv/msv.h"
#include "kernels/ssv/ssv.h"
#include "tests/lib/worked.h"

/* ---- the worked example (15.4, 15.8) ---- */

static void test_worked(tap *t) {
    static const uint8_t M[WORKED_L][4] = {{174, 160, 185, 166}, {190, 163, 168, 177}, {164, 204, 164, 171},
                                           {191, 169, 213, 175}, {183, 185, 182, 223}, {198, 193, 197, 199}};
    static const int xJ[WORKED_L] = {182, 187, 201, 210, 220, 220};
    worked w;
    ws_bytes b;
    ws_err err = {0};
    worked_open(&w);
    sample_must(ws_bytes_create(&b, &w.data.profile, &err), &err);
    for (size_t i = 0; i < WORKED_L; i++) {
        uint8_t cell[5];
        ws_fscore s = ws_msv_full_ref(&b, sample_lenmodel(&w.s, i), ws_seqs_codes(&w.s.seqs, i), i + 1, cell);
        float nats = (float)((double)((float)(xJ[i] - 5 - 190) / 4.32808495f) - 3.0);
        tap_ok(t, memcmp(cell + 1, M[i], 4) == 0 && s.status == WS_F_OK && s.nats == nats, "row %zu of w1", i + 1);
    }
    ws_fscore s = sample_score(&w.s, &ws_msv_scalar, &w.data, 5);
    tap_ok(t, s.status == WS_F_OK && s.nats == 2.77622652f, "w1: SSV is open, MSV decides");
    s = sample_score(&w.s, &ws_msv_scalar, &w.data, WORKED_W2);
    tap_ok(t, s.status == WS_F_OK && s.nats == -6.46573639f, "w2: SSV decides");
    ws_bytes_destroy(&b);
    worked_close(&w);
}

/* ---- the recursion over whole matrices, in integers with explicit saturation ---- */

static int clip(int v) { return v < 0 ? 0 : v > 255 ? 255 : v; }

static ws_fscore naive(const ws_bytes *b, const ws_lenmodel *lm, const uint8_t *x, size_t L) {
    size_t row = (size_t)b->M + 1;
    int *M = calloc((L + 1) * row, sizeof *M), xJ = 0, xB = clip(190 - lm->tjb - b->tbm);
    for (size_t i = 1; i <= L; i++) {
        int xE = 0;
        for (size_t k = 1; k < row; k++) {
            int from = M[(i - 1) * row + k - 1] > xB ? M[(i - 1) * row + k - 1] : xB;
            int v = M[i * row + k] = clip(clip(from + b->bias) - b->cost[x[i - 1] * row + k]);
            xE = v > xE ? v : xE;
        }
        if (xE + b->bias >= 255) {
            free(M);
            return (ws_fscore){INFINITY, WS_F_OVERFLOW};
        }
        xJ = clip(xE - b->tec) > xJ ? clip(xE - b->tec) : xJ;
        xB = clip((xJ > 190 ? xJ : 190) - lm->tjb - b->tbm);
    }
    free(M);
    return (ws_fscore){(float)((double)((float)(xJ - lm->tjb - 190) / 4.32808495f) - 3.0), WS_F_OK};
}

static int same(ws_fscore a, ws_fscore b) { return a.status == b.status && a.nats == b.nats; }

/* Also checks section 6: where SSV decides, its score equals that of the recursion unless every cell loses. */
static void test_random(tap *t, sample *r) {
    static const int size[] = {1, 2, 3, 15, 16, 17, 31, 32, 33, 64, 100, 250};
    int differ = 0, rule = 0, open = 0, n = 0;
    uint8_t cell[256];
    for (size_t m = 0; m < sizeof size / sizeof size[0]; m++) {
        ws_hmm h;
        ws_hmm_target data;
        ws_bytes b;
        ws_err err = {0};
        sample_batch s = {0};
        sample_model(&h, r, size[m], 0.01);
        sample_target(&data, &h);
        sample_must(ws_bytes_create(&b, &data.profile, &err), &err);
        for (int i = 0; i < 36; i++) {
            size_t L = (size_t)(1 + sample_below(r, i % 2 ? 400 : 40));
            uint8_t *x = sample_add(&s, L);
            for (size_t j = 0; j < L; j++) x[j] = (uint8_t)sample_below(r, i % 3 ? 20 : 29);
            if (i % 4 == 0) sample_homolog(r, &h, x, L);
        }
        sample_ready(&s);
        for (size_t i = 0; i < s.b.n; i++, n++) {
            const ws_lenmodel *lm = sample_lenmodel(&s, i);
            const uint8_t *x = ws_seqs_codes(&s.seqs, i);
            int best = ws_ssv_best_ref(&b, x, s.b.len[i]);
            ws_fscore ssv = ws_ssv_decide(&b, lm->tjb, best), full = ws_msv_full_ref(&b, lm, x, s.b.len[i], cell);
            differ += !same(full, naive(&b, lm, x, s.b.len[i]));
            rule += !same(sample_score(&s, &ws_msv_scalar, &data, i), ssv.status == WS_F_OPEN ? full : ssv);
            rule += ssv.status != WS_F_OPEN && best > 0 && !same(ssv, full);
            open += ssv.status == WS_F_OPEN;
        }
        ws_bytes_destroy(&b);
        ws_profile_destroy(&data.profile);
        sample_model_release(&h);
        sample_batch_release(&s);
    }
    tap_ok(t, differ == 0, "%d random pairs agree with whole matrices", n);
    tap_ok(t, rule == 0 && open > 0 && open < n, "the call rule, and SSV against MSV (%d open)", open);
}

int main(void) {
    tap t = {0};
    sample r = worked_seed();
    test_worked(&t);
    test_random(&t, &r);
    return tap_end(&t);
}
