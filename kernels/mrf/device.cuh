// SPDX-License-Identifier: MIT
// The sweeps of mrfseg on a device: its memory, the kernel between two sweeps, the kernel of a pass over a colour.
// README.md, "Layout", says what a unit, a column, a limit and the queues are.
//
// 1 what lies on the device   2 the classes   3 units   4 voxels that may change   5 a pass
#ifndef WS_MRF_DEVICE_CUH
#define WS_MRF_DEVICE_CUH

extern "C" {
#include "kernels/mrf/mrf.h"
}

#include <cuda_runtime.h>

enum {
    THREADS = 1024,     // of a multiprocessor, as a thread of a pass has 64 registers
    CODES = 256,        // codes of a block that makes the tables
    UNIT = 16,          // voxels that a thread looks at together: 16 bytes of labels
    WORDS = UNIT / 4,
    QUEUE = 64,         // voxels and moves of a warp: less than 32 wait, up to 32 come
    MOST_SHIFT = 5,     // at most 32 codes share a limit: those of a warp
    ALL_SHIFT = 16,     // all codes share one
    NO_LIMIT = 127,
    // bytes of shared memory that they may take before codes share them; at most twice as many: an index has 16 bits
    LIMITS = 32 << 10
};

// Lets the next kernel of the stream start early, and waits here for the end of the one before.
static __device__ __forceinline__ void depend() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait; griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// ---- 1 what lies on the device ----

struct mrf_state {
    ws_mrf_sums sums[WS_MRF_CLASSES];
    ws_mrf_gauss gauss[WS_MRF_CLASSES];
    unsigned long long fall; // of this sweep, as two's complement
    long long falls;         // of all before it
    unsigned long long changed, sweeps;
    int done;
};

// Labels and codes lie as in ws_mrf_volume.
struct mrf_args {
    const uint16_t *code;
    uint8_t *label;
    uint8_t *limit; // [code >> shift][class]: see limit_of
    int32_t *table;
    mrf_state *state;
    uint32_t X, Y, Z, top, K, width;
    uint64_t step[3];         // numbers of the file from a voxel to the next along x, y and z of the layout
    uint32_t up, plane, half; // places from a row to the next, from slice to slice, from half to half
    uint32_t shift, nlimit; // nlimit: bytes of `limit`, a multiple of 16
    int32_t weight, xi, neighbours;
    uint64_t seed, most; // most: sweeps
    double enough;       // a sweep that falls by no more is the last
    int fixed;
};

// ---- 2 the classes ----

// Returns the least number of other labels among the neighbours with which a voxel of this class and code may change.
// If there is no such number, it returns one more than there are neighbours. G is the class's energy at the code, other
// the least of all other classes. The voxel stays whatever the rule proposes if G - weight same <= other - weight
// (neighbours - same) + xi. The best case is one other class around it.
static __device__ uint32_t limit_of(const mrf_args &a, int32_t G, int32_t other) {
    const int64_t weight = a.weight < 0 ? -(int64_t)a.weight : a.weight;
    const int64_t least = (int64_t)G - other - a.xi + weight * a.neighbours;
    if (least <= 0) return (uint32_t)a.neighbours + 1; // also if no neighbour has the label
    const uint64_t most = (uint64_t)(2 * weight * a.neighbours);
    if (a.weight <= 0 || (uint64_t)least > most) return 0; // even if all neighbours have it
    const uint32_t twice = (uint32_t)(2 * weight), same = ((uint32_t)least + twice - 1) / twice;
    return (uint32_t)a.neighbours + 1 - same;
}

