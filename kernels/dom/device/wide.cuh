// SPDX-License-Identifier: MIT
// A problem that a whole warp or gang computes: Forward and Backward in the operations of rows.cuh. The places of a
// lane are shared among eight parts of each warp, four threads each. The parts compute side by side the values that
// depend on the row before alone. Part 0 then walks along the places. A row lies in shared memory, in tiles of four
// places. Source: specification profile-filters.md, section 9.4, and domains.md, section 3.
//
// Contents: 1 a row, its parts and phases; 2 what is loaded ahead; 3 Forward; 4 Backward
#ifndef WS_DOM_WIDE_CUH
#define WS_DOM_WIDE_CUH

#include "kernels/dom/device/rows.cuh"

// ---- 1 a row, its parts and phases ----

// Kinds of values in a row. Those of an accuracy are M, I, D and the sums of M's and I's posteriors.
enum { WS_DOM_AT_M, WS_DOM_AT_I, WS_DOM_AT_D, WS_DOM_AT_UM, WS_DOM_AT_UI };

// A row, [tile][kind][lane][four places]. KINDS is odd, and so are the tiles of a part: so the parts meet in no bank of
// shared memory. The last tile may have places from Q on: their values are 0, or not used. The tile before the first
// and the one after the last have memory, because a walk loads ahead.
template <int KINDS> struct ws_dom_wide_row {
    enum { TILE = KINDS * WS_DOM_TILE }; // floats of a tile
    float *p;
    int Q, tiles, n; // n: tiles of a part
    WS_DOM_BOTH ws_dom_wide_row(float *at, const ws_dom_job &j)
        : p(at + TILE), Q(j.Q), tiles(ws_dom_tiles(j.Q)), n(j.part / 4) {}
    WS_DOM_BOTH int from(int t) const { return t * n < tiles ? t * n : tiles; } // tiles of part t: from .. to - 1
    WS_DOM_BOTH int to(int t) const { return from(t + 1); }
    WS_DOM_BOTH int last_part() const { return (tiles - 1) / n; }
    WS_DOM_BOTH float *tile(int k) const { return p + k * TILE; }
    WS_DOM_BOTH float *of_kind(int k, int kind) const { return tile(k) + kind * WS_DOM_TILE; }
    // Behind the row: emissions of tile k, after which Backward's terms of the sum B take their place; or a value of
    // each part.
    WS_DOM_BOTH float *emission(int k) const { return tile(tiles + 1) + k * WS_DOM_TILE; }
    WS_DOM_BOTH float *of_part(int t) const { return tile(tiles + 1) + 4 * t; }
    WS_DOM_BOTH int whole() const { return Q / 4; } // tiles without places from Q on; there is at most one more
    WS_DOM_BOTH int places(int k) const { return Q - 4 * k < 4 ? Q - 4 * k : 4; } // of tile k
};
typedef ws_dom_wide_row<WS_DOM_PARSER_ROWS> ws_dom_tiles_row;

// Phases: `parts` calls its function for each part, `first` for part 0 alone. All parts have ended a phase before the
// next one begins. Within a phase no part reads or writes what another writes: tests/fault/dom.cu watches that. A value
// that a part keeps from phase to phase is an `each`.

// Calls `place` for each place of a whole tile in ascending order, or with DOWN in descending order.
template <bool DOWN, class F> WS_DOM_BOTH void ws_dom_whole_tile(F place) {
WS_DOM_UNROLL
    for (int u = 0; u < 4; u++) place(DOWN ? 3 - u : u);
}
// The same for the first `places` of a tile.
template <bool DOWN, class F> WS_DOM_BOTH void ws_dom_some_places(int places, F place) {
WS_DOM_UNROLL
    for (int u = 0; u < 4; u++)
        if ((DOWN ? 3 - u : u) < places) place(DOWN ? 3 - u : u);
}
template <bool DOWN, class F> WS_DOM_BOTH void ws_dom_each_place(int places, F place) {
    if (places == 4) ws_dom_whole_tile<DOWN>(place);
    else ws_dom_some_places<DOWN>(places, place);
}

