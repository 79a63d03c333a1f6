/* SPDX-License-Identifier: MIT
 * Envelopes against a fitted background. Specification long-targets.md, section 10; what is single there is single
 * here. */
#include "kernels/dom/window.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/dom/device.h"
#include "kernels/dom/kernel.h"
#include "lib/base/parallel_for.h"
#include "lib/simd/flush.h"

enum { MARGIN = 20 }; /* residues that an envelope keeps around its alignment */

int ws_dom_window_model_create(ws_dom_window_model *m, const ws_dom_tables *tables, const ws_profile *profile,
                               const ws_hmm *hmm, ws_err *err) {
    *m = (ws_dom_window_model){.tables = tables, .profile = profile, .mask = hmm->note[WS_NOTE_MM]};
    return ws_odds_create(&m->odds, profile, err);
}

void ws_dom_window_model_destroy(ws_dom_window_model *m) { ws_odds_destroy(&m->odds); }

/* ---- the background (10.1) ---- */

/* Sets share[y] to the share of canonical residue y in x[0..L). A degenerate residue counts for all that it stands for.
 * */
static void count_residues(const ws_abc *abc, const uint8_t *x, uint32_t L, float *share) {
    float sum = 0.0f, c = 0.0f;
    for (int y = 0; y < abc->K; y++) share[y] = 0.0f;
    for (uint32_t i = 0; i < L; i++) {
        const uint32_t set = abc->contains[x[i]];
        const float one = 1.0f / (float)__builtin_popcount(set ? set : 1);
        for (int y = 0; y < abc->K; y++)
            if (set >> y & 1) share[y] += one;
    }
    for (int y = 0; y < abc->K; y++) { /* compensated, as in domains.md, section 8.2 */
        const float v = share[y] - c, next = sum + v;
        c = (next - sum) - v;
        sum = next;
    }
    for (int y = 0; y < abc->K; y++) share[y] = sum > 0.0f ? share[y] / sum : 1.0f / (float)abc->K;
}

/* Computes the background of an envelope in a window of so many residues. */
static void fit_background(const ws_abc *abc, const uint8_t *x, uint32_t L, uint32_t window, float *f) {
    float share[20];
    const float s = (float)(25.0 / (double)(window < 50 ? 50 : window > 100 ? 100 : window));
    count_residues(abc, x, L, share);
    for (int y = 0; y < abc->K; y++)
        f[y] = (float)((double)(s * abc->background[y]) + (1.0 - (double)s) * (double)share[y]);
}

/* Scores of code x under the background f, from those of the canonical ones if x is degenerate. */
static void set_scores(const ws_abc *abc, const ws_odds *odds, const char *mask, const float *f, int x, float *score) {
    const size_t row = (size_t)odds->M + 1;
    float *s = score + (size_t)x * row, denominator = 0.0f;
    for (size_t k = 1; k < row; k++) s[k] = x < abc->K || abc->contains[x] ? 0.0f : -INFINITY;
    for (int y = 0; y < abc->K && x >= abc->K; y++) {
        if (!(abc->contains[x] >> y & 1)) continue;
        for (size_t k = 1; k < row; k++) s[k] += score[(size_t)y * row + k] * f[y];
        denominator += f[y];
    }
    for (size_t k = 1; k < row; k++) {
        const int masked = mask && mask[k] == 'm';
        const float own = odds->emit[(size_t)x * row + k] * abc->background[0];
        if (x < abc->K) s[k] = masked ? 0.0f : (float)log((double)own / (double)f[x]);
        else if (denominator > 0.0f) s[k] /= denominator;
    }
}

int ws_dom_window_revert(ws_profile *p, const char *mask, ws_err *err) {
    ws_odds odds;
    const int rc = ws_odds_create(&odds, p, err);
    if (rc) return rc;
    for (int x = 0; x < p->abc->Kp; x++) set_scores(p->abc, &odds, mask, p->abc->background, x, p->score);
    ws_odds_destroy(&odds);
    return WS_OK;
}

int ws_dom_window_model_behind(ws_dom_window_model *m, const ws_dom_window_model *of, ws_err *err) {
    const ws_abc *abc = of->profile->abc;
    const size_t row = (size_t)of->odds.M + 1, n = (size_t)abc->Kp * row;
    float *score = ws_alloc(n * sizeof *score, err), *emit = score ? ws_alloc(n * sizeof *emit, err) : NULL;
    *m = (ws_dom_window_model){.tables = of->tables, .profile = of->profile, .mask = of->mask,
                               .odds = {.M = of->odds.M, .Kp = of->odds.Kp, .emit = emit}};
    for (int x = 0; x < abc->Kp && emit; x++) {
        score[(size_t)x * row] = -INFINITY;
        set_scores(abc, &of->odds, of->mask, abc->background, x, score);
    }
    if (emit) ws_odds_of(emit, score, n);
    ws_free(score);
    return emit ? WS_OK : err->code;
}

