// SPDX-License-Identifier: MIT
// Pair-HMM on a device: single precision, the operations of ref.c in its order.
//
// P threads share a pair, each owns K rows of the read in registers; the haplotype passes by, a column a step. What a thread hands
// to the rows below it, y and i of its last row, goes to the next thread by a shuffle, which works on that column one step later.

#include "kernels/pairhmm/gpu.h"
#include "lib/dev/lane.cuh"

// ---- parameters ----

struct tables { // everything a kernel reads, on the device
    const uint8_t *text; // as it came
    uint8_t *code;       // the same places: 0 A, 1 C, 2 T, 3 G, 4 anything else
    const ws_pairhmm_gpu_read *read;
    const ws_pairhmm_gpu_pair *pair;
    float *row, *y0;
    double *correction, *total;
    uint32_t nread, npair;
};

enum { CODES = 5, WARPS = 2 };

// ---- kernels ----

#define ROWS_FN static __device__ __forceinline__
#include "kernels/pairhmm/rows.inc.h"

// Four letters a thread; the text has room for whole words.
static __global__ void codes(const uint32_t *text, uint32_t *code, size_t words) {
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= words) return;
    uint32_t four = 0;
    for (int z = 0; z < 4; z++) {
        const uint32_t c = text[i] >> 8 * z & 31;
        four |= (c == 1 ? 0u : c == 3 ? 1u : c == 20 ? 2u : c == 7 ? 3u : 4u) << 8 * z;
    }
    code[i] = four;
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
    int clamped = 0;
    double correction = 0;
    for (uint32_t from = 0; from < r.m; from += 32) {
        const uint32_t i = from + lane;
        double error = 0;
        if (i < r.m) {
            const int ins = g.text[r.ins + i] - 33, del = g.text[r.del + i] - 33, gcp = g.text[r.gcp + i] - 33;
            const int q = g.text[r.q + i] - 33;
            const double alpha = alpha_of(t, ins, del, &clamped), over = 1 / alpha, match = t->match[q] * alpha;
            step s = {0, 0, t->e[ins]};
            if (i + 1 < r.m) {
                const int ins1 = g.text[r.ins + i + 1] - 33, del1 = g.text[r.del + i + 1] - 33;
                s = step_of(t, ins, del, ins1, g.text[r.gcp + i + 1] - 33, 1 / alpha_of(t, ins1, del1, &clamped));
            }
            float *out = g.row + ((size_t)r.row + i) * WS_PAIRHMM_NVALUE;
            out[WS_PAIRHMM_MATCH] = (float)match;
            out[WS_PAIRHMM_MISMATCH] = (float)(t->e[q] * (1.0 / 3) * alpha);
            out[WS_PAIRHMM_EPS] = (float)t->e[gcp];
            out[WS_PAIRHMM_LEAST] = (float)LEAST_M_SINGLE;
            out[WS_PAIRHMM_DY] = (float)s.dy;
            out[WS_PAIRHMM_IY] = (float)s.iy;
            out[WS_PAIRHMM_II] = (float)s.ii;
            error = error_of(match, t->over_match[q] * over);
            if (i == 0) g.y0[k] = (float)(START_SINGLE * ((1 - t->e[gcp]) * over));
        }
        for (int z = 0; z < 32 && from + z < r.m; z++) correction += __shfl_sync(0xffffffffu, error, z);
    }
    clamped = __any_sync(0xffffffffu, clamped);
    if (lane == 0 && r.m) g.correction[k] = clamped ? __longlong_as_double(0x7ff8000000000000ll) : correction;
}

template <int P, int K> struct emissions { // of the pairs of a warp; a thread's K rows as K/4 vectors, threads side by side
    float4 e[32 / P][CODES][K / 4][P];
};

// U: the gap qualities are the same from end to end, so that three constants of all rows are one.
template <int K, bool U> struct state {
    static constexpr int N = U ? 1 : K;
    float eps[N], dy[N], iy[N], ii[K], least[K], d[K], m[K], y[K];
};

