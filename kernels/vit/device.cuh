// SPDX-License-Identifier: MIT
// The Viterbi filter on CUDA devices, the kernel: two nodes to a register, states and transitions in registers.
// README.md draws the layout.
//
// Contents: 1 parameters and layout; 2 groups; 3 rows; 4 the kernel
#ifndef WS_VIT_DEVICE_CUH
#define WS_VIT_DEVICE_CUH

#include "kernels/vit/shapes.cuh"
#include "lib/dev/cluster.cuh"
#include "kernels/filter/group.cuh"

extern "C" {
#include "kernels/vit/vit.h"
#include "kernels/vit/points.h"
}

#include <limits.h>

// ---- 1 parameters and layout ----
//
// Node n (from 0) of a lane's 2R is half n / R of register n % R.
//
// Saturating 16-bit additions are slow on devices. So values are 4096 lower than in the specification, and never below
// LOW = -16384. This leaves room on both sides: transitions and emissions are at least -16384, emissions at most 4095.
// LOW gives the same scores as -32768, because xB + BM_k >= LOW for every node. No path from a cell at LOW is better
// than an entry there. The CPU scores models and lengths for which this does not hold. A sequence whose M all lie at
// LOW is UNDECIDED, and the CPU scores it. An impossible residue costs -32768 in two steps of -16384.

enum { SHIFT = 4096, LOW = -16384, STEP = -16384, TOP = 32767 - SHIFT, PAD_ENTRY = -12288 };
enum { UNDECIDED = INT_MIN, OVERFLOWED = INT_MAX }; // any other value: xC
enum { BM, MM, IM, DM, MI, II, MD, DD, NTRANS };

struct vit_task {
    const uint4 *table;
    const uint32_t *trans; // [NTRANS][R][lanes]: BM, MD and DD into a node, the others out of it; then gain[lanes]
    const ws_devitem *item;
    uint32_t n, first;
    int glog;       // log2 of the lanes a group, up to a warp; unused for larger groups
    int least_move; // the CPU scores sequences so long that wmove is lower
    uint32_t dead; // bit x: residue x is impossible in every node
};

// The result that a caller wants of a sequence: its score, or the points of the Viterbi scan of a window.
enum vit_goal { SCORE, POINTS };
template <vit_goal GOAL> struct vit_result;
template <> struct vit_result<SCORE> { typedef int32_t type; };
template <> struct vit_result<POINTS> { typedef unsigned long long type; }; // number of points
template <vit_goal GOAL> struct vit_args : ws_devargs<vit_task, typename vit_result<GOAL>::type> {
    ws_devfinds finds; // POINTS
};

// Returns whether this is a kernel of the filter, for tests that stand in its place. cuda.cu has it.
extern "C" int ws_vit_is_filter(const void *kernel);

enum { THREADS = 128, MAX_WARPS = 8, MAX_LANES = 32 * MAX_WARPS };

// ---- 2 groups ----

// The lanes that own a sequence: some of a warp, a block, or all blocks of a cluster. Values cross warps through shared
// memory, with a barrier between the write and the read.
enum vit_span { IN_WARP, IN_BLOCK, IN_CLUSTER };

// of a block; border, asked and more exist twice, because lanes may still read those of the previous turn
struct vit_board {
    uint32_t border[2][MAX_WARPS + 1]; // what each warp leaves for the next warp; index 0 is for the previous block
    uint32_t asked[2], more[2];        // number of the last question that a lane answered with yes
    int largest[WS_VIT_CLUSTER_MOST * MAX_WARPS];
    uint32_t place;
};

