// SPDX-License-Identifier: MIT
// Pair-HMM on a device, single and double precision: the operations of ref.c in its order.
//
// P threads share a pair, and each holds K rows of the read in registers. In each step a thread computes one column of
// the haplotype. It passes y and i of its last row to the next thread by a shuffle; that thread computes the same
// column one step later.

#include "kernels/pairhmm/gpu.h"
#include "lib/dev/stream.cuh"

// ---- parameters ----

template <class T> struct alike { // constants of a read whose gap qualities are equal in all rows
    T eps, dy, iy, ii, ii_last; // of all rows but the last; ii_last: II of the last row
};

template <class T> struct ends { // y and i of a row
    T y, i;
};

template <class T> struct tables { // all arrays that kernels read, on the device
    uint8_t *letter; // letters; those of haplotypes become 0 A, 1 C, 2 T, 3 G, 4 N
    const uint8_t *quality, *gap;
    const ws_pairhmm_gpu_read *read;
    const ws_pairhmm_gpu_hap *hap;
    const ws_pairhmm_gpu_pair *pair;
    const uint32_t *list; // reads whose rows a kernel must make
    T *match, *mismatch;      // [nrow]
    T *eps, *dy, *iy, *ii;    // [ngap]
    alike<T> *fixed;
    T *y0;
    double *correction, *total; // [read], [pair]
    ends<T> *column; // for long reads: y and i of a strip's last row, `pitch` columns for each pair
    uint32_t nlist;
};

// The 16 bytes that a thread loads at once.
template <class T> struct pack;
template <> struct pack<float> {
    static constexpr int N = 4;
    float4 x;
    __device__ __forceinline__ void split(float *v) const { v[0] = x.x, v[1] = x.y, v[2] = x.z, v[3] = x.w; }
    __device__ __forceinline__ void join(const float *v) { x = make_float4(v[0], v[1], v[2], v[3]); }
};
template <> struct pack<double> {
    static constexpr int N = 2;
    double2 x;
    __device__ __forceinline__ void split(double *v) const { v[0] = x.x, v[1] = x.y; }
    __device__ __forceinline__ void join(const double *v) { x = make_double2(v[0], v[1]); }
};

static __device__ __forceinline__ float fma_of(float a, float b, float c) { return __fmaf_rn(a, b, c); }
static __device__ __forceinline__ double fma_of(double a, double b, double c) { return __fma_rn(a, b, c); }
static __device__ __forceinline__ float add_of(float a, float b) { return __fadd_rn(a, b); }
static __device__ __forceinline__ double add_of(double a, double b) { return __dadd_rn(a, b); }

enum { CODES = 5, WARPS = 2 };

// Allows a programmatic dependent launch, from compute capability 9.0 on. The next kernel may start once all blocks
// have called this. It sees the results of this kernel only after its end.
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

// Translates four letters in each thread.
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