/* Makes the model's tables with the emissions that follow from a fitted background, of codes up to the highest in
 * x[0..L): most envelopes have canonical residues alone. */
static int fit_tables(const ws_dom_window_model *m, const uint8_t *x, uint32_t L, uint32_t window, ws_dom_tables **t,
                      ws_err *err) {
    const ws_abc *abc = m->profile->abc;
    const size_t row = (size_t)m->profile->M + 1;
    float f[20];
    int highest = abc->K; /* the gap */
    for (uint32_t i = 0; i < L; i++)
        if (x[i] > highest) highest = x[i];
    float *score = ws_alloc((size_t)(highest + 1) * row * sizeof *score, err);
    if (!score) return err->code;
    fit_background(abc, x, L, window, f);
    for (int code = 0; code <= highest; code++) {
        score[(size_t)code * row] = -INFINITY;
        set_scores(abc, &m->odds, m->mask, f, code, score);
    }
    const int rc = ws_dom_tables_fit(t, m->tables, score, highest + 1, err);
    ws_free(score);
    return rc;
}

/* ---- scoring (10.2) ---- */

/* An envelope as a target by itself that is scored as one domain. Positions count from the envelope's first residue. */
typedef struct fitted {
    ws_dom_tables *t; /* with the fitted background; NULL: the model's */
    ws_lenmodel lm;
    ws_dom_pair pair;
    ws_dom_envelope e;
} fitted;

/* Returns whether to score an envelope in this round: all in the first one, those that were cut in the second. */
static int asked(const ws_dom_window_envelope *e, int round) { return round == 0 || e->cut; }

static int begin_fitted(const ws_dom_window_model *m, int nonull2, const ws_dom_window_envelope *e, fitted *p,
                        ws_err *err) {
    const uint32_t L = e->to - e->from + 1;
    const uint8_t *x = e->x + e->from - 1;
    ws_lenmodel_set(&p->lm, L);
    ws_dom_pair_begin(&p->pair, x, &p->lm);
    p->e = (ws_dom_envelope){.from = 1, .to = L};
    const int rc = nonull2 ? WS_OK : fit_tables(m, x, L, e->L, &p->t, err);
    p->pair.odds = p->t;
    if (!rc) p->pair.n2 = ws_calloc((size_t)L + 1, sizeof *p->pair.n2, err);
    return rc || p->pair.n2 ? rc : err->code;
}

/* Returns 1 if the envelope reaches further beyond the alignment than it may, and cuts it then. Positions in the
 * window. */
static int trim(ws_dom_window_envelope *e, const ws_domain *d) {
    const uint32_t first = e->from + d->ali_from - 1, last = e->from + d->ali_to - 1;
    const int64_t least = (int64_t)first - MARGIN, most = (int64_t)last + MARGIN;
    if (e->from >= least && e->to <= most) return 0;
    if (e->from < least) e->from = (uint32_t)least;
    if (e->to > most) e->to = (uint32_t)most;
    return 1;
}

/* Marks the match columns whose residue scores above 0 with the background of the envelope. */
static void mark_above(const ws_dom_tables *t, const uint8_t *x, ws_domain *d) {
    uint32_t i = d->ali_from - 1, k = d->hmm_from;
    for (uint32_t c = 0; c < d->ncolumn; c++) {
        const int state = d->column[c] & WS_COLUMN_STATE;
        if (state == WS_COLUMN_M && ws_dom_emit(t, x[i])[ws_dom_striped(t, k)] > 1.0f) d->column[c] |= WS_COLUMN_ABOVE;
        i += state != WS_COLUMN_D;
        k += state != WS_COLUMN_I;
    }
}

static void take_fitted(const ws_dom_window_model *m, ws_dom_window_envelope *e, fitted *p) {
    ws_free(e->domain.column);
    e->scored = p->e.scored;
    e->domain = p->e.domain;
    p->e.domain.column = NULL;
    if (e->scored) mark_above(p->t ? p->t : m->tables, p->pair.x, &e->domain);
}

static void end_fitted(fitted *p) {
    ws_free(p->e.domain.column);
    ws_dom_pair_release(&p->pair);
    ws_dom_tables_destroy(p->t);
    *p = (fitted){0};
}

