/* SPDX-License-Identifier: MIT
 * Calibration: the distribution of a model's scores, from three filters' scores of random sequences. Specification
 * build.md, section 3. together.c has the same for many models at once, on devices. */
#include <math.h>

#include "kernels/cast/tables.h"
#include "kernels/msv/msv.h"
#include "kernels/vit/vit.h"
#include "lib/simd/flush.h"

/* Returns WS_ESTOP once the caller wants no more models, else WS_OK. */
static int go_on(const ws_builder *b, ws_err *err) {
    if (!b->set.stop || !__atomic_load_n(b->set.stop, __ATOMIC_RELAXED)) return WS_OK;
    return ws_fail(err, WS_ESTOP, "the run was stopped");
}

/* ---- scores ---- */

int ws_build_bits_create(ws_build_bits *bits, const ws_builder *b, ws_err *err) {
    size_t n = 0;
    *bits = (ws_build_bits){{NULL}};
    for (int f = 0; f < WS_BUILD_NFILTER; f++) n += b->random[f].n;
    double *at = ws_calloc(n, sizeof *at, err);
    if (!at) return err->code;
    for (int f = 0; f < WS_BUILD_NFILTER; at += b->random[f++].n) bits->of[f] = at;
    return WS_OK;
}

void ws_build_bits_release(ws_build_bits *bits) { ws_free(bits->of[0]); }

void ws_build_take_scores(const ws_builder *b, int f, const ws_fscore *score, double *bits) {
    /* nats of a score beyond the filter's range */
    const float over = f == WS_BUILD_MSV ? 65.0f / WS_BYTE_SCALE
                                         : (float)((32767.0 - WS_WORD_BASE) / (double)WS_WORD_SCALE);
    const ws_build_random *r = &b->random[f];
    for (size_t i = 0; i < r->n; i++) {
        const float nats = score[i].status == WS_F_OVERFLOW ? over : score[i].nats;
        bits[i] = (double)(nats - r->lm[i].null_nats) / WS_LN2;
    }
}

int ws_build_filter_bits(const ws_builder *b, int f, const ws_profile *p, double *bits, ws_err *err) {
    static const ws_body *const msv[] = {WS_BY_WIDTH(ws_msv_)}, *const vit[] = {WS_BY_WIDTH(ws_vit_)};
    const ws_build_random *r = &b->random[f];
    const ws_seqlist list = {r->codes, r->first, r->len, r->lm, NULL, r->n, NULL};
    ws_fscore *score = ws_calloc(r->n, sizeof *score, err);
    ws_filter *filter = NULL;
    ws_buf scratch = {0};
    int rc = score ? ws_filter_create(&filter, (f == WS_BUILD_MSV ? msv : vit)[b->set.width], p, err) : err->code;
    if (!rc) rc = ws_filter_scores(filter, &list, score, &scratch, err);
    if (!rc) ws_build_take_scores(b, f, score, bits);
    ws_buf_release(&scratch);
    ws_filter_destroy(filter);
    ws_free(score);
    return rc;
}

int ws_build_take_nats(const ws_builder *b, const ws_hmm *h, size_t from, const float *nats, size_t n, double *bits,
                       ws_err *err) {
    for (size_t j = 0; j < n; j++) {
        if (isnan(nats[j]))
            return ws_fail(err, WS_EDATA, "model %s: the Forward score of a random sequence is out of range, so "
                           "the model cannot be calibrated", h->name);
        bits[from + j] = (double)(nats[j] - b->random[WS_BUILD_FORWARD].lm[from + j].null_nats) / WS_LN2;
    }
    return WS_OK;
}

static int forward_bits(const ws_builder *b, const ws_hmm *h, const ws_dom_tables *t, ws_dom_worker *w, double *bits,
                        ws_err *err) {
    enum { TOGETHER = 32 };
    const ws_build_random *r = &b->random[WS_BUILD_FORWARD];
    int rc = WS_OK;
    for (size_t i = 0; i < r->n && !rc; i += TOGETHER) {
        const uint8_t *x[TOGETHER];
        float nats[TOGETHER];
        const size_t n = ws_min(TOGETHER, r->n - i);
        for (size_t j = 0; j < n; j++) x[j] = r->codes + WS_RESIDUES_PER_WORD * r->first[i + j];
        rc = go_on(b, err);
        if (!rc) rc = ws_dom_forward(t, w, x, r->length, n, nats, err);
        if (!rc) rc = ws_build_take_nats(b, h, i, nats, n, bits, err);
    }
    return rc;
}

int ws_build_forward_bits(const ws_builder *b, const ws_hmm *h, const ws_dom_tables *t, double *bits, ws_err *err) {
    static const ws_dom_backend *const by_width[] = {WS_BY_WIDTH(ws_dom_)};
    ws_dom_worker *w = NULL;
    int rc = ws_dom_worker_create(&w, by_width[b->set.width], &(ws_dom_options){.seed = 42}, err);
    if (!rc) rc = forward_bits(b, h, t, w, bits, err);
    ws_dom_worker_destroy(w);
    return rc;
}

/* ---- fits ---- */

/* Returns the location of a Gumbel distribution whose scale is lambda. */
static double fit_location(const double *bits, size_t n, double lambda) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += exp(-lambda * bits[i]);
    return -log(sum / (double)n) / lambda;
}

