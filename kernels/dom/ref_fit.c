/* SPDX-License-Identifier: MIT
 * An envelope, scalar: posterior decoding, optimal accuracy, null2 by expectation. This is the definition. Source:
 * specification domains.md, sections 7.1 to 7.4. */
#include "kernels/dom/ref.h"

#include <math.h>
#include <string.h>

/* All rows of an envelope: cells of row i at [i * row]. f: Forward, later posteriors; b: Backward, later optimal
 * accuracy. */
typedef struct matrices {
    v4 *f, *b;
    size_t row;
    float *pN, *pC, *pJ;
} matrices;

static ref_row row_of(const ws_dom_tables *t, v4 *m, size_t row, uint32_t i) {
    ref_row r;
    ws_dom_ref_row_set(&r, m + i * row, t->Q);
    return r;
}

static void fill(const ws_dom_tables *t, ws_dom_problem *p, const matrices *m) {
    ref_row r = row_of(t, m->f, m->row, 0), old;
    ws_dom_ref_forward_row0(t, &p->mode, &r, &p->f[0]);
    for (uint32_t i = 1; i <= p->L; i++) {
        old = r;
        r = row_of(t, m->f, m->row, i);
        ws_dom_ref_forward_row(t, &p->mode, p->x[i - 1], &old, &r, &p->f[i - 1], &p->f[i]);
    }
    p->own = 0;
    r = row_of(t, m->b, m->row, p->L);
    ws_dom_ref_backward_last(t, &p->mode, &r, &p->f[p->L], &p->b[p->L]);
    for (uint32_t i = p->L - 1; i >= 1; i--) {
        old = r;
        r = row_of(t, m->b, m->row, i);
        ws_dom_ref_backward_row(t, &p->mode, p->x[i], &old, &r, &p->b[i + 1], &p->f[i], &p->own, &p->b[i]);
    }
    ws_dom_ref_backward_row0(t, &p->mode, p->x[0], &r, &p->b[1], &p->b[0]);
}

/* Turns M and I of f into posteriors (section 7.1). Returns 0 if r is infinite after the last row. */
static int decode(const ws_dom_tables *t, const ws_dom_problem *p, const matrices *m) {
    const ws_dom_row *f = p->f, *b = p->b;
    const float stay = p->mode.ploop;
    float r = (float)(1.0 / (double)b[0].N);
    for (uint32_t i = 1; i <= p->L; i++) {
        const ref_row rf = row_of(t, m->f, m->row, i), rb = row_of(t, m->b, m->row, i);
        const float w = r * f[i].s;
        for (int q = 0; q < t->Q; q++) {
            rf.M[q] = v4_mul(v4_mul(rf.M[q], rb.M[q]), v4_set(w));
            rf.I[q] = v4_mul(v4_mul(rf.I[q], rb.I[q]), v4_set(w));
        }
        m->pN[i] = f[i - 1].N * b[i].N * stay * r;
        m->pJ[i] = f[i - 1].J * b[i].J * stay * r;
        m->pC[i] = f[i - 1].C * b[i].C * stay * r;
        if (p->own) r = r * (f[i].s / b[i].s);
    }
    return !isinf(r);
}

/* ---- optimal accuracy: section 7.2 ---- */

static float larger(float a, float b) { return a > b ? a : b; }
/* Returns v, or 0 where the transition does not exist: [t > 0] v of the fill. */
static float allowed(float transition, float v) { return transition > 0.0f ? v : 0.0f; }

typedef struct oa_row {
    float E, N, J, B, C;
} oa_row;

static float *cell(const ws_dom_tables *t, v4 *plane, uint32_t k) { return (float *)plane + ws_dom_striped(t, k); }

static void accuracy_cells(const ws_dom_tables *t, const ref_row *post, const ref_row *old, const ref_row *new,
                           float B) {
    float *const *tr = t->node;
    for (uint32_t k = 1; k <= (uint32_t)t->M; k++) {
        const float M = k > 1 ? *cell(t, old->M, k - 1) : 0, I = k > 1 ? *cell(t, old->I, k - 1) : 0;
        const float D = k > 1 ? *cell(t, old->D, k - 1) : 0;
        float best = allowed(tr[WS_PBM][k], B);
        best = larger(best, allowed(tr[WS_PMM][k - 1], M));
        best = larger(best, allowed(tr[WS_PIM][k - 1], I));
        best = larger(best, allowed(tr[WS_PDM][k - 1], D));
        *cell(t, new->M, k) = best + *cell(t, post->M, k);
        best = larger(allowed(tr[WS_PMI][k], *cell(t, old->M, k)), allowed(tr[WS_PII][k], *cell(t, old->I, k)));
        *cell(t, new->I, k) = best + *cell(t, post->I, k);
        *cell(t, new->D, k) = k == 1 ? -INFINITY
                                     : larger(allowed(tr[WS_PMD][k - 1], *cell(t, new->M, k - 1)),
                                              allowed(tr[WS_PDD][k - 1], *cell(t, new->D, k - 1)));
    }
}

