/* SPDX-License-Identifier: MIT
 * The vector body of a pass, compiled once for each width.
 *
 * The voxels of a half row that have one colour stand side by side, and so do the labels of their k-th neighbours.
 * Neighbours of a class are counted in bytes, VB_LANES voxels at a time, by comparing labels. Energies are 32-bit
 * integers, VI_LANES voxels at a time. The pass loads each voxel's row of the table four classes at once. A
 * transposition makes of the rows a register for each class. The energies leave out the term that all classes share,
 * b_out times the degree. Few voxels change: the pass takes these one by one. */

#include "kernels/mrf/mrf.h"
#include "lib/simd/v.h"

/* A pass over one half row. */
typedef struct row {
    const ws_mrf_pass *p;
    const uint8_t *at[WS_MRF_NEIGHBOURS];
    const uint16_t *q;
    uint8_t *label;
    uint64_t i, step; /* the first voxel's number in the volume; from there to the next */
    size_t width;
    int K;
    int32_t weight, xi; /* weight: b_in - b_out */
} row;

/* The energy of a voxel without a class, outside of the mask: less than any, so that it changes to none. The difference
 * to any fits 32 bits. */
enum { NO_CLASS = -(1 << 29) };

typedef struct block {
    _Alignas(WS_ALIGN) uint8_t count[WS_MRF_CLASSES][VB_LANES];
} block;

/* Counts for voxels j .. j + VB_LANES - 1 the neighbours of each class. n is the neighbourhood. */
WS_INLINE void count(const row *r, const int n, size_t j, block *b) {
    V label[WS_MRF_NEIGHBOURS];
    V_UNROLL for (int k = 0; k < n; k++) label[k] = V_LOADU(r->at[k] + j);
    for (int c = 0; c < r->K; c++) {
        const V class = VB_SET1(c);
        V sum = VB_SET1(0);
        V_UNROLL for (int k = 0; k < n; k++) sum = VB_COUNT_EQ(sum, label[k], class);
        V_STORE(b->count[c], sum);
    }
}

/* Sets G[c], c < 4, to the energies of class `from` + c at the codes q[0..VI_LANES). */
WS_INLINE void look_up(const row *r, int from, const uint16_t *q, V G[4]) {
    const int32_t *table = r->p->table + from;
    VF rows[4];
    V_UNROLL for (int i = 0; i < 4; i++) {
        const float *at[VP_QUADS]; /* integers that are moved as floats */
        V_UNROLL for (int k = 0; k < VP_QUADS; k++) at[k] =
            (const float *)(const void *)(table + q[4 * k + i] * r->width);
        rows[i] = VP_LOADS(at, 0);
    }
    VP_TRANSPOSE(rows);
    V_UNROLL for (int c = 0; c < 4; c++) G[c] = VI_OF_VF(rows[c]);
}

/* The classes that VI_LANES voxels would change to. */
typedef struct moves {
    _Alignas(WS_ALIGN) int32_t to[VI_LANES];
    _Alignas(WS_ALIGN) int32_t fall[VI_LANES];
} moves;

/* Decides voxels j .. j + VI_LANES - 1, which are number `lane` and following of the block; returns the bits of those
 * that change. */
WS_INLINE uint32_t decide(const row *r, const int random, size_t j, const block *b, size_t lane, moves *m) {
    const V label = VI_OF_BYTES(r->label + j), weight = VI_SET1(r->weight);
    V own = VI_SET1(NO_CLASS), best = VI_SET1(INT32_MAX), to = own;
    if (random) {
        const uint32_t K = (uint32_t)r->K;
        for (size_t l = 0; l < VI_LANES; l++)
            m->to[l] = (int32_t)ws_mrf_proposal(r->p->conf->seed, r->i + (j + l) * r->step, r->p->sweep, K);
        to = V_LOAD(m->to);
    }
    for (int from = 0; from < r->K; from += 4) {
        V G[4];
        look_up(r, from, r->q + j, G);
        V_UNROLL for (int k = 0; k < 4; k++) {
            if (from + k >= r->K) break;
            const V class = VI_SET1(from + k);
            const V E = VI_SUB(G[k], VI_MUL(weight, VI_OF_BYTES(b->count[from + k] + lane)));
            const VIM wins = random ? VI_EQ(class, to) : VI_GT(best, E);
            best = VIM_PICK(wins, E, best);
            if (!random) to = VIM_PICK(wins, class, to);
            own = VIM_PICK(VI_EQ(class, label), E, own);
        }
    }
    const V fall = VI_SUB(own, best);
    V_STORE(m->to, to);
    V_STORE(m->fall, fall);
    return VIM_BITS(VI_GT(fall, VI_SET1(r->xi)));
}

WS_INLINE void sweep_row(const row *r, const int n, const int random, size_t size, ws_mrf_tally *t) {
    block b;
    moves m;
    for (size_t j = 0; j < size; j += VI_LANES) {
        if (j % VB_LANES == 0 && !VB_ANY_GT_U(VB_SET1(WS_MRF_OUTSIDE), V_LOADU(r->label + j))) {
            j += VB_LANES - VI_LANES; /* all of them outside of the mask */
            continue;
        }
        if (j % VB_LANES == 0) count(r, n, j, &b);
        uint32_t bits = decide(r, random, j, &b, j % VB_LANES, &m);
        if (size - j < VI_LANES) bits &= (1u << (size - j)) - 1;
        for (; bits; bits &= bits - 1) {
            const int l = __builtin_ctz(bits);
            uint8_t *label = &r->label[j + (size_t)l];
            ws_mrf_move(t, r->q[j + (size_t)l], *label, m.to[l], m.fall[l]);
            *label = (uint8_t)m.to[l];
        }
    }
}

typedef void sweep_fn(const row *r, size_t size, ws_mrf_tally *t);
#define SWEEP(n, colours, reach) \
    static void sweep_##n(const row *r, size_t size, ws_mrf_tally *t) { \
        if (r->p->conf->rule == WS_MRF_RANDOM) sweep_row(r, n, 1, size, t); \
        else sweep_row(r, n, 0, size, t); \
    }
WS_MRF_NEIGHBOURHOODS(SWEEP)

static sweep_fn *sweep_of(int size) {
#define SWEEP_IF(n, colours, reach) if (size == n) return sweep_##n;
    WS_MRF_NEIGHBOURHOODS(SWEEP_IF)
    return NULL;
}

static void pass(const ws_mrf_pass *p, size_t first, size_t last, ws_mrf_tally *t) {
    const ws_mrf_conf *conf = p->conf;
    ws_mrf_volume *v = p->v;
    const ws_mrf_neighbourhood *around = ws_mrf_neighbourhood_of(conf->neighbours);
    sweep_fn *const sweep = sweep_of(around->size);
    row r = {.p = p, .K = conf->K, .width = ws_mrf_width(conf->K), .weight = conf->in - conf->out, .xi = conf->xi,
             .step = 2 * v->step[0]};
    for (size_t number = first; number < last; number++) {
        const size_t y = number % v->Y, z = number / v->Y;
        const int h = ws_mrf_half_of(around->colours, p->colour, y, z);
        if (h < 0) continue;
        r.q = v->code + ws_mrf_code_at(v, h, y, z);
        r.label = v->label + ws_mrf_row_at(v, h, y, z);
        r.i = ws_mrf_number(v, h, y, z);
        ws_mrf_neighbours(v, around, h, y, z, r.at);
        sweep(&r, ws_mrf_half_size(v, h), t);
    }
}

const ws_mrf_body V_FACE(ws_mrf_) = {.pass = pass};
