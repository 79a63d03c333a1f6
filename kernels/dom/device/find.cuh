// SPDX-License-Identifier: MIT
// The special states of a problem's rows give a target's curves and regions, an envelope's row factors, and the scales
// above 1. A warp has one problem, each lane a row of 32. The sums over rows are those of curves.h, one
// addition after another, each of which all lanes do. Source: specification domains.md, sections 4 to 7.1.
#ifndef WS_DOM_FIND_CUH
#define WS_DOM_FIND_CUH

#include "kernels/dom/device/device.cuh"

// Returns, to all lanes, the place of n words of a call's results whose number is not known before.
template <class G> WS_DOM_BOTH uint32_t ws_dom_claim(G &g, uint32_t *packed, uint32_t n) {
    typename G::template each<uint32_t> at;
    g.lanes([&](int z) {
        at[z] = 0;
        if (z) return;
#ifdef __CUDA_ARCH__
        at[z] = atomicAdd(packed, n);
#else
        at[z] = *packed;
        *packed += n;
#endif
    });
    return g.of(at, 0);
}

// Calls `chunk` for the rows 1..L, 32 at a time: with the first row and the number of rows.
template <class F> WS_DOM_BOTH void ws_dom_each_chunk(uint32_t L, F chunk) {
    const uint32_t team = WS_DOM_TEAM;
    for (uint32_t i = 1; i <= L; i += team) chunk(i, L - i + 1 < team ? L - i + 1 : team);
}

template <class G> WS_DOM_BOTH uint32_t ws_dom_count_scales(G &g, const ws_dom_row *f, uint32_t L) {
    uint32_t count = 0;
    ws_dom_each_chunk(L, [&](uint32_t i, uint32_t n) {
        count += ws_dom_ones(g.ballot([&](int z) { return (uint32_t)z < n && f[i + (uint32_t)z].s > 1.0f; }));
    });
    return count;
}
template <class G> WS_DOM_BOTH void ws_dom_pack_scales(G &g, const ws_dom_row *f, uint32_t L, uint32_t *pack) {
    float *to = (float *)pack;
    ws_dom_each_chunk(L, [&](uint32_t i, uint32_t n) {
        const uint32_t all = g.ballot([&](int z) { return (uint32_t)z < n && f[i + (uint32_t)z].s > 1.0f; });
        g.lanes([&](int z) {
            if (all >> z & 1) to[ws_dom_ones(all & ((1u << z) - 1))] = f[i + (uint32_t)z].s;
        });
        to += ws_dom_ones(all);
    });
}

// The factor r of curves.h before and after each row of a chunk, which the scales of Backward change.
template <class G> struct ws_dom_factor {
    typename G::template each<float> before, after;
    // ratio(z): of lane z's row. *r: before the chunk, then after it.
    template <class F> WS_DOM_BOTH void set(G &g, bool own, uint32_t n, float *r, F ratio) {
        const float first = *r;
        g.lanes([&](int z) { after[z] = !own ? first : (uint32_t)z < n ? ratio((uint32_t)z) : 1.0f; });
        if (own) *r = g.running_product(after, first, n);
        before = after;
        g.shift(before, first);
    }
};

// The regions that a walk over all rows has found: lane k has region k, if there is room.
template <class G> struct ws_dom_regions {
    typename G::template each<uint32_t> from, to;
    uint32_t n = 0, start = 0; // start: the newest possible left end, 0: none
    bool triggered = false;
    // Goes over `rows` rows from row i on. left, high, right: a bit for each row, whether it is below the edge at a
    // region's left end, above the trigger, below the edge at the right end (section 5).
    WS_DOM_BOTH void look(G &g, uint32_t i, uint32_t rows, uint32_t left, uint32_t high, uint32_t right) {
        for (uint32_t z = 0; z < rows; z++) {
            if (!triggered) {
                if ((left >> z & 1) || start == 0) start = i + z;
                triggered = high >> z & 1;
            } else if (right >> z & 1) {
                g.lanes([&](int k) {
                    if ((uint32_t)k == n) from[k] = start, to[k] = i + z;
                });
                n++;
                start = 0;
                triggered = false;
            }
        }
    }
};

