/* SPDX-License-Identifier: MIT
 * Whole targets as one domain each: see whole.h. The list is computed without subnormal numbers; a target on which they
 * may have had an influence is computed again with them, and one whose numbers go out of range in logarithms. */
#include "kernels/dom/whole.h"
#include "kernels/dom/kernel.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "lib/simd/flush.h"

enum { TOGETHER = 16 }; /* most targets in one call of a backend */

/* The largest share of a target's paths that flushed numbers may have taken: README.md, "Whole targets". */
#define SHARE 1e-10

/* Returns the largest factor from b.B of a row to a cell of the next row: 1 / (BM_k o_k) over nodes and residues. */
static double reach_of(const ws_dom_tables *t) {
    double least = 1.0;
    for (int k = 1; k <= t->M; k++) {
        const double entry = (double)t->node[WS_PBM][k];
        for (int x = 0; x < t->K; x++) {
            const double odds = entry * (double)ws_dom_emit(t, x)[ws_dom_striped(t, (uint32_t)k)];
            if (odds > 0.0 && odds < least) least = odds;
        }
    }
    return 1.0 / least;
}

static double largest(double a, double b) { return a > b ? a : b; }

/* Returns whether flushed numbers may have had an influence on a target. A flushed number is below FLT_MIN. In Forward
 * it carries at most that times the largest number of Backward in its row; in Backward at most that times the largest
 * of Forward, which is bounded by the limit of a row's E. */
static int may_matter(const ws_dom_tables *t, const ws_dom_problem *p, double reach) {
    const ws_dom_row *f = p->f, *b = p->b;
    const double cells = 3.0 * (double)t->M + 5.0, forward = 1e4 * (double)p->L;
    double r = 1.0 / (double)b[0].N, worst = 0.0;
    for (uint32_t i = 1; i <= p->L; i++) {
        const double backward = largest(largest((double)b[i - 1].B * reach, (double)b[i].N),
                                        largest(reach * (double)b[i].B, largest((double)b[i].E, (double)b[i].C)));
        worst = largest(worst, r * (double)f[i].s * largest(backward, forward));
        if (p->own) r *= (double)f[i].s / (double)b[i].s;
    }
    return !(worst * (double)FLT_MIN * cells * (double)p->L < SHARE);
}

/* Sets the codes of residues in N and C. */
static int set_outside(ws_dom_whole *a, const ws_dom_problem *p, ws_err *err) {
    const ws_dom_row *f = p->f, *b = p->b;
    const float stay = p->mode.ploop;
    float r = (float)(1.0 / (double)b[0].N);
    if (!(a->outside = ws_calloc(a->L, 1, err))) return err->code;
    for (uint32_t i = 1; i <= p->L; i++) {
        if (i < a->i_from) a->outside[i - 1] = ws_dom_code_of(f[i - 1].N * b[i].N * stay * r);
        if (i > a->i_to) a->outside[i - 1] = ws_dom_code_of(f[i - 1].C * b[i].C * stay * r);
        if (p->own) r = r * (f[i].s / b[i].s);
    }
    return WS_OK;
}

static int take(ws_dom_whole *a, ws_dom_fit *f, ws_err *err) {
    a->i_from = f->i_from;
    a->i_to = f->i_to;
    a->k_from = f->k_from;
    a->k_to = f->k_to;
    a->column = f->column;
    a->posterior = f->posterior;
    a->ncolumn = f->ncolumn;
    f->column = NULL;
    f->posterior = NULL;
    return a->i_to && !a->outside ? set_outside(a, &f->p, err) : WS_OK;
}

static void drop(ws_dom_fit *f) {
    ws_free(f->column);
    ws_free(f->posterior);
    f->column = NULL;
    f->posterior = NULL;
}

/* Returns whether the odds of a target are all in range. */
static int in_range(const ws_dom_fit *f) { return !f->range && !isnan(ws_dom_forward_nats(&f->p)) && f->i_to > 0; }

