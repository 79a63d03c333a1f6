// SPDX-License-Identifier: MIT
// SSV on CUDA devices: bytes four to a register, a group of 1 to 32 lanes a sequence. README.md draws the layout.
//
// Contents: 1 parameters and layout; 2 kernels; 3 launcher; 4 the backend

#include "kernels/ssv/configs.h"
#include "lib/cascade/gpu_score.cuh"
#include "lib/cascade/ungapped.cuh"

extern "C" {
#include "kernels/ssv/ssv.h"
}

#include <string.h>

// ---- 1 parameters and layout ----
//
// A register holds v of four nodes as bytes 128 + v. Node n (from 0) of a lane's 4R is byte n / R of register n % R, so that
// going down a diagonal is reading the register before, and only register 0 takes its bytes from elsewhere: from register
// R - 1, one byte up, and from the lane before.
//
// A row is  t = u + E,  E = sum of -d_k(x) * 256^byte  in one 32-bit addition. Every byte of t lies in 0..255: d is at most 128,
// -d at most bias, and as long as S2 has not decided, v is below 127 - bias. Then bytes below 128 go back to 128.

struct ssv_task {
    const uint4 *table;
    const ws_devitem *item;
    uint32_t n, first; // places; where the task's scores begin
    int glog, overlap; // log2 of lanes a group; words that a piece needs before its own first
};

struct ssv_args {
    const ssv_task *task;
    const ws_devunit *unit;
    const uint32_t *word;
    const ws_devseq *seq;
    uint16_t *best;
    uint32_t byte_up; // 256: a multiplication by it runs beside what the integer pipe does, a shift would not
};

enum { THREADS = 256, THREADS_WIDE = 512 };
static const uint32_t FLOOR = 0x80808080u;

// ---- 2 kernels ----

__device__ __forceinline__ uint32_t above_floor(uint32_t t) {
    uint32_t mask;
    asm("prmt.b32 %0, %1, 0, 0xba98;" : "=r"(mask) : "r"(t)); // 0xff where a byte's top bit is set
    return (t & mask) | FLOOR;
}

template <int R, int SLOTS, bool GROUP> struct ssv_state {
    uint32_t u[R], odd, even;

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int j = 0; j < R; j++) u[j] = FLOOR;
        odd = even = 0;
    }

    // e: the row of the table for this residue and lane
    __device__ __forceinline__ void row(const uint4 *e, bool first_lane, int g, uint32_t byte_up) {
        uint32_t in = FLOOR;
        if (GROUP) {
            in = __shfl_up_sync(~0u, u[R - 1], 1, g);
            if (first_lane) in = FLOOR;
        }
        in = __byte_perm(u[R - 1], in, 0x2107);
#pragma unroll
        for (int c = (R - 1) / 4; c >= 0; c--) {
            const uint4 q = e[c * WS_CODES * SLOTS];
#pragma unroll
            for (int j = 4 * c + 3; j >= 4 * c; j--)
                if (j < R) u[j] = above_floor((j ? u[j - 1] : in) + ws_part(q, j & 3));
#pragma unroll
            for (int j = 4 * c + 2; j >= 4 * c; j -= 2)
                if (j < R) {
                    const uint32_t a = u[j], b = u[j + 1 < R ? j + 1 : j];
                    odd = __vimax3_u16x2(odd, a, b);
                    even = __vimax3_u16x2(even, a * byte_up, b * byte_up);
                }
        }
    }

    __device__ __forceinline__ uint32_t best() const {
        const uint32_t m = __vmaxu2(odd, even); // high bytes count
        return max(m >> 24, m >> 8 & 255u);
    }
};

