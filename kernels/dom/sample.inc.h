/* SPDX-License-Identifier: MIT
 * Traces of a region, with the choices of ref_sample.c at a fraction of its work. Source: specification domains.md,
 * sections 8.2 to 8.4 and 14.3.
 *
 * A choice compares u times the sum of the weights with their prefix sums, in single precision. Where the distance
 * from a border is less than the rounding error, scalar code decides as the definition does. Runs of M follow a
 * diagonal and runs of I a column, one register of steps at a time. The generator is linear, so its next sixteen
 * numbers are known at once. */

/* A node of a domain that a trace leaves out (inserts = 0) or follows with inserts. */
typedef struct indel {
    uint32_t k, inserts;
} indel;

typedef struct sampler {
    const ws_dom_tables *t;
    const ws_dom_problem *p;
    ws_dom_sample *s;
    uint32_t random;
    size_t stride;       /* floats between rows of the matrix */
    float *B;            /* B by row, with WS_DOM_FRONT entries before row 0 */
    float *stay[2];      /* share of the weights with which C (0) and J (1) of a row stay; NaN: scalar code decides */
    float *from_n;       /* share with which B comes from N */
    size_t nends;
    uint8_t *ready;      /* by row: its sums in p->ends are those before each block; until then those of each block */
    float *u;            /* striped weights of the nodes of a domain */
    indel *indel; /* of a domain */
    size_t nindel;
    int degenerate;      /* the region has residues that are not canonical */
    float null2[32] __attribute__((aligned(64)));
} sampler;

/* ---- the generator ---- */

/* After n steps the state is jump[n].by times the old one, plus jump[n].more. */
typedef struct jump {
    uint32_t by[VF_LANES + 1], more[VF_LANES + 1];
} jump;

static void set_jump(jump *j) {
    j->by[0] = 1;
    j->more[0] = 0;
    for (int n = 0; n < VF_LANES; n++) {
        j->by[n + 1] = j->by[n] * 69069u;
        j->more[n + 1] = j->more[n] * 69069u + 1u;
    }
}

static float next_single(sampler *a) {
    a->s->draws++;
    return (float)(ws_dom_random(&a->random) >> 8) * 0x1p-24f;
}

/* ---- single choices ---- */

/* Returns 0 or 1 by the share of the first weight. */
static int choose_by_share(sampler *a, float share, float first, float second) {
    const float u = next_single(a);
    if (u < share - WS_DOM_UNSURE) return 0;
    if (u > share + WS_DOM_UNSURE) return 1;
    const float w[2] = {first, second};
    return ws_dom_ref_choose(w, 2, ws_dom_deviate(a->random));
}

static int choose_two(sampler *a, float first, float second) {
    const float sum = first + second, v = next_single(a) * sum, margin = sum * WS_DOM_UNSURE;
    if (sum >= WS_DOM_TOO_SMALL && v < first - margin) return 0;
    if (sum >= WS_DOM_TOO_SMALL && v > first + margin && v < sum - margin) return 1;
    const float w[2] = {first, second};
    return ws_dom_ref_choose(w, 2, ws_dom_deviate(a->random));
}

static int choose_four(sampler *a, const float w[4]) {
    const float one = w[0], two = one + w[1], three = two + w[2], sum = three + w[3];
    const float v = next_single(a) * sum, margin = sum * WS_DOM_UNSURE;
    const int sure =
        sum >= WS_DOM_TOO_SMALL && fabsf(v - one) > margin && fabsf(v - two) > margin && fabsf(v - three) > margin;
    if (sure && v < sum - margin) return (v > one) + (v > two) + (v > three);
    return ws_dom_ref_choose(w, 4, ws_dom_deviate(a->random));
}

/* ---- E ---- */

static const float *cells_of(const sampler *a, uint32_t i, uint32_t k) {
    return a->p->cell + i * a->stride + (size_t)WS_DOM_CELL * k;
}

/* Turns the sums of a row's blocks into those of E's weights before each block. */
static void make_ends(const sampler *a, float e, float *sums) {
    double sum = 0.0;
    for (size_t b = 0; b < a->nends; b++) {
        const double block = (double)sums[b] * (double)e;
        sums[b] = (float)sum;
        sum += block;
    }
}

