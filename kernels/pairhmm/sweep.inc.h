/* SPDX-License-Identifier: MIT
 * The sweep over a trie of haplotypes, one read a lane, in one precision. Included by simd.c twice, with
 *   REAL VT NAME(x) LANES K       float or double, its vector, names, lanes of a register, rows taken at once
 *   VT_LOAD VT_STORE VT_SET1 VT_ADD VT_FMA
 *
 * K rows go over all columns together: what they hand on from column to column stays in registers (d, m, y of the row
 * above), and only the lowest row's y and i go to memory, for the next K rows. */

typedef struct NAME(rows) {
    VT eps[K], dy[K], iy[K], ii[K];
} NAME(rows);

typedef struct NAME(state) {
    VT d[K], m[K], y[K];
} NAME(state);

/* Fills emission[code][row][lane]. */
static void NAME(emissions)(const ws_pairhmm_sweep *s, const REAL *row, const uint8_t *letter) {
    REAL *out = s->emission;
    for (size_t code = 0; code < s->trie->ncode; code++) {
        const uint8_t other = s->trie->letter[code];
        if (other == ('N' & 31)) {
            for (size_t r = 0; r < K; r++, out += LANES)
                VT_STORE(out, VT_LOAD(row + (r * WS_PAIRHMM_NVALUE + WS_PAIRHMM_MATCH) * LANES));
            continue;
        }
        for (size_t r = 0; r < K; r++, out += LANES) {
            const REAL *match = row + (r * WS_PAIRHMM_NVALUE + WS_PAIRHMM_MATCH) * LANES;
            const REAL *mismatch = row + (r * WS_PAIRHMM_NVALUE + WS_PAIRHMM_MISMATCH) * LANES;
            const uint8_t *x = letter + r * LANES;
            for (size_t z = 0; z < LANES; z++) out[z] = x[z] == other || x[z] == ('N' & 31) ? match[z] : mismatch[z];
        }
    }
}

WS_INLINE void NAME(columns)(const ws_pairhmm_seg *g, const uint8_t *code, const REAL *emission, const REAL *least,
                             REAL *ys, REAL *is, const NAME(rows) * v, NAME(state) * at) {
    NAME(state) a = *at;
    for (size_t c = g->begin; c < g->end; c++) {
        const REAL *e = emission + (size_t)code[c] * (K * LANES);
        VT y = VT_LOAD(ys + c * LANES), i = VT_LOAD(is + c * LANES);
        V_UNROLL for (int r = 0; r < K; r++) {
            const VT m = VT_FMA(VT_LOAD(e + r * LANES), a.y[r], VT_LOAD(least + r * WS_PAIRHMM_NVALUE * LANES));
            a.d[r] = VT_FMA(v->eps[r], a.d[r], a.m[r]);
            a.y[r] = y;
            y = VT_FMA(v->iy[r], i, VT_FMA(v->dy[r], a.d[r], m));
            i = VT_FMA(v->ii[r], i, m);
            a.m[r] = m;
        }
        VT_STORE(ys + c * LANES, y);
        VT_STORE(is + c * LANES, i);
    }
    *at = a;
}

static void NAME(band)(const ws_pairhmm_sweep *s, const REAL *row, VT above0) {
    const ws_pairhmm_trie *t = s->trie;
    NAME(state) *branch = s->branch;
    NAME(rows) v;
    V_UNROLL for (int r = 0; r < K; r++) {
        const REAL *p = row + r * WS_PAIRHMM_NVALUE * LANES;
        v.eps[r] = VT_LOAD(p + WS_PAIRHMM_EPS * LANES);
        v.dy[r] = VT_LOAD(p + WS_PAIRHMM_DY * LANES);
        v.iy[r] = VT_LOAD(p + WS_PAIRHMM_IY * LANES);
        v.ii[r] = VT_LOAD(p + WS_PAIRHMM_II * LANES);
        branch[0].d[r] = branch[0].m[r] = branch[0].y[r] = VT_SET1(0);
    }
    branch[0].y[0] = above0;
    for (size_t k = 0; k < t->nseg; k++) {
        NAME(state) a = branch[t->seg[k].from];
        NAME(columns)(&t->seg[k], t->code, s->emission, row + WS_PAIRHMM_LEAST * LANES, s->y, s->i, &v, &a);
        if (t->seg[k].to) branch[t->seg[k].to] = a;
    }
}

/* Sums the columns along each haplotype: within chunks in the precision of the cells, over chunks in double. */
static void NAME(sums)(const ws_pairhmm_sweep *s) {
    const ws_pairhmm_trie *t = s->trie;
    REAL *partial_of = s->branch;
    const REAL *i = s->i;
    double sum[LANES];
    VT_STORE(partial_of, VT_SET1(0));
    for (size_t z = 0; z < LANES; z++) s->sum[z] = 0;
    for (size_t k = 0; k < t->nseg; k++) {
        const ws_pairhmm_seg *g = &t->seg[k];
        _Alignas(WS_ALIGN) REAL last[LANES];
        VT partial = VT_LOAD(partial_of + g->from * LANES);
        memcpy(sum, s->sum + g->from * LANES, sizeof sum);
        for (size_t c = g->begin, depth = g->depth + 1; c < g->end; c++, depth++) {
            partial = VT_ADD(partial, VT_LOAD(i + c * LANES));
            if (depth % WS_PAIRHMM_CHUNK) continue;
            VT_STORE(last, partial);
            for (size_t z = 0; z < LANES; z++) sum[z] += (double)last[z];
            partial = VT_SET1(0);
        }
        VT_STORE(last, partial);
        if (g->to) {
            VT_STORE(partial_of + g->to * LANES, partial);
            memcpy(s->sum + g->to * LANES, sum, sizeof sum);
        }
        for (size_t z = 0; z < LANES; z++) s->total[k * LANES + z] = sum[z] + (double)last[z];
    }
}

static void NAME(sweep)(const ws_pairhmm_sweep *s) {
    const VT y0 = VT_LOAD(s->y0), zero = VT_SET1(0);
    const REAL *row = s->row;
    REAL *y = s->y, *i = s->i;
    for (size_t c = 1; c < s->trie->ncol; c++) {
        VT_STORE(y + c * LANES, y0);
        VT_STORE(i + c * LANES, zero);
    }
    for (size_t r = 0; r < s->nrow; r += K) {
        NAME(emissions)(s, row + r * WS_PAIRHMM_NVALUE * LANES, s->letter + r * LANES);
        NAME(band)(s, row + r * WS_PAIRHMM_NVALUE * LANES, r ? zero : y0);
    }
    NAME(sums)(s);
}

#undef REAL
#undef VT
#undef NAME
#undef LANES
#undef K
#undef VT_LOAD
#undef VT_STORE
#undef VT_SET1
#undef VT_ADD
#undef VT_FMA