template <int R, int SLOTS, bool GROUP, bool GLOBAL>
__global__ void __launch_bounds__(SLOTS == 32 && !GLOBAL ? THREADS_WIDE : THREADS) ws_ssv_kernel(const ssv_args a) {
    extern __shared__ uint4 shared[];
    const ws_devunit unit = a.unit[blockIdx.x];
    const ssv_task t = a.task[unit.task];
    const uint32_t lane = threadIdx.x % 32, g = GROUP ? 1u << t.glog : 1, z = lane & (g - 1);
    const uint4 *table = t.table + z;
    if (!GLOBAL) {
        ws_load_table<SLOTS>(shared, t.table, (R + 3) / 4, t.glog);
        __syncthreads();
        table = shared + lane % SLOTS;
    }
    const uint32_t place = ((unit.chunk * blockDim.x + threadIdx.x) >> (GROUP ? t.glog : 0));
    ws_devitem item = {};
    ws_devseq seq = {};
    if (place < t.n) {
        item = t.item[place];
        seq = a.seq[item.seq];
    }
    const uint32_t before = min(item.from, (uint32_t)t.overlap), words = item.words + before;
    ws_fetch fetch;
    fetch.begin(a.word + seq.first + item.from - before, words);

    ssv_state<R, SLOTS, GROUP> s;
    s.clear();
    for (uint32_t w = ws_warp_max(words); w; w--) {
        const uint32_t codes = fetch.get();
#pragma unroll
        for (int i = 0; i < 6; i++) s.row(table + (codes >> 5 * i & 31u) * SLOTS, z == 0, (int)g, a.byte_up);
    }
    uint32_t best = s.best();
    if (GROUP)
        for (uint32_t off = g / 2; off; off /= 2) best = max(best, __shfl_xor_sync(~0u, best, off));
    if (z == 0 && place < t.n && best > 128) {
        uint16_t *out = a.best + t.first + item.out;
        if (6 * (uint64_t)item.words >= seq.len) *out = (uint16_t)(best - 128);
        else ws_atomic_max16(out, (uint16_t)(best - 128));
    }
}

// ---- 3 launcher ----

typedef void ssv_fn(ssv_args);
struct ssv_shape {
    int R;
    ssv_fn *fn;
    const char *name;
};

#define SSV_SHAPE(R, SLOTS, GROUP, GLOBAL) {R, ws_ssv_kernel<R, SLOTS, GROUP, GLOBAL>, "ws_ssv_kernel<" #R ", " #SLOTS ">"},
static const ssv_shape single[] = {WS_SSV_LOW(SSV_SHAPE, 8, false, false) WS_SSV_HIGH(SSV_SHAPE, 8, false, false)};
static const ssv_shape group[] = {WS_SSV_HIGH(SSV_SHAPE, 8, true, false)};
static const ssv_shape wide16[] = {WS_SSV_HIGH(SSV_SHAPE, 16, true, false)};
static const ssv_shape wide32[] = {WS_SSV_HIGH(SSV_SHAPE, 32, true, false)};
static const ssv_shape vast[] = {WS_SSV_VAST(SSV_SHAPE, 32, true, true)};
#define COUNT(x) (int)(sizeof x / sizeof *x)
static const struct {
    const ssv_shape *shape;
    int n, slots, threads, min_glog, max_glog;
} kinds[WS_SSV_NKIND] = {{single, COUNT(single), 8, THREADS, 0, 0},
                         {group, COUNT(group), 8, THREADS, 1, 3},
                         {wide16, COUNT(wide16), 16, THREADS, 4, 4},
                         {wide32, COUNT(wide32), 32, THREADS_WIDE, 5, 5},
                         {vast, COUNT(vast), 32, THREADS, 5, 5}};

// The shape with the least work a row: 5.3 instructions a register and about 12 besides, on all lanes of the group.
static bool choose(ws_ssv_devprep *p, int M) {
    double least = 1e30;
    for (int kind = 0; kind < WS_SSV_NKIND; kind++)
        for (int i = 0; i < kinds[kind].n; i++)
            for (int glog = kinds[kind].min_glog; glog <= kinds[kind].max_glog; glog++) {
                const int R = kinds[kind].shape[i].R;
                const double work = (5.3 * R + 12) * (1 << glog) * (kind == WS_SSV_GLOBAL ? 4 : 1);
                if (4 * R << glog < M || work >= least) continue;
                least = work;
                p->R = R;
                p->glog = glog;
                p->kind = kind;
            }
    return least < 1e30;
}