// Makes the classes anew from their sums, then the tables, a code for each thread. The first block also ends the sweep;
// what it writes no other block reads, but for `done`, after which the tables are not used any more. With `first` no
// sweep went before.
static __global__ void ws_mrf_renew_kernel(mrf_args a, int first) {
    __shared__ ws_mrf_gauss gauss[WS_MRF_CLASSES];
    __shared__ double log_sd[WS_MRF_CLASSES];
    __shared__ int done; // one value for the block: the first block sets it while others begin
    mrf_state *s = a.state;
    depend();
    const bool anew = !first && !a.fixed;
    const uint32_t c = threadIdx.x, q = blockIdx.x * CODES + threadIdx.x;
    if (c == CODES - 1) done = s->done;
    if (c < a.K) {
        const ws_mrf_sums sums = s->sums[c];
        const ws_mrf_gauss old = s->gauss[c];
        gauss[c] = anew && sums.n > 0 ? ws_mrf_gauss_of(&sums) : old;
        log_sd[c] = ws_mrf_log(gauss[c].sd);
    }
    __syncthreads();
    if (done) return;
    if (first || anew) {
        int32_t *row = a.table + (size_t)(q <= a.top ? q : a.top) * a.width;
        int32_t least = INT32_MAX, second = INT32_MAX;
        int4 kept = make_int4(0, 0, 0, 0); // the first four
        for (uint32_t k = 0; k < a.width; k += 4) {
            int32_t G[4];
#pragma unroll
            for (uint32_t i = 0; i < 4; i++) {
                G[i] = INT32_MAX; // no class: no voxel takes it
                if (k + i >= a.K) continue;
                G[i] = ws_mrf_prior(gauss[k + i], log_sd[k + i], q);
                second = G[i] < least ? least : min(second, G[i]);
                least = min(least, G[i]);
            }
            const int4 four = make_int4(G[0], G[1], G[2], G[3]);
            if (q <= a.top) *(int4 *)(row + k) = four;
            if (k == 0) kept = four;
        }
        // of all codes of the same place in `limit` the least
        for (uint32_t k = 0; k < a.width && a.shift <= MOST_SHIFT; k += 4) {
            const int4 four = k == 0 ? kept : *(const int4 *)(row + k);
            const int32_t G[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
            for (uint32_t i = 0; i < 4; i++) {
                if (k + i >= a.K) continue;
                uint32_t limit = q <= a.top ? limit_of(a, G[i], G[i] == least ? second : least) : NO_LIMIT;
                for (uint32_t d = 1; d < 1u << a.shift; d *= 2) limit = min(limit, __shfl_xor_sync(~0u, limit, d));
                if (q <= a.top && (q & ((1u << a.shift) - 1)) == 0)
                    a.limit[(q >> a.shift) * a.K + k + i] = (uint8_t)limit;
            }
        }
    }
    if (blockIdx.x != 0 || first) return;
    if (c < a.K && anew) s->gauss[c] = gauss[c];
    if (c != 0) return;
    const long long fall = (long long)s->fall;
    s->falls += fall;
    s->fall = 0;
    s->sweeps++;
    if ((double)fall <= a.enough || s->sweeps == a.most) s->done = 1;
}

// ---- 3 units ----

static const uint32_t HIGH = 0x80808080u;

// Returns, in the highest bit of each byte, whether the bytes of x and y differ; other bits are any. The highest bits
// of x and y do not count: classes are below 64, and the border differs from all of them.
static __device__ __forceinline__ uint32_t differing(uint32_t x, uint32_t y) {
    return ((x ^ y) & 0x7f7f7f7fu) + 0x7f7f7f7fu;
}

// Where a half row lies; h: which half. The same place in the other half is at `other`, neighbouring rows are `up` and
// `plane` bytes apart.
struct mrf_rows {
    const uint8_t *row, *other;
    long up, plane;
    int h;
};

// Returns the half row around place `at`, which is in half h.
static __device__ __forceinline__ mrf_rows rows_at(const mrf_args &a, uint32_t at, int h) {
    mrf_rows r;
    r.up = a.up, r.plane = a.plane, r.h = h;
    r.row = a.label + at;
    r.other = a.label + (h ? at - a.half : at + a.half);
    return r;
}

// Counts for the voxels of a unit in each byte how many of the neighbours within REACH have another label.
template <int REACH>
static __device__ __forceinline__ void count_others(const mrf_rows &r, const uint32_t *label, uint32_t *n) {
    const uint32_t turn = r.h ? 0x4321 : 0x6543;
#pragma unroll
    for (int d = 0; d < 9; d++) {
        const int dy = d % 3 - 1, dz = d / 3 - 1, far = dy * dy + dz * dz;
        const long at = dy * r.up + dz * r.plane;
        if (far > REACH) continue;
        if (far != 0) {
            const uint4 w = *(const uint4 *)(r.row + at);
            const uint32_t word[WORDS] = {w.x, w.y, w.z, w.w};
#pragma unroll
            for (int k = 0; k < WORDS; k++) n[k] += (differing(label[k], word[k]) & HIGH) >> 7;
        }
        if (far > REACH - 1) continue;
        const uint4 w = *(const uint4 *)(r.other + at);
        const uint32_t beside = *(const uint32_t *)(r.other + at + (r.h ? UNIT : -4)),
                       word[WORDS] = {w.x, w.y, w.z, w.w};
        const uint32_t line[WORDS + 1] = {r.h ? w.x : beside, r.h ? w.y : w.x, r.h ? w.z : w.y, r.h ? w.w : w.z,
                                          r.h ? beside : w.w};
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            n[k] += (differing(label[k], word[k]) & HIGH) >> 7;
            n[k] += (differing(label[k], __byte_perm(line[k], line[k + 1], turn)) & HIGH) >> 7;
        }
    }
}

