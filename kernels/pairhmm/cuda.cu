// SPDX-License-Identifier: MIT
// Pair-HMM on a device: single precision, the operations of ref.c in its order.
//
// P threads share a pair, each owns K rows of the read in registers; the haplotype passes by, a column a step. What a thread hands
// to the rows below it, y and i of its last row, goes to the next thread by a shuffle, which works on that column one step later.

#include "kernels/pairhmm/gpu.h"
#include "lib/dev/lane.cuh"

// ---- parameters ----

struct alike { // constants of a read whose gap qualities are alike
    float eps, dy, iy, ii, ii_last; // of all rows but the last, II of the last
};

struct tables { // everything a kernel reads, on the device
    uint8_t *letter; // those of haplotypes become 0 A, 1 C, 2 T, 3 G, 4 N
    const uint8_t *quality, *gap;
    const ws_pairhmm_gpu_read *read;
    const ws_pairhmm_gpu_hap *hap;
    const ws_pairhmm_gpu_pair *pair;
    float *match, *mismatch;      // [nrow]
    float *eps, *dy, *iy, *ii;    // [ngap]
    alike *fixed;
    float *y0;
    double *correction, *total; // by read, by pair
    float2 *column; // of long reads: y and i of a strip's last row, `pitch` of them for each pair
    uint32_t nread;
};

enum { CODES = 5, WARPS = 2 };

// Programmatic dependent launch, from compute capability 9.0 on: the kernel behind this one may start once all blocks have said so;
// what it computes counts as done after this one.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
static __device__ __forceinline__ void next_may_start() { cudaTriggerProgrammaticLaunchCompletion(); }
static __device__ __forceinline__ void last_is_done() { cudaGridDependencySynchronize(); }
#else
static __device__ __forceinline__ void next_may_start() {}
static __device__ __forceinline__ void last_is_done() {}
#endif

// ---- kernels ----

#define ROWS_FN static __device__ __forceinline__
#include "kernels/pairhmm/rows.inc.h"

// Four letters a thread.
static __global__ void codes(uint32_t *letter, size_t words) {
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= words) return;
    uint32_t four = 0;
    for (int z = 0; z < 4; z++) {
        const uint32_t c = letter[i] >> 8 * z & 31;
        four |= (c == 1 ? 0u : c == 3 ? 1u : c == 20 ? 2u : c == 7 ? 3u : 4u) << 8 * z;
    }
    letter[i] = four;
}

