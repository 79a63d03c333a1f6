// SPDX-License-Identifier: MIT
// The traces of a region on a device: a warp follows all 200, one after another, since they share a stream of random
// numbers. Its 32 lanes compute the next 32 steps of a diagonal, row, column or stretch at once, because the generator
// is linear. A lane decides where its step surely comes from; where it is not sure, choose.h decides. Bodies are
// templates over the team of lanes, as in quad.cuh. Source: specification domains.md, sections 8.2 to 8.4 and 14.3.
#ifndef WS_DOM_SAMPLE_CUH
#define WS_DOM_SAMPLE_CUH

extern "C" {
#include "kernels/dom/choose.h"
}
#include "kernels/dom/device/find.cuh"
#include "kernels/dom/device/label.cuh"

enum {
    WS_DOM_INSERTS = 8,  // lanes that load steps of a column: most inserts are short, and each step is another line
    WS_DOM_NOT_SURE = 4, // beyond the indices of weights
    WS_DOM_SUMS_AT_ONCE = 3, // residues whose null2 a lane sums
    WS_DOM_SEGMENT_ROOM = 5 // words of a segment on the device: its own two, and what a labeller needs
};

// A warp has these in shared memory: the residues of the present domain by node, for four times Qmax nodes from 1 on,
// and the odds of its null2 by residue.
struct ws_dom_domain_sums {
    uint32_t *count;
    float *null2;
    WS_DOM_BOTH ws_dom_domain_sums(float *at, int Qmax)
        : count((uint32_t *)(void *)at), null2(at + 4 * (size_t)Qmax + 1) {}
    static WS_DOM_BOTH size_t floats(int Qmax) { return 4 * (size_t)Qmax + 1 + 32; }
};

// A domain of a trace: rows and nodes of its first and last M, and its residues.
struct ws_dom_passage {
    uint32_t i, j, k, m, residues;
};

// Returns a generator's state as ws_dom_deviate does.
WS_DOM_BOTH double ws_dom_double(uint32_t state) { return (double)state * 0x1p-32; }

// Returns which of four weights u surely chooses. Two weights are four, of which two are 0.
WS_DOM_BOTH int ws_dom_sure(float u, float4 w, float unsure) {
    const float one = w.x, two = one + w.y, three = two + w.z, sum = three + w.w, v = u * sum, margin = sum * unsure;
    const bool sure = sum >= WS_DOM_TOO_SMALL && fabsf(v - one) > margin && fabsf(v - two) > margin &&
                      fabsf(v - three) > margin && v < sum - margin;
    return sure ? (v > one) + (v > two) + (v > three) : WS_DOM_NOT_SURE;
}

