// SPDX-License-Identifier: MIT
// Forward on CUDA devices, a warp a sequence: the operations of kernels/fwd/README.md in its order, to the last bit.
//
// Contents: 1 parameters and layout; 2 kernels; 3 launcher; 4 the backend

#include "kernels/fwd/configs.h"
#include "lib/cascade/gpu_score.cuh"

extern "C" {
#include "kernels/fwd/fwd.h"
}

#include <limits.h>
#include <math.h>
#include <string.h>

// ---- 1 parameters and layout ----
//
// Lane z of the warp holds nodes z*Q + 1 .. z*Q + Q. Tables come four nodes at a time as [chunk][..][lane] of float4, so that
// a warp reads 512 bytes in a row.

enum { DD, MD, MM, DM, IM, II, MI, BM, PD, NCOEF }; // PD: what comes into the lane as D, times this, reaches the node

struct fwd_task {
    const float4 *emit; // [chunk][code][lane]
    const float4 *coef; // [coefficient][chunk][lane]
    const float *link;  // [level][lane]
    const ws_devitem *item;
    uint32_t n, first;
    int Q;
};

struct fwd_score {
    float end; // C times pmove
    int32_t exponent;
};

struct fwd_args {
    const fwd_task *task;
    const ws_devunit *unit;
    uint32_t nunit;
    const uint32_t *word;
    const ws_devseq *seq;
    fwd_score *score;
    int rounds;     // sequences of a warp, one after another
    float *scratch; // rows of the general kernel, `room` floats a warp
    size_t room;
};

enum { WARPS = 4, THREADS = 32 * WARPS, THREADS_LONG = 256 }; // of the general kernel; of those for long models

// ---- 2 kernels ----

__device__ __forceinline__ float part(const float4 &q, int j) { return j == 0 ? q.x : j == 1 ? q.y : j == 2 ? q.z : q.w; }

// N, B, C (J is C at every step) and the exponent taken out of all; the same in every lane.
struct fwd_specials {
    float N, B, C;
    int exponent;

    __device__ __forceinline__ void begin(const ws_devseq &s) {
        N = 1.0f;
        B = s.pmove;
        C = 0.0f;
        exponent = 0;
    }
    // E of each lane; returns what the row has to be scaled by, 1 for not at all
    __device__ __forceinline__ float row(const ws_devseq &s, float e) {
#pragma unroll
        for (int off = 16; off; off /= 2) e = __fadd_rn(e, __shfl_xor_sync(~0u, e, off));
        N = __fmul_rn(N, s.ploop);
        C = __fmaf_rn(C, s.ploop, __fmul_rn(e, 0.5f));
        B = __fmaf_rn(C, s.pmove, __fmul_rn(N, s.pmove));
        if (!(e >= WS_FWD_BIG)) return 1.0f;
        const int power = (__float_as_int(e) >> 23) - 127;
        const float by = __int_as_float((127 - power) << 23);
        N = __fmul_rn(N, by);
        C = __fmul_rn(C, by);
        B = __fmul_rn(B, by);
        exponent += power;
        return by;
    }
};

// Inclusive scan over the lanes, then what comes into this lane from those before. The links of lanes that have no lane so
// far before them are 0.
__device__ __forceinline__ float come_in(float a, const float link[WS_FWD_LEVELS], int z) {
#pragma unroll
    for (int level = 0; level < WS_FWD_LEVELS; level++) a = __fmaf_rn(link[level], __shfl_up_sync(~0u, a, 1 << level), a);
    a = __shfl_up_sync(~0u, a, 1);
    return z ? a : 0.0f;
}

// Coefficients: the first KEPT in registers, the others in shared memory.
template <int Q, int KEPT> struct fwd_coef {
    float kept[KEPT ? KEPT : 1][Q];
    const float4 *rest; // [coefficient - KEPT][chunk][lane], from this lane on

    __device__ __forceinline__ float get(int i, int q) const {
        return i < KEPT ? kept[i][q] : part(rest[((i - KEPT) * ((Q + 3) / 4) + q / 4) * 32], q & 3);
    }
};