// Decides whether a region has several domains, as ws_dom_look_at_region.
template <class G>
WS_DOM_BOTH ws_dom_found ws_dom_look(G &g, const ws_dom_curves &c, uint32_t from, uint32_t to) {
    typename G::template each<float> crowd;
    g.lanes([&](int k) {
        crowd[k] = -1.0f;
        for (uint32_t z = from + (uint32_t)k; z <= to; z += WS_DOM_TEAM) {
            const float ended = c.etot[z] - c.etot[from - 1], begun = c.btot[to] - c.btot[z - 1];
            const float e = ended < begun ? ended : begun;
            if (e > crowd[k]) crowd[k] = e;
        }
    });
    return {from, to, c.btot[to] - c.btot[from - 1], c.etot[to] - c.etot[from - 1], g.largest(crowd)};
}

// Computes a target's curves, with the bits of section 5 for its regions. Returns the factor r at their end.
template <class G>
WS_DOM_BOTH float ws_dom_curves_of(G &g, const ws_dom_job &j, const ws_dom_row *f, const ws_dom_row *b, bool own,
                                   const ws_dom_curves &c, ws_dom_regions<G> *regions, float *expected) {
    const float stay = j.mode.ploop;
    float r = (float)(1.0 / (double)b[0].N), begun = 0.0f, ended = 0.0f;
    if (g.leads()) c.btot[0] = c.etot[0] = c.mocc[0] = 0.0f;
    ws_dom_each_chunk(j.L, [&](uint32_t first, uint32_t n) {
        ws_dom_factor<G> by;
        typename G::template each<float> B, E, before_B, before_E, mocc;
        by.set(g, own, n, &r, [&](uint32_t z) { return f[first + z - 1].s / b[first + z - 1].s; });
        g.lanes([&](int z) {
            const uint32_t i = first + (uint32_t)z;
            B[z] = E[z] = mocc[z] = 0.0f;
            if ((uint32_t)z >= n) return;
            B[z] = f[i - 1].B * b[i - 1].B * f[i - 1].s * by.before[z];
            E[z] = f[i].E * b[i].E * f[i].s * by.after[z];
            float other = f[i - 1].N * b[i].N * stay * by.after[z];
            other += f[i - 1].J * b[i].J * stay * by.after[z];
            other += f[i - 1].C * b[i].C * stay * by.after[z];
            mocc[z] = (float)(1.0 - (double)other);
        });
        const float first_B = begun, first_E = ended;
        begun = g.running_sum(B, first_B, n);
        ended = g.running_sum(E, first_E, n);
        before_B = B, before_E = E;
        g.shift(before_B, first_B);
        g.shift(before_E, first_E);
        g.lanes([&](int z) {
            const uint32_t i = first + (uint32_t)z;
            if ((uint32_t)z < n) c.btot[i] = B[z], c.etot[i] = E[z], c.mocc[i] = mocc[z];
        });
        const uint32_t left = g.ballot([&](int z) { return mocc[z] - (B[z] - before_B[z]) < WS_DOM_EDGE; }),
                       high = g.ballot([&](int z) { return mocc[z] >= WS_DOM_TRIGGER; }),
                       right = g.ballot([&](int z) { return mocc[z] - (E[z] - before_E[z]) < WS_DOM_EDGE; });
        regions->look(g, first, n, left, high, right);
    });
    *expected = begun;
    return r;
}