/* Returns the block that u falls into: the last one whose sum before it is at most u. */
static size_t block_of(const float *sums, size_t n, float u) {
    size_t b = 0;
    const VF at = VF_SET1(u);
    size_t j = 0;
    for (; j + VF_LANES <= n; j += VF_LANES) b += (size_t)__builtin_popcount(VM_BITS(VM_GE(at, VF_LOADU(sums + j))));
    for (; j < n; j++) b += u >= sums[j];
    return b > 0 ? b - 1 : 0;
}

/* Returns the state that E of row i came from, M or D of node *k. */
static __attribute__((noinline)) int from_end(sampler *a, uint32_t i, uint32_t *k) {
    float *sums = a->p->ends + i * a->nends;
    const size_t Q = (size_t)a->t->Q, M = (size_t)a->t->M;
    const float e = (float)(1.0 / (double)a->p->f[i].E), u = next_single(a);
    if (!a->ready[i]) make_ends(a, e, sums);
    a->ready[i] = 1;
    const size_t block = block_of(sums, (Q + WS_DOM_END_BLOCK - 1) / WS_DOM_END_BLOCK, u);
    float cum = sums[block];
    if (u > cum + WS_DOM_UNSURE || block == 0)
        for (size_t q = block * WS_DOM_END_BLOCK; q < ws_min((block + 1) * WS_DOM_END_BLOCK, Q); q++)
            for (int state = 0; state < 2; state++)
                for (size_t z = 0; z < 4; z++) {
                    const size_t node = z * Q + q + 1;
                    if (node > M) continue;
                    const float before = cum;
                    cum += cells_of(a, i, (uint32_t)node)[2 * state] * e;
                    if (u > cum + WS_DOM_UNSURE) continue;
                    if (u > cum - WS_DOM_UNSURE || (u < before + WS_DOM_UNSURE && before > 0.0f)) goto unsure;
                    *k = (uint32_t)node;
                    return state ? WS_COLUMN_D : WS_COLUMN_M;
                }
unsure:
    return ws_dom_ref_end(a->t, a->p, i, ws_dom_deviate(a->random), k);
}

/* ---- runs ---- */

/* Loads the cells that a register of steps comes from, the last step at `cell` and `step` floats between two, and
 * turns them into registers of M, I and D. */
WS_INLINE void load_run(const float *cell, size_t step, VF r[4]) {
    const float *first = cell - (VF_LANES - 1) * step, *at[VP_QUADS];
    for (size_t p = 0; p < VP_QUADS; p++) at[p] = first + 4 * p * step;
    V_UNROLL for (size_t c = 0; c < 4; c++) r[c] = VP_LOADS(at, c * step);
    VP_TRANSPOSE(r);
}

/* Returns the deviates of a register of steps, of which the last lane holds the first. */
WS_INLINE VF deviates(const sampler *a, const V by, const V more) {
    return VF_OF_TOP24(VI_ADD(VI_MUL(VI_SET1(a->random), by), more));
}

/* Returns the number of lanes that say yes, from the last one down. */
WS_INLINE uint32_t first_steps(VM yes) {
    const uint32_t no = ~VM_BITS(yes) << (32 - VF_LANES);
    return no ? (uint32_t)__builtin_clz(no) : VF_LANES;
}

/* Returns the number of steps, at most one register, that surely lead from M of row i and node k to M. */
WS_INLINE uint32_t run_of_matches(const sampler *a, const V by, const V more, uint32_t i, uint32_t k) {
    float *const *tr = a->t->node;
    const ptrdiff_t node = (ptrdiff_t)k - (VF_LANES - 1), row = (ptrdiff_t)i - 1 - (VF_LANES - 1);
    VF r[4];
    load_run(cells_of(a, i - 1, k - 1), a->stride + WS_DOM_CELL, r);
    const VF begin = VF_MUL(VF_LOADU(a->B + row), VF_LOADU(tr[WS_PBM] + node));
    const VF match = VF_ADD(begin, VF_MUL(r[0], VF_LOADU(tr[WS_PMM] + node - 1)));
    const VF insert = VF_ADD(match, VF_MUL(r[1], VF_LOADU(tr[WS_PIM] + node - 1)));
    const VF sum = VF_ADD(insert, VF_MUL(r[2], VF_LOADU(tr[WS_PDM] + node - 1)));
    const VF v = VF_MUL(deviates(a, by, more), sum), margin = VF_MUL(sum, VF_SET1(WS_DOM_UNSURE));
    return first_steps(VM_AND(VM_AND(VM_GT(v, VF_ADD(begin, margin)), VM_GT(match, VF_ADD(v, margin))),
                              VM_GE(sum, VF_SET1(WS_DOM_TOO_SMALL))));
}