// The values that a part needs of the place before its first one, or after its last one.
template <class V> struct ws_dom_border {
    V m, i, d;
};

// M, I and D of a tile.
template <class G> struct ws_dom_cells_of_tile {
    ws_dom_four<typename G::V> M, I, D;
    WS_DOM_BOTH void load(const G &g, const float *tile) {
        M = g.load_four(tile + WS_DOM_AT_M * WS_DOM_TILE);
        I = g.load_four(tile + WS_DOM_AT_I * WS_DOM_TILE);
        D = g.load_four(tile + WS_DOM_AT_D * WS_DOM_TILE);
    }
    WS_DOM_BOTH void store(const G &g, float *tile) const {
        g.store_four(tile + WS_DOM_AT_M * WS_DOM_TILE, M);
        g.store_four(tile + WS_DOM_AT_I * WS_DOM_TILE, I);
        g.store_four(tile + WS_DOM_AT_D * WS_DOM_TILE, D);
    }
};

// Returns M, I and D of the place before the first one of part t; that of part 0 is the last place, still to go up a
// lane.
template <int KINDS, class G>
WS_DOM_BOTH ws_dom_border<typename G::V> ws_dom_place_before(const G &g, const ws_dom_wide_row<KINDS> &r, int t) {
    const int k = t ? r.from(t) - 1 : r.tiles - 1, u = t ? 3 : (r.Q - 1) % 4;
    return {g.load_at(r.of_kind(k, WS_DOM_AT_M), u), g.load_at(r.of_kind(k, WS_DOM_AT_I), u),
            g.load_at(r.of_kind(k, WS_DOM_AT_D), u)};
}

// Sets all values of a row.
template <int KINDS, class G>
WS_DOM_BOTH void ws_dom_wide_clear(G &g, const ws_dom_wide_row<KINDS> &r, typename G::V cell, typename G::V other) {
    g.parts([&](int t) {
        for (int k = r.from(t); k < r.to(t); k++)
WS_DOM_UNROLL
            for (int kind = 0; kind < KINDS; kind++)
                g.store_four(r.of_kind(k, kind), ws_dom_all_four(kind < WS_DOM_PARSER_ROWS ? cell : other));
    });
}

// Adds all values of one kind of tile after tile to a lane's sum, in ascending or, with DOWN, descending order. first:
// those of tile 0; step: floats from one tile to the next.
template <bool DOWN, class G, class V>
WS_DOM_BOTH V ws_dom_wide_add(const G &g, const float *first, int step, int Q, V sum) {
    const int whole = Q / 4;
    auto some = [&] {
        const ws_dom_four<V> v = g.load_four(first + whole * step);
        ws_dom_some_places<DOWN>(Q % 4, [&](int u) { sum = sum + v.at[u]; });
    };
    if (DOWN && Q % 4) some();
    const float *at = DOWN ? first + (whole - 1) * step : first;
WS_DOM_UNROLL_8
    for (int k = 0; k < whole; k++, at += DOWN ? -step : step) {
        const ws_dom_four<V> v = g.load_four(at);
        ws_dom_whole_tile<DOWN>([&](int u) { sum = sum + v.at[u]; });
    }
    if (!DOWN && Q % 4) some();
    return sum;
}

// ---- 2 what is loaded ahead ----

// Return where a model's table has a tile's transitions but those from D to D, and those.
WS_DOM_BOTH const float *ws_dom_odds_tile(const float *odds, int k) { return odds + k * WS_DOM_DD * WS_DOM_TILE; }
WS_DOM_BOTH const float *ws_dom_dd_tile(const float *odds, int tiles, int k) {
    return odds + (tiles * WS_DOM_DD + k) * WS_DOM_TILE;
}

