/* SPDX-License-Identifier: MIT
 * Backward of bundles. Source: specification domains.md, sections 3.2 and 3.3. */

/* Computes D to D within a row whose M still lacks the share of D. The first pass may be done already: then c is what
 * it ended with. */
WS_INLINE void backward_deletes(const int S, const int done, bundle *const *g, const VF *E, VF *c) {
    const size_t Q = g[0]->Q;
    const float *w = g[0]->t->out;
    VF *D[BUNDLES], above[BUNDLES];
    EACH(s) D[s] = g[s]->D;
    if (!done) {
        EACH(s) c[s] = above[s] = VP_DOWN(VF_ADD(D[s][0], E[s]));
    }
    for (size_t q = done ? 0 : Q; q-- > 0;) {
        const VF dd = TABLE(w, q, WS_DOM_DD);
        EACH(s) {
            c[s] = VF_MUL(above[s], dd);
            above[s] = VF_ADD(D[s][q], VF_ADD(c[s], E[s]));
            D[s][q] = above[s];
        }
    }
    for (int pass = 0; pass < 3; pass++) {
        EACH(s) c[s] = VP_DOWN(c[s]);
        for (size_t q = Q; q > 0;) {
            VF dd = TABLE(w, q - 1, WS_DOM_DD);
            EACH(s) c[s] = VF_MUL(c[s], dd);
            if (add_nothing(S, c, D, g[0]->nothing, q - 1)) return;
            const size_t stop = q > BLOCK ? q - BLOCK : 0;
            EACH(s) D[s][q - 1] = VF_ADD(D[s][q - 1], c[s]);
            for (q--; q > stop; q--) {
                dd = TABLE(w, q - 1, WS_DOM_DD);
                EACH(s) {
                    c[s] = VF_MUL(c[s], dd);
                    D[s][q - 1] = VF_ADD(D[s][q - 1], c[s]);
                }
            }
        }
    }
}

/* Turns M of the row of this step into what the row before receives from it, m; B becomes the sum. With product, the
 * products of M go to k. */
WS_INLINE void backward_matches(const int S, const int scaled, const int product, bundle *const *g,
                                const float *const (*o)[VP_QUADS], const VF *E, const VF *by, VF *B, VF *k) {
    const float *w = g[0]->t->out;
    VF *M[BUNDLES], *D[BUNDLES], sum[BUNDLES], d[BUNDLES];
    EACH(s) M[s] = g[s]->M, D[s] = g[s]->D, sum[s] = VF_SET1(0.0f), d[s] = VP_DOWN(D[s][0]);
    for (size_t q = g[0]->Q; q-- > 0;) {
        const VF md = TABLE(w, q, WS_DOM_MD), bm = TABLE(w, q, WS_DOM_BM);
        EACH(s) {
            VF now = VF_ADD(VF_ADD(M[s][q], E[s]), VF_MUL(d[s], md));
            if (scaled) now = VF_MUL(now, by[s]);
            if (product) k[2 * q] = VF_MUL(k[2 * q], now);
            d[s] = D[s][q];
            M[s][q] = VF_MUL(now, VP_LOADS(o[s], 4 * q));
            sum[s] = VF_ADD(sum[s], VF_MUL(M[s][q], bm));
        }
    }
    EACH(s) B[s] = VP_SUM(sum[s]);
}

/* Computes the cells of the row before from m, and does the first pass of D to D there. E is that of the row before; c
 * becomes what the pass ended with. The chain of the pass runs beside the other work. With product, the products of I
 * go to k. */
