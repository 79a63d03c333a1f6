// SPDX-License-Identifier: MIT
// The path of an envelope on a device, from the choices of its cells. A warp follows it: each lane looks at one of the
// next 32 cells of a diagonal, a row or a column, and the first lane that leaves it ends the run. So 32 steps cost one
// way to the memory. Source: specification domains.md, section 7.3.
#ifndef WS_DOM_TRACE_CUH
#define WS_DOM_TRACE_CUH

#include "kernels/dom/device/find.cuh"
#include "kernels/dom/device/fit.cuh"

// The walk of one envelope, from the end of the path to B. Columns are written backwards, to the end of their room.
template <class G> struct ws_dom_walker {
    G &g;
    const ws_dom_args &a;
    const ws_dom_job &j;
    ws_dom_fitted *to;
    uint8_t *const room, *column; // the room's begin, and the last column written
    uint32_t i, k;                // row and node of the next column
    typename G::template each<uint32_t> next; // a lane's choice
    enum { LOST = WS_DOM_FROM_B + 1 };        // the path breaks off

    WS_DOM_BOTH ws_dom_walker(G &team, const ws_dom_args &args, const ws_dom_job &job, ws_dom_fitted *fitted)
        : g(team), a(args), j(job), to(fitted), room(a.column + j.column), column(room + j.L + (uint32_t)j.M),
          i(fitted->end_row), k(fitted->end_node) {}

    WS_DOM_BOTH uint32_t choice(uint32_t row, uint32_t node) const {
        const uint32_t Q = (uint32_t)j.Q;
        return ws_dom_choice_at(j, a.choice + j.choice + (size_t)row * ws_dom_choice_row(j), (node - 1) % Q,
                                (node - 1) / Q);
    }
    // Returns the code of a column's posterior, of M or of I.
    WS_DOM_BOTH uint8_t code(uint32_t row, uint32_t node, bool insert) const {
        const uint32_t Q = (uint32_t)j.Q;
        const float *cell = a.cell + j.cell + (size_t)row * ws_dom_cell_row(j) +
                            ws_dom_product_at(j, (node - 1) % Q, (node - 1) / Q);
        return (uint8_t)ws_dom_code_of(cell[insert ? ws_dom_product_step(j) : 0] * (a.w + j.row)[row]);
    }

    // Writes columns of a run, and returns what its last column comes from. look(z): what the run's column z comes
    // from; it goes on with STAY. write(z): the column. most: columns that the run can have. *n: how many it has.
    template <class LOOK, class WRITE>
    WS_DOM_BOTH uint32_t run(uint32_t stay, uint32_t most, LOOK look, WRITE write, uint32_t *n) {
        const uint32_t all = WS_DOM_TEAM, left = (uint32_t)(column - room), can = most < left ? most : left,
                       some = can < all ? can : all;
        g.lanes([&](int z) { next[z] = (uint32_t)z < some ? look((uint32_t)z) : (uint32_t)LOST; });
        const uint32_t first = g.first([&](int z) { return next[z] != stay; });
        *n = first < some ? first + 1 : some;
        g.lanes([&](int z) {
            if ((uint32_t)z < *n) column[-1 - z] = write((uint32_t)z);
        });
        column -= *n;
        return first < some ? g.of(next, first) : stay;
    }

    // Returns 0 if the path is one for the host.
    WS_DOM_BOTH int walk() {
        uint32_t state = WS_DOM_FROM_M, n;
        to->i_to = i;
        to->k_to = k;
        while (column > room && i >= 1 && k >= 1) {
            const uint32_t i0 = i, k0 = k;
            if (state == WS_DOM_FROM_M) {
                state = run(
                    WS_DOM_FROM_M, i0 < k0 ? i0 : k0,
                    [&](uint32_t z) {
                        return k0 - z == 1 ? (uint32_t)WS_DOM_FROM_B : choice(i0 - z, k0 - z) & 3;
                    },
                    [&](uint32_t z) { return (uint8_t)(WS_COLUMN_M | code(i0 - z, k0 - z, false)); }, &n);
                i -= n, k -= n;
                to->i_from = i + 1;
                to->k_from = k + 1;
            } else if (state == WS_DOM_FROM_D) {
                state = run(
                    WS_DOM_FROM_D, k0,
                    [&](uint32_t z) {
                        if (k0 - z == 1) return (uint32_t)LOST;
                        const bool stays = choice(i0 + 1, k0 - 1 - z) >> WS_DOM_FROM_D_BIT & 1;
                        return (uint32_t)(stays ? WS_DOM_FROM_D : WS_DOM_FROM_M);
                    },
                    [&](uint32_t) { return (uint8_t)(WS_COLUMN_D | WS_CODE_NONE); }, &n);
                k -= n;
            } else {
                state = run(
                    WS_DOM_FROM_I, i0,
                    [&](uint32_t z) {
                        const bool stays = choice(i0 - z, k0) >> WS_DOM_FROM_I_BIT & 1;
                        return (uint32_t)(stays ? WS_DOM_FROM_I : WS_DOM_FROM_M);
                    },
                    [&](uint32_t z) { return (uint8_t)(WS_COLUMN_I | code(i0 - z, k0, true)); }, &n);
                i -= n;
            }
            if (state == LOST) return 0;
            if (state != WS_DOM_FROM_B) continue;
            to->ncolumn = (uint32_t)(room + j.L + (uint32_t)j.M - column);
            return 1;
        }
        return 0;
    }
};

// Makes the path of an envelope, and packs its results.
template <class G> WS_DOM_BOTH void ws_dom_trace(G &g, const ws_dom_args &a, uint32_t p) {
    const ws_dom_job j = a.job[p];
    ws_dom_fitted out = a.fitted[p];
    if (!out.range && !out.strange) out.strange = !ws_dom_walker<G>(g, a, j, &out).walk();
    if (out.range || out.strange) out.ncolumn = 0;
    const uint32_t words = (out.ncolumn + 3) / 4;
    out.scale = ws_dom_claim(g, a.packed, out.nscale + words);
    out.column = out.scale + out.nscale;
    g.sync(); // lanes copy what others have written
    const uint8_t *from = a.column + j.column + j.L + (uint32_t)j.M - out.ncolumn;
    uint8_t *column = (uint8_t *)(a.pack + out.column);
    g.lanes([&](int z) {
        for (uint32_t c = (uint32_t)z; c < 4 * words; c += WS_DOM_TEAM) // the copy takes whole words
            column[c] = c < out.ncolumn ? from[c] : 0;
    });
    ws_dom_pack_scales(g, a.f + j.row, j.L, a.pack + out.scale);
    if (g.leads()) a.fitted[p] = out;
}

#endif
