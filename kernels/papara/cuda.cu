// SPDX-License-Identifier: MIT
// papara-score on CUDA devices: 16 lanes to a read, two edges to a register.
//
// 1 the kernel   2 launches   3 the backend
#include <cuda_runtime.h>

#include <string.h>

extern "C" {
#include "kernels/papara/papara.h"
}
#include "lib/dev/stream.cuh"
#include "lib/run/dev_backend.cuh"

enum { GROUP = 16, THREADS = 256, MOST_SITES = 12800, MOST_COST = 127, MOST_SCORE = 15000, FAR = 20000 };

// ---- 1 the kernel ----

// A lane holds J residues of the read in registers. Lane z computes site i in step i + z. Values for the next column
// pass from lane to lane by a shuffle. Reads end in the last column of the last lane. The columns before their first
// residue match everything at no cost, which gives the border T(i,0) = 0.
//
// The costs of a site are two words, one for each edge, with a byte for each nucleotide. One byte permutation turns
// them into the pair of 16-bit costs of a residue. The kernel keeps only the selector of this
// permutation for a residue.
struct papara_args {
    const uint64_t *bit;    // planes
    const uint8_t *residue; // [read][J * GROUP] 0-3, 8 before the first residue
    const uint16_t *length; // [read]
    uint32_t *out;          // [read][pair] costs of two edges
    uint32_t reads, pairs, sites, per_block;
    uint32_t match, mismatch, cgap, del_open, del_extend, ins_open, ins_extend;
};

__device__ __forceinline__ uint32_t both(uint32_t x) { return x | x << 16; }

// Returns the bytes of {y, x} that the nibbles of s select. A nibble of 8 or more selects the sign of a byte, which is
// 0 for costs. The intrinsic __byte_perm reads only three bits of each nibble.
__device__ __forceinline__ uint32_t choose_bytes(uint32_t x, uint32_t y, uint32_t s) {
    uint32_t r;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(s));
    return r;
}

// Returns the costs of the four nucleotides at one site of one edge.
__device__ __forceinline__ uint32_t site_costs(const papara_args &a, const uint64_t *w, uint32_t bit, uint32_t *cgap) {
    uint32_t word = 0;
    *cgap = (uint32_t)(w[4] >> bit) & 1;
    for (int b = 0; b < 4; b++) word |= (((w[b] >> bit) & 1 ? 0 : a.mismatch) + (*cgap ? a.cgap : 0)) << 8 * b;
    return word;
}

__device__ __forceinline__ void stage_sites(const papara_args &a, uint32_t pair, uint4 *site) {
    const uint32_t edge = 2 * pair, bit = edge % WS_PAPARA_GROUP;
    for (uint32_t i = threadIdx.x; i < a.sites; i += THREADS) {
        const uint64_t *w = a.bit + ((size_t)(edge / WS_PAPARA_GROUP) * a.sites + i) * 5;
        uint32_t lo, hi;
        const uint32_t x = site_costs(a, w, bit, &lo), y = site_costs(a, w, bit + 1, &hi);
        site[i] = make_uint4(x, y, (lo ? 0 : a.del_open) | (hi ? 0 : a.del_open) << 16,
                             (lo ? 0 : a.del_extend) | (hi ? 0 : a.del_extend) << 16);
    }
    __syncthreads();
}

template <int J> struct strip { // state of a lane
    uint32_t T[J], H[J], choose[J], diagonal, best, v;

    __device__ __forceinline__ void step(const uint4 q, uint32_t io, uint32_t ix, uint32_t left, uint32_t left_v) {
        uint32_t d = diagonal;
        diagonal = left;
        v = left_v;
#pragma unroll
        for (int c = 0; c < J; c++) {
            const uint32_t h = __viaddmin_s16x2(T[c], q.z, __vadd2(H[c], q.w));
            const uint32_t w = __viaddmin_s16x2(d, choose_bytes(q.x, q.y, choose[c]), h);
            d = T[c];
            T[c] = __vmins2(w, v);
            v = __viaddmin_s16x2(w, io, __vadd2(v, ix));
            H[c] = h;
        }
        best = __vmins2(best, T[J - 1]);
    }
};