/* Sets *f to the function whose root is a Gumbel distribution's scale (section 3.2), and *df to its derivative. */
static void probe(const double *bits, size_t n, double h, double *f, double *df) {
    double b = 0.0, be = 0.0, bbe = 0.0, e = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double weight = exp(-1.0 * h * bits[i]);
        b += bits[i];
        be += bits[i] * weight;
        bbe += bits[i] * bits[i] * weight;
        e += weight;
    }
    *f = 1.0 / h - b / (double)n + (be / e);
    *df = (be / e) * (be / e) - bbe / e - 1.0 / (h * h);
}

/* Finds the scale by halving, where Newton's steps fail. Returns 0 if there is none up to 1000. */
static double bisect(const double *bits, size_t n, double right) {
    const double tolerance = 1e-5;
    double f, df, left = 0.0, h = right;
    probe(bits, n, right, &f, &df);
    while (f > 0.0) {
        right *= 2.0;
        if (right > 1000.0) return 0.0;
        probe(bits, n, right, &f, &df);
    }
    for (int i = 0; i < 100; i++) {
        h = (left + right) / 2.0;
        probe(bits, n, h, &f, &df);
        if (fabs(f) < tolerance) return h;
        if (f > 0.0) left = h;
        else right = h;
    }
    return 0.0;
}

/* Sets location and scale of a Gumbel distribution of scores. Returns 0 if it finds none. */
static int fit_gumbel(const double *bits, size_t n, double *location, double *scale) {
    double sum = 0.0, square = 0.0, f, df;
    int i = 0;
    for (size_t j = 0; j < n; j++) {
        sum += bits[j];
        square += bits[j] * bits[j];
    }
    const double variance = fabs((square - sum * sum / (double)n) / ((double)n - 1.0));
    const double first = M_PI / sqrt(6.0 * variance);
    double h = first;
    for (; i < 100; i++) {
        probe(bits, n, h, &f, &df);
        if (fabs(f) < 1e-5) break;
        h = h - f / df;
        if (h <= 0.0) h = 0.001;
    }
    if (i == 100) h = bisect(bits, n, first);
    *scale = h;
    *location = fit_location(bits, n, h);
    return h > 0.0 && isfinite(*location);
}

/* ---- all together ---- */

static int no_fit(const ws_hmm *h, ws_err *err) {
    return ws_fail(err, WS_EDATA, "model %s: the scores of random sequences have no Gumbel distribution, so the model "
                   "cannot be calibrated; are its nodes alike, or the random sequences too few?", h->name);
}

int ws_build_fit(const ws_builder *b, ws_hmm *h, const ws_build_bits *bits, ws_err *err) {
    static const int place[][2] = {[WS_BUILD_MSV] = {WS_MMU, WS_MLAMBDA}, [WS_BUILD_VITERBI] = {WS_VMU, WS_VLAMBDA}};
    h->made->entropy = ws_build_entropy(h->mat, h->M, h->abc);
    const double lambda = WS_LN2 + 1.44 / ((double)h->M * h->made->entropy);
    double location, scale;
    for (int f = WS_BUILD_MSV; f <= WS_BUILD_VITERBI; f++) {
        h->evparam[place[f][0]] = (float)fit_location(bits->of[f], b->random[f].n, lambda);
        h->evparam[place[f][1]] = (float)lambda;
    }
    if (!fit_gumbel(bits->of[WS_BUILD_FORWARD], b->random[WS_BUILD_FORWARD].n, &location, &scale))
        return no_fit(h, err);
    const double tail = b->set.tail;
    h->evparam[WS_FTAU] = (float)((location - log(-1.0 * log(1.0 - tail)) / scale) + (log(tail) / lambda));
    h->evparam[WS_FLAMBDA] = (float)lambda;
    /* A model like the background has a lambda so large that a location is minus infinity; HMMER writes that too. */
    for (int i = 0; i < WS_NEVPARAM; i++)
        if (isnan(h->evparam[i])) return no_fit(h, err);
    h->calibrated = 1;
    return WS_OK;
}

static int calibrate(const ws_builder *b, ws_hmm *h, const ws_profile *p, ws_build_bits *bits, ws_err *err) {
    ws_dom_tables *t = NULL;
    int rc = ws_build_bits_create(bits, b, err);
    for (int f = WS_BUILD_MSV; f <= WS_BUILD_VITERBI && !rc; f++) {
        rc = go_on(b, err);
        if (!rc) rc = ws_build_filter_bits(b, f, p, bits->of[f], err);
    }
    if (!rc) rc = ws_dom_tables_create(&t, p, 0.0f, 0.0f, err);
    if (!rc) rc = ws_build_forward_bits(b, h, t, bits->of[WS_BUILD_FORWARD], err);
    ws_dom_tables_destroy(t);
    return rc ? rc : ws_build_fit(b, h, bits, err);
}

int ws_build_calibrate(const ws_builder *b, ws_hmm *h, ws_err *err) {
    const uint32_t before = ws_flush_begin();
    ws_profile p;
    ws_build_bits bits = {{NULL}};
    int rc = ws_profile_create(&p, h, err);
    if (!rc) {
        rc = calibrate(b, h, &p, &bits, err);
        ws_build_bits_release(&bits);
        ws_profile_destroy(&p);
    }
    ws_flush_end(before);
    return rc;
}
