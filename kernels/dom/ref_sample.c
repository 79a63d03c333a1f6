/* SPDX-License-Identifier: MIT
 * Sampled traces of a region, scalar: the definition. Specification domains.md, sections 8.2 to 8.4. */
#include "kernels/dom/choose.h"
#include "kernels/dom/ref.h"

#include <math.h>
#include <string.h>

typedef struct sampler {
    const ws_dom_tables *t;
    const ws_dom_problem *p;
    ws_dom_sample *s;
    uint32_t random;
    /* the current domain: counts by node, residues, its last M, its first M so far */
    uint32_t *count;
    uint32_t residues, j, m, i, k;
    float *by_trace; /* null2 odds of each row by this trace; 1 outside of domains */
} sampler;

int ws_dom_ref_choose(const float *weight, int n, double u) { return ws_dom_choose(weight, n, u); }

static double draw(sampler *a) {
    a->s->draws++;
    return ws_dom_deviate(ws_dom_random(&a->random));
}

static int choose(sampler *a, const float *weight, int n) { return ws_dom_ref_choose(weight, n, draw(a)); }

static const float *cell_at(const ws_dom_tables *t, const ws_dom_problem *p, uint32_t i, uint32_t k) {
    return p->cell + WS_DOM_CELL * ((size_t)i * ((size_t)t->M + 1) + k);
}

int ws_dom_ref_end(const ws_dom_tables *t, const ws_dom_problem *p, uint32_t i, double u, uint32_t *k) {
    return ws_dom_choose_end(cell_at(t, p, i, 0), t->M, t->Q, p->f[i].E, u, k);
}

static void emit(sampler *a, uint32_t k) {
    a->count[k]++;
    a->residues++;
}

/* Computes the null2 odds of the finished domain (section 8.4), in the order of the stripes. */
static void domain_null2(const sampler *a, float *null2) {
    const ws_dom_tables *t = a->t;
    const float n = (float)(1.0 / (double)(float)a->residues);
    for (int x = 0; x < t->K; x++) {
        v4 sum = v4_set(0);
        for (int q = 0; q < t->Q; q++)
            for (int z = 0; z < WS_DOM_LANES; z++) {
                const int k = ws_dom_node(t, q, z);
                const float u = k > t->M ? 0.0f : (float)a->count[k] * n;
                sum.z[z] = sum.z[z] + u * ws_dom_emit(t, x)[4 * q + z];
            }
        null2[x] = v4_sum(sum);
    }
    ws_dom_null2_degenerate(t->abc, null2);
}

/* Ends a domain. Its first residue keeps odds of 1. Returns WS_ENOMEM on failure. */
static int close_domain(sampler *a, uint32_t trace, ws_err *err) {
    float null2[WS_KP_MAX];
    domain_null2(a, null2);
    for (uint32_t i = a->i + 1; i <= a->j; i++) a->by_trace[i] = null2[a->p->x[i - 1]];
    int rc = ws_grow(&a->s->segment, &a->s->cap, a->s->n + 1, sizeof *a->s->segment, err);
    if (!rc) a->s->segment[a->s->n++] = (ws_dom_segment){trace, a->i, a->j, a->k, a->m};
    return rc;
}

