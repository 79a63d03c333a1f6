// SPDX-License-Identifier: MIT
// Optimal accuracy of a problem that a whole warp or gang computes, in the operations of fit.cuh. Its phases and its
// row are those of wide.cuh. No part waits for another: the largest of several numbers is the same in any order.
// Source: specification domains.md, section 7.
#ifndef WS_DOM_WIDE_FIT_CUH
#define WS_DOM_WIDE_FIT_CUH

#include "kernels/dom/device/fit.cuh"
#include "kernels/dom/device/wide.cuh"

typedef ws_dom_wide_row<WS_DOM_FIT_ROWS> ws_dom_accuracy_tiles;

// The best place of a part in a row: as in ws_dom_accuracy_state.
template <class G> struct ws_dom_wide_best {
    typename G::V best;
    typename G::W at;
};

// Returns the largest accuracy of M in the parts before part t.
template <class G> WS_DOM_BOTH typename G::V ws_dom_wide_past(G &g, const ws_dom_accuracy_tiles &r, int t) {
    typename G::V past = g.set(-INFINITY);
    for (int k = 0; k < t; k++) past = g.larger(past, g.load(r.of_part(k)));
    return past;
}

// Computes one row. w, B: the row's factor, and A.B of the row before. later: the products of the row after. The D that
// a part begins with may be the M beside it, which is as well: a cell takes D for more than M only.
template <class G>
WS_DOM_BOTH void ws_dom_wide_accuracy_row(G &g, const ws_dom_job &j, const ws_dom_accuracy_tiles &r, const float *cell,
                                          const float *later, uint32_t *choice, float w1, float B1, bool is_first,
                                          typename G::template each<ws_dom_wide_best<G>> *best_of) {
    typedef typename G::V V;
    typedef typename G::P P;
    typename G::template each<ws_dom_border<V>> border;
    typename G::template each<V> in; // D that enters the part in the last row, still to be added
    const int words = (4 * r.n + WS_DOM_CHOICES - 1) / WS_DOM_CHOICES;
    g.parts([&](int t) {
        if (r.from(t) >= r.to(t)) return;
        const V all = ws_dom_wide_past(g, r, r.last_part() + 1);
        V lanes = g.up(all);
        lanes = g.larger(lanes, g.up(lanes));
        lanes = g.larger(lanes, g.up(g.up(lanes)));
        in[t] = is_first ? g.set(-INFINITY) : g.larger(lanes, ws_dom_wide_past(g, r, t));
        border[t] = ws_dom_place_before(g, r, t);
        border[t].d = g.larger(border[t].d, t || is_first ? in[t] : g.larger(lanes, all));
        if (t == 0) border[t] = {g.up(border[t].m), g.up(border[t].i), g.up(border[t].d)};
    });
    g.parts([&](int t) {
        const V w = g.set(w1), B = g.set(B1);
        const int from = r.from(t), to = r.to(t);
        V m = border[t].m, i = border[t].i, d = border[t].d, local = g.set(-INFINITY);
        ws_dom_wide_best<G> top = {local, g.word(0)};
        typename G::W bits = g.word(0);
        typedef ws_dom_products_of_tile<G> products;
        const auto load = [&](products &x, int k) { x.load(g, cell, k); };
        const auto compute = [&](const products &x, int k) {
            float *tile = r.tile(k);
            ws_dom_cells_of_tile<G> c;
            c.load(g, tile);
            ws_dom_four<V> uM = g.load_four(tile + WS_DOM_AT_UM * WS_DOM_TILE),
                           uI = g.load_four(tile + WS_DOM_AT_UI * WS_DOM_TILE);
            g.soon(ws_dom_products_tile(later, k));
            ws_dom_each_place<false>(r.places(k), [&](int u) {
                const int q = 4 * k + u, nth = 4 * (k - from) + u;
                const V pM = x.M.at[u] * w, pI = x.I.at[u] * w;
                uM.at[u] = uM.at[u] + pM;
                uI.at[u] = uI.at[u] + pI;
                const P from_i = i > m;
                V best = g.larger(m, i);
                const P from_d = d > best;
                best = g.larger(best, d);
                const P from_b = B > best;
                best = g.larger(best, B) + pM;
                const P better = g.has_node(q, r.Q, j.M) & !(top.best > best);
                top.best = g.pick(better, best, top.best);
                top.at = g.pick(better, g.word((uint32_t)q), top.at);
                m = c.M.at[u], i = c.I.at[u], d = g.larger(c.D.at[u], in[t]);
                bits = bits | ((g.bit((from_i & !from_d) | from_b, WS_DOM_LOW) | g.bit(from_d | from_b, WS_DOM_HIGH) |
                                g.bit(i > m, WS_DOM_FROM_I_BIT) | g.bit(d > m, WS_DOM_FROM_D_BIT))
                               << 4 * (nth % WS_DOM_CHOICES));
                c.M.at[u] = best, c.I.at[u] = g.larger(m, i) + pI, c.D.at[u] = local;
                local = g.larger(local, best);
            });
            c.store(g, tile);
            g.store_four(tile + WS_DOM_AT_UM * WS_DOM_TILE, uM);
            g.store_four(tile + WS_DOM_AT_UI * WS_DOM_TILE, uI);
            if ((k - from) % 2 == 0 && k < to - 1) return; // a word has the choices of two tiles
            g.store(choice + 4 * (t * words + (k - from) / 2), bits);
            bits = g.word(0);
        };
        if (from < to) ws_dom_tile_after_tile<products>(from, to - 1, load, compute);
        g.store(r.of_part(t), local);
        (*best_of)[t] = top;
    });
}

// Computes the sums of null2, as ws_dom_expect. The parts share the residues.
template <class G>
WS_DOM_BOTH void ws_dom_wide_expect(G &g, const ws_dom_job &j, const ws_dom_accuracy_tiles &r, float outside,
                                    float *null2) {
    typedef typename G::V V;
    const V n = g.set((float)(1.0 / (double)(float)j.L));
    g.parts([&](int t) {
        for (int x = t; x < j.K; x += g.nparts()) {
            const float *o = j.emit + (size_t)x * ws_dom_emission_row(j);
            V sum = g.set(0);
            for (int k = 0; k < r.tiles; k++) {
                const ws_dom_four<V> uM = g.load_four(r.of_kind(k, WS_DOM_AT_UM)),
                                     uI = g.load_four(r.of_kind(k, WS_DOM_AT_UI)),
                                     emission = g.load_fixed_four(o + k * WS_DOM_TILE);
                ws_dom_each_place<false>(r.places(k), [&](int u) {
                    sum = sum + (uM.at[u] * n) * emission.at[u];
                    sum = sum + uI.at[u] * n;
                });
            }
            const float all = outside + g.sum(sum);
            if (g.leads_part()) null2[x] = all;
        }
    });
}

// Fills the choices of all rows, and sets accuracy, null2 and the end of the path, as ws_dom_accuracy.
template <class G>
WS_DOM_BOTH void ws_dom_wide_accuracy(G &g, const ws_dom_job &j, const ws_dom_accuracy_tiles &r, const float *cell,
                                      uint32_t *choice, const ws_dom_factors &at, ws_dom_fitted *to) {
    typename G::template each<ws_dom_wide_best<G>> best;
    float C = -INFINITY;
    uint32_t end_row = 0, end_at = 0;
    ws_dom_wide_clear(g, r, g.set(-INFINITY), g.set(0));
    g.parts([&](int t) { g.store(r.of_part(t), g.set(-INFINITY)); });
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
