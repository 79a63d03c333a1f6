// SPDX-License-Identifier: MIT
// A problem that a whole warp computes: Forward, Backward and optimal accuracy in the operations of rows.cuh and
// fit.cuh. The places of a lane are shared among eight parts of the warp, four threads each. The parts compute side by
// side the values that depend on the row before alone. Part 0 then walks along the places. A row lies in shared memory.
// Source: specification profile-filters.md, section 9.4, and domains.md, sections 3 and 7.
//
// Contents: 1 a row, its parts and phases; 2 Forward; 3 Backward; 4 optimal accuracy
#ifndef WS_DOM_WIDE_CUH
#define WS_DOM_WIDE_CUH

#include "kernels/dom/fit.cuh"

// ---- 1 a row, its parts and phases ----

// Indices in ws_dom_values. X: the transition from D to D; of accuracies the sum of M's posteriors.
enum { WS_DOM_AT_M, WS_DOM_AT_I, WS_DOM_AT_D, WS_DOM_AT_X };

// A row, [place][lane][M I D X], then one more value, [place][lane], then a value of each part, [part][lane].
struct ws_dom_wide_row {
    float *p;
    int Q, n;
    WS_DOM_BOTH ws_dom_wide_row(float *at, const ws_dom_job &j) : p(at), Q(j.Q), n(j.part) {}
    WS_DOM_BOTH float *at(int q) const { return p + 16 * q; }
    WS_DOM_BOTH float *more(int q) const { return p + 16 * Q + 4 * q; }
    WS_DOM_BOTH float *of_part(int t) const { return p + 20 * Q + 4 * t; }
    WS_DOM_BOTH int from(int t) const { return t * n < Q ? t * n : Q; } // places of part t: from .. to - 1
    WS_DOM_BOTH int to(int t) const { return from(t + 1); }
    WS_DOM_BOTH int last_part() const { return (Q - 1) / n; }
};

// Phases: `parts` calls its function for each part, `first` for part 0 alone. All parts have ended a phase before the
// next one begins. Within a phase no part reads or writes what another writes: tests/fault/dom.cu watches that. A value
// that a part keeps from phase to phase is an `each`.

// Returns a place, or the next one in from .. to - 1; there must be one.
WS_DOM_BOTH int ws_dom_inside(int q, int from, int to) { return q < from ? from : q < to ? q : to - 1; }
// Returns whether N places from q on are all in from .. to - 1.
template <int N> WS_DOM_BOTH bool ws_dom_are_inside(int q, int step, int from, int to) {
    const int last = q + step * (N - 1);
    return q >= from && q < to && last >= from && last < to;
}

// Loads come some places before their use: `load` of places that are all in the row, `load_some` of those that are, in
// ascending (step 1) or descending order (-1). Those outside get what an end of the row has, and are not used.

// The values of AHEAD places from the model's tables.
template <class G> struct ws_dom_tables_ahead {
    ws_dom_odds_at<typename G::V> t[G::AHEAD];
    typename G::V o[G::AHEAD];
    WS_DOM_BOTH void load(const G &g, const float *odds, const float *emission, int q, int step) {
        const float *place = ws_dom_place(odds, q), *at = emission + 4 * q;
WS_DOM_UNROLL
        for (int u = 0; u < G::AHEAD; u++) {
            t[u] = g.odds(ws_dom_place(place, step * u));
            o[u] = g.load_fixed(at + 4 * step * u);
        }
    }
    WS_DOM_BOTH void load_some(const G &g, const float *odds, const float *emission, int q, int step, int Q) {
        if (ws_dom_are_inside<G::AHEAD>(q, step, 0, Q)) return load(g, odds, emission, q, step);
WS_DOM_UNROLL
        for (int u = 0; u < G::AHEAD; u++) {
            const int at = ws_dom_inside(q + step * u, 0, Q);
            t[u] = g.odds(ws_dom_place(odds, at));
            o[u] = g.load_fixed(emission + 4 * at);
        }
    }
};