// A warp a read, a lane a row. The correction is summed row by row, as on the host.
static __global__ void rows(tables g, const ws_pairhmm_quals *quals) {
    __shared__ ws_pairhmm_quals shared;
    for (unsigned i = threadIdx.x; i < sizeof shared / sizeof(double); i += blockDim.x)
        ((double *)&shared)[i] = ((const double *)quals)[i];
    __syncthreads();
    const uint32_t k = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (k >= g.nread) return;
    const ws_pairhmm_gpu_read r = g.read[k];
    const ws_pairhmm_quals *t = &shared;
    const uint32_t fours = (r.m + WS_PAIRHMM_FOUR - 1) / WS_PAIRHMM_FOUR * WS_PAIRHMM_FOUR;
    const uint8_t *gap = g.gap + 3 * (size_t)r.gap; // three strings
    if (r.m == 0) { // the host's
        if (lane == 0) g.correction[k] = 0;
        return;
    }
    int ins = r.ins - 33, del = r.del - 33, gcp = r.gcp - 33, clamped = 0;
    double correction = 0, alpha = alpha_of(t, ins, del, &clamped), over = 1 / alpha;
    for (uint32_t from = 0; from < r.m; from += 32) {
        const uint32_t i = from + lane;
        double error = 0;
        if (i >= r.m && i < fours) {
            g.match[r.at + i] = g.mismatch[r.at + i] = 0;
            if (r.unalike) g.eps[r.gap + i] = g.dy[r.gap + i] = g.iy[r.gap + i] = g.ii[r.gap + i] = 0;
        }
        if (i < r.m) {
            if (r.unalike) {
                ins = gap[i] - 33, del = gap[fours + i] - 33, gcp = gap[2 * fours + i] - 33;
                alpha = alpha_of(t, ins, del, &clamped);
                over = 1 / alpha;
            }
            const int q = g.quality[r.at + i] - 33;
            const double match = t->match[q] * alpha;
            g.match[r.at + i] = (float)match;
            g.mismatch[r.at + i] = (float)(t->e[q] * (1.0 / 3) * alpha);
            error = error_of(match, t->over_match[q] * over);
            if (r.unalike) {
                step s = {0, 0, t->e[ins]};
                if (i + 1 < r.m) {
                    const int ins1 = gap[i + 1] - 33, del1 = gap[fours + i + 1] - 33;
                    s = step_of(t, ins, del, ins1, gap[2 * fours + i + 1] - 33, 1 / alpha_of(t, ins1, del1, &clamped));
                }
                g.eps[r.gap + i] = (float)t->e[gcp];
                g.dy[r.gap + i] = (float)s.dy;
                g.iy[r.gap + i] = (float)s.iy;
                g.ii[r.gap + i] = (float)s.ii;
            } else if (i == 0) {
                const step s = step_of(t, ins, del, ins, gcp, over);
                g.fixed[k] = {(float)t->e[gcp], (float)s.dy, (float)s.iy, (float)s.ii, (float)t->e[ins]};
            }
            if (i == 0) g.y0[k] = (float)(START_SINGLE * ((1 - t->e[gcp]) * over));
        }
        for (int z = 0; z < 32 && from + z < r.m; z++) correction += __shfl_sync(0xffffffffu, error, z);
    }
    clamped = __any_sync(0xffffffffu, clamped);
    if (lane == 0) g.correction[k] = clamped ? __longlong_as_double(0x7ff8000000000000ll) : correction;
}

// Of the pairs of a warp: a thread's K rows as K/4 vectors, the threads of as many pairs as fill a line of shared memory side by
// side. A load meets eight threads at a time, each with a letter of its own; all letters stand in the same banks.
template <int P, int K> struct emissions {
    static constexpr int W = P < 8 ? 8 : P;
    float4 e[32 / W][CODES][K / 4][W];
};

// U: the gap qualities are the same from end to end, so that three constants of all rows are one.
template <int K, bool U> struct state {
    static constexpr int N = U ? 1 : K;
    float eps[N], dy[N], iy[N], ii[K], least[K], d[K], m[K], y[K];
};