// Makes the rows of a read in a warp, one row a lane. Sums the correction (single precision) row by row, as the host
// does.
template <class T> static __global__ void rows(tables<T> g, const ws_pairhmm_quals *quals) {
    __shared__ ws_pairhmm_quals shared;
    for (unsigned i = threadIdx.x; i < sizeof shared / sizeof(double); i += blockDim.x)
        ((double *)&shared)[i] = ((const double *)quals)[i];
    __syncthreads();
    const uint32_t nth = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (nth >= g.nlist) return;
    const uint32_t k = g.list[nth];
    const ws_pairhmm_gpu_read r = g.read[k];
    const ws_pairhmm_quals *t = &shared;
    const uint32_t fours = (r.m + WS_PAIRHMM_FOUR - 1) / WS_PAIRHMM_FOUR * WS_PAIRHMM_FOUR;
    const uint8_t *gap = g.gap + 3 * (size_t)r.gap; // three strings
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
            g.match[r.at + i] = (T)match;
            g.mismatch[r.at + i] = (T)(t->e[q] * (1.0 / 3) * alpha);
            error = error_of(match, t->over_match[q] * over);
            if (r.unalike) {
                step s = {0, 0, t->e[ins]};
                if (i + 1 < r.m) {
                    const int ins1 = gap[i + 1] - 33, del1 = gap[fours + i + 1] - 33;
                    s = step_of(t, ins, del, ins1, gap[2 * fours + i + 1] - 33, 1 / alpha_of(t, ins1, del1, &clamped));
                }
                g.eps[r.gap + i] = (T)t->e[gcp];
                g.dy[r.gap + i] = (T)s.dy;
                g.iy[r.gap + i] = (T)s.iy;
                g.ii[r.gap + i] = (T)s.ii;
            } else if (i == 0) {
                const step s = step_of(t, ins, del, ins, gcp, over);
                g.fixed[k] = {(T)t->e[gcp], (T)s.dy, (T)s.iy, (T)s.ii, (T)t->e[ins]};
            }
            if (i == 0)
                g.y0[k] = (T)((sizeof(T) == sizeof(float) ? START_SINGLE : START_DOUBLE) * ((1 - t->e[gcp]) * over));
        }
        for (int z = 0; z < 32 && from + z < r.m; z++) correction += __shfl_sync(0xffffffffu, error, z);
    }
    clamped = __any_sync(0xffffffffu, clamped);
    if (lane == 0) g.correction[k] = clamped ? __longlong_as_double(0x7ff8000000000000ll) : correction;
}

// Emissions of a warp's pairs: a thread's K rows as vectors; threads of several pairs side by side fill a line of
// shared memory. A load serves eight threads at once, each with its own letter; all letters are in the same banks.
template <int P, int K, class T> struct emissions {
    static constexpr int W = P < 8 ? 8 : P, N = pack<T>::N;
    pack<T> e[32 / W][CODES][K / N][W];
};

// U: the gap qualities are equal in all rows, so three constants serve all rows.
template <int K, bool U, class T> struct state {
    static constexpr int N = U ? 1 : K;
    T eps[N], dy[N], iy[N], ii[K], least[K], d[K], m[K], y[K];
};

// Loads a thread's rows from row0 on: constants into registers, emissions into shared memory. Rows beyond the end pass
// i on. With U their y has another value, which is finite (see uniform() in gpu.c), and their emissions are 0.
template <int P, int K, bool U, class T>
static __device__ __forceinline__ void load(const tables<T> &g, const ws_pairhmm_gpu_read &r, const alike<T> *fixed,
                                            uint32_t row0, pack<T> *e, state<K, U, T> &s) {
    constexpr int W = emissions<P, K, T>::W, N = pack<T>::N;
    const T least = sizeof(T) == sizeof(float) ? (T)LEAST_M_SINGLE : (T)LEAST_M_DOUBLE;
    const alike<T> all = U ? *fixed : alike<T>{};
    if (U) s.eps[0] = all.eps, s.dy[0] = all.dy, s.iy[0] = all.iy;
#pragma unroll
    for (int q = 0; q < K / N; q++) {
        const uint32_t row = row0 + N * q; // the tables hold multiples of four rows
        const bool in = row < r.m;
        T hit[N] = {}, miss[N] = {};
        if (in) ((const pack<T> *)(g.match + r.at + row))->split(hit);
        if (in) ((const pack<T> *)(g.mismatch + r.at + row))->split(miss);
        const uint32_t letters = in ? *(const uint32_t *)(g.letter + r.at + row / 4 * 4) >> row % 4 * 8 : 0;
        if (!U) {
            T *const to[] = {s.eps, s.dy, s.iy, s.ii};
            const T *const from[] = {g.eps, g.dy, g.iy, g.ii};
#pragma unroll
            for (int a = 0; a < 4; a++) {
                T v[N] = {};
                if (in) ((const pack<T> *)(from[a] + r.gap + row))->split(v);
#pragma unroll
                // rows after the end have emission 0
                for (int z = 0; z < N; z++) to[a][N * q + z] = row + z < r.m ? v[z] : a == 3 ? 1 : 0;
            }
        }
#pragma unroll
        for (int z = 0; z < N; z++) {
            const int k = N * q + z;
            if (U) s.ii[k] = row + z + 1 < r.m ? all.ii : row + z < r.m ? all.ii_last : 1;
            s.least[k] = row + z < r.m ? least : 0;
            s.d[k] = s.m[k] = s.y[k] = 0;
        }
#pragma unroll
        for (int c = 0; c < CODES; c++) {
            const uint32_t other = c == 0 ? 1 : c == 1 ? 3 : c == 2 ? 20 : c == 3 ? 7 : 14;
            T v[N];
#pragma unroll
            for (int z = 0; z < N; z++) {
                const uint32_t letter = letters >> 8 * z & 31;
                v[z] = letter == other || letter == 14 || other == 14 ? hit[z] : miss[z];
            }
            e[(c * (K / N) + q) * W].join(v);
        }
    }
}

