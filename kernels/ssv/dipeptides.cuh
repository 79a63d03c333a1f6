// SPDX-License-Identifier: MIT
// SSV's alarm for proteins on CUDA devices, two rows at a time. kernels/ssv/README.md tells why no height escapes it.
//
// A dipeptide is two residues that follow one another. One addition of its costs leads from a row to the row after the
// next. A block has the costs of all dipeptides in shared memory. A longer model has parts, one after another.
#ifndef WS_SSV_DIPEPTIDES_CUH
#define WS_SSV_DIPEPTIDES_CUH

#include "kernels/ssv/rows.cuh"

enum {
    WS_SSV_DI_CODES = 20,   // residues with costs of their own
    WS_SSV_DI_CLASSES = 22, // the codes, X with all that is no residue, and those that raise the alarm: B, J, Z, O, U
    WS_SSV_DI_ROWS = 442,   // of the table in shared memory: 21 x 21 dipeptides, and one that raises the alarm
    WS_SSV_DI_COLUMNS = 8,  // of it, and lanes of the largest group
    WS_SSV_DI_THREADS = 1024,
    WS_SSV_DI_GROUPS = WS_SSV_DI_THREADS / WS_SSV_DI_COLUMNS, // of a block that has a model of several parts
    WS_SSV_DI_SHARED = WS_SSV_DI_ROWS * WS_SSV_DI_COLUMNS * 16, // bytes for four registers of all lanes
    WS_SSV_DI_LEAST = 6, WS_SSV_DI_MOST = 16, // registers of a lane
    WS_SSV_DI_FEW = 63
};

// The work of a block: n items of a task's list from the first one on. Units that last long come first; time: of a full
// block, in words of residues of a lane with one register.
struct ws_ssv_di_unit {
    uint32_t task, first, n;
    float time;
};

// edge[slot][word of residues][group]: what the last lane of one part leaves to the first lane of the next, bytes of
// two nodes before each of the three dipeptides of a word.
struct ws_ssv_di_args {
    ws_ssv_args ssv; // but for its units
    const ws_ssv_di_unit *unit;
    uint32_t words, slots; // of a group's edges; slots for edges of blocks
    uint32_t *taken;       // a bit for each slot
    uint2 *edge;
};

// Rows of a part of a model, as ws_ssv_state has them.
template <int R> struct ws_ssv_di_state {
    uint32_t u[R];
    ws_ssv_alarm alarm;

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int j = 0; j < R; j++) u[j] = WS_SSV_FLOOR;
    }

    // Returns the bytes of the two nodes that the next lane needs, the same in both halves.
    __device__ __forceinline__ uint32_t last_two() const { return __byte_perm(u[R - 2], u[R - 1], 0x7373); }

    // Computes the row after the next. e: the dipeptide's row of the table, of this lane. two: last_two() of this lane;
    // edge: for the first lane of a group that of the lane before it.
    __device__ __forceinline__ void leap(const uint4 *e, uint32_t two, bool first_lane, int g, uint32_t edge) {
        two = __shfl_up_sync(~0u, two, 1, g);
        if (first_lane) two = edge;
        const uint32_t second = __byte_perm(u[R - 2], two, 0x2104), before = __byte_perm(u[R - 1], two, 0x2105);
#pragma unroll
        for (int c = (R - 1) / 4; c >= 0; c--) {
            const uint4 q = e[c * WS_SSV_DI_ROWS * WS_SSV_DI_COLUMNS];
#pragma unroll
            for (int j = 4 * c + 3; j >= 4 * c; j--)
                if (j < R)
                    u[j] = ws_ssv_above_floor((j > 1 ? u[j - 2] : j ? before : second) + ws_element(q, j & 3));
#pragma unroll
            for (int j = 4 * c + 2; j >= 4 * c; j -= 2)
                if (j < R) alarm.see(u[j], u[j + 1 < R ? j + 1 : j]);
        }
    }
};

