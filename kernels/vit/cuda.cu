// SPDX-License-Identifier: MIT
// The Viterbi filter on CUDA devices: two nodes to a register, states and transitions in registers. README.md draws the layout.
//
// Contents: 1 parameters and layout; 2 kernels; 3 launcher; 4 the backend

#include "kernels/vit/configs.h"
#include "lib/cascade/gpu_score.cuh"

extern "C" {
#include "kernels/vit/vit.h"
}

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

// ---- 1 parameters and layout ----
//
// Node n (from 0) of a lane's 2R is half n / R of register n % R.
//
// The device has no saturating 16-bit addition worth its time, so values stand 4096 lower than in the specification and never
// fall below LOW = -16384, which leaves room on both sides: transitions and emissions are -16384 at least, emissions 4095 at
// most. Why LOW instead of -32768 gives the same scores: xB + BM_k >= LOW for every node (targets and lengths where that is
// not so stay on the host), so what a cell at LOW sends anywhere is no better than entering there. Only a sequence all of
// whose M lie at LOW has no score here (UNSURE: the host finds it). An impossible residue costs -32768 in two steps of -16384.

enum { SHIFT = 4096, LOW = -16384, STEP = -16384, TOP = 32767 - SHIFT, PAD_ENTRY = -12288 };
enum { UNSURE = INT_MIN, OVERFLOWN = INT_MAX }; // else xC
enum { BM, MM, IM, DM, MI, II, MD, DD, NTRANS };

struct vit_task {
    const uint4 *table;
    const uint32_t *trans; // [NTRANS][R][lanes]: all but MI and II are those into a node
    const ws_devitem *item;
    uint32_t n, first;
    int glog, dd_bound, least_move;
    uint32_t dead; // bit x: residue x is impossible in every node
};

struct vit_args {
    const vit_task *task;
    const ws_devunit *unit;
    const uint32_t *word;
    const ws_devseq *seq;
    int32_t *score;
    int rounds; // sequences of a group, one after another
};

enum { THREADS = 128, MAX_WARPS = 8 };

// ---- 2 kernels ----

__device__ __forceinline__ uint32_t both(int v) { return __byte_perm((uint32_t)v, 0, 0x1010); }
__device__ __forceinline__ int larger_half(uint32_t v) { return max((int)(int16_t)v, (int)v >> 16); }
__device__ __forceinline__ uint32_t part(const uint4 &q, int j) { return j == 0 ? q.x : j == 1 ? q.y : j == 2 ? q.z : q.w; }

// Lanes that own a sequence: part of a warp, or with BLOCK all of the block.
template <bool BLOCK> struct vit_group {
    int z, g;       // place and number of lanes
    uint32_t *slot; // BLOCK: two rows of one word a warp
    int turn;

    // v of the lane before; the first has LOW
    __device__ __forceinline__ uint32_t up(uint32_t v) {
        uint32_t in = __shfl_up_sync(~0u, v, 1, BLOCK ? 32 : g);
        if (BLOCK) {
            turn ^= MAX_WARPS;
            if (z % 32 == 31) slot[turn + z / 32] = v;
            __syncthreads(); // the other row is written next: nobody can still be reading this one when it is written again
            if (z % 32 == 0 && z) in = slot[turn + z / 32 - 1];
        }
        return z ? in : both(LOW);
    }
    __device__ __forceinline__ bool any(bool p) { return BLOCK ? __syncthreads_or(p) : __any_sync(~0u, p); }
    __device__ __forceinline__ int largest(int v) {
        for (int off = BLOCK ? 16 : g / 2; off; off /= 2) v = max(v, __shfl_xor_sync(~0u, v, off));
        if (!BLOCK) return v;
        turn ^= MAX_WARPS;
        if (z % 32 == 0) slot[turn + z / 32] = (uint32_t)v;
        __syncthreads();
        for (int w = 0; w < g / 32; w++) v = max(v, (int)slot[turn + w]);
        return v;
    }
};

// What comes to the first node of each half of a lane: the last node of the half before.
__device__ __forceinline__ uint32_t shifted(uint32_t own, uint32_t before) { return __byte_perm(own, before, 0x1076); }

