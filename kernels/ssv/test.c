/* SPDX-License-Identifier: MIT
 * SSV: the worked example, a brute-force second implementation, and every branch of the decision. */
#include "kernels/ssv/ssv.h"
#include "tests/lib/worked.h"

/* ---- the worked example (15.3, 15.8) ---- */

static void test_worked(tap *t) {
    static const int best[WORKED_L] = {10, 15, 29, 38, 48, 48};
    worked w;
    ws_bytes b;
    ws_err err = {0};
    worked_open(&w);
    sample_must(ws_bytes_create(&b, &w.data.profile, &err), &err);
    tap_ok(t, b.bias == 15 && b.tbm == 10 && b.tec == 3 && sample_lenmodel(&w.s, 0)->tjb == 5, "parameters of tiny004");
    for (size_t i = 0; i < WORKED_L; i++) {
        int got = ws_ssv_best_ref(&b, ws_seqs_codes(&w.s.seqs, i), i + 1);
        tap_ok(t, got == best[i], "best of %zu residues is %d", i + 1, got);
    }
    ws_fscore s = sample_score(&w.s, &ws_ssv_scalar, &w.data, 5);
    tap_ok(t, s.status == WS_F_OPEN && fabsf(s.nats - 2.77622652f) < 1e-6f,
           "w1 is open, at the height of its diagonal");
    s = sample_score(&w.s, &ws_ssv_scalar, &w.data, WORKED_W2);
    tap_ok(t, s.status == WS_F_OK && s.nats == -6.46573639f, "w2 is decided");
    ws_bytes_destroy(&b);
    worked_close(&w);
}

/* ---- brute force: the best sum over every stretch of every diagonal ---- */

static int brute(const ws_bytes *b, const uint8_t *x, size_t L) {
    int best = 0;
    for (size_t i = 0; i < L; i++)
        for (size_t k = 1; k <= (size_t)b->M; k++) {
            int sum = 0;
            for (size_t n = 0; i + n < L && k + n <= (size_t)b->M; n++) {
                sum -= (int)b->cost[x[i + n] * ((size_t)b->M + 1) + k + n] - b->bias;
                if (sum > best) best = sum;
            }
        }
    return best;
}

static void test_brute(tap *t, sample *r) {
    static const int size[] = {1, 2, 3, 15, 31, 32, 33, 64, 90};
    int bad = 0, n = 0;
    for (size_t m = 0; m < sizeof size / sizeof size[0]; m++)
        for (size_t l = 0; l < sizeof size / sizeof size[0]; l++) {
            ws_hmm h;
            ws_hmm_target data;
            ws_bytes b;
            ws_err err = {0};
            uint8_t x[128];
            sample_model(&h, r, size[m], 0.01);
            sample_target(&data, &h);
            sample_must(ws_bytes_create(&b, &data.profile, &err), &err);
            for (int i = 0; i < size[l]; i++) x[i] = (uint8_t)sample_below(r, l % 2 ? 29 : 20);
            if (l % 3 == 0) sample_homolog(r, &h, x, (size_t)size[l]);
            int want = brute(&b, x, (size_t)size[l]), got = ws_ssv_best_ref(&b, x, (size_t)size[l]),
                full = 127 - b.bias;
            bad += want >= full ? got < full : got != want;
            n++;
            ws_bytes_destroy(&b);
            ws_profile_destroy(&data.profile);
            sample_model_release(&h);
        }
    tap_ok(t, bad == 0, "%d random pairs agree with brute force", n);
}

/* ---- the decision: S1 to S5 at their edges ---- */

static void test_decision(tap *t) {
    static const struct {
        const char *what;
        int tjb, tbm, bias, best;
        ws_fstatus status;
        int infinite;
    } edge[] = {
        {"S1 just not", 20, 40, 63, 0, WS_F_OK, 0},
        {"S1", 20, 41, 63, 0, WS_F_OPEN, 0},
        {"S1 comes before S2", 40, 64, 20, 120, WS_F_OPEN, 1},
        {"S2, begin level too low", 21, 42, 10, 117, WS_F_OPEN, 1},
        {"S2", 21, 41, 10, 117, WS_F_OVERFLOW, 1},
        {"S2 just not, S3 neither", 21, 41, 10, 116, WS_F_OPEN, 0},
        {"S3", 5, 10, 15, 65, WS_F_OVERFLOW, 1},
        {"S3 just not", 5, 10, 15, 64, WS_F_OPEN, 0},
        {"S4", 5, 10, 15, 19, WS_F_OPEN, 0},
        {"S4 just not", 5, 10, 15, 18, WS_F_OK, 0},
        {"nothing positive", 5, 10, 15, 0, WS_F_OK, 0},
    };
    for (size_t i = 0; i < sizeof edge / sizeof edge[0]; i++) {
        ws_bytes b = {.M = 4, .Kp = 29, .bias = edge[i].bias, .tbm = edge[i].tbm, .tec = 3};
        ws_fscore s = ws_ssv_decide(&b, edge[i].tjb, edge[i].best);
        int xJ = edge[i].best + 190 - edge[i].tjb - edge[i].tbm - 3;
        float nats = (float)((double)((float)(xJ - edge[i].tjb - 190) / 4.32808495f) - 3.0);
        tap_ok(t, s.status == (int32_t)edge[i].status && s.nats == (edge[i].infinite ? INFINITY : nats), "%s",
               edge[i].what);
    }
}