int ws_ssv_dev_prepare(ws_ssv_devprep *p, const ws_bytes *b, ws_err *err) {
    *p = {};
    if (!choose(p, b->M)) return WS_OK;
    p->overlap = (b->M + 5) / 6;
    const int R = p->R, g = 1 << p->glog, nchunk = (R + 3) / 4;
    int rc = ws_table_create(&p->table, (size_t)nchunk * WS_CODES * (size_t)g * 16, err);
    if (rc) return rc;
    uint32_t *table = (uint32_t *)p->table.host;
    for (int j = 0; j < R; j++)
        for (int x = 0; x < WS_CODES; x++)
            for (int z = 0; z < g; z++) {
                uint32_t e = 0;
                for (int byte = 0; byte < 4; byte++) {
                    const int k = z * 4 * R + byte * R + j + 1;
                    int d = 128; // padding never rises above the floor
                    if (k <= b->M && x < b->Kp) d = b->cost[(size_t)x * (size_t)(b->M + 1) + (size_t)k] - b->bias;
                    e -= (uint32_t)(d > 128 ? 128 : d) << 8 * byte;
                }
                table[((size_t)(j / 4 * WS_CODES + x) * (size_t)g + (size_t)z) * 4 + (size_t)(j % 4)] = e;
            }
    return WS_OK;
}

void ws_ssv_dev_release(ws_ssv_devprep *p) { ws_table_destroy(&p->table); }

// What a call needs of the host's memory.
struct ssv_call {
    ws_devlist *list;
    ssv_task *task;
    ws_devtable **table;
    uint32_t *pick, *per_block;
    ws_units units;
    size_t start[WS_SSV_NKIND * 32 + 1]; // units of each shape
};

static int queue_shapes(ws_devlane *l, ssv_call *c, ws_ssv_devprep *const *prep, size_t ntask, uint16_t *best, ws_err *err) {
    int rc = WS_OK;
    const int sizes = 32;
    for (int kind = 0; kind < WS_SSV_NKIND && !rc; kind++)
        for (int i = 0; i < kinds[kind].n && !rc; i++) {
            size_t n = 0;
            for (size_t t = 0; t < ntask; t++)
                if (prep[t]->R == kinds[kind].shape[i].R && prep[t]->kind == kind) {
                    c->pick[n] = (uint32_t)t;
                    c->per_block[n++] = (uint32_t)kinds[kind].threads >> prep[t]->glog;
                }
            c->start[kind * sizes + i] = c->units.n;
            rc = ws_units_make(&c->units, c->list, c->pick, c->per_block, n, err);
            c->start[kind * sizes + i + 1] = c->units.n;
        }
    void *tasks = NULL, *units = NULL;
    if (!rc) rc = ws_lane_put(l, c->task, ntask * sizeof(ssv_task), &tasks, err);
    if (!rc) rc = ws_lane_put(l, c->units.unit, c->units.n * sizeof(ws_devunit), &units, err);
    for (int kind = 0; kind < WS_SSV_NKIND && !rc; kind++)
        for (int i = 0; i < kinds[kind].n && !rc; i++) {
            const size_t from = c->start[kind * sizes + i], n = c->start[kind * sizes + i + 1] - from;
            if (n == 0) continue;
            const ssv_shape *sh = &kinds[kind].shape[i];
            const ssv_args a = {(const ssv_task *)tasks, (const ws_devunit *)units + from, ws_gpu_words(l), ws_gpu_seqs(l), best, 256};
            const size_t shared = kind == WS_SSV_GLOBAL ? 0 : (size_t)(sh->R + 3) / 4 * WS_CODES * (size_t)kinds[kind].slots * 16;
            rc = ws_cuda_shared((const void *)sh->fn, shared, sh->name, err);
            if (rc) break;
            sh->fn<<<(unsigned)n, (unsigned)kinds[kind].threads, shared, l->stream>>>(a);
            rc = ws_lane_launched(l, sh->name, err);
        }
    return rc;
}

