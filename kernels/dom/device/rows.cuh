// SPDX-License-Identifier: MIT
// Forward and Backward of one problem on a device, in the order of ref.c: forward.inc.h and backward.inc.h are the same
// for registers of several problems. A row lies in memory, [place][M I D][lane]. The step that loads a row also
// finishes it, so that it is stored once. Source: specification profile-filters.md, section 9.4, and domains.md,
// section 3.
#ifndef WS_DOM_ROWS_CUH
#define WS_DOM_ROWS_CUH

#include "kernels/dom/device/device.cuh"

// A carry below this share of D changes nothing, here or further on: README.md, "What is exact".
#define WS_DOM_NOTHING 0x1p-27f
enum { WS_DOM_LOOK = 8 }; // places between two looks at that

// A row of one problem.
struct ws_dom_state {
    float *p;
    size_t line, place; // floats from one kind to the next, from one place to the next
    WS_DOM_BOTH ws_dom_state(float *at, uint32_t l, int kinds) : p(at), line(l), place((size_t)kinds * l) {}
    WS_DOM_BOTH float *M(int q) const { return p + (size_t)q * place; }
    WS_DOM_BOTH float *I(int q) const { return p + (size_t)q * place + line; }
    WS_DOM_BOTH float *D(int q) const { return p + (size_t)q * place + 2 * line; }
};

// G::AHEAD places are loaded before those before them are stored. The products come from the device's memory, some 700
// cycles away, rows that are not shared from L2.

// Places q .. q + AHEAD - 1 of a row, or in descending order q .. q - AHEAD + 1; those outside of the row are not
// loaded.
template <class G> struct ws_dom_ahead {
    typename G::V M[G::AHEAD], I[G::AHEAD], D[G::AHEAD];
    WS_DOM_BOTH void load(const G &g, const ws_dom_state &r, int q, int step, int Q) {
WS_DOM_UNROLL
        for (int u = 0; u < G::AHEAD; u++) {
            const int at = q + step * u;
            if (at < 0 || at >= Q) continue;
            M[u] = g.load(r.M(at)), I[u] = g.load(r.I(at)), D[u] = g.load(r.D(at));
        }
    }
};

// Products of M or of I at the same places.
template <class G> struct ws_dom_kept {
    typename G::V at[G::AHEAD];
    WS_DOM_BOTH void load(const G &g, const float *cell, size_t line, int q, int step, int Q) {
WS_DOM_UNROLL
        for (int u = 0; u < G::AHEAD; u++) {
            const int k = q + step * u;
            if (k >= 0 && k < Q) at[u] = g.load(cell + (size_t)(2 * k) * line);
        }
    }
};

WS_DOM_BOTH const float *ws_dom_place(const float *odds, int q) { return odds + (size_t)q * 4 * WS_DOM_NTR; }

template <class G> WS_DOM_BOTH void ws_dom_clear(const G &g, const ws_dom_state &r, int Q) {
    for (int q = 0; q < Q; q++) {
        g.store(r.M(q), g.set(0));
        g.store(r.I(q), g.set(0));
        g.store(r.D(q), g.set(0));
    }
}

// Returns whether a carry changes nothing from a place with this D on.
template <class G> WS_DOM_BOTH bool ws_dom_adds_nothing(const G &g, typename G::V carry, typename G::V D) {
    return !g.any(carry > D * g.set(WS_DOM_NOTHING));
}

// ---- Forward ----

// Returns M of a place. m, i, d: what the previous row has one place before.
template <class G, class V>
WS_DOM_BOTH V ws_dom_forward_match(const ws_dom_odds_at<V> &t, V B, V m, V i, V d, V emission) {
    V x = B * t.bm;
    x = x + m * t.mm;
    x = x + i * t.im;
    x = x + d * t.dm;
    return x * emission;
}