// Products of M and I.
template <class G> struct ws_dom_products_ahead {
    typename G::V M[G::AHEAD], I[G::AHEAD];
    WS_DOM_BOTH void load_some(const G &g, const float *cell, int q, int step, int Q) {
        const float *first = cell + 8 * q;
        if (ws_dom_are_inside<G::AHEAD>(q, step, 0, Q)) {
WS_DOM_UNROLL
            for (int u = 0; u < G::AHEAD; u++) g.load_pair(first + 8 * step * u, &M[u], &I[u]);
            return;
        }
WS_DOM_UNROLL
        for (int u = 0; u < G::AHEAD; u++)
            g.load_pair(cell + 8 * ws_dom_inside(q + step * u, 0, Q), &M[u], &I[u]);
    }
};

// The values of the row. Without them each place waited for shared memory, because a load may not pass a store. Places
// outside of from .. to - 1 may be another part's.
template <class G> struct ws_dom_row_ahead {
    ws_dom_values<typename G::V> at[G::AHEAD];
    WS_DOM_BOTH void load(const G &g, const ws_dom_wide_row &r, int q, int step) {
        const float *first = r.at(q);
WS_DOM_UNROLL
        for (int u = 0; u < G::AHEAD; u++) at[u] = g.load_values(first + 16 * step * u);
    }
    WS_DOM_BOTH void load_some(const G &g, const ws_dom_wide_row &r, int q, int step, int from, int to) {
WS_DOM_UNROLL
        for (int u = 0; u < G::AHEAD; u++) at[u] = g.load_values(r.at(ws_dom_inside(q + step * u, from, to)));
    }
};

// The values that a part needs of the place before its first one, or after its last one.
template <class V> struct ws_dom_border {
    V m, i, d;
};

// Sets all values of a row, and X to the transition from D to D.
template <class G> WS_DOM_BOTH void ws_dom_wide_clear(G &g, const ws_dom_wide_row &r, const float *odds) {
    const typename G::V zero = g.set(0);
    g.parts([&](int t) {
        for (int q = r.from(t); q < r.to(t); q++)
            g.store_values(r.at(q), {zero, zero, zero, g.odds(ws_dom_place(odds, q)).dd});
    });
}

// ---- 2 Forward ----

// Computes M and I of a row, and in D what M sends to D of the next place. With KEEP the previous row's M and I, or
// cells, go to `cell`.
template <int KEEP, class G>
WS_DOM_BOTH void ws_dom_wide_forward_cells(G &g, const ws_dom_job &j, const ws_dom_wide_row &r, const float *o,
                                           float B1, float by1, float *cell) {
    typedef typename G::V V;
    const V B = g.set(B1), by = g.set(by1);
    typename G::template each<ws_dom_border<V>> border;
    g.parts([&](int t) {
        const int q = r.from(t);
        if (q >= r.to(t)) return;
        const ws_dom_values<V> c = g.load_values(r.at(q ? q - 1 : r.Q - 1));
        border[t] = {c.M * by, c.I * by, c.D * by};
        if (q == 0) border[t] = {g.up(border[t].m), g.up(border[t].i), g.up(border[t].d)};
    });
    g.parts([&](int t) {
        const int to = r.to(t);
        V m = border[t].m, i = border[t].i, d = border[t].d;
        auto place = [&](int q, const ws_dom_odds_at<V> &k, V emission, const ws_dom_values<V> &c) {
            const V x = ws_dom_forward_match<G>(k, B, m, i, d, emission);
            m = c.M * by, i = c.I * by, d = c.D * by;
            if (KEEP == WS_DOM_KEEP_PRODUCTS) g.store_pair(cell + 8 * q, m, i);
            if (KEEP == WS_DOM_KEEP_CELLS) g.store_cells(cell, q, r.Q, j.M, m, i, d, B1);
            g.store_values(r.at(q), {x, m * k.mi + i * k.ii, x * k.md, c.X});
        };
        if (KEEP == WS_DOM_KEEP_CELLS && t == 0 && g.leads()) ws_dom_store_cell(cell, 0.0f, 0.0f, 0.0f, B1);
        int q = r.from(t);
        ws_dom_tables_ahead<G> next;
        ws_dom_row_ahead<G> row;
        next.load_some(g, j.in, o, q, 1, r.Q);
WS_DOM_UNROLL_2
        for (; q + G::AHEAD <= to; q += G::AHEAD) {
            const ws_dom_tables_ahead<G> now = next;
            row.load(g, r, q, 1);
            next.load_some(g, j.in, o, q + G::AHEAD, 1, r.Q);
WS_DOM_UNROLL
            for (int u = 0; u < G::AHEAD; u++) place(q + u, now.t[u], now.o[u], row.at[u]);
        }
        if (q >= to) return;
        row.load_some(g, r, q, 1, q, to);
WS_DOM_UNROLL
        for (int u = 0; u < G::AHEAD - 1; u++)
            if (q + u < to) place(q + u, next.t[u], next.o[u], row.at[u]);
    });
}