// All transitions of a tile but those from D to D.
template <class G> struct ws_dom_odds_of_tile {
    ws_dom_four<typename G::V> at[WS_DOM_DD];
    WS_DOM_BOTH void load(const G &g, const float *odds, int k) {
        const float *tile = ws_dom_odds_tile(odds, k);
WS_DOM_UNROLL
        for (int kind = 0; kind < WS_DOM_DD; kind++) at[kind] = g.table(tile + kind * WS_DOM_TILE);
    }
    WS_DOM_BOTH ws_dom_odds_at<typename G::V> of(int u) const {
        return {at[WS_DOM_BM].at[u], at[WS_DOM_MM].at[u], at[WS_DOM_IM].at[u], at[WS_DOM_DM].at[u],
                at[WS_DOM_MD].at[u], at[WS_DOM_MI].at[u], at[WS_DOM_II].at[u], {}};
    }
};

// Begins to copy a row's emissions. Each part copies its own.
template <class G> WS_DOM_BOTH void ws_dom_wide_fetch(const G &g, const ws_dom_tiles_row &r, int t, const float *o) {
    for (int k = r.from(t); k < r.to(t); k++) g.fetch_four(r.emission(k), o + k * WS_DOM_TILE);
}

// Returns where a row's products have those of a tile: M, then I.
template <class T> WS_DOM_BOTH T *ws_dom_products_tile(T *cell, int k) { return cell + 2 * k * WS_DOM_TILE; }

// Products of a tile, in the device's memory, hundreds of cycles away.
template <class G> struct ws_dom_products_of_tile {
    ws_dom_four<typename G::V> M, I;
    WS_DOM_BOTH void load(const G &g, const float *cell, int k) {
        M = g.load_four(ws_dom_products_tile(cell, k));
        I = g.load_four(ws_dom_products_tile(cell, k) + WS_DOM_TILE);
    }
    WS_DOM_BOTH void store(const G &g, float *cell, int k) const {
        g.store_four(ws_dom_products_tile(cell, k), M);
        g.store_four(ws_dom_products_tile(cell, k) + WS_DOM_TILE, I);
    }
};

// Inputs of the cells of a tile.
template <class G> struct ws_dom_tile_inputs {
    ws_dom_cells_of_tile<G> c;
    ws_dom_odds_of_tile<G> odds;
    ws_dom_four<typename G::V> emission;
    WS_DOM_BOTH void load(const G &g, const ws_dom_tiles_row &r, const float *table, int k) {
        c.load(g, r.tile(k));
        odds.load(g, table, k);
        emission = g.load_four(r.emission(k));
    }
};

// Calls `compute` for tiles from .. last, in this order, with the inputs that `load` got; those of a tile are loaded
// before the tile before it is computed. Where no tile is left the last one is loaded again.
template <class IN, class LOAD, class COMPUTE>
WS_DOM_BOTH void ws_dom_tile_after_tile(int from, int last, LOAD load, COMPUTE compute) {
    const int step = last < from ? -1 : 1;
    const auto inside = [=](int k) { return (last - k) * step < 0 ? last : k; };
    IN a, b;
    load(a, from);
    for (int k = from;; k += 2 * step) {
        load(b, inside(k + step));
        compute(a, k);
        if (k == last) return;
        load(a, inside(k + 2 * step));
        compute(b, k + step);
        if (k + step == last) return;
    }
}

// Values of a tile for the walk along D.
template <class G> struct ws_dom_walked {
    ws_dom_four<typename G::V> M, D, X; // X: transitions from D to D
    template <bool WITH_M> WS_DOM_BOTH void load(const G &g, const float *tile, const float *dd) {
        if (WITH_M) M = g.load_four(tile + WS_DOM_AT_M * WS_DOM_TILE);
        D = g.load_four(tile + WS_DOM_AT_D * WS_DOM_TILE);
        X = g.table(dd);
    }
    WS_DOM_BOTH void store(const G &g, float *tile) const { g.store_four(tile + WS_DOM_AT_D * WS_DOM_TILE, D); }
};

// ---- 3 Forward ----