/* Scores the envelopes of a round with the backgrounds of their residues. */
static int fit_round(const ws_dom_window_model *m, ws_dom_worker *w, ws_dom_window_envelope *const *e, size_t n,
                     int round, ws_err *err) {
    fitted p[WS_DOM_WINDOW_MOST] = {{0}};
    ws_dom_span span[WS_DOM_WINDOW_MOST];
    size_t some = 0;
    int rc = WS_OK;
    for (size_t j = 0; j < n && !rc; j++) {
        if (!asked(e[j], round)) continue;
        rc = begin_fitted(e[j]->fit ? e[j]->fit : m, w->options.nonull2, e[j], &p[j], err);
        span[some++] = (ws_dom_span){&p[j].pair, NULL, &p[j].e};
    }
    if (!rc && some) rc = ws_dom_rescore(m->tables, w, span, some, err);
    for (size_t j = 0; j < n; j++) {
        if (!rc && asked(e[j], round)) take_fitted(m, e[j], &p[j]);
        end_fitted(&p[j]);
    }
    return rc;
}

/* Computes Forward alone, with the model's own background, for the envelopes that have a score. */
static int own_forward(const ws_dom_window_model *m, ws_dom_worker *w, ws_dom_window_envelope *const *e, size_t n,
                       ws_err *err) {
    ws_dom_problem p[WS_DOM_WINDOW_MOST], *each[WS_DOM_WINDOW_MOST];
    size_t rows = 0, some = 0;
    for (size_t j = 0; j < n; j++) {
        const uint32_t L = e[j]->to - e[j]->from + 1;
        p[j] = (ws_dom_problem){.x = e[j]->x + e[j]->from - 1, .L = L, .mode = ws_dom_unihit(L)};
        rows += e[j]->scored ? (size_t)L + 1 : 0;
    }
    ws_dom_row *row = ws_dom_scratch(w, WS_DOM_ROWS, rows * sizeof *row, err);
    if (!row) return err->code;
    for (size_t j = 0; j < n; j++) {
        if (!e[j]->scored) continue;
        p[j].f = row;
        row += p[j].L + 1;
        each[some++] = &p[j];
    }
    const uint32_t before = ws_flush_begin();
    const int rc = some ? w->backend->parse(m->tables, w, each, some, err) : WS_OK;
    ws_flush_end(before);
    for (size_t j = 0; j < n && !rc; j++)
        if (e[j]->scored) e[j]->own_nats = ws_dom_forward_nats(&p[j]);
    return rc;
}

/* Turns positions in the envelope into those in the window, and takes the smaller score. */
static void finish(ws_dom_window_envelope *e) {
    ws_domain *d = &e->domain;
    d->env_from = e->from;
    d->env_to = e->to;
    d->ali_from += e->from - 1;
    d->ali_to += e->from - 1;
    d->env_nats = e->own_nats < e->fitted_nats ? e->own_nats : e->fitted_nats;
    d->correction_nats = e->own_nats - d->env_nats;
}

static int rescore_some(const ws_dom_window_model *m, ws_dom_worker *w, ws_dom_window_envelope *const *e, size_t n,
                        ws_err *err) {
    int rc = fit_round(m, w, e, n, 0, err);
    for (size_t j = 0; j < n && !rc; j++) e[j]->cut = e[j]->scored && trim(e[j], &e[j]->domain);
    if (!rc) rc = fit_round(m, w, e, n, 1, err);
    for (size_t j = 0; j < n && !rc; j++) e[j]->fitted_nats = e[j]->own_nats = e[j]->domain.env_nats;
    if (!rc && !w->options.nonull2) rc = own_forward(m, w, e, n, err);
    for (size_t j = 0; j < n && !rc; j++)
        if (e[j]->scored) finish(e[j]);
    return rc;
}

static int longer(const void *a, const void *b) {
    const ws_dom_window_envelope *e = *(ws_dom_window_envelope *const *)a, *h = *(ws_dom_window_envelope *const *)b;
    const uint32_t L = e->to - e->from, K = h->to - h->from;
    return L != K ? (L < K) - (L > K) : (e > h) - (e < h);
}

int ws_dom_window_rescore(const ws_dom_window_model *m, ws_dom_worker *w, ws_dom_window_envelope *e, size_t n,
                          ws_err *err) {
    ws_dom_window_envelope **list = ws_calloc(n, sizeof *list, err);
    int rc = list ? WS_OK : err->code;
    for (size_t j = 0; j < n && !rc; j++) list[j] = &e[j];
    if (!rc) qsort(list, n, sizeof *list, longer);
    for (size_t j = 0; j < n && !rc; j += WS_DOM_WINDOW_MOST)
        rc = rescore_some(m, w, list + j, ws_min(n - j, WS_DOM_WINDOW_MOST), err);
    ws_free(list);
    return rc;
}

/* ---- on a device ---- */

/* A list of envelopes of a call, which a device scores together. */
typedef struct pass {
    ws_dom_window_load *load;
    fitted *p;         /* [n] */
    ws_dom_load *some; /* [n] those that it asks for */
    size_t *of, n;     /* [n] which they are; how many */
    float *nats;       /* [n] Forward's of these, with the models' own backgrounds. NULL: the pass rescores them */
    int nonull2, threads;
} pass;