// Does all passes of D to D, and returns the lane's sum of M and D. Part 0 calls it.
template <class G> WS_DOM_BOTH typename G::V ws_dom_wide_forward_deletes(G &g, const ws_dom_wide_row &r) {
    typedef typename G::V V;
    V pass = g.up(g.load_value(r.at(r.Q - 1), WS_DOM_AT_D)), c = g.set(0), e = g.set(0);
    auto place = [&](int q, const ws_dom_values<V> &k) {
        const V own = pass + c;
        e = e + k.M;
        g.store_value(r.at(q), WS_DOM_AT_D, own);
        pass = own * k.X;
        c = k.D;
    };
    int q0 = 0;
    ws_dom_row_ahead<G> next;
    next.load_some(g, r, 0, 1, 0, r.Q);
WS_DOM_UNROLL_2
    for (; q0 + 2 * G::AHEAD <= r.Q; q0 += G::AHEAD) {
        const ws_dom_row_ahead<G> now = next;
        next.load(g, r, q0 + G::AHEAD, 1);
WS_DOM_UNROLL
        for (int u = 0; u < G::AHEAD; u++) place(q0 + u, now.at[u]);
    }
    for (; q0 < r.Q; q0 += G::AHEAD) {
        const ws_dom_row_ahead<G> now = next;
        next.load_some(g, r, q0 + G::AHEAD, 1, 0, r.Q);
WS_DOM_UNROLL
        for (int u = 0; u < G::AHEAD; u++)
            if (q0 + u < r.Q) place(q0 + u, now.at[u]);
    }
    bool done = false;
    for (int n = 0; n < 3 && !done; n++) {
        pass = g.up(pass);
        for (int q = 0; q < r.Q && !done;) {
            done = ws_dom_adds_nothing(g, pass, g.load_value(r.at(q), WS_DOM_AT_D));
            if (done) break;
            for (const int stop = q + WS_DOM_LOOK < r.Q ? q + WS_DOM_LOOK : r.Q; q < stop; q++) {
                const ws_dom_values<V> k = g.load_values(r.at(q));
                g.store_value(r.at(q), WS_DOM_AT_D, pass + k.D);
                pass = pass * k.X;
            }
        }
    }
WS_DOM_UNROLL_16
    for (int q = 0; q < r.Q; q++) e = e + g.load_value(r.at(q), WS_DOM_AT_D);
    return e;
}

