/* SPDX-License-Identifier: MIT
 * Envelopes side by side: posteriors, optimal accuracy with the choices of each cell, null2 by expectation. Source:
 * specification domains.md, sections 7.1 to 7.4.
 *
 * The matrix holds the product of Forward and Backward for each cell; times w of its row that is its posterior. All
 * transitions of the model exist (fit_plain checks it). So a masked predecessor occurs only at node 1, where lanes
 * move up and 0 enters. Accuracies are at least 0, so no D is better than the best M, and a path ends in the last of
 * the best M. */

/* bits of a cell's choice: HIGH and LOW encode the state that M comes from */
enum { HIGH, LOW, FROM_D, FROM_I, NBITS };

/* A place of a row with a posterior worth remembering. By blocks, the products of a path's cells are gone when the path
 * is known; nearly all of them are remembered, so that few blocks are filled again. */
typedef struct remembered {
    VF pM, pI;
    uint32_t q;
} remembered;
#define WORTH 0x1p-12f
enum { REMEMBERED = 24 /* places of a row, on average */ };

typedef struct accuracy {
    bundle *g;
    ws_dom_fit *f[VP_QUADS];
    float *w, *B;              /* by step and quad, four floats a step: the row's factor, and A.B of the previous row */
    float *pC[VP_QUADS];       /* by row */
    VF *M[2], *I, *D, *uM, *uI, *end; /* accuracies; sums of posteriors; M of the last row in which a path may end */
    v_mask_bits *choice;       /* [step][q][NBITS] */
    uint16_t *alone;           /* for quad 0 alone, [step][q]: four bits of each kind */
    remembered *seen;          /* by step, then by place; NULL: the products of all rows stay */
    size_t nseen, most_seen, *seen_from; /* [rows + 2] by step: its first in `seen` */
    VF in;                     /* D that enters each lane in the last row, still to be added */
    float C[VP_QUADS];
    int ended[VP_QUADS];       /* C of the last row came from E */
    uint32_t end_row[VP_QUADS];
    float outside[VP_QUADS];   /* for null2: expected residues in N, C and J */
} accuracy;

/* Does section 7.1 except for the cells: factors of the rows, and posteriors of N, C and J. */
static void decode_quad(accuracy *a, int j) {
    const ws_dom_problem *p = a->g->p[j];
    const size_t at = 4 * (size_t)a->g->skip[j] + (size_t)j;
    const ws_dom_factors to = {a->w + at, a->B + at, a->pC[j], 4};
    a->f[j]->range = ws_dom_decode_envelope(p->f, p->b, p->L, p->mode.ploop, p->own, &to, &a->outside[j]);
}

/* Decodes all quads. Idle quads have no posteriors and no begin. */
static void decode_bundle(accuracy *a) {
    const size_t n = 4 * ((size_t)a->g->rows + 1);
    for (size_t at = 0; at < n; at++) a->w[at] = 0.0f, a->B[at] = -INFINITY;
    for (int j = 0; j < VP_QUADS; j++)
        if (a->g->p[j]) decode_quad(a, j);
}

/* Where the choice bits of a row and of the row above are stored. */
typedef struct choice_rows {
    v_mask_bits *now, *above;
    uint16_t *now_alone, *above_alone;
} choice_rows;

WS_INLINE void store_bits(const int alone, const choice_rows *to, size_t q, VM from_i, VM from_d, VM from_b, VM insert,
                          VM delete) {
    const VM high = VM_OR(from_d, from_b), low = VM_OR(VM_ANDNOT(from_i, from_d), from_b);
    if (alone) {
        const uint32_t bits =
            (VM_BITS(high) & 15) << 4 * HIGH | (VM_BITS(low) & 15) << 4 * LOW | (VM_BITS(insert) & 15) << 4 * FROM_I;
        to->now_alone[q] = (uint16_t)bits;
        to->above_alone[q] =
            (uint16_t)((to->above_alone[q] & ~(15u << 4 * FROM_D)) | (VM_BITS(delete) & 15) << 4 * FROM_D);
    } else {
        to->now[q * NBITS + HIGH] = (v_mask_bits)VM_BITS(high);
        to->now[q * NBITS + LOW] = (v_mask_bits)VM_BITS(low);
        to->now[q * NBITS + FROM_I] = (v_mask_bits)VM_BITS(insert);
        to->above[q * NBITS + FROM_D] = (v_mask_bits)VM_BITS(delete);
    }
}