template <int R, bool BLOCK> struct vit_state {
    uint32_t M[R], I[R], D[R], t[NTRANS][R];
    uint32_t inM, inI, inD; // of the row before, for register 0
    uint32_t best;          // largest M of all rows
    uint32_t xB;
    int limit;              // what a row's largest M must beat to change xB
    bool over;

    __device__ __forceinline__ void load(const uint32_t *trans, int z, int g) {
#pragma unroll
        for (int i = 0; i < NTRANS; i++)
#pragma unroll
            for (int j = 0; j < R; j++) t[i][j] = trans[(i * R + j) * g + z];
    }
    __device__ __forceinline__ void begin(int wmove) {
#pragma unroll
        for (int j = 0; j < R; j++) M[j] = I[j] = D[j] = both(LOW);
        inM = inI = inD = best = both(LOW);
        xB = both(WS_WORD_BASE + wmove - SHIFT);
        limit = WS_WORD_BASE - WS_WORD_E - SHIFT;
        over = false;
    }

    // M and I of a row; e: the row of the table for this residue, stride: from one chunk of it to the next
    __device__ __forceinline__ void match_insert(const uint4 *e, int stride) {
#pragma unroll
        for (int c = (R - 1) / 4; c >= 0; c--) {
            const uint4 q = e[c * stride];
#pragma unroll
            for (int j = 4 * c + 3; j >= 4 * c; j--)
                if (j < R) {
                    uint32_t m = __vadd2(xB, t[BM][j]);
                    m = __viaddmax_s16x2(j ? M[j - 1] : inM, t[MM][j], m);
                    m = __viaddmax_s16x2(j ? I[j - 1] : inI, t[IM][j], m);
                    m = __viaddmax_s16x2(j ? D[j - 1] : inD, t[DM][j], m);
                    I[j] = __viaddmax_s16x2(I[j], t[II][j], __viaddmax_s16x2(M[j], t[MI][j], both(LOW)));
                    M[j] = __viaddmax_s16x2(m, part(q, j & 3), both(LOW));
                }
        }
    }
    __device__ __forceinline__ void impossible() {
#pragma unroll
        for (int j = 0; j < R; j++) M[j] = __viaddmax_s16x2(M[j], both(STEP), both(LOW));
    }

    // E, J, C and B, if this row changes them
    __device__ __forceinline__ void specials(vit_group<BLOCK> &grp, int wmove) {
#pragma unroll
        for (int j = 0; j < R; j += 2) best = __vimax3_s16x2(best, M[j], M[j + 1 < R ? j + 1 : j]);
        if (!grp.any(larger_half(best) > limit)) return;
        const int xE = grp.largest(larger_half(best));
        if (xE <= limit || over) return;
        over = xE >= TOP;
        limit = over ? INT_MAX : xE;
        xB = both(max(xE + WS_WORD_E, WS_WORD_BASE - SHIFT) + wmove);
    }

    // D from M of this row, D to D only where it can matter: where max D + dd_bound > xB, see the specification, 5.2
    __device__ __forceinline__ void deletes(vit_group<BLOCK> &grp, int dd_bound) {
        uint32_t most = both(LOW);
        inM = shifted(M[R - 1], grp.up(M[R - 1]));
#pragma unroll
        for (int j = 0; j < R; j++) D[j] = __viaddmax_s16x2(j ? M[j - 1] : inM, t[MD][j], both(LOW));
#pragma unroll
        for (int j = 0; j < R; j += 2) most = __vimax3_s16x2(most, D[j], D[j + 1 < R ? j + 1 : j]);
        if (!grp.any(larger_half(most) + dd_bound > (int)(int16_t)xB)) {
            inD = shifted(D[R - 1], grp.up(D[R - 1]));
            return;
        }
        for (;;) { // each round carries D over one more border of half lanes
#pragma unroll
            for (int j = 1; j < R; j++) D[j] = __viaddmax_s16x2(D[j - 1], t[DD][j], D[j]);
            inD = shifted(D[R - 1], grp.up(D[R - 1]));
            const uint32_t d = __viaddmax_s16x2(inD, t[DD][0], D[0]);
            if (!grp.any(d != D[0])) return;
            D[0] = d;
        }
    }
};