// Computes M, I, the share of D from M, and the first pass of D to D; returns the D that leaves the last place. With
// KEEP the previous row's M and I, or cells, go to `cell`.
template <int KEEP, class G>
WS_DOM_BOTH typename G::V ws_dom_forward_cells(const G &g, const ws_dom_job &j, const ws_dom_state &r, const float *o,
                                               float B1, float by1, float *cell, typename G::V *sum) {
    typedef typename G::V V;
    const int Q = j.Q;
    const V B = g.set(B1), by = g.set(by1);
    const ws_dom_odds_at<V> last = g.odds(ws_dom_place(j.in, Q - 1));
    V m = g.load(r.M(Q - 2)) * by, i = g.load(r.I(Q - 2)) * by, d = g.load(r.D(Q - 2)) * by;
    V pass = g.up(ws_dom_forward_match<G>(last, B, m, i, d, g.load_fixed(o + 4 * (Q - 1))) * last.md);
    m = g.up(g.load(r.M(Q - 1)) * by), i = g.up(g.load(r.I(Q - 1)) * by), d = g.up(g.load(r.D(Q - 1)) * by);
    V e = g.set(0), c = g.set(0);
    ws_dom_ahead<G> next;
    if (KEEP == WS_DOM_KEEP_CELLS && g.leads()) ws_dom_store_cell(cell, 0.0f, 0.0f, 0.0f, B1);
    next.load(g, r, 0, 1, Q);
    for (int q0 = 0; q0 < Q; q0 += G::AHEAD) {
        const ws_dom_ahead<G> now = next;
        next.load(g, r, q0 + G::AHEAD, 1, Q);
WS_DOM_UNROLL
        for (int u = 0; u < G::AHEAD; u++) {
            const int q = q0 + u;
            if (q >= Q) break;
            const ws_dom_odds_at<V> t = g.odds(ws_dom_place(j.in, q));
            const V x = ws_dom_forward_match<G>(t, B, m, i, d, g.load_fixed(o + 4 * q));
            e = e + x;
            m = now.M[u] * by, i = now.I[u] * by, d = now.D[u] * by;
            if (KEEP == WS_DOM_KEEP_PRODUCTS) {
                g.store(cell + (size_t)(2 * q) * r.line, m);
                g.store(cell + (size_t)(2 * q + 1) * r.line, i);
            }
            if (KEEP == WS_DOM_KEEP_CELLS) g.store_cells(cell, q, Q, j.M, m, i, d, B1);
            const V own = pass + c;
            g.store(r.M(q), x);
            g.store(r.D(q), own);
            g.store(r.I(q), m * t.mi + i * t.ii);
            pass = own * t.dd;
            c = x * t.md;
        }
    }
    *sum = e;
    return pass;
}

// Does the passes of D to D after the first, and adds D to the sum.
template <class G>
WS_DOM_BOTH void ws_dom_forward_deletes(const G &g, const ws_dom_job &j, const ws_dom_state &r, typename G::V carry,
                                        typename G::V *sum) {
    typedef typename G::V V;
    const int Q = j.Q;
    bool done = false;
    for (int pass = 0; pass < 3 && !done; pass++) {
        carry = g.up(carry);
        for (int q = 0; q < Q && !done;) {
            V D = g.load(r.D(q));
            done = ws_dom_adds_nothing(g, carry, D);
            if (done) break;
            for (const int stop = q + WS_DOM_LOOK < Q ? q + WS_DOM_LOOK : Q; q < stop; q++) {
                g.store(r.D(q), carry + g.load(r.D(q)));
                carry = carry * g.odds(ws_dom_place(j.in, q)).dd;
            }
        }
    }
    V e = *sum;
WS_DOM_UNROLL_8
    for (int q = 0; q < Q; q++) e = e + g.load(r.D(q));
    *sum = e;
}

// Completes the special states of a row, whose E is set, from those of the row before; returns the factor that its
// cells lack.
WS_DOM_BOTH float ws_dom_forward_row(const ws_dom_job &j, ws_dom_row *s) {
    s->N = s->N * j.mode.ploop;
    s->C = (s->C * j.mode.ploop) + (s->E * j.mode.eC);
    s->J = (s->J * j.mode.ploop) + (s->E * j.mode.eJ);
    s->B = (s->J * j.mode.pmove) + (s->N * j.mode.pmove);
    s->s = 1.0f;
    if (!(s->E > 1e4f)) return 1.0f;
    s->N = s->N / s->E, s->C = s->C / s->E, s->J = s->J / s->E, s->B = s->B / s->E;
    s->s = s->E;
    s->E = 1.0f;
    return 1.0f / s->s;
}

// Computes rows 0..L of a problem into f. With KEEP M and I of all rows, or cells, go to `cell`.
template <int KEEP, class G>
WS_DOM_BOTH void ws_dom_forward(const G &g, const ws_dom_job &j, const ws_dom_state &r, ws_dom_row *f, float *cell) {
    typedef typename G::V V;
    ws_dom_row s = {};
    float by = 1.0f;
    s.N = s.s = 1.0f, s.B = j.mode.pmove;
    ws_dom_clear(g, r, j.Q);
    if (g.leads()) f[0] = s;
    for (uint32_t i = 1; i <= j.L; i++) {
        V sum;
        const V carry = ws_dom_forward_cells<KEEP>(g, j, r, ws_dom_emission(j, i), s.B, by, cell, &sum);
        if (KEEP) cell += ws_dom_kept_row<KEEP>(j);
        ws_dom_forward_deletes(g, j, r, carry, &sum);
        s.E = g.sum(sum);
        by = ws_dom_forward_row(j, &s);
        if (g.leads()) f[i] = s;
    }
    if (KEEP == WS_DOM_KEEP_CELLS && g.leads()) ws_dom_store_cell(cell, 0.0f, 0.0f, 0.0f, s.B);
    for (int q = 0; KEEP && q < j.Q; q++) {
        const V m = g.load(r.M(q)) * g.set(by), k = g.load(r.I(q)) * g.set(by);
        if (KEEP == WS_DOM_KEEP_CELLS) {
            g.store_cells(cell, q, j.Q, j.M, m, k, g.load(r.D(q)) * g.set(by), s.B);
            continue;
        }
        g.store(cell + (size_t)(2 * q) * r.line, m);
        g.store(cell + (size_t)(2 * q + 1) * r.line, k);
    }
}