// Fills the table with what all dipeptides cost in one part of a model: the sums of what its two residues cost.
__device__ inline void ws_ssv_di_fill(uint4 *to, const uint4 *from, int quads, int glog) {
    const int mask = (1 << glog) - 1, classes = WS_SSV_DI_CLASSES << glog;
    for (int i = threadIdx.x; i < quads * WS_SSV_DI_ROWS * WS_SSV_DI_COLUMNS; i += blockDim.x) {
        const int z = i & mask, at = i / WS_SSV_DI_COLUMNS, row = at % WS_SSV_DI_ROWS, quad = at / WS_SSV_DI_ROWS;
        const bool raises = row == WS_SSV_DI_ROWS - 1;
        const int first = raises ? WS_SSV_DI_CLASSES - 1 : row / (WS_SSV_DI_CODES + 1),
                  second = raises ? WS_SSV_DI_CLASSES - 1 : row % (WS_SSV_DI_CODES + 1);
        const uint4 a = from[quad * classes + (first << glog) + z];
        const uint4 b = from[(quads + quad) * classes + (second << glog) + z];
        to[i] = make_uint4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
}

// Returns the class of a code.
__device__ inline uint32_t ws_ssv_di_class(uint32_t code) {
    enum { ANY = 26 };
    return code > WS_SSV_DI_CODES && code < ANY ? WS_SSV_DI_CLASSES - 1 : min(code, (uint32_t)WS_SSV_DI_CODES);
}

// Returns where the table has the row of the dipeptide of two codes, the first one in the low five bits, in bytes.
__device__ inline uint16_t ws_ssv_di_row_of(uint32_t codes) {
    const uint32_t a = ws_ssv_di_class(codes & 31), b = ws_ssv_di_class(codes >> 5);
    const uint32_t row = max(a, b) == WS_SSV_DI_CLASSES - 1 ? WS_SSV_DI_ROWS - 1 : a * (WS_SSV_DI_CODES + 1) + b;
    return (uint16_t)(row * WS_SSV_DI_COLUMNS * 16);
}

// Returns whether a height of the group's stretch, word[0..words), reaches the threshold. All threads of the block call
// it. table: in shared memory; row_of: ws_ssv_di_row_of of all pairs of codes; edge: where the block's edges begin.
template <int R, bool PARTS>
__device__ bool ws_ssv_di_raised(const ws_ssv_di_args &a, const ws_ssv_di_task di, uint4 *table, const uint16_t *row_of,
                             const uint32_t *word, uint32_t words, int threshold, uint32_t edge) {
    enum { QUADS = (R + 3) / 4 };
    const uint32_t g = 1u << di.glog, z = threadIdx.x & (g - 1), longest = ws_warp_max(words);
    const char *mine = (const char *)(table + threadIdx.x % WS_SSV_DI_COLUMNS);
    edge += threadIdx.x / WS_SSV_DI_COLUMNS;
    ws_ssv_di_state<R> s;
    s.alarm.one = a.ssv.one;
    s.alarm.minus = -((uint32_t)threshold * 0x01010101u);
    s.alarm.clear();
    for (int part = 0; part < (PARTS ? di.parts : 1); part++) {
        __syncthreads();
        ws_ssv_di_fill(table, di.table + (size_t)part * 2 * QUADS * WS_SSV_DI_CLASSES * g, QUADS, di.glog);
        __syncthreads();
        ws_fetch fetch;
        fetch.begin(word, words);
        s.clear();
        for (uint32_t w = 0; w < longest; w++) {
            const uint32_t codes = fetch.get();
            uint2 in = make_uint2(WS_SSV_FLOOR, WS_SSV_FLOOR), out;
            if (PARTS && part && z == 0) in = a.edge[edge + w * WS_SSV_DI_GROUPS];
#pragma unroll
            for (int i = 0; i < 3; i++) {
                const uint32_t two = s.last_two();
                if (i == 0) out.x = two;
                if (i == 1) out.x = __byte_perm(out.x, two, 0x5410);
                if (i == 2) out.y = two;
                s.leap((const uint4 *)(mine + row_of[codes >> 10 * i & 1023u]), two, z == 0, (int)g,
                       i == 0 ? in.x : i == 1 ? in.x >> 16 : in.y);
            }
            if (PARTS) __syncwarp(); // the first lane has read what the last lane overwrites
            if (PARTS && z == g - 1 && part + 1 < di.parts) a.edge[edge + w * WS_SSV_DI_GROUPS] = out;
        }
    }
    uint32_t raised = s.alarm.raised();
    for (uint32_t off = g / 2; off; off /= 2) raised |= __shfl_xor_sync(~0u, raised, off);
    return raised;
}

// Queues those items of a unit whose best height may matter.
template <int R, bool PARTS>
__device__ __forceinline__ void ws_ssv_di_run(const ws_ssv_di_args &a, ws_ssv_di_unit unit, uint4 *table,
                                              const uint16_t *row_of, uint32_t edge) {
    const ws_ssv_task &t = a.ssv.task[unit.task];
    const uint32_t j = threadIdx.x >> t.di.glog, index = unit.first + j;
    const bool mine = j < unit.n && index < t.n;
    ws_devitem item = {};
    ws_devseq seq = {};
    int least = 127;
    if (mine) {
        item = t.item[index];
        seq = a.ssv.seq[item.seq];
        least = ws_ssv_least(&t.bytes, seq.tjb, -ws_above_null(0, seq.len), t.least);
    }
    const uint32_t before = min(item.from, (uint32_t)t.overlap);
    const int threshold = ws_ssv_least_of_two_rows(&t.bytes, least);
    const uint32_t *word = a.ssv.word + seq.first + item.from - before;
    const bool raised = ws_ssv_di_raised<R, PARTS>(a, t.di, table, row_of, word, item.words + before, threshold, edge);
    if ((threadIdx.x & ((1u << t.di.glog) - 1)) == 0 && mine && raised)
        a.ssv.queue[t.queue + atomicAdd(&a.ssv.count[unit.task], 1)] = index;
}

// Chooses the shape and makes the table of the alarm two rows at a time: [part][first and second residue][four
// registers][class][lane] of 16 bytes. p->R is 0 for other alphabets than that of proteins, for models that are too
// long, and where devices have too little shared memory. It is 0 for models of up to WS_SSV_DI_FEW nodes too: with 60
// nodes it was no faster. Returns WS_ENOMEM on failure.
int ws_ssv_di_lay_out(ws_ssv_di *p, ws_devtable *table, const ws_bytes *b, ws_err *err);

// Returns what the kernel needs of a task; words: of its longest stretch, with what comes before. R is 0 if the model
// has no table, or the call no room for edges.
ws_ssv_di_task ws_ssv_di_choose(const ws_devcall *c, const ws_ssv_di &p, uint32_t words);

// Queues the alarm of the tasks that have dipeptides. di: of each task, as list; words: the most of these tasks.
// Returns WS_EDEV on failure.
int ws_ssv_di_launch(ws_devcall *c, const ws_devlist *list, const ws_ssv_di_task *di, const ws_ssv_args &args,
                     uint32_t words, ws_err *err);

#endif
