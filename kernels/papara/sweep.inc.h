/* SPDX-License-Identifier: MIT
 * One read against the edges of one register, for one width of cells. Included by simd.c for 8, 16 and 32 bits.
 *
 * Parameters: C_(name) makes a name of its own for the width; C_CELL the type of a cell, C_LANES, C_SET1, C_ADD, C_MIN,
 * C_PICK its operations, C_FAR the cost that stands for "this or more": additions stop there (32 bits: what is added to
 * it stays below 2^31).
 *
 * Costs never fall along a path, so a result below C_FAR is exact. Sites are the outer loop and residues the inner one;
 * row holds T and H of the site before, {T, H} a residue. K sites are done at once: T and H go from site to site in
 * registers, and the K running values of V are as many chains that do not wait for one another.
 *
 *     w = min(M, H)    T(i,j) = min(w, V(i,j))    V(i,j+1) = min(w + io, V(i,j) + ix)
 *
 * is V(i,j+1) = min(T(i,j) + io, V(i,j) + ix), since io >= ix: the chain of V is an addition and a minimum long. */

/* Fills table[kind * SITES + k] with the costs of the K sites from `word` on, for each kind of residue in the read. */
WS_INLINE void C_(table)(const int K, const sweep *s, const uint64_t *word, V *table, V *o, V *x) {
    const V none = C_SET1(0);
    V_UNROLL for (int k = 0; k < K; k++, word += s->words) {
        const uint64_t cgap = word[s->words - 1] >> s->lane;
        const V more = C_PICK(cgap, C_SET1(cost_in(s->cost.cgap, C_FAR)), none);
        o[k] = C_PICK(cgap, none, C_SET1(cost_in(s->cost.del_open, C_FAR)));
        x[k] = C_PICK(cgap, none, C_SET1(cost_in(s->cost.del_extend, C_FAR)));
        for (int c = 0; c < s->nkind; c++) {
            uint64_t fits = 0;
            for (uint32_t b = s->kind[c]; b; b &= b - 1) fits |= word[__builtin_ctz(b)];
            const V differs = C_PICK(fits >> s->lane, none, C_SET1(cost_in(s->cost.mismatch, C_FAR)));
            table[c * SITES + k] = C_ADD(differs, more);
        }
    }
}

/* Computes K sites for residues [from, to). corner: T above and left of the first cell; left: the first V. Returns
 * the minimum of the last T's. */
WS_INLINE V C_(sites)(const int K, const sweep *s, const V *table, const V *o, const V *x, V *row, size_t from,
                      size_t to, V corner, V left) {
    const V io = C_SET1(cost_in(s->cost.ins_open, C_FAR)), ix = C_SET1(cost_in(s->cost.ins_extend, C_FAR));
    V diagonal[SITES], v[SITES], best;
    V_UNROLL for (int k = 0; k < K; k++) {
        diagonal[k] = k ? C_SET1(0) : corner;
        v[k] = left;
    }
    for (size_t j = from; j < to; j++) {
        const V *const cost = (const V *)(const void *)((const char *)table + s->at[j]);
        V t = row[2 * j], h = row[2 * j + 1];
        V_UNROLL for (int k = 0; k < K; k++) {
            const V m = C_ADD(diagonal[k], cost[k]);
            h = C_MIN(C_ADD(t, o[k]), C_ADD(h, x[k]));
            diagonal[k] = t;
            const V w = C_MIN(m, h);
            t = C_MIN(w, v[k]);
            v[k] = C_MIN(C_ADD(w, io), C_ADD(v[k], ix));
        }
        row[2 * j] = t;
        row[2 * j + 1] = h;
    }
    best = row[2 * to - 2];
    V_UNROLL for (int k = 1; k < K; k++) best = C_MIN(best, diagonal[k]);
    return best;
}

/* Returns the costs by papara 2's model: both ends of both sequences are free. */
static V C_(papara2)(const sweep *s, const uint64_t *word, V *row, V *table) {
    const size_t m = s->m, n = s->n;
    const uint64_t most = (uint64_t)C_FAR, match = (uint64_t)s->cost.match;
    const V none = C_SET1(0), left = C_SET1(cost_in(s->cost.ins_open, C_FAR));
    V o[SITES], x[SITES], best = C_SET1(ws_min(match * m, most));
    for (size_t j = 0; j < m; j++) {
        row[2 * j] = C_SET1(ws_min(match * (j + 1), most));
        row[2 * j + 1] = C_SET1(C_FAR);
    }
    size_t i = 0;
    for (; i + SITES <= n; i += SITES, word += SITES * s->words) {
        C_(table)(SITES, s, word, table, o, x);
        best = C_MIN(best, C_(sites)(SITES, s, table, o, x, row, 0, m, none, left));
    }
    for (; i < n; i++, word += s->words) {
        C_(table)(1, s, word, table, o, x);
        best = C_MIN(best, C_(sites)(1, s, table, o, x, row, 0, m, none, left));
    }
    for (size_t j = 0; j < m; j++) best = C_MIN(best, C_ADD(row[2 * j], C_SET1(ws_min(match * (m - j - 1), most))));
    return best;
}

/* Returns the costs by Equation 1: residue j only on sites j to j + (n - m); m < n. */
static V C_(eq1)(const sweep *s, const uint64_t *word, V *row, V *table) {
    const size_t m = s->m, n = s->n;
    const V none = C_SET1(0), far = C_SET1(C_FAR), left = C_SET1(cost_in(s->cost.ins_open, C_FAR));
    V o[SITES], x[SITES], best = far;
    for (size_t j = 0; j < 2 * m; j++) row[j] = far;
    for (size_t i = 1; i <= n; i++, word += s->words) {
        const size_t first = i > n - m ? i - (n - m) : 1, last = ws_min(i, m);
        C_(table)(1, s, word, table, o, x);
        const V corner = first == 1 ? none : row[2 * (first - 2)];
        const V t = C_(sites)(1, s, table, o, x, row, first - 1, last, corner, i > n - m ? far : left);
        if (last == m) best = C_MIN(best, t);
    }
    return best;
}

/* Computes the costs of the edges that are FAR, as far as this width can represent them. */
static void C_(edges)(const ws_papara_read *r, sweep *s, V *row, V *table) {
    const ws_papara_edges *e = &r->ref->edges;
    for (size_t k = 0; k < e->nedge; k += C_LANES) {
        const size_t lanes = ws_min(C_LANES, e->nedge - k);
        size_t far = 0;
        for (size_t z = 0; z < lanes; z++) far += r->cost[k + z] == WS_PAPARA_FAR;
        if (!far) continue;
        union {
            V v;
            C_CELL cell[C_LANES];
        } result;
        const uint64_t *word = e->bit + k / WS_PAPARA_GROUP * e->sites * s->words;
        s->lane = k % WS_PAPARA_GROUP;
        result.v = s->cost.model == WS_PAPARA_EQ1 ? C_(eq1)(s, word, row, table) : C_(papara2)(s, word, row, table);
        for (size_t z = 0; z < lanes; z++)
            if (result.cell[z] < C_FAR) r->cost[k + z] = result.cell[z];
    }
}

#undef C_
#undef C_CELL
#undef C_LANES
#undef C_SET1
#undef C_ADD
#undef C_MIN
#undef C_PICK
#undef C_FAR
