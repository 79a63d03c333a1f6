// SPDX-License-Identifier: MIT
// The kernels of MSV on CUDA devices. They find the pairs that SSV cannot decide, run the recursion for these with two
// nodes to a register, and find the pairs that may pass. README.md draws the layout.
//
// Contents: 1 parameters and layout; 2 kernels
#ifndef WS_MSV_DEVICE_CUH
#define WS_MSV_DEVICE_CUH

#include "kernels/filter/bias.cuh"
#include "kernels/filter/group.cuh"
#include "kernels/ssv/ssv.cuh"

#include <math.h>

// ---- 1 parameters and layout ----
//
// Node n (from 0) of a lane's 2R is half n / R of register n % R. A cell holds max(M, xB), so a row is one addition of
// bias - cost. Signed 16 bits are enough: M is at most 255, a sum at least -255. The saturation at 0 only matters where
// all of a row lies below xB, and then only as xJ = max(0, ..) at the end.
//
// xB changes only when a row's maximum exceeds the base and all rows before, which is rare. So the warp votes once for
// a word of six residues whether any lane saw that. It votes for each residue where it reads the table through the
// cache.

// flags of a score. CODE_MSV: xJ follows; CODE_OVER: overflow; none: the best height of SSV
enum { CODE_MSV = 0x8000, CODE_OVER = 0x4000 };

// Returns the score of a code. Reads only the scalars of b.
WS_DEVICE static inline ws_fscore msv_score(const ws_bytes *b, int tjb, int code) {
    if (code & CODE_OVER) return {INFINITY, WS_F_OVERFLOW};
    if (code & CODE_MSV) return {ws_bytes_nats(code & 255, tjb), WS_F_OK};
    return ws_ssv_decide(b, tjb, code);
}

struct msv_task {
    const uint4 *table;
    const ws_devitem *item; // all pairs, longest first
    uint32_t n, first;      // items of the task; index of its first score and queue entry
    int glog, bias, tbm, tec;
    float least; // scores at least this many nats above the null score need the bias filter; INFINITY: none does
};

__device__ __forceinline__ ws_bytes bytes_of(const msv_task &t) {
    ws_bytes b = {};
    b.bias = t.bias;
    b.tbm = t.tbm;
    b.tec = t.tec;
    return b;
}

struct msv_args {
    const msv_task *task;
    const uint32_t *pick; // indices of the tasks of this shape
    uint32_t blocks;      // blocks of each task
    const uint32_t *word;
    const ws_devseq *seq;
    uint16_t *score;
    // item indices of undecided pairs, later of pairs that may pass; number of undecided pairs of each task
    uint32_t *queue, *count;
    uint32_t *passing;       // number of pairs that may pass of each task
    uint32_t ntask;
    ws_devscreen screen;
    const float *hint; // of pairs that may pass
};

enum { THREADS = 256 };

// ---- 2 kernels ----

// Queues the pairs that ws_ssv_decide leaves to MSV, by task.
__global__ void __launch_bounds__(THREADS) ws_msv_queue_open(const msv_args a) {
    for (uint32_t i = blockIdx.y; i < a.ntask; i += gridDim.y) {
        const msv_task t = a.task[i];
        const ws_bytes b = bytes_of(t);
        for (uint32_t p = blockIdx.x * THREADS + threadIdx.x; p < t.n; p += gridDim.x * THREADS) {
            const ws_devitem item = t.item[p];
            const ws_devseq s = a.seq[item.seq];
            const ws_fscore ssv = ws_ssv_decide(&b, s.tjb, a.score[t.first + item.out]);
            if (ssv.status == WS_F_OPEN && s.len) a.queue[t.first + atomicAdd(&a.count[i], 1)] = p;
        }
    }
}

// Queues the pairs that may pass, by task, once all scores are final, and counts the others.
__global__ void __launch_bounds__(THREADS) ws_msv_queue_passing(const msv_args a) {
    uint32_t left_out = 0;
    for (uint32_t i = blockIdx.y; i < a.ntask; i += gridDim.y) {
        const msv_task t = a.task[i];
        const ws_bytes b = bytes_of(t);
        for (uint32_t p = blockIdx.x * THREADS + threadIdx.x; p < t.n && t.least < INFINITY; p += gridDim.x * THREADS) {
            const ws_devitem item = t.item[p];
            const ws_devseq s = a.seq[item.seq];
            if (s.len && ws_above_null(msv_score(&b, s.tjb, a.score[t.first + item.out]).nats, s.len) >= t.least)
                a.queue[t.first + atomicAdd(&a.passing[i], 1)] = p;
            else left_out++;
        }
    }
    if (!a.screen.room) return;
    for (uint32_t off = 16; off; off /= 2) left_out += __shfl_down_sync(~0u, left_out, off);
    if (threadIdx.x % 32 == 0 && left_out) atomicAdd(a.screen.left_out, left_out);
}

