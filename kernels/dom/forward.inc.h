/* SPDX-License-Identifier: MIT
 * Forward of bundles, and the storing of its rows. Source: specification profile-filters.md, section 9.4. */

enum { KEEP_NOTHING, KEEP_PRODUCT, KEEP_CELLS };

/* Copies the cells of a finished row to each quad's matrix, VP_QUADS nodes of a lane at a time. */
static void store_row(const bundle *g, VF by, float *const *cell) {
    const size_t Q = g->Q, step = Q < VP_QUADS ? 1 : VP_QUADS;
    for (size_t at = 0; at < Q; at += step) {
        const size_t q = at + step <= Q ? at : Q - step; /* the last positions may be stored twice */
        VF line[4][VP_QUADS];
        for (size_t c = 0; c < step; c++) {
            VF r[4] = {VF_MUL(g->M[q + c], by), VF_MUL(g->I[q + c], by), VF_MUL(g->D[q + c], by), VF_SET1(0.0f)};
            VP_TRANSPOSE(r);
            V_UNROLL for (size_t z = 0; z < 4; z++) line[z][c] = r[z];
            if (step == 1)
                for (size_t z = 0; z < 4; z++) VP_STORES(cell, WS_DOM_CELL * (z * Q + q + 1), r[z]);
        }
        if (step == 1) continue;
        V_UNROLL for (size_t z = 0; z < 4; z++) {
            VP_EXCHANGE(line[z]);
            V_UNROLL
            for (size_t p = 0; p < VP_QUADS; p++) VF_STOREU(cell[p] + WS_DOM_CELL * (z * Q + q + 1), line[z][p]);
        }
    }
}

/* Stores the sums of M and D over the blocks of a finished row for each quad, whose cells are still to be scaled. */
static void store_ends(const bundle *g, VF by, float *const *ends) {
    for (size_t b = 0; b < ws_dom_nends(g->t); b += 4) {
        VF r[4];
        V_UNROLL for (size_t v = 0; v < 4; v++) {
            const size_t to = ws_min((b + v + 1) * WS_DOM_END_BLOCK, g->Q);
            r[v] = VF_SET1(0.0f);
            for (size_t q = (b + v) * WS_DOM_END_BLOCK; q < to; q++) r[v] = VF_ADD(r[v], VF_ADD(g->M[q], g->D[q]));
        }
        VP_TRANSPOSE(r);
        VP_STORES(ends, b, VF_MUL(VF_ADD(VF_ADD(r[0], r[1]), VF_ADD(r[2], r[3])), by));
    }
}

/* The state that the loop of a row carries from position to position, for S bundles. */
typedef struct forward_row {
    VF *M[BUNDLES], *I[BUNDLES], *D[BUNDLES]; /* the row, its previous content ahead of the position */
    VF enter[BUNDLES];                        /* what enters M of the position, from the previous row and B */
    VF sum[BUNDLES];                          /* of M */
    VF own[BUNDLES];                          /* the D that M of the position before sends on, */
    VF pass[BUNDLES];                         /* and D's: the first pass of D to D */
} forward_row;

/* Loads position q of the previous row, scaled. */
WS_INLINE void forward_load(const int S, const int scaled, const forward_row *r, const VF *by, size_t q, VF *m, VF *i,
                            VF *d) {
    EACH(s) {
        m[s] = r->M[s][q], i[s] = r->I[s][q], d[s] = r->D[s][q];
        if (scaled) m[s] = VF_MUL(m[s], by[s]), i[s] = VF_MUL(i[s], by[s]), d[s] = VF_MUL(d[s], by[s]);
    }
}

/* Returns an odds of the position at w: with alike the one that is the same at many. */
WS_INLINE VF odds_at(const int alike, const float *w, const VF *same, int kind) {
    return alike ? same[kind] : TABLE(w, 0, kind);
}

/* Sets r->enter for the position whose odds are at w. m, i, d: the previous row one position before. */
WS_INLINE void forward_enter(const int S, const int alike, forward_row *r, const float *w, const VF *same, const VF *B,
                             const VF *m, const VF *i, const VF *d) {
    const VF bm = TABLE(w, 0, WS_DOM_BM);
    EACH(s) r->enter[s] = VF_MUL(B[s], bm);
    const VF mm = odds_at(alike, w, same, WS_DOM_MM);
    EACH(s) r->enter[s] = VF_ADD(r->enter[s], VF_MUL(m[s], mm));
    const VF im = odds_at(alike, w, same, WS_DOM_IM);
    EACH(s) r->enter[s] = VF_ADD(r->enter[s], VF_MUL(i[s], im));
    const VF dm = odds_at(alike, w, same, WS_DOM_DM);
    EACH(s) r->enter[s] = VF_ADD(r->enter[s], VF_MUL(d[s], dm));
}