// A thread's rows: constants into registers, emissions into shared memory. Rows beyond the end hand i on; with U their y
// is not what it is elsewhere, but finite (see uniform() in gpu.c), and their emissions are 0.
template <int P, int K, bool U>
static __device__ __forceinline__ void load(const tables &g, const ws_pairhmm_gpu_read &r, int t, int group, emissions<P, K> &e,
                                            state<K, U> &s) {
    if (U) {
        const float *v = g.row + (size_t)r.row * WS_PAIRHMM_NVALUE;
        s.eps[0] = v[WS_PAIRHMM_EPS];
        s.dy[0] = v[WS_PAIRHMM_DY];
        s.iy[0] = v[WS_PAIRHMM_IY];
    }
#pragma unroll
    for (int q = 0; q < K / 4; q++) {
        float hit[4], miss[4];
        int letter[4];
#pragma unroll
        for (int z = 0; z < 4; z++) {
            const int k = 4 * q + z;
            const uint32_t row = t * K + k;
            const bool in = row < r.m;
            const float *v = g.row + ((size_t)r.row + (in ? row : 0)) * WS_PAIRHMM_NVALUE;
            hit[z] = in ? v[WS_PAIRHMM_MATCH] : 0;
            miss[z] = in ? v[WS_PAIRHMM_MISMATCH] : 0;
            if (!U) {
                s.eps[k] = in ? v[WS_PAIRHMM_EPS] : 0;
                s.dy[k] = in ? v[WS_PAIRHMM_DY] : 0;
                s.iy[k] = in ? v[WS_PAIRHMM_IY] : 0;
            }
            s.ii[k] = in ? v[WS_PAIRHMM_II] : 1;
            s.least[k] = in ? v[WS_PAIRHMM_LEAST] : 0;
            s.d[k] = s.m[k] = s.y[k] = 0;
            letter[z] = in ? g.text[r.base + row] & 31 : 0;
        }
#pragma unroll
        for (int c = 0; c < CODES; c++) {
            const int other = c == 0 ? 1 : c == 1 ? 3 : c == 2 ? 20 : c == 3 ? 7 : 14;
            float v[4];
#pragma unroll
            for (int z = 0; z < 4; z++) v[z] = letter[z] == other || letter[z] == 14 || other == 14 ? hit[z] : miss[z];
            e.e[group][c][q][t] = make_float4(v[0], v[1], v[2], v[3]);
        }
    }
}