template <int R, int SLOTS, bool BLOCK>
__global__ void __launch_bounds__(BLOCK ? 32 * MAX_WARPS : THREADS) ws_vit_kernel(const vit_args a) {
    extern __shared__ uint4 shared[];
    __shared__ uint32_t slot[2 * MAX_WARPS];
    const ws_devunit unit = a.unit[blockIdx.x];
    const vit_task t = a.task[unit.task];
    vit_group<BLOCK> grp;
    grp.g = BLOCK ? (int)blockDim.x : 1 << t.glog;
    grp.z = (int)threadIdx.x & (grp.g - 1);
    grp.slot = slot;
    grp.turn = 0;
    const uint4 *table = t.table + grp.z;
    const int slots = BLOCK ? (int)blockDim.x : SLOTS;
    if (BLOCK) grp.z = (int)threadIdx.x;
    if (BLOCK) table = t.table + threadIdx.x;
    if (!BLOCK) {
        ws_load_table<SLOTS>(shared, t.table, (R + 3) / 4, t.glog);
        __syncthreads();
        table = shared + threadIdx.x % SLOTS;
    }
    vit_state<R, BLOCK> s;
    s.load(t.trans, grp.z, grp.g);
    const uint32_t groups = BLOCK ? 1 : blockDim.x >> t.glog;
    for (int round = 0; round < a.rounds; round++) {
        const uint32_t place = (unit.chunk * (uint32_t)a.rounds + (uint32_t)round) * groups + (BLOCK ? 0 : threadIdx.x >> t.glog);
        ws_devitem item = {};
        ws_devseq seq = {};
        if (place < t.n) {
            item = t.item[place];
            seq = a.seq[item.seq];
        }
        const bool able = seq.wmove >= t.least_move;
        ws_fetch fetch;
        fetch.begin(a.word + seq.first, able ? item.words : 0);
        s.begin(able ? seq.wmove : 0);
        for (uint32_t w = ws_warp_max(able ? item.words : 0); w; w--) {
            const uint32_t codes = fetch.get();
#pragma unroll 1
            for (int shift = 0; shift < 30; shift += 5) {
                const uint32_t x = codes >> shift & 31u;
                s.match_insert(table + x * (uint32_t)slots, WS_CODES * slots);
                if (__any_sync(~0u, t.dead >> x & 1u)) // all lanes of the group have the same x, a block's too
                    if (t.dead >> x & 1u) s.impossible();
                s.specials(grp, seq.wmove);
                s.deletes(grp, t.dd_bound);
                s.inI = shifted(s.I[R - 1], grp.up(s.I[R - 1]));
            }
            if (!BLOCK && __all_sync(~0u, s.over || fetch.left == 0)) break;
        }
        const int xE = grp.largest(larger_half(s.best));
        if (grp.z == 0 && place < t.n)
            a.score[t.first + item.out] = !able ? UNSURE : s.over ? OVERFLOWN : xE <= LOW ? UNSURE : xE + SHIFT + WS_WORD_E;
        if (BLOCK) __syncthreads();
    }
}

// ---- 3 launcher ----

typedef void vit_fn(vit_args);
struct vit_shape {
    int R;
    vit_fn *fn;
    const char *name;
};

#define VIT_SHAPE(R, SLOTS, BLOCK) {R, ws_vit_kernel<R, SLOTS, BLOCK>, "ws_vit_kernel<" #R ", " #SLOTS ">"},
static const vit_shape near_shape[] = {WS_VIT_SHORT(VIT_SHAPE, 8, false) WS_VIT_LONG(VIT_SHAPE, 8, false)};
static const vit_shape wide16[] = {WS_VIT_LONG(VIT_SHAPE, 16, false)};
static const vit_shape wide32[] = {WS_VIT_LONG(VIT_SHAPE, 32, false)};
static const vit_shape block_shape[] = {WS_VIT_VAST(VIT_SHAPE, 32, true)};
#define COUNT(x) (int)(sizeof x / sizeof *x)
static const struct {
    const vit_shape *shape;
    int n, slots, min_glog, max_glog;
} kinds[WS_VIT_NKIND] = {{near_shape, COUNT(near_shape), 8, 0, 3},
                         {wide16, COUNT(wide16), 16, 4, 4},
                         {wide32, COUNT(wide32), 32, 5, 5},
                         {block_shape, COUNT(block_shape), 0, 6, 8}};