int ws_ssv_dev_best(ws_devlane *l, const ws_batch *b, const ws_task *task, ws_ssv_devprep *const *prep, const uint32_t *first,
                    size_t ntask, uint16_t *best, ws_err *err) {
    ssv_call c = {};
    int rc = WS_ENOMEM;
    if (!(c.list = (ws_devlist *)ws_calloc(ntask, sizeof *c.list, err))) goto out;
    if (!(c.task = (ssv_task *)ws_calloc(ntask, sizeof *c.task, err))) goto out;
    if (!(c.table = (ws_devtable **)ws_calloc(ntask, sizeof *c.table, err))) goto out;
    if (!(c.pick = (uint32_t *)ws_calloc(2 * ntask, sizeof *c.pick, err))) goto out;
    c.per_block = c.pick + ntask;
    {
        size_t ntable = 0;
        for (size_t t = 0; t < ntask; t++)
            if (prep[t]->R) c.table[ntable++] = &prep[t]->table;
        rc = ws_lane_tables(l, c.table, ntable, err);
    }
    if (!rc) rc = ws_gpu_lists(l, b, task, ntask, true, c.list, err);
    for (size_t t = 0; t < ntask && !rc; t++)
        c.task[t] = {(const uint4 *)prep[t]->table.at[l->dev->index], c.list[t].item, c.list[t].n, first[t], prep[t]->glog,
                     prep[t]->overlap};
    if (!rc) rc = queue_shapes(l, &c, prep, ntask, best, err);
out:
    ws_free(c.list);
    ws_free(c.task);
    ws_free(c.table);
    ws_free(c.pick);
    ws_free(c.units.unit);
    return rc;
}

// ---- 4 the backend ----

static const ws_devhost host = {{&ws_ssv_avx512, &ws_ssv_avx2, &ws_ssv_scalar}};

struct ssv_prep {
    ws_bytes bytes; // its table only for the host
    ws_ssv_devprep dev;
    void *host; // of a backend of the host, for models too long for the device
};

static void release(void *p) {
    ssv_prep *me = (ssv_prep *)p;
    if (!me) return;
    ws_ssv_dev_release(&me->dev);
    ws_bytes_destroy(&me->bytes);
    if (me->host) ws_dev_host(&host)->release(me->host);
    ws_free(me);
}

static int prepare(const ws_target *t, void **out, ws_err *err) {
    const ws_hmm_target *target = (const ws_hmm_target *)t->data;
    ssv_prep *me = (ssv_prep *)ws_calloc(1, sizeof *me, err);
    *out = NULL;
    if (!me) return WS_ENOMEM;
    int rc = ws_bytes_create(&me->bytes, &target->profile, err);
    if (!rc) rc = ws_ssv_dev_prepare(&me->dev, &me->bytes, err);
    if (!rc && !me->dev.R) rc = ws_dev_host(&host)->prepare(t, &me->host, err);
    if (rc) release(me);
    else *out = me;
    return rc;
}

static int queue(ws_devlane *l, const ws_batch *b, const ws_task *task, const uint32_t *first, size_t ntask, ws_err *err) {
    ws_ssv_devprep **prep = (ws_ssv_devprep **)ws_calloc(ntask, sizeof *prep, err);
    if (!prep) return WS_ENOMEM;
    for (size_t t = 0; t < ntask; t++) prep[t] = &((ssv_prep *)const_cast<void *>(task[t].prep))->dev;
    int rc = ws_ssv_dev_best(l, b, task, prep, first, ntask, (uint16_t *)l->out.p, err);
    ws_free(prep);
    return rc;
}

static ws_fscore decode(const void *prep, const ws_lenmodel *lm, const void *raw) {
    uint16_t best;
    memcpy(&best, raw, sizeof best);
    return ws_ssv_decide(&((const ssv_prep *)prep)->bytes, lm, best);
}

static void *host_prep(const void *prep, ws_err *) { return ((const ssv_prep *)prep)->host; }
static bool on_host(const void *prep) { return ((const ssv_prep *)prep)->host; }

static const ws_devkernel kernel = {2, queue, decode, &host, host_prep, on_host, NULL};

static int score(const ws_batch *b, const ws_task *task, size_t ntask, ws_lane *lane, ws_err *err) {
    return ws_dev_score(&kernel, b, task, ntask, lane, err);
}

const ws_backend ws_ssv_cuda = ws_dev_backend(prepare, release, score, 1.5e11);