template <vit_span SPAN> struct vit_group {
    static constexpr bool WIDE = SPAN != IN_WARP;
    int z, g; // index of this lane, and number of lanes
    vit_board *board;
    uint32_t turn, question;

    __device__ __forceinline__ void meet() {
        if (SPAN == IN_CLUSTER) ws_cluster_sync();
        else __syncthreads();
    }
    // Writes v to this field of every block's board.
    template <typename T> __device__ __forceinline__ void tell(T *where, T v) {
        if (SPAN == IN_CLUSTER)
            for (uint32_t to = 0; to < ws_cluster_blocks(); to++)
                ws_cluster_store(ws_cluster_at(where, to), (uint32_t)v);
        else atomicExch(where, v); // several warps may write the same value at once
    }
    // Returns v of the lane before in this warp or group, and LOW for its first lane.
    __device__ __forceinline__ uint32_t before(uint32_t v) {
        const int width = WIDE ? 32 : g;
        const uint32_t in = __shfl_up_sync(~0u, v, 1, width);
        return z % width ? in : ws_both(LOW);
    }
    // WIDE: leaves v for the first lane of the next warp, which reads it after a barrier.
    __device__ __forceinline__ void leave(uint32_t v) {
        turn ^= 1;
        if (z % 32 != 31) return;
        const uint32_t warp = threadIdx.x / 32;
        board->border[turn][warp + 1] = v;
        if (SPAN == IN_CLUSTER && warp == MAX_WARPS - 1 && z + 1 < g)
            ws_cluster_store(ws_cluster_at(&board->border[turn][0], ws_cluster_rank() + 1), v);
    }
    __device__ __forceinline__ uint32_t taken() { return z ? board->border[turn][threadIdx.x / 32] : ws_both(LOW); }
    // Returns v of the lane before.
    __device__ __forceinline__ uint32_t up(uint32_t v) {
        uint32_t in = before(v);
        if (WIDE) {
            leave(v);
            meet();
            if (z % 32 == 0) in = taken();
        }
        return in;
    }
    // Returns whether p or q holds in any lane. If so, sets more to whether p holds in any lane.
    __device__ __forceinline__ bool either(bool p, bool q, bool &more) {
        bool some;
        if (SPAN == IN_WARP) {
            some = __any_sync(~0u, p || q);
            more = some && __any_sync(~0u, p);
            return some;
        }
        question++;
        const bool warp_p = __any_sync(~0u, p), warp_q = SPAN == IN_CLUSTER && __any_sync(~0u, q);
        if (warp_p && z % 32 == 0) tell(&board->more[question & 1], question);
        if (SPAN == IN_BLOCK) some = __syncthreads_or(p || q);
        else {
            if ((warp_p || warp_q) && z % 32 == 0) tell(&board->asked[question & 1], question);
            meet();
            some = *(volatile uint32_t *)&board->asked[question & 1] == question;
        }
        more = *(volatile uint32_t *)&board->more[question & 1] == question;
        return some;
    }
    __device__ __forceinline__ bool any(bool p) {
        bool more;
        return SPAN == IN_BLOCK ? __syncthreads_or(p) : either(false, p, more);
    }
    __device__ __forceinline__ int largest(int v) {
        for (int off = WIDE ? 16 : g / 2; off; off /= 2) v = max(v, __shfl_xor_sync(~0u, v, off));
        if (!WIDE) return v;
        meet(); // until here, lanes may read the values of the last call
        if (z % 32 == 0) tell(&board->largest[z / 32], v);
        meet();
        for (int w = 0; w < g / 32; w++) v = max(v, *(volatile int *)&board->largest[w]);
        return v;
    }
    // Returns the first item that no other group has taken. This group, or the groups of this warp, take the items from
    // there.
    __device__ __forceinline__ uint32_t take(uint32_t *taken) {
        const bool me = WIDE ? z == 0 : threadIdx.x % 32 == 0;
        uint32_t place = 0;
        if (me) place = atomicAdd(taken, WIDE ? 1u : 32u / (uint32_t)g);
        if (!WIDE) return __shfl_sync(~0u, place, 0);
        meet();
        if (me) tell(&board->place, place);
        meet();
        return *(volatile uint32_t *)&board->place;
    }
};

// ---- 3 rows ----

// Returns what enters the first node of each half of a lane: the last node of the half before.
__device__ __forceinline__ uint32_t shifted(uint32_t own, uint32_t before) { return __byte_perm(own, before, 0x1076); }