// Returns which voxels of a unit may change: bit 8 b + k is that of byte b of word k.
template <int REACH>
static __device__ __forceinline__ uint32_t unsure(const mrf_args &a, const mrf_rows &r, const uint16_t *codes,
                                                  const uint8_t *limit) {
    const uint4 own = *(const uint4 *)r.row, low = __ldcs((const uint4 *)codes),
                high = __ldcs((const uint4 *)codes + 1);
    const uint32_t label[WORDS] = {own.x, own.y, own.z, own.w};
    const uint32_t code[2 * WORDS] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    const uint32_t mask = (0xffffu >> a.shift) * 0x10001u;
    uint32_t n[WORDS] = {}, which = 0;
    count_others<REACH>(r, label, n);
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        const uint32_t class4 = label[k] & 0x3f3f3f3fu;
        // two places in `limit`
        const uint32_t at01 = (code[2 * k] >> a.shift & mask) * a.K + __byte_perm(class4, 0, 0x4140);
        const uint32_t at23 = (code[2 * k + 1] >> a.shift & mask) * a.K + __byte_perm(class4, 0, 0x4342);
        const uint32_t at[4] = {at01 & 0xffff, at01 >> 16, at23 & 0xffff, at23 >> 16};
        uint32_t most = 0;
#pragma unroll
        for (int b = 0; b < 4; b++) most |= (uint32_t)limit[at[b]] << 8 * b;
        which |= (((n[k] | HIGH) - most) & ~label[k] & HIGH) >> (7 - k); // the highest bit of a label: outside
    }
    return which;
}

// ---- 4 voxels that may change ----

static __device__ __forceinline__ uint32_t warp_sum(uint32_t x) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(~0u, x);
#else
#pragma unroll
    for (int k = 16; k > 0; k /= 2) x += __shfl_xor_sync(~0u, x, k);
    return x;
#endif
}

static __device__ __forceinline__ unsigned long long warp_sum(unsigned long long x) {
#pragma unroll
    for (int k = 16; k > 0; k /= 2) x += __shfl_xor_sync(~0u, x, k);
    return x;
}

// Returns a move: old class, new class, code.
static __device__ __forceinline__ uint32_t move_of(uint32_t from, uint32_t to, uint32_t q) {
    return from << 22 | to << 16 | q;
}

// Adds the moves of those lanes that have one to the sums of the classes, [K] in shared memory, which the warp's first
// lane alone writes.
static __device__ __forceinline__ void add_moves(ws_mrf_sums *sums, bool moves, uint32_t move) {
    const uint32_t from = move >> 22, to = move >> 16 & 63, q = move & 0xffff;
    uint32_t in = __ballot_sync(~0u, moves), out = in; // lanes whose new class is still to be added, and whose old one
    while (in | out) {
        const uint32_t c = __shfl_sync(~0u, in ? to : from, __ffs(in ? in : out) - 1);
        const bool enters = moves && to == c, leaves = moves && from == c;
        const uint32_t entering = __ballot_sync(~0u, enters), leaving = __ballot_sync(~0u, leaves);
        const int32_t sign = (int32_t)enters - (int32_t)leaves;
        const int32_t n = __popc(entering) - __popc(leaving), s1 = (int32_t)warp_sum((uint32_t)(sign * (int32_t)q));
        const int32_t low = (int32_t)warp_sum((uint32_t)(sign * (int32_t)(q * q & 65535)));
        const int32_t high = (int32_t)warp_sum((uint32_t)(sign * (int32_t)(q * q >> 16)));
        if (threadIdx.x % 32 == 0) {
            sums[c].n += (uint64_t)(int64_t)n;
            sums[c].s1 += (uint64_t)(int64_t)s1;
            sums[c].s2 += (uint64_t)((int64_t)high * 65536 + low);
        }
        in &= ~entering;
        out &= ~leaving;
    }
    __syncwarp();
}

