// SPDX-License-Identifier: MIT
// Forward on CUDA devices: the kernels in which a warp owns a sequence. They do the operations of kernels/fwd/README.md
// in its order, so scores agree to the last bit.
//
// Contents: 1 parameters and layout; 2 kernels
#ifndef WS_FWD_DEVICE_CUH
#define WS_FWD_DEVICE_CUH

#include "kernels/fwd/shapes.cuh"
#include "kernels/filter/group.cuh"

extern "C" {
#include "kernels/fwd/fwd.h"
}

// ---- 1 parameters and layout ----
//
// Lane z of the warp holds nodes z*Q + 1 .. z*Q + Q. Tables hold four nodes in a float4, as [chunk][..][lane], so that
// a warp reads 512 consecutive bytes.

enum { DD, MD, MM, DM, IM, II, MI, BM, PD, NCOEF }; // PD: factor from the D that enters the lane to the D of the node

struct fwd_task {
    const float4 *emit; // [chunk][code][lane]
    const float4 *coef; // [coefficient][chunk][lane]
    const float *link;  // [level][lane]
    const ws_devitem *item;
    uint32_t n, first;
    int Q;
};

struct fwd_score {
    float end; // C times pmove, after the last row
    int32_t exponent;
};

typedef ws_devargs<fwd_task, fwd_score> fwd_args;

enum { THREADS_LONG = 256 }; // block size of the kernels for long models

// ---- 2 kernels ----

// Returns the index of the next sequence for a warp. Sequences are sorted, longest first; each free warp takes the
// next.
__device__ __forceinline__ uint32_t take(uint32_t *taken, int z) {
    uint32_t place = 0;
    if (z == 0) place = atomicAdd(taken, 1);
    return __shfl_sync(~0u, place, 0);
}

// Loads the links of lane z, for come_in.
__device__ __forceinline__ void load_links(const fwd_task &t, int z, float link[WS_FWD_LEVELS]) {
#pragma unroll
    for (int i = 0; i < WS_FWD_LEVELS; i++) link[i] = t.link[i * 32 + z];
}

// Calls row(code) for every residue of a sequence of len residues.
template <class F>
__device__ __forceinline__ void each_residue(const uint32_t *word, const ws_devitem &item, uint32_t len, F row) {
    ws_fetch fetch;
    fetch.begin(word, item.words);
    for (uint32_t left = len; left;) {
        uint32_t codes = fetch.get();
        const uint32_t n = min(left, 6u);
        left -= n;
#pragma unroll 1
        for (uint32_t i = 0; i < n; i++, codes >>= 5) row(codes & 31u);
    }
}

// N, B, C and the exponent taken out of all; every lane holds the same values. J equals C at every step.
struct fwd_specials {
    float N, B, C;
    int exponent;