// Lists the pairs that may pass, with score and hint, in any order.
__global__ void __launch_bounds__(THREADS) ws_msv_list_passing(const msv_args a) {
    for (uint32_t i = blockIdx.y; i < a.ntask; i += gridDim.y) {
        const msv_task t = a.task[i];
        const uint32_t n = a.passing[i];
        for (uint32_t p = blockIdx.x * THREADS + threadIdx.x; p < n; p += gridDim.x * THREADS) {
            const uint32_t pair = t.first + t.item[a.queue[t.first + p]].out, to = atomicAdd(a.screen.n, 1);
            if (to < a.screen.room) a.screen.at[to] = {pair, a.score[pair], a.hint[pair]};
        }
    }
}

template <int R, int COLUMNS> struct msv_state {
    enum { CHUNKS = (R + 3) / 4 };
    uint32_t w[R], best, xB, limit; // limit: minus the maximum that a row must exceed to change xB

    // Starts a sequence. base: xB of the first row; least: the maximum that a row must exceed to change xB.
    __device__ __forceinline__ void begin(int base, int least) {
        xB = ws_both(base);
        limit = ws_both(-least);
        best = 0;
#pragma unroll
        for (int j = 0; j < R; j++) w[j] = xB;
    }

    // Returns the largest value over all lanes of a group.
    __device__ __forceinline__ int largest(uint32_t g) const {
        int xE = ws_larger_half(best);
        for (uint32_t off = g / 2; off; off /= 2) xE = max(xE, __shfl_xor_sync(~0u, xE, off));
        return xE;
    }

    // Moves xB and the limit if this group's last row exceeded the limit. over becomes true if the sequence exceeds the
    // range.
    __device__ __forceinline__ void raise(bool &over, uint32_t g, const msv_task &t, int tjbm) {
        const int xE = largest(g);
        if (xE <= -(int16_t)limit || over) return;
        if (xE >= 255 - t.bias) over = true;
        limit = ws_both(over ? -32767 : -xE);
        xB = ws_both(max(xE - t.tec - tjbm, 0));
#pragma unroll
        for (int j = 0; j < R; j++) w[j] = __vmaxs2(w[j], xB);
    }

    __device__ __forceinline__ bool beaten() const { return __viaddmax_s16x2_relu(best, limit, 0) != 0; }

    // Returns what enters register 0, from the lane's own last register and that of the lane before.
    __device__ __forceinline__ uint32_t into(uint32_t own, uint32_t before, bool first_lane) const {
        return __byte_perm(own, first_lane ? xB : before, 0x1076);
    }

    // Computes one row. e: the table row for this residue and lane; g: lanes a group.
    __device__ __forceinline__ void row(const uint4 *e, bool first_lane, int g) {
        const uint32_t in = into(w[R - 1], __shfl_up_sync(~0u, w[R - 1], 1, g), first_lane);
#pragma unroll
        for (int c = CHUNKS - 1; c >= 0; c--) {
            const uint4 q = e[c * WS_CODES * COLUMNS];
            uint32_t t[4];
#pragma unroll
            for (int j = 4 * c + 3; j >= 4 * c; j--)
                if (j < R) t[j & 3] = __vadd2(j ? w[j - 1] : in, ws_element(q, j & 3));
#pragma unroll
            for (int j = 4 * c + 3; j >= 4 * c; j--)
                if (j < R) {
                    w[j] = __vmaxs2(t[j & 3], xB);
                    if (j % 2 == 0) best = __vimax3_s16x2(best, t[j & 3], t[j + 1 < R ? (j + 1) & 3 : j & 3]);
                }
        }
    }

    // Computes six rows, none of which changes xB. Register 0 runs one row behind the others, so no lane waits for the
    // lane before.
    __device__ __forceinline__ void six(const uint4 *table, uint32_t codes, bool first_lane, int g) {
        uint32_t own[7], up[7], e0 = 0, high[2] = {best, 0};
        uint4 q[2][CHUNKS];
        own[0] = w[R - 1];
        up[0] = __shfl_up_sync(~0u, own[0], 1, g);
        load(q[0], table, codes);
#pragma unroll
        for (int i = 0; i < 6; i++) {
            uint32_t t[R];
            if (i < 5) load(q[(i + 1) & 1], table, codes >> 5 * (i + 1));
            const uint4 *e = q[i & 1];
#pragma unroll
            for (int j = R - 1; j > 1; j--) {
                t[j] = __vadd2(w[j - 1], ws_element(e[j / 4], j & 3));
                w[j] = __vmaxs2(t[j], xB);
                if (j == R - 1 && i < 5) {
                    own[i + 1] = w[j];
                    up[i + 1] = __shfl_up_sync(~0u, w[j], 1, g);
                }
            }
            if (i) {
                t[0] = __vadd2(into(own[i - 1], up[i - 1], first_lane), e0);
                w[0] = __vmaxs2(t[0], xB);
            }
            e0 = e[0].x;
            t[1] = __vadd2(w[0], e[0].y);
            w[1] = __vmaxs2(t[1], xB);
            if (!i) t[0] = t[1];
#pragma unroll
            for (int j = 0; j < R; j += 2) high[i & 1] = __vimax3_s16x2(high[i & 1], t[j], t[j + 1 < R ? j + 1 : j]);
        }
        const uint32_t t = __vadd2(into(own[5], up[5], first_lane), e0);
        w[0] = __vmaxs2(t, xB);
        best = __vimax3_s16x2(high[0], high[1], t);
    }

    __device__ __forceinline__ void load(uint4 (&q)[CHUNKS], const uint4 *table, uint32_t code) const {
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) q[c] = table[((code & 31u) + c * WS_CODES) * COLUMNS];
    }
};

