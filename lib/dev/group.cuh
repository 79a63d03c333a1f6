// SPDX-License-Identifier: MIT
// What kernels share in which groups of 1 to 32 lanes own a sequence each: work units, residues, tables in shared memory.
#ifndef WS_DEV_GROUP_CUH
#define WS_DEV_GROUP_CUH

#include "lib/dev/lane.cuh"

// A block's work: places chunk*per_block .. of a task's list.
struct ws_devunit {
    uint32_t task, chunk;
};

enum {
    WS_CODES = 32,      // rows of an emission table: every 5-bit code has one, padding too
    WS_FULL = 8         // lanes that read 16 bytes each fill the 32 banks of shared memory once
};

// Emission tables stand in shared memory as [chunk][code][slot] of 16 bytes. A slot is a lane of a group; groups of fewer than
// 8 lanes have 8/g copies side by side, one for each group of a quarter warp, so that no two lanes of it meet in a bank
// whatever their residues are. On its way here the table has g slots.
template <int SLOTS> __device__ inline void ws_load_table(uint4 *to, const uint4 *from, int nchunk, int glog) {
    const int mask = (1 << glog) - 1;
    for (int i = threadIdx.x; i < nchunk * WS_CODES * SLOTS; i += blockDim.x)
        to[i] = from[(i / SLOTS << glog) + (i & mask)];
}

// The residue words of a sequence, one word ahead; padding codes from its end on.
struct ws_fetch {
    const uint32_t *at;
    uint32_t left, next;
    __device__ void begin(const uint32_t *word, uint32_t n) {
        at = word;
        left = n;
        next = n ? *word : ~0u;
    }
    __device__ uint32_t get() {
        uint32_t word = next;
        at++;
        if (left) left--;
        next = left ? *at : ~0u;
        return word;
    }
};

// The largest over the warp.
__device__ inline uint32_t ws_warp_max(uint32_t v) {
    for (int off = 16; off; off /= 2) v = max(v, __shfl_xor_sync(~0u, v, off));
    return v;
}

// max of 16-bit memory, for scores that several groups work out
__device__ inline void ws_atomic_max16(uint16_t *p, uint16_t v) {
    unsigned short old = *p;
    while (old < v) {
        unsigned short seen = atomicCAS((unsigned short *)p, old, v);
        if (seen == old) break;
        old = seen;
    }
}

// ---- host ----

// Units of `per_block` places each of ntask lists, the longest sequences of all tasks first; `pick` says which tasks.
struct ws_units {
    ws_devunit *unit;
    size_t n, cap;
};
int ws_units_make(ws_units *u, const ws_devlist *list, const uint32_t *task, const uint32_t *per_block, size_t ntask, ws_err *err);

#endif