    __device__ __forceinline__ void begin(const ws_devseq &s) {
        N = 1.0f;
        B = s.pmove;
        C = 0.0f;
        exponent = 0;
    }
    // Updates N, B and C after a row. e: E of each lane. Returns the factor by which the caller scales the row; 1 for
    // none.
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

// Returns the D that enters lane z from all lanes before, by an inclusive prefix scan. a: the D that leaves each lane.
// link[level] is 0 where no lane lies 2^level before.
__device__ __forceinline__ float come_in(float a, const float link[WS_FWD_LEVELS], int z) {
#pragma unroll
    for (int level = 0; level < WS_FWD_LEVELS; level++)
        a = __fmaf_rn(link[level], __shfl_up_sync(~0u, a, 1 << level), a);
    a = __shfl_up_sync(~0u, a, 1);
    return z ? a : 0.0f;
}

// Coefficients of a lane: the first KEPT in registers, the others in shared memory.
template <int Q, int KEPT> struct fwd_coef {
    float kept[KEPT ? KEPT : 1][Q];
    const float4 *rest; // [coefficient - KEPT][chunk][lane], beginning at this lane

    __device__ __forceinline__ float get(int i, int q) const {
        return i < KEPT ? kept[i][q] : ws_element(rest[((i - KEPT) * ((Q + 3) / 4) + q / 4) * 32], q & 3);
    }
};

template <int Q, int KEPT> struct fwd_state {
    float X[Q], I[Q];

    __device__ __forceinline__ void row(const fwd_coef<Q, KEPT> &c, const float4 *o, const float link[WS_FWD_LEVELS],
                                        const ws_devseq &seq, fwd_specials &s, int z) {
        float M[Q], D[Q], in = __shfl_up_sync(~0u, X[Q - 1], 1), d = 0.0f, e = 0.0f;
        if (z == 0) in = 0.0f;
#pragma unroll
        for (int q = 0; q < Q; q++) {
            M[q] =
                __fmul_rn(__fmaf_rn(s.B, c.get(BM, q), q ? X[q - 1] : in), ws_element(o[q / 4 * WS_CODES * 32], q & 3));
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

template <int Q> __global__ void __launch_bounds__(32 * WS_FWD_WARPS(Q)) ws_fwd_scores(const fwd_args a) {
    constexpr int KEPT = WS_FWD_KEPT(Q), CHUNKS = (Q + 3) / 4, BLOCK = 32 * WS_FWD_WARPS(Q);
    extern __shared__ float4 shared[];
    const ws_devunit unit = a.unit[blockIdx.x];
    const fwd_task t = a.task[unit.task];
    if (ws_work_over(a.taken + unit.task, t.n)) return;
    const int z = threadIdx.x % 32;
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
    load_links(t, z, link);

    for (uint32_t place; (place = take(a.taken + unit.task, z)) < t.n;) {
        const ws_devitem item = t.item[place];
        const ws_devseq seq = a.seq[item.seq];
        fwd_state<Q, KEPT> s;
        fwd_specials sp;
        sp.begin(seq);
#pragma unroll
        for (int q = 0; q < Q; q++) s.X[q] = s.I[q] = 0.0f;
        each_residue(a.word + seq.first, item, seq.len,
                     [&](uint32_t x) { s.row(c, shared + x * 32 + z, link, seq, sp, z); });
        if (z == 0) a.score[t.first + item.out] = {__fmul_rn(sp.C, seq.pmove), sp.exponent};
    }
}

// State of a row for longer models, or for one block's share of the nodes: Q nodes a lane, QT - 8 < Q <= QT. STEP is
// the distance between chunks in a residue's emissions. All coefficients are in shared memory. Up to QT = 48, M and D
// stay in registers between the two passes; beyond, the second pass computes them again.
template <int QT, int STEP> struct fwd_long_state {
    static constexpr bool KEEP = QT <= 48;
    float X[QT], I[QT], last; // last: X of the last node
    float M[KEEP ? QT : 1], D[KEEP ? QT : 1];

    __device__ __forceinline__ void begin() {
        last = 0.0f;
#pragma unroll
        for (int q = 0; q < QT; q++) X[q] = I[q] = 0.0f;
    }
    __device__ __forceinline__ float match(int q, float B, float &before, float &d, const float4 &em, const float4 &bm,
                                           const float4 &md, const float4 &dd) {
        const float m = __fmul_rn(__fmaf_rn(B, ws_element(bm, q & 3), before), ws_element(em, q & 3));
        before = X[q];
        d = __fmaf_rn(d, ws_element(dd, q & 3), __fmul_rn(m, ws_element(md, q & 3)));
        return m;
    }
    // Does the first pass: M, and D within the lane. o: the residue's emissions, c: coefficients [coefficient][chunk],
    // both beginning at this lane. before: X of the node before. d, e: D and E so far; on return they include these
    // nodes.
    __device__ __forceinline__ void matches(const float4 *c, const float4 *o, int Q, float B, float before, float &d,
                                            float &e) {
        const int chunks = (Q + 3) / 4;
        auto get = [&](int i, int k) { return c[(i * chunks + k) * 32]; };
#pragma unroll
        for (int k = 0; k < QT / 4; k++) {
            if (4 * k >= QT - 8 && 4 * k >= Q) continue;
            const float4 em = o[k * STEP], bm = get(BM, k), md = get(MD, k), dd = get(DD, k);
#pragma unroll
            for (int q = 4 * k; q < 4 * k + 4; q++) {
                if (q >= QT - 8 && q >= Q) continue;
                if (KEEP) D[q] = d;
                const float m = match(q, B, before, d, em, bm, md, dd);
                if (KEEP) M[q] = m;
                e = __fadd_rn(e, m);
            }
        }
    }
    // Does the second pass: D, X and I. before, d: as they entered the first pass; in: the D that enters the lane.
    __device__ __forceinline__ void deletes(const float4 *c, const float4 *o, int Q, float B, float before, float d,
                                            float in, float &e) {
        const int chunks = (Q + 3) / 4;
        auto get = [&](int i, int k) { return c[(i * chunks + k) * 32]; };
#pragma unroll
        for (int k = 0; k < QT / 4; k++) {
            if (4 * k >= QT - 8 && 4 * k >= Q) continue;
            const float4 mm = get(MM, k), dm = get(DM, k), im = get(IM, k), ii = get(II, k), mi = get(MI, k),
                         pd = get(PD, k);
            float4 em = {}, bm = {}, md = {}, dd = {};
            if (!KEEP) em = o[k * STEP], bm = get(BM, k), md = get(MD, k), dd = get(DD, k);
#pragma unroll
            for (int q = 4 * k; q < 4 * k + 4; q++) {
                if (q >= QT - 8 && q >= Q) continue;
                const float from_m = KEEP ? D[KEEP ? q : 0] : d,
                            m = KEEP ? M[KEEP ? q : 0] : match(q, B, before, d, em, bm, md, dd);
                const float del = __fmaf_rn(in, ws_element(pd, q & 3), from_m);
                e = __fadd_rn(e, del);
                const float rest = __fmaf_rn(I[q], ws_element(im, q & 3), __fmul_rn(m, ws_element(mm, q & 3)));
                X[q] = last = __fmaf_rn(del, ws_element(dm, q & 3), rest);
                I[q] = __fmaf_rn(m, ws_element(mi, q & 3), __fmul_rn(I[q], ws_element(ii, q & 3)));
            }
        }
    }
    __device__ __forceinline__ void scale(float by) {
        last = __fmul_rn(last, by);
#pragma unroll
        for (int q = 0; q < QT; q++) {
            X[q] = __fmul_rn(X[q], by);
            I[q] = __fmul_rn(I[q], by);
        }
    }
    __device__ __forceinline__ void row(const float4 *c, const float4 *o, int Q, const float link[WS_FWD_LEVELS],
                                        const ws_devseq &seq, fwd_specials &s, int z) {
        float before = __shfl_up_sync(~0u, last, 1), d = 0.0f, e = 0.0f;
        if (z == 0) before = 0.0f;
        matches(c, o, Q, s.B, before, d, e);
        const float in = come_in(d, link, z);
        deletes(c, o, Q, s.B, before, 0.0f, in, e);
        const float by = s.row(seq, e);
        if (by != 1.0f) scale(by);
    }
};

template <int QT> __global__ void __launch_bounds__(THREADS_LONG) ws_fwd_scores_long(const fwd_args a) {
    extern __shared__ float4 shared[];
    const ws_devunit unit = a.unit[blockIdx.x];
    const fwd_task t = a.task[unit.task];
    if (ws_work_over(a.taken + unit.task, t.n)) return;
    const int z = threadIdx.x % 32;
    for (int i = threadIdx.x; i < NCOEF * ((t.Q + 3) / 4) * 32; i += THREADS_LONG) shared[i] = t.coef[i];
    __syncthreads();
    float link[WS_FWD_LEVELS];
    load_links(t, z, link);
    for (uint32_t place; (place = take(a.taken + unit.task, z)) < t.n;) {
        const ws_devitem item = t.item[place];
        const ws_devseq seq = a.seq[item.seq];
        fwd_long_state<QT, WS_CODES * 32> s; // the kernel reads the table through the cache
        fwd_specials sp;
        sp.begin(seq);
        s.begin();
        each_residue(a.word + seq.first, item, seq.len,
                     [&](uint32_t x) { s.row(shared + z, t.emit + x * 32 + z, t.Q, link, seq, sp, z); });
        if (z == 0) a.score[t.first + item.out] = {__fmul_rn(sp.C, seq.pmove), sp.exponent};
    }
}

#endif