// Computes rows 0..L of a problem into f. With KEEP M and I of all rows, or cells, go to `cell`.
template <int KEEP, class G>
WS_DOM_BOTH void ws_dom_wide_forward(G &g, const ws_dom_job &j, const ws_dom_wide_row &r, ws_dom_row *f, float *cell) {
    ws_dom_row s = {};
    float by = 1.0f, E = 0.0f;
    s.N = s.s = 1.0f, s.B = j.mode.pmove;
    ws_dom_wide_clear(g, r, j.in);
    if (g.leads()) f[0] = s;
    const float *o = ws_dom_emission(j, 1);
    for (uint32_t i = 1; i <= j.L; i++) {
        const float *now = o;
        o = ws_dom_emission(j, i < j.L ? i + 1 : i); // a row early, because the residue comes from far
        ws_dom_wide_forward_cells<KEEP>(g, j, r, now, s.B, by, cell);
        if (KEEP) cell += ws_dom_kept_row<KEEP>(j);
        g.first([&] { E = g.sum(ws_dom_wide_forward_deletes(g, r)); });
        s.E = g.of_first(E);
        by = ws_dom_forward_row(j, &s);
        if (g.leads()) f[i] = s;
    }
    if (!KEEP) return;
    if (KEEP == WS_DOM_KEEP_CELLS && g.leads()) ws_dom_store_cell(cell, 0.0f, 0.0f, 0.0f, s.B);
    g.parts([&](int t) {
        for (int q = r.from(t); q < r.to(t); q++) {
            const ws_dom_values<typename G::V> c = g.load_values(r.at(q));
            if (KEEP == WS_DOM_KEEP_PRODUCTS) g.store_pair(cell + 8 * q, c.M * g.set(by), c.I * g.set(by));
            else g.store_cells(cell, q, r.Q, j.M, c.M * g.set(by), c.I * g.set(by), c.D * g.set(by), s.B);
        }
    });
}

// ---- 3 Backward ----

// Does all passes of D to D. D has what M sends there. E: of the row. Part 0 calls it.
template <class G> WS_DOM_BOTH void ws_dom_wide_backward_deletes(G &g, const ws_dom_wide_row &r, float E1) {
    typedef typename G::V V;
    const V E = g.set(E1);
    V above = g.down(g.load_value(r.at(0), WS_DOM_AT_D) + E), c = g.set(0);
    auto place = [&](int q, const ws_dom_values<V> &k) {
        c = above * k.X;
        above = k.D + (c + E);
        g.store_value(r.at(q), WS_DOM_AT_D, above);
    };
    int q0 = r.Q - 1;
    ws_dom_row_ahead<G> next;
    next.load_some(g, r, q0, -1, 0, r.Q);
WS_DOM_UNROLL_2
    for (; q0 + 1 >= 2 * G::AHEAD; q0 -= G::AHEAD) {
        const ws_dom_row_ahead<G> now = next;
        next.load(g, r, q0 - G::AHEAD, -1);
WS_DOM_UNROLL
        for (int u = 0; u < G::AHEAD; u++) place(q0 - u, now.at[u]);
    }
    for (; q0 >= 0; q0 -= G::AHEAD) {
        const ws_dom_row_ahead<G> now = next;
        next.load_some(g, r, q0 - G::AHEAD, -1, 0, r.Q);
WS_DOM_UNROLL
        for (int u = 0; u < G::AHEAD; u++)
            if (q0 - u >= 0) place(q0 - u, now.at[u]);
    }
    for (int n = 0; n < 3; n++) {
        c = g.down(c);
        for (int q = r.Q - 1, left = 0; q >= 0; q--, left--) {
            const ws_dom_values<V> k = g.load_values(r.at(q));
            c = c * k.X;
            if (left == 0) {
                if (ws_dom_adds_nothing(g, c, k.D)) return;
                left = WS_DOM_LOOK;
            }
            g.store_value(r.at(q), WS_DOM_AT_D, k.D + c);
        }
    }
}