WS_INLINE void backward_cells(const int S, const int scaled, const int product, bundle *const *g, const VF *E,
                              const VF *by, VF *k, VF *c) {
    const float *w = g[0]->t->out;
    VF *M[BUNDLES], *I[BUNDLES], *D[BUNDLES], m[BUNDLES], above[BUNDLES];
    EACH(s) {
        M[s] = g[s]->M, I[s] = g[s]->I, D[s] = g[s]->D, m[s] = VP_DOWN(M[s][0]);
        above[s] = VP_DOWN(VF_ADD(VF_MUL(M[s][1], TABLE(w, 0, WS_DOM_DM)), E[s]));
    }
    for (size_t q = g[0]->Q; q-- > 0;) {
        const VF ii = TABLE(w, q, WS_DOM_II), im = TABLE(w, q, WS_DOM_IM), dm = TABLE(w, q, WS_DOM_DM);
        const VF mi = TABLE(w, q, WS_DOM_MI), mm = TABLE(w, q, WS_DOM_MM), dd = TABLE(w, q, WS_DOM_DD);
        EACH(s) {
            const VF next = M[s][q];
            VF i = I[s][q];
            if (scaled) i = VF_MUL(i, by[s]);
            if (product) k[2 * q + 1] = VF_MUL(k[2 * q + 1], i);
            c[s] = VF_MUL(above[s], dd);
            above[s] = VF_ADD(VF_MUL(m[s], dm), VF_ADD(c[s], E[s]));
            D[s][q] = above[s];
            I[s][q] = VF_ADD(VF_MUL(i, ii), VF_MUL(m[s], im));
            M[s][q] = VF_ADD(VF_MUL(i, mi), VF_MUL(m[s], mm));
            m[s] = next;
        }
    }
}

/* Computes row 0 of quad j from its row 1. */
static void backward_row0(const bundle *g, int j, const float *const *o, const specials *s, VF by) {
    const float *w = g->t->out;
    VF sum = VF_SET1(0.0f);
    for (size_t q = 0; q < g->Q; q++) {
        const VF d = q + 1 < g->Q ? g->D[q + 1] : VP_DOWN(g->D[0]);
        const VF now = VF_MUL(VF_ADD(VF_ADD(g->M[q], s->E), VF_MUL(d, TABLE(w, q, WS_DOM_MD))), by);
        sum = VF_ADD(sum, VF_MUL(VF_MUL(now, VP_LOADS(o, 4 * q)), TABLE(w, q, WS_DOM_BM)));
    }
    const VF B = VP_SUM(sum), N = VF_ADD(VF_MUL(B, g->pmove), VF_MUL(s->N, g->ploop));
    g->p[j]->b[0] = (ws_dom_row){.B = get_quad(B, j), .N = get_quad(N, j), .s = 1.0f};
}

/* Returns the scales of a row: Forward's, or its own for quads that have left Forward's scales. */
static VF own_scales(bundle *g, uint32_t step, VF s, VF B) {
    for (int j = 0; j < VP_QUADS; j++) {
        const float b = get_quad(B, j);
        if (!g->p[j] || step <= g->skip[j]) continue;
        if (b > 1e16f) g->p[j]->own = 1;
        if (g->p[j]->own) s = set_quad(s, j, b > 1e4f ? b : 1.0f);
    }
    return s;
}

/* Sets up the row after the last. */
static void backward_begin(bundle *g) {
    const VF zero = VF_SET1(0.0f);
    g->b = (backward_state){.s = {.E = VF_MUL(g->pmove, g->eC), .N = zero, .J = zero, .B = zero, .C = g->pmove}};
    for (size_t q = 0; q < g->Q; q++) g->M[q] = g->I[q] = g->D[q] = zero;
    for (int j = 0; j < VP_QUADS; j++)
        if (g->p[j]) g->p[j]->own = 0;
}

/* Ends quad j after its first row; from then on it idles with zeros. */
static void end_quad(bundle *g, int j, specials *s, VF *carry) {
    VF *const all[] = {&s->E, &s->N, &s->J, &s->B, &s->C, carry};
    zero_quad(g->M, 3 * g->Q, j); /* M, I and D are one array */
    for (size_t v = 0; v < sizeof all / sizeof all[0]; v++) *all[v] = set_quad(*all[v], j, 0.0f);
}