template <int J> __global__ void __launch_bounds__(THREADS) ws_papara_kernel(papara_args a) {
    extern __shared__ uint4 site[];
    const uint32_t pair = blockIdx.x % a.pairs, from = blockIdx.x / a.pairs * a.per_block;
    const uint32_t to = min(from + a.per_block, a.reads), z = threadIdx.x % GROUP;
    const uint32_t io = both(a.ins_open), ix = both(a.ins_extend);
    stage_sites(a, pair, site);
    for (uint32_t base = from; base < to; base += THREADS / GROUP) {
        const uint32_t mine = base + threadIdx.x / GROUP, r = min(mine, to - 1);
        const int m = a.length[r], before = J * GROUP - m, at = (int)z * J;
        strip<J> s;
#pragma unroll
        for (int c = 0; c < J; c++) {
            const uint32_t b = a.residue[(size_t)r * (J * GROUP) + at + c];
            s.choose[c] = b < 4 ? 0x8480u + b * 0x101u : 0x8888u;
            s.T[c] = both(a.match * max(at + c + 1 - before, 0));
            s.H[c] = both(FAR);
        }
        s.diagonal = both(a.match * max(at - before, 0));
        s.best = both(FAR);
        s.v = 0;
        uint32_t left = 0, left_v = io;
        const int n = (int)a.sites;
        for (int t = 0; t < n + GROUP - 1; t++) {
            const int i = t - (int)z;
            if (i >= 0 && i < n) s.step(site[i], io, ix, left, left_v);
            left = __shfl_up_sync(~0u, s.T[J - 1], 1, GROUP);
            left_v = __shfl_up_sync(~0u, s.v, 1, GROUP);
            if (z == 0) left = 0, left_v = io;
        }
        uint32_t best = __vmins2(z == GROUP - 1 ? s.best : both(FAR), both(a.match * (uint32_t)m));
#pragma unroll
        for (int c = 0; c < J; c++) {
            const int j = at + c + 1 - before;
            if (j > 0) best = __vmins2(best, __vadd2(s.T[c], both(a.match * (uint32_t)(m - j))));
        }
#pragma unroll
        for (int k = 1; k < GROUP; k *= 2) best = __vmins2(best, __shfl_xor_sync(~0u, best, k, GROUP));
        if (z == 0 && mine < to) a.out[(size_t)r * a.pairs + pair] = best;
    }
}

// ---- 2 launches ----

typedef void kernel_fn(papara_args);
static const struct shape {
    int J;
    kernel_fn *fn;
} shapes[] = {{2, ws_papara_kernel<2>},   {4, ws_papara_kernel<4>},   {6, ws_papara_kernel<6>},
              {7, ws_papara_kernel<7>},   {8, ws_papara_kernel<8>},   {9, ws_papara_kernel<9>},
              {10, ws_papara_kernel<10>}, {12, ws_papara_kernel<12>}, {16, ws_papara_kernel<16>},
              {20, ws_papara_kernel<20>}, {32, ws_papara_kernel<32>}};
enum { NSHAPE = sizeof shapes / sizeof shapes[0], MOST_RESIDUES = 32 * GROUP, MOST_OUT = 64 << 20 };

struct papara_prep {
    const ws_papara_ref *ref;
    ws_devtable bits;
    bool device; // the device has kernels for this alphabet, model and size
    ws_papara_cost_fn *cost; // the CPU's function, for reads that the device does not take
};

// One strand of a read of the task.
struct papara_query {
    size_t item;
    uint16_t m;
    uint8_t shape;
    uint32_t row;     // index of its costs in the output
    uint8_t *residue; // [m]
};

static int shape_of(size_t m) {
    int k = 0;
    while ((size_t)shapes[k].J * GROUP < m) k++;
    return k;
}

static int launch(ws_devstream *l, const papara_prep *p, int k, const papara_query *const *q, uint32_t n,
                  uint32_t first, ws_err *err) {
    const ws_papara_scheme *s = &p->ref->scheme;
    const ws_papara_edges *e = &p->ref->edges;
    const size_t width = (size_t)shapes[k].J * GROUP, shared = e->sites * sizeof(uint4);
    uint8_t *residue = (uint8_t *)ws_calloc(n, width, err);
    uint16_t *length = (uint16_t *)ws_calloc(n, sizeof *length, err);
    void *dresidue = NULL, *dlength = NULL;
    int rc = residue && length ? WS_OK : WS_ENOMEM;
    for (uint32_t i = 0; i < n && !rc; i++) {
        memset(residue + i * width, 8, width - q[i]->m);
        memcpy(residue + (i + 1) * width - q[i]->m, q[i]->residue, q[i]->m);
        length[i] = q[i]->m;
    }
    if (!rc) rc = ws_devstream_put(l, residue, n * width, &dresidue, err);
    if (!rc) rc = ws_devstream_put(l, length, n * sizeof *length, &dlength, err);
    ws_free(residue);
    ws_free(length);
    if (!rc) rc = ws_cuda_shared(l->dev, (const void *)shapes[k].fn, shared, "ws_papara_kernel", err);
    if (rc) return rc;
    const uint32_t pairs = (uint32_t)((e->nedge + 1) / 2);
    // Enough blocks to fill the device a few times, and enough reads in each block to pay for loading its sites.
    const uint32_t wanted = (uint32_t)l->dev->sms * 32 / pairs + 1, least = THREADS / GROUP;
    uint32_t per_block = (n + wanted - 1) / wanted;
    per_block = (per_block + least - 1) / least * least;
    if (per_block > 256) per_block = 256;
    papara_args a = {(const uint64_t *)p->bits.at[l->dev->index],
                     (const uint8_t *)dresidue,
                     (const uint16_t *)dlength,
                     (uint32_t *)l->out.p + (size_t)first * pairs,
                     n,
                     pairs,
                     (uint32_t)e->sites,
                     per_block,
                     (uint32_t)s->match,
                     (uint32_t)s->mismatch,
                     (uint32_t)s->cgap,
                     (uint32_t)s->del_open,
                     (uint32_t)s->del_extend,
                     (uint32_t)s->ins_open,
                     (uint32_t)s->ins_extend};
    shapes[k].fn<<<pairs *((n + per_block - 1) / per_block), THREADS, shared, l->stream>>>(a);
    return ws_devstream_launched(l, "ws_papara_kernel", err);
}