/* ---- the least height that matters ---- */

static int matters(const ws_bytes *b, int tjb, int best, float null_nats, float least) {
    const ws_fscore s = ws_ssv_decide(b, tjb, best);
    return s.status != WS_F_OK || s.nats - null_nats >= least;
}

/* Every height below the least must be of no use, and the least itself of use, or one below it within the margin. */
static void test_least(tap *t, sample *r) {
    int lost = 0, high = 0, inner = 0;
    for (int i = 0; i < 100000; i++) {
        const ws_bytes b = {.M = 4, .Kp = 29, .bias = sample_below(r, 30), .tbm = sample_below(r, 90), .tec = 3};
        const int tjb = sample_below(r, 60), below = sample_below(r, 10);
        const float null_nats = -(float)sample_below(r, 12000) / 1000;
        float least = (float)(sample_below(r, 16000) - 8000) / 1000;
        if (below < 2) least = ws_ssv_decide(&b, tjb, sample_below(r, 100)).nats - null_nats; /* at a height's edge */
        if (below == 2) least = -INFINITY;
        const int height = ws_ssv_least(&b, tjb, null_nats, least);
        for (int best = 0; best < height; best++) lost += matters(&b, tjb, best, null_nats, least);
        high += height > 0 && !matters(&b, tjb, height, null_nats, least - 0.02f);
        inner += height > 0 && height < 127 - b.bias;
    }
    tap_ok(t, lost == 0 && high == 0 && inner > 10000, "the least height that matters: %d lost, %d high", lost, high);
}

/* ---- the alarm two rows at a time ---- */

/* Returns what residue i of x adds at node k of the capped diagonal: nothing beyond the model and the sequence. */
static int capped(const ws_bytes *b, const uint8_t *x, size_t L, size_t i, size_t k) {
    if (i >= L || k < 1 || k > (size_t)b->M) return 0;
    const int d = (int)b->cost[x[i] * ((size_t)b->M + 1) + k] - b->bias;
    return -(d < WS_SSV_CAP ? d : WS_SSV_CAP);
}

/* The best height where rows are taken two at a time. */
static int best_of_two_rows(const ws_bytes *b, const uint8_t *x, size_t L) {
    int best = 0;
    for (size_t from = 0; from < L; from += 2) /* all diagonals of row 0, then those that begin later */
        for (size_t k = 0; k <= (from ? 1 : (size_t)b->M); k++) {
            int v = 0;
            for (size_t n = 0; from + n < L && k + n <= (size_t)b->M; n += 2) {
                v += capped(b, x, L, from + n, k + n) + capped(b, x, L, from + n + 1, k + n + 1);
                v = v > 0 ? v : 0;
                best = v > best ? v : best;
            }
        }
    return best;
}

static void test_two_rows(tap *t, sample *r) {
    int lost = 0, near = 0, carries = 0;
    for (int i = 0; i < 3000; i++) {
        const int M = 1 + sample_below(r, 60), L = 1 + sample_below(r, 60);
        ws_hmm h;
        ws_hmm_target data;
        ws_bytes b;
        ws_err err = {0};
        uint8_t x[64];
        sample_model(&h, r, M, 0.01);
        sample_target(&data, &h);
        sample_must(ws_bytes_create(&b, &data.profile, &err), &err);
        for (int k = 0; k < L; k++) x[k] = (uint8_t)sample_below(r, i % 2 ? 29 : 20);
        if (i % 3 == 0) sample_homolog(r, &h, x, (size_t)L);
        const int best = brute(&b, x, (size_t)L), two = best_of_two_rows(&b, x, (size_t)L);
        lost += two < best - 2 * WS_SSV_CAP;
        near += best > 10 && two < best - WS_SSV_CAP;
        ws_bytes_destroy(&b);
        ws_profile_destroy(&data.profile);
        sample_model_release(&h);
    }
    tap_ok(t, lost == 0 && near > 0, "two rows at a time: %d heights lost, %d lower by more than one cap", lost, near);
    for (int bias = 0; bias < 70; bias++)
        for (int least = 0; least <= 127 - bias; least++) {
            const int two = ws_ssv_least_of_two_rows(&(ws_bytes){.bias = bias}, least);
            carries += two > 0 && (two - 1 + 2 * bias > 127 || two > least - 2 * WS_SSV_CAP);
        }
    tap_ok(t, carries == 0, "two rows at a time: %d thresholds that a step may pass", carries);
}

static void test_empty(tap *t) {
    worked w;
    worked_open(&w);
    sample_add(&w.s, 0);
    sample_ready(&w.s);
    ws_fscore s = sample_score(&w.s, &ws_ssv_scalar, &w.data, w.s.b.n - 1);
    tap_ok(t, s.status == WS_F_UNDERFLOW && s.nats == -INFINITY, "no residue");
    worked_close(&w);
}

int main(void) {
    tap t = {0};
    sample r = worked_seed();
    test_worked(&t);
    test_brute(&t, &r);
    test_decision(&t);
    test_least(&t, &r);
    test_two_rows(&t, &r);
    test_empty(&t);
    return tap_end(&t);
}
