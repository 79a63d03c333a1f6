/* SPDX-License-Identifier: MIT
 * Null2 as sums over nodes of a weight times the odds of each canonical residue. VP_QUADS residues run side by side,
 * each in the four lanes of the definition. Source: specification domains.md, sections 7.4 and 8.4. */

enum { SUM_REGISTERS = 20 / VP_QUADS };

/* Sums over positions. u: weights [q][4], `step` floats from one position to the next; ui: weights added as they
 * are, or NULL. */
WS_INLINE void sum_places(const int n, const int inserts, const ws_dom_tables *t, const float *u, const float *ui,
                          size_t step, size_t from, size_t to, float *null2) {
    VF sum[SUM_REGISTERS];
    const float *mix = t->mix + from * (size_t)n * VF_LANES;
    V_UNROLL for (int v = 0; v < n; v++) sum[v] = VF_SET1(0.0f);
    for (size_t q = from; q < to; q++, mix += n * VF_LANES) {
        const VF w = VP_BCAST(u + q * step), wi = inserts ? VP_BCAST(ui + q * step) : w;
        V_UNROLL for (int v = 0; v < n; v++) {
            sum[v] = VF_ADD(sum[v], VF_MUL(w, VF_LOAD(mix + v * VF_LANES)));
            if (inserts) sum[v] = VF_ADD(sum[v], wi);
        }
    }
    V_UNROLL for (int v = 0; v < n; v++) {
        float four[4] __attribute__((aligned(16)));
        VP_FIRSTS(four, VP_SUM(sum[v]));
        memcpy(null2 + v * VP_QUADS, four, VP_QUADS * sizeof(float));
    }
}

/* Sums null2 of the canonical residues over the nodes; N, C and J are not included. */
static void sum_nodes(const int inserts, const ws_dom_tables *t, const float *u, const float *ui, size_t step,
                      size_t from, size_t to, float *null2) {
    if (t->K == 20 && inserts) sum_places(20 / VP_QUADS, 1, t, u, ui, step, from, to, null2);
    else if (t->K == 20) sum_places(20 / VP_QUADS, 0, t, u, ui, step, from, to, null2);
    else if (inserts) sum_places(4 / VP_QUADS, 1, t, u, ui, step, from, to, null2);
    else sum_places(4 / VP_QUADS, 0, t, u, ui, step, from, to, null2);
}