// Runs n queries. Their costs are in the stream's result buffer, row by row, pairs * 4 bytes each. Returns WS_EDEV on
// failure.
static int run(ws_devstream *l, const papara_prep *p, papara_query *q, size_t n, const papara_query **order,
               ws_err *err) {
    const size_t row = (p->ref->edges.nedge + 1) / 2 * sizeof(uint32_t);
    ws_devtable *table = const_cast<ws_devtable *>(&p->bits);
    uint32_t next = 0;
    int rc = ws_devstream_tables(l, &table, 1, err);
    if (!rc) rc = ws_devstream_room(l, &l->out, n * row, err);
    if (!rc) rc = ws_cuda_check(cudaEventRecord(l->start, l->stream), "recording an event", err);
    for (int k = 0; k < NSHAPE && !rc; k++) {
        const uint32_t first = next;
        for (size_t i = 0; i < n; i++) {
            if (q[i].shape != k) continue;
            q[i].row = next;
            order[next++] = &q[i];
        }
        if (next > first) rc = launch(l, p, k, order + first, next - first, first, err);
    }
    if (!rc) rc = ws_cuda_check(cudaEventRecord(l->end, l->stream), "recording an event", err);
    if (!rc) rc = ws_devstream_fetch(l, l->out.p, n * row, err);
    if (!rc) rc = ws_devstream_sync(l, err);
    if (!rc) ws_devstream_clock(l);
    return rc;
}

// ---- 3 the backend ----

static bool fits(const papara_prep *p, const ws_papara_read *r) {
    if (!p->device || r->m == 0 || r->m > MOST_RESIDUES || (int64_t)p->ref->scheme.match * (int64_t)r->m > MOST_SCORE)
        return false;
    for (size_t j = 0; j < r->m; j++)
        if (r->mask[j] & (r->mask[j] - 1)) return false;
    return true;
}

// Ranks the device's costs of a read, and keeps the better of its one or two strands.
static void finish(const papara_prep *p, const char *back, const papara_query *q, int strands, int64_t *cost,
                   ws_papara_score *score) {
    const size_t nedge = p->ref->edges.nedge, row = (nedge + 1) / 2 * 2;
    for (int k = 0; k < strands; k++) {
        const uint16_t *from = (const uint16_t *)(const void *)back + (size_t)q[k].row * row;
        ws_papara_score one = {};
        one.len = q[k].m;
        one.reverse = k;
        for (size_t e = 0; e < nedge; e++) cost[e] = from[e];
        ws_papara_rank(cost, nedge, &one);
        if (k == 0 || one.cost[0] < score->cost[0]) *score = one;
    }
}

struct gather { // queries of a task for one call
    papara_query *q;
    const papara_query **order;
    uint8_t *residues;
    size_t n, at;
};

static void add_query(gather *g, size_t item, const uint32_t *mask, size_t m) {
    papara_query *q = &g->q[g->n++];
    *q = {item, (uint16_t)m, (uint8_t)shape_of(m), 0, g->residues + g->at};
    for (size_t j = 0; j < m; j++) q->residue[j] = (uint8_t)__builtin_ctz(mask[j]);
    g->at += m;
}

// Takes items [from, to): those for the device go to g, and the CPU scores the others at once.
static int gather_items(gather *g, const papara_prep *p, const ws_seqs *seqs, const ws_task *t, size_t from, size_t to,
                        ws_buf *scratch, ws_err *err) {
    ws_papara_score *score = (ws_papara_score *)t->score;
    g->n = g->at = 0;
    for (size_t j = from; j < to; j++) {
        const size_t i = ws_task_item(t, j);
        ws_papara_read r;
        score[j] = {};
        if (p->ref->deferred) continue;
        int rc = ws_papara_read_begin(&r, p->ref, ws_seqs_codes(seqs, i), seqs->len[i], scratch, err);
        if (rc) return rc;
        if (!fits(p, &r)) {
            ws_papara_read_score(&r, p->cost, &score[j]);
            continue;
        }
        add_query(g, j, r.mask, r.m);
        if (!p->ref->both_strands) continue;
        ws_papara_reverse(r.mask, r.m);
        add_query(g, j, r.mask, r.m);
    }
    return WS_OK;
}