static int create_pass(pass *r, size_t n, ws_err *err) {
    r->p = ws_calloc(n, sizeof *r->p, err);
    r->some = r->p ? ws_calloc(n, sizeof *r->some, err) : NULL;
    r->of = r->some ? ws_calloc(n, sizeof *r->of, err) : NULL;
    return r->of ? WS_OK : err->code;
}

static void release_pass(pass *r) {
    for (size_t i = 0; r->of && i < r->n; i++) end_fitted(&r->p[i]);
    ws_free(r->of);
    ws_free(r->some);
    ws_free(r->p);
    ws_free(r->nats);
}

static int fit_one(void *ctx, size_t i, ws_err *err) {
    pass *r = ctx;
    const ws_dom_window_load *l = &r->load[r->of[i]];
    return begin_fitted(l->m, r->nonull2, l->e, &r->p[i], err);
}

/* Scores the envelopes of a pass. */
static int run_pass(void *ctx, size_t i, ws_err *err) {
    pass *r = (pass *)ctx + i;
    int rc = r->nats ? WS_OK : ws_parallel_for(r->n, r->threads, fit_one, r, err);
    for (size_t j = 0; j < r->n; j++)
        r->some[j] = (ws_dom_load){.t = r->load[r->of[j]].m->tables, .span = {&r->p[j].pair, NULL, &r->p[j].e}};
    if (rc || r->n == 0) return rc;
    return r->nats ? ws_dom_device_forward(r->some, r->n, r->nats, err) : ws_dom_device_rescore(r->some, r->n, err);
}

/* Takes the envelopes that a pass scored. The device leaves one by done = 0. */
static void take_pass(pass *r) {
    for (size_t i = 0; i < r->n; i++) {
        ws_dom_window_load *l = &r->load[r->of[i]];
        l->done = r->some[i].done;
        if (l->done) take_fitted(l->m, l->e, &r->p[i]);
        end_fitted(&r->p[i]);
    }
}

/* Scores those that were cut once more. Beside them it computes Forward of all that have a score: a call lasts as long
 * as its longest envelope. */
static int run_second(pass *again, pass *own, size_t n, ws_err *err) {
    if (!again->nonull2 && !(own->nats = ws_calloc(n, sizeof *own->nats, err))) return err->code;
    for (size_t j = 0; j < n; j++) {
        const ws_dom_window_load *l = &again->load[j];
        if (!l->done || !l->e->scored) continue;
        if (l->e->cut) again->of[again->n++] = j;
        if (!own->nats) continue;
        fitted *p = &own->p[own->n];
        ws_lenmodel_set(&p->lm, l->e->to - l->e->from + 1);
        ws_dom_pair_begin(&p->pair, l->e->x + l->e->from - 1, &p->lm);
        p->e = (ws_dom_envelope){.from = 1, .to = p->lm.L};
        own->of[own->n++] = j;
    }
    pass both[2] = {*again, *own};
    const int rc = ws_parallel_for(2, 2, run_pass, both, err);
    if (!rc) take_pass(again);
    for (size_t j = 0; j < n && !rc; j++) {
        ws_dom_window_envelope *e = again->load[j].e;
        e->fitted_nats = e->own_nats = e->domain.env_nats;
    }
    for (size_t i = 0; i < own->n && !rc; i++) {
        ws_dom_window_load *l = &own->load[own->of[i]];
        l->done = l->done && own->some[i].done;
        l->e->own_nats = own->nats[i];
    }
    return rc;
}

static int run_first(pass *all, size_t n, ws_err *err) {
    for (size_t j = 0; j < n; j++) all->of[all->n++] = j;
    const int rc = run_pass(all, 0, err);
    if (!rc) take_pass(all);
    for (size_t j = 0; j < n && !rc; j++) {
        ws_dom_window_envelope *e = all->load[j].e;
        e->cut = all->load[j].done && e->scored && trim(e, &e->domain);
    }
    return rc;
}

int ws_dom_window_rescore_on_device(ws_dom_window_load *load, size_t n, int nonull2, int threads, ws_err *err) {
    const pass like = {.load = load, .nonull2 = nonull2, .threads = threads};
    pass all = like, again = like, own = like, *const list[] = {&all, &again, &own};
    int rc = WS_OK;
    for (int k = 0; k < 3 && !rc; k++) rc = create_pass(list[k], n, err);
    if (!rc) rc = run_first(&all, n, err);
    if (!rc) rc = run_second(&again, &own, n, err);
    for (int k = 0; k < 3; k++) release_pass(list[k]);
    for (size_t j = 0; j < n; j++) {
        load[j].done = load[j].done && !rc;
        if (load[j].done && load[j].e->scored) finish(load[j].e);
        if (load[j].done) continue;
        ws_free(load[j].e->domain.column);
        load[j].e->domain.column = NULL;
    }
    return rc;
}