template <int Q, int KEPT> struct fwd_state {
    float X[Q], I[Q];

    __device__ __forceinline__ void row(const fwd_coef<Q, KEPT> &c, const float4 *o, const float link[WS_FWD_LEVELS], const ws_devseq &seq,
                                        fwd_specials &s, int z) {
        float M[Q], D[Q], in = __shfl_up_sync(~0u, X[Q - 1], 1), d = 0.0f, e = 0.0f;
        if (z == 0) in = 0.0f;
#pragma unroll
        for (int q = 0; q < Q; q++) {
            M[q] = __fmul_rn(__fmaf_rn(s.B, c.get(BM, q), q ? X[q - 1] : in), part(o[q / 4 * WS_CODES * 32], q & 3));
            D[q] = d;
            d = __fmaf_rn(d, c.get(DD, q), __fmul_rn(M[q], c.get(MD, q)));
            e = __fadd_rn(e, M[q]);
        }
        in = come_in(d, link, z);
#pragma unroll
        for (int q = 0; q < Q; q++) {
            D[q] = __fmaf_rn(in, c.get(PD, q), D[q]);
            e = __fadd_rn(e, D[q]);
            X[q] = __fmaf_rn(D[q], c.get(DM, q), __fmaf_rn(I[q], c.get(IM, q), __fmul_rn(M[q], c.get(MM, q))));
            I[q] = __fmaf_rn(M[q], c.get(MI, q), __fmul_rn(I[q], c.get(II, q)));
        }
        const float by = s.row(seq, e);
        if (by == 1.0f) return;
#pragma unroll
        for (int q = 0; q < Q; q++) {
            X[q] = __fmul_rn(X[q], by);
            I[q] = __fmul_rn(I[q], by);
        }
    }
};

template <int Q> __global__ void __launch_bounds__(32 * WS_FWD_WARPS(Q)) ws_fwd_kernel(const fwd_args a) {
    constexpr int KEPT = WS_FWD_KEPT(Q), CHUNKS = (Q + 3) / 4, BLOCK = 32 * WS_FWD_WARPS(Q);
    extern __shared__ float4 shared[];
    const ws_devunit unit = a.unit[blockIdx.x];
    const fwd_task t = a.task[unit.task];
    const int z = threadIdx.x % 32, warp = threadIdx.x / 32;
    float4 *rest = shared + CHUNKS * WS_CODES * 32;
    for (int i = threadIdx.x; i < CHUNKS * WS_CODES * 32; i += BLOCK) shared[i] = t.emit[i];
    for (int i = threadIdx.x; i < (NCOEF - KEPT) * CHUNKS * 32; i += BLOCK) rest[i] = t.coef[KEPT * CHUNKS * 32 + i];
    __syncthreads();
    fwd_coef<Q, KEPT> c;
    float link[WS_FWD_LEVELS];
    c.rest = rest + z;
#pragma unroll
    for (int i = 0; i < KEPT; i++)
#pragma unroll
        for (int q = 0; q < Q; q++) c.kept[i][q] = ((const float *)t.coef)[((i * CHUNKS + q / 4) * 32 + z) * 4 + q % 4];
#pragma unroll
    for (int i = 0; i < WS_FWD_LEVELS; i++) link[i] = t.link[i * 32 + z];

    for (int round = 0; round < a.rounds; round++) {
        const uint32_t place = (unit.chunk * (uint32_t)a.rounds + (uint32_t)round) * WS_FWD_WARPS(Q) + (uint32_t)warp;
        if (place >= t.n) return;
        const ws_devitem item = t.item[place];
        const ws_devseq seq = a.seq[item.seq];
        ws_fetch fetch;
        fwd_state<Q, KEPT> s;
        fwd_specials sp;
        fetch.begin(a.word + seq.first, item.words);
        sp.begin(seq);
#pragma unroll
        for (int q = 0; q < Q; q++) s.X[q] = s.I[q] = 0.0f;
        for (uint32_t left = seq.len; left;) {
            uint32_t codes = fetch.get();
            const uint32_t n = min(left, 6u);
            left -= n;
#pragma unroll 1
            for (uint32_t i = 0; i < n; i++, codes >>= 5) s.row(c, shared + (codes & 31u) * 32 + z, link, seq, sp, z);
        }
        if (z == 0) a.score[t.first + item.out] = {__fmul_rn(sp.C, seq.pmove), sp.exponent};
    }
}