// Computes one column of a thread's rows.
template <int P, int K, bool U, class T>
static __device__ __forceinline__ void column(const pack<T> *e, state<K, U, T> &s, T &y, T &i) {
    constexpr int N = pack<T>::N;
#pragma unroll
    for (int q = 0; q < K / N; q++) {
        T lambda[N];
        e[q * emissions<P, K, T>::W].split(lambda);
#pragma unroll
        for (int z = 0; z < N; z++) {
            const int k = N * q + z, c = U ? 0 : k;
            const T m = fma_of(lambda[z], s.y[k], s.least[k]);
            s.d[k] = fma_of(s.eps[c], s.d[k], s.m[k]);
            s.y[k] = y;
            y = fma_of(s.iy[c], i, fma_of(s.dy[c], s.d[k], m));
            i = fma_of(s.ii[k], i, m);
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

template <class T> struct walk { // a thread's position in its pair
    T y0;
    int n, j, letter; // columns; this step's column, from 0, and its letter
    T y, i, partial; // y and i of the row above; sum of the last row since the last whole chunk
    double total;
    const uint32_t *word, *end; // letters of the haplotype
    uint32_t ahead;
};

template <class T>
static __device__ __forceinline__ void begin(walk<T> &w, const tables<T> &g, const ws_pairhmm_gpu_hap &h, int t) {
    w.n = (int)h.n;
    w.j = -t;
    w.letter = 0;
    w.y = w.i = w.partial = 0;
    w.total = 0;
    w.word = (const uint32_t *)(g.letter + h.at);
    w.end = w.word + (h.n + 3) / 4;
    w.ahead = *w.word;
}

// Returns the letters of the next four steps of thread 0.
template <class T> static __device__ __forceinline__ uint32_t next_four(walk<T> &w) {
    const uint32_t four = w.ahead;
    w.ahead = ++w.word < w.end ? *w.word : 0;
    return four;
}

// Borders of a strip of a long read: y and i that enter its first row, 32 columns in the lanes of a warp, and the next
// 32; and where y and i of its last row go, NULL for the last strip. Both use the same memory: writes stay 31 columns
// after reads.
template <class T> struct strip {
    ends<T> in, ahead, *out;
};

// Does four steps. BEGIN: a thread may be before its first column, and then does nothing. `whole`: a chunk of columns
// ends.
template <int P, int K, bool U, bool LONG, bool BEGIN, class T>
static __device__ __forceinline__ void four_steps(const pack<T> *e, uint32_t four, int t, int step, state<K, U, T> &s,
                                                  walk<T> &w, const strip<T> &b) {
    const unsigned all = 0xffffffffu;
#pragma unroll
    for (int z = 0; z < 4; z++, w.j++) {
        w.y = __shfl_up_sync(all, w.y, 1, P);
        w.i = __shfl_up_sync(all, w.i, 1, P);
        w.letter = __shfl_up_sync(all, w.letter, 1, P);
        const T y = LONG ? __shfl_sync(all, b.in.y, (step + z) % 32) : w.y0,
                i = LONG ? __shfl_sync(all, b.in.i, (step + z) % 32) : 0;
        if (t == 0) {
            w.y = y;
            w.i = i;
            w.letter = four >> 8 * z & 7;
        }
        if (!BEGIN || w.j >= 0) {
            column<P, K, U, T>(e + w.letter * (K / pack<T>::N * emissions<P, K, T>::W), s, w.y, w.i);
            if (w.j < w.n) w.partial = add_of(w.partial, w.i);
            if (LONG && t == P - 1 && b.out && w.j < w.n) b.out[w.j] = {w.y, w.i};
        }
        // the last thread's chunk; P % 4 = 0, so chunks end at this z only
        if (z == 2 && (step + 4 - P) % WS_PAIRHMM_CHUNK == 0) {
            w.total = __dadd_rn(w.total, (double)w.partial);
            w.partial = 0;
        }
    }
}

// Computes a pair, or a strip of P*K rows of one. Returns the sum, which is valid in the thread with the last row.
template <int P, int K, bool U, bool LONG, class T>
static __device__ __forceinline__ void pass(const pack<T> *e, int t, int n, state<K, U, T> &s, walk<T> &w, strip<T> &b,
                                            bool first) {
    const int steps = n + P - 1;
    for (int step = 0; step < steps; step += 4) {
        const uint32_t four = next_four(w);
        if (LONG && !first && step % 32 == 0) {
            b.in = b.ahead;
            if (step + 32 + t < n) b.ahead = b.out[step + 32 + t];
        }
        if (step < P) four_steps<P, K, U, LONG, true, T>(e, four, t, step, s, w, b);
        else four_steps<P, K, U, LONG, false, T>(e, four, t, step, s, w, b);
    }
}

template <int P, int K, bool U, class T>
static __global__ void __launch_bounds__(32 * WARPS) sweep(tables<T> g, uint32_t first, uint32_t last) {
    extern __shared__ float4 memory[];
    constexpr int W = emissions<P, K, T>::W;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, t = lane % P;
    pack<T> *e = &((emissions<P, K, T> *)memory)[warp].e[lane / W][0][0][lane % W];
    const uint32_t at = first + (blockIdx.x * WARPS + warp) * (32 / P) + lane / P;
    next_may_start();
    const ws_pairhmm_gpu_pair pair = g.pair[at < last ? at : last - 1];
    state<K, U, T> s;
    strip<T> none = {};
    walk<T> w;
    begin(w, g, g.hap[pair.hap], t);
    w.y0 = g.y0[pair.read];
    load<P, K, U, T>(g, g.read[pair.read], g.fixed + pair.read, t * K, e, s);
    __syncwarp();
    if (t == 0) s.y[0] = w.y0;
    pass<P, K, U, false, T>(e, t, warp_max(w.n), s, w, none, true);
    last_is_done();
    if (t == P - 1 && at < last) g.total[at] = __dadd_rn(w.total, (double)w.partial);
}

// Computes a pair of a long read in a warp, strip after strip.
template <int K, bool U, class T>
static __global__ void __launch_bounds__(32 * WARPS)
    sweep_long(tables<T> g, uint32_t first, uint32_t last, size_t pitch) {
    extern __shared__ float4 memory[];
    const int t = threadIdx.x % 32, warp = threadIdx.x / 32;
    pack<T> *e = &((emissions<32, K, T> *)memory)[warp].e[0][0][0][t];
    const uint32_t at = first + blockIdx.x * WARPS + warp;
    if (at >= last) return;
    const ws_pairhmm_gpu_pair pair = g.pair[at];
    const ws_pairhmm_gpu_read read = g.read[pair.read];
    const ws_pairhmm_gpu_hap hap = g.hap[pair.hap];
    ends<T> *column = g.column + (at - first) * pitch;
    walk<T> w;
    w.y0 = g.y0[pair.read];
    for (uint32_t row = 0; row < read.m; row += 32 * K) {
        state<K, U, T> s;
        const bool more = row + 32 * K < read.m;
        __syncwarp(); // makes the last strip's writes visible: its borders, and its letters in shared memory
        load<32, K, U, T>(g, read, g.fixed + pair.read, row + t * K, e, s);
        __syncwarp();
        strip<T> b = {{w.y0, 0}, {0, 0}, row || more ? column : NULL};
        begin(w, g, hap, t);
        if (row == 0 && t == 0) s.y[0] = w.y0;
        if (row && t < w.n) b.ahead = column[t];
        pass<32, K, U, true, T>(e, t, w.n, s, w, b, row == 0);
    }
    if (t == 31) g.total[at] = __dadd_rn(w.total, (double)w.partial);
}

// ---- launcher ----

// Launches the pairs of a class. `early`: the kernel before it is a sweep, so this sweep may start while that one
// drains. Classes are many, and their last blocks few.
template <int P, int K, bool U, class T>
static int launch(ws_devstream *l, const tables<T> &g, const size_t *from, bool can, bool *early, ws_err *err) {
    const uint32_t first = (uint32_t)from[0], last = (uint32_t)from[1], a_block = WARPS * (32 / P);
    if (first == last) return WS_OK;
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = (last - first + a_block - 1) / a_block;
    config.blockDim = 32 * WARPS;
    config.dynamicSmemBytes = WARPS * sizeof(emissions<P, K, T>);
    config.stream = l->stream;
    config.attrs = &overlap;
    config.numAttrs = *early;
    *early = can;
    int rc = ws_cuda_check(cudaLaunchKernelEx(&config, sweep<P, K, U, T>, g, first, last), "pairhmm", err);
    return rc ? rc : ws_devstream_launched(l, "pairhmm", err);
}

// Launches a class of long reads: as many pairs at once as have room for their columns.
template <int K, bool U, class T>
static int launch_long(ws_devstream *l, const ws_pairhmm_gpu *p, const tables<T> &g, const size_t *from, ws_err *err) {
    const ws_pairhmm_gpu_list *list = &p->list[sizeof(T) == sizeof(double)];
    for (size_t first = from[0], n; first < from[1]; first += n) {
        size_t pitch;
        n = ws_pairhmm_gpu_together(p, list, first, from[1], &pitch);
        const uint32_t last = (uint32_t)(first + n), blocks = (uint32_t)((n + WARPS - 1) / WARPS);
        sweep_long<K, U, T>
            <<<blocks, 32 * WARPS, WARPS * sizeof(emissions<32, K, T>), l->stream>>>(g, (uint32_t)first, last, pitch);
        int rc = ws_devstream_launched(l, "pairhmm, long reads", err);
        if (rc) return rc;
    }
    return WS_OK;
}

template <class T>
static int make_rows(ws_devstream *l, const tables<T> &g, const ws_pairhmm_quals *quals, ws_err *err) {
    enum { THREADS = 128 };
    rows<T><<<(g.nlist + THREADS / 32 - 1) / (THREADS / 32), THREADS, 0, l->stream>>>(g, quals);
    return ws_devstream_launched(l, "pairhmm rows", err);
}

static int make_codes(ws_devstream *l, const ws_pairhmm_gpu *p, uint8_t *letter, ws_err *err) {
    enum { THREADS = 128 };
    const size_t words = (p->nletter - p->nrow) / 4;
    const unsigned blocks = (unsigned)((words + THREADS - 1) / THREADS);
    codes<<<blocks, THREADS, 0, l->stream>>>((uint32_t *)(letter + p->nrow), words);
    return ws_devstream_launched(l, "pairhmm letters", err);
}

#define ALIKE(P, K)                                                                                                    \
    if (!rc) rc = launch<P, K, true, T>(l, g, from++, major >= 9, &early, err);
#define OTHER(P, K)                                                                                                    \
    if (!rc) rc = launch<P, K, false, T>(l, g, from++, major >= 9, &early, err);

// Launches all classes of a precision. The first sweep waits for the kernels before it, which make rows and letters.
template <class T>
static int launch_all(ws_devstream *l, const ws_pairhmm_gpu *p, const tables<T> &g, int major, ws_err *err) {
    constexpr bool single = sizeof(T) == sizeof(float);
    const size_t *from = p->list[!single].first;
    bool early = false;
    int rc = WS_OK;
    if constexpr (single) {
        WS_PAIRHMM_ALIKE(ALIKE)
        WS_PAIRHMM_OTHERS(OTHER)
    } else {
        WS_PAIRHMM_ALIKE_DOUBLE(ALIKE)
        WS_PAIRHMM_OTHERS_DOUBLE(OTHER)
    }
    if (!rc) rc = launch_long<single ? 28 : 16, true>(l, p, g, from++, err);
    return rc ? rc : launch_long<single ? 20 : 8, false>(l, p, g, from, err);
}

// ---- a call ----

// Arguments that both precisions share.
struct common {
    void *letter, *quality, *gap, *read, *hap, *quals;
    int major; // compute capability
};

template <class T> static size_t row_bytes(const ws_pairhmm_gpu *p) {
    return (2 * p->nrow + 4 * p->ngap + p->nread) * sizeof(T) + p->nread * sizeof(alike<T>);
}

static int put_common(ws_devstream *l, const ws_pairhmm_quals *quals, const ws_pairhmm_gpu *p, common *c, ws_err *err) {
    enum { EACH = 256, ALLOCATIONS = 32 };
    const size_t own = p->nread * sizeof *p->read + p->nhap * sizeof *p->hap + p->nletter + p->nrow + 3 * p->ngap +
                       sizeof *quals + EACH * ALLOCATIONS;
    const size_t lists = p->npair * sizeof(ws_pairhmm_gpu_pair) + p->nread * sizeof(uint32_t);
    int rc = ws_devstream_expect(l, own + lists, err);
    if (!rc) rc = ws_devstream_reserve(l, own + 2 * lists + row_bytes<float>(p) + row_bytes<double>(p), err);
    if (!rc) rc = ws_devstream_room(l, &l->out, (p->npair + p->nread) * sizeof(double), err);
    if (!rc) rc = ws_devstream_put(l, p->letter, p->nletter, &c->letter, err);
    if (!rc) rc = ws_devstream_put(l, p->quality, p->nrow, &c->quality, err);
    if (!rc) rc = ws_devstream_put(l, p->gap, 3 * p->ngap, &c->gap, err);
    if (!rc) rc = ws_devstream_put(l, p->read, p->nread * sizeof *p->read, &c->read, err);
    if (!rc) rc = ws_devstream_put(l, p->hap, p->nhap * sizeof *p->hap, &c->hap, err);
    if (!rc) rc = ws_devstream_put(l, quals, sizeof *quals, &c->quals, err);
    if (rc) return rc;
    c->major = l->dev->capability / 10;
    return WS_OK;
}

// Queues the pairs of a precision: their own lists, the kernels, and the copy of the sums back. `first`: letters are
// not translated yet.
template <class T>
static int queue(ws_devstream *l, const ws_pairhmm_gpu *p, const common &c, bool first, ws_err *err) {
    const ws_pairhmm_gpu_list *list = &p->list[sizeof(T) == sizeof(double)];
    void *pair, *read, *row, *own, *fixed, *y0, *column;
    tables<T> g = {};
    int rc = ws_devstream_put(l, list->pair, list->n * sizeof *list->pair, &pair, err);
    if (!rc) rc = ws_devstream_put(l, list->read, list->nread * sizeof *list->read, &read, err);
    if (!rc) rc = ws_devstream_alloc(l, 2 * p->nrow * sizeof(T), &row, err);
    if (!rc) rc = ws_devstream_alloc(l, 4 * p->ngap * sizeof(T), &own, err);
    if (!rc) rc = ws_devstream_alloc(l, p->nread * sizeof(alike<T>), &fixed, err);
    if (!rc) rc = ws_devstream_alloc(l, p->nread * sizeof(T), &y0, err);
    if (!rc) rc = ws_devstream_alloc(l, list->ncolumn * sizeof(ends<T>), &column, err);
    if (rc) return rc;
    g.letter = (uint8_t *)c.letter;
    g.quality = (const uint8_t *)c.quality;
    g.gap = (const uint8_t *)c.gap;
    g.read = (const ws_pairhmm_gpu_read *)c.read;
    g.hap = (const ws_pairhmm_gpu_hap *)c.hap;
    g.pair = (const ws_pairhmm_gpu_pair *)pair;
    g.list = (const uint32_t *)read;
    g.nlist = (uint32_t)list->nread;
    g.match = (T *)row;
    g.mismatch = g.match + p->nrow;
    g.eps = (T *)own;
    g.dy = g.eps + p->ngap;
    g.iy = g.dy + p->ngap;
    g.ii = g.iy + p->ngap;
    g.fixed = (alike<T> *)fixed;
    g.y0 = (T *)y0;
    g.column = (ends<T> *)column;
    g.correction = (double *)l->out.p;
    g.total = g.correction + p->nread;
    rc = ws_cuda_check(cudaEventRecord(l->start, l->stream), "recording an event", err);
    if (!rc) rc = make_rows(l, g, (const ws_pairhmm_quals *)c.quals, err);
    if (!rc && first) rc = make_codes(l, p, g.letter, err);
    if (!rc) rc = launch_all(l, p, g, c.major, err);
    if (!rc) rc = ws_cuda_check(cudaEventRecord(l->end, l->stream), "recording an event", err);
    if (!rc) rc = ws_devstream_fetch(l, l->out.p, (p->nread + list->n) * sizeof(double), err);
    if (!rc) rc = ws_devstream_sync(l, err);
    if (!rc) ws_devstream_clock(l);
    return rc;
}

static void take(const ws_devstream *l, ws_pairhmm_gpu *p, int precision) {
    const ws_pairhmm_gpu_list *list = &p->list[precision];
    const double *from = (const double *)l->back.p;
    if (precision == 0)
        for (size_t k = 0; k < list->nread; k++) p->correction[list->read[k]] = from[list->read[k]];
    for (size_t k = 0; k < list->n; k++) p->total[precision][list->result[k]] = from[p->nread + k];
}

// Sums up the pairs of both lists, where `single` those of the first one too.
static int run(ws_devstream *l, const ws_pairhmm_quals *quals, ws_pairhmm_gpu *p, bool single, int rescue,
               ws_err *err) {
    common c;
    int rc = put_common(l, quals, p, &c, err);
    if (!rc && single) rc = queue<float>(l, p, c, true, err);
    if (!rc && single) take(l, p, 0);
    if (!rc && single && rescue) {
        rc = ws_pairhmm_gpu_wider(p, err);
        if (!rc) rc = ws_cuda_check(cudaEventRecord(l->taken, l->stream), "recording an event", err);
    }
    if (!rc && p->list[1].n) rc = queue<double>(l, p, c, !single, err);
    if (!rc) take(l, p, 1);
    return rc;
}

int ws_pairhmm_gpu_run(const ws_pairhmm_quals *quals, ws_pairhmm_gpu *p, int rescue, ws_err *err) {
    ws_devstream *l;
    const bool single = p->list[0].n > 0;
    int rc;
    if (!single && !p->list[1].n) return WS_OK;
    do {
        if ((rc = ws_devstream_take(&l, 0, err))) return rc;
        l->id = 0;
        rc = run(l, quals, p, single, rescue, err); // again: `rescue` makes its list anew
    } while (ws_devstream_give(l, rc, err));
    return rc;
}