/* Returns the number of steps, at most one register, that surely lead from I of row i and node k to I. */
WS_INLINE uint32_t run_of_inserts(const sampler *a, const V by, const V more, uint32_t i, uint32_t k) {
    VF r[4];
    load_run(cells_of(a, i - 1, k), a->stride, r);
    const VF match = VF_MUL(r[0], VF_SET1(a->t->node[WS_PMI][k]));
    const VF sum = VF_ADD(match, VF_MUL(r[1], VF_SET1(a->t->node[WS_PII][k])));
    const VF v = VF_MUL(deviates(a, by, more), sum), margin = VF_MUL(sum, VF_SET1(WS_DOM_UNSURE));
    return first_steps(VM_AND(VM_AND(VM_GT(v, VF_ADD(match, margin)), VM_GT(sum, VF_ADD(v, margin))),
                              VM_GE(sum, VF_SET1(WS_DOM_TOO_SMALL))));
}

/* Returns the number of rows, at most one register, in which C or J surely stays. */
WS_INLINE uint32_t run_of_stays(const sampler *a, const V by, const V more, const float *stay, uint32_t i) {
    const VF share = VF_LOADU(stay + (ptrdiff_t)i - (VF_LANES - 1));
    return first_steps(VM_GT(share, VF_ADD(deviates(a, by, more), VF_SET1(WS_DOM_UNSURE))));
}

static void advance(sampler *a, const jump *j, uint32_t n) {
    a->random = a->random * j->by[n] + j->more[n];
    a->s->draws += n;
}

/* ---- a domain ---- */

typedef struct domain {
    uint32_t i, j, k, m, residues;
} domain;

static void fill_places(float *u, size_t from, size_t to, const float *four) {
    const VF v = VP_BCAST(four);
    for (size_t q = from; q < to; q += VP_QUADS) VF_STOREU(u + 4 * q, v);
}

/* Sets the weights of the nodes: counts for M, more for inserts, 0 for D. Before and after the places of the first and
 * last node the weights of a lane are the same, so three ranges are filled, in ascending order. */
static void weigh(const sampler *a, const domain *d, size_t *from, size_t *to) {
    const uint32_t Q = (uint32_t)a->t->Q, qk = (d->k - 1) % Q, zk = (d->k - 1) / Q, qm = (d->m - 1) % Q,
                   zm = (d->m - 1) / Q;
    const float n = (float)(1.0 / (double)(float)d->residues);
    *from = zk == zm ? qk : 0;
    *to = zk == zm ? (size_t)qm + 1 : Q;
    const size_t border[] = {*from, ws_min(qk, qm + 1), ws_max(qk, qm + 1), *to};
    for (size_t r = 0; r < 3; r++) {
        const size_t q = border[r];
        float four[4] __attribute__((aligned(16)));
        for (uint32_t z = 0; z < 4; z++) four[z] = z >= zk + (q < qk) && z + (q > qm) <= zm ? n : 0.0f;
        fill_places(a->u, q, border[r + 1], four);
    }
    for (size_t v = 0; v < a->nindel; v++) {
        const indel *node = &a->indel[v];
        a->u[ws_dom_striped(a->t, node->k)] = node->inserts ? (float)(1 + node->inserts) * n : 0.0f;
    }
}

/* Ends a domain: computes its null2, and adds its rows' shares to n2. Returns WS_ENOMEM on failure. */
static __attribute__((noinline)) int close_domain(sampler *a, const domain *d, uint32_t trace, ws_err *err) {
    float *n2 = a->s->n2;
    const uint8_t *x = a->p->x - 1;
    size_t from, to;
    weigh(a, d, &from, &to);
    sum_nodes(0, a->t, a->u, NULL, 4, from, to, a->null2);
    if (a->degenerate) ws_dom_null2_degenerate(a->t->abc, a->null2);
    uint32_t i = d->i + 1;
    for (; i + VF_LANES <= d->j + 1; i += VF_LANES)
        VF_STOREU(n2 + i, VF_ADD(VF_LOADU(n2 + i), VF_LOOKUP32(a->null2, x + i)));
    for (; i <= d->j; i++) n2[i] += a->null2[x[i]];
    int rc = ws_grow(&a->s->segment, &a->s->cap, a->s->n + 1, sizeof *a->s->segment, err);
    if (!rc) a->s->segment[a->s->n++] = (ws_dom_segment){trace, d->i, d->j, d->k, d->m};
    return rc;
}

