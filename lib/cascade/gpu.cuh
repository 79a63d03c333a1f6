// SPDX-License-Identifier: MIT
// What the kernels of the cascade share on a device: the batch there, work lists and units, and for kernels in which groups of
// 1 to 32 lanes own a sequence each, residues and tables in shared memory.
#ifndef WS_CASCADE_GPU_CUH
#define WS_CASCADE_GPU_CUH

#include "lib/dev/lane.cuh"

extern "C" {
#include "lib/hmm/fscore.h"
#include "lib/hmm/target.h"
#include "lib/run/tool.h"
}

// ---- the batch ----

// A sequence of the batch as kernels see it.
struct ws_devseq {
    uint32_t first; // its first word
    uint32_t len;
    int16_t tjb, wmove;
    float pmove, ploop;
};

// One entry of a work list: the words from .. from+words-1 of sequence seq, which is item `out` of the task.
struct ws_devitem {
    uint32_t seq, out, from, words;
};

struct ws_devlist { // longest first
    const ws_devitem *item;
    uint32_t n;
};

enum { WS_PIECE_WORDS = 683 }; // a piece of a long sequence is at most this long: 4098 residues
enum { WS_KEPT_WORDS, WS_KEPT_SEQS, WS_KEPT_ITEMS }; // what stands where in a lane

static inline const uint32_t *ws_gpu_words(const ws_devlane *l) { return (const uint32_t *)l->kept[WS_KEPT_WORDS].p; }
static inline const ws_devseq *ws_gpu_seqs(const ws_devlane *l) { return (const ws_devseq *)l->kept[WS_KEPT_SEQS].p; }

// Queues the copies of a batch, of its lists and of what lm, one for each sequence, says into a lane; a batch of more than 2^32 words
// is too large (WS_EDEV).
int ws_gpu_load(ws_devlane *lane, const ws_batch *b, const ws_lenmodel *lm, ws_err *err);
// The list of each task, list[0..ntask): the batch's own, or one made of the items that the task names. cut: long sequences in pieces.
// They stand in the lane until the end of the call.
int ws_gpu_lists(ws_devlane *lane, const ws_batch *b, const ws_task *task, size_t ntask, bool cut, ws_devlist *list, ws_err *err);

// ---- groups ----

// A block's work: places chunk*per_block .. of a task's list.
struct ws_devunit {
    uint32_t task, chunk;
};

// What kernels take that follow lists: TASK is the kernel's own of a model, SCORE what it finds of a sequence.
template <class TASK, class SCORE> struct ws_devargs {
    const TASK *task;
    const ws_devunit *unit;
    const uint32_t *word;
    const ws_devseq *seq;
    SCORE *score;
    uint32_t *taken; // of ws_devwork
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

// Word j of the 16 bytes (uint4, float4) that a lane reads at a time; j is to be a constant once loops are unrolled.
template <class V> __device__ __forceinline__ auto ws_part(const V &q, int j) {
    return j == 0 ? q.x : j == 1 ? q.y : j == 2 ? q.z : q.w;
}

// Two signed 16-bit values in a register: v as both, and the larger of them.
__device__ __forceinline__ uint32_t ws_both(int v) { return __byte_perm((uint32_t)v, 0, 0x1010); }
__device__ __forceinline__ int ws_larger_half(uint32_t v) { return max((int)(int16_t)v, (int)v >> 16); }

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

// Whether a block that takes from a list comes too late for any of its n places. All threads call it.
__device__ inline bool ws_work_over(const uint32_t *taken, uint32_t n) {
    return __syncthreads_or(threadIdx.x == 0 && *(const volatile uint32_t *)taken >= n);
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

// Adds units of the ntask lists list[task[i]], of per_block[i] places each, the longest sequences of all first. Zero-initialise; release
// `unit` with ws_free.
struct ws_units {
    ws_devunit *unit;
    size_t n, cap;
};
int ws_units_make(ws_units *u, const ws_devlist *list, const uint32_t *task, const uint32_t *per_block, size_t ntask, ws_err *err);

// Lists from which all blocks of a launch take, whoever is free, so that the longest sequences begin first and none waits for
// another: a block that took the eight longest would work until all others are done.
struct ws_devwork {
    ws_devlist *list;           // of each task
    uint32_t *taken;            // on the device, of each task: how far its list is done or under way
    uint32_t *pick, *per_block; // room for ntask: the tasks of a launch, and how many places its blocks take at a time
    ws_units units;
};
// Zero-initialise; end it whether begin succeeds or not.
int ws_work_begin(ws_devwork *w, ws_devlane *lane, const ws_batch *b, const ws_task *task, size_t ntask, ws_err *err);
void ws_work_end(ws_devwork *w);
// Units for the first n tasks of w->pick, put on the device: more than enough to fill it, if there are so many places, and w->per_block
// grows where they would be many more.
int ws_work_units(ws_devwork *w, ws_devlane *lane, size_t n, const ws_devunit **unit, uint32_t *nunit, ws_err *err);

#endif
