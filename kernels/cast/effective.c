/* SPDX-License-Identifier: MIT
 * The effective number of sequences. Its default halves an interval until the model has the wanted relative entropy, so
 * only the sign of a difference counts. A fast estimate gives it; where that is near 0, the exact one decides.
 * Specification build.md, sections 7 and 17.3. */
#include <math.h>
#include <string.h>

#include "kernels/cast/loggamma.inc.h"
#include "kernels/cast/tables.h"
#include "lib/hmm/evalue.h"

double ws_build_entropy(const float *mat, int M, const ws_abc *abc) {
    const size_t K = (size_t)abc->K;
    double sum = 0.0;
    for (size_t k = 1; k <= (size_t)M; k++) {
        const float *e = mat + k * K;
        float r = 0.0f;
        for (size_t x = 0; x < K; x++)
            if (e[x] > 0.0f) r = (float)((double)r + (double)e[x] * log2((double)(e[x] / abc->background[x])));
        sum += (double)r;
    }
    return sum / (double)M;
}

/* ---- the fast estimate ---- */

/* Below this the fast and the exact difference, in bits, may differ in sign. Both are means over nodes. Singles make
 * the exact one uncertain by 2e-6 at most, and the fast one is within 1e-7. */
#define UNSURE 1e-5

enum { MOST = WS_BUILD_COMPONENTS * 21 }; /* log gammas of a node */

/* The code of each width. */
#define OF_WIDTH(width, name) name##_##width,
static void (*const log_gammas_of[])(double *, size_t) = {WS_WIDTHS(OF_WIDTH, ws_build_log_gammas) log_gammas};
static void (*const logs_of[])(const double *, double *, size_t) = {WS_WIDTHS(OF_WIDTH, ws_build_logs) logs};

/* Sets p[q] to the posterior probability of each component, given the counts c and their sum. */
static void posterior(const ws_build_mixture *m, int width, const double *c, double sum, double *p) {
    double z[MOST], most = -INFINITY, all = 0.0;
    size_t x[20], n = 0;
    const size_t Q = (size_t)m->Q;
    for (size_t i = 0; i < (size_t)m->K; i++)
        if (c[i] > 0.0) x[n++] = i;
    for (size_t q = 0; q < Q; q++) {
        for (size_t j = 0; j < n; j++) z[q * n + j] = m->alpha[q][x[j]] + c[x[j]];
        z[Q * n + q] = m->total[q] + sum;
    }
    log_gammas_of[width](z, Q * (n + 1));
    for (size_t q = 0; q < Q; q++) {
        p[q] = m->log_share[q] + m->plain[q] - z[Q * n + q];
        for (size_t j = 0; j < n; j++) p[q] += z[q * n + j] - m->log_gamma[q][x[j]];
        if (p[q] > most) most = p[q];
    }
    for (size_t q = 0; q < Q; q++) all += p[q] = exp(p[q] - most);
    for (size_t q = 0; q < Q; q++) p[q] /= all;
}

/* Returns the relative entropy of a node, bits, whose counts are scaled by s. */
static double node_entropy(const ws_build_mixture *m, int width, const float *background, const float *count,
                           double s) {
    double c[20], p[WS_BUILD_COMPONENTS] = {1.0}, e[20] = {0}, ratio[20], bits[20], r = 0.0, sum = 0.0;
    const int K = m->K;
    for (int x = 0; x < K; x++) {
        c[x] = s * (double)count[x];
        sum += c[x];
    }
    if (m->Q > 1) posterior(m, width, c, sum, p);
    for (int q = 0; q < m->Q; q++) {
        const double share = p[q] / (sum + m->total[q]);
        for (int x = 0; x < K; x++) e[x] += share * (c[x] + m->alpha[q][x]);
    }
    for (int x = 0; x < K; x++) ratio[x] = e[x] / (double)background[x];
    logs_of[width](ratio, bits, (size_t)K);
    for (int x = 0; x < K; x++) r += e[x] * bits[x];
    return r * WS_LOG2E;
}

/* ---- the difference to the wanted entropy ---- */

typedef struct search {
    const ws_builder *b;
    const ws_build_counts *c;
    const ws_build_mixture *m; /* NULL without a prior */
    double target;
    int by_power; /* --eentexp: x is a power of each node's counts, else a number of sequences */
    float *mat;   /* room for the counts of all match states */
} search;

/* Returns the factor by which K counts are scaled to the power x of their sum; 1 if that is 0. */
static float power_factor(const float *count, int K, double x) {
    const float sum = ws_build_sum(count, (size_t)K), wanted = (float)pow((double)sum, x);
    return sum > 0.0f ? wanted / sum : 1.0f;
}

/* Returns the factor for the counts of node k. */
static float factor(const search *s, size_t k, double x) {
    const int K = s->c->abc->K;
    if (!s->by_power) return (float)(x / (double)s->c->nseq);
    return power_factor(s->c->mat + k * (size_t)K, K, x);
}