/* Walks through one domain, from E of row *i to B; *i becomes the row of B. Returns -1 if there is no way. */
static int walk_domain(sampler *a, uint32_t *i) {
    uint32_t k = 0;
    int state = ws_dom_ref_end(a->t, a->p, *i, draw(a), &k);
    memset(a->count, 0, ((size_t)a->t->M + 1) * sizeof *a->count);
    a->residues = a->j = 0;
    while (state >= 0) {
        float *const *tr = a->t->node;
        if (*i == 0 || k == 0) return -1;
        if (state == WS_COLUMN_M) {
            const float *c = cell_at(a->t, a->p, *i - 1, k - 1);
            const float w[4] = {a->p->f[*i - 1].B * tr[WS_PBM][k], c[0] * tr[WS_PMM][k - 1], c[1] * tr[WS_PIM][k - 1],
                                c[2] * tr[WS_PDM][k - 1]};
            emit(a, k);
            if (!a->j) a->j = *i, a->m = k;
            a->i = *i, a->k = k;
            const int from_state = choose(a, w, 4);
            --*i, --k;
            if (from_state == 0) return 0;
            state = from_state == 1 ? WS_COLUMN_M : from_state == 2 ? WS_COLUMN_I : WS_COLUMN_D;
        } else if (state == WS_COLUMN_D) {
            const float *c = cell_at(a->t, a->p, *i, k - 1),
                        w[2] = {c[0] * tr[WS_PMD][k - 1], c[2] * tr[WS_PDD][k - 1]};
            state = choose(a, w, 2) ? WS_COLUMN_D : WS_COLUMN_M;
            --k;
        } else {
            const float *c = cell_at(a->t, a->p, *i - 1, k), w[2] = {c[0] * tr[WS_PMI][k], c[1] * tr[WS_PII][k]};
            emit(a, k);
            state = choose(a, w, 2) ? WS_COLUMN_I : WS_COLUMN_M;
            --*i;
        }
    }
    return -1;
}

/* Walks from row *i in C or J to E; returns 1 and sets *i to the row of E. */
static int to_end(sampler *a, uint32_t *i, int in_j) {
    const ws_dom_row *f = a->p->f;
    const ws_dom_mode *m = &a->p->mode;
    while (*i > 0) {
        const float stay = (in_j ? f[*i - 1].J : f[*i - 1].C) * m->ploop;
        const float w[2] = {stay, (f[*i].E * (in_j ? m->eJ : m->eC)) * f[*i].s};
        if (choose(a, w, 2)) return 1;
        --*i;
    }
    return 0;
}

static int sample_trace(sampler *a, uint32_t trace, ws_err *err) {
    const size_t first = a->s->n;
    uint32_t i = a->p->L;
    int rc = WS_OK, in_j = 0;
    for (uint32_t r = 1; r <= a->p->L; r++) a->by_trace[r] = 1.0f;
    do {
        if (!to_end(a, &i, in_j) || walk_domain(a, &i) < 0) return WS_EDATA;
        if (a->j) rc = close_domain(a, trace, err);
        const float w[2] = {a->p->f[i].N * a->p->mode.pmove, a->p->f[i].J * a->p->mode.pmove};
        in_j = choose(a, w, 2);
    } while (in_j && rc == WS_OK);
    for (uint32_t r = 1; r <= a->p->L; r++) a->s->n2[r] += a->by_trace[r];
    /* reverses the order, because the walk found the last domain first */
    for (size_t lo = first, hi = a->s->n; lo + 1 < hi; lo++, hi--) {
        const ws_dom_segment keep = a->s->segment[lo];
        a->s->segment[lo] = a->s->segment[hi - 1];
        a->s->segment[hi - 1] = keep;
    }
    return rc;
}

int ws_dom_ref_sample(const ws_dom_tables *t, ws_dom_worker *w, const ws_dom_problem *p, uint32_t seed,
                      ws_dom_sample *s, ws_err *err) {
    sampler a = {.t = t, .p = p, .s = s, .random = ws_dom_seeded(seed)};
    s->n = s->draws = 0;
    int rc = ws_grow(&s->n2, &s->n2_cap, (size_t)p->L + 1, sizeof *s->n2, err);
    if (rc) return rc;
    a.count = ws_dom_scratch(w, WS_DOM_COUNT, ((size_t)t->M + 1) * sizeof *a.count, err);
    a.by_trace = ws_dom_scratch(w, WS_DOM_SUMS, ((size_t)p->L + 1) * sizeof *a.by_trace, err);
    if (!a.count || !a.by_trace) return err->code;
    for (uint32_t i = 0; i <= p->L; i++) s->n2[i] = 0.0f;
    for (uint32_t trace = 0; rc == WS_OK && trace < WS_DOM_TRACES; trace++) rc = sample_trace(&a, trace, err);
    return rc;
}