// Longer models: the emission table through the cache, all coefficients in shared memory. Q is up to 8 less than QT. Up to
// QT = 48 a row's M and D stay in registers between its two passes, beyond they are worked out twice.
template <int QT> struct fwd_long_state {
    static constexpr bool KEEP = QT <= 48;
    float X[QT], I[QT], last; // last: X of the lane's last node

    // o: the residue's row of the table from this lane on; c: the coefficients, likewise, [coefficient][chunk]
    __device__ __forceinline__ void row(const float4 *c, const float4 *o, int Q, const float link[WS_FWD_LEVELS], const ws_devseq &seq,
                                        fwd_specials &s, int z) {
        const int chunks = (Q + 3) / 4;
        float M[KEEP ? QT : 1], D[KEEP ? QT : 1];
        float before = __shfl_up_sync(~0u, last, 1), d = 0.0f, e = 0.0f;
        if (z == 0) before = 0.0f;
        const float first = before;
        auto get = [&](int i, int k) { return c[(i * chunks + k) * 32]; };
        auto match = [&](int q, const float4 &em, const float4 &bm, const float4 &md, const float4 &dd) {
            const float m = __fmul_rn(__fmaf_rn(s.B, part(bm, q & 3), before), part(em, q & 3));
            before = X[q];
            d = __fmaf_rn(d, part(dd, q & 3), __fmul_rn(m, part(md, q & 3)));
            return m;
        };
#pragma unroll
        for (int k = 0; k < QT / 4; k++) {
            if (4 * k >= QT - 8 && 4 * k >= Q) continue;
            const float4 em = o[k * WS_CODES * 32], bm = get(BM, k), md = get(MD, k), dd = get(DD, k);
#pragma unroll
            for (int q = 4 * k; q < 4 * k + 4; q++) {
                if (q >= QT - 8 && q >= Q) continue;
                if (KEEP) D[q] = d;
                const float m = match(q, em, bm, md, dd);
                if (KEEP) M[q] = m;
                e = __fadd_rn(e, m);
            }
        }
        const float in = come_in(d, link, z);
        before = first;
        d = 0.0f;
#pragma unroll
        for (int k = 0; k < QT / 4; k++) {
            if (4 * k >= QT - 8 && 4 * k >= Q) continue;
            const float4 mm = get(MM, k), dm = get(DM, k), im = get(IM, k), ii = get(II, k), mi = get(MI, k), pd = get(PD, k);
            float4 em = {}, bm = {}, md = {}, dd = {};
            if (!KEEP) em = o[k * WS_CODES * 32], bm = get(BM, k), md = get(MD, k), dd = get(DD, k);
#pragma unroll
            for (int q = 4 * k; q < 4 * k + 4; q++) {
                if (q >= QT - 8 && q >= Q) continue;
                const float from_m = KEEP ? D[KEEP ? q : 0] : d, m = KEEP ? M[KEEP ? q : 0] : match(q, em, bm, md, dd);
                const float del = __fmaf_rn(in, part(pd, q & 3), from_m);
                e = __fadd_rn(e, del);
                X[q] = last = __fmaf_rn(del, part(dm, q & 3), __fmaf_rn(I[q], part(im, q & 3), __fmul_rn(m, part(mm, q & 3))));
                I[q] = __fmaf_rn(m, part(mi, q & 3), __fmul_rn(I[q], part(ii, q & 3)));
            }
        }
        const float by = s.row(seq, e);
        if (by == 1.0f) return;
        last = __fmul_rn(last, by);
#pragma unroll
        for (int q = 0; q < QT; q++) {
            X[q] = __fmul_rn(X[q], by);
            I[q] = __fmul_rn(I[q], by);
        }
    }
};

template <int QT> __global__ void __launch_bounds__(THREADS_LONG) ws_fwd_long_kernel(const fwd_args a) {
    extern __shared__ float4 shared[];
    const ws_devunit unit = a.unit[blockIdx.x];
    const fwd_task t = a.task[unit.task];
    const int z = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int i = threadIdx.x; i < NCOEF * ((t.Q + 3) / 4) * 32; i += THREADS_LONG) shared[i] = t.coef[i];
    __syncthreads();
    float link[WS_FWD_LEVELS];
#pragma unroll
    for (int i = 0; i < WS_FWD_LEVELS; i++) link[i] = t.link[i * 32 + z];
    for (int round = 0; round < a.rounds; round++) {
        const uint32_t place = (unit.chunk * (uint32_t)a.rounds + (uint32_t)round) * (THREADS_LONG / 32) + (uint32_t)warp;
        if (place >= t.n) return;
        const ws_devitem item = t.item[place];
        const ws_devseq seq = a.seq[item.seq];
        ws_fetch fetch;
        fwd_long_state<QT> s;
        fwd_specials sp;
        fetch.begin(a.word + seq.first, item.words);
        sp.begin(seq);
        s.last = 0.0f;
#pragma unroll
        for (int q = 0; q < QT; q++) s.X[q] = s.I[q] = 0.0f;
        for (uint32_t left = seq.len; left;) {
            uint32_t codes = fetch.get();
            const uint32_t n = min(left, 6u);
            left -= n;
#pragma unroll 1
            for (uint32_t i = 0; i < n; i++, codes >>= 5) s.row(shared + z, t.emit + (codes & 31u) * 32 + z, t.Q, link, seq, sp, z);
        }
        if (z == 0) a.score[t.first + item.out] = {__fmul_rn(sp.C, seq.pmove), sp.exponent};
    }
}

