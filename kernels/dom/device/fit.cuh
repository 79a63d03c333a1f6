// SPDX-License-Identifier: MIT
// An envelope on a device after Forward and Backward: optimal accuracy with the choices of each cell, and null2;
// fit.inc.h is the same for registers of several envelopes. All transitions of the model exist. Source: specification
// domains.md, section 7.
#ifndef WS_DOM_FIT_CUH
#define WS_DOM_FIT_CUH

#include "kernels/dom/device/rows.cuh"

// A cell's choice, four bits. HIGH and LOW encode the state that M comes from. FROM_D is that of the row above: whether
// D of the next node there comes from D.
enum { WS_DOM_LOW, WS_DOM_HIGH, WS_DOM_FROM_I_BIT, WS_DOM_FROM_D_BIT };

// AHEAD places of a row, and of its products.
template <class G> struct ws_dom_fit_ahead {
    typename G::V M[G::AHEAD], I[G::AHEAD], D[G::AHEAD], uM[G::AHEAD], uI[G::AHEAD],
        kM[G::AHEAD], kI[G::AHEAD];
    WS_DOM_BOTH void load(const G &g, const ws_dom_state &r, const float *cell, int q, int Q) {
WS_DOM_UNROLL
        for (int u = 0; u < G::AHEAD; u++) {
            if (q + u >= Q) continue;
            const float *k = cell + (size_t)(2 * (q + u)) * r.line;
            M[u] = g.load(r.M(q + u)), I[u] = g.load(r.I(q + u)), D[u] = g.load(r.D(q + u));
            uM[u] = g.load(r.D(q + u) + r.line), uI[u] = g.load(r.D(q + u) + 2 * r.line);
            kM[u] = g.load(k), kI[u] = g.load(k + r.line);
        }
    }
};

// State between two rows.
template <class G> struct ws_dom_accuracy_state {
    typename G::V in;      // D that enters each lane in the last row, still to be added
    typename G::V best;    // the row's largest M of each lane
    typename G::W best_at; // and its last place
};

// Computes one row. w, B: the row's factor, and A.B of the row before.
template <class G>
WS_DOM_BOTH void ws_dom_accuracy_row(const G &g, const ws_dom_job &j, const ws_dom_state &r, const float *cell,
                                     uint32_t *choice, float w1, float B1, ws_dom_accuracy_state<G> *s) {
    typedef typename G::V V;
    typedef typename G::P P;
    const int Q = j.Q;
    const V w = g.set(w1), B = g.set(B1), carry = s->in;
    V m = g.up(g.load(r.M(Q - 1))), i = g.up(g.load(r.I(Q - 1))), d = g.up(g.larger(g.load(r.D(Q - 1)), carry));
    V local = g.set(-INFINITY);
    typename G::W bits = g.word(0);
    s->best = local;
    s->best_at = g.word(0);
    ws_dom_fit_ahead<G> next;
    next.load(g, r, cell, 0, Q);
    for (int q0 = 0; q0 < Q; q0 += G::AHEAD) {
        const ws_dom_fit_ahead<G> now = next;
        next.load(g, r, cell, q0 + G::AHEAD, Q);
WS_DOM_UNROLL
        for (int u = 0; u < G::AHEAD; u++) {
            const int q = q0 + u;
            if (q >= Q) break;
            const V pM = now.kM[u] * w, pI = now.kI[u] * w;
            g.store(r.D(q) + r.line, now.uM[u] + pM);
            g.store(r.D(q) + 2 * r.line, now.uI[u] + pI);
            const P from_i = i > m;
            V best = g.larger(m, i);
            const P from_d = d > best;
            best = g.larger(best, d);
            const P from_b = B > best;
            best = g.larger(best, B) + pM;
            const P better = g.has_node(q, Q, j.M) & !(s->best > best);
            s->best = g.pick(better, best, s->best);
            s->best_at = g.pick(better, g.word((uint32_t)q), s->best_at);
            m = now.M[u], i = now.I[u], d = g.larger(now.D[u], carry);
            bits = bits | ((g.bit((from_i & !from_d) | from_b, WS_DOM_LOW) | g.bit(from_d | from_b, WS_DOM_HIGH) |
                            g.bit(i > m, WS_DOM_FROM_I_BIT) | g.bit(d > m, WS_DOM_FROM_D_BIT))
                           << 4 * (q % WS_DOM_CHOICES));
            g.store(r.M(q), best);
            g.store(r.I(q), g.larger(m, i) + pI);
            g.store(r.D(q), local);
            local = g.larger(local, best);
            if (q % WS_DOM_CHOICES == WS_DOM_CHOICES - 1 || q == Q - 1) {
                g.store(choice + (size_t)(q / WS_DOM_CHOICES) * r.line, bits);
                bits = g.word(0);
            }
        }
    }
    local = g.up(local);
    local = g.larger(local, g.up(local));
    s->in = g.larger(local, g.up(g.up(local)));
}