// Turns a row into the one before it but for E and the passes of D to D, whose D has what M sends there; leaves the
// terms of the sum B in `more`. E, by: as yet missing from the row. With KEEP the products of its M and I go to `cell`.
template <bool KEEP, class G>
WS_DOM_BOTH void ws_dom_wide_backward_cells(G &g, const ws_dom_job &j, const ws_dom_wide_row &r, const float *o,
                                            float E1, float by1, float *cell, const float *later) {
    typedef typename G::V V;
    const V E = g.set(E1), by = g.set(by1);
    typename G::template each<ws_dom_border<V>> border;
    g.parts([&](int t) {
        if (r.from(t) >= r.to(t)) return;
        const bool top = r.to(t) == r.Q;
        const int q = top ? 0 : r.to(t), after = q + 1 < r.Q ? q + 1 : 0;
        V d = g.load_value(r.at(after), WS_DOM_AT_D);
        if (after == 0) d = g.down(d);
        const ws_dom_values<V> c = g.load_values(r.at(q));
        const V m = (((c.M + E) + d * g.odds(ws_dom_place(j.out, q)).md) * by) * g.load_fixed(o + 4 * q);
        border[t] = top ? ws_dom_border<V>{g.down(m), m, g.down(c.D)} : ws_dom_border<V>{m, m, c.D};
    });
    g.parts([&](int t) {
        const int from = r.from(t);
        V m = border[t].m, d = border[t].d;
        auto place = [&](int q, const ws_dom_odds_at<V> &k, V emission, const ws_dom_values<V> &c, V kept_m, V kept_i) {
            const V whole = ((c.M + E) + d * k.md) * by, i = c.I * by;
            if (KEEP) {
                g.store_pair(cell + 8 * q, kept_m * whole, kept_i * i);
                g.soon(later + 8 * q);
            }
            g.store_values(r.at(q), {i * k.mi + m * k.mm, i * k.ii + m * k.im, m * k.dm, c.X});
            m = whole * emission;
            g.store(r.more(q), m * k.bm);
            d = c.D;
        };
        int q = r.to(t) - 1;
        if (q < from) return;
        ws_dom_tables_ahead<G> next;
        ws_dom_products_ahead<G> next_k;
        ws_dom_row_ahead<G> row;
        next.load_some(g, j.out, o, q, -1, r.Q);
        if (KEEP) next_k.load_some(g, cell, q, -1, r.Q);
WS_DOM_UNROLL_2
        for (; q - G::AHEAD + 1 >= from; q -= G::AHEAD) {
            const ws_dom_tables_ahead<G> now = next;
            const ws_dom_products_ahead<G> now_k = next_k;
            row.load(g, r, q, -1);
            next.load_some(g, j.out, o, q - G::AHEAD, -1, r.Q);
            if (KEEP) next_k.load_some(g, cell, q - G::AHEAD, -1, r.Q);
WS_DOM_UNROLL
            for (int u = 0; u < G::AHEAD; u++)
                place(q - u, now.t[u], now.o[u], row.at[u], now_k.M[u], now_k.I[u]);
        }
        if (q < from) return;
        row.load_some(g, r, q, -1, from, q + 1);
WS_DOM_UNROLL
        for (int u = 0; u < G::AHEAD - 1; u++)
            if (q - u >= from) place(q - u, next.t[u], next.o[u], row.at[u], next_k.M[u], next_k.I[u]);
    });
}

// Returns the sum B of a row. Row 1 is summed in ascending order. Part 0 calls it.
template <class G> WS_DOM_BOTH float ws_dom_wide_sum(G &g, const ws_dom_wide_row &r, bool ascending) {
    typename G::V sum = g.set(0);
    const int first = ascending ? 0 : r.Q - 1, step = ascending ? 1 : -1;
WS_DOM_UNROLL_16
    for (int n = 0; n < r.Q; n++) sum = sum + g.load(r.more(first + step * n));
    return g.sum(sum);
}

// Computes rows L..0 of a problem into b, with the scales of f. With KEEP `cell`, that of the last row, gets the
// products with Forward's cells. Returns whether the rows have their own scales.
template <bool KEEP, class G>
WS_DOM_BOTH bool ws_dom_wide_backward(G &g, const ws_dom_job &j, const ws_dom_wide_row &r, const ws_dom_row *f,
                                      ws_dom_row *b, float *cell) {
    ws_dom_row s = {};
    bool own = false;
    s.C = j.mode.pmove;
    s.E = j.mode.pmove * j.mode.eC;
    ws_dom_wide_clear(g, r, j.out);
    for (uint32_t i = j.L;; i--) {
        const float E = s.E; // that M lacks, before scaling
        const float *o = ws_dom_emission(j, i);
        const float scale = f[i].s;
        float B = 0.0f;
        g.first([&] { ws_dom_wide_backward_deletes(g, r, E); });
        const float by = ws_dom_backward_scale(&s, scale, &own);
        if (g.leads()) b[i] = s;
        ws_dom_wide_backward_cells<KEEP>(g, j, r, o, E, by, cell, KEEP && i > 1 ? cell - ws_dom_cell_row(j) : cell);
        g.first([&] { B = ws_dom_wide_sum(g, r, i == 1); });
        B = g.of_first(B);
        if (i == 1) {
            if (g.leads()) b[0] = ws_dom_backward_end(j, s, B);
            return own;
        }
        ws_dom_backward_row(j, &s, B);
        if (KEEP) cell -= ws_dom_cell_row(j);
    }
}