/* Fits targets with a backend. The fits' rows and results stay until the next call. */
static int fit_odds(const ws_dom_tables *t, ws_dom_worker *w, ws_dom_fit *const *f, size_t n, int subnormals,
                    ws_err *err) {
    const uint32_t before = subnormals ? 0 : ws_flush_begin();
    w->subnormals = subnormals;
    const int rc = w->backend->fit(t, w, f, n, err);
    w->subnormals = 0;
    if (!subnormals) ws_flush_end(before);
    return rc;
}

typedef struct aligner {
    const ws_dom_tables *t;
    const ws_profile *p;
    ws_dom_worker *w;
    double reach;
} aligner;

static int align_some(const aligner *to, ws_dom_whole *const *list, size_t n, ws_err *err) {
    ws_dom_fit f[TOGETHER], *each[TOGETHER];
    ws_dom_whole *again[TOGETHER];
    size_t rows = 0, left = 0;
    for (size_t j = 0; j < n; j++) rows += (size_t)list[j]->L + 1;
    ws_dom_row *row = ws_dom_scratch(to->w, WS_DOM_ROWS, 2 * rows * sizeof *row, err);
    if (!row) return err->code;
    for (size_t j = 0; j < n; j++) {
        f[j] = (ws_dom_fit){.whole = 1};
        f[j].p = (ws_dom_problem){.x = list[j]->x, .L = list[j]->L, .mode = ws_dom_unihit(list[j]->L), .f = row};
        f[j].p.b = row + list[j]->L + 1;
        row += 2 * ((size_t)list[j]->L + 1);
        each[j] = &f[j];
    }
    int rc = fit_odds(to->t, to->w, each, n, 0, err);
    for (size_t j = 0; j < n && !rc; j++) {
        if (in_range(&f[j]) && !may_matter(to->t, &f[j].p, to->reach)) continue;
        drop(&f[j]);
        again[left] = list[j];
        each[left++] = &f[j];
    }
    for (size_t j = 0; j < left && !rc; j++) again[j]->way = WS_DOM_BY_SUBNORMALS;
    if (!rc && left) rc = fit_odds(to->t, to->w, each, left, 1, err);
    for (size_t j = 0; j < left && !rc; j++) {
        if (in_range(each[j])) continue;
        drop(each[j]);
        again[j]->way = WS_DOM_BY_LOGARITHMS;
        rc = ws_dom_fit_logs(to->p, to->w, each[j], &again[j]->outside, err);
    }
    for (size_t j = 0; j < n; j++) {
        if (!rc) rc = take(list[j], &f[j], err);
        drop(&f[j]);
    }
    return rc;
}

size_t ws_dom_whole_plain(const ws_dom_backend *b) { return (size_t)(b->quads > 2 ? 8 : 64) << 20; }

static int longer(const void *a, const void *b) {
    const ws_dom_whole *x = *(ws_dom_whole *const *)a, *y = *(ws_dom_whole *const *)b;
    return x->L != y->L ? (x->L < y->L) - (x->L > y->L) : (x > y) - (x < y);
}

int ws_dom_align(const ws_dom_tables *t, const ws_profile *p, ws_dom_worker *w, ws_dom_whole *list, size_t n,
                 ws_err *err) {
    const aligner to = {t, p, w, reach_of(t)};
    ws_dom_whole **order = ws_dom_scratch(w, WS_DOM_ORDER, (n + 1) * sizeof *order, err);
    int rc = order ? WS_OK : err->code;
    for (size_t j = 0; j < n && !rc; j++) order[j] = &list[j];
    if (!rc && n > 1) qsort(order, n, sizeof *order, longer);
    for (size_t j = 0, m; j < n && !rc && order[j]->L > 0; j += m) {
        for (m = 1; m < TOGETHER && j + m < n && order[j + m]->L > 0;) m++;
        rc = align_some(&to, order + j, m, err);
    }
    return rc;
}

void ws_dom_whole_release(ws_dom_whole *a) {
    ws_free(a->column);
    ws_free(a->posterior);
    ws_free(a->outside);
    *a = (ws_dom_whole){0};
}