// Keeps M, I and D of a tile of a row: products, or cells, whose row has B in node 0.
template <int KEEP, class G>
WS_DOM_BOTH void ws_dom_wide_keep(const G &g, const ws_dom_job &j, int k, int places, float *cell,
                                  const ws_dom_cells_of_tile<G> &of, float B) {
    if (KEEP == WS_DOM_KEEP_PRODUCTS) {
        g.store_four(cell + 2 * WS_DOM_TILE * (size_t)k, of.M);
        g.store_four(cell + 2 * WS_DOM_TILE * (size_t)k + WS_DOM_TILE, of.I);
    }
WS_DOM_UNROLL
    for (int u = 0; u < 4; u++)
        if (KEEP == WS_DOM_KEEP_CELLS && u < places)
            g.store_cells(cell, 4 * k + u, j.Q, j.M, of.M.at[u], of.I.at[u], of.D.at[u], B);
}

// Computes M and I of a row, and in D what M sends to D of the next place; the row's emissions are there. after: those
// of the next row; NULL: there is none. With KEEP the previous row's M and I, or cells, go to `cell`.
template <int KEEP, class G>
WS_DOM_BOTH void ws_dom_wide_forward_cells(G &g, const ws_dom_job &j, const ws_dom_tiles_row &r, const float *table,
                                           const float *after, float B1, float by1, float *cell) {
    typedef typename G::V V;
    const V B = g.set(B1), by = g.set(by1);
    typename G::template each<ws_dom_border<V>> border;
    g.parts([&](int t) {
        if (r.from(t) >= r.to(t)) return;
        border[t] = ws_dom_place_before(g, r, t);
        border[t] = {border[t].m * by, border[t].i * by, border[t].d * by};
        if (t == 0) border[t] = {g.up(border[t].m), g.up(border[t].i), g.up(border[t].d)};
    });
    g.parts([&](int t) {
        const int from = r.from(t), to = r.to(t);
        V m = border[t].m, i = border[t].i, d = border[t].d;
        if (KEEP == WS_DOM_KEEP_CELLS && t == 0 && g.leads()) ws_dom_store_cell(cell, 0.0f, 0.0f, 0.0f, B1);
        if (from >= to) return;
        typedef ws_dom_tile_inputs<G> in;
        g.fetched();
        const auto load = [&](in &x, int k) { x.load(g, r, table, k); };
        ws_dom_tile_after_tile<in>(from, to - 1, load, [&](const in &x, int k) {
            ws_dom_cells_of_tile<G> own, before;
WS_DOM_UNROLL
            for (int u = 0; u < 4; u++) {
                const ws_dom_odds_at<V> odds = x.odds.of(u);
                const V match = ws_dom_forward_match<G>(odds, B, m, i, d, x.emission.at[u]);
                m = x.c.M.at[u] * by, i = x.c.I.at[u] * by, d = x.c.D.at[u] * by;
                before.M.at[u] = m, before.I.at[u] = i, before.D.at[u] = d;
                own.M.at[u] = match, own.I.at[u] = m * odds.mi + i * odds.ii, own.D.at[u] = match * odds.md;
            }
            own.store(g, r.tile(k));
            ws_dom_wide_keep<KEEP>(g, j, k, r.places(k), cell, before, B1);
        });
        if (after) ws_dom_wide_fetch(g, r, t, after);
    });
}