// ---- 4 optimal accuracy ----

// The best place of a part in a row: as in ws_dom_accuracy_state.
template <class G> struct ws_dom_wide_best {
    typename G::V best;
    typename G::W at;
};

// Returns the largest accuracy of M in the parts before part t.
template <class G> WS_DOM_BOTH typename G::V ws_dom_wide_past(G &g, const ws_dom_wide_row &r, int t) {
    typename G::V past = g.set(-INFINITY);
    for (int k = 0; k < t; k++) past = g.larger(past, g.load(r.of_part(k)));
    return past;
}

// Computes one row. w, B: the row's factor, and A.B of the row before. later: the products of the row after. The D that
// a part begins with may be the M beside it, which is as well: a cell takes D for more than M only.
template <class G>
WS_DOM_BOTH void ws_dom_wide_accuracy_row(G &g, const ws_dom_job &j, const ws_dom_wide_row &r, const float *cell,
                                          const float *later, uint32_t *choice, float w1, float B1, bool is_first,
                                          typename G::template each<ws_dom_wide_best<G>> *best_of) {
    typedef typename G::V V;
    typedef typename G::P P;
    typename G::template each<ws_dom_border<V>> border;
    typename G::template each<V> in; // D that enters the part in the last row, still to be added
    const int words = (r.n + WS_DOM_CHOICES - 1) / WS_DOM_CHOICES;
    g.parts([&](int t) {
        const int q = r.from(t);
        if (q >= r.to(t)) return;
        const V all = ws_dom_wide_past(g, r, r.last_part() + 1);
        V lanes = g.up(all);
        lanes = g.larger(lanes, g.up(lanes));
        lanes = g.larger(lanes, g.up(g.up(lanes)));
        in[t] = is_first ? g.set(-INFINITY) : g.larger(lanes, ws_dom_wide_past(g, r, t));
        const ws_dom_values<V> c = g.load_values(r.at(q ? q - 1 : r.Q - 1));
        border[t] = {c.M, c.I, g.larger(c.D, q || is_first ? in[t] : g.larger(lanes, all))};
        if (q == 0) border[t] = {g.up(border[t].m), g.up(border[t].i), g.up(border[t].d)};
    });
    g.parts([&](int t) {
        const V w = g.set(w1), B = g.set(B1);
        const int from = r.from(t), to = r.to(t);
        V m = border[t].m, i = border[t].i, d = border[t].d, local = g.set(-INFINITY);
        ws_dom_wide_best<G> top = {local, g.word(0)};
        typename G::W bits = g.word(0);
        ws_dom_products_ahead<G> next;
        next.load_some(g, cell, from, 1, r.Q);
        for (int q0 = from; q0 < to; q0 += G::AHEAD) {
            const ws_dom_products_ahead<G> now = next;
            ws_dom_row_ahead<G> row;
            row.load_some(g, r, q0, 1, q0, to);
            next.load_some(g, cell, q0 + G::AHEAD, 1, r.Q);
WS_DOM_UNROLL
            for (int u = 0; u < G::AHEAD; u++) {
                const int q = q0 + u, nth = q - from;
                if (q >= to) break;
                const V pM = now.M[u] * w, pI = now.I[u] * w;
                const ws_dom_values<V> &c = row.at[u];
                g.soon(later + 8 * q);
                g.store(r.more(q), g.load(r.more(q)) + pI);
                const P from_i = i > m;
                V best = g.larger(m, i);
                const P from_d = d > best;
                best = g.larger(best, d);
                const P from_b = B > best;
                best = g.larger(best, B) + pM;
                const P better = g.has_node(q, r.Q, j.M) & !(top.best > best);
                top.best = g.pick(better, best, top.best);
                top.at = g.pick(better, g.word((uint32_t)q), top.at);
                m = c.M, i = c.I, d = g.larger(c.D, in[t]);
                bits = bits | ((g.bit((from_i & !from_d) | from_b, WS_DOM_LOW) | g.bit(from_d | from_b, WS_DOM_HIGH) |
                                g.bit(i > m, WS_DOM_FROM_I_BIT) | g.bit(d > m, WS_DOM_FROM_D_BIT))
                               << 4 * (nth % WS_DOM_CHOICES));
                g.store_values(r.at(q), {best, g.larger(m, i) + pI, local, c.X + pM});
                local = g.larger(local, best);
                if (nth % WS_DOM_CHOICES == WS_DOM_CHOICES - 1 || q == to - 1) {
                    g.store(choice + 4 * (t * words + nth / WS_DOM_CHOICES), bits);
                    bits = g.word(0);
                }
            }
        }
        g.store(r.of_part(t), local);
        (*best_of)[t] = top;
    });
}