static void accuracy_row0(const ws_dom_tables *t, const ref_row *r, oa_row *s) {
    for (int q = 0; q < t->Q; q++) r->M[q] = r->I[q] = r->D[q] = v4_set(-INFINITY);
    *s = (oa_row){.E = -INFINITY, .J = -INFINITY, .C = -INFINITY};
}

static float accuracy(const ws_dom_tables *t, const ws_dom_problem *p, const matrices *m, oa_row *s) {
    ref_row new = row_of(t, m->b, m->row, 0), old;
    accuracy_row0(t, &new, &s[0]);
    for (uint32_t i = 1; i <= p->L; i++) {
        const ref_row post = row_of(t, m->f, m->row, i);
        old = new;
        new = row_of(t, m->b, m->row, i);
        accuracy_cells(t, &post, &old, &new, s[i - 1].B);
        s[i].E = -INFINITY;
        for (uint32_t k = 1; k <= (uint32_t)t->M; k++)
            s[i].E = larger(s[i].E, larger(*cell(t, new.M, k), *cell(t, new.D, k)));
        s[i].J = larger(s[i - 1].J + m->pJ[i], allowed(p->mode.eJ, s[i].E));
        s[i].C = larger(s[i - 1].C + m->pC[i], allowed(p->mode.eC, s[i].E));
        s[i].N = s[i - 1].N + m->pN[i];
        s[i].B = larger(s[i].N, s[i].J);
    }
    return s[p->L].C;
}

/* ---- choices: section 7.3; a missing transition counts as minus infinity ---- */

static float possible(float transition, float v) { return transition > 0.0f ? v : -INFINITY; }

typedef struct ref_choices {
    ws_dom_choices face;
    const ws_dom_tables *t;
    const matrices *m;
    const oa_row *s;
} ref_choices;

static int choice(const ws_dom_choices *c, uint32_t i, uint32_t k) {
    const ref_choices *a = (const ref_choices *)(const void *)c;
    const ws_dom_tables *t = a->t;
    float *const *tr = t->node;
    const ref_row old = row_of(t, a->m->b, a->m->row, i - 1), now = row_of(t, a->m->b, a->m->row, i);
    int bits = WS_DOM_FROM_M;
    float best = k > 1 ? possible(tr[WS_PMM][k - 1], *cell(t, old.M, k - 1)) : -INFINITY;
    const float I = k > 1 ? possible(tr[WS_PIM][k - 1], *cell(t, old.I, k - 1)) : -INFINITY;
    const float D = k > 1 ? possible(tr[WS_PDM][k - 1], *cell(t, old.D, k - 1)) : -INFINITY;
    const float B = possible(tr[WS_PBM][k], a->s[i - 1].B);
    if (I > best) bits = WS_DOM_FROM_I, best = I;
    if (D > best) bits = WS_DOM_FROM_D, best = D;
    if (B > best) bits = WS_DOM_FROM_B;
    if (k > 1 &&
        !(possible(tr[WS_PMD][k - 1], *cell(t, now.M, k - 1)) >= possible(tr[WS_PDD][k - 1], *cell(t, now.D, k - 1))))
        bits |= WS_DOM_D_FROM_D;
    if (!(possible(tr[WS_PMI][k], *cell(t, old.M, k)) >= possible(tr[WS_PII][k], *cell(t, old.I, k))))
        bits |= WS_DOM_I_FROM_I;
    return bits;
}

static void choose_end(const ws_dom_tables *t, const ref_row *r, ws_dom_step *to) {
    float best = -INFINITY;
    to->e_state = WS_COLUMN_M;
    to->e_node = 1;
    for (int q = 0; q < t->Q; q++) {
        for (int z = 0; z < WS_DOM_LANES; z++)
            if (ws_dom_node(t, q, z) <= t->M && r->M[q].z[z] >= best) {
                best = r->M[q].z[z];
                to->e_state = WS_COLUMN_M;
                to->e_node = (uint32_t)ws_dom_node(t, q, z);
            }
        for (int z = 0; z < WS_DOM_LANES; z++)
            if (ws_dom_node(t, q, z) <= t->M && r->D[q].z[z] > best) {
                best = r->D[q].z[z];
                to->e_state = WS_COLUMN_D;
                to->e_node = (uint32_t)ws_dom_node(t, q, z);
            }
    }
}

