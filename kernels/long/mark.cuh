// SPDX-License-Identifier: MIT
// The first pass of the SSV scan of long targets on CUDA devices: the rows of kernels/ssv/state.cuh over stretches of
// strands. One row of that file does two rows of the scan.
//
// The recurrence is that of kernels/long/tworows.inc.h. w(i,k) is the height without clearing less what residue i gains
// at node k, and three residues decide the step from w(i-2,k-2) to w(i,k). Places of the chain are the even nodes (from
// 1) and behind them the odd ones; then the place before is the node two before. Node 1 always has w = 0.
//
// A group of lanes runs through one stretch: the words of some steps, and before them as many as a diagonal can reach
// back. An alarm tells the lane that some w is so large that one of its two rows may reach the threshold. Then the lane
// computes the heights of both rows at these nodes. If one of them is at the threshold, the lane marks the segment of
// the step, and sets all w above the threshold back to it. No cell of the scan with clearing is above the threshold
// before its row is found, so these stay at least as large as that scan's.
// Specification long-targets.md, section 5, "Latitude".
//
// Contents: 1 symbols; 2 parameters; 3 the kernel that makes triples; 4 the kernel that marks
#ifndef WS_LONG_MARK_CUH
#define WS_LONG_MARK_CUH

#include "kernels/long/scan.h"
#include "kernels/ssv/shapes.cuh"
#include "kernels/ssv/state.cuh"

// ---- 1 symbols ----

// Symbols of residues: 0 to 3 are plain. Other codes than N gain at a node what the best of all codes gains. NONE is
// behind the end of a strand.
enum { WS_LONG_SEVERAL = 4, WS_LONG_ANY, WS_LONG_NONE };

// Rows of the table of steps: 16 a + 4 b + c for plain residues i-2, i-1 and i; three N; any other three; no row before
// row i, or no residue i, so that all w become 0.
enum { WS_LONG_ROW_ANY = 64, WS_LONG_ROW_SEVERAL, WS_LONG_ROW_NONE, WS_LONG_ROWS };

// A triple is what residues i-2 to i+1 decide: seven bits of the row, and three of the symbol of residue i+1. A word
// has those of three i, the first one lowest.
enum { WS_LONG_TRIPLES = 3, WS_LONG_TRIPLE_BITS = 10, WS_LONG_ROW_BITS = 7 };
// A word behind the end of a strand.
static const uint32_t WS_LONG_END = (1u << 2 * WS_LONG_TRIPLE_BITS | 1u << WS_LONG_TRIPLE_BITS | 1u) *
                                    (WS_LONG_NONE << WS_LONG_ROW_BITS | WS_LONG_ROW_NONE);

// Returns the node, from 1, of a place of the chain.
__host__ __device__ __forceinline__ int ws_long_node(int place, int M) {
    return place < M / 2 ? 2 * place + 2 : 2 * (place - M / 2) + 1;
}

// ---- 2 parameters ----

enum { WORD = WS_RESIDUES_PER_WORD };

// A strand: its words of triples from `word` on, and the first of its stretches and steps. Its n residues begin at word
// `from`; those of the other strand are read from the end and complemented.
struct mark_strand {
    uint32_t word, words, stretch, step;
    uint32_t from, n, minus;
};

struct triple_args {
    const mark_strand *strand;
    const uint32_t *code;
    uint32_t *word;
    uint32_t nstrand, words; // all words of triples
    uint8_t symbol[2][WS_CODES]; // of a code, and of its complement
};

struct mark_args {
    const uint4 *table;
    const int8_t *gain; // [symbol][M + 2]
    const mark_strand *strand;
    const uint32_t *word;
    uint32_t *flag; // a byte a step
    uint32_t nstrand, stretches, stretch;   // stretches of all strands; words of a stretch, whole steps
    uint32_t overlap, step, segment; // words of a run-in, of a step, of its segments
    int M, least, glog;              // glog: log2 of lanes a group
    uint32_t one, minus;             // of ws_ssv_alarm
};