// Computes the sums of null2, as ws_dom_expect. A part takes every eighth residue.
template <class G>
WS_DOM_BOTH void ws_dom_wide_expect(G &g, const ws_dom_job &j, const ws_dom_wide_row &r, float outside, float *null2) {
    typedef typename G::V V;
    const V n = g.set((float)(1.0 / (double)(float)j.L));
    g.parts([&](int t) {
        for (int x = t; x < j.K; x += WS_DOM_PARTS) {
            const float *o = j.emit + (size_t)x * (size_t)r.Q * 4;
            V sum = g.set(0);
WS_DOM_UNROLL_8
            for (int q = 0; q < r.Q; q++) {
                const V uM = g.load_value(r.at(q), WS_DOM_AT_X) * n, uI = g.load(r.more(q)) * n;
                sum = sum + uM * g.load_fixed(o + 4 * q);
                sum = sum + uI;
            }
            const float all = outside + g.sum(sum);
            if (g.leads_part()) null2[x] = all;
        }
    });
}

// Fills the choices of all rows, and sets accuracy, null2 and the end of the path, as ws_dom_accuracy.
template <class G>
WS_DOM_BOTH void ws_dom_wide_accuracy(G &g, const ws_dom_job &j, const ws_dom_wide_row &r, const float *cell,
                                      uint32_t *choice, const ws_dom_factors &at, ws_dom_fitted *to) {
    typedef typename G::V V;
    typename G::template each<ws_dom_wide_best<G>> best;
    float C = -INFINITY;
    uint32_t end_row = 0, end_at = 0;
    g.parts([&](int t) {
        const V least = g.set(-INFINITY), zero = g.set(0);
        for (int q = r.from(t); q < r.to(t); q++) {
            g.store_values(r.at(q), {least, least, least, zero});
            g.store(r.more(q), zero);
        }
        g.store(r.of_part(t), least);
    });
    for (uint32_t i = 1; i <= j.L; i++) {
        cell += ws_dom_cell_row(j);
        choice += ws_dom_choice_row(j);
        const float *later = i < j.L ? cell + ws_dom_cell_row(j) : cell;
        const float stay = C + at.pC[i];
        ws_dom_wide_accuracy_row(g, j, r, cell, later, choice, at.w[i], at.B[i], i == 1, &best);
        const float most = g.largest_best(best), E = most > 0.0f ? most : 0.0f;
        C = stay > E ? stay : E;
        if (stay > E) continue;
        end_row = i;
        end_at = g.last_best(best, E);
    }
    ws_dom_wide_expect(g, j, r, to->outside, to->null2);
    if (g.leads()) ws_dom_accuracy_end(j, at, C, end_row, end_at, to);
}

#endif