// Computes the sums of null2 (section 7.4) from those of the posteriors. outside: the expected share of N, C and J.
template <class G>
WS_DOM_BOTH void ws_dom_expect(const G &g, const ws_dom_job &j, const ws_dom_state &r, float outside, float *null2) {
    typedef typename G::V V;
    const V n = g.set((float)(1.0 / (double)(float)j.L));
    for (int x = 0; x < j.K; x += 4) {
        const float *o = j.emit + (size_t)x * (size_t)j.Q * 4;
        V sum[4] = {g.set(0), g.set(0), g.set(0), g.set(0)};
        for (int q = 0; q < j.Q; q++) {
            const V uM = g.load(r.D(q) + r.line) * n, uI = g.load(r.D(q) + 2 * r.line) * n;
WS_DOM_UNROLL
            for (int u = 0; u < 4; u++) {
                sum[u] = sum[u] + uM * g.load_fixed(o + (size_t)(u * j.Q + q) * 4);
                sum[u] = sum[u] + uI;
            }
        }
WS_DOM_UNROLL
        for (int u = 0; u < 4; u++) {
            const float all = outside + g.sum(sum[u]);
            if (g.leads()) null2[x + u] = all;
        }
    }
}

// Sets what an envelope's path needs from its last rows. at: the factors of its rows. end_at: 4 q + lane + 1 of the
// place at which the path ends; 0: there is none.
WS_DOM_BOTH void ws_dom_accuracy_end(const ws_dom_job &j, const ws_dom_factors &at, float C, uint32_t end_row,
                                     uint32_t end_at, ws_dom_fitted *to) {
    to->accuracy = C;
    to->strange = (j.L > 1 && !(at.B[2] > 0.0f)) || end_at == 0;
    to->end_row = end_row;
    to->end_node = end_at == 0 ? 1 : (end_at - 1) % 4 * (uint32_t)j.Q + (end_at - 1) / 4 + 1;
}

// Fills the choices of all rows, and sets accuracy, null2 and the end of the path. `at` has the factors of the
// problem's rows.
template <class G>
WS_DOM_BOTH void ws_dom_accuracy(const G &g, const ws_dom_job &j, const ws_dom_state &r, const float *cell,
                                 uint32_t *choice, const ws_dom_factors &at, ws_dom_fitted *to) {
    ws_dom_accuracy_state<G> s;
    float C = -INFINITY;
    uint32_t end_row = 0, end_at = 0;
    s.in = g.set(-INFINITY);
    for (int q = 0; q < j.Q; q++) {
        g.store(r.M(q), s.in);
        g.store(r.I(q), s.in);
        g.store(r.D(q), s.in);
        g.store(r.D(q) + r.line, g.set(0));
        g.store(r.D(q) + 2 * r.line, g.set(0));
    }
    for (uint32_t i = 1; i <= j.L; i++) {
        cell += ws_dom_cell_row(j);
        choice += ws_dom_choice_row(j);
        ws_dom_accuracy_row(g, j, r, cell, choice, at.w[i], at.B[i], &s);
        const float most = g.largest(s.best), E = most > 0.0f ? most : 0.0f, stay = C + at.pC[i];
        C = stay > E ? stay : E;
        if (stay > E) continue;
        end_row = i;
        end_at = g.last(!(g.set(E) > s.best), s.best_at);
    }
    const float outside = to->outside;
    ws_dom_expect(g, j, r, outside, to->null2);
    if (g.leads()) ws_dom_accuracy_end(j, at, C, end_row, end_at, to);
}

#endif