// Returns the last of n > 0 entries whose `start` is at most v; the first entry's is.
template <class T> __device__ __forceinline__ T entry_of(const T *list, uint32_t n, uint32_t T::*start, uint32_t v) {
    uint32_t from = 0;
    while (n > 1) {
        const uint32_t half = n / 2;
        if (list[from + half].*start <= v) from += half;
        n -= half;
    }
    return list[from];
}

// ---- 3 the kernel that makes triples ----

// Returns a triple by the symbols of residues i-2 to i+1; first: there is no row before row i.
__device__ __forceinline__ uint32_t triple_of(const uint32_t *x, bool first) {
    const uint32_t most = max(max(x[0], x[1]), x[2]), least = min(min(x[0], x[1]), x[2]);
    uint32_t row = WS_LONG_ROW_SEVERAL;
    if (first || x[2] == WS_LONG_NONE) row = WS_LONG_ROW_NONE;
    else if (most < WS_LONG_SEVERAL) row = 16 * x[0] + 4 * x[1] + x[2];
    else if (least == WS_LONG_ANY) row = WS_LONG_ROW_ANY;
    return x[3] << WS_LONG_ROW_BITS | row;
}

// Makes a word of triples for each thread.
__global__ void __launch_bounds__(256) ws_long_triples(const triple_args a) {
    const uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= a.words) return;
    const mark_strand s = entry_of(a.strand, a.nstrand, &mark_strand::word, at);
    const uint32_t first = WORD * (at - s.word);
    uint32_t x[WORD + 2], word = 0;
#pragma unroll
    for (uint32_t j = 0; j < WORD + 2; j++) {
        const uint32_t p = first + j - 2, q = s.minus ? s.n - 1 - p : p;
        x[j] = p < s.n ? a.symbol[s.minus][a.code[s.from + q / WORD] >> 5 * (q % WORD) & 31u] : (uint32_t)WS_LONG_NONE;
    }
#pragma unroll
    for (int t = 0; t < WS_LONG_TRIPLES; t++)
        word |= triple_of(x + 2 * t, first == 0 && t == 0) << WS_LONG_TRIPLE_BITS * t;
    a.word[at] = word;
}

// ---- 4 the kernel that marks ----

enum { WS_LONG_THREADS_MIDDLE = 512, WS_LONG_THREADS_WIDE = 768 };
constexpr int ws_long_threads(int columns, bool global) {
    return global || columns == 8 ? (int)WS_SSV_THREADS
           : columns == 16        ? (int)WS_LONG_THREADS_MIDDLE
                                  : (int)WS_LONG_THREADS_WIDE;
}

// F(R, COLUMNS, GROUP, GLOBAL, threads, fewest lanes, most lanes), as WS_SSV_SHAPES. A table has twice as many rows, so
// the shared memory of a block holds no more than 3,072 nodes.
#define WS_LONG_SHAPES(F) \
    WS_SSV_LOW(F, 8, false, false, ws_long_threads(8, false), 1, 1) \
    WS_SSV_HIGH(F, 8, false, false, ws_long_threads(8, false), 1, 1) \
    WS_SSV_HIGH(F, 8, true, false, ws_long_threads(8, false), 2, 8) \
    WS_SSV_HIGH(F, 16, true, false, ws_long_threads(16, false), 16, 16) \
    WS_SSV_MIDDLE(F, 32, true, false, ws_long_threads(32, false), 32, 32) \
    WS_SSV_HIGH(F, 32, true, true, ws_long_threads(32, true), 32, 32) \
    WS_SSV_VAST(F, 32, true, true, ws_long_threads(32, true), 32, 32)