/* Does positions from .. to - 1 of forward_cells. A position computes what enters the next M as soon as the previous
 * row is loaded: one register for each bundle then lives on instead of three, and 16 registers hold two bundles. Behind
 * the last position nothing uses it. With alike, the odds of these positions and of the one behind are `same`. */
WS_INLINE void forward_stretch(const int S, const int scaled, const int keep, const int alike, forward_row *row,
                               const float *table, const VF *same, size_t from, size_t to,
                               const float *const (*o)[VP_QUADS], const VF *B, const VF *by, VF *k,
                               float *const *next) {
    forward_row r = *row;
    const float *w = table + 4 * WS_DOM_NTR * from;
    for (size_t q = from; q < to; q++, w += 4 * WS_DOM_NTR) {
        VF x[BUNDLES], m[BUNDLES], i[BUNDLES], d[BUNDLES];
        EACH(s) {
            x[s] = VF_MUL(r.enter[s], VP_LOADS(o[s], 4 * q));
            r.sum[s] = VF_ADD(r.sum[s], x[s]);
            r.pass[s] = VF_ADD(r.pass[s], r.own[s]);
        }
        forward_load(S, scaled, &r, by, q, m, i, d);
        EACH(s) {
            if (keep == KEEP_PRODUCT) k[2 * q] = m[s], k[2 * q + 1] = i[s];
            if (keep == KEEP_CELLS)
                for (int p = 0; p < VP_QUADS; p++) __builtin_prefetch(next[p] + 16 * q, 1, 2);
            r.M[s][q] = x[s];
            r.D[s][q] = r.pass[s];
        }
        const VF md = odds_at(alike, w, same, WS_DOM_MD), dd = odds_at(alike, w, same, WS_DOM_DD);
        EACH(s) {
            r.own[s] = VF_MUL(x[s], md);
            r.pass[s] = VF_MUL(r.pass[s], dd);
        }
        const VF mi = odds_at(alike, w, same, WS_DOM_MI), ii = odds_at(alike, w, same, WS_DOM_II);
        EACH(s) r.I[s][q] = VF_ADD(VF_MUL(m[s], mi), VF_MUL(i[s], ii));
        forward_enter(S, alike, &r, w + 4 * WS_DOM_NTR, same, B, m, i, d);
    }
    *row = r;
}

/* Computes M, I, the share of D from M, and the first pass of D to D. carry: D that leaves the last position. The pass
 * begins with the D from the last M of each lane, so that M is computed twice. Then the chain of the pass, an addition
 * and a multiplication a position, runs beside the other work. The previous row goes to keep or next, if these are
 * given. Positions with the same odds keep them in registers (ws_dom_tables.alike). */
WS_INLINE void forward_cells(const int S, const int scaled, const int keep, bundle *const *g,
                             const float *const (*o)[VP_QUADS], const VF *B, const VF *by, VF *sum, VF *carry, VF *k,
                             float *const *next) {
    const size_t Q = g[0]->Q;
    const float *w = g[0]->t->in, *last = w + 4 * WS_DOM_NTR * (Q - 1);
    VF m[BUNDLES], i[BUNDLES], d[BUNDLES];
    forward_row r;
    EACH(s) r.M[s] = g[s]->M, r.I[s] = g[s]->I, r.D[s] = g[s]->D;
    forward_load(S, scaled, &r, by, Q - 2, m, i, d);
    forward_enter(S, 0, &r, last, NULL, B, m, i, d);
    const VF last_md = TABLE(last, 0, WS_DOM_MD);
    EACH(s) r.pass[s] = VP_UP(VF_MUL(VF_MUL(r.enter[s], VP_LOADS(o[s], 4 * (Q - 1))), last_md));
    forward_load(S, scaled, &r, by, Q - 1, m, i, d);
    EACH(s) {
        m[s] = VP_UP(m[s]), i[s] = VP_UP(i[s]), d[s] = VP_UP(d[s]);
        r.sum[s] = r.own[s] = VF_SET1(0.0f);
    }
    forward_enter(S, 0, &r, w, NULL, B, m, i, d);
    size_t q = 0;
    if (keep == KEEP_NOTHING && g[0]->t->alike) {
        VF same[WS_DOM_NTR];
        V_UNROLL for (int j = 0; j < WS_DOM_NTR; j++) same[j] = TABLE(w, 1, j);
        forward_stretch(S, scaled, keep, 0, &r, w, NULL, 0, 1, o, B, by, k, next);
        forward_stretch(S, scaled, keep, 1, &r, w, same, 1, g[0]->t->alike, o, B, by, k, next);
        q = g[0]->t->alike;
    }
    forward_stretch(S, scaled, keep, 0, &r, w, NULL, q, Q, o, B, by, k, next);
    EACH(s) sum[s] = r.sum[s], carry[s] = r.pass[s];
}

