// SPDX-License-Identifier: MIT
// The sweeps of mrfseg on a device: all of them without the host, which looks at the result only.
//
// 1 what lies on the device   2 the classes   3 a pass   4 launches   5 the backend
#include <math.h>
#include <string.h>

extern "C" {
#include "kernels/mrf/mrf.h"
}
#include "lib/dev/stream.cuh"
#include "lib/run/dev_backend.cuh"

enum {
    THREADS = 256,
    WARPS = THREADS / 32,
    RESIDENT = 8,      // blocks of a multiprocessor: 2,048 threads
    QUAD = 4,          // voxels of a thread: the bytes of a word
    AHEAD = 64,        // sweeps that are queued before the host asks whether they have ended
    PIECE = 4 << 20,   // bytes of a copy
    STAGED = 2 * PIECE // pinned memory each way
};

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
    uint8_t *label, *likeliest; // [top + 1] the class of least G
    int32_t *table;
    mrf_state *state;
    uint32_t X, Y, Z, stride, top, K, width;
    int32_t weight, xi;
    uint64_t seed, most; // most: sweeps
    double enough;       // a sweep that falls by no more is the last
    int fixed;
};

// ---- 2 the classes ----

// Makes the classes anew from their sums, then the table, a code for each thread. The first block also ends the sweep; what it writes no
// other block reads, but for `done`, behind which the table is not used any more. With `first` no sweep went before.
static __global__ void ws_mrf_renew_kernel(mrf_args a, int first) {
    __shared__ ws_mrf_gauss gauss[WS_MRF_CLASSES];
    __shared__ double log_sd[WS_MRF_CLASSES];
    __shared__ int done; // one value for the block: the first block sets it while others begin
    mrf_state *s = a.state;
    if (threadIdx.x == 0) done = s->done;
    __syncthreads();
    if (done) return;
    const bool anew = !first && !a.fixed;
    const uint32_t c = threadIdx.x, q = blockIdx.x * THREADS + threadIdx.x;
    if (c < a.K) {
        gauss[c] = anew && s->sums[c].n > 0 ? ws_mrf_gauss_of(&s->sums[c]) : s->gauss[c];
        log_sd[c] = ws_mrf_log(gauss[c].sd);
    }
    __syncthreads();
    if ((first || anew) && q <= a.top) {
        int32_t least = INT32_MAX;
        uint32_t best = 0;
        for (uint32_t k = 0; k < a.K; k++) {
            const int32_t G = ws_mrf_prior(gauss[k], log_sd[k], q);
            a.table[(size_t)q * a.width + k] = G;
            if (G < least) least = G, best = k;
        }
        for (uint32_t k = a.K; k < a.width; k++) a.table[(size_t)q * a.width + k] = WS_MRF_WORST;
        a.likeliest[q] = (uint8_t)best;
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

// ---- 3 a pass ----

// Each byte of the result is 1 where the bytes of x and y are equal, else 0.
static __device__ __forceinline__ uint32_t equal_bytes(uint32_t x, uint32_t y) {
    const uint32_t d = x ^ y;
    return (~(((d & 0x7f7f7f7fu) + 0x7f7f7f7fu) | d) & 0x80808080u) >> 7;
}

static __device__ __forceinline__ uint32_t byte_of(uint32_t x, int b) { return x >> 8 * b & 255; }

// The labels of the k-th neighbours of four voxels are the bytes of word[k].
template <int N> struct neighbours {
    uint32_t word[N];

    // row: label of voxel j of the half row in the middle; other: of the same place in the other half; up, plane: from row to row.
    __device__ __forceinline__ void load(const uint8_t *row, const uint8_t *other, int h, long up, long plane) {
        int k = 0;
#pragma unroll
        for (int d = 0; d < 9; d++) {
            const int dy = d % 3 - 1, dz = d / 3 - 1, far = dy * dy + dz * dz;
            const long at = dy * up + dz * plane;
            if (far > (N == 6 ? 1 : 2)) continue;
            if (far != 0) word[k++] = *(const uint32_t *)(row + at);
            if (far > (N == 6 ? 0 : N == 18 ? 1 : 2)) continue;
            const uint32_t here = *(const uint32_t *)(other + at);
            const uint32_t beside = *(const uint32_t *)(other + at + (h ? QUAD : -QUAD));
            word[k++] = here;
            word[k++] = h ? __byte_perm(here, beside, 0x4321) : __byte_perm(beside, here, 0x6543);
        }
    }

    // In each byte, how many neighbours have the label that is in this byte of `label`.
    __device__ __forceinline__ uint32_t count(uint32_t label) const {
        uint32_t n = 0;
#pragma unroll
        for (int k = 0; k < N; k++) n += equal_bytes(word[k], label);
        return n;
    }
};

// What four voxels would change to.
struct mrf_moves {
    int32_t own[QUAD], best[QUAD];
    uint32_t to[QUAD];
};

// Looks at class c, whose energies G at the voxels' codes are given.
template <bool RANDOM>
static __device__ __forceinline__ void look_at(mrf_moves *m, uint32_t c, const int32_t *G, uint32_t same, uint32_t label, int32_t weight) {
#pragma unroll
    for (int b = 0; b < QUAD; b++) {
        const int32_t E = G[b] - weight * (int32_t)byte_of(same, b);
        if (c == byte_of(label, b)) m->own[b] = E;
        if (RANDOM ? c == m->to[b] : E < m->best[b]) {
            m->best[b] = E;
            m->to[b] = c;
        }
    }
}

// Energies of all classes for the voxels whose bit of `which` is set.
template <int N, bool RANDOM>
static __device__ __forceinline__ void look(const mrf_args &a, const neighbours<N> &near, const uint16_t *q, uint32_t label, uint32_t which,
                                            mrf_moves *m) {
    for (uint32_t c = 0; c < a.K; c += 4) {
        int32_t G[4][QUAD] = {};
#pragma unroll
        for (int b = 0; b < QUAD; b++)
            if (which >> b & 1) {
                const int4 row = *(const int4 *)(a.table + (size_t)q[b] * a.width + c);
                G[0][b] = row.x, G[1][b] = row.y, G[2][b] = row.z, G[3][b] = row.w;
            }
#pragma unroll
        for (uint32_t k = 0; k < 4; k++)
            if (c + k < a.K) look_at<RANDOM>(m, c + k, G[k], near.count((c + k) * 0x01010101u), label, a.weight);
    }
}

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

// A warp's sums of what changed: [K] in shared memory, written by its first lane alone.
static __device__ __forceinline__ void add_moves(ws_mrf_sums *sums, bool moves, uint32_t from, uint32_t to, uint32_t q) {
    uint32_t pending = __ballot_sync(~0u, moves);
    while (pending) { // all that go from one class to another at once
        const int leader = __ffs(pending) - 1;
        const uint32_t key = from << 8 | to, its = __shfl_sync(~0u, key, leader);
        const bool mine = moves && key == its;
        const uint32_t members = __ballot_sync(~0u, mine), square = q * q;
        const uint32_t n = __popc(members), s1 = warp_sum(mine ? q : 0);
        const uint32_t low = warp_sum(mine ? square & 65535 : 0), high = warp_sum(mine ? square >> 16 : 0);
        const uint64_t s2 = ((uint64_t)high << 16) + low;
        if (threadIdx.x % 32 == 0) {
            ws_mrf_sums *x = &sums[its >> 8], *y = &sums[its & 255];
            x->n -= n, x->s1 -= s1, x->s2 -= s2;
            y->n += n, y->s1 += s1, y->s2 += s2;
        }
        pending &= ~members;
    }
    __syncwarp();
}

// The place of four voxels.
struct mrf_place {
    uint32_t y, z, j; // j: number in the half row
    int h;
    bool inside;
};

// quads: of a half row; rows and columns of the colour begin at (y0, z0) and stand `step` apart.
struct mrf_colour {
    uint32_t quads, ny, total, y0, z0, step;
    int colour, six;
};

static __device__ __forceinline__ mrf_place place_of(const mrf_args &a, const mrf_colour &g, uint32_t i) {
    mrf_place p;
    const uint32_t row = i / g.quads;
    p.j = (i - row * g.quads) * QUAD;
    p.y = g.y0 + g.step * (row % g.ny);
    p.z = g.z0 + g.step * (row / g.ny);
    p.h = g.six ? (int)((g.colour + p.y + p.z) & 1) : g.colour & 1;
    p.inside = i < g.total;
    return p;
}

// A voxel is left alone without a look at the table if it has the likeliest class, and at least half of its neighbours have it: then no
// class is better. That needs weight >= 0.
template <int N, bool RANDOM> static __global__ void __launch_bounds__(THREADS) ws_mrf_pass_kernel(mrf_args a, mrf_colour g) {
    extern __shared__ uint4 room[];
    if (a.state->done) return;
    ws_mrf_sums *sums = (ws_mrf_sums *)room, *mine = sums + threadIdx.x / 32 * a.K;
    uint8_t *likeliest = (uint8_t *)(sums + WARPS * a.K);
    for (uint32_t i = threadIdx.x; i < WARPS * a.K; i += THREADS) sums[i].n = sums[i].s1 = sums[i].s2 = 0;
    if (!RANDOM)
        for (uint32_t i = threadIdx.x; i <= a.top; i += THREADS) likeliest[i] = a.likeliest[i];
    __syncthreads();
    const uint64_t sweep = a.state->sweeps;
    const long up = a.stride, plane = (long)(a.Y + 2) * up, half = (long)(a.Z + 2) * plane;
    unsigned long long fall = 0, changed = 0;
    for (uint32_t base = blockIdx.x * THREADS; base < g.total; base += gridDim.x * THREADS) { // the same for all lanes of a warp
        const mrf_place p = place_of(a, g, base + threadIdx.x);
        const uint32_t size = (a.X + 1 - p.h) / 2;
        uint32_t which = 0, label = 0, moved = 0;
        uint16_t q[QUAD] = {};
        uint8_t *row = a.label;
        mrf_moves m;
        if (p.inside) {
            row += p.h * half + (p.z + 1) * plane + (p.y + 1) * up + p.j;
            const uint8_t *other = row + (p.h ? -half : half);
            const ushort4 codes = *(const ushort4 *)(a.code + (((size_t)p.h * a.Z + p.z) * a.Y + p.y) * a.stride + p.j);
            q[0] = codes.x, q[1] = codes.y, q[2] = codes.z, q[3] = codes.w;
            label = *(const uint32_t *)row;
            neighbours<N> near;
            near.load(row, other, p.h, up, plane);
            const uint64_t i = ((uint64_t)p.z * a.Y + p.y) * a.X + 2 * p.j + p.h;
            const uint32_t same = RANDOM ? 0 : near.count(label);
#pragma unroll
            for (int b = 0; b < QUAD; b++) {
                m.own[b] = 0, m.best[b] = INT32_MAX, m.to[b] = 0;
                if (RANDOM) m.to[b] = ws_mrf_proposal(a.seed, i + 2 * b, sweep, a.K);
                const uint32_t own = byte_of(label, b);
                const bool stays = RANDOM ? m.to[b] == own : a.weight >= 0 && own == likeliest[q[b]] && byte_of(same, b) >= N / 2;
                if (p.j + b < size && !stays) which |= 1u << b;
            }
            if (which) look<N, RANDOM>(a, near, q, label, which, &m);
#pragma unroll
            for (int b = 0; b < QUAD; b++)
                if ((which >> b & 1) && m.own[b] - m.best[b] > a.xi) {
                    moved |= 1u << b;
                    fall += (unsigned long long)(m.own[b] - m.best[b]);
                    changed++;
                }
        }
        if (!__any_sync(~0u, moved)) continue;
        uint32_t after = label;
#pragma unroll
        for (int b = 0; b < QUAD; b++) {
            const bool moves = moved >> b & 1;
            const uint32_t to = moves ? m.to[b] : 0;
            if (moves) after = (after & ~(255u << 8 * b)) | to << 8 * b;
            add_moves(mine, moves, byte_of(label, b), to, q[b]);
        }
        if (moved) *(uint32_t *)row = after;
    }
    fall = warp_sum(fall);
    changed = warp_sum(changed);
    if (threadIdx.x % 32 == 0 && changed) {
        atomicAdd(&a.state->fall, fall);
        atomicAdd(&a.state->changed, changed);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < 3 * a.K; i += THREADS) {
        unsigned long long sum = 0;
        for (uint32_t w = 0; w < WARPS; w++) sum += ((const uint64_t *)(sums + w * a.K))[i];
        if (sum) atomicAdd((unsigned long long *)a.state->sums + i, sum);
    }
}

// ---- 4 launches ----

typedef void pass_fn(mrf_args, mrf_colour);

static pass_fn *pass_of(const ws_mrf_conf *conf) {
    const bool random = conf->rule == WS_MRF_RANDOM;
    if (conf->neighbours == 6) return random ? ws_mrf_pass_kernel<6, true> : ws_mrf_pass_kernel<6, false>;
    if (conf->neighbours == 18) return random ? ws_mrf_pass_kernel<18, true> : ws_mrf_pass_kernel<18, false>;
    return random ? ws_mrf_pass_kernel<26, true> : ws_mrf_pass_kernel<26, false>;
}

static mrf_colour colour_of(const mrf_args &a, int neighbours, int colour) {
    mrf_colour g = {};
    g.colour = colour;
    g.six = neighbours == 6;
    g.step = g.six ? 1 : 2;
    g.y0 = g.six ? 0 : colour >> 1 & 1;
    g.z0 = g.six ? 0 : colour >> 2;
    g.quads = ((a.X + 1) / 2 + QUAD - 1) / QUAD;
    g.ny = g.y0 < a.Y ? (a.Y - g.y0 + g.step - 1) / g.step : 0;
    const uint32_t nz = g.z0 < a.Z ? (a.Z - g.z0 + g.step - 1) / g.step : 0;
    g.total = g.quads * g.ny * nz;
    return g;
}

// Queues sweeps, of which those behind the last do nothing.
static int queue(ws_devstream *l, const mrf_args &a, const ws_mrf_conf *conf, uint64_t sweeps, ws_err *err) {
    pass_fn *fn = pass_of(conf);
    const size_t shared = WARPS * a.K * sizeof(ws_mrf_sums) + (conf->rule == WS_MRF_RANDOM ? 0 : a.top + 1);
    const uint32_t renewing = (a.top + THREADS) / THREADS;
    const uint32_t most = (uint32_t)l->dev->sms * (uint32_t)ws_min(RESIDENT, ws_max(1, (size_t)l->dev->shared_max / shared));
    int rc = ws_cuda_shared((const void *)fn, shared, "ws_mrf_pass_kernel", err);
    for (uint64_t k = 0; k < sweeps && !rc; k++) {
        for (int colour = 0; colour < ws_mrf_colours(conf->neighbours) && !rc; colour++) {
            const mrf_colour g = colour_of(a, conf->neighbours, colour);
            const uint32_t blocks = g.total / THREADS + (g.total % THREADS != 0);
            if (blocks == 0) continue;
            fn<<<blocks < most ? blocks : most, THREADS, shared, l->stream>>>(a, g);
            rc = ws_devstream_launched(l, "ws_mrf_pass_kernel", err);
        }
        if (rc) break;
        ws_mrf_renew_kernel<<<renewing, THREADS, 0, l->stream>>>(a, 0);
        rc = ws_devstream_launched(l, "ws_mrf_renew_kernel", err);
    }
    return rc;
}

// ---- 5 the backend ----

static int send(ws_devstream *l, void *to, const void *from, size_t n, ws_err *err) {
    int rc = WS_OK;
    for (size_t at = 0; at < n && !rc; at += PIECE)
        rc = ws_devstream_send(l, (char *)to + at, (const char *)from + at, ws_min(n - at, PIECE), err);
    return rc;
}

static int fetch(ws_devstream *l, void *to, const void *from, size_t n, ws_err *err) {
    int rc = WS_OK;
    for (size_t at = 0; at < n && !rc; at += STAGED) {
        const size_t piece = ws_min(n - at, STAGED);
        rc = ws_devstream_fetch(l, (const char *)from + at, piece, err);
        if (!rc) rc = ws_devstream_sync(l, err);
        if (!rc) memcpy((char *)to + at, l->back.p, piece);
    }
    return rc;
}

// Brings volume, first classes and their sums to the device; the table is made there.
static int put(ws_devstream *l, const ws_mrf_conf *conf, const ws_mrf_volume *v, const mrf_state *first, mrf_args *a, ws_err *err) {
    const size_t ntable = ((size_t)v->top + 1) * ws_mrf_width(conf->K);
    void *table, *likeliest, *state;
    int rc = ws_devstream_expect(l, STAGED, err);
    if (!rc) rc = ws_devstream_reserve(l, ntable * sizeof *a->table + v->top + sizeof *first + 4096, err);
    if (!rc) rc = ws_devstream_room(l, &l->kept[0], v->ncode * sizeof *v->code, err);
    if (!rc) rc = ws_devstream_room(l, &l->kept[1], v->nlabel, err);
    if (!rc) rc = ws_devstream_alloc(l, ntable * sizeof *a->table, &table, err);
    if (!rc) rc = ws_devstream_alloc(l, (size_t)v->top + 1, &likeliest, err);
    if (!rc) rc = ws_devstream_put(l, first, sizeof *first, &state, err);
    if (!rc) rc = send(l, l->kept[0].p, v->code, v->ncode * sizeof *v->code, err);
    if (!rc) rc = send(l, l->kept[1].p, v->label, v->nlabel, err);
    if (rc) return rc;
    a->code = (const uint16_t *)l->kept[0].p;
    a->label = (uint8_t *)l->kept[1].p;
    a->likeliest = (uint8_t *)likeliest;
    a->table = (int32_t *)table;
    a->state = (mrf_state *)state;
    a->X = (uint32_t)v->X, a->Y = (uint32_t)v->Y, a->Z = (uint32_t)v->Z;
    a->stride = (uint32_t)v->stride, a->top = v->top;
    a->K = (uint32_t)conf->K, a->width = (uint32_t)ws_mrf_width(conf->K);
    a->weight = conf->in - conf->out, a->xi = conf->xi;
    a->seed = conf->seed, a->most = conf->sweeps, a->fixed = conf->fixed;
    a->enough = conf->eps * (double)v->n * WS_MRF_ONE;
    ws_mrf_renew_kernel<<<(a->top + THREADS) / THREADS, THREADS, 0, l->stream>>>(*a, 1);
    return ws_devstream_launched(l, "ws_mrf_renew_kernel", err);
}

static int run(ws_devstream *l, const ws_mrf_conf *conf, ws_mrf_volume *v, mrf_state *s, ws_err *err) {
    mrf_args a = {};
    int rc = put(l, conf, v, s, &a, err);
    for (cudaEvent_t event : {l->start, l->end})
        if (!rc) rc = ws_cuda_check(cudaEventRecord(event, l->stream), "recording an event", err);
    for (uint64_t left = conf->sweeps; left > 0 && !s->done && !rc;) {
        const uint64_t n = ws_min(left, AHEAD);
        rc = queue(l, a, conf, n, err);
        if (!rc) rc = ws_cuda_check(cudaEventRecord(l->end, l->stream), "recording an event", err);
        if (!rc) rc = fetch(l, s, a.state, sizeof *s, err);
        left -= n;
    }
    if (!rc) rc = fetch(l, v->label, a.label, v->nlabel, err);
    if (!rc) ws_devstream_clock(l);
    return rc;
}

static int sweeps(const ws_mrf_conf *conf, ws_mrf_volume *v, ws_mrf_result *r, ws_err *err) {
    ws_devstream *l = NULL;
    mrf_state *s = (mrf_state *)ws_calloc(1, sizeof *s, err);
    if (!s) return WS_ENOMEM;
    memcpy(s->sums, r->sums, sizeof s->sums);
    memcpy(s->gauss, r->gauss, sizeof s->gauss);
    int rc = ws_devstream_take(&l, 0, err);
    if (!rc) {
        l->id = 0;
        rc = run(l, conf, v, s, err);
        ws_devstream_give(l);
    }
    if (!rc) {
        memcpy(r->sums, s->sums, sizeof s->sums);
        memcpy(r->gauss, s->gauss, sizeof s->gauss);
        r->sweeps = s->sweeps;
        r->changed = s->changed;
        r->fall = s->falls;
    }
    ws_free(s);
    return rc;
}

static constexpr ws_mrf_backend make_backend() {
    ws_mrf_backend b = {};
    b.base = ws_dev_backend(nullptr, nullptr, nullptr, 1e9);
    b.base.max_tasks = 1;
    b.sweeps = sweeps;
    return b;
}
extern "C" const ws_mrf_backend ws_mrf_cuda = make_backend();