/* Adds inserts of a node to those that the domain has of it. */
static void add_inserts(sampler *a, uint32_t k, uint32_t n) {
    if (a->nindel == 0 || a->indel[a->nindel - 1].k != k) a->indel[a->nindel++] = (indel){k, 0};
    a->indel[a->nindel - 1].inserts += n;
}

/* Walks from E of row i to B and returns the row of B; UINT32_MAX: there is no way. */
static uint32_t walk_domain(sampler *a, const jump *j, const V by, const V more, uint32_t i, domain *d) {
    float *const *tr = a->t->node;
    uint32_t k = 0;
    int state = from_end(a, i, &k);
    uint32_t n;
    *d = (domain){0};
    a->nindel = 0;
    while (state >= 0 && i > 0 && k > 0) {
        if (state == WS_COLUMN_M) {
            const uint32_t i0 = i;
            if (!d->j) d->j = i, d->m = k;
            do {
                n = run_of_matches(a, by, more, i, k);
                advance(a, j, n);
                i -= n;
                k -= n;
            } while (n == VF_LANES);
            const float *c = cells_of(a, i - 1, k - 1);
            const float w[4] = {a->B[i - 1] * tr[WS_PBM][k], c[0] * tr[WS_PMM][k - 1], c[1] * tr[WS_PIM][k - 1],
                                c[2] * tr[WS_PDM][k - 1]};
            d->residues += i0 - i + 1;
            d->i = i, d->k = k;
            state = choose_four(a, w);
            i--, k--;
            if (state == 0) return i;
            state = state == 1 ? WS_COLUMN_M : state == 2 ? WS_COLUMN_I : WS_COLUMN_D;
            continue;
        }
        if (state == WS_COLUMN_D) {
            const float *c = cells_of(a, i, k - 1);
            if (d->j) a->indel[a->nindel++] = (indel){k, 0};
            state = choose_two(a, c[0] * tr[WS_PMD][k - 1], c[2] * tr[WS_PDD][k - 1]) ? WS_COLUMN_D : WS_COLUMN_M;
            k--;
        } else {
            const uint32_t i0 = i;
            while ((n = run_of_inserts(a, by, more, i, k)) > 0) {
                advance(a, j, n);
                i -= n;
            }
            const float *c = cells_of(a, i - 1, k);
            state = choose_two(a, c[0] * tr[WS_PMI][k], c[1] * tr[WS_PII][k]) ? WS_COLUMN_I : WS_COLUMN_M;
            i--;
            add_inserts(a, k, i0 - i);
            d->residues += i0 - i;
        }
    }
    return UINT32_MAX;
}

/* ---- a trace ---- */

/* Walks from row i in C (0) or J (1) to E and returns the row of E; 0: there is none. */
static uint32_t to_end(sampler *a, const jump *j, const V by, const V more, uint32_t i, int in_j) {
    const ws_dom_row *f = a->p->f;
    const ws_dom_mode *m = &a->p->mode;
    while (i > 0) {
        const uint32_t n = run_of_stays(a, by, more, a->stay[in_j], i);
        advance(a, j, n);
        i -= n;
        if (n == VF_LANES) continue;
        const float stay = (in_j ? f[i - 1].J : f[i - 1].C) * m->ploop,
                    end = (f[i].E * (in_j ? m->eJ : m->eC)) * f[i].s;
        if (choose_by_share(a, a->stay[in_j][i], stay, end)) return i;
        i--;
    }
    return 0;
}

static void add_ones(float *n2, uint32_t from, uint32_t to) {
    uint32_t i = from;
    for (; i + VF_LANES <= to + 1; i += VF_LANES) VF_STOREU(n2 + i, VF_ADD(VF_LOADU(n2 + i), VF_SET1(1.0f)));
    for (; i <= to; i++) n2[i] += 1.0f;
}

