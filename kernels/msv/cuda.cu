// SPDX-License-Identifier: MIT
// MSV on CUDA devices: SSV for all, then the recursion for the pairs that SSV left open, two nodes to a register, then the bias
// filter for those that may pass.
//
// Contents: 1 parameters and layout; 2 kernels; 3 launcher; 4 the backend

#include "kernels/msv/configs.h"
#include "lib/cascade/bias.cuh"
#include "lib/cascade/gpu_score.cuh"
#include "lib/cascade/ungapped.cuh"

extern "C" {
#include "kernels/msv/msv.h"
#include "lib/cascade/ungapped.h"
}

#include <math.h>
#include <string.h>

// ---- 1 parameters and layout ----
//
// Node n (from 0) of a lane's 2R is half n / R of register n % R. A cell is kept as max(M, xB), so a row is one addition of
// bias - cost. Signed 16 bits hold all: M is at most 255, a sum at least -255; the saturation at 0 only matters where all of a
// row lies below xB, and there only as xJ = max(0, ..) at the end.
//
// xB changes when a row's maximum beats all rows before and the base, which is rare. So one vote of the warp for a word of six
// residues, or for each where the table is read through the cache, asks whether any lane saw that.

enum { CODE_MSV = 0x8000, CODE_OVER = 0x4000 }; // of a score: xJ follows; overflow; neither: best of SSV

struct msv_task {
    const uint4 *table;
    const ws_devitem *item; // all pairs, longest first
    uint32_t n, first;      // places; where the task's scores and queue begin
    int glog, bias, tbm, tec;
    float least; // nats above the null score from which the bias filter is asked; INFINITY: never
};

struct msv_args {
    const msv_task *task;
    const uint32_t *pick; // tasks of this shape
    uint32_t blocks;      // of each task
    const uint32_t *word;
    const ws_devseq *seq;
    uint16_t *score;
    uint32_t *queue, *count; // places of the open pairs, later of those that may pass; how many of each task
    uint32_t *passing;       // how many of the latter
};

enum { THREADS = 256 };

// ---- 2 kernels ----

// What ws_ssv_decide calls open goes into the task's queue.
__global__ void __launch_bounds__(THREADS) ws_msv_select_kernel(const msv_args a, uint32_t ntask) {
    for (uint32_t i = blockIdx.y; i < ntask; i += gridDim.y) {
        const msv_task t = a.task[i];
        for (uint32_t p = blockIdx.x * THREADS + threadIdx.x; p < t.n; p += gridDim.x * THREADS) {
            const ws_devitem item = t.item[p];
            const ws_devseq s = a.seq[item.seq];
            const int best = a.score[t.first + item.out], begin = WS_BYTE_BASE - s.tjb - t.tbm;
            const bool beyond = best >= 127 - t.bias;
            bool open = s.tjb + t.tbm + t.tec + t.bias >= 127;
            if (!open && beyond) open = begin < 128;
            else if (!open) open = best + begin < 255 - t.bias && best + begin - t.tec > WS_BYTE_BASE;
            if (open && s.len) a.queue[t.first + atomicAdd(&a.count[i], 1)] = p;
        }
    }
}

// The score that `decode` makes of a code, but for overflows, which may all pass.
__device__ __forceinline__ float nats_of(const msv_task &t, int code, int tjb) {
    const int xJ = code & CODE_MSV ? code & 255 : code + WS_BYTE_BASE - tjb - t.tbm - t.tec;
    return ws_ungapped_nats(xJ, tjb);
}

// When all scores are there: what may pass goes into the task's queue. A pair that rounding keeps out of it gets its bias from the host.
__global__ void __launch_bounds__(THREADS) ws_msv_pass_kernel(const msv_args a, uint32_t ntask) {
    for (uint32_t i = blockIdx.y; i < ntask; i += gridDim.y) {
        const msv_task t = a.task[i];
        for (uint32_t p = blockIdx.x * THREADS + threadIdx.x; p < t.n && t.least < INFINITY; p += gridDim.x * THREADS) {
            const ws_devitem item = t.item[p];
            const ws_devseq s = a.seq[item.seq];
            const int code = a.score[t.first + item.out];
            const bool over = code & CODE_OVER || (!(code & CODE_MSV) && code >= 127 - t.bias);
            if (s.len && (over || ws_above_null(nats_of(t, code, s.tjb), s.len) >= t.least))
                a.queue[t.first + atomicAdd(&a.passing[i], 1)] = p;
        }
    }
}