static void choose_specials(const ws_dom_tables *t, const ws_dom_fit *f, const matrices *m, const oa_row *s,
                            ws_dom_step *step) {
    const ws_dom_problem *p = &f->p;
    step[0] = (ws_dom_step){.b_from_n = f->whole || s[0].N > s[0].J};
    for (uint32_t i = 1; i <= p->L; i++) {
        const ref_row r = row_of(t, m->b, m->row, i);
        choose_end(t, &r, &step[i]);
        step[i].c_from_e = !(s[i - 1].C + m->pC[i] > possible(p->mode.eC, s[i].E));
        step[i].j_from_e = !(s[i - 1].J + m->pJ[i] > possible(p->mode.eJ, s[i].E));
        step[i].b_from_n = f->whole || s[i].N > s[i].J;
    }
}

/* ---- null2 by expectation: section 7.4 ---- */

static void expectation(const ws_dom_tables *t, const ws_dom_problem *p, const matrices *m, float *null2, v4 *uM,
                        v4 *uI) {
    const float n = (float)(1.0 / (double)(float)p->L);
    float N = 0, C = 0, J = 0;
    for (int q = 0; q < t->Q; q++) uM[q] = uI[q] = v4_set(0);
    for (uint32_t i = 1; i <= p->L; i++) {
        const ref_row post = row_of(t, m->f, m->row, i);
        for (int q = 0; q < t->Q; q++) {
            uM[q] = v4_add(uM[q], post.M[q]);
            uI[q] = v4_add(uI[q], post.I[q]);
        }
        N += m->pN[i];
        C += m->pC[i];
        J += m->pJ[i];
    }
    for (int q = 0; q < t->Q; q++) {
        uM[q] = v4_mul(uM[q], v4_set(n));
        uI[q] = v4_mul(uI[q], v4_set(n));
    }
    const float outside = (N * n + C * n) + J * n;
    for (int x = 0; x < t->K; x++) {
        v4 sum = v4_set(0);
        for (int q = 0; q < t->Q; q++) {
            sum = v4_add(sum, v4_mul(uM[q], v4_load(ws_dom_emit(t, x) + 4 * q)));
            sum = v4_add(sum, uI[q]);
        }
        null2[x] = outside + v4_sum(sum);
    }
    ws_dom_null2_degenerate(t->abc, null2);
}

/* ---- together ---- */

static int trace_back(const ws_dom_tables *t, ws_dom_worker *w, ws_dom_fit *f, const matrices *m, const oa_row *s,
                      ws_err *err) {
    const ws_dom_problem *p = &f->p;
    ws_dom_step *step = ws_dom_scratch(w, WS_DOM_CHOICE, ((size_t)p->L + 1) * sizeof *step, err);
    const ref_choices c = {{.step = step, .cell = choice}, t, m, s};
    ws_dom_visit *visit;
    size_t n;
    if (!step) return err->code;
    choose_specials(t, f, m, s, step);
    int rc = ws_dom_walk(w, &c.face, p->L, (uint32_t)t->M, &visit, &n, err);
    if (rc) return rc;
    float *posterior = ws_dom_scratch(w, WS_DOM_LIST, (n + 1) * sizeof *posterior, err);
    if (!posterior) return err->code;
    for (size_t j = 0; j < n; j++) {
        const ref_row post = row_of(t, m->f, m->row, visit[j].i);
        posterior[j] = visit[j].state == WS_COLUMN_D
                           ? 0.0f
                           : *cell(t, visit[j].state == WS_COLUMN_M ? post.M : post.I, visit[j].k);
    }
    return ws_dom_set_columns(f, visit, posterior, n, err);
}

static int fit_one(const ws_dom_tables *model, ws_dom_worker *w, ws_dom_fit *f, ws_err *err) {
    const ws_dom_tables *t = f->p.odds ? f->p.odds : model;
    const size_t rows = (size_t)f->p.L + 1, row = 3 * (size_t)t->Q;
    matrices m = {.row = row};
    m.f = ws_dom_scratch(w, WS_DOM_MATRIX, (2 * rows * row + 2 * (size_t)t->Q) * sizeof *m.f, err);
    float *sums = ws_dom_scratch(w, WS_DOM_SUMS, rows * (3 * sizeof(float) + sizeof(oa_row)), err);
    if (!m.f || !sums) return err->code;
    m.b = m.f + rows * row;
    v4 *u = m.b + rows * row;
    m.pN = sums;
    m.pC = sums + rows;
    m.pJ = sums + 2 * rows;
    oa_row *s = (oa_row *)(void *)(sums + 3 * rows);
    fill(t, &f->p, &m);
    f->range = !decode(t, &f->p, &m);
    if (f->range) return WS_OK;
    expectation(t, &f->p, &m, f->null2, u, u + t->Q);
    f->accuracy = accuracy(t, &f->p, &m, s);
    return trace_back(t, w, f, &m, s, err);
}

int ws_dom_ref_fit(const ws_dom_tables *t, ws_dom_worker *w, ws_dom_fit *const *f, size_t n, ws_err *err) {
    int rc = WS_OK;
    for (size_t j = 0; rc == WS_OK && j < n; j++) rc = fit_one(t, w, f[j], err);
    return rc;
}
