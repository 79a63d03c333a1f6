/* SPDX-License-Identifier: MIT
 * Mean posterior parameters in HMMER's order of operations. A count of 0 needs no log gamma: what it adds depends on
 * the prior alone. Specification build.md, section 8. */
#include "kernels/cast/estimate.h"

#include <math.h>

#include "kernels/cast/tables.h"

/* Returns log gamma by the formula that HMMER uses, in its order. */
static double log_gamma(double x) {
    static const double c[11] = {4.694580336184385e+04,  -1.560605207784446e+05, 2.065049568014106e+05,
                                 -1.388934775095388e+05, 5.031796415085709e+04,  -9.601592329182778e+03,
                                 8.785855930895250e+02,  -3.155153906098611e+01, 2.908143421162229e-01,
                                 -2.319827630494973e-04, 1.251639670050933e-10};
    const double below = x - 1.0, t = below + 11.0 + 0.5;
    double at = below + 11.0, v = 1.0;
    for (int i = 10; i >= 0; i--) {
        v += c[i] / at;
        at -= 1.0;
    }
    v = log(v);
    return v + (0.918938533 + (below + 0.5) * log(t) - t);
}

/* Returns the compensated sum (section 1.1), in double precision: ws_build_sum's bits are those of single precision. */
static double compensated(const double *x, int n) {
    double sum = 0.0, c = 0.0;
    for (int i = 0; i < n; i++) {
        const double y = x[i] - c, t = sum + y;
        c = (t - sum) - y;
        sum = t;
    }
    return sum;
}

static void norm(double *x, int n) {
    const double sum = compensated(x, n);
    for (int i = 0; i < n; i++) x[i] = sum != 0.0 ? x[i] / sum : 1.0 / (double)n;
}

void ws_build_mixture_set(ws_build_mixture *m, int K, size_t Q, const double *row) {
    m->K = K;
    m->Q = (int)Q;
    for (size_t q = 0; q < Q; q++, row += 1 + K) {
        double plain = 0.0;
        m->log_share[q] = log(row[0]);
        for (int x = 0; x < K; x++) {
            m->alpha[q][x] = row[1 + x];
            m->log_gamma[q][x] = log_gamma(row[1 + x]);
            plain += row[1 + x];
        }
        m->plain[q] = log_gamma(plain);
        m->total[q] = compensated(row + 1, K);
    }
}

/* Sets p[q] to the posterior probability of component q. */
static void posterior(const ws_build_mixture *m, const double *c, double *p) {
    const double of_one = log_gamma(1.0);
    double of_count[20], plain = 0.0, most = -INFINITY, sum = 0.0;
    for (int x = 0; x < m->K; x++) {
        of_count[x] = c[x] == 0.0 ? of_one : log_gamma(c[x] + 1.0);
        plain += c[x];
    }
    const double of_plain = log_gamma(plain + 1.0);
    for (int q = 0; q < m->Q; q++) {
        double lp = 0.0, all = 0.0;
        for (int x = 0; x < m->K; x++) {
            const double with = c[x] + m->alpha[q][x];
            all += with;
            lp += (c[x] == 0.0 ? m->log_gamma[q][x] : log_gamma(with)) - of_count[x] - m->log_gamma[q][x];
        }
        lp += m->plain[q] + of_plain - log_gamma(all);
        p[q] = m->log_share[q] + lp;
        if (p[q] > most) most = p[q];
    }
    for (int q = 0; q < m->Q; q++)
        if (p[q] > most - 500.0) sum += exp(p[q] - most);
    const double scale = log(sum) + most;
    for (int q = 0; q < m->Q; q++) p[q] = exp(p[q] + (-1.0 * scale));
    norm(p, m->Q);
}

float ws_build_sum(const float *p, size_t n) {
    float sum = 0.0f, c = 0.0f;
    for (size_t i = 0; i < n; i++) {
        const float y = p[i] - c, t = sum + y;
        c = (t - sum) - y;
        sum = t;
    }
    return sum;
}

void ws_build_norm(float *p, size_t n) {
    const float sum = ws_build_sum(p, n);
    for (size_t i = 0; i < n; i++) p[i] = sum != 0.0f ? p[i] / sum : 1.0f / (float)n;
}

/* Sets out[0..K) to the mean posterior probabilities of K counts, which may be the same numbers. */
static void mean(const ws_build_mixture *m, const float *count, float *out) {
    double c[20] = {0}, p[20] = {0}, share[WS_BUILD_COMPONENTS] = {1.0};
    for (int x = 0; x < m->K; x++) c[x] = (double)count[x];
    if (m->Q > 1) posterior(m, c, share);
    const double total = compensated(c, m->K);
    for (int q = 0; q < m->Q; q++)
        for (int x = 0; x < m->K; x++) p[x] += share[q] * (c[x] + m->alpha[q][x]) / (total + m->total[q]);
    norm(p, m->K);
    for (int x = 0; x < m->K; x++) out[x] = (float)p[x];
}

void ws_build_mean_matches(const ws_build_mixture *m, int K, int M, float *mat) {
    for (int k = 1; k <= M; k++) {
        float *e = mat + (size_t)k * (size_t)K;
        if (m) mean(m, e, e);
        else ws_build_norm(e, (size_t)K);
    }
}

/* Turns counts into frequencies. */
static void normalise(ws_build_counts *c) {
    const size_t K = (size_t)c->abc->K;
    ws_build_mean_matches(NULL, c->abc->K, c->M, c->mat);
    for (size_t k = 0; k <= (size_t)c->M; k++) {
        float *t = c->tr + k * WS_NTRANS;
        ws_build_norm(c->ins + k * K, K);
        ws_build_norm(t + WS_TMM, 3);
        ws_build_norm(t + WS_TDM, 2);
        ws_build_norm(t + WS_TIM, 2);
    }
    float *last = c->tr + (size_t)c->M * WS_NTRANS;
    last[WS_TDM] = 1.0f;
    last[WS_TDD] = 0.0f;
    if (last[WS_TMD] > 0.0f) {
        last[WS_TMD] = 0.0f;
        last[WS_TMM] = last[WS_TMI] = 0.5f;
    }
}

void ws_build_estimate(const ws_build_priors *p, ws_build_counts *c) {
    const size_t K = (size_t)c->abc->K, M = (size_t)c->M;
    if (!p) {
        normalise(c);
        return;
    }
    for (size_t k = 0; k <= M; k++) {
        float *t = c->tr + k * WS_NTRANS;
        mean(&p->of[WS_BUILD_FROM_MATCH], t + WS_TMM, t + WS_TMM);
        mean(&p->of[WS_BUILD_FROM_INSERT], t + WS_TIM, t + WS_TIM);
        if (k > 0 && k < M) {
            mean(&p->of[WS_BUILD_FROM_DELETE], t + WS_TDM, t + WS_TDM);
        } else {
            t[WS_TDM] = 1.0f;
            t[WS_TDD] = 0.0f;
        }
        mean(&p->of[WS_BUILD_INSERT], c->ins + k * K, c->ins + k * K);
    }
    float *last = c->tr + M * WS_NTRANS;
    last[WS_TMD] = 0.0f;
    ws_build_norm(last, 3);
    ws_build_mean_matches(&p->of[WS_BUILD_MATCH], c->abc->K, c->M, c->mat);
}