// A thread's rows, row0 the first: constants into registers, emissions into shared memory. Rows beyond the end hand i on; with U
// their y is not what it is elsewhere, but finite (see uniform() in gpu.c), and their emissions are 0.
template <int P, int K, bool U>
static __device__ __forceinline__ void load(const tables &g, const ws_pairhmm_gpu_read &r, const alike *fixed, uint32_t row0, float4 *e,
                                            state<K, U> &s) {
    constexpr int W = emissions<P, K>::W;
    const alike all = U ? *fixed : alike{};
    if (U) s.eps[0] = all.eps, s.dy[0] = all.dy, s.iy[0] = all.iy;
#pragma unroll
    for (int q = 0; q < K / 4; q++) {
        const uint32_t row = row0 + 4 * q; // four rows that are there together, or not
        const bool in = row < r.m;
        const float4 zero = make_float4(0, 0, 0, 0);
        const float4 hit = in ? *(const float4 *)(g.match + r.at + row) : zero;
        const float4 miss = in ? *(const float4 *)(g.mismatch + r.at + row) : zero;
        const uint32_t letters = in ? *(const uint32_t *)(g.letter + r.at + row) : 0;
        if (!U) {
            float *const to[] = {s.eps, s.dy, s.iy, s.ii};
            const float *const from[] = {g.eps, g.dy, g.iy, g.ii};
#pragma unroll
            for (int a = 0; a < 4; a++) {
                const float4 four = in ? *(const float4 *)(from[a] + r.gap + row) : zero;
                const float v[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
                for (int z = 0; z < 4; z++) to[a][4 * q + z] = row + z < r.m ? v[z] : a == 3 ? 1 : 0; // behind the end stands nothing
            }
        }
#pragma unroll
        for (int z = 0; z < 4; z++) {
            const int k = 4 * q + z;
            if (U) s.ii[k] = row + z + 1 < r.m ? all.ii : row + z < r.m ? all.ii_last : 1;
            s.least[k] = row + z < r.m ? (float)LEAST_M_SINGLE : 0;
            s.d[k] = s.m[k] = s.y[k] = 0;
        }
#pragma unroll
        for (int c = 0; c < CODES; c++) {
            const uint32_t other = c == 0 ? 1 : c == 1 ? 3 : c == 2 ? 20 : c == 3 ? 7 : 14;
            const float h[4] = {hit.x, hit.y, hit.z, hit.w}, x[4] = {miss.x, miss.y, miss.z, miss.w};
            float v[4];
#pragma unroll
            for (int z = 0; z < 4; z++) {
                const uint32_t letter = letters >> 8 * z & 31;
                v[z] = letter == other || letter == 14 || other == 14 ? h[z] : x[z];
            }
            e[(c * (K / 4) + q) * W] = make_float4(v[0], v[1], v[2], v[3]);
        }
    }
}

// One column through a thread's rows.
template <int P, int K, bool U>
static __device__ __forceinline__ void column(const float4 *e, state<K, U> &s, float &y, float &i) {
#pragma unroll
    for (int q = 0; q < K / 4; q++) {
        const float4 v = e[q * emissions<P, K>::W];
        const float lambda[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int z = 0; z < 4; z++) {
            const int k = 4 * q + z, c = U ? 0 : k;
            const float m = __fmaf_rn(lambda[z], s.y[k], s.least[k]);
            s.d[k] = __fmaf_rn(s.eps[c], s.d[k], s.m[k]);
            s.y[k] = y;
            y = __fmaf_rn(s.iy[c], i, __fmaf_rn(s.dy[c], s.d[k], m));
            i = __fmaf_rn(s.ii[k], i, m);
            s.m[k] = m;
        }
    }
}

static __device__ __forceinline__ int warp_max(int x) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(0xffffffffu, x);
#else
    for (int d = 16; d; d /= 2) x = max(x, __shfl_xor_sync(0xffffffffu, x, d));
    return x;
#endif
}

struct walk { // where a thread is in its pair
    float y0;
    int n, j, letter; // columns; this step's, from 0, and its letter
    float y, i, part; // of the row above; sum of the last row since the last whole chunk
    double total;
    const uint32_t *word, *end; // letters
    uint32_t ahead;
};

static __device__ __forceinline__ void begin(walk &w, const tables &g, const ws_pairhmm_gpu_hap &h, int t) {
    w.n = (int)h.n;
    w.j = -t;
    w.letter = 0;
    w.y = w.i = w.part = 0;
    w.total = 0;
    w.word = (const uint32_t *)(g.letter + h.at);
    w.end = w.word + (h.n + 3) / 4;
    w.ahead = *w.word;
}

// The letters that thread 0 meets in the next four steps.
static __device__ __forceinline__ uint32_t next_four(walk &w) {
    const uint32_t four = w.ahead;
    w.ahead = ++w.word < w.end ? *w.word : 0;
    return four;
}

// y and i that enter the first row of a strip of a long read, 32 columns in the lanes of a warp, and the next 32; and where those
// that leave its last row go, NULL if nowhere. In place: what is written lies 31 columns behind what is read.
struct strip {
    float2 in, ahead, *out;
};