// State of a row: X, the best that M, I and D of a node send to M of the next node, and the next row's I. D lives only
// within a row.
// With POINTS, a row that reaches `top` has points: its nodes go to the finds, all cells become empty, and E, J and B
// stay.
template <int R, vit_span SPAN, vit_goal GOAL> struct vit_state {
    static constexpr bool WIDE = SPAN != IN_WARP;
    static constexpr bool KEEP = WIDE || WS_VIT_KEEP_DD(R); // D to D also in registers, else in shared memory
    static constexpr int COLUMN = WIDE ? MAX_LANES : 32; // threads of a column there
    uint32_t X[R], I[R], t[KEEP ? NTRANS : DD][R];
    const volatile uint32_t *aside; // [gain, then D to D unless KEEP][COLUMN], beginning at this lane
    int edge;                       // WIDE: the most that M of the last node gains through the next lane's first D
    uint32_t inX;
    uint32_t best;  // largest M of all rows
    uint32_t xB;
    uint32_t limit; // a best above this changes xB
    uint32_t floor; // a D above this may matter as D to D: xB less the most that the nodes of the half can gain
    bool over;      // no later row can change the score
    int top;        // POINTS
    uint32_t pair;  // POINTS: the number of the window's score
    const vit_args<GOAL> *out; // POINTS; in shared memory

    __device__ __forceinline__ void load(const uint32_t *trans, int z, int g) {
#pragma unroll
        for (int i = 0; i < (KEEP ? NTRANS : DD); i++)
#pragma unroll
            for (int j = 0; j < R; j++) t[i][j] = trans[(i * R + j) * g + z];
        edge = -65536;
        if (WIDE && z + 1 < g)
            edge = (int)(int16_t)trans[MD * R * g + z + 1] + (int)(int16_t)trans[NTRANS * R * g + z + 1];
    }
    __device__ __forceinline__ uint32_t dd(int j) const { return KEEP ? t[KEEP ? DD : 0][j] : aside[(1 + j) * COLUMN]; }
    __device__ __forceinline__ void set_xB(int v) {
        const uint32_t gain = aside[0];
        const int low = v - (int)(int16_t)gain, high = v - ((int)gain >> 16);
        xB = ws_both(v);
        floor = __byte_perm((uint32_t)min(max(low, -32768), 32767), (uint32_t)min(max(high, -32768), 32767), 0x5410);
    }
    __device__ __forceinline__ void empty() {
#pragma unroll
        for (int j = 0; j < R; j++) X[j] = I[j] = ws_both(LOW);
    }
    __device__ __forceinline__ void begin(int wmove) {
        empty();
        inX = best = ws_both(LOW);
        limit =
            ws_both(GOAL == POINTS ? min(WS_WORD_BASE - WS_WORD_E - SHIFT, top - 1) : WS_WORD_BASE - WS_WORD_E - SHIFT);
        over = false;
        set_xB(WS_WORD_BASE + wmove - SHIFT);
    }

    __device__ __forceinline__ void add_point(uint32_t row, uint32_t node) {
        atomicAdd(out->score + pair, 1ull);
        if (*(const volatile uint32_t *)out->finds.n > out->finds.room) return;
        const uint32_t at = atomicAdd(out->finds.n, 1u);
        if (at < out->finds.room) out->finds.at[at] = {ws_vit_point_of(row, node), pair, 0};
    }
    // Adds the points of row `row`, from 1, whose largest M is xE.
    __device__ __forceinline__ void add_points(const uint32_t (&M)[R], int xE, int z, uint32_t row) {
#pragma unroll
        for (int j = 0; j < R; j++) {
            const uint32_t node = (uint32_t)(z * 2 * R + j + 1);
            if ((int)(int16_t)M[j] == xE) add_point(row, node);
            if ((int)M[j] >> 16 == xE) add_point(row, node + R);
        }
        best = limit;
    }

    // Updates E, J, C and B if this row changes them. Returns whether it has points instead.
    __device__ __forceinline__ bool specials(vit_group<SPAN> &grp, int wmove, const uint32_t (&M)[R], uint32_t row) {
        const int xE = grp.largest(ws_larger_half(best));
        if (xE <= (int)(int16_t)limit) return false;
        if constexpr (GOAL == POINTS)
            if (xE >= top) {
                add_points(M, xE, grp.z, row);
                return true;
            }
        over = xE >= TOP;
        limit = ws_both(over ? 32767 : xE);
        set_xB(max(xE + WS_WORD_E, WS_WORD_BASE - SHIFT) + wmove);
        return false;
    }

    // Returns v where it is above the floor, else LOW: a D at or below the floor changes no score.
    __device__ __forceinline__ uint32_t worthy(uint32_t v) const {
        const uint32_t low = (int16_t)v > (int16_t)floor ? v : ws_both(LOW),
                       high = (int)v >> 16 > (int)floor >> 16 ? v : ws_both(LOW);
        return __byte_perm(low, high, 0x7610);
    }
    // Computes D to D: along the half lanes, then across their borders while it may matter, then across the borders of
    // warps.
    __device__ __forceinline__ void chain(vit_group<SPAN> &grp, uint32_t D[R]) {
        uint32_t sent = ws_both(LOW), out;
        for (;;) {
            for (;;) {
#pragma unroll
                for (int j = 1; j < R; j++) D[j] = __viaddmax_s16x2(D[j - 1], dd(j), D[j]);
                out = worthy(D[R - 1]);
                const uint32_t d = __viaddmax_s16x2(shifted(out, grp.before(out)), dd(0), D[0]);
                if (!__any_sync(~0u, d != D[0])) break;
                D[0] = d;
            }
            if (!WIDE) return;
            grp.leave(out);
            if (!grp.any(grp.z % 32 == 31 && grp.z + 1 < grp.g && (out ^ sent) >> 16)) return;
            sent = out;
            if (grp.z % 32 == 0) D[0] = __viaddmax_s16x2(shifted(out, grp.taken()), dd(0), D[0]);
        }
    }

    // Computes the row of one residue, row `number` from 1. e: its row of the table; stride: distance between chunks
    // there; dead: the residue is impossible. The function computes D to D only where HMMER's bound allows it to matter
    // (profile-filters.md, section 5.2), tested for each half lane. The test may use the previous row's xB, which is no
    // higher.
    __device__ __forceinline__ void row(vit_group<SPAN> &grp, const uint4 *e, int stride, bool dead, int wmove,
                                        uint32_t number) {
        uint32_t M[R], D[R], most = ws_both(LOW);
#pragma unroll
        for (int c = (R - 1) / 4; c >= 0; c--) {
            const uint4 q = e[c * stride];
#pragma unroll
            for (int j = 4 * c + 3; j >= 4 * c; j--)
                if (j < R)
                    M[j] = __viaddmax_s16x2(__viaddmax_s16x2(xB, t[BM][j], j ? X[j - 1] : inX), ws_element(q, j & 3),
                                            ws_both(LOW));
        }
        if (dead) {
#pragma unroll
            for (int j = 0; j < R; j++) M[j] = __viaddmax_s16x2(M[j], ws_both(STEP), ws_both(LOW));
        }
        // One vote covers all rare cases. In a block the vote's barrier also separates leaving a border from reading
        // it. So each warp tests before the barrier what its border does to the next warp's first D.
        if (WIDE) grp.leave(M[R - 1]);
        const uint32_t in = shifted(M[R - 1], grp.before(M[R - 1]));
#pragma unroll
        for (int j = 0; j < R; j += 2) best = __vimax3_s16x2(best, M[j], M[j + 1 < R ? j + 1 : j]);
#pragma unroll
        for (int j = 0; j < R; j++) D[j] = __viaddmax_s16x2(j ? M[j - 1] : in, t[MD][j], ws_both(LOW));
#pragma unroll
        for (int j = 0; j < R; j += 2) most = __vimax3_s16x2(most, D[j], D[j + 1 < R ? j + 1 : j]);
        const bool there = WIDE && ((int)M[R - 1] >> 16) + edge > (int)(int16_t)xB;
        bool higher;
        const bool rare = grp.either(__vmaxs2(best, limit) != limit, there || __vmaxs2(most, floor) != floor, higher);
        if (WIDE && grp.z % 32 == 0) D[0] = __viaddmax_s16x2(shifted(M[R - 1], grp.taken()), t[MD][0], ws_both(LOW));
        bool ends = false;
        if (rare) {
            if (higher) ends = specials(grp, wmove, M, number);
            chain(grp, D);
        }
#pragma unroll
        for (int j = R - 1; j >= 0; j--) {
            X[j] = __viaddmax_s16x2(D[j], t[DM][j], __viaddmax_s16x2(I[j], t[IM][j], __vadd2(M[j], t[MM][j])));
            I[j] = __viaddmax_s16x2(I[j], t[II][j], __viaddmax_s16x2(M[j], t[MI][j], ws_both(LOW)));
        }
        if (GOAL == POINTS && ends) empty();
        inX = shifted(X[R - 1], grp.up(X[R - 1]));
    }
};