// The words of a group's sequence. Each lane reads every g-th word ahead of time, so 2g words are in flight and no row
// waits for memory.
struct msv_words {
    const uint32_t *at;
    uint32_t left, now, next; // words left at `at`; words of this round of g and of the next
    __device__ __forceinline__ void begin(const uint32_t *word, uint32_t n, uint32_t z, uint32_t g) {
        at = word + z + g;
        left = n > z + g ? n - z - g : 0;
        now = z < n ? word[z] : ~0u;
        next = left ? *at : ~0u;
    }
    // Returns word w; callers ask for w = 0, 1, 2, .. in order. After the end, a word is padding.
    __device__ __forceinline__ uint32_t get(uint32_t w, uint32_t g) {
        if (w && !(w & (g - 1))) {
            now = next;
            at += g;
            left = left > g ? left - g : 0;
            next = left ? *at : ~0u;
        }
        return __shfl_sync(~0u, now, (int)(w & (g - 1)), (int)g);
    }
};

template <int R, int COLUMNS, bool GLOBAL>
__global__ void __launch_bounds__(THREADS, 1) ws_msv_recursion(const msv_args a) {
    extern __shared__ uint4 shared[];
    const uint32_t which = a.pick[blockIdx.x / a.blocks], block = blockIdx.x % a.blocks;
    const msv_task t = a.task[which];
    const uint32_t n = a.count[which], per_block = blockDim.x >> t.glog;
    if (block * per_block >= n) return;
    const uint32_t lane = threadIdx.x % 32, g = 1u << t.glog, z = lane & (g - 1);
    const uint4 *table = t.table + z;
    if (!GLOBAL) {
        ws_load_table<COLUMNS>(shared, t.table, (R + 3) / 4, t.glog);
        __syncthreads();
        table = shared + lane % COLUMNS;
    }
    for (uint32_t chunk = block; chunk * per_block < n; chunk += a.blocks) {
        const uint32_t place = chunk * per_block + (threadIdx.x >> t.glog);
        ws_devitem item = {};
        ws_devseq seq = {};
        if (place < n) {
            item = t.item[a.queue[t.first + place]];
            seq = a.seq[item.seq];
        }
        msv_words words;
        words.begin(a.word + seq.first, item.words, z, g);
        const int tjbm = (seq.tjb + t.tbm) & 255;
        bool over = false;
        msv_state<R, COLUMNS> s;
        s.begin(max(WS_BYTE_BASE - tjbm, 0), WS_BYTE_BASE + t.tec);
        const uint32_t rounds = ws_warp_max(item.words);
        uint32_t ahead = words.get(0, g);
        for (uint32_t w = 0; w < rounds; w++) {
            const uint32_t codes = ahead;
            ahead = words.get(w + 1, g);
            if (!GLOBAL) {
                const msv_state<R, COLUMNS> before = s;
                s.six(table, codes, z == 0, (int)g);
                if (!__any_sync(~0u, s.beaten())) continue;
                s = before;
            }
#pragma unroll 1
            for (int shift = 0; shift < 30; shift += 5) {
                s.row(table + (codes >> shift & 31u) * COLUMNS, z == 0, (int)g);
                if (__any_sync(~0u, s.beaten())) s.raise(over, g, t, tjbm);
            }
            if (__all_sync(~0u, over || w + 1 >= item.words)) break;
        }
        const int xE = s.largest(g);
        if (z == 0 && place < n)
            a.score[t.first + item.out] = (uint16_t)(over ? CODE_OVER : CODE_MSV | max(xE - t.tec, 0));
    }
}

#endif