// Four steps. BEGIN: a thread may stand before its first column, where nothing is to be done. `whole`: a chunk of columns ends.
template <int P, int K, bool U, bool LONG, bool BEGIN>
static __device__ __forceinline__ void four_steps(const float4 *e, uint32_t four, int t, int step, state<K, U> &s, walk &w,
                                                  const strip &b) {
    const unsigned all = 0xffffffffu;
#pragma unroll
    for (int z = 0; z < 4; z++, w.j++) {
        w.y = __shfl_up_sync(all, w.y, 1, P);
        w.i = __shfl_up_sync(all, w.i, 1, P);
        w.letter = __shfl_up_sync(all, w.letter, 1, P);
        const float y = LONG ? __shfl_sync(all, b.in.x, (step + z) % 32) : w.y0, i = LONG ? __shfl_sync(all, b.in.y, (step + z) % 32) : 0;
        if (t == 0) {
            w.y = y;
            w.i = i;
            w.letter = four >> 8 * z & 7;
        }
        if (!BEGIN || w.j >= 0) {
            column<P, K, U>(e + w.letter * (K / 4 * emissions<P, K>::W), s, w.y, w.i);
            if (w.j < w.n) w.part = __fadd_rn(w.part, w.i);
            if (LONG && t == P - 1 && b.out && w.j < w.n) b.out[w.j] = make_float2(w.y, w.i);
        }
        if (z == 2 && (step + 4 - P) % WS_PAIRHMM_CHUNK == 0) { // the last thread's chunk; P % 4 = 0, so it ends at no other z
            w.total = __dadd_rn(w.total, (double)w.part);
            w.part = 0;
        }
    }
}

// A pair, or a strip of P*K rows of one. The sum is that of the thread with the last row; what the others sum is not used.
template <int P, int K, bool U, bool LONG>
static __device__ __forceinline__ void pass(const float4 *e, int t, int n, state<K, U> &s, walk &w, strip &b, bool first) {
    const int steps = n + P - 1;
    for (int step = 0; step < steps; step += 4) {
        const uint32_t four = next_four(w);
        if (LONG && !first && step % 32 == 0) {
            b.in = b.ahead;
            if (step + 32 + t < n) b.ahead = b.out[step + 32 + t];
        }
        if (step < P) four_steps<P, K, U, LONG, true>(e, four, t, step, s, w, b);
        else four_steps<P, K, U, LONG, false>(e, four, t, step, s, w, b);
    }
}

template <int P, int K, bool U> static __global__ void __launch_bounds__(32 * WARPS) sweep(tables g, uint32_t first, uint32_t last) {
    extern __shared__ float4 memory[];
    constexpr int W = emissions<P, K>::W;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, t = lane % P;
    float4 *e = &((emissions<P, K> *)memory)[warp].e[lane / W][0][0][lane % W];
    const uint32_t at = first + (blockIdx.x * WARPS + warp) * (32 / P) + lane / P;
    next_may_start();
    const ws_pairhmm_gpu_pair pair = g.pair[at < last ? at : last - 1];
    state<K, U> s;
    strip none = {};
    walk w;
    begin(w, g, g.hap[pair.hap], t);
    w.y0 = g.y0[pair.read];
    load<P, K, U>(g, g.read[pair.read], g.fixed + pair.read, t * K, e, s);
    __syncwarp();
    if (t == 0) s.y[0] = w.y0;
    pass<P, K, U, false>(e, t, warp_max(w.n), s, w, none, true);
    last_is_done();
    if (t == P - 1 && at < last) g.total[at] = __dadd_rn(w.total, (double)w.part);
}

// A warp a pair, strip after strip of the read.
template <int K, bool U>
static __global__ void __launch_bounds__(32 * WARPS) sweep_long(tables g, uint32_t first, uint32_t last, size_t pitch) {
    extern __shared__ float4 memory[];
    const int t = threadIdx.x % 32, warp = threadIdx.x / 32;
    float4 *e = &((emissions<32, K> *)memory)[warp].e[0][0][0][t];
    const uint32_t at = first + blockIdx.x * WARPS + warp;
    if (at >= last) return;
    const ws_pairhmm_gpu_pair pair = g.pair[at];
    const ws_pairhmm_gpu_read read = g.read[pair.read];
    const ws_pairhmm_gpu_hap hap = g.hap[pair.hap];
    float2 *column = g.column + (at - first) * pitch;
    walk w;
    w.y0 = g.y0[pair.read];
    for (uint32_t row = 0; row < read.m; row += 32 * K) {
        state<K, U> s;
        const bool more = row + 32 * K < read.m;
        __syncwarp(); // what the last strip wrote, to memory and for its letters
        load<32, K, U>(g, read, g.fixed + pair.read, row + t * K, e, s);
        __syncwarp();
        strip b = {make_float2(w.y0, 0), make_float2(0, 0), row || more ? column : NULL};
        begin(w, g, hap, t);
        if (row == 0 && t == 0) s.y[0] = w.y0;
        if (row && t < w.n) b.ahead = column[t];
        pass<32, K, U, true>(e, t, w.n, s, w, b, row == 0);
    }
    if (t == 31) g.total[at] = __dadd_rn(w.total, (double)w.part);
}

