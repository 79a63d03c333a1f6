// SPDX-License-Identifier: MIT
// The kernel of SSV on devices: a group of 1 to 32 lanes a sequence. kernels/ssv/README.md draws the layout and tells
// what the alarm is for; kernels/ssv/state.cuh has the rows.
#ifndef WS_SSV_ROWS_CUH
#define WS_SSV_ROWS_CUH

#include "kernels/filter/bias.cuh"
#include "kernels/filter/group.cuh"
#include "kernels/ssv/ssv.cuh"
#include "kernels/ssv/state.cuh"

// The part of ws_ssv_di that kernels need, on one device. R 0: the task has its alarm row by row.
struct ws_ssv_di_task {
    const uint4 *table;
    int R, glog, parts;
};

struct ws_ssv_task {
    const uint4 *table;
    const ws_devitem *item;
    uint32_t n, first; // items of the task; index of its first score
    uint32_t queue;    // index of its first entry in the queue
    int glog, overlap; // log2 of the lanes a group; words before a stretch's first word that its scores depend on
    ws_bytes bytes;    // the scalars; cost is NULL
    float least;       // scores less than this many nats above the null score are of no use
    ws_ssv_di_task di;
};

struct ws_ssv_args {
    const ws_ssv_task *task;
    const ws_devunit *unit;
    const uint32_t *word;
    const ws_devseq *seq;
    uint16_t *best;
    // places of alarmed items in their task's list, and how many each task has; NULL: there is no alarm
    uint32_t *queue, *count;
    uint32_t byte_up, one; // 256 and 1, for the multiplier
};

template <int COLUMNS, class STATE>
__device__ __forceinline__ void ws_ssv_all_rows(STATE &s, ws_fetch &fetch, uint32_t words, const uint4 *table,
                                                bool first_lane, uint32_t g) {
    s.clear();
    for (uint32_t w = ws_warp_max(words); w; w--) {
        const uint32_t codes = fetch.get();
#pragma unroll
        for (int i = 0; i < 6; i++) s.row(table + (codes >> 5 * i & 31u) * COLUMNS, first_lane, (int)g);
    }
}

// Returns whether some height of the group's stretch may be one that matters. threshold: the least height that does.
template <int R, int COLUMNS, bool GROUP>
__device__ __forceinline__ bool ws_ssv_raised(const ws_ssv_args &a, ws_fetch &fetch, uint32_t words,
                                              const uint4 *table, bool first_lane, uint32_t g, int threshold) {
    ws_ssv_state<R, COLUMNS, GROUP, ws_ssv_alarm> s;
    s.watch.one = a.one;
    s.watch.minus = -((uint32_t)max(threshold, 0) * 0x01010101u);
    ws_ssv_all_rows<COLUMNS>(s, fetch, words, table, first_lane, g);
    uint32_t raised = s.watch.raised();
    if (GROUP)
        for (uint32_t off = g / 2; off; off /= 2) raised |= __shfl_xor_sync(~0u, raised, off);
    return raised;
}

// Makes of an item, of which `part` is one of at most `parts` parts, that part; one without words where it has fewer.
// Few items leave a device idle while the longest of them lasts. So each part is at least twice as long as the rows
// before it that it depends on.
__device__ __forceinline__ void ws_ssv_cut(ws_devitem *item, uint32_t part, uint32_t parts, uint32_t overlap) {
    enum { LEAST = 64 };
    const uint32_t most = item->words / max(2 * overlap, (uint32_t)LEAST), n = max(min(parts, most), 1u);
    const uint32_t size = (item->words + n - 1) / n, from = min(part * size, item->words);
    item->from += from;
    item->words = part < n ? min(size, item->words - from) : 0;
}

// ALARM: queues the items whose best height may matter. Otherwise writes the best heights of all items or, where there
// is an alarm, of those in the queue, in parts.
template <bool ALARM, int R, int COLUMNS, bool GROUP, bool GLOBAL>
__global__ void __launch_bounds__(COLUMNS == 32 && !GLOBAL ? WS_SSV_THREADS_WIDE : WS_SSV_THREADS)
    ws_ssv_rows(const ws_ssv_args a) {
    extern __shared__ uint4 shared[];
    const ws_devunit unit = a.unit[blockIdx.x];
    const ws_ssv_task t = a.task[unit.task];
    if (ALARM && t.di.R) return;
    const uint32_t *queue = ALARM || !a.queue ? NULL : a.queue + t.queue;
    const uint32_t items = queue ? a.count[unit.task] : t.n, glog = GROUP ? (uint32_t)t.glog : 0;
    // the blocks of the launch have room for t.n items
    const uint32_t parts = !queue || items > t.n / 2 ? 1 : items > t.n / 4 ? 2 : 4, n = items * parts;
    if (unit.chunk * blockDim.x >> glog >= n) return;
    const uint32_t lane = threadIdx.x % 32, g = 1u << glog, z = lane & (g - 1);
    const uint4 *table = t.table + z;
    const uint32_t place = (unit.chunk * blockDim.x + threadIdx.x) >> glog;
    ws_devitem item = {};
    ws_devseq seq = {};
    if (place < n) {
        item = t.item[queue ? queue[place % items] : place];
        seq = a.seq[item.seq];
        if (queue) ws_ssv_cut(&item, place / items, parts, (uint32_t)t.overlap);
    }
    if (queue && !__syncthreads_or(item.words)) return;
    if (!GLOBAL) {
        ws_load_table<COLUMNS>(shared, t.table, (R + 3) / 4, t.glog);
        __syncthreads();
        table = shared + lane % COLUMNS;
    }
    const uint32_t before = item.words ? min(item.from, (uint32_t)t.overlap) : 0, words = item.words + before;
    ws_fetch fetch;
    fetch.begin(a.word + seq.first + item.from - before, words);

    if (ALARM) {
        const int least = place < n ? ws_ssv_least(&t.bytes, seq.tjb, -ws_above_null(0, seq.len), t.least) : 127;
        const bool raised = ws_ssv_raised<R, COLUMNS, GROUP>(a, fetch, words, table, z == 0, g, least);
        if (z == 0 && place < n && raised) a.queue[t.queue + atomicAdd(&a.count[unit.task], 1)] = place;
    } else {
        ws_ssv_state<R, COLUMNS, GROUP, ws_ssv_top> s;
        s.watch.byte_up = a.byte_up;
        ws_ssv_all_rows<COLUMNS>(s, fetch, words, table, z == 0, g);
        uint32_t best = s.watch.best();
        if (GROUP)
            for (uint32_t off = g / 2; off; off /= 2) best = max(best, __shfl_xor_sync(~0u, best, off));
        if (z == 0 && place < n && best > 128) {
            uint16_t *out = a.best + t.first + item.out;
            if (6 * (uint64_t)item.words >= seq.len) *out = (uint16_t)(best - 128);
            else ws_atomic_max16(out, (uint16_t)(best - 128));
        }
    }
}

// A shape of the kernel, for WS_SSV_SHAPES.
#define WS_SSV_SHAPE(ALARM, NAME, R, COLUMNS, GROUP, GLOBAL, BLOCK, MIN_G, MAX_G) \
    {(const void *)ws_ssv_rows<ALARM, R, COLUMNS, GROUP, GLOBAL>, NAME "<" #R ", " #COLUMNS ">", R, 4 * R, \
     MIN_G, MAX_G, BLOCK, \
     GLOBAL ? 0 : COLUMNS, 1},

// The shapes with an alarm, in the same order: kernels/ssv/alarm.cu.
extern const ws_shape *const ws_ssv_alarm_shapes;

#endif