// Finds the regions of a target.
template <class G> WS_DOM_BOTH void ws_dom_find(G &g, const ws_dom_args &a, uint32_t p) {
    const ws_dom_job j = a.job[p];
    const ws_dom_row *f = a.f + j.row, *b = a.b + j.row;
    const ws_dom_curves c = {a.w + j.row, a.B + j.row, a.pC + j.row};
    ws_dom_regions<G> regions;
    ws_dom_parsed out = {};
    const float r = ws_dom_curves_of(g, j, f, b, a.own[p], c, &regions, &out.expected);
    out.ok = isfinite(b[0].N) && !isinf(r);
    out.end = f[j.L].C * j.mode.pmove;
    out.nregion = out.ok ? regions.n : 0;
    const uint32_t words = sizeof(ws_dom_found) / sizeof *a.pack;
    out.nscale = ws_dom_count_scales(g, f, j.L);
    out.scale = ws_dom_claim(g, a.packed, out.nscale + out.nregion * words);
    ws_dom_pack_scales(g, f, j.L, a.pack + out.scale);
    out.region = out.scale + out.nscale;
    ws_dom_found *found = (ws_dom_found *)(void *)(a.pack + out.region);
    ws_dom_cut cut = {};
    g.sync(); // lanes read the curves of others
    for (uint32_t k = 0; k < out.nregion; k++) {
        uint32_t from = 0, to = 0;
        if (out.nregion > WS_DOM_TEAM) ws_dom_next_region(&c, j.L, &cut, &from, &to);
        else from = g.of(regions.from, k), to = g.of(regions.to, k);
        const ws_dom_found one = ws_dom_look(g, c, from, to);
        if (g.leads()) found[k] = one;
    }
    if (g.leads()) a.parsed[p] = out;
}

// Sets the score of an envelope whose rows Forward alone has computed.
template <class G> WS_DOM_BOTH void ws_dom_score_rows(G &g, const ws_dom_args &a, uint32_t p) {
    const ws_dom_job j = a.job[p];
    const ws_dom_row *f = a.f + j.row;
    ws_dom_parsed out = {};
    out.end = f[j.L].C * j.mode.pmove;
    out.nscale = ws_dom_count_scales(g, f, j.L);
    out.scale = ws_dom_claim(g, a.packed, out.nscale);
    ws_dom_pack_scales(g, f, j.L, a.pack + out.scale);
    if (g.leads()) a.parsed[p] = out;
}

// Computes the factors of an envelope's rows, as ws_dom_decode_envelope.
template <class G> WS_DOM_BOTH void ws_dom_decode(G &g, const ws_dom_args &a, uint32_t p) {
    const ws_dom_job j = a.job[p];
    const ws_dom_row *f = a.f + j.row, *b = a.b + j.row;
    float *const w = a.w + j.row, *const before = a.B + j.row, *const pC = a.pC + j.row;
    const float stay = j.mode.ploop, share = (float)(1.0 / (double)(float)j.L);
    float r = (float)(1.0 / (double)b[0].N), N = 0.0f, C = 0.0f, J = 0.0f;
    ws_dom_each_chunk(j.L, [&](uint32_t first, uint32_t n) {
        ws_dom_factor<G> by;
        typename G::template each<float> of_N, of_C, of_J;
        by.set(g, a.own[p], n, &r, [&](uint32_t z) { return f[first + z].s / b[first + z].s; });
        g.lanes([&](int z) {
            const uint32_t i = first + (uint32_t)z;
            of_N[z] = of_C[z] = of_J[z] = 0.0f;
            if ((uint32_t)z >= n) return;
            w[i] = by.before[z] * f[i].s;
            of_N[z] = f[i - 1].N * b[i].N * stay * by.before[z];
            of_J[z] = f[i - 1].J * b[i].J * stay * by.before[z];
            of_C[z] = f[i - 1].C * b[i].C * stay * by.before[z];
            pC[i] = of_C[z];
        });
        const float first_N = N;
        N = g.running_sum(of_N, N, n);
        J = g.running_sum(of_J, J, n);
        C = g.running_sum(of_C, C, n);
        g.shift(of_N, first_N);
        g.lanes([&](int z) {
            if ((uint32_t)z < n) before[first + (uint32_t)z] = of_N[z];
        });
    });
    ws_dom_fitted out = {};
    out.own = a.own[p];
    out.outside = (N * share + C * share) + J * share;
    out.range = isinf(r);
    out.end = f[j.L].C * j.mode.pmove;
    out.nscale = ws_dom_count_scales(g, f, j.L);
    if (g.leads()) a.fitted[p] = out;
}

#endif