// ---- launcher ----

// A sweep may start while the one before it drains: classes are many and their last blocks few. `early`: that is possible, and what
// is in front of it is a sweep.
template <int P, int K, bool U>
static int launch(ws_devlane *l, const tables &g, const size_t *from, bool can, bool *early, ws_err *err) {
    const uint32_t first = (uint32_t)from[0], last = (uint32_t)from[1], a_block = WARPS * (32 / P);
    if (first == last) return WS_OK;
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = (last - first + a_block - 1) / a_block;
    config.blockDim = 32 * WARPS;
    config.dynamicSmemBytes = WARPS * sizeof(emissions<P, K>);
    config.stream = l->stream;
    config.attrs = &overlap;
    config.numAttrs = *early;
    *early = can;
    int rc = ws_cuda_fail(cudaLaunchKernelEx(&config, sweep<P, K, U>, g, first, last), "pairhmm", err);
    return rc ? rc : ws_lane_launched(l, "pairhmm", err);
}

// As many pairs at once as have room for their columns.
template <int K, bool U> static int launch_long(ws_devlane *l, const ws_pairhmm_gpu *p, const tables &g, const size_t *from, ws_err *err) {
    const size_t shared = WARPS * sizeof(emissions<32, K>);
    for (size_t first = from[0], n; first < from[1]; first += n) {
        size_t pitch;
        n = ws_pairhmm_gpu_together(p, first, from[1], &pitch);
        const uint32_t last = (uint32_t)(first + n), blocks = (uint32_t)((n + WARPS - 1) / WARPS);
        sweep_long<K, U><<<blocks, 32 * WARPS, shared, l->stream>>>(g, (uint32_t)first, last, pitch);
        int rc = ws_lane_launched(l, "pairhmm, long reads", err);
        if (rc) return rc;
    }
    return WS_OK;
}

static int launch_all(ws_devlane *l, const ws_pairhmm_gpu *p, const tables &g, const ws_pairhmm_quals *quals, ws_err *err) {
    enum { THREADS = 128 };
    const size_t words = (p->nletter - p->nrow) / 4, *from = p->first;
    int major;
    bool early = false; // the first waits for rows and letters
    int rc = ws_cuda_fail(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, l->dev->id), "asking for its capability", err);
    if (rc) return rc;
    rows<<<(g.nread + THREADS / 32 - 1) / (THREADS / 32), THREADS, 0, l->stream>>>(g, quals);
    rc = ws_lane_launched(l, "pairhmm rows", err);
    if (rc) return rc;
    codes<<<(unsigned)((words + THREADS - 1) / THREADS), THREADS, 0, l->stream>>>((uint32_t *)(g.letter + p->nrow), words);
    rc = ws_lane_launched(l, "pairhmm letters", err);
#define ALIKE(P, K)                                                                                                    \
    if (!rc) rc = launch<P, K, true>(l, g, from++, major >= 9, &early, err);
#define OTHER(P, K)                                                                                                    \
    if (!rc) rc = launch<P, K, false>(l, g, from++, major >= 9, &early, err);
    WS_PAIRHMM_ALIKE(ALIKE)
    WS_PAIRHMM_OTHERS(OTHER)
    if (!rc) rc = launch_long<28, true>(l, p, g, from++, err);
    if (!rc) rc = launch_long<20, false>(l, p, g, from, err);
    return rc;
}

// What a call needs on the device, so that it is reserved at once; and what of it is copied there.
static size_t sizes(const ws_pairhmm_gpu *p, size_t *copied) {
    enum { EACH = 256, ALLOCATIONS = 16 };
    *copied = p->nread * sizeof *p->read + p->nhap * sizeof *p->hap + p->npair * sizeof *p->pair + p->nletter + p->nrow + 3 * p->ngap +
              sizeof(ws_pairhmm_quals) + EACH * ALLOCATIONS;
    return *copied + (2 * p->nrow + 4 * p->ngap + p->nread) * sizeof(float) + p->nread * sizeof(alike) + p->ncolumn * sizeof(float2);
}