// Does all passes of D to D, and returns the lane's sum of M and D. Part 0 calls it.
template <class G>
WS_DOM_BOTH typename G::V ws_dom_wide_forward_deletes(G &g, const ws_dom_tiles_row &r, const float *odds) {
    typedef typename G::V V;
    const float *dd = ws_dom_dd_tile(odds, r.tiles, 0);
    float *tile = r.p;
    V pass = g.up(g.load_at(r.of_kind(r.tiles - 1, WS_DOM_AT_D), (r.Q - 1) % 4)), c = g.set(0), e = g.set(0);
    ws_dom_walked<G> a, b; // a tile is loaded before the one before it is stored
    auto along = [&](ws_dom_walked<G> &w, int u) {
        const V own = pass + c;
        e = e + w.M.at[u];
        c = w.D.at[u];
        w.D.at[u] = own;
        pass = own * w.X.at[u];
    };
    auto walk = [&](ws_dom_walked<G> &w, float *at) {
        ws_dom_whole_tile<false>([&](int u) { along(w, u); });
        w.store(g, at);
    };
    int k = 0;
    a.template load<true>(g, tile, dd);
    for (; k + 2 <= r.whole(); k += 2, tile += 2 * r.TILE, dd += 2 * WS_DOM_TILE) {
        b.template load<true>(g, tile + r.TILE, dd + WS_DOM_TILE);
        walk(a, tile);
        a.template load<true>(g, tile + 2 * r.TILE, dd + 2 * WS_DOM_TILE);
        walk(b, tile + r.TILE);
    }
    if (k < r.whole()) {
        b.template load<true>(g, tile + r.TILE, dd + WS_DOM_TILE);
        walk(a, tile);
        a = b;
    }
    if (r.Q % 4) {
        ws_dom_some_places<false>(r.Q % 4, [&](int u) { along(a, u); });
        a.store(g, r.tile(r.whole()));
    }
    for (int n = 0, done = 0; n < 3 && !done; n++) {
        pass = g.up(pass);
        tile = r.p, dd = ws_dom_dd_tile(odds, r.tiles, 0);
        a.template load<false>(g, tile, dd);
        for (k = 0; k < r.tiles; k++, tile += r.TILE, dd += WS_DOM_TILE) {
            b.template load<false>(g, tile + r.TILE, dd + WS_DOM_TILE);
            if (k % 2 == 0 && (done = ws_dom_adds_nothing(g, pass, a.D.at[0]))) break;
            ws_dom_each_place<false>(r.places(k), [&](int u) {
                a.D.at[u] = pass + a.D.at[u];
                pass = pass * a.X.at[u];
            });
            a.store(g, tile);
            a = b;
        }
    }
    return ws_dom_wide_add<false>(g, r.of_kind(0, WS_DOM_AT_D), r.TILE, r.Q, e);
}

// Computes rows 0..L of a problem into f. odds: transitions in, by tiles. With KEEP M and I of all rows, or cells, go
// to `cell`.
template <int KEEP, class G>
WS_DOM_BOTH void ws_dom_wide_forward(G &g, const ws_dom_job &j, const ws_dom_tiles_row &r, const float *odds,
                                     ws_dom_row *f, float *cell) {
    ws_dom_row s = {};
    float by = 1.0f, E = 0.0f;
    s.N = s.s = 1.0f, s.B = j.mode.pmove;
    ws_dom_wide_clear(g, r, g.set(0), g.set(0));
    if (g.leads()) f[0] = s;
    g.parts([&](int t) { ws_dom_wide_fetch(g, r, t, ws_dom_emission(j, 1)); });
    const float *after = ws_dom_emission(j, j.L > 1 ? 2 : 1); // a row early, because the residue comes from far
    for (uint32_t i = 1; i <= j.L; i++) {
        const float *next = i < j.L ? after : NULL;
        after = ws_dom_emission(j, i + 2 < j.L ? i + 2 : j.L);
        ws_dom_wide_forward_cells<KEEP>(g, j, r, odds, next, s.B, by, cell);
        if (KEEP) cell += ws_dom_kept_row<KEEP>(j);
        g.first([&] { E = g.sum(ws_dom_wide_forward_deletes(g, r, odds)); });
        s.E = g.of_first(E);
        by = ws_dom_forward_row(j, &s);
        if (g.leads()) f[i] = s;
    }
    if (!KEEP) return;
    if (KEEP == WS_DOM_KEEP_CELLS && g.leads()) ws_dom_store_cell(cell, 0.0f, 0.0f, 0.0f, s.B);
    g.parts([&](int t) {
        for (int k = r.from(t); k < r.to(t); k++) {
            ws_dom_cells_of_tile<G> c;
            c.load(g, r.tile(k));
WS_DOM_UNROLL
            for (int u = 0; u < 4; u++)
                c.M.at[u] = c.M.at[u] * g.set(by), c.I.at[u] = c.I.at[u] * g.set(by), c.D.at[u] = c.D.at[u] * g.set(by);
            ws_dom_wide_keep<KEEP>(g, j, k, r.places(k), cell, c, s.B);
        }
    });
}

// ---- 4 Backward ----