// Returns 1 << by, 0 if `by` is 32 or more.
static __device__ __forceinline__ uint32_t bit_at(uint32_t by) {
    uint32_t x;
    asm("shl.b32 %0, 1, %1;" : "=r"(x) : "r"(by)); // PTX defines what C does not
    return x;
}

// The N labels around one voxel, up to REACH steps along axes away.
template <int N, int REACH> struct mrf_around {
    uint32_t label[N];

    __device__ __forceinline__ void load(const mrf_rows &r) {
        int k = 0;
#pragma unroll
        for (int d = 0; d < 9; d++) {
            const int dy = d % 3 - 1, dz = d / 3 - 1, far = dy * dy + dz * dz;
            const long at = dy * r.up + dz * r.plane;
            if (far > REACH) continue;
            if (far != 0) label[k++] = r.row[at];
            if (far > REACH - 1) continue;
            label[k++] = r.other[at];
            label[k++] = r.other[at + (r.h ? 1 : -1)];
        }
    }

    // In byte k, how many of them are class c + k, k < 4.
    __device__ __forceinline__ uint32_t same(uint32_t c) const {
        uint32_t n = 0;
#pragma unroll
        for (int k = 0; k < N; k++) n += bit_at(8 * (label[k] - c)); // a label below c gives a large number
        return n;
    }
};

// Shared memory of a warp: sums of the classes, places of voxels to look at, moves to add to the sums.
struct mrf_warp {
    ws_mrf_sums *sums;      // [K]
    uint2 *queue;           // [QUEUE] place, code
    uint32_t *moves;        // [QUEUE] see move_of
    uint32_t nqueue, nmove; // in all lanes the same
    unsigned long long fall, changed; // of this lane
};

static __device__ __forceinline__ uint32_t lanes_before() {
    uint32_t m;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
    return m;
}

// Returns the number of the voxel in place `at` in the volume.
static __device__ __forceinline__ uint64_t number_of(const mrf_args &a, uint32_t at, int h) {
    const uint32_t in = at - (h ? a.half : 0), z = in / a.plane, row = in - z * a.plane, y = row / a.up,
                   j = row - y * a.up;
    return (z - 1) * a.step[2] + (y - 1) * a.step[1] + (2 * j + h) * a.step[0];
}

// Looks at a voxel in each lane with all classes, and moves it if the energy falls.
template <int N, int REACH, bool RANDOM>
static __device__ __forceinline__ void look(const mrf_args &a, uint64_t sweep, bool valid, uint2 voxel, mrf_warp *w) {
    const uint32_t at = voxel.x, q = voxel.y;
    uint32_t move = 0;
    bool moves = false;
    if (valid) {
        const int h = at >= a.half;
        const mrf_rows r = rows_at(a, at, h);
        const int4 *row = (const int4 *)(a.table + (size_t)q * a.width);
        int4 four = *row; // before the labels, so that it waits beside them
        mrf_around<N, REACH> near;
        const uint32_t from = *r.row;
        uint32_t to = 0;
        near.load(r);
        int32_t own = 0, best = INT32_MAX;
        if (RANDOM) to = ws_mrf_proposal(a.seed, number_of(a, at, h), sweep, a.K);
        for (uint32_t c = 0; c < a.K; c += 4) {
            if (c > 0) four = row[c / 4];
            const int32_t G[4] = {four.x, four.y, four.z, four.w};
            const uint32_t same = near.same(c);
#pragma unroll
            for (uint32_t k = 0; k < 4; k++) {
                const int32_t E = G[k] - a.weight * (int32_t)(same >> 8 * k & 255);
                if (c + k == from) own = E;
                if (RANDOM ? c + k == to : E < best) best = E, to = c + k;
            }
        }
        moves = own - best > a.xi;
        if (moves) {
            *(uint8_t *)r.row = (uint8_t)to;
            w->fall += (unsigned long long)(own - best);
            w->changed++;
            move = move_of(from, to, q);
        }
    }
    const uint32_t moving = __ballot_sync(~0u, moves);
    if (!moving) return;
    if (moves) w->moves[w->nmove + __popc(moving & lanes_before())] = move;
    w->nmove += __popc(moving);
    __syncwarp();
    if (w->nmove < 32) return;
    w->nmove -= 32;
    add_moves(w->sums, true, w->moves[w->nmove + threadIdx.x % 32]);
}