// Any Q: rows in device memory, everything through the cache.
__global__ void __launch_bounds__(THREADS) ws_fwd_general_kernel(const fwd_args a) {
    const int z = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (uint32_t u = blockIdx.x; u < a.nunit; u += gridDim.x) {
        const ws_devunit unit = a.unit[u];
        const fwd_task t = a.task[unit.task];
        const uint32_t place = unit.chunk * WARPS + (uint32_t)warp;
        if (place >= t.n) continue;
        const int Q = t.Q, chunks = (Q + 3) / 4;
        const ws_devitem item = t.item[place];
        const ws_devseq seq = a.seq[item.seq];
        float *X = a.scratch + a.room * (blockIdx.x * WARPS + (size_t)warp) + z, *I = X + 32 * Q, *M = I + 32 * Q, *D = M + 32 * Q;
        const float *coef = (const float *)(t.coef + z);
        float link[WS_FWD_LEVELS];
        for (int i = 0; i < WS_FWD_LEVELS; i++) link[i] = t.link[i * 32 + z];
        auto get = [&](int i, int q) { return coef[(i * chunks + q / 4) * 128 + q % 4]; };
        ws_fetch fetch;
        fwd_specials sp;
        fetch.begin(a.word + seq.first, item.words);
        sp.begin(seq);
        for (int q = 0; q < Q; q++) X[32 * q] = I[32 * q] = 0.0f;
        uint32_t codes = 0;
        for (uint32_t i = 0; i < seq.len; i++, codes >>= 5) {
            if (i % 6 == 0) codes = fetch.get();
            const float *o = (const float *)(t.emit + (codes & 31u) * 32 + z);
            float before = __shfl_up_sync(~0u, X[32 * (Q - 1)], 1), d = 0.0f, e = 0.0f;
            if (z == 0) before = 0.0f;
            for (int q = 0; q < Q; q++) {
                const float x = X[32 * q];
                const float m = __fmul_rn(__fmaf_rn(sp.B, get(BM, q), before), o[q / 4 * WS_CODES * 128 + q % 4]);
                before = x;
                M[32 * q] = m;
                D[32 * q] = d;
                d = __fmaf_rn(d, get(DD, q), __fmul_rn(m, get(MD, q)));
                e = __fadd_rn(e, m);
            }
            const float in = come_in(d, link, z);
            for (int q = 0; q < Q; q++) {
                const float m = M[32 * q], ins = I[32 * q], del = __fmaf_rn(in, get(PD, q), D[32 * q]);
                e = __fadd_rn(e, del);
                X[32 * q] = __fmaf_rn(del, get(DM, q), __fmaf_rn(ins, get(IM, q), __fmul_rn(m, get(MM, q))));
                I[32 * q] = __fmaf_rn(m, get(MI, q), __fmul_rn(ins, get(II, q)));
            }
            const float by = sp.row(seq, e);
            for (int q = 0; q < Q && by != 1.0f; q++) {
                X[32 * q] = __fmul_rn(X[32 * q], by);
                I[32 * q] = __fmul_rn(I[32 * q], by);
            }
        }
        if (z == 0) a.score[t.first + item.out] = {__fmul_rn(sp.C, seq.pmove), sp.exponent};
    }
}

// ---- 3 launcher ----

typedef void fwd_fn(fwd_args);
struct fwd_shape {
    int least_q, most_q, threads;
    int coefs; // whose tables stand in shared memory; -1: nothing does
    bool emit; // the emission table does
    fwd_fn *fn;
    const char *name;
};

#define FWD_SHAPE(Q) {Q, Q, 32 * WS_FWD_WARPS(Q), NCOEF - WS_FWD_KEPT(Q), true, ws_fwd_kernel<Q>, "ws_fwd_kernel<" #Q ">"},
#define FWD_LONG(QT) {QT - 7, QT, THREADS_LONG, NCOEF, false, ws_fwd_long_kernel<QT>, "ws_fwd_long_kernel<" #QT ">"},
static const fwd_shape shapes[] = {
    WS_FWD_EACH_Q(FWD_SHAPE) WS_FWD_EACH_LONG(FWD_LONG){WS_FWD_LONGEST + 1, INT_MAX, THREADS, 0, false, NULL, "ws_fwd_general_kernel"}};