/* Computes one row, and returns A.E. */
WS_INLINE VF accuracy_row(const int alone, const int remember, accuracy *a, uint32_t step) {
    const size_t Q = a->g->Q;
    const float *valid = a->g->t->valid;
    const VF *k = kept_row(a->g, step), *const old = a->M[~step & 1], none = VF_SET1(-INFINITY);
    const VF w = VP_SPREAD(a->w + 4 * (size_t)step), B = VP_SPREAD(a->B + 4 * (size_t)step), carry = a->in;
    VF *const new = a->M[step & 1], *const I = a->I, *const D = a->D, *const uM = a->uM, *const uI = a->uI;
    choice_rows to = {0};
    if (alone) to.now_alone = a->alone + (size_t)step * Q, to.above_alone = to.now_alone - Q;
    else to.now = a->choice + (size_t)step * Q * NBITS, to.above = to.now - Q * NBITS;
    VF m = VP_UP(old[Q - 1]), i = VP_UP(I[Q - 1]), d = VP_UP(VF_MAX(D[Q - 1], carry)), E = VF_SET1(0.0f), local = none;
    for (size_t q = 0; q < Q; q++) {
        const VF pM = VF_MUL(k[2 * q], w), pI = VF_MUL(k[2 * q + 1], w);
        if (remember && VM_ANY(VM_GT(VF_MAX(pM, pI), VF_SET1(WORTH))) && a->nseen < a->most_seen)
            a->seen[a->nseen++] = (remembered){pM, pI, (uint32_t)q};
        uM[q] = VF_ADD(uM[q], pM);
        uI[q] = VF_ADD(uI[q], pI);
        const VM from_i = VM_GT(i, m);
        VF best = VF_MAX(m, i);
        const VM from_d = VM_GT(d, best);
        best = VF_MAX(best, d);
        const VM from_b = VM_GT(B, best);
        best = VF_ADD(VF_MAX(best, B), pM);
        new[q] = best;
        E = VF_MAX(E, VF_AND(best, VP_BCAST(valid + 4 * q)));
        m = old[q], i = I[q], d = VF_MAX(D[q], carry);
        store_bits(alone, &to, q, from_i, from_d, from_b, VM_GT(i, m), VM_GT(d, m));
        I[q] = VF_ADD(VF_MAX(m, i), pI);
        D[q] = local;
        local = VF_MAX(local, best);
    }
    local = VP_UP(local);
    local = VF_MAX(local, VP_UP(local));
    a->in = VF_MAX(local, VP_UP(VP_UP(local)));
    return VP_MAX(E);
}

/* Notes whether C of a row comes from E. Keeps M of a row in which a path may end, once the next row is not such a
 * row. */
static void end_row(accuracy *a, int j, uint32_t step, float E) {
    const uint32_t i = step - a->g->skip[j];
    const float stay = a->C[j] + a->pC[j][i];
    const int ends = !(stay > E);
    if (a->ended[j] && !ends) {
        const VF *M = a->M[~step & 1];
        for (size_t q = 0; q < a->g->Q; q++)
            memcpy((float *)(void *)(a->end + q) + 4 * j, (const float *)(const void *)(M + q) + 4 * j,
                   4 * sizeof(float));
    }
    if (ends) a->end_row[j] = i;
    a->ended[j] = ends;
    a->C[j] = stay > E ? stay : E;
}

static void begin_quad(accuracy *a, int j, uint32_t step) {
    VF *const all[] = {a->M[~step & 1], a->I, a->D};
    a->in = set_quad(a->in, j, -INFINITY);
    for (size_t v = 0; v < 3; v++)
        for (size_t q = 0; q < a->g->Q; q++)
            for (int z = 0; z < 4; z++) ((float *)(void *)(all[v] + q))[4 * j + z] = -INFINITY;
}

static void accuracy_begin(accuracy *a) {
    a->in = VF_SET1(-INFINITY);
    for (size_t q = 0; q < a->g->Q; q++) {
        a->M[0][q] = a->M[1][q] = a->I[q] = a->D[q] = a->in;
        a->uM[q] = a->uI[q] = VF_SET1(0.0f);
    }
    for (int j = 0; j < VP_QUADS; j++) a->C[j] = -INFINITY;
}