// ---- Backward ----

// Does the first pass of D to D of the last row, whose cells are 0 until then; returns what it ends with.
template <class G>
WS_DOM_BOTH typename G::V ws_dom_backward_first(const G &g, const ws_dom_job &j, const ws_dom_state &r, float E1) {
    typedef typename G::V V;
    const V E = g.set(E1);
    V c = g.set(0), above = g.down(E);
    for (int q = j.Q - 1; q >= 0; q--) {
        c = above * g.odds(ws_dom_place(j.out, q)).dd;
        above = c + E;
        g.store(r.D(q), above);
    }
    return c;
}

// Does the passes of D to D after the first; c: what that ended with.
template <class G>
WS_DOM_BOTH void ws_dom_backward_deletes(const G &g, const ws_dom_job &j, const ws_dom_state &r, typename G::V c) {
    for (int pass = 0; pass < 3; pass++) {
        c = g.down(c);
        for (int q = j.Q - 1, left = 0; q >= 0; q--, left--) {
            const typename G::V D = g.load(r.D(q));
            c = c * g.odds(ws_dom_place(j.out, q)).dd;
            if (left == 0) {
                if (ws_dom_adds_nothing(g, c, D)) return;
                left = WS_DOM_LOOK;
            }
            g.store(r.D(q), D + c);
        }
    }
}

// Turns M of a row into m, which the row before receives from it, and returns the sum B. With KEEP, M's products go to
// `cell`. E, by: as yet missing from the row. ASCENDING: of row 1, whose m is not kept; then I's products go there
// too.
template <bool KEEP, bool ASCENDING, class G>
WS_DOM_BOTH float ws_dom_backward_matches(const G &g, const ws_dom_job &j, const ws_dom_state &r, const float *o,
                                          float E1, float by1, float *cell) {
    typedef typename G::V V;
    const int Q = j.Q, step = ASCENDING ? 1 : -1, first = ASCENDING ? 0 : Q - 1;
    const V E = g.set(E1), by = g.set(by1), wrap = g.down(g.load(r.D(0)));
    V sum = g.set(0), d = wrap;
    ws_dom_ahead<G> next;
    ws_dom_kept<G> next_m, next_i;
    next.load(g, r, first, step, Q);
    if (KEEP) next_m.load(g, cell, r.line, first, step, Q);
    if (KEEP && ASCENDING) next_i.load(g, cell + r.line, r.line, first, step, Q);
    for (int n = 0; n < Q; n += G::AHEAD) {
        const ws_dom_ahead<G> now = next;
        const ws_dom_kept<G> now_m = next_m, now_i = next_i;
        const int after = first + step * (n + G::AHEAD);
        next.load(g, r, after, step, Q);
        if (KEEP) next_m.load(g, cell, r.line, after, step, Q);
        if (KEEP && ASCENDING) next_i.load(g, cell + r.line, r.line, after, step, Q);
WS_DOM_UNROLL
        for (int u = 0; u < G::AHEAD; u++) {
            const int q = first + step * (n + u);
            if (n + u >= Q) break;
            const ws_dom_odds_at<V> t = g.odds(ws_dom_place(j.out, q));
            if (ASCENDING) {
                d = wrap;
                if (q + 1 < Q) d = g.load(r.D(q + 1));
            }
            const V whole = ((now.M[u] + E) + d * t.md) * by;
            float *k = cell + (size_t)(2 * q) * r.line;
            if (KEEP) g.store(k, now_m.at[u] * whole);
            if (KEEP && ASCENDING) g.store(k + r.line, now_i.at[u] * (now.I[u] * by));
            const V m = whole * g.load_fixed(o + 4 * q);
            if (!ASCENDING) {
                d = now.D[u];
                g.store(r.M(q), m);
            }
            sum = sum + m * t.bm;
        }
    }
    return g.sum(sum);
}