struct fwd_prep {
    ws_devtable emit, coef, link;
    int Q;
};

static fwd_prep *prep_of(const ws_task *t) { return (fwd_prep *)const_cast<void *>(t->prep); }

struct fwd_call { // what a call needs of the host's memory
    ws_devtable **table;
    ws_devlist *list;
    fwd_task *task;
    uint32_t *pick, *per_block;
    ws_units units;
};

// As in vit: so that loading the coefficients does not weigh.
static int rounds_of(const ws_devlane *l, const fwd_call *c, size_t n) {
    double warps = 0;
    for (size_t i = 0; i < n; i++) warps += c->list[c->pick[i]].n;
    const double each = warps / (l->dev->sms * 32);
    return each < 1 ? 1 : each > 8 ? 8 : (int)each;
}

static int launch_general(ws_devlane *l, fwd_args a, int longest, ws_err *err) {
    const uint32_t most = (uint32_t)l->dev->sms * 2, blocks = a.nunit < most ? a.nunit : most;
    void *scratch = NULL;
    a.room = (size_t)longest * 32 * 4;
    int rc = ws_lane_alloc(l, a.room * sizeof(float) * blocks * WARPS, &scratch, err);
    if (rc) return rc;
    a.scratch = (float *)scratch;
    ws_fwd_general_kernel<<<blocks, THREADS, 0, l->stream>>>(a);
    return ws_lane_launched(l, "ws_fwd_general_kernel", err);
}

// The tasks of one shape.
static int queue_shape(ws_devlane *l, fwd_call *c, fwd_args a, const fwd_shape *sh, const ws_task *task, size_t ntask, ws_err *err) {
    size_t n = 0;
    int longest = 0;
    for (size_t t = 0; t < ntask; t++) {
        const int Q = prep_of(&task[t])->Q;
        if (Q < sh->least_q || Q > sh->most_q) continue;
        longest = Q > longest ? Q : longest;
        c->pick[n++] = (uint32_t)t;
    }
    if (n == 0) return WS_OK;
    a.rounds = sh->fn ? rounds_of(l, c, n) : 1;
    for (size_t i = 0; i < n; i++) c->per_block[i] = (uint32_t)(sh->threads / 32 * a.rounds);
    c->units.n = 0;
    void *units = NULL;
    int rc = ws_units_make(&c->units, c->list, c->pick, c->per_block, n, err);
    if (!rc) rc = ws_lane_put(l, c->units.unit, c->units.n * sizeof(ws_devunit), &units, err);
    if (rc || c->units.n == 0) return rc;
    a.unit = (const ws_devunit *)units;
    a.nunit = (uint32_t)c->units.n;
    if (!sh->fn) return launch_general(l, a, longest, err);
    const size_t shared = (size_t)((longest + 3) / 4) * 512 * (size_t)((sh->emit ? WS_CODES : 0) + sh->coefs);
    rc = ws_cuda_shared((const void *)sh->fn, shared, sh->name, err);
    if (rc) return rc;
    sh->fn<<<a.nunit, (unsigned)sh->threads, shared, l->stream>>>(a);
    return ws_lane_launched(l, sh->name, err);
}

// ---- 4 the backend ----

static void release(void *p) {
    fwd_prep *me = (fwd_prep *)p;
    if (!me) return;
    ws_table_destroy(&me->emit);
    ws_table_destroy(&me->coef);
    ws_table_destroy(&me->link);
    ws_free(me);
}