template <class G> struct ws_dom_sampler {
    template <class T> using each = typename G::template each<T>;
    G &g;
    const ws_dom_job &j;
    const ws_dom_args &a;
    const ws_dom_row *f;
    const float *cell;
    float *n2;
    uint32_t *segment;
    ws_dom_domain_sums at;
    uint32_t random, segments, unsure;
    uint64_t draws;
    bool degenerate;           // the region has residues that are not canonical
    each<uint32_t> by, more;   // the generator's state after lane + 1 steps is by * state + more
    each<uint32_t> next;       // that state
    each<int> from;            // what each lane's step comes from

    WS_DOM_BOTH ws_dom_sampler(G &team, const ws_dom_args &args, uint32_t p, float *shared)
        : g(team), j(args.job[p]), a(args), f(args.f + j.row), cell(args.cell + j.cell), n2(args.n2 + j.row),
          segment(args.segment + WS_DOM_SEGMENT_ROOM * j.segment), at(shared, j.Qmax), random(args.seed), segments(0),
          unsure(0), draws(0) {
        g.lanes([&](int z) {
            by[z] = 1, more[z] = 0;
            for (int k = 0; k <= z; k++) more[z] = more[z] * 69069u + 1u, by[z] = by[z] * 69069u;
            for (size_t k = (size_t)z; k <= 4 * (size_t)j.Q; k += WS_DOM_TEAM) at.count[k] = 0;
            at.null2[z] = 1.0f;
            for (uint32_t i = (uint32_t)z; i <= j.L; i += WS_DOM_TEAM) n2[i] = 0.0f;
        });
        degenerate = g.first([&](int z) {
            bool some = false;
            for (uint32_t i = (uint32_t)z; i < j.L; i += WS_DOM_TEAM) some |= j.x[i] >= j.K;
            return some;
        }) < WS_DOM_TEAM;
        g.sync();
    }

    // ---- steps ----

    // Return a cell as M, I, D and the row's B, and half of a node's transitions: BM MM IM DM, or MD MI II DD.
    WS_DOM_BOTH float4 cell_of(uint32_t i, uint32_t k) const {
        return ((const float4 *)(const void *)cell)[(size_t)i * ((size_t)j.M + 1) + k];
    }
    WS_DOM_BOTH float4 odds_of(uint32_t k, int half) const {
        return ((const float4 *)(const void *)j.node)[2 * (size_t)k + (size_t)half];
    }

    WS_DOM_BOTH void take(uint32_t n) {
        random = g.of(next, n - 1);
        draws += n;
    }

    // Takes the steps that come from weight STAY, of N, up to the first that does not; at most `room` of them, which is
    // 1 to 32. weights: those of a lane's step. Returns what the last one comes from; *taken: how many.
    template <int N, int STAY, class W> WS_DOM_BOTH int steps(uint32_t room, W weights, uint32_t *taken) {
        g.lanes([&](int z) {
            next[z] = random * by[z] + more[z];
            from[z] = WS_DOM_NOT_SURE;
            if ((uint32_t)z < room)
                from[z] = ws_dom_sure((float)(next[z] >> 8) * 0x1p-24f, weights((uint32_t)z), a.margin.choice);
        });
        const uint32_t n = g.first([&](int z) { return from[z] != STAY; });
        *taken = n < room ? n + 1 : room;
        int to = n < room ? g.of(from, n) : STAY;
        if (to == WS_DOM_NOT_SURE) {
            const float4 four = weights(n);
            const float w[4] = {four.x, four.y, four.z, four.w};
            to = ws_dom_choose(w, N, ws_dom_double(g.of(next, n)));
            unsure++;
        }
        take(*taken);
        return to;
    }

    static WS_DOM_BOTH uint32_t least(uint32_t x, uint32_t y) { return x < y ? x : y; }

    // Follows M of row *i and node *k to what the last of these M comes from; *i and *k are one less than those of this
    // M.
    WS_DOM_BOTH int follow_matches(uint32_t *i, uint32_t *k, ws_dom_passage *d) {
        int to;
        do {
            uint32_t n;
            const uint32_t i0 = *i, k0 = *k;
            to = steps<4, 1>(least(WS_DOM_TEAM, least(i0, k0)), [&](uint32_t z) {
                const float4 c = cell_of(i0 - 1 - z, k0 - 1 - z), t = odds_of(k0 - z, 0);
                return make_float4(c.w * t.x, c.x * t.y, c.y * t.z, c.z * t.w);
            }, &n);
            g.lanes([&](int z) {
                if ((uint32_t)z < n) at.count[k0 - (uint32_t)z]++;
            });
            g.sync();
            d->residues += n;
            *i -= n;
            *k -= n;
        } while (to == 1 && *i > 0 && *k > 0);
        d->i = *i + 1;
        d->k = *k + 1;
        return to;
    }

    // Follows D of row i and node *k down to the node of M.
    WS_DOM_BOTH int follow_deletes(uint32_t i, uint32_t *k) {
        int to;
        do {
            uint32_t n;
            const uint32_t k0 = *k;
            to = steps<2, 1>(least(WS_DOM_TEAM, k0), [&](uint32_t z) {
                const float4 c = cell_of(i, k0 - 1 - z), t = odds_of(k0 - 1 - z, 1);
                return make_float4(c.x * t.x, c.z * t.w, 0.0f, 0.0f);
            }, &n);
            *k -= n;
        } while (to == 1 && *k > 0);
        return to;
    }

    // Follows I of row *i and node k up to the row of M.
    WS_DOM_BOTH int follow_inserts(uint32_t *i, uint32_t k, ws_dom_passage *d) {
        const float4 t = odds_of(k, 1);
        int to;
        do {
            uint32_t n;
            const uint32_t i0 = *i;
            to = steps<2, 1>(least(WS_DOM_INSERTS, i0), [&](uint32_t z) {
                const float4 c = cell_of(i0 - 1 - z, k);
                return make_float4(c.x * t.y, c.y * t.z, 0.0f, 0.0f);
            }, &n);
            if (g.leads()) at.count[k] += n;
            g.sync();
            d->residues += n;
            *i -= n;
        } while (to == 1 && *i > 0);
        return to;
    }

    // Walks from row i in C (0) or J (1) to E and returns the row of E; 0: there is none.
    WS_DOM_BOTH uint32_t to_end(uint32_t i, int in_j) {
        while (i > 0) {
            uint32_t n;
            const uint32_t i0 = i;
            const int to = steps<2, 0>(least(WS_DOM_TEAM, i0), [&](uint32_t z) {
                const ws_dom_row &row = f[i0 - z], &before = f[i0 - z - 1];
                return make_float4((in_j ? before.J : before.C) * j.mode.ploop,
                                   (row.E * (in_j ? j.mode.eJ : j.mode.eC)) * row.s, 0.0f, 0.0f);
            }, &n);
            i -= n;
            if (to == 1) return i + 1;
        }
        return 0;
    }

    // ---- E ----

    // Returns the weight with which E of a row comes from M (0) or D (1) of lane z of place q.
    WS_DOM_BOTH float end_weight(const float *row, int q, int state, int z, float e) const {
        const int k = z * j.Q + q + 1;
        return k <= j.M ? row[WS_DOM_CELL * (size_t)k + 2 * (size_t)state] * e : 0.0f;
    }

    // Finds the weight that u falls into: first the lane, of equal shares of the places, then the place. Sums are in
    // double precision, so that their order says less than the margin. Returns the state, -1: not sure.
    WS_DOM_BOTH int surely_from_end(const float *row, float e, double u, uint32_t *k) {
        const int share = (j.Q + WS_DOM_TEAM - 1) / WS_DOM_TEAM;
        each<double> sum;
        g.lanes([&](int z) {
            double all = 0.0;
            for (int q = z * share; q < (z + 1) * share && q < j.Q; q++)
                for (int l = 0; l < 4; l++)
                    all += (double)end_weight(row, q, 0, l, e) + (double)end_weight(row, q, 1, l, e);
            sum[z] = all;
        });
        g.add_up(sum);
        const uint32_t lane = g.first([&](int z) { return u < sum[z]; });
        if (lane == WS_DOM_TEAM) return -1;
        double before = lane ? g.of(sum, lane - 1) : 0.0;
        const int end = ((int)lane + 1) * share;
        for (int q0 = (int)lane * share; q0 < end; q0 += 4) { // four places of eight weights
            g.lanes([&](int z) {
                const int q = q0 + z / 8;
                sum[z] = q < end && q < j.Q ? (double)end_weight(row, q, z / 4 % 2, z % 4, e) : 0.0;
            });
            g.add_up(sum);
            const uint32_t n = g.first([&](int z) { return u < before + sum[z]; });
            if (n < WS_DOM_TEAM) {
                const double low = before + (n ? g.of(sum, n - 1) : 0.0), high = before + g.of(sum, n);
                if (!(u < high - a.margin.end) || !(u > low + a.margin.end || low == 0.0)) return -1;
                *k = n % 4 * (uint32_t)j.Q + (uint32_t)q0 + n / 8 + 1;
                return n / 4 % 2 ? WS_COLUMN_D : WS_COLUMN_M;
            }
            before += g.of(sum, WS_DOM_TEAM - 1);
        }
        return -1;
    }

    WS_DOM_BOTH int from_end(uint32_t i, uint32_t *k) {
        const float *row = cell + (size_t)i * ws_dom_kept_row<WS_DOM_KEEP_CELLS>(j), E = f[i].E;
        g.lanes([&](int z) { next[z] = random * by[z] + more[z]; });
        take(1);
        const double u = ws_dom_double(random);
        const int state = surely_from_end(row, (float)(1.0 / (double)E), u, k);
        if (state >= 0) return state;
        unsure++;
        return ws_dom_choose_end(row, j.M, j.Q, E, u, k);
    }

    // ---- a domain ----

    // Computes null2 of the domain's nodes: four lanes for every eighth residue.
    WS_DOM_BOTH void sum_nodes(const ws_dom_passage &d) {
        const uint32_t Q = (uint32_t)j.Q, zk = (d.k - 1) / Q, zm = (d.m - 1) / Q;
        const uint32_t begin = zk == zm ? (d.k - 1) % Q : 0, end = zk == zm ? (d.m - 1) % Q + 1 : Q;
        const float n = (float)(1.0 / (double)(float)d.residues);
        each<float> sum[WS_DOM_SUMS_AT_ONCE];
        g.lanes([&](int z) {
            const int l = z % 4, x = z / 4;
            const uint32_t *count = at.count + l * j.Q + 1;
            float s[WS_DOM_SUMS_AT_ONCE] = {};
WS_DOM_UNROLL_4
            for (uint32_t q = begin; q < end; q++) {
                const float u = (float)count[q] * n, *o = j.mix + ((size_t)q * (size_t)j.K + (size_t)x) * 4 + l;
WS_DOM_UNROLL
                for (int r = 0; r < WS_DOM_SUMS_AT_ONCE; r++)
                    if (x + 8 * r < j.K) s[r] = s[r] + u * o[32 * r];
            }
            for (int r = 0; r < WS_DOM_SUMS_AT_ONCE; r++) sum[r][z] = s[r];
        });
        for (int r = 0; r < WS_DOM_SUMS_AT_ONCE; r++) {
            g.add_four(sum[r]);
            g.lanes([&](int z) {
                if (z % 4 == 0 && z / 4 + 8 * r < j.K) at.null2[z / 4 + 8 * r] = sum[r][z];
            });
        }
        g.sync();
        g.lanes([&](int z) {
            for (uint32_t k = d.k + (uint32_t)z; k <= d.m; k += WS_DOM_TEAM) at.count[k] = 0;
            const int x = j.K + z;
            if (!degenerate || x >= j.Kp) return;
            float all = 0.0f, y = 0.0f;
            for (int v = 0; v < j.K; v++)
                if (j.contains[x] >> v & 1) all += at.null2[v], y += 1.0f;
            at.null2[x] = y > 0.0f ? all / y : 1.0f;
        });
        g.sync();
    }

    // Adds 1, or null2 of their residues, to rows from .. to. A row belongs to a lane.
    WS_DOM_BOTH void add(uint32_t first, uint32_t to, bool null2) {
        g.lanes([&](int z) {
            uint32_t i = first / WS_DOM_TEAM * WS_DOM_TEAM + (uint32_t)z;
            for (i += i < first ? WS_DOM_TEAM : 0; i <= to; i += WS_DOM_TEAM)
                n2[i] = n2[i] + (null2 ? at.null2[j.x[i - 1]] : 1.0f);
        });
    }

    // Walks from E of row *i to B, whose row *i becomes. Returns false if there is no way.
    WS_DOM_BOTH bool walk_domain(uint32_t *i, ws_dom_passage *d) {
        uint32_t k = 0;
        int state = from_end(*i, &k);
        *d = {};
        while (state >= 0 && *i > 0 && k > 0) {
            if (state == WS_COLUMN_D) {
                state = follow_deletes(*i, &k) ? WS_COLUMN_D : WS_COLUMN_M;
            } else if (state == WS_COLUMN_I) {
                state = follow_inserts(i, k, d) ? WS_COLUMN_I : WS_COLUMN_M;
            } else {
                if (!d->j) d->j = *i, d->m = k;
                const int to = follow_matches(i, &k, d);
                if (to == 0) return true;
                state = to == 1 ? WS_COLUMN_M : to == 2 ? WS_COLUMN_I : WS_COLUMN_D;
            }
        }
        return false;
    }

    // ---- a trace ----

    WS_DOM_BOTH bool follow_trace() {
        uint32_t i = j.L, rest = i, n; // rows above `rest` have their n2 of this trace
        int in_j = 0;
        do {
            ws_dom_passage d;
            i = to_end(i, in_j);
            if (i == 0 || !walk_domain(&i, &d)) return false;
            sum_nodes(d);
            add(d.j + 1, rest, false);
            add(d.i + 1, d.j, true);
            g.sync();
            rest = d.i;
            if (segments < j.segments && g.leads()) {
                segment[2 * segments] = d.i | d.j << 16;
                segment[2 * segments + 1] = d.k | d.m << 16 | (uint32_t)!in_j << 31;
            }
            if (++segments > j.segments) return true;
            in_j = steps<2, 0>(1, [&](uint32_t) {
                return make_float4(f[i].N * j.mode.pmove, f[i].J * j.mode.pmove, 0.0f, 0.0f);
            }, &n);
        } while (in_j);
        add(1, rest, false);
        return true;
    }

    // Labels the first n segments with their components. Returns how many these are.
    WS_DOM_BOTH uint32_t label(uint32_t n) {
        g.sync();
        return ws_dom_labeller<G>(g, segment, n, segment + 2 * (size_t)n).run();
    }

    // Packs n2, the scales of all rows, the segments, and behind them their labels.
    WS_DOM_BOTH void pack(ws_dom_resolved *to) {
        const uint32_t words = to->nsegment * WS_DOM_SEGMENT_WORDS, n = 2 * j.L + words;
        to->pack = ws_dom_claim(g, a.packed, n);
        g.sync();
        g.lanes([&](int z) {
            float *out = (float *)(void *)(a.pack + to->pack);
            for (uint32_t i = (uint32_t)z; i <= j.L; i += WS_DOM_TEAM)
                if (i) out[i - 1] = n2[i], out[j.L + i - 1] = f[i].s;
            for (uint32_t w = (uint32_t)z; w < words; w += WS_DOM_TEAM) a.pack[to->pack + 2 * j.L + w] = segment[w];
        });
    }
};

// Samples a region whose rows and cells Forward has computed.
template <class G> WS_DOM_BOTH void ws_dom_sample_region(G &g, const ws_dom_args &a, uint32_t p, float *shared) {
    const ws_dom_job &j = a.job[p];
    ws_dom_resolved out = {};
    out.end = a.f[j.row + j.L].C * j.mode.pmove;
    out.ok = out.end > 0.0f && !isinf(out.end);
    ws_dom_sampler<G> s(g, a, p, shared);
    for (uint32_t trace = 0; trace < WS_DOM_TRACES && out.ok && s.segments <= j.segments; trace++)
        out.ok = s.follow_trace();
    out.strange = s.segments > j.segments;
    out.nsegment = out.ok && !out.strange ? s.segments : 0;
    out.components = s.label(out.nsegment);
    out.unsure = s.unsure;
    out.draws = s.draws;
    s.pack(&out);
    if (g.leads()) a.resolved[p] = out;
}

#endif