// Who scores what the device does not.
static const ws_devhost host = {{&ws_vit_avx512, &ws_vit_avx2, &ws_vit_scalar}};

struct vit_prep {
    ws_devtable table, trans;
    int R, glog, kind, dd_bound, least_move; // R = 0: for the host
    uint32_t dead;
    ws_target target; // for host_prep
    pthread_mutex_t lock;
    void *host;
};

// The shape with the least work a row: 10 instructions a register and about 45 besides, on all lanes of the group.
static bool choose(vit_prep *p, int M) {
    double least = 1e30;
    for (int kind = 0; kind < WS_VIT_NKIND; kind++)
        for (int i = 0; i < kinds[kind].n; i++)
            for (int glog = kinds[kind].min_glog; glog <= kinds[kind].max_glog; glog++) {
                const int R = kinds[kind].shape[i].R;
                const double work = (10 * R + 45) * (1 << glog) * (kind == WS_VIT_BLOCK ? 2 : 1);
                if (2 * R << glog < M || work >= least) continue;
                least = work;
                p->R = R;
                p->glog = glog;
                p->kind = kind;
            }
    return least < 1e30;
}

// Whether all numbers lie where the device's arithmetic is exact; sets what follows from them.
static bool fits(vit_prep *p, const ws_words *w) {
    const size_t row = (size_t)w->M + 1;
    int entry = PAD_ENTRY;
    for (int x = 0; x < w->Kp; x++) {
        int most = -32768, least = 32767;
        for (int k = 1; k <= w->M; k++) {
            most = w->emit[(size_t)x * row + (size_t)k] > most ? w->emit[(size_t)x * row + (size_t)k] : most;
            least = w->emit[(size_t)x * row + (size_t)k] < least ? w->emit[(size_t)x * row + (size_t)k] : least;
        }
        if (most == -32768) p->dead |= 1u << x;
        else if (least < STEP || most >= SHIFT) return false;
    }
    for (int x = w->Kp; x < WS_CODES; x++) p->dead |= 1u << x;
    for (int k = 1; k <= w->M; k++) {
        entry = w->tr[WS_PBM][k] < entry ? w->tr[WS_PBM][k] : entry;
        for (int t = 0; t < WS_NPTRANS && k < w->M; t++)
            if (w->tr[t][k] < STEP || w->tr[t][k] > 0) return false;
    }
    p->least_move = LOW + SHIFT - WS_WORD_BASE - entry;
    p->dd_bound = -32768;
    for (int k = 2; k <= w->M - 2; k++) {
        const int b = w->tr[WS_PDD][k] + w->tr[WS_PDM][k + 1] - w->tr[WS_PBM][k + 2];
        p->dd_bound = b > p->dd_bound ? b : p->dd_bound;
    }
    return entry >= STEP && w->M > 0;
}

static int make_tables(vit_prep *p, const ws_words *w, ws_err *err) {
    static const int from[NTRANS] = {WS_PBM, WS_PMM, WS_PIM, WS_PDM, WS_PMI, WS_PII, WS_PMD, WS_PDD};
    static const int before[NTRANS] = {0, 1, 1, 1, 0, 0, 1, 1};
    const int R = p->R, g = 1 << p->glog, nchunk = (R + 3) / 4;
    int rc = ws_table_create(&p->table, (size_t)nchunk * WS_CODES * (size_t)g * 16, err);
    if (!rc) rc = ws_table_create(&p->trans, (size_t)(NTRANS * R * g) * 4, err);
    if (rc) return rc;
    int16_t *table = (int16_t *)p->table.host, *trans = (int16_t *)p->trans.host;
    for (int j = 0; j < R; j++)
        for (int z = 0; z < g; z++)
            for (int half = 0; half < 2; half++) {
                const int k = z * 2 * R + half * R + j + 1;
                for (int x = 0; x < WS_CODES; x++) {
                    int v = STEP;
                    if (k <= w->M && x < w->Kp) v = w->emit[(size_t)x * (size_t)(w->M + 1) + (size_t)k];
                    table[((((size_t)(j / 4) * WS_CODES + (size_t)x) * (size_t)g + (size_t)z) * 4 + (size_t)(j % 4)) * 2 + (size_t)half] =
                        (int16_t)(v < STEP ? STEP : v);
                }
                for (int t = 0; t < NTRANS; t++) {
                    int v = t == BM ? PAD_ENTRY : STEP;
                    const int at = k - before[t];
                    if (t == BM ? k <= w->M : at >= 1 && at < w->M) v = w->tr[from[t]][at];
                    trans[((size_t)(t * R + j) * (size_t)g + (size_t)z) * 2 + (size_t)half] = (int16_t)v;
                }
            }
    return WS_OK;
}