static int make_tables(fwd_prep *p, const ws_fwd_tables *t, ws_err *err) {
    const int Q = t->Q, chunks = (Q + 3) / 4;
    const float *from[NCOEF] = {t->tr[WS_PDD], t->tr[WS_PMD], t->tr[WS_PMM], t->tr[WS_PDM], t->tr[WS_PIM],
                                t->tr[WS_PII], t->tr[WS_PMI], t->tr[WS_PBM], t->pd};
    int rc = ws_table_create(&p->emit, (size_t)chunks * WS_CODES * 512, err);
    if (!rc) rc = ws_table_create(&p->coef, (size_t)chunks * NCOEF * 512, err);
    if (!rc) rc = ws_table_create(&p->link, sizeof t->link, err);
    if (rc) return rc;
    float *emit = (float *)p->emit.host, *coef = (float *)p->coef.host;
    for (int z = 0; z < 32; z++)
        for (int q = 0; q < Q; q++) {
            const size_t k = (size_t)(z * Q + q + 1);
            const size_t in = (size_t)(4 * z + q % 4);
            for (int x = 0; x < t->Kp; x++) emit[(size_t)(q / 4 * WS_CODES + x) * 128 + in] = t->emit[(size_t)x * ((size_t)t->N + 1) + k];
            for (int i = 0; i < NCOEF; i++) coef[(size_t)(i * chunks + q / 4) * 128 + in] = from[i][k];
        }
    memcpy(p->link.host, t->link, sizeof t->link);
    return WS_OK;
}

static int prepare(const ws_target *target, void **out, ws_err *err) {
    const ws_hmm_target *h = (const ws_hmm_target *)target->data;
    fwd_prep *me = (fwd_prep *)ws_calloc(1, sizeof *me, err);
    ws_fwd_tables t;
    *out = NULL;
    if (!me) return WS_ENOMEM;
    int rc = ws_fwd_tables_create(&t, &h->profile, err);
    if (!rc) {
        me->Q = t.Q;
        rc = make_tables(me, &t, err);
        ws_fwd_tables_destroy(&t);
    }
    if (rc) release(me);
    else *out = me;
    return rc;
}

static int queue(ws_devlane *l, const ws_batch *b, const ws_task *task, const uint32_t *first, size_t ntask, ws_err *err) {
    fwd_call c = {};
    void *tasks = NULL;
    int rc = WS_ENOMEM;
    if (!(c.table = (ws_devtable **)ws_calloc(3 * ntask, sizeof *c.table, err))) goto out;
    if (!(c.list = (ws_devlist *)ws_calloc(ntask, sizeof *c.list, err))) goto out;
    if (!(c.task = (fwd_task *)ws_calloc(ntask, sizeof *c.task, err))) goto out;
    if (!(c.pick = (uint32_t *)ws_calloc(2 * ntask, sizeof *c.pick, err))) goto out;
    c.per_block = c.pick + ntask;
    for (size_t t = 0; t < ntask; t++) {
        c.table[3 * t] = &prep_of(&task[t])->emit;
        c.table[3 * t + 1] = &prep_of(&task[t])->coef;
        c.table[3 * t + 2] = &prep_of(&task[t])->link;
    }
    rc = ws_lane_tables(l, c.table, 3 * ntask, err);
    if (!rc) rc = ws_gpu_lists(l, b, task, ntask, false, c.list, err);
    for (size_t t = 0; t < ntask && !rc; t++) {
        const fwd_prep *p = prep_of(&task[t]);
        const int d = l->dev->index;
        c.task[t] = {(const float4 *)p->emit.at[d], (const float4 *)p->coef.at[d], (const float *)p->link.at[d], c.list[t].item,
                     c.list[t].n, first[t], p->Q};
    }
    if (!rc) rc = ws_lane_put(l, c.task, ntask * sizeof *c.task, &tasks, err);
    {
        const fwd_args a = {(const fwd_task *)tasks, NULL, 0, ws_gpu_words(l), ws_gpu_seqs(l), (fwd_score *)l->out.p,
                            1, NULL, 0};
        for (const fwd_shape &sh : shapes)
            if (!rc) rc = queue_shape(l, &c, a, &sh, task, ntask, err);
    }
out:
    ws_free(c.table);
    ws_free(c.list);
    ws_free(c.task);
    ws_free(c.pick);
    ws_free(c.units.unit);
    return rc;
}

// The logarithm is the host's, so that it is the same one.
static ws_fscore decode(const void *, const ws_lenmodel *, const void *raw) {
    fwd_score s;
    memcpy(&s, raw, sizeof s);
    if (!(s.end > 0.0f)) return {-INFINITY, WS_F_UNDERFLOW};
    return {(float)((double)s.exponent * 0.69314718055994529 + log((double)s.end)), WS_F_OK};
}

static bool on_host(const void *) { return false; }

static const ws_devkernel kernel = {8, queue, decode, NULL, NULL, on_host, NULL};

static int score(const ws_batch *b, const ws_task *task, size_t ntask, ws_lane *lane, ws_err *err) {
    return ws_dev_score(&kernel, b, task, ntask, lane, err);
}

const ws_backend ws_fwd_cuda = ws_dev_backend(prepare, release, score, 6e9);