template <int R, int SLOTS> struct msv_state {
    enum { CHUNKS = (R + 3) / 4 };
    uint32_t w[R], best, xB, limit; // limit: minus what a row's maximum must beat to change xB

    // xB of the first row, and what a row's maximum must beat to change it
    __device__ __forceinline__ void begin(int base, int least) {
        xB = ws_both(base);
        limit = ws_both(-least);
        best = 0;
#pragma unroll
        for (int j = 0; j < R; j++) w[j] = xB;
    }

    // The best of all lanes of a group.
    __device__ __forceinline__ int largest(uint32_t g) const {
        int xE = ws_larger_half(best);
        for (uint32_t off = g / 2; off; off /= 2) xE = max(xE, __shfl_xor_sync(~0u, xE, off));
        return xE;
    }

    __device__ __forceinline__ bool beaten() const { return __viaddmax_s16x2_relu(best, limit, 0) != 0; }

    // What comes into register 0, of the lane's own last register and that of the lane before.
    __device__ __forceinline__ uint32_t into(uint32_t own, uint32_t before, bool first_lane) const {
        return __byte_perm(own, first_lane ? xB : before, 0x1076);
    }

    // e: the row of the table for this residue and lane
    __device__ __forceinline__ void row(const uint4 *e, bool first_lane, int g) {
        const uint32_t in = into(w[R - 1], __shfl_up_sync(~0u, w[R - 1], 1, g), first_lane);
#pragma unroll
        for (int c = CHUNKS - 1; c >= 0; c--) {
            const uint4 q = e[c * WS_CODES * SLOTS];
            uint32_t t[4];
#pragma unroll
            for (int j = 4 * c + 3; j >= 4 * c; j--)
                if (j < R) t[j & 3] = __vadd2(j ? w[j - 1] : in, ws_part(q, j & 3));
#pragma unroll
            for (int j = 4 * c + 3; j >= 4 * c; j--)
                if (j < R) {
                    w[j] = __vmaxs2(t[j & 3], xB);
                    if (j % 2 == 0) best = __vimax3_s16x2(best, t[j & 3], t[j + 1 < R ? (j + 1) & 3 : j & 3]);
                }
        }
    }

    // Six rows of which none changes xB. Register 0 is a row behind the others, so that nothing waits for the lane before.
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
                t[j] = __vadd2(w[j - 1], ws_part(e[j / 4], j & 3));
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
        for (int c = 0; c < CHUNKS; c++) q[c] = table[((code & 31u) + c * WS_CODES) * SLOTS];
    }
};