static double exact(const search *s, double x) {
    const size_t K = (size_t)s->c->abc->K;
    for (size_t k = 1; k <= (size_t)s->c->M; k++) {
        const float by = factor(s, k, x);
        for (size_t i = 0; i < K; i++) s->mat[k * K + i] = s->c->mat[k * K + i] * by;
    }
    ws_build_mean_matches(s->m, (int)K, s->c->M, s->mat);
    return ws_build_entropy(s->mat, s->c->M, s->c->abc) - s->target;
}

static double estimate(const search *s, double x) {
    const size_t K = (size_t)s->c->abc->K;
    double sum = 0.0;
    for (size_t k = 1; k <= (size_t)s->c->M; k++)
        sum += node_entropy(s->m, s->b->set.width, s->c->abc->background, s->c->mat + k * K, (double)factor(s, k, x));
    return sum / (double)s->c->M - s->target;
}

/* Returns the difference at x, of which only the sign is exact. */
static double difference(const search *s, double x) {
    const double d = s->m ? estimate(s, x) : 0.0;
    return fabs(d) < UNSURE ? exact(s, x) : d;
}

/* Finds where the difference changes sign, from 0 to `right` (section 1.6); `right` itself if it is not above 0 there.
 */
static int halve(const search *s, const char *name, double right, double tolerance, double *x, ws_err *err) {
    double left = 0.0;
    *x = right;
    if (!(difference(s, right) > 0.0)) return WS_OK;
    if (!(difference(s, left) < 0.0))
        return ws_fail(err, WS_EDATA, "alignment %s: there is no effective number of sequences with a relative entropy "
                       "of %.4g bits a position; the alignment is too short for it: give another target with --ere and "
                       "--esigma, or use --enone or --eset", name, s->target);
    for (;;) {
        *x = (left + right) / 2.0;
        const double d = difference(s, *x);
        if (d == 0.0 || right - left < tolerance + 1e-12 * *x) return WS_OK;
        if (d < 0.0) left = *x;
        else right = *x;
    }
}

/* ---- scales ---- */

static void scale(float *p, size_t n, float by) {
    for (size_t i = 0; i < n; i++) p[i] *= by;
}

static void scale_node(ws_build_counts *c, size_t k, float by) {
    const size_t K = (size_t)c->abc->K;
    scale(c->tr + k * WS_NTRANS, WS_NTRANS, by);
    scale(c->mat + k * K, K, by);
    scale(c->ins + k * K, K, by);
}

static double target_of(const ws_build_settings *s, int M) {
    const double m = (double)M, by_length = (s->esigma - WS_LOG2E * log(2.0 / (m * (m + 1.0)))) / m;
    return s->ere > by_length ? s->ere : by_length;
}

/* Returns the mean number of residues in a match state. */
static double mean_count(const ws_build_counts *c) {
    const size_t K = (size_t)c->abc->K;
    double all = 0.0;
    for (size_t k = 1; k <= (size_t)c->M; k++) {
        float sum = 0.0f, lost = 0.0f;
        for (size_t i = 0; i < K; i++) {
            const float y = c->mat[k * K + i] - lost, t = sum + y;
            lost = (t - sum) - y;
            sum = t;
        }
        all += (double)sum;
    }
    return all / (double)c->M;
}

int ws_build_scale_counts(const ws_builder *b, const char *name, ws_build_counts *c, float *effn, ws_err *err) {
    const ws_build_settings *set = &b->set;
    search s = {.b = b, .c = c, .target = target_of(set, c->M), .by_power = set->effective == WS_BUILD_EENTEXP};
    double x = 0.0;
    int rc = WS_OK;
    if (set->prior != WS_BUILD_NO_PRIOR) s.m = &b->priors.of[WS_BUILD_MATCH];
    if (set->effective == WS_BUILD_ENONE) {
        x = (double)c->nseq;
    } else if (set->effective == WS_BUILD_ESET) {
        x = set->neff;
    } else if (set->effective == WS_BUILD_ECLUST) {
        x = (double)c->nclusters;
    } else {
        s.mat = ws_calloc(((size_t)c->M + 1) * (size_t)c->abc->K, sizeof *s.mat, err);
        rc = !s.mat ? err->code : s.by_power ? halve(&s, name, 1.0, 0.001, &x, err)
                                             : halve(&s, name, (double)c->nseq, 0.01, &x, err);
        ws_free(s.mat);
    }
    if (rc) return rc;
    *effn = (float)x;
    const float by = (float)((double)*effn / (double)c->nseq);
    for (size_t k = s.by_power; k <= (size_t)c->M; k++) scale_node(c, k, s.by_power ? factor(&s, k, x) : by);
    if (s.by_power) *effn = (float)mean_count(c);
    return WS_OK;
}