static int queue(ws_devlane *l, const ws_pairhmm_quals *quals, ws_pairhmm_gpu *p, size_t back, ws_err *err) {
    void *letter, *quality, *gap, *read, *hap, *pair, *row, *own, *fixed, *y0, *column, *q;
    size_t copied, all = sizes(p, &copied);
    tables g = {};
    int rc = ws_lane_expect(l, copied, err);
    if (!rc) rc = ws_lane_reserve(l, all, err);
    if (!rc) rc = ws_lane_put(l, p->letter, p->nletter, &letter, err);
    if (!rc) rc = ws_lane_put(l, p->quality, p->nrow, &quality, err);
    if (!rc) rc = ws_lane_put(l, p->gap, 3 * p->ngap, &gap, err);
    if (!rc) rc = ws_lane_put(l, p->read, p->nread * sizeof *p->read, &read, err);
    if (!rc) rc = ws_lane_put(l, p->hap, p->nhap * sizeof *p->hap, &hap, err);
    if (!rc) rc = ws_lane_put(l, p->pair, p->npair * sizeof *p->pair, &pair, err);
    if (!rc) rc = ws_lane_put(l, quals, sizeof *quals, &q, err);
    if (!rc) rc = ws_lane_alloc(l, 2 * p->nrow * sizeof(float), &row, err);
    if (!rc) rc = ws_lane_alloc(l, 4 * p->ngap * sizeof(float), &own, err);
    if (!rc) rc = ws_lane_alloc(l, p->nread * sizeof(alike), &fixed, err);
    if (!rc) rc = ws_lane_alloc(l, p->nread * sizeof(float), &y0, err);
    if (!rc) rc = ws_lane_alloc(l, p->ncolumn * sizeof(float2), &column, err);
    if (!rc) rc = ws_lane_room(l, &l->out, back, err);
    if (rc) return rc;
    g.letter = (uint8_t *)letter;
    g.quality = (const uint8_t *)quality;
    g.gap = (const uint8_t *)gap;
    g.read = (const ws_pairhmm_gpu_read *)read;
    g.hap = (const ws_pairhmm_gpu_hap *)hap;
    g.pair = (const ws_pairhmm_gpu_pair *)pair;
    g.match = (float *)row;
    g.mismatch = g.match + p->nrow;
    g.eps = (float *)own;
    g.dy = g.eps + p->ngap;
    g.iy = g.dy + p->ngap;
    g.ii = g.iy + p->ngap;
    g.fixed = (alike *)fixed;
    g.y0 = (float *)y0;
    g.column = (float2 *)column;
    g.total = (double *)l->out.p;
    g.correction = g.total + p->npair;
    g.nread = (uint32_t)p->nread;
    rc = ws_cuda_fail(cudaEventRecord(l->start, l->stream), "recording an event", err);
    if (!rc) rc = launch_all(l, p, g, (const ws_pairhmm_quals *)q, err);
    if (!rc) rc = ws_cuda_fail(cudaEventRecord(l->end, l->stream), "recording an event", err);
    return rc ? rc : ws_lane_fetch(l, l->out.p, back, err);
}

int ws_pairhmm_gpu_run(const ws_pairhmm_quals *quals, ws_pairhmm_gpu *p, ws_err *err) {
    const size_t back = (p->npair + p->nread) * sizeof(double);
    ws_devlane *l = NULL;
    if (!p->npair) return WS_OK;
    int rc = ws_lane_take(&l, 0, err);
    if (rc) return rc;
    l->id = 0;
    rc = queue(l, quals, p, back, err);
    if (!rc) rc = ws_lane_sync(l, err);
    if (!rc) ws_lane_clock(l);
    if (!rc) {
        const double *from = (const double *)l->back.p;
        for (size_t k = 0; k < p->npair; k++) p->total[p->result[k]] = from[k];
        memcpy(p->correction, from + p->npair, p->nread * sizeof *from);
    }
    ws_lane_give(l);
    return rc;
}