/* Scales a row, by Forward's scale or its own, and its specials. Returns the factor by which the next step
 * multiplies the cells; 1 if *scaled stays as it is. E: the value that M and D of the row already contain. */
WS_INLINE VF backward_scale(bundle *g, uint32_t step, specials *s, int *own, int *scaled) {
    const VF one = VF_SET1(1.0f);
    float *at[VP_QUADS], *forward[VP_QUADS];
    VF by = one;
    row_of_step(g, step, 0, forward);
    row_of_step(g, step, 1, at);
    VF t = VP_SPLAT1(VP_LOADS((const float *const *)forward, 4));
    if (*own || VM_ANY(VM_GT(s->B, VF_SET1(1e16f)))) {
        *own = 1;
        t = own_scales(g, step, t, s->B);
    }
    const VM large = VM_GT(t, one);
    if (VM_ANY(large)) {
        const VF r = VM_PICK(large, t, one);
        s->E = VF_DIV(s->E, r), s->N = VF_DIV(s->N, r), s->J = VF_DIV(s->J, r), s->B = VF_DIV(s->B, r);
        s->C = VF_DIV(s->C, r);
        by = VF_DIV(one, r);
        *scaled = 1;
    }
    store_specials(at, s->E, s->N, s->J, s->B, s->C, t);
    return by;
}

WS_INLINE void backward_specials(const bundle *g, specials *s, VF B) {
    s->B = B;
    s->C = VF_MUL(s->C, g->ploop);
    s->J = VF_ADD(VF_MUL(B, g->pmove), VF_MUL(s->J, g->ploop));
    s->N = VF_ADD(VF_MUL(B, g->pmove), VF_MUL(s->N, g->ploop));
    s->E = VF_ADD(VF_MUL(s->C, g->eC), VF_MUL(s->J, g->eJ));
}

/* Does steps from `from` down to `to` + 1 of S bundles of equally many rows. With product, S is 1. */
WS_INLINE void backward_run(const int S, const int product, bundle *const *g, uint32_t from, uint32_t to) {
    specials a[BUNDLES];
    int own[BUNDLES];
    VF c[BUNDLES];
    EACH(s) a[s] = g[s]->b.s, own[s] = g[s]->b.own, c[s] = g[s]->b.carry;
    for (uint32_t step = from; step > to; step--) {
        const float *o[BUNDLES][VP_QUADS];
        const float *const (*const emission)[VP_QUADS] = (const float *const (*)[VP_QUADS])o;
        VF E[BUNDLES], B[BUNDLES], by[BUNDLES], *k = product ? kept_row(g[0], step) : NULL;
        int scaled = 0;
        EACH(s) E[s] = a[s].E; /* the value that M and D of this row contain, before scaling */
        backward_deletes(S, g[0]->b.passed, g, E, c);
        EACH(s) {
            by[s] = backward_scale(g[s], step, &a[s], &own[s], &scaled);
            emissions(g[s], step, o[s]);
            const specials now = {.E = E[s], .N = a[s].N};
            for (int j = 0; j < VP_QUADS; j++)
                if (g[s]->p[j] && g[s]->skip[j] == step - 1) backward_row0(g[s], j, o[s], &now, by[s]);
        }
        if (scaled) backward_matches(S, 1, product, g, emission, E, by, B, k);
        else backward_matches(S, 0, product, g, emission, E, by, B, k);
        EACH(s) {
            backward_specials(g[s], &a[s], B[s]);
            E[s] = a[s].E;
        }
        if (scaled) backward_cells(S, 1, product, g, E, by, k, c);
        else backward_cells(S, 0, product, g, E, by, k, c);
        EACH(s) {
            g[s]->b.passed = 1;
            for (int j = 0; j < VP_QUADS; j++)
                if (g[s]->p[j] && g[s]->skip[j] == step - 1) end_quad(g[s], j, &a[s], &c[s]);
        }
    }
    EACH(s) g[s]->b.s = a[s], g[s]->b.own = own[s], g[s]->b.carry = c[s];
}