/* Does the last two passes for models of few nodes, and computes the whole sum again. */
WS_INLINE void forward_late_passes(const int S, const size_t Q, const float *w, VF *const *D, VF share, VF *carry,
                                   VF *sum) {
    for (int pass = 0; pass < 2; pass++) {
        size_t q = 0;
        while (q < Q && !add_nothing(S, carry, D, share, q))
            for (const size_t stop = ws_min(q + BLOCK, Q); q < stop; q++) {
                const VF dd = TABLE(w, q, WS_DOM_DD);
                EACH(s) {
                    D[s][q] = VF_ADD(carry[s], D[s][q]);
                    carry[s] = VF_MUL(carry[s], dd);
                }
            }
        if (q < Q) break;
        EACH(s) carry[s] = VP_UP(carry[s]);
    }
    for (size_t q = 0; q < Q; q++) {
        EACH(s) sum[s] = VF_ADD(sum[s], D[s][q]);
    }
}

/* Does the passes of D to D after the first, and adds D to the sums. */
WS_INLINE void forward_deletes(const int S, bundle *const *g, VF *carry, VF *sum) {
    const size_t Q = g[0]->Q;
    const float *w = g[0]->t->in;
    const VF share = g[0]->nothing;
    VF *D[BUNDLES], before[BUNDLES];
    size_t q = 0;
    EACH(s) D[s] = g[s]->D, before[s] = sum[s], carry[s] = VP_UP(carry[s]);
    while (q < Q && !add_nothing(S, carry, D, share, q))
        for (const size_t stop = ws_min(q + BLOCK, Q); q < stop; q++) {
            const VF dd = TABLE(w, q, WS_DOM_DD);
            EACH(s) {
                const VF d = VF_ADD(carry[s], D[s][q]);
                D[s][q] = d;
                sum[s] = VF_ADD(sum[s], d);
                carry[s] = VF_MUL(carry[s], dd);
            }
        }
    if (q == Q) {
        EACH(s) carry[s] = VP_UP(carry[s]);
        if (!add_nothing(S, carry, D, share, 0)) {
            EACH(s) sum[s] = before[s];
            forward_late_passes(S, Q, w, D, share, carry, sum);
            return;
        }
    }
    for (; q < Q; q++) {
        EACH(s) sum[s] = VF_ADD(sum[s], D[s][q]);
    }
}

/* Sets pointers to the sums of a row for each quad; idle quads get the spare row. */
WS_INLINE void ends_of_step(const bundle *g, uint32_t step, float **at) {
    for (int j = 0; j < VP_QUADS; j++)
        at[j] = g->p[j] && step >= g->skip[j] ? g->p[j]->ends + (step - g->skip[j]) * ws_dom_nends(g->t)
                                              : g->cell_spare;
}

/* Sets pointers to the next row of each quad's matrix; idle quads get the spare row. */
WS_INLINE void cells_of_step(const bundle *g, uint32_t step, float **at) {
    const size_t stride = WS_DOM_CELL * ((size_t)g->t->M + 1);
    for (int j = 0; j < VP_QUADS; j++) {
        at[j] = g->p[j] && step >= g->skip[j] ? g->cell[j] + (step - g->skip[j]) * stride : g->cell_spare;
        memset(at[j], 0, WS_DOM_CELL * sizeof(float));
    }
}

/* Stores the cells and sums of a row, which sampling loads. */
WS_INLINE void store_cells(const bundle *g, uint32_t step, VF by) {
    float *cell[VP_QUADS], *ends[VP_QUADS];
    ends_of_step(g, step, ends);
    store_ends(g, by, ends);
    cells_of_step(g, step, cell);
    store_row(g, by, cell);
}

static VF *kept_row(const bundle *g, uint32_t row) { return g->keep + (size_t)(row - g->kept) * 2 * g->Q; }

/* Sets up the row before the first. */
static void forward_begin(bundle *g) {
    const VF zero = VF_SET1(0.0f);
    g->f = (forward_state){.s = {zero, zero, zero, zero, zero}, .by = VF_SET1(1.0f)};
    for (size_t q = 0; q < g->Q; q++) g->M[q] = g->I[q] = g->D[q] = zero;
    for (int j = 0; j < VP_QUADS; j++)
        if (g->p[j]) g->p[j]->f[0] = (ws_dom_row){.N = 1.0f, .B = g->p[j]->mode.pmove, .s = 1.0f};
}