// Does all passes of D to D. D has what M sends there. E: of the row. Part 0 calls it.
template <class G>
WS_DOM_BOTH void ws_dom_wide_backward_deletes(G &g, const ws_dom_tiles_row &r, const float *odds, float E1) {
    typedef typename G::V V;
    const V E = g.set(E1);
    const float *const last_dd = ws_dom_dd_tile(odds, r.tiles, r.tiles - 1), *dd = last_dd;
    float *tile = r.tile(r.tiles - 1);
    V above = g.down(g.load_at(r.of_kind(0, WS_DOM_AT_D), 0) + E), c = g.set(0);
    ws_dom_walked<G> a, b;
    auto along = [&](ws_dom_walked<G> &w, int u) {
        c = above * w.X.at[u];
        above = w.D.at[u] + (c + E);
        w.D.at[u] = above;
    };
    auto walk = [&](ws_dom_walked<G> &w, float *at) {
        ws_dom_whole_tile<true>([&](int u) { along(w, u); });
        w.store(g, at);
    };
    a.template load<false>(g, tile, dd);
    if (r.Q % 4) {
        b.template load<false>(g, tile - r.TILE, dd - WS_DOM_TILE);
        ws_dom_some_places<true>(r.Q % 4, [&](int u) { along(a, u); });
        a.store(g, tile);
        a = b;
        tile -= r.TILE, dd -= WS_DOM_TILE;
    }
    int k = r.whole();
    for (; k >= 2; k -= 2, tile -= 2 * r.TILE, dd -= 2 * WS_DOM_TILE) {
        b.template load<false>(g, tile - r.TILE, dd - WS_DOM_TILE);
        walk(a, tile);
        a.template load<false>(g, tile - 2 * r.TILE, dd - 2 * WS_DOM_TILE);
        walk(b, tile - r.TILE);
    }
    if (k) walk(a, tile);
    for (int n = 0; n < 3; n++) {
        c = g.down(c);
        tile = r.tile(r.tiles - 1), dd = last_dd;
        a.template load<false>(g, tile, dd);
        for (k = r.tiles - 1; k >= 0; k--, tile -= r.TILE, dd -= WS_DOM_TILE) {
            b.template load<false>(g, tile - r.TILE, dd - WS_DOM_TILE);
            if (k % 2 && r.places(k) == 4 && ws_dom_adds_nothing(g, c * a.X.at[3], a.D.at[3])) return;
            ws_dom_each_place<true>(r.places(k), [&](int u) {
                c = c * a.X.at[u];
                a.D.at[u] = a.D.at[u] + c;
            });
            a.store(g, tile);
            a = b;
        }
    }
}

// The inputs of a tile of Backward.
template <class G> struct ws_dom_backward_inputs : ws_dom_tile_inputs<G> {
    ws_dom_products_of_tile<G> kept;
};