/* Does steps from + 1 to `to`. */
static __attribute__((noinline)) void accuracy_run(accuracy *a, uint32_t from, uint32_t to) {
    float E[4] __attribute__((aligned(16)));
    for (uint32_t step = from + 1; step <= to; step++) {
        for (int j = 0; j < VP_QUADS; j++)
            if (a->g->p[j] && a->g->skip[j] == step - 1) begin_quad(a, j, step);
        if (a->seen) a->seen_from[step] = a->nseen;
        const VF row = a->alone ? accuracy_row(1, 1, a, step)
                       : a->seen ? accuracy_row(0, 1, a, step)
                                 : accuracy_row(0, 0, a, step);
        if (a->seen) a->seen_from[step + 1] = a->nseen;
        VP_FIRSTS(E, row);
        for (int j = 0; j < VP_QUADS; j++)
            if (step > a->g->skip[j]) end_row(a, j, step, E[j]);
    }
}

/* ---- one quad's results ---- */

static int choice_of(const ws_dom_choices *c, uint32_t i, uint32_t k) {
    const accuracy *a = c->cells;
    const size_t Q = a->g->Q, at = (i + a->g->skip[c->quad]) * Q + (k - 1) % Q;
    uint32_t bit[NBITS];
    for (int v = 0; v < NBITS; v++) {
        /* the bit "D comes from D" is stored at the node that it comes from */
        const uint32_t node = v == FROM_D && k > 1 ? k - 2 : k - 1, z = (uint32_t)(node / Q);
        const size_t place = v == FROM_D && k > 1 ? (i + a->g->skip[c->quad]) * Q + node % Q : at;
        bit[v] = a->alone ? a->alone[place] >> (4 * v + (int)z) & 1u
                          : a->choice[place * NBITS + (size_t)v] >> (4 * c->quad + (int)z) & 1u;
    }
    const uint32_t from = k == 1 ? WS_DOM_FROM_B : bit[HIGH] * 2 + bit[LOW];
    return (int)(from + bit[FROM_I] * WS_DOM_I_FROM_I + bit[FROM_D] * WS_DOM_D_FROM_D);
}

/* Returns the node of the best M, the last in the order of the stripes. */
static uint32_t end_node(const accuracy *a, int j) {
    const ws_dom_tables *t = a->g->t;
    const float *M = (const float *)(const void *)(a->ended[j] ? a->M[a->g->rows & 1] : a->end) + 4 * j;
    float best = -INFINITY;
    uint32_t node = 1;
    for (int q = 0; q < t->Q; q++)
        for (int z = 0; z < 4; z++)
            if (ws_dom_node(t, q, z) <= t->M && M[q * VF_LANES + z] >= best) {
                best = M[q * VF_LANES + z];
                node = (uint32_t)ws_dom_node(t, q, z);
            }
    return node;
}

/* A quad's path: its states, the posterior of each, and how many posteriors are known. */
typedef struct traced {
    ws_dom_visit *visit;
    float *posterior;
    size_t n, done;
} traced;

/* Takes the posteriors of a path's states that are remembered. */
static void recall_posteriors(const accuracy *a, int j, traced *p) {
    for (size_t n = 0; n < p->n; n++) {
        const ws_dom_visit *v = &p->visit[n];
        const size_t step = v->i + a->g->skip[j], q = (v->k - 1) % a->g->Q, z = (v->k - 1) / a->g->Q;
        for (size_t s = a->seen_from[step]; s < a->seen_from[step + 1] && v->state != WS_COLUMN_D; s++)
            if (a->seen[s].q == q)
                p->posterior[n] = ((const float *)(const void *)(v->state == WS_COLUMN_I ? &a->seen[s].pI
                                                                                      : &a->seen[s].pM))[4 * j + z];
    }
}