// Returns whether a height of rows i and i+1 is at the threshold where w(i,k) is so large. place: that of node k.
inline __device__ __noinline__ bool cell_reaches(const mark_args &a, int place, int w, uint32_t triple) {
    const uint32_t row = triple & ((1u << WS_LONG_ROW_BITS) - 1), next = triple >> WS_LONG_ROW_BITS & 7u;
    const uint32_t own = row < WS_LONG_ROW_ANY ? row & 3u : row == WS_LONG_ROW_ANY ? WS_LONG_ANY : WS_LONG_SEVERAL;
    const int k = ws_long_node(place, a.M);
    const int height = w + max((int)a.gain[own * (uint32_t)(a.M + 2) + (uint32_t)k], 0);
    if (height >= a.least) return true;
    return next != WS_LONG_NONE && k < a.M &&
           height + (int)a.gain[next * (uint32_t)(a.M + 2) + (uint32_t)k + 1] >= a.least;
}

// Returns whether a height of two rows is at the threshold in a lane. place: that of its first node.
template <int R, class STATE>
__device__ __forceinline__ bool reaches(const mark_args &a, const STATE &s, int place, uint32_t triple) {
    bool found = false;
#pragma unroll
    for (int j = 0; j < R; j++)
        for (uint32_t m = (s.u[j] + a.minus) & WS_SSV_FLOOR; m && !found; m &= m - 1) {
            const int bit = __ffs((int)m) - 8; // the byte's first
            found = cell_reaches(a, place + j + bit / 8 * R, (int)(s.u[j] >> bit & 255u) - 128, triple);
        }
    return found;
}

template <int R, int COLUMNS, bool GROUP, bool GLOBAL>
__global__ void __launch_bounds__(ws_long_threads(COLUMNS, GLOBAL))
    ws_long_mark(const __grid_constant__ mark_args a) {
    extern __shared__ uint4 shared[];
    const uint32_t lane = threadIdx.x % 32, g = GROUP ? 1u << a.glog : 1, z = lane & (g - 1);
    const uint4 *table = a.table + z;
    if (!GLOBAL) {
        ws_load_table<COLUMNS, WS_LONG_ROWS>(shared, a.table, (R + 3) / 4, a.glog);
        __syncthreads();
        table = shared + lane % COLUMNS;
    }
    const uint32_t place = (blockIdx.x * blockDim.x + threadIdx.x) >> (GROUP ? a.glog : 0);
    uint32_t before = 0, words = 0, step = 0;
    ws_fetch_words<WS_LONG_END> fetch;
    fetch.begin(a.word, 0);
    if (place < a.stretches) {
        const mark_strand s = entry_of(a.strand, a.nstrand, &mark_strand::stretch, place);
        const uint32_t at = (place - s.stretch) * a.stretch;
        before = min(at, a.overlap);
        words = before + min(a.stretch, s.words - at);
        step = s.step + at / a.step;
        fetch.begin(a.word + s.word + at - before, words);
    }

    ws_ssv_state<R, COLUMNS, GROUP, ws_ssv_alarm, WS_LONG_ROWS> s;
    s.watch.one = a.one;
    s.watch.minus = a.minus;
    s.clear();
    const uint32_t most = ws_warp_max(words), cap = (uint32_t)(128 + a.least) * 0x01010101u;
    uint32_t looks = before; // the first word of a segment without a mark
    for (uint32_t w = 0; w < most; w++) {
        uint32_t triples = fetch.get();
#pragma unroll (GLOBAL ? 1 : WS_LONG_TRIPLES)
        for (int i = 0; i < WS_LONG_TRIPLES; i++, triples >>= WS_LONG_TRIPLE_BITS) {
            s.row(table + (triples & ((1u << WS_LONG_ROW_BITS) - 1)) * COLUMNS, z == 0, (int)g);
            if (!s.watch.raised()) continue;
            s.watch.clear();
            if (w >= looks && w < words) {
                if (!reaches<R>(a, s, (int)(z * 4 * R), triples)) continue;
                const uint32_t at = step + (w - before) / a.step, segment = (w - before) / a.segment;
                atomicOr(a.flag + at / 4, WS_LONG_MARK_SEGMENT << segment % WS_LONG_SEGMENTS << 8 * (at % 4));
                looks = before + (segment + 1) * a.segment;
            }
            s.clamp(cap);
        }
    }
}

#endif
