// SPDX-License-Identifier: MIT
// Shared parts of kernels in which groups of 1 to 32 lanes own a sequence each: residues, tables in shared memory,
// packed halves.
#ifndef WS_FILTER_GROUP_CUH
#define WS_FILTER_GROUP_CUH

#include "kernels/filter/launch.cuh"

// Copies an emission table of nchunk chunks into shared memory, as [chunk][row][column] of 16 bytes. A column belongs
// to one lane of a group of 2^glog lanes. Groups of fewer than 8 lanes use 8 columns: 8/g copies of the table, one for
// each group of a quarter warp. Then 8 lanes that read 16 bytes each use all 32 banks once, and never conflict.
template <int COLUMNS, int ROWS = WS_CODES>
__device__ inline void ws_load_table(uint4 *to, const uint4 *from, int nchunk, int glog) {
    const int mask = (1 << glog) - 1;
    for (int i = threadIdx.x; i < nchunk * ROWS * COLUMNS; i += blockDim.x)
        to[i] = from[(i / COLUMNS << glog) + (i & mask)];
}

// Returns word j of the 16 bytes (uint4, float4) that a lane reads at once. j must be constant once loops are unrolled.
template <class V> __device__ __forceinline__ auto ws_element(const V &q, int j) {
    return j == 0 ? q.x : j == 1 ? q.y : j == 2 ? q.z : q.w;
}

// Two signed 16-bit values in a register: ws_both returns v in both halves, ws_larger_half the larger half.
__device__ __forceinline__ uint32_t ws_both(int v) { return __byte_perm((uint32_t)v, 0, 0x1010); }
__device__ __forceinline__ int ws_larger_half(uint32_t v) { return max((int)(int16_t)v, (int)v >> 16); }

// Reads the words of a sequence, one word ahead. After the end it gives PADDING.
template <uint32_t PADDING> struct ws_fetch_words {
    const uint32_t *at;
    uint32_t left, next;
    __device__ void begin(const uint32_t *word, uint32_t n) {
        at = word;
        left = n;
        next = n ? *word : PADDING;
    }
    __device__ uint32_t get() {
        uint32_t word = next;
        at++;
        if (left) left--;
        next = left ? *at : PADDING;
        return word;
    }
};
typedef ws_fetch_words<~0u> ws_fetch; // of residues

// Returns the largest v of the warp.
__device__ inline uint32_t ws_warp_max(uint32_t v) {
    for (int off = 16; off; off /= 2) v = max(v, __shfl_xor_sync(~0u, v, off));
    return v;
}

// Returns whether all n items of a list are taken already. All threads of the block call it.
__device__ inline bool ws_work_over(const uint32_t *taken, uint32_t n) {
    return __syncthreads_or(threadIdx.x == 0 && *(const volatile uint32_t *)taken >= n);
}

// Replaces *p by max(*p, v), for scores that several groups compute.
__device__ inline void ws_atomic_max16(uint16_t *p, uint16_t v) {
    unsigned short old = *p;
    while (old < v) {
        unsigned short seen = atomicCAS((unsigned short *)p, old, v);
        if (seen == old) break;
        old = seen;
    }
}

#endif