static int walk_quad(const accuracy *a, int j, ws_dom_worker *w, traced *to, ws_err *err) {
    const ws_dom_choices c = {
        .cells = a, .cell = choice_of, .quad = j, .end_row = a->end_row[j], .end_node = end_node(a, j)};
    ws_dom_visit *visit;
    const int rc = ws_dom_walk(w, &c, a->g->p[j]->L, (uint32_t)a->g->t->M, &visit, &to->n, err);
    if (rc) return rc;
    to->visit = ws_calloc(to->n, sizeof *to->visit, err);
    to->posterior = to->visit ? ws_calloc(to->n, sizeof *to->posterior, err) : NULL;
    if (!to->posterior) return err->code;
    memcpy(to->visit, visit, to->n * sizeof *visit);
    for (size_t s = 0; s < to->n; s++) to->posterior[s] = visit[s].state == WS_COLUMN_D ? 0.0f : -1.0f;
    if (a->seen) recall_posteriors(a, j, to);
    return WS_OK;
}

/* Returns whether a quad has states without a posterior in the rows up to `end`. */
static int wants(const bundle *g, int j, traced *p, uint32_t end) {
    while (p->done < p->n && p->posterior[p->done] >= 0.0f) p->done++;
    return p->done < p->n && p->visit[p->done].i + g->skip[j] <= end;
}

static void read_posteriors(const accuracy *a, int j, traced *p, uint32_t end) {
    const bundle *g = a->g;
    for (; wants(g, j, p, end); p->done++) {
        const ws_dom_visit *v = &p->visit[p->done];
        const size_t step = v->i + g->skip[j], q = (v->k - 1) % g->Q, z = (v->k - 1) / g->Q;
        const float *k = (const float *)(const void *)(kept_row(g, (uint32_t)step) + 2 * q) + 4 * j + z;
        p->posterior[p->done] = k[v->state == WS_COLUMN_I ? VF_LANES : 0] * a->w[4 * step + (size_t)j];
    }
}

/* Computes the posterior of each state on the quads' paths, block by block, and makes the alignments. Returns WS_ENOMEM
 * on failure. */
static int trace_quads(const accuracy *a, const blocks *b, traced *path, int n, ws_err *err) {
    int rc = WS_OK;
    for (uint32_t at = 0; at < b->n; at++) {
        const uint32_t end = block_end(b, at);
        int any = 0;
        for (int j = 0; j < n; j++) any |= wants(a->g, j, &path[j], end);
        if (any) fill_block(b, at);
        for (int j = 0; j < n; j++) read_posteriors(a, j, &path[j], end);
    }
    for (int j = 0; j < n && !rc; j++)
        if (path[j].visit) rc = ws_dom_set_columns(a->f[j], path[j].visit, path[j].posterior, path[j].n, err);
    return rc;
}

static void expect_quad(const accuracy *a, int j) {
    const ws_dom_tables *t = a->g->t;
    float *u = (float *)(void *)a->uM + 4 * j, *ui = (float *)(void *)a->uI + 4 * j, *null2 = a->f[j]->null2;
    const float n = (float)(1.0 / (double)(float)a->g->p[j]->L);
    for (size_t q = 0; q < a->g->Q; q++)
        for (int z = 0; z < 4; z++) {
            u[q * VF_LANES + z] *= n;
            ui[q * VF_LANES + z] *= n;
        }
    sum_nodes(1, a->g->odds[j], u, ui, VF_LANES, 0, a->g->Q, null2);
    for (int x = 0; x < t->K; x++) null2[x] = a->outside[j] + null2[x];
    ws_dom_null2_degenerate(t->abc, null2);
}

/* ---- a bundle of envelopes ---- */

/* Allocates a bundle's memory by its longest problem. */
static int allocate_fit(accuracy *a, const blocks *b, ws_dom_worker *w, VF *state, ws_err *err) {
    const int alone = b->n > 1 && (VP_QUADS == 1 || !a->g->p[VP_QUADS > 1]);
    const size_t Q = a->g->Q, rows = (size_t)a->g->rows + 1,
                 bits = alone ? sizeof *a->alone : NBITS * sizeof *a->choice;
    void *choice = ws_dom_scratch(w, WS_DOM_CHOICE, rows * Q * bits, err);
    a->w = choice ? ws_dom_scratch(w, WS_DOM_SUMS, rows * (8 + VP_QUADS) * sizeof(float), err) : NULL;
    if (!a->w) return err->code;
    if (alone) a->alone = choice;
    else a->choice = choice;
    a->B = a->w + 4 * rows;
    for (int j = 0; j < VP_QUADS; j++) a->pC[j] = a->B + (4 + (size_t)j) * rows;
    if (b->n > 1) {
        a->most_seen = rows * REMEMBERED;
        a->seen = ws_dom_scratch(w, WS_DOM_SPARE, a->most_seen * sizeof *a->seen, err);
        a->seen_from = a->seen ? ws_dom_scratch(w, WS_DOM_COUNT, (rows + 2) * sizeof *a->seen_from, err) : NULL;
        if (!a->seen_from) return err->code;
    }
    VF **const place[] = {&a->M[0], &a->M[1], &a->I, &a->D, &a->uM, &a->uI, &a->end};
    for (size_t v = 0; v < 7; v++) *place[v] = state + v * Q;
    return WS_OK;
}