// Turns a row into the one before it but for E and the passes of D to D, whose D has what M sends there; the terms of
// the sum B take the place of the row's emissions. E, by: as yet missing from the row. With KEEP the products of its M
// and I go to `cell`; `later`: those of the row before.
template <bool KEEP, class G>
WS_DOM_BOTH void ws_dom_wide_backward_cells(G &g, const ws_dom_tiles_row &r, const float *table, float E1, float by1,
                                            float *cell, const float *later) {
    typedef typename G::V V;
    const V E = g.set(E1), by = g.set(by1);
    typename G::template each<ws_dom_border<V>> border;
    g.parts([&](int) { g.fetched(); });
    g.parts([&](int t) {
        if (r.from(t) >= r.to(t)) return;
        const bool top = r.to(t) == r.tiles;
        const int k = top ? 0 : r.to(t); // place 4 k, and the one after it
        const float *D = r.of_kind(k, WS_DOM_AT_D);
        const V d = 4 * k + 1 == r.Q ? g.down(g.load_at(r.of_kind(0, WS_DOM_AT_D), 0)) : g.load_at(D, 1);
        const V md = g.table_at(ws_dom_odds_tile(table, k) + WS_DOM_MD * WS_DOM_TILE, 0);
        const V m = (((g.load_at(r.of_kind(k, WS_DOM_AT_M), 0) + E) + d * md) * by) * g.load_at(r.emission(k), 0);
        const V D0 = g.load_at(D, 0);
        border[t] = top ? ws_dom_border<V>{g.down(m), m, g.down(D0)} : ws_dom_border<V>{m, m, D0};
    });
    g.parts([&](int t) {
        const int from = r.from(t), to = r.to(t);
        V m = border[t].m, d = border[t].d;
        if (from >= to) return;
        typedef ws_dom_backward_inputs<G> in;
        const auto load = [&](in &x, int k) {
            x.load(g, r, table, k);
            if (KEEP) x.kept.load(g, cell, k);
        };
        ws_dom_tile_after_tile<in>(to - 1, from, load, [&](in &x, int k) {
            ws_dom_cells_of_tile<G> own = x.c;
            ws_dom_four<V> term = x.emission;
            ws_dom_each_place<true>(r.places(k), [&](int u) {
                const ws_dom_odds_at<V> odds = x.odds.of(u);
                const V whole = ((x.c.M.at[u] + E) + d * odds.md) * by, i = x.c.I.at[u] * by;
                if (KEEP) x.kept.M.at[u] = x.kept.M.at[u] * whole, x.kept.I.at[u] = x.kept.I.at[u] * i;
                own.M.at[u] = i * odds.mi + m * odds.mm;
                own.I.at[u] = i * odds.ii + m * odds.im;
                own.D.at[u] = m * odds.dm;
                m = whole * x.emission.at[u];
                term.at[u] = m * odds.bm;
                d = x.c.D.at[u];
            });
            own.store(g, r.tile(k));
            g.store_four(r.emission(k), term);
            if (!KEEP) return;
            x.kept.store(g, cell, k);
            g.soon(ws_dom_products_tile(later, k));
        });
    });
}

// Computes rows L..0 of a problem into b, with the scales of f. odds: transitions out, by tiles. With KEEP `cell`, that
// of the last row, gets the products with Forward's cells. Returns whether the rows have their own scales.
template <bool KEEP, class G>
WS_DOM_BOTH bool ws_dom_wide_backward(G &g, const ws_dom_job &j, const ws_dom_tiles_row &r, const float *odds,
                                      const ws_dom_row *f, ws_dom_row *b, float *cell) {
    ws_dom_row s = {};
    bool own = false;
    s.C = j.mode.pmove;
    s.E = j.mode.pmove * j.mode.eC;
    ws_dom_wide_clear(g, r, g.set(0), g.set(0));
    g.parts([&](int t) { ws_dom_wide_fetch(g, r, t, ws_dom_emission(j, j.L)); });
    for (uint32_t i = j.L;; i--) {
        const float E = s.E; // that M lacks, before scaling
        const float scale = f[i].s;
        const float *before = ws_dom_emission(j, i > 1 ? i - 1 : i);
        float B = 0.0f;
        g.first([&] { ws_dom_wide_backward_deletes(g, r, odds, E); });
        const float by = ws_dom_backward_scale(&s, scale, &own);
        if (g.leads()) b[i] = s;
        ws_dom_wide_backward_cells<KEEP>(g, r, odds, E, by, cell, KEEP && i > 1 ? cell - ws_dom_cell_row(j) : cell);
        g.first([&] { // row 1 is summed in ascending order
            const auto none = g.set(0);
            B = g.sum(i == 1 ? ws_dom_wide_add<false>(g, r.emission(0), WS_DOM_TILE, j.Q, none)
                             : ws_dom_wide_add<true>(g, r.emission(0), WS_DOM_TILE, j.Q, none));
        });
        B = g.of_first(B);
        if (i == 1) {
            if (g.leads()) b[0] = ws_dom_backward_end(j, s, B);
            return own;
        }
        g.parts([&](int t) { ws_dom_wide_fetch(g, r, t, before); });
        ws_dom_backward_row(j, &s, B);
        if (KEEP) cell -= ws_dom_cell_row(j);
    }
}

#endif