// ---- 4 the kernel ----

// Returns whether the device can scan a window whose rows have points at `top` words and above. Then no sum leaves its
// range below, and no cell at LOW is a point.
__device__ __forceinline__ bool takes_top(int top) { return top > LOW && top < TOP - SHIFT; }

template <int R, int COLUMNS, vit_span SPAN, vit_goal GOAL>
__global__ void __launch_bounds__(SPAN == IN_WARP ? THREADS : MAX_LANES, SPAN == IN_WARP ? WS_VIT_BLOCKS(R) : 1)
    ws_vit_scores(const vit_args<GOAL> a) {
    constexpr bool WIDE = SPAN != IN_WARP;
    extern __shared__ uint4 shared[];
    __shared__ vit_board board;
    __shared__ vit_task t; // in shared memory, because rows do not need it in registers
    __shared__ vit_args<GOAL> out;
    vit_group<SPAN> grp;
    const int blocks = SPAN == IN_CLUSTER ? (int)ws_cluster_blocks() : 1;
    const uint32_t task = a.unit[blockIdx.x / (uint32_t)blocks].task;
    if (threadIdx.x == 0) {
        t = a.task[task];
        if (GOAL == POINTS) out = a;
        for (int i = 0; i < 2; i++) board.asked[i] = board.more[i] = 0;
    }
    __syncthreads();
    // the blocks of a cluster may read different counts
    if (SPAN != IN_CLUSTER && ws_work_over(a.taken + task, t.n)) return;
    grp.g = WIDE ? (int)blockDim.x * blocks : 1 << t.glog;
    grp.z = SPAN == IN_CLUSTER ? (int)(ws_cluster_rank() * blockDim.x + threadIdx.x)
                               : (int)threadIdx.x & (WIDE ? ~0 : grp.g - 1);
    grp.board = &board;
    grp.turn = grp.question = 0;
    const uint4 *table = t.table + grp.z;
    const int columns = WIDE ? grp.g : COLUMNS; // of the table
    vit_state<R, SPAN, GOAL> s;
    uint32_t *aside = (uint32_t *)shared;
    if constexpr (!WIDE) {
        ws_load_table<COLUMNS>(shared, t.table, (R + 3) / 4, t.glog);
        table = shared + threadIdx.x % COLUMNS;
        aside = (uint32_t *)(shared + (R + 3) / 4 * WS_CODES * COLUMNS);
    }
    aside += threadIdx.x % s.COLUMN;
    s.aside = aside;
    s.out = &out;
    if (threadIdx.x < s.COLUMN) {
        aside[0] = t.trans[NTRANS * R * grp.g + grp.z];
        for (int j = 0; j < R && !s.KEEP; j++) aside[(1 + j) * s.COLUMN] = t.trans[(DD * R + j) * grp.g + grp.z];
    }
    __syncthreads();
    s.load(t.trans, grp.z, grp.g);
    for (;;) {
        uint32_t place = grp.take(a.taken + task);
        if (place >= t.n) return;
        if (!WIDE) place += threadIdx.x % 32 >> t.glog;
        uint32_t words = 0, first = 0;
        typename vit_result<GOAL>::type *score = NULL;
        int wmove = 0;
        s.top = TOP; // of groups without a window, which go along with others of the warp
        if (place < t.n) {
            const ws_devitem item = t.item[place];
            const ws_devseq seq = a.seq[item.seq];
            score = a.score + t.first + item.out;
            const int top = (int)seq.tjb - SHIFT; // ws_vit_window_set
            if (seq.wmove >= t.least_move && (GOAL == SCORE || (takes_top(top) && seq.len <= WS_VIT_MOST_ROWS))) {
                words = item.words;
                first = seq.first;
                wmove = seq.wmove;
                if (GOAL == POINTS) s.top = top;
            } else if (grp.z == 0) *score = (typename vit_result<GOAL>::type)(GOAL == SCORE ? (int64_t)UNDECIDED : -1);
            if constexpr (GOAL == POINTS) s.pair = t.first + item.out;
        }
        ws_fetch fetch;
        fetch.begin(a.word + first, words);
        s.begin(wmove);
        uint32_t row = 0;
        for (uint32_t w = ws_warp_max(words); w; w--) {
            const uint32_t codes = fetch.get();
#pragma unroll 1
            for (int shift = 0; shift < 30; shift += 5) {
                const uint32_t x = codes >> shift & 31u;
                if (GOAL == POINTS) row++;
                s.row(grp, table + (size_t)x * columns, WS_CODES * columns, t.dead >> x & 1u, wmove, row);
            }
            if (GOAL == SCORE && !WIDE && __all_sync(~0u, s.over || fetch.left == 0)) break;
        }
        if (GOAL == POINTS) continue;
        const int xE = grp.largest(ws_larger_half(s.best));
        if (grp.z == 0 && words) *score = s.over ? OVERFLOWED : xE <= LOW ? UNDECIDED : xE + SHIFT + WS_WORD_E;
    }
}

#endif