/* Returns 1 if N of the first row is 0, which is rare; scalar code then follows the path. */
static int is_strange(const accuracy *a, int j) {
    return a->g->p[j]->L > 1 && !(a->B[4 * (size_t)(2 + a->g->skip[j]) + (size_t)j] > 0.0f);
}

static int fit_bundle(const ws_dom_tables *t, ws_dom_worker *w, ws_dom_fit *const *f, size_t n, size_t most,
                     ws_err *err) {
    ws_dom_problem *p[VP_QUADS];
    bundle g;
    blocks b;
    accuracy a = {.g = &g};
    traced path[VP_QUADS] = {{0}};
    VF *state = ws_dom_scratch(w, WS_DOM_STATE, 10 * (size_t)t->Q * sizeof *state, err);
    if (!state) return err->code;
    for (size_t j = 0; j < n; j++) p[j] = &f[j]->p, a.f[j] = f[j];
    bundle_begin(&g, t, p, n, p[0]->L, state);
    if (w->subnormals) g.nothing = VF_SET1(0.0f);
    int rc = plan_blocks(&b, &g, w, most, err);
    if (rc == WS_OK) rc = allocate_fit(&a, &b, w, state + 3 * t->Q, err);
    if (rc) return rc;
    run_blocks(&b);
    decode_bundle(&a);
    accuracy_begin(&a);
    for (uint32_t at = 0; at < b.n; at++) {
        fill_block(&b, at);
        accuracy_run(&a, at * b.length, block_end(&b, at));
    }
    for (int j = 0; rc == WS_OK && j < (int)n; j++) {
        if (f[j]->range) continue;
        f[j]->strange = !f[j]->whole && is_strange(&a, j);
        if (f[j]->strange) continue;
        f[j]->accuracy = a.C[j];
        expect_quad(&a, j);
        rc = walk_quad(&a, j, w, &path[j], err);
    }
    if (rc == WS_OK) rc = trace_quads(&a, &b, path, (int)n, err);
    for (size_t j = 0; j < n; j++) {
        ws_free(path[j].visit);
        ws_free(path[j].posterior);
    }
    return rc;
}

static int longer_fit(const void *a, const void *b) {
    const ws_dom_fit *f = *(ws_dom_fit *const *)a, *h = *(ws_dom_fit *const *)b;
    return (f->p.L < h->p.L) - (f->p.L > h->p.L);
}

static int fit(const ws_dom_tables *t, ws_dom_worker *w, ws_dom_fit *const *f, size_t n, ws_err *err) {
    ws_dom_fit **list = ws_dom_scratch(w, WS_DOM_LIST, n * sizeof *list, err);
    const size_t most = w->options.plain ? w->options.plain : WS_DOM_PLAIN;
    int rc = WS_OK;
    if (!list) return err->code;
    if (!t->complete) return ws_dom_ref_fit(t, w, f, n, err);
    memcpy(list, f, n * sizeof *list);
    qsort(list, n, sizeof *list, longer_fit);
    for (size_t j = 0, m; rc == WS_OK && j < n; j += m) {
        m = ws_min(VP_QUADS, n - j);
        if (is_narrow(m)) {
            ws_dom_fit *last[VP_QUADS];
            memcpy(last, list + j, m * sizeof *last);
            rc = narrower()->fit(t, w, last, m, err);
            for (size_t i = 0; i < m; i++) last[i]->strange = 0;
        } else {
            rc = fit_bundle(t, w, list + j, m, most, err);
        }
    }
    for (size_t j = 0; rc == WS_OK && j < n; j++)
        if (f[j]->strange) rc = ws_dom_ref_fit(t, w, &f[j], 1, err);
    return rc;
}