/* Stores the last row, because no later step loads it. */
static void keep_last(const int keep, const bundle *g, uint32_t row) {
    const VF by = g->f.by;
    if (keep == KEEP_CELLS) {
        store_cells(g, row, by);
    } else if (keep == KEEP_PRODUCT) {
        VF *k = kept_row(g, row);
        for (size_t q = 0; q < g->Q; q++) k[2 * q] = VF_MUL(g->M[q], by), k[2 * q + 1] = VF_MUL(g->I[q], by);
    }
}

/* Computes E N J B C of a row from the sum over its cells. Returns which quads must be scaled. */
WS_INLINE VM forward_specials(const bundle *g, specials *s, VF sum) {
    s->E = VP_SUM(sum);
    s->N = VF_MUL(s->N, g->ploop);
    s->C = VF_ADD(VF_MUL(s->C, g->ploop), VF_MUL(s->E, g->eC));
    s->J = VF_ADD(VF_MUL(s->J, g->ploop), VF_MUL(s->E, g->eJ));
    s->B = VF_ADD(VF_MUL(s->J, g->pmove), VF_MUL(s->N, g->pmove));
    return VM_GT(s->E, VF_SET1(1e4f));
}

/* Returns the factor by which the next step multiplies the cells. A quotient in double, rounded to single, gives the
 * same bits. */
WS_INLINE VF forward_scale(specials *s, VM large, VF *scale) {
    const VF one = VF_SET1(1.0f), by = VM_PICK(large, s->E, one);
    s->E = VM_PICK(large, one, s->E);
    s->N = VF_DIV(s->N, by), s->C = VF_DIV(s->C, by), s->J = VF_DIV(s->J, by), s->B = VF_DIV(s->B, by);
    *scale = by;
    return VF_DIV(one, by);
}

/* Begins the quads whose first row belongs to this step. */
WS_INLINE void begin_quads(const bundle *g, uint32_t step, specials *s) {
    for (int j = 0; j < VP_QUADS; j++)
        if (g->p[j] && g->skip[j] == step - 1) {
            s->N = set_quad(s->N, j, 1.0f);
            s->B = set_quad(s->B, j, g->p[j]->mode.pmove);
        }
}

/* Does steps from + 1 to `to` of S bundles of equally many rows. With keep, S is 1. */
WS_INLINE void forward_run(const int S, const int keep, bundle *const *g, uint32_t from, uint32_t to) {
    const VF one = VF_SET1(1.0f);
    specials a[BUNDLES];
    VF by[BUNDLES];
    int scaled = 0;
    EACH(s) a[s] = g[s]->f.s, by[s] = g[s]->f.by, scaled |= g[s]->f.scaled;
    for (uint32_t step = from + 1; step <= to; step++) {
        const float *o[BUNDLES][VP_QUADS];
        float *cell[VP_QUADS];
        VF sum[BUNDLES], carry[BUNDLES], B[BUNDLES], *k = keep == KEEP_PRODUCT ? kept_row(g[0], step - 1) : NULL;
        VM large[BUNDLES];
        EACH(s) {
            begin_quads(g[s], step, &a[s]);
            emissions(g[s], step, o[s]);
            B[s] = a[s].B;
        }
        if (keep == KEEP_CELLS) {
            store_cells(g[0], step - 1, by[0]);
            cells_of_step(g[0], step, cell);
        }
        if (scaled) forward_cells(S, 1, keep, g, (const float *const (*)[VP_QUADS])o, B, by, sum, carry, k, cell);
        else forward_cells(S, 0, keep, g, (const float *const (*)[VP_QUADS])o, B, by, sum, carry, k, cell);
        forward_deletes(S, g, carry, sum);
        EACH(s) large[s] = forward_specials(g[s], &a[s], sum[s]);
        VM any = large[0];
        EACH(s) any = VM_OR(any, large[s]);
        scaled = VM_ANY(any);
        EACH(s) {
            float *at[VP_QUADS];
            VF scale = one;
            by[s] = one;
            if (scaled) by[s] = forward_scale(&a[s], large[s], &scale);
            row_of_step(g[s], step, 0, at);
            store_specials(at, a[s].E, a[s].N, a[s].J, a[s].B, a[s].C, scale);
        }
    }
    EACH(s) g[s]->f = (forward_state){.s = a[s], .by = by[s], .scaled = scaled};
    keep_last(keep, g[0], to);
}
