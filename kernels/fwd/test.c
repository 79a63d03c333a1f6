/* SPDX-License-Identifier: MIT
 * Forward: the worked example row by row, and a second implementation in double precision and log space. */
#include "kernels/fwd/fwd.h"
#include "tests/lib/worked.h"

/* ---- the worked example (15.6, 15.8) ---- */

static int near(double a, double b, double relative) { return fabs(a - b) <= relative * fabs(b); }

/* Reads X, I, M, D of the last row, which the scalar backend leaves behind. E is the sum of M and D of the row. The
 * score of the first residues is ln(C pmove). */
static void test_worked(tap *t) {
    static const double M[WORKED_L][4] = {
        {0.0247978, 0.00110912, 0.306736, 0.00451198}, {0.854916, 0.0033869, 0.00530284, 0.0562447},
        {0.00294524, 21.1506, 0.00270575, 0.0145662},  {1.15195, 0.00787663, 163.877, 0.0317973},
        {0.197139, 0.373906, 0.13719, 1869.75},        {6.59267, 2.13755, 4.8585, 7.66075}};
    static const double E[WORKED_L] = {0.33783898, 0.92245865, 21.228659, 165.39625, 1870.4592, 21.284867};
    static const double C[WORKED_L] = {0.16891949, 0.57384231, 10.996891, 90.029388, 995.24918, 674.14184};
    enum { ROW = WS_FWD_LANES + 1 };
    worked w;
    worked_open(&w);
    for (size_t i = 0; i < WORKED_L; i++) {
        ws_fscore s = sample_score(&w.s, &ws_fwd_scalar, &w.data, i);
        const float *m = (const float *)(void *)w.s.scratch.p + 2 * ROW, *d = m + ROW;
        double sum = 0;
        int cells = 1;
        for (int k = 1; k <= 4; k++) cells &= near((double)m[k], M[i][k - 1], 5e-6);
        for (int k = 1; k < ROW; k++) sum += (double)m[k] + (double)d[k];
        tap_ok(t, cells && near(sum, E[i], 1e-6) && fabs((double)s.nats - log(C[i] / 3)) < 1e-6, "row %zu of w1",
               i + 1);
    }
    ws_fscore s = sample_score(&w.s, &ws_fwd_scalar, &w.data, WORKED_W2);
    tap_ok(t, s.status == WS_F_OK && near((double)s.nats, -4.79835939, 1e-6), "w2");
    worked_close(&w);
}

/* ---- log space, double precision, sums one after the other ---- */

static double log_add(double a, double b) {
    double high = a > b ? a : b, low = a > b ? b : a;
    return low == -INFINITY ? high : high + log1p(exp(low - high));
}

static double naive(const ws_profile *p, const uint8_t *x, size_t L) {
    const size_t row = (size_t)p->M + 1;
    double *M = malloc(6 * row * sizeof *M), *I = M + row, *D = I + row, *old = D + row;
    double pmove = log(3.0 / ((double)L + 3)), ploop = log((double)L / ((double)L + 3));
    double N = 0, B = pmove, J = -INFINITY;
    for (size_t k = 0; k < 3 * row; k++) M[k] = -INFINITY;
    for (size_t i = 0; i < L; i++) {
        double E = -INFINITY;
        memcpy(old, M, 3 * row * sizeof *M);
        for (size_t k = 1; k < row; k++) {
            double v = B + (double)p->tr[WS_PBM][k];
            v = log_add(v, old[k - 1] + (double)p->tr[WS_PMM][k - 1]);
            v = log_add(v, old[row + k - 1] + (double)p->tr[WS_PIM][k - 1]);
            v = log_add(v, old[2 * row + k - 1] + (double)p->tr[WS_PDM][k - 1]);
            M[k] = v + (double)p->score[x[i] * row + k];
            I[k] = log_add(old[k] + (double)p->tr[WS_PMI][k], old[row + k] + (double)p->tr[WS_PII][k]);
            D[k] = log_add(M[k - 1] + (double)p->tr[WS_PMD][k - 1], D[k - 1] + (double)p->tr[WS_PDD][k - 1]);
            E = log_add(E, log_add(M[k], D[k]));
        }
        N += ploop;
        J = log_add(J + ploop, E + log(0.5));
        B = log_add(J, N) + pmove;
    }
    free(M);
    return J + pmove;
}

static void test_random(tap *t, sample *r) {
    static const int size[] = {1, 2, 3, 31, 32, 33, 63, 64, 65, 97, 128, 200};
    static const int length[] = {1, 2, 31, 32, 33, 120, 500};
    double worst = 0;
    int bad = 0, none = 0, n = 0;
    for (size_t m = 0; m < sizeof size / sizeof size[0]; m++) {
        ws_hmm h;
        ws_hmm_target data;
        sample_batch s = {0};
        sample_model(&h, r, size[m], m % 2 ? 0.02 : 0);
        sample_target(&data, &h);
        for (size_t l = 0; l < sizeof length / sizeof length[0]; l++)
            for (int what = 0; what < 4; what++) {
                uint8_t *x = sample_add(&s, (size_t)length[l]);
                if (what == 1) sample_homolog(r, &h, x, (size_t)length[l]);
                else
                    for (int j = 0; j < length[l]; j++)
                        x[j] = (uint8_t)(what == 3 ? 27 : sample_below(r, what ? 29 : 20));
            }
        sample_ready(&s);
        for (size_t i = 0; i < s.b.n; i++, n++) {
            ws_fscore got = sample_score(&s, &ws_fwd_scalar, &data, i);
            const double want = naive(&data.profile, ws_seqs_codes(&s.seqs, i), s.b.len[i]);
            const double delta = fabs((double)got.nats - want);
            if (want == -INFINITY) {
                bad += got.nats != -INFINITY || got.status != WS_F_UNDERFLOW;
                none++;
                continue;
            }
            bad += got.status != WS_F_OK || !(delta <= 1e-3 + 1e-6 * fabs(want));
            worst = delta > worst ? delta : worst;
        }
        ws_profile_destroy(&data.profile);
        sample_model_release(&h);
        sample_batch_release(&s);
    }
    tap_ok(t, bad == 0, "%d random pairs within tolerance of log space (%d impossible; largest deviation %.2g nats)", n,
           none, worst);
}

/* Compares the products that carry D across lanes with a loop over the nodes. None may be subnormal. */
static void test_links(tap *t, sample *r) {
    ws_hmm h;
    ws_hmm_target data;
    ws_fwd_tables f;
    ws_err err = {0};
    int bad = 0;
    sample_model(&h, r, 700, 0);
    sample_target(&data, &h);
    sample_must(ws_fwd_tables_create(&f, &data.profile, &err), &err);
    for (int level = 0; level < WS_FWD_LEVELS; level++)
        for (int z = 1 << level; z < WS_FWD_LANES; z++) {
            double product = 1;
            for (int k = (z + 1 - (1 << level)) * f.Q + 1; k <= (z + 1) * f.Q; k++) product *= (double)f.tr[WS_PDD][k];
            double got = (double)f.link[level][z];
            bad += got == 0 ? product > 1.2e-38 : !near(got, product, 1e-4) || got < 1.17e-38;
        }
    tap_ok(t, bad == 0 && f.Q == 22 && f.N == 704, "links between lanes");
    ws_fwd_tables_destroy(&f);
    ws_profile_destroy(&data.profile);
    sample_model_release(&h);
}

int main(void) {
    tap t = {0};
    sample r = worked_seed();
    test_worked(&t);
    test_random(&t, &r);
    test_links(&t, &r);
    return tap_end(&t);
}