// Computes the cells of the row before from m, and does the first pass of D to D there; returns what that ends with. E
// is that of the row before. With KEEP I's products go to `cell`.
template <bool KEEP, class G>
WS_DOM_BOTH typename G::V ws_dom_backward_cells(const G &g, const ws_dom_job &j, const ws_dom_state &r, float E1,
                                                float by1, float *cell) {
    typedef typename G::V V;
    const int Q = j.Q;
    const V E = g.set(E1), by = g.set(by1);
    V m = g.down(g.load(r.M(0))), c = g.set(0);
    V above = g.down(g.load(r.M(1)) * g.odds(ws_dom_place(j.out, 0)).dm + E);
    ws_dom_ahead<G> next;
    ws_dom_kept<G> next_i;
    next.load(g, r, Q - 1, -1, Q);
    if (KEEP) next_i.load(g, cell + r.line, r.line, Q - 1, -1, Q);
    for (int q0 = Q - 1; q0 >= 0; q0 -= G::AHEAD) {
        const ws_dom_ahead<G> now = next;
        const ws_dom_kept<G> now_i = next_i;
        next.load(g, r, q0 - G::AHEAD, -1, Q);
        if (KEEP) next_i.load(g, cell + r.line, r.line, q0 - G::AHEAD, -1, Q);
WS_DOM_UNROLL
        for (int u = 0; u < G::AHEAD; u++) {
            const int q = q0 - u;
            if (q < 0) break;
            const ws_dom_odds_at<V> t = g.odds(ws_dom_place(j.out, q));
            const V i = now.I[u] * by;
            if (KEEP) g.store(cell + (size_t)(2 * q + 1) * r.line, now_i.at[u] * i);
            c = above * t.dd;
            above = m * t.dm + (c + E);
            g.store(r.D(q), above);
            g.store(r.I(q), i * t.ii + m * t.im);
            g.store(r.M(q), i * t.mi + m * t.mm);
            m = now.M[u];
        }
    }
    return c;
}

// Scales the special states of a row by Forward's scale, or by their own, and sets *own from the first own scale on.
// Returns the factor that its cells lack.
WS_DOM_BOTH float ws_dom_backward_scale(ws_dom_row *s, float scale, bool *own) {
    if (s->B > 1e16f) *own = true;
    s->s = !*own ? scale : s->B > 1e4f ? s->B : 1.0f;
    if (!(s->s > 1.0f)) return 1.0f;
    s->E = s->E / s->s, s->N = s->N / s->s, s->J = s->J / s->s, s->B = s->B / s->s, s->C = s->C / s->s;
    return 1.0f / s->s;
}

// Computes the special states of the row before from those of a row and the sum B over it.
WS_DOM_BOTH void ws_dom_backward_row(const ws_dom_job &j, ws_dom_row *s, float B) {
    s->B = B;
    s->C = s->C * j.mode.ploop;
    s->J = (s->B * j.mode.pmove) + (s->J * j.mode.ploop);
    s->N = (s->B * j.mode.pmove) + (s->N * j.mode.ploop);
    s->E = (s->C * j.mode.eC) + (s->J * j.mode.eJ);
}

// Returns row 0 from row 1 and the sum B over it.
WS_DOM_BOTH ws_dom_row ws_dom_backward_end(const ws_dom_job &j, const ws_dom_row &s, float B) {
    ws_dom_row zero = {};
    zero.B = B;
    zero.N = (zero.B * j.mode.pmove) + (s.N * j.mode.ploop);
    zero.s = 1.0f;
    return zero;
}

// Computes rows L..0 of a problem into b, with the scales of f. With KEEP `cell`, that of the last row, gets the
// products with Forward's cells. Returns whether the rows have their own scales.
template <bool KEEP, class G>
WS_DOM_BOTH bool ws_dom_backward(const G &g, const ws_dom_job &j, const ws_dom_state &r, const ws_dom_row *f,
                                 ws_dom_row *b, float *cell) {
    ws_dom_row s = {};
    bool own = false;
    s.C = j.mode.pmove;
    s.E = j.mode.pmove * j.mode.eC;
    ws_dom_clear(g, r, j.Q);
    typename G::V c = ws_dom_backward_first(g, j, r, s.E);
    for (uint32_t i = j.L;; i--) {
        const float E = s.E; // that M lacks, before scaling
        ws_dom_backward_deletes(g, j, r, c);
        const float by = ws_dom_backward_scale(&s, f[i].s, &own);
        if (g.leads()) b[i] = s;
        const float *o = ws_dom_emission(j, i);
        if (i == 1) {
            const float B = ws_dom_backward_matches<KEEP, true>(g, j, r, o, E, by, cell);
            if (g.leads()) b[0] = ws_dom_backward_end(j, s, B);
            return own;
        }
        ws_dom_backward_row(j, &s, ws_dom_backward_matches<KEEP, false>(g, j, r, o, E, by, cell));
        c = ws_dom_backward_cells<KEEP>(g, j, r, s.E, by, cell);
        if (KEEP) cell -= ws_dom_cell_row(j);
    }
}

#endif
