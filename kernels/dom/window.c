/* SPDX-License-Identifier: MIT
 * Envelopes against a fitted background. Specification long-targets.md, section 10; what is single there is single here. */
#include "kernels/dom/window.h"

#include <math.h>

#include "kernels/dom/kernel.h"
#include "lib/simd/flush.h"

enum { MARGIN = 20 }; /* residues that an envelope keeps around its alignment */

int ws_dom_window_model_create(ws_dom_window_model *m, const ws_dom_tables *tables, const ws_profile *profile, const ws_hmm *hmm,
                               ws_err *err) {
    *m = (ws_dom_window_model){.tables = tables, .profile = profile, .mask = hmm->note[WS_NOTE_MM]};
    return ws_odds_create(&m->odds, profile, err);
}

void ws_dom_window_model_destroy(ws_dom_window_model *m) { ws_odds_destroy(&m->odds); }

/* ---- the background (10.1) ---- */

/* Shares of the canonical residues in x[0..L); a degenerate one counts in parts. */
static void count_residues(const ws_abc *abc, const uint8_t *x, uint32_t L, float *share) {
    float sum = 0.0f, c = 0.0f;
    for (int y = 0; y < abc->K; y++) share[y] = 0.0f;
    for (uint32_t i = 0; i < L; i++) {
        const uint32_t set = abc->contains[x[i]];
        const float part = 1.0f / (float)__builtin_popcount(set ? set : 1);
        for (int y = 0; y < abc->K; y++)
            if (set >> y & 1) share[y] += part;
    }
    for (int y = 0; y < abc->K; y++) { /* compensated, as in domains.md, section 8.2 */
        const float v = share[y] - c, next = sum + v;
        c = (next - sum) - v;
        sum = next;
    }
    for (int y = 0; y < abc->K; y++) share[y] = sum > 0.0f ? share[y] / sum : 1.0f / (float)abc->K;
}

/* The background of an envelope in a window of so many residues. */
static void fit_background(const ws_abc *abc, const uint8_t *x, uint32_t L, uint32_t window, float *f) {
    float share[20];
    const float s = (float)(25.0 / (double)(window < 50 ? 50 : window > 100 ? 100 : window));
    count_residues(abc, x, L, share);
    for (int y = 0; y < abc->K; y++) f[y] = (float)((double)(s * abc->background[y]) + (1.0 - (double)s) * (double)share[y]);
}

/* Scores of code x under the background f, from those of the canonical ones if x is degenerate. */
static void set_scores(const ws_dom_window_model *m, const float *f, int x, float *score) {
    const ws_abc *abc = m->profile->abc;
    const size_t row = (size_t)m->profile->M + 1;
    float *s = score + (size_t)x * row, denominator = 0.0f;
    for (size_t k = 1; k < row; k++) s[k] = x < abc->K || abc->contains[x] ? 0.0f : -INFINITY;
    for (int y = 0; y < abc->K && x >= abc->K; y++) {
        if (!(abc->contains[x] >> y & 1)) continue;
        for (size_t k = 1; k < row; k++) s[k] += score[(size_t)y * row + k] * f[y];
        denominator += f[y];
    }
    for (size_t k = 1; k < row; k++) {
        const int masked = m->mask && m->mask[k] == 'm';
        const float own = m->odds.emit[(size_t)x * row + k] * abc->background[0];
        if (x < abc->K) s[k] = masked ? 0.0f : (float)log((double)own / (double)f[x]);
        else if (denominator > 0.0f) s[k] /= denominator;
    }
}

/* The model's tables with the emissions that follow from a fitted background. */
static int fit_tables(const ws_dom_window_model *m, const uint8_t *x, uint32_t L, uint32_t window, ws_dom_tables **t, ws_err *err) {
    ws_profile p = *m->profile;
    float f[20];
    *t = NULL;
    p.score = ws_calloc((size_t)p.abc->Kp * ((size_t)p.M + 1), sizeof *p.score, err);
    if (!p.score) return err->code;
    fit_background(p.abc, x, L, window, f);
    for (int code = 0; code < p.abc->Kp; code++) {
        p.score[(size_t)code * ((size_t)p.M + 1)] = -INFINITY;
        set_scores(m, f, code, p.score);
    }
    const int rc = ws_dom_tables_create(t, &p, m->tables->tau, m->tables->lambda, err);
    ws_free(p.score);
    return rc;
}