// Puts a voxel of each lane whose `which` is not 0 into the queue, one of the unit at place `at`; returns which are
// left.
static __device__ __forceinline__ uint32_t push(const mrf_args &a, mrf_warp *w, uint32_t at, uint32_t which) {
    const uint32_t pushing = __ballot_sync(~0u, which != 0), bit = (uint32_t)__ffs(which) - 1;
    if (which) {
        at += 4 * (bit & 7) + (bit >> 3);
        w->queue[w->nqueue + __popc(pushing & lanes_before())] = make_uint2(at, a.code[at]);
    }
    w->nqueue += __popc(pushing);
    __syncwarp();
    return which & (which - 1);
}

// ---- 5 a pass ----

// A colour's half rows are ny x nz; the first is (y0, z0), others stand `step` apart. A unit is UNIT voxels of a half
// row; a column is one place of a unit in all z. A thread has `length` units of one column.
struct mrf_colour {
    uint32_t units, ny, nz, columns, y0, z0, step, length;
    int colour, two; // two: of two colours
};

// Does a pass over a colour. It leaves most voxels alone after a look at their limit. The others wait in a queue of
// their warp until 32 are together.
template <int N, int REACH, bool RANDOM>
static __global__ void __launch_bounds__(THREADS, 1) ws_mrf_pass_kernel(mrf_args a, mrf_colour g) {
    extern __shared__ uint4 room[];
    const uint32_t nsum = 3 * a.K + 2; // sums of a warp: those of the classes, fall, changed
    const uint32_t threads = blockDim.x, warps = threads / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    uint4 *limit = room;
    uint64_t *sums = (uint64_t *)(limit + a.nlimit / 16), *mine = sums + warp * nsum;
    uint2 *queues = (uint2 *)(sums + warps * nsum);
    mrf_warp w = {
        (ws_mrf_sums *)mine, queues + warp * QUEUE, (uint32_t *)(queues + warps * QUEUE) + warp * QUEUE, 0, 0, 0, 0};
    for (uint32_t i = threadIdx.x; i < warps * nsum; i += threads) sums[i] = 0;
    depend();
    const int done = a.state->done;
    const uint64_t sweep = a.state->sweeps;
    for (uint32_t i = threadIdx.x; i < a.nlimit / 16; i += threads) limit[i] = ((const uint4 *)a.limit)[i];
    __syncthreads();
    if (done) return; // here, so that nothing waits for the flag alone
    const uint32_t column = blockIdx.x * threads + threadIdx.x, row = column / g.units,
                   j = (column - row * g.units) * UNIT;
    const uint32_t first = blockIdx.y * g.length, steps = min(g.length, g.nz - first);
    const uint32_t y = g.y0 + g.step * row, z = g.z0 + g.step * first;
    uint32_t at = (z + 1) * a.plane + (y + 1) * a.up + j;
    for (uint32_t k = 0; k < steps; k++, at += g.step * a.plane) {
        const int h = g.two ? (int)((g.colour + y + z + k) & 1) : g.colour & 1;
        const uint32_t here = at + (h ? a.half : 0);
        uint32_t which = 0;
        if (column < g.columns) which = unsure<REACH>(a, rows_at(a, here, h), a.code + here, (const uint8_t *)limit);
        for (bool more = true; more;) {
            more = __any_sync(~0u, which);
            if (more) which = push(a, &w, here, which);
            if (w.nqueue < 32 && (more || w.nqueue == 0 || k + 1 < steps)) continue;
            const uint32_t many = min(w.nqueue, 32u);
            w.nqueue -= many;
            const uint2 voxel = w.queue[w.nqueue + min(lane, many - 1)];
            __syncwarp(); // the next push writes there, and the ballots between order no memory
            look<N, REACH, RANDOM>(a, sweep, lane < many, voxel, &w);
        }
    }
    if (w.nmove) add_moves(w.sums, lane < w.nmove, lane < w.nmove ? w.moves[lane] : 0);
    w.fall = warp_sum(w.fall);
    w.changed = warp_sum(w.changed);
    if (lane == 0) mine[3 * a.K] = w.fall, mine[3 * a.K + 1] = w.changed;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < nsum; i += threads) {
        unsigned long long sum = 0;
        for (uint32_t k = 0; k < warps; k++) sum += sums[k * nsum + i];
        unsigned long long *to = (unsigned long long *)a.state->sums + i;
        if (i >= 3 * a.K) to = i == 3 * a.K ? &a.state->fall : &a.state->changed;
        if (sum) atomicAdd(to, sum);
    }
}

#endif