static vit_prep *prep_of(const ws_task *t) { return (vit_prep *)const_cast<void *>(t->prep); }

struct vit_call { // what a call needs of the host's memory
    ws_devtable **table;
    ws_devlist *list;
    vit_task *task;
    uint32_t *pick, *per_block;
    ws_units units;
};

// Sequences that a group takes one after another, so that loading the transitions does not weigh; few where there is little
// work for so many multiprocessors.
static int rounds_of(const ws_devlane *l, const vit_call *c, size_t n, int threads) {
    double groups = 0;
    for (size_t i = 0; i < n; i++) groups += (double)c->list[c->pick[i]].n * threads / c->per_block[i];
    const double each = groups / threads / (l->dev->sms * 16);
    return each < 1 ? 1 : each > 8 ? 8 : (int)each;
}

static int queue_shape(ws_devlane *l, vit_call *c, const void *tasks, int kind, int i, const ws_task *task, size_t ntask, ws_err *err) {
    const vit_shape *sh = &kinds[kind].shape[i];
    int rc = WS_OK;
    for (int glog = kinds[kind].min_glog; glog <= kinds[kind].max_glog && !rc; glog++) {
        if (kind != WS_VIT_BLOCK && glog > kinds[kind].min_glog) break; // only a block's size differs with g
        const int threads = kind == WS_VIT_BLOCK ? 1 << glog : THREADS;
        size_t n = 0;
        for (size_t t = 0; t < ntask; t++) {
            const vit_prep *p = prep_of(&task[t]);
            if (p->R != sh->R || p->kind != kind || (kind == WS_VIT_BLOCK && p->glog != glog)) continue;
            c->pick[n] = (uint32_t)t;
            c->per_block[n++] = (uint32_t)threads >> p->glog;
        }
        if (n == 0) continue;
        const int rounds = rounds_of(l, c, n, threads);
        for (size_t k = 0; k < n; k++) c->per_block[k] *= (uint32_t)rounds;
        c->units.n = 0;
        rc = ws_units_make(&c->units, c->list, c->pick, c->per_block, n, err);
        void *units = NULL;
        if (!rc) rc = ws_lane_put(l, c->units.unit, c->units.n * sizeof(ws_devunit), &units, err);
        const size_t shared = kind == WS_VIT_BLOCK ? 0 : (size_t)(sh->R + 3) / 4 * WS_CODES * (size_t)kinds[kind].slots * 16;
        if (!rc) rc = ws_cuda_shared((const void *)sh->fn, shared, sh->name, err);
        if (rc || c->units.n == 0) continue;
        const vit_args a = {(const vit_task *)tasks, (const ws_devunit *)units, ws_gpu_words(l), ws_gpu_seqs(l),
                            (int32_t *)l->out.p, rounds};
        sh->fn<<<(unsigned)c->units.n, (unsigned)threads, shared, l->stream>>>(a);
        rc = ws_lane_launched(l, sh->name, err);
    }
    return rc;
}

// ---- 4 the backend ----

static void release(void *p) {
    vit_prep *me = (vit_prep *)p;
    if (!me) return;
    ws_table_destroy(&me->table);
    ws_table_destroy(&me->trans);
    if (me->host) ws_dev_host(&host)->release(me->host);
    pthread_mutex_destroy(&me->lock);
    ws_free(me);
}