// The residue words of a group's sequence: each lane reads every g-th word, so that a group has 2g of them under way and no row
// waits for memory.
struct msv_words {
    const uint32_t *at;
    uint32_t left, now, next; // of what `at` points to; words of this round of g and of the next
    __device__ __forceinline__ void begin(const uint32_t *word, uint32_t n, uint32_t z, uint32_t g) {
        at = word + z + g;
        left = n > z + g ? n - z - g : 0;
        now = z < n ? word[z] : ~0u;
        next = left ? *at : ~0u;
    }
    // word w, for w = 0, 1, 2, ..; padding behind the end
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

template <int R, int SLOTS, bool GLOBAL> __global__ void __launch_bounds__(THREADS, 1) ws_msv_kernel(const msv_args a) {
    extern __shared__ uint4 shared[];
    const uint32_t which = a.pick[blockIdx.x / a.blocks], block = blockIdx.x % a.blocks;
    const msv_task t = a.task[which];
    const uint32_t n = a.count[which], per_block = blockDim.x >> t.glog;
    if (block * per_block >= n) return;
    const uint32_t lane = threadIdx.x % 32, g = 1u << t.glog, z = lane & (g - 1);
    const uint4 *table = t.table + z;
    if (!GLOBAL) {
        ws_load_table<SLOTS>(shared, t.table, (R + 3) / 4, t.glog);
        __syncthreads();
        table = shared + lane % SLOTS;
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
        msv_state<R, SLOTS> s;
        s.begin(max(WS_BYTE_BASE - tjbm, 0), WS_BYTE_BASE + t.tec);
        const uint32_t rounds = ws_warp_max(item.words);
        uint32_t ahead = words.get(0, g);
        for (uint32_t w = 0; w < rounds; w++) {
            const uint32_t codes = ahead;
            ahead = words.get(w + 1, g);
            if (!GLOBAL) {
                const msv_state<R, SLOTS> before = s;
                s.six(table, codes, z == 0, (int)g);
                if (!__any_sync(~0u, s.beaten())) continue;
                s = before;
            }
#pragma unroll 1
            for (int shift = 0; shift < 30; shift += 5) {
                s.row(table + (codes >> shift & 31u) * SLOTS, z == 0, (int)g);
                if (!__any_sync(~0u, s.beaten())) continue;
                const int xE = s.largest(g);
                if (xE <= -(int16_t)s.limit || over) continue;
                if (xE >= 255 - t.bias) over = true;
                s.limit = ws_both(over ? -32767 : -xE);
                s.xB = ws_both(max(xE - t.tec - tjbm, 0));
#pragma unroll
                for (int j = 0; j < R; j++) s.w[j] = __vmaxs2(s.w[j], s.xB);
            }
            if (__all_sync(~0u, over || w + 1 >= item.words)) break;
        }
        const int xE = s.largest(g);
        if (z == 0 && place < n) a.score[t.first + item.out] = (uint16_t)(over ? CODE_OVER : CODE_MSV | max(xE - t.tec, 0));
    }
}

// ---- 3 launcher ----

typedef void msv_fn(msv_args);
struct msv_shape {
    int R;
    msv_fn *fn;
    const char *name;
};

#define MSV_SHAPE(R, SLOTS, GLOBAL) {R, ws_msv_kernel<R, SLOTS, GLOBAL>, "ws_msv_kernel<" #R ", " #SLOTS ">"},
static const msv_shape near_shape[] = {WS_MSV_LOW(MSV_SHAPE, 8, false)};
static const msv_shape wide16[] = {WS_MSV_LOW(MSV_SHAPE, 16, false)};
static const msv_shape wide32[] = {WS_MSV_LOW(MSV_SHAPE, 32, false) WS_MSV_HIGH(MSV_SHAPE, 32, false)};
static const msv_shape vast[] = {WS_MSV_VAST(MSV_SHAPE, 32, true)};
#define COUNT(x) (int)(sizeof x / sizeof *x)
static const struct {
    const msv_shape *shape;
    int n, slots, min_glog, max_glog;
} kinds[WS_MSV_NKIND] = {{near_shape, COUNT(near_shape), 8, 0, 3},
                         {wide16, COUNT(wide16), 16, 4, 4},
                         {wide32, COUNT(wide32), 32, 5, 5},
                         {vast, COUNT(vast), 32, 5, 5}};

struct msv_prep {
    ws_bytes bytes;
    ws_ssv_devprep ssv;
    ws_devtable table;
    ws_bias_devprep bias;
    int R, glog, kind;
    void *host; // of a backend of the host, for models too long for the device
};

// The shape with the least work a row, which is 3.5 instructions a register and about 12 besides on all lanes of the group,
// and as much again as 24 lanes for the time that the longest sequence takes alone.
static bool choose(msv_prep *p, int M) {
    double least = 1e30;
    for (int kind = 0; kind < WS_MSV_NKIND; kind++)
        for (int i = 0; i < kinds[kind].n; i++)
            for (int glog = kinds[kind].min_glog; glog <= kinds[kind].max_glog; glog++) {
                const int R = kinds[kind].shape[i].R;
                const double work = (3.5 * R + 12) * (24 + (1 << glog)) * (kind == WS_MSV_GLOBAL ? 4 : 1);
                if (2 * R << glog < M || work >= least) continue;
                least = work;
                p->R = R;
                p->glog = glog;
                p->kind = kind;
            }
    return least < 1e30;
}

static int make_table(msv_prep *p, ws_err *err) {
    const ws_bytes *b = &p->bytes;
    const int R = p->R, g = 1 << p->glog, nchunk = (R + 3) / 4;
    int rc = ws_table_create(&p->table, (size_t)nchunk * WS_CODES * (size_t)g * 16, err);
    if (rc) return rc;
    int16_t *table = (int16_t *)p->table.host;
    for (int j = 0; j < R; j++)
        for (int x = 0; x < WS_CODES; x++)
            for (int z = 0; z < g; z++)
                for (int half = 0; half < 2; half++) {
                    const int k = z * 2 * R + half * R + j + 1;
                    const int cost = k <= b->M && x < b->Kp ? b->cost[(size_t)x * (size_t)(b->M + 1) + (size_t)k] : 255;
                    table[(((size_t)(j / 4 * WS_CODES + x) * (size_t)g + (size_t)z) * 4 + (size_t)(j % 4)) * 2 + (size_t)half] =
                        (int16_t)(b->bias - cost);
                }
    return WS_OK;
}

struct msv_call { // what a call needs: of the host's memory, and on the device
    ws_ssv_devprep **ssv;
    ws_devtable **table;
    ws_devlist *list;
    msv_task *task;
    ws_bias_devtask *biased, *there; // there: on the device; NULL: no hints are asked for
    uint32_t *pick;
    const uint32_t *first;
    uint32_t start[WS_MSV_NKIND][16]; // tasks of each shape in pick
    uint32_t longest;                 // most places of a task
    msv_args args;
};

static msv_prep *prep_of(const ws_task *t) { return (msv_prep *)const_cast<void *>(t->prep); }

// What the launches of this file read, on the device before SSV starts: a copy between two kernels would be a gap.
static int put_msv(ws_devlane *l, msv_call *c, const ws_task *task, size_t ntask, ws_err *err) {
    void *dtask = NULL, *dpick = NULL, *count = NULL, *queue = NULL;
    uint32_t npick = 0;
    for (int kind = 0; kind < WS_MSV_NKIND; kind++)
        for (int i = 0; i < kinds[kind].n; i++) {
            c->start[kind][i] = npick;
            for (size_t t = 0; t < ntask; t++)
                if (prep_of(&task[t])->R == kinds[kind].shape[i].R && prep_of(&task[t])->kind == kind) c->pick[npick++] = (uint32_t)t;
            c->start[kind][i + 1] = npick;
        }
    c->longest = 1;
    for (size_t t = 0; t < ntask; t++) {
        const msv_prep *p = prep_of(&task[t]);
        c->task[t] = {(const uint4 *)p->table.at[l->dev->index], c->list[t].item, p->R ? c->list[t].n : 0, c->first[t],
                      p->glog, p->bytes.bias, p->bytes.tbm, p->bytes.tec, p->bias.gate.biased ? p->bias.gate.least : INFINITY};
        c->longest = c->list[t].n > c->longest ? c->list[t].n : c->longest;
    }
    int rc = ws_lane_put(l, c->task, ntask * sizeof *c->task, &dtask, err);
    if (!rc) rc = ws_lane_put(l, c->pick, npick * sizeof *c->pick, &dpick, err);
    if (!rc) rc = ws_lane_alloc(l, 2 * ntask * 4, &count, err);
    if (!rc) rc = ws_lane_alloc(l, 4 * (size_t)c->first[ntask], &queue, err);
    if (!rc) rc = ws_cuda_fail(cudaMemsetAsync(count, 0, 2 * ntask * 4, l->stream), "clearing counts", err);
    c->args = {(const msv_task *)dtask, (const uint32_t *)dpick, 0, ws_gpu_words(l), ws_gpu_seqs(l), (uint16_t *)l->out.p,
               (uint32_t *)queue, (uint32_t *)count, (uint32_t *)count + ntask};
    return rc;
}

// The same for the bias filter, if hints are asked for.
static int put_bias(ws_devlane *l, msv_call *c, const ws_task *task, size_t ntask, ws_err *err) {
    if (!task[0].hint) return WS_OK;
    float *sum = ws_dev_hints(l, sizeof(uint16_t), c->first[ntask]);
    void *there = NULL;
    for (size_t t = 0; t < ntask; t++)
        c->biased[t] = {(const ws_bias *)prep_of(&task[t])->bias.table.at[l->dev->index], c->list[t].item, c->args.queue + c->first[t],
                        c->args.passing + t, sum + c->first[t]};
    int rc = ws_lane_put(l, c->biased, ntask * sizeof *c->biased, &there, err);
    c->there = (ws_bias_devtask *)there;
    return rc;
}

// Behind SSV in the stream: the queues, then the recursion, shape by shape.
static int launch_msv(ws_devlane *l, const msv_call *c, size_t ntask, ws_err *err) {
    const size_t SMALL = 32 << 10; // a table that may stand in several blocks of a multiprocessor: few pairs spread over more of them
    const dim3 grid((c->longest + 4 * THREADS - 1) / (4 * THREADS), (unsigned)(ntask < 65535 ? ntask : 65535));
    ws_msv_select_kernel<<<grid, THREADS, 0, l->stream>>>(c->args, (uint32_t)ntask);
    int rc = ws_lane_launched(l, "ws_msv_select_kernel", err);
    for (int kind = 0; kind < WS_MSV_NKIND && !rc; kind++)
        for (int i = 0; i < kinds[kind].n && !rc; i++) {
            const uint32_t n = c->start[kind][i + 1] - c->start[kind][i];
            if (n == 0) continue;
            const msv_shape *sh = &kinds[kind].shape[i];
            const size_t shared = kind == WS_MSV_GLOBAL ? 0 : (size_t)(sh->R + 3) / 4 * WS_CODES * (size_t)kinds[kind].slots * 16;
            rc = ws_cuda_shared((const void *)sh->fn, shared, sh->name, err);
            if (rc) break;
            msv_args a = c->args;
            a.pick += c->start[kind][i];
            const uint32_t threads = shared > SMALL ? THREADS : THREADS / 2, warps = threads / 32;
            const uint32_t most = (c->longest + warps - 1) / warps, want = (uint32_t)l->dev->sms * 64 / warps / n + 1;
            a.blocks = most < want ? most : want;
            sh->fn<<<n * a.blocks, threads, shared, l->stream>>>(a);
            rc = ws_lane_launched(l, sh->name, err);
        }
    return rc;
}

// Behind MSV in the stream. The queues of the open pairs are not needed any more.
static int launch_bias(ws_devlane *l, const msv_call *c, size_t ntask, ws_err *err) {
    const dim3 grid((c->longest + 4 * THREADS - 1) / (4 * THREADS), (unsigned)(ntask < 65535 ? ntask : 65535));
    ws_msv_pass_kernel<<<grid, THREADS, 0, l->stream>>>(c->args, (uint32_t)ntask);
    int rc = ws_lane_launched(l, "ws_msv_pass_kernel", err);
    return rc ? rc : ws_bias_dev_sums(l, c->there, (uint32_t)ntask, c->longest, err);
}

// ---- 4 the backend ----

static const ws_devhost host = {{&ws_msv_avx512, &ws_msv_avx2, &ws_msv_scalar}};

static void release(void *p) {
    msv_prep *me = (msv_prep *)p;
    if (!me) return;
    ws_ssv_dev_release(&me->ssv);
    ws_bias_dev_release(&me->bias);
    ws_table_destroy(&me->table);
    ws_bytes_destroy(&me->bytes);
    if (me->host) ws_dev_host(&host)->release(me->host);
    ws_free(me);
}

static int prepare(const ws_target *t, void **out, ws_err *err) {
    const ws_hmm_target *target = (const ws_hmm_target *)t->data;
    msv_prep *me = (msv_prep *)ws_calloc(1, sizeof *me, err);
    *out = NULL;
    if (!me) return WS_ENOMEM;
    int rc = ws_bytes_create(&me->bytes, &target->profile, err);
    if (!rc) rc = ws_ssv_dev_prepare(&me->ssv, &me->bytes, err);
    if (!rc) rc = ws_bias_dev_prepare(&me->bias, target, err);
    if (!rc && me->ssv.R && choose(me, me->bytes.M)) rc = make_table(me, err);
    else if (!rc) rc = ws_dev_host(&host)->prepare(t, &me->host, err);
    if (me->host) me->ssv.R = me->R = 0;
    if (rc) release(me);
    else *out = me;
    return rc;
}

static int on_device(ws_devlane *l, msv_call *c, const ws_batch *b, const ws_task *task, size_t ntask, ws_err *err) {
    size_t ntable = 0;
    for (size_t t = 0; t < ntask; t++) {
        c->ssv[t] = &prep_of(&task[t])->ssv;
        if (prep_of(&task[t])->R) c->table[ntable++] = &prep_of(&task[t])->table;
        if (task[0].hint) c->table[ntable++] = &prep_of(&task[t])->bias.table;
    }
    int rc = ws_lane_tables(l, c->table, ntable, err);
    if (!rc) rc = ws_gpu_lists(l, b, task, ntask, false, c->list, err);
    if (!rc) rc = put_msv(l, c, task, ntask, err);
    if (!rc) rc = put_bias(l, c, task, ntask, err);
    if (!rc) rc = ws_ssv_dev_best(l, b, task, c->ssv, c->first, ntask, (uint16_t *)l->out.p, err);
    if (!rc) rc = launch_msv(l, c, ntask, err);
    return rc || !c->there ? rc : launch_bias(l, c, ntask, err);
}

static int queue(ws_devlane *l, const ws_batch *b, const ws_task *task, const uint32_t *first, size_t ntask, ws_err *err) {
    msv_call c = {};
    int rc = WS_ENOMEM;
    c.first = first;
    if ((c.ssv = (ws_ssv_devprep **)ws_calloc(ntask, sizeof *c.ssv, err)) &&
        (c.table = (ws_devtable **)ws_calloc(2 * ntask, sizeof *c.table, err)) &&
        (c.biased = (ws_bias_devtask *)ws_calloc(ntask, sizeof *c.biased, err)) &&
        (c.list = (ws_devlist *)ws_calloc(ntask, sizeof *c.list, err)) && (c.task = (msv_task *)ws_calloc(ntask, sizeof *c.task, err)) &&
        (c.pick = (uint32_t *)ws_calloc(ntask, sizeof *c.pick, err)))
        rc = on_device(l, &c, b, task, ntask, err);
    ws_free(c.ssv);
    ws_free(c.table);
    ws_free(c.list);
    ws_free(c.task);
    ws_free(c.biased);
    ws_free(c.pick);
    return rc;
}

static ws_fscore decode(const void *prep, const ws_lenmodel *lm, const void *raw) {
    uint16_t code;
    memcpy(&code, raw, sizeof code);
    if (code & CODE_OVER) return {INFINITY, WS_F_OVERFLOW};
    if (!(code & CODE_MSV)) return ws_ssv_decide(&((const msv_prep *)prep)->bytes, lm, code);
    const int xJ = code & 255;
    return {ws_ungapped_nats(xJ, lm->tjb), WS_F_OK};
}

static void *host_prep(const void *prep, ws_err *) { return ((const msv_prep *)prep)->host; }
static bool on_host(const void *prep) { return ((const msv_prep *)prep)->host; }

static const ws_devkernel kernel = {2, queue, decode, &host, host_prep, on_host, NULL};

static int score(const ws_batch *b, const ws_task *task, size_t ntask, ws_lane *lane, ws_err *err) {
    return ws_dev_score(&kernel, b, task, ntask, lane, err);
}

const ws_backend ws_msv_cuda = ws_dev_backend(prepare, release, score, 1.5e11, true);