// One column through a thread's rows.
template <int P, int K, bool U>
static __device__ __forceinline__ void column(const float4 *e, state<K, U> &s, float &y, float &i) {
#pragma unroll
    for (int q = 0; q < K / 4; q++) {
        const float4 v = e[q * P];
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

template <int P, int K, bool U> static __global__ void __launch_bounds__(32 * WARPS) sweep(tables g, uint32_t first, uint32_t last) {
    extern __shared__ float4 memory[];
    const unsigned all = 0xffffffffu;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, t = lane % P, group = lane / P;
    emissions<P, K> &e = ((emissions<P, K> *)memory)[warp];
    const uint32_t at = first + (blockIdx.x * WARPS + warp) * (32 / P) + group;
    const ws_pairhmm_gpu_pair pair = g.pair[at < last ? at : last - 1];
    const ws_pairhmm_gpu_read read = g.read[pair.read];
    const float y0 = g.y0[pair.read];
    state<K, U> s;
    load<P, K, U>(g, read, t, group, e, s);
    __syncwarp();
    if (t == 0) s.y[0] = y0;

    const int n = (int)pair.n, steps = __reduce_max_sync(all, n) + P - 1;
    const uint32_t *words = (const uint32_t *)g.code + pair.hap / 4, *end = (const uint32_t *)g.code + (pair.hap + n - 1) / 4;
    const int shift = (int)(pair.hap % 4) * 8;
    const float4 *table = &e.e[group][0][0][t];
    float y = 0, i = 0, part = 0;
    double total = 0;
    uint32_t word = words[0], ahead = words < end ? words[1] : 0;
    int j = -t, letter = 0; // column of this step, from 0, and its letter
    for (int step = 0; step < steps; words++) {
        const uint32_t four = __funnelshift_r(word, ahead, shift); // letters that thread 0 meets in the next four steps
        word = ahead;
        ahead = words + 2 <= end ? words[2] : 0;
#pragma unroll
        for (int z = 0; z < 4; z++, step++, j++) {
            y = __shfl_up_sync(all, y, 1, P);
            i = __shfl_up_sync(all, i, 1, P);
            letter = __shfl_up_sync(all, letter, 1, P);
            if (t == 0) {
                y = y0;
                i = 0;
                letter = four >> 8 * z & 7;
            }
            if (j == 0 && t > 0) { // what stood before the first column was no column
#pragma unroll
                for (int k = 0; k < K; k++) s.d[k] = s.m[k] = s.y[k] = 0;
            }
            column<P, K, U>(table + letter * (K / 4 * P), s, y, i);
            if (t == P - 1 && j >= 0 && j < n) {
                part = __fadd_rn(part, i);
                if ((j + 1) % WS_PAIRHMM_CHUNK == 0) {
                    total = __dadd_rn(total, (double)part);
                    part = 0;
                }
            }
        }
    }
    if (t == P - 1 && at < last) g.total[pair.out] = __dadd_rn(total, (double)part);
}

// ---- launcher ----

template <int P, int K, bool U> static int launch(ws_devlane *l, const tables &g, uint32_t first, uint32_t last, ws_err *err) {
    const uint32_t a_block = WARPS * (32 / P);
    const size_t shared = WARPS * sizeof(emissions<P, K>);
    if (first == last) return WS_OK;
    sweep<P, K, U><<<(last - first + a_block - 1) / a_block, 32 * WARPS, shared, l->stream>>>(g, first, last);
    return ws_lane_launched(l, "pairhmm", err);
}

static int launch_all(ws_devlane *l, const ws_pairhmm_gpu *p, const tables &g, size_t size, const ws_pairhmm_quals *quals, ws_err *err) {
    enum { THREADS = 128 };
    const size_t words = (size + 3) / 4; // the arena's pieces are of whole cache lines
    codes<<<(unsigned)((words + THREADS - 1) / THREADS), THREADS, 0, l->stream>>>((const uint32_t *)g.text, (uint32_t *)g.code, words);
    int rc = ws_lane_launched(l, "pairhmm letters", err);
    if (rc) return rc;
    rows<<<(g.nread + THREADS / 32 - 1) / (THREADS / 32), THREADS, 0, l->stream>>>(g, quals);
    rc = ws_lane_launched(l, "pairhmm rows", err);
    int c = 0;
#define LAUNCH(P, K)                                                                                                   \
    if (!rc) rc = launch<P, K, true>(l, g, (uint32_t)p->first[c], (uint32_t)p->first[c + 1], err);                     \
    if (!rc) rc = launch<P, K, false>(l, g, (uint32_t)p->first[c + 1], (uint32_t)p->first[c + 2], err);                \
    c += 2;
    WS_PAIRHMM_CLASSES(LAUNCH)
    return rc;
}

static int queue(ws_devlane *l, const ws_pairhmm_quals *quals, ws_pairhmm_gpu *p, const ws_pairhmm_text *t, size_t back, ws_err *err) {
    void *text, *code, *read, *pair, *row, *y0, *q;
    tables g = {};
    int rc = ws_lane_expect(l, t->size + p->nread * sizeof *p->read + p->npair * sizeof *p->pair + sizeof *quals + 1024, err);
    if (!rc) rc = ws_lane_put(l, t->from, t->size, &text, err);
    if (!rc) rc = ws_lane_put(l, p->read, p->nread * sizeof *p->read, &read, err);
    if (!rc) rc = ws_lane_put(l, p->pair, p->npair * sizeof *p->pair, &pair, err);
    if (!rc) rc = ws_lane_put(l, quals, sizeof *quals, &q, err);
    if (!rc) rc = ws_lane_alloc(l, t->size + 3, &code, err);
    if (!rc) rc = ws_lane_alloc(l, p->nrow * WS_PAIRHMM_NVALUE * sizeof(float), &row, err);
    if (!rc) rc = ws_lane_alloc(l, p->nread * sizeof(float), &y0, err);
    if (!rc) rc = ws_lane_room(l, &l->out, back, err);
    if (rc) return rc;
    g.text = (const uint8_t *)text;
    g.code = (uint8_t *)code;
    g.read = (const ws_pairhmm_gpu_read *)read;
    g.pair = (const ws_pairhmm_gpu_pair *)pair;
    g.row = (float *)row;
    g.y0 = (float *)y0;
    g.total = (double *)l->out.p;
    g.correction = g.total + p->nresult;
    g.nread = (uint32_t)p->nread;
    g.npair = (uint32_t)p->npair;
    rc = ws_cuda_fail(cudaEventRecord(l->start, l->stream), "recording an event", err);
    if (!rc) rc = launch_all(l, p, g, t->size, (const ws_pairhmm_quals *)q, err);
    if (!rc) rc = ws_cuda_fail(cudaEventRecord(l->end, l->stream), "recording an event", err);
    return rc ? rc : ws_lane_fetch(l, l->out.p, back, err);
}

int ws_pairhmm_gpu_run(const ws_pairhmm_quals *quals, ws_pairhmm_gpu *p, const ws_pairhmm_text *t, ws_err *err) {
    const size_t back = (p->nresult + p->nread) * sizeof(double);
    ws_devlane *l = NULL;
    if (!p->npair) return WS_OK;
    int rc = ws_lane_take(&l, 0, err);
    if (rc) return rc;
    l->id = 0;
    rc = queue(l, quals, p, t, back, err);
    if (!rc) rc = ws_lane_sync(l, err);
    if (!rc) ws_lane_clock(l);
    if (!rc) {
        const double *from = (const double *)l->back.p;
        memcpy(p->total, from, p->nresult * sizeof *from);
        memcpy(p->correction, from + p->nresult, p->nread * sizeof *from);
    }
    ws_lane_give(l);
    return rc;
}