static int prepare(const ws_target *t, void **out, ws_err *err) {
    const ws_hmm_target *target = (const ws_hmm_target *)t->data;
    vit_prep *me = (vit_prep *)ws_calloc(1, sizeof *me, err);
    ws_words w;
    *out = NULL;
    if (!me) return WS_ENOMEM;
    pthread_mutex_init(&me->lock, NULL);
    me->target = *t;
    int rc = ws_words_create(&w, &target->profile, err);
    if (!rc) {
        if (fits(me, &w) && choose(me, w.M)) rc = make_tables(me, &w, err);
        ws_words_destroy(&w);
    }
    if (rc) release(me);
    else *out = me;
    return rc;
}

static int queue(ws_devlane *l, const ws_batch *b, const ws_task *task, const uint32_t *first, size_t ntask, ws_err *err) {
    vit_call c = {};
    void *tasks = NULL;
    size_t ntable = 0;
    int rc = WS_ENOMEM;
    if (!(c.table = (ws_devtable **)ws_calloc(2 * ntask, sizeof *c.table, err))) goto out;
    if (!(c.list = (ws_devlist *)ws_calloc(ntask, sizeof *c.list, err))) goto out;
    if (!(c.task = (vit_task *)ws_calloc(ntask, sizeof *c.task, err))) goto out;
    if (!(c.pick = (uint32_t *)ws_calloc(2 * ntask, sizeof *c.pick, err))) goto out;
    c.per_block = c.pick + ntask;
    for (size_t t = 0; t < ntask; t++)
        if (prep_of(&task[t])->R) {
            c.table[ntable++] = &prep_of(&task[t])->table;
            c.table[ntable++] = &prep_of(&task[t])->trans;
        }
    rc = ws_lane_tables(l, c.table, ntable, err);
    if (!rc) rc = ws_gpu_lists(l, b, task, ntask, false, c.list, err);
    for (size_t t = 0; t < ntask && !rc; t++) {
        const vit_prep *p = prep_of(&task[t]);
        c.task[t] = {(const uint4 *)p->table.at[l->dev->index], (const uint32_t *)p->trans.at[l->dev->index], c.list[t].item, c.list[t].n,
                     first[t], p->glog, p->dd_bound, p->least_move, p->dead};
    }
    if (!rc) rc = ws_lane_put(l, c.task, ntask * sizeof *c.task, &tasks, err);
    for (int kind = 0; kind < WS_VIT_NKIND; kind++)
        for (int i = 0; i < kinds[kind].n && !rc; i++) rc = queue_shape(l, &c, tasks, kind, i, task, ntask, err);
out:
    ws_free(c.table);
    ws_free(c.list);
    ws_free(c.task);
    ws_free(c.pick);
    ws_free(c.units.unit);
    return rc;
}

static ws_fscore decode(const void *, const ws_lenmodel *lm, const void *raw) {
    int32_t xC;
    memcpy(&xC, raw, sizeof xC);
    if (xC == OVERFLOWN) return {INFINITY, WS_F_OVERFLOW};
    const float nats = ((float)xC + (float)lm->wmove - (float)WS_WORD_BASE) / WS_WORD_SCALE;
    return {(float)((double)nats - 3.0), WS_F_OK};
}

static bool unsure(const void *raw) {
    int32_t xC;
    memcpy(&xC, raw, sizeof xC);
    return xC == UNSURE;
}

static bool on_host(const void *prep) { return !((const vit_prep *)prep)->R; }

// Made when it is needed first.
static void *host_prep(const void *prep, ws_err *err) {
    vit_prep *me = (vit_prep *)const_cast<void *>(prep);
    pthread_mutex_lock(&me->lock);
    if (!me->host) ws_dev_host(&host)->prepare(&me->target, &me->host, err);
    pthread_mutex_unlock(&me->lock);
    return me->host;
}

static const ws_devkernel kernel = {4, queue, decode, &host, host_prep, on_host, unsure};

static int score(const ws_batch *b, const ws_task *task, size_t ntask, ws_lane *lane, ws_err *err) {
    return ws_dev_score(&kernel, b, task, ntask, lane, err);
}

const ws_backend ws_vit_cuda = ws_dev_backend(prepare, release, score, 1.5e10);