static int score_items(gather *g, const papara_prep *p, const ws_seqs *seqs, const ws_task *t, size_t from, size_t to,
                       ws_buf *scratch, ws_err *err) {
    const int strands = p->ref->both_strands ? 2 : 1;
    ws_devstream *l;
    int rc = gather_items(g, p, seqs, t, from, to, scratch, err);
    if (rc || g->n == 0) return rc;
    int64_t *cost = (int64_t *)ws_calloc(p->ref->edges.nedge, sizeof *cost, err);
    rc = cost ? WS_OK : WS_ENOMEM;
    bool again = !rc;
    while (again && !(rc = ws_devstream_take(&l, 0, err))) {
        rc = run(l, p, g->q, g->n, g->order, err);
        for (size_t k = 0; k < g->n && !rc; k += (size_t)strands)
            finish(p, (const char *)l->back.p, g->q + k, strands, cost, (ws_papara_score *)t->score + g->q[k].item);
        again = ws_devstream_give(l, rc, err);
    }
    ws_free(cost);
    return rc;
}

static int score_task(const ws_seqs *seqs, const ws_task *t, ws_buf *scratch, ws_err *err) {
    const papara_prep *p = (const papara_prep *)t->prep;
    const size_t strands = p->ref->both_strands ? 2 : 1, row = (p->ref->edges.nedge + 1) / 2 * 4 * strands;
    const size_t step = ws_max(1, MOST_OUT / row), most = ws_min(step, t->n);
    size_t residues = 0;
    for (size_t j = 0; j < t->n; j++) residues += seqs->len[ws_task_item(t, j)];
    gather g = {};
    g.q = (papara_query *)ws_calloc(most * strands, sizeof *g.q, err);
    g.order = (const papara_query **)ws_calloc(most * strands, sizeof *g.order, err);
    g.residues = (uint8_t *)ws_calloc(residues * strands, 1, err);
    int rc = g.q && g.order && g.residues ? WS_OK : WS_ENOMEM;
    for (size_t from = 0; from < t->n && !rc; from += step)
        rc = score_items(&g, p, seqs, t, from, ws_min(from + step, t->n), scratch, err);
    ws_free(g.q);
    ws_free(g.order);
    ws_free(g.residues);
    return rc;
}

static int score(const ws_seqs *seqs, const ws_task *task, size_t ntask, ws_buf *scratch, ws_err *err) {
    int rc = WS_OK;
    for (size_t t = 0; t < ntask && !rc; t++) rc = score_task(seqs, &task[t], scratch, err);
    return rc;
}

static void release(void *prep) {
    papara_prep *p = (papara_prep *)prep;
    if (!p) return;
    ws_devtable_destroy(&p->bits);
    ws_free(p);
}

static bool device_knows(const ws_papara_ref *ref) {
    const ws_papara_scheme *s = &ref->scheme;
    return s->model == WS_PAPARA_2 && ref->edges.nstate == 4 && ref->edges.sites <= MOST_SITES &&
           s->mismatch + s->cgap <= MOST_COST && s->del_open <= MOST_COST && s->ins_open <= MOST_COST;
}

static int prepare(const ws_backend *, const ws_target *t, void **out, ws_err *err) {
    const ws_papara_ref *ref = (const ws_papara_ref *)t->data;
    papara_prep *p = (papara_prep *)ws_calloc(1, sizeof *p, err);
    const size_t size = ref->edges.ngroup * ref->edges.sites * ((size_t)ref->edges.nstate + 1) * sizeof(uint64_t);
    *out = NULL;
    if (!p) return WS_ENOMEM;
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    p->cost = ws_papara_cost_best(&cpu);
    p->ref = ref;
    p->device = device_knows(ref);
    int rc = p->device ? ws_devtable_create(&p->bits, size, err) : WS_OK;
    if (rc) {
        release(p);
        return rc;
    }
    if (p->device) memcpy(p->bits.host, ref->edges.bit, size);
    *out = p;
    return WS_OK;
}

static constexpr ws_backend make_backend() {
    ws_backend b = ws_dev_backend(prepare, release, score, 7e10);
    b.max_tasks = 1;
    b.batch = WS_POLICY_DEVICE_PLACED;
    return b;
}
extern "C" const ws_backend ws_papara_cuda = make_backend();