/* ---- scoring (10.2) ---- */

/* Scores x[0..L) as one domain, a target by itself; e has positions in it. */
static int fit(const ws_dom_tables *t, ws_dom_worker *w, const uint8_t *x, uint32_t L, ws_dom_envelope *e, ws_err *err) {
    ws_lenmodel lm;
    ws_dom_pair pair;
    ws_dom_part part = {&pair, NULL, e};
    ws_lenmodel_set(&lm, L);
    ws_dom_pair_begin(&pair, x, &lm);
    *e = (ws_dom_envelope){.from = 1, .to = L};
    pair.n2 = ws_calloc((size_t)L + 1, sizeof *pair.n2, err);
    const int rc = pair.n2 ? ws_dom_rescore(t, w, &part, 1, err) : err->code;
    ws_dom_pair_release(&pair);
    return rc;
}

/* With the background of those residues, or without. */
static int fit_piece(const ws_dom_window_model *m, ws_dom_worker *w, const uint8_t *x, uint32_t L, uint32_t window, ws_dom_envelope *e,
                     ws_err *err) {
    ws_dom_tables *t = NULL;
    if (w->options.nonull2) return fit(m->tables, w, x, L, e, err);
    int rc = fit_tables(m, x, L, window, &t, err);
    if (!rc) rc = fit(t, w, x, L, e, err);
    ws_dom_tables_destroy(t);
    return rc;
}

/* Forward alone, with the model's own background. */
static int own_forward(const ws_dom_window_model *m, ws_dom_worker *w, const uint8_t *x, uint32_t L, float *nats, ws_err *err) {
    ws_dom_problem p = {.x = x, .L = L, .mode = ws_dom_unihit(L)}, *each = &p;
    p.f = ws_dom_scratch(w, WS_DOM_ROWS, ((size_t)L + 1) * sizeof *p.f, err);
    if (!p.f) return err->code;
    const uint32_t before = ws_flush_begin();
    const int rc = w->backend->parse(m->tables, w, &each, 1, err);
    ws_flush_end(before);
    *nats = rc ? 0.0f : ws_dom_forward_nats(&p);
    return rc;
}

/* Whether the envelope reaches further beyond the alignment than it may; then it is cut. Positions in the window. */
static int trim(uint32_t *from, uint32_t *to, const ws_domain *d) {
    const uint32_t first = *from + d->ali_from - 1, last = *from + d->ali_to - 1;
    const int64_t least = (int64_t)first - MARGIN, most = (int64_t)last + MARGIN;
    if (*from >= least && *to <= most) return 0;
    if (*from < least) *from = (uint32_t)least;
    if (*to > most) *to = (uint32_t)most;
    return 1;
}

int ws_dom_window_rescore(const ws_dom_window_model *m, ws_dom_worker *w, const uint8_t *x, uint32_t L, uint32_t from, uint32_t to,
                          ws_dom_window_envelope *out, ws_err *err) {
    ws_dom_envelope e;
    *out = (ws_dom_window_envelope){0};
    int rc = fit_piece(m, w, x + from - 1, to - from + 1, L, &e, err);
    if (!rc && e.scored && trim(&from, &to, &e.domain)) {
        ws_free(e.domain.column);
        rc = fit_piece(m, w, x + from - 1, to - from + 1, L, &e, err);
    }
    if (rc || !e.scored) return rc;
    out->scored = 1;
    out->domain = e.domain;
    out->fitted_nats = out->own_nats = e.domain.env_nats;
    if (!w->options.nonull2) rc = own_forward(m, w, x + from - 1, to - from + 1, &out->own_nats, err);
    ws_domain *d = &out->domain;
    d->env_from = from;
    d->env_to = to;
    d->ali_from += from - 1;
    d->ali_to += from - 1;
    d->env_nats = out->own_nats < out->fitted_nats ? out->own_nats : out->fitted_nats;
    d->correction_nats = out->own_nats - d->env_nats;
    if (!rc) return WS_OK;
    ws_free(d->column);
    d->column = NULL;
    return rc;
}
