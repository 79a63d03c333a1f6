/* SPDX-License-Identifier: MIT
 * Backward of bundles. Source: specification domains.md, sections 3.2 and 3.3. */

/* Computes D to D within a row whose M still lacks the share of D. The first pass may be done already: then c is what it ended with. */
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
            if (add_nothing(S, c, D, q - 1)) return;
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

/* Returns the share of the M of position 1, before the row of this step is gone. The loop of backward_cells needs it
 * one position before its end. */
WS_INLINE VF backward_match1(const int scaled, const bundle *g, const float *const *o, VF E, VF by) {
    const VF d = g->Q > 2 ? g->D[2] : VP_DOWN(g->D[0]);
    const VF now = VF_ADD(VF_ADD(g->M[1], E), VF_MUL(d, TABLE(g->t->out, 1, WS_DOM_MD)));
    return VF_MUL(scaled ? VF_MUL(now, by) : now, VP_LOADS(o, 4));
}

/* Computes the cells of the row before, from the row of this step; B becomes the sum. With product, the products of this row go to k.
 * With ahead, it also does the first pass of D to D, where E is *ahead in the row before. c becomes the last D of the
 * pass. It begins with the D of position 0, which is therefore computed twice: then the chain of the pass runs beside
 * the other work. */
WS_INLINE void backward_cells(const int S, const int scaled, const int product, bundle *const *g, const float *const (*o)[VP_QUADS],
                              const VF *E, const VF *by, VF *B, VF *k, const VF *ahead, VF *c) {
    const size_t Q = g[0]->Q;
    const float *w = g[0]->t->out;
    VF *M[BUNDLES], *I[BUNDLES], *D[BUNDLES], sum[BUNDLES], d[BUNDLES], m[BUNDLES], above[BUNDLES];
    EACH(s) {
        M[s] = g[s]->M, I[s] = g[s]->I, D[s] = g[s]->D;
        sum[s] = VF_SET1(0.0f), d[s] = VP_DOWN(D[s][0]);
        if (ahead) {
            const VF first = VF_MUL(backward_match1(scaled, g[s], o[s], E[s], by[s]), TABLE(w, 0, WS_DOM_DM));
            above[s] = VP_DOWN(VF_ADD(first, ahead[s]));
        }
        m[s] = VF_ADD(VF_ADD(M[s][0], E[s]), VF_MUL(D[s][1], TABLE(w, 0, WS_DOM_MD)));
        if (scaled) m[s] = VF_MUL(m[s], by[s]);
        m[s] = VP_DOWN(VF_MUL(m[s], VP_LOADS(o[s], 0)));
    }
    for (size_t q = Q; q-- > 0;) {
        const VF md = TABLE(w, q, WS_DOM_MD), ii = TABLE(w, q, WS_DOM_II), im = TABLE(w, q, WS_DOM_IM);
        const VF dm = TABLE(w, q, WS_DOM_DM), mi = TABLE(w, q, WS_DOM_MI), mm = TABLE(w, q, WS_DOM_MM);
        const VF bm = TABLE(w, q, WS_DOM_BM);
        EACH(s) {
            VF now = VF_ADD(VF_ADD(M[s][q], E[s]), VF_MUL(d[s], md)), i = I[s][q];
            if (scaled) now = VF_MUL(now, by[s]), i = VF_MUL(i, by[s]);
            if (product) {
                k[2 * q] = VF_MUL(k[2 * q], now);
                k[2 * q + 1] = VF_MUL(k[2 * q + 1], i);
            }
            d[s] = D[s][q];
            I[s][q] = VF_ADD(VF_MUL(i, ii), VF_MUL(m[s], im));
            VF own = VF_MUL(m[s], dm);
            if (ahead) {
                c[s] = VF_MUL(above[s], TABLE(w, q, WS_DOM_DD));
                own = above[s] = VF_ADD(own, VF_ADD(c[s], ahead[s]));
            }
            D[s][q] = own;
            M[s][q] = VF_ADD(VF_MUL(i, mi), VF_MUL(m[s], mm));
            m[s] = VF_MUL(now, VP_LOADS(o[s], 4 * q));
            sum[s] = VF_ADD(sum[s], VF_MUL(m[s], bm));
        }
    }
    EACH(s) B[s] = VP_SUM(sum[s]);
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
static void end_quad(bundle *g, int j, specials *s) {
    VF *const all[] = {&s->E, &s->N, &s->J, &s->B, &s->C, &g->b.carry};
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

/* Returns whether no quad of the bundle goes on from E to J. Then E of a row is known before its cells. */
static int is_unihit(const bundle *g) {
    const VF zero = VF_SET1(0.0f);
    return !VM_ANY(VM_GT(g->eJ, zero));
}

/* Does steps from `from` down to `to` + 1 of S bundles of equally many rows. With product, S is 1. */
WS_INLINE void backward_run(const int S, const int product, bundle *const *g, uint32_t from, uint32_t to) {
    const int early = product && is_unihit(g[0]);
    specials a[BUNDLES];
    int own[BUNDLES];
    EACH(s) a[s] = g[s]->b.s, own[s] = g[s]->b.own;
    for (uint32_t step = from; step > to; step--) {
        const float *o[BUNDLES][VP_QUADS];
        const float *const (*const emission)[VP_QUADS] = (const float *const (*)[VP_QUADS])o;
        VF E[BUNDLES], B[BUNDLES], by[BUNDLES], c[BUNDLES], *k = product ? kept_row(g[0], step) : NULL;
        int scaled = 0;
        EACH(s) E[s] = a[s].E; /* the value that M and D of this row contain, before scaling */
        if (early && g[0]->b.passed) {
            c[0] = g[0]->b.carry;
            backward_deletes(1, 1, g, E, c);
        } else {
            backward_deletes(S, 0, g, E, c);
        }
        EACH(s) {
            by[s] = backward_scale(g[s], step, &a[s], &own[s], &scaled);
            emissions(g[s], step, o[s]);
            const specials now = {.E = E[s], .N = a[s].N};
            for (int j = 0; j < VP_QUADS; j++)
                if (g[s]->p[j] && g[s]->skip[j] == step - 1) backward_row0(g[s], j, o[s], &now, by[s]);
        }
        if (early) {
            const VF ahead = VF_MUL(VF_MUL(a[0].C, g[0]->ploop), g[0]->eC);
            if (scaled) backward_cells(1, 1, product, g, emission, E, by, B, k, &ahead, &g[0]->b.carry);
            else backward_cells(1, 0, product, g, emission, E, by, B, k, &ahead, &g[0]->b.carry);
            g[0]->b.passed = 1;
        } else if (scaled) {
            backward_cells(S, 1, product, g, emission, E, by, B, k, NULL, NULL);
        } else {
            backward_cells(S, 0, product, g, emission, E, by, B, k, NULL, NULL);
        }
        EACH(s) {
            backward_specials(g[s], &a[s], B[s]);
            for (int j = 0; j < VP_QUADS; j++)
                if (g[s]->p[j] && g[s]->skip[j] == step - 1) end_quad(g[s], j, &a[s]);
        }
    }
    EACH(s) g[s]->b.s = a[s], g[s]->b.own = own[s];
}