static int sample_trace(sampler *a, const jump *j, const V by, const V more, uint32_t trace, ws_err *err) {
    const size_t first = a->s->n;
    const ws_dom_row *f = a->p->f;
    const float pmove = a->p->mode.pmove;
    uint32_t i = a->p->L, rest = i; /* rows above `rest` have their n2 of this trace */
    int rc = WS_OK, in_j = 0;
    do {
        domain d;
        const uint32_t end = to_end(a, j, by, more, i, in_j);
        if (end == 0 || (i = walk_domain(a, j, by, more, end, &d)) == UINT32_MAX) return WS_EDATA;
        if (d.j) {
            add_ones(a->s->n2, d.j + 1, rest);
            rest = d.i;
            rc = close_domain(a, &d, trace, err);
        }
        in_j = choose_by_share(a, a->from_n[i], f[i].N * pmove, f[i].J * pmove);
    } while (in_j && rc == WS_OK);
    add_ones(a->s->n2, 1, rest);
    for (size_t lo = first, hi = a->s->n; lo + 1 < hi; lo++, hi--) {
        const ws_dom_segment keep = a->s->segment[lo];
        a->s->segment[lo] = a->s->segment[hi - 1];
        a->s->segment[hi - 1] = keep;
    }
    return rc;
}

/* ---- a region ---- */

static float share_of(float first, float second) {
    const float sum = first + second;
    return sum >= WS_DOM_TOO_SMALL ? first / sum : NAN;
}

/* Computes the shares that choices need for every row. */
static void set_rows(sampler *a) {
    const ws_dom_row *f = a->p->f;
    const ws_dom_mode *m = &a->p->mode;
    for (uint32_t i = 0; i <= a->p->L; i++) {
        a->B[i] = f[i].B;
        a->from_n[i] = share_of(f[i].N * m->pmove, f[i].J * m->pmove);
        a->stay[0][i] = i ? share_of(f[i - 1].C * m->ploop, (f[i].E * m->eC) * f[i].s) : NAN;
        a->stay[1][i] = i ? share_of(f[i - 1].J * m->ploop, (f[i].E * m->eJ) * f[i].s) : NAN;
        a->ready[i] = 0;
        a->s->n2[i] = 0.0f;
        a->degenerate |= i && a->p->x[i - 1] >= a->t->K;
    }
}

static int allocate_sampler(sampler *a, ws_dom_worker *w, ws_err *err) {
    const size_t rows = (size_t)a->p->L + 1, row = rows + 2 * WS_DOM_FRONT;
    a->nends = ws_dom_nends(a->t);
    int rc = ws_grow(&a->s->n2, &a->s->n2_cap, rows, sizeof *a->s->n2, err);
    if (rc) return rc;
    float *p = ws_dom_scratch(w, WS_DOM_SUMS, 4 * row * sizeof *p + rows, err);
    a->u = p ? ws_dom_scratch(w, WS_DOM_COUNT, (4 * (size_t)a->t->Q + VF_LANES) * sizeof *a->u, err) : NULL;
    a->indel = a->u ? ws_dom_scratch(w, WS_DOM_PATH, (rows + (size_t)a->t->M + 1) * sizeof *a->indel, err) : NULL;
    if (!a->indel) return err->code;
    a->B = p + WS_DOM_FRONT;
    a->stay[0] = a->B + row;
    a->stay[1] = a->stay[0] + row;
    a->from_n = a->stay[1] + row;
    a->ready = (uint8_t *)(a->from_n + row - WS_DOM_FRONT);
    return WS_OK;
}

static int sample(const ws_dom_tables *t, ws_dom_worker *w, const ws_dom_problem *p, uint32_t seed, ws_dom_sample *s,
                  ws_err *err) {
    sampler a = {.t = t, .p = p, .s = s, .random = ws_dom_seeded(seed), .stride = WS_DOM_CELL * ((size_t)t->M + 1)};
    uint32_t by[VF_LANES] __attribute__((aligned(64))), more[VF_LANES] __attribute__((aligned(64)));
    jump j;
    s->n = s->draws = 0;
    int rc = allocate_sampler(&a, w, err);
    if (rc) return rc;
    set_rows(&a);
    set_jump(&j);
    /* the last lane holds the first step */
    for (int z = 0; z < VF_LANES; z++) by[z] = j.by[VF_LANES - z], more[z] = j.more[VF_LANES - z];
    for (int x = 0; x < 32; x++) a.null2[x] = 1.0f;
    for (uint32_t trace = 0; rc == WS_OK && trace < WS_DOM_TRACES; trace++)
        rc = sample_trace(&a, &j, VI_LOAD(by), VI_LOAD(more), trace, err);
    return rc;
}
