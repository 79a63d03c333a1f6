// SPDX-License-Identifier: MIT
// The Viterbi filter on CUDA devices: tables, launches and the backend. The kernel is in device.cuh.
//
// Contents: 1 shapes; 2 tables; 3 launcher; 4 the backend

#include "kernels/vit/device.cuh"
#include "lib/cascade/gpu_score.cuh"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

// ---- 1 shapes ----

typedef void vit_fn(vit_args);
struct vit_shape {
    int R;
    vit_fn *fn;
    const char *name;
};

#define VIT_SHAPE(R, SLOTS, SPAN) {R, ws_vit_kernel<R, SLOTS, SPAN>, "ws_vit_kernel<" #R ", " #SLOTS ", " #SPAN ">"},
static const vit_shape near_shape[] = {WS_VIT_SHORT(VIT_SHAPE, 8, IN_WARP) WS_VIT_LONG(VIT_SHAPE, 8, IN_WARP)};
static const vit_shape wide16[] = {WS_VIT_LONG(VIT_SHAPE, 16, IN_WARP)};
static const vit_shape wide32[] = {WS_VIT_LONG(VIT_SHAPE, 32, IN_WARP)};
static const vit_shape block_shape[] = {WS_VIT_VAST(VIT_SHAPE, 0, IN_BLOCK)};
static const vit_shape cluster_shape[] = {WS_VIT_HUGE(VIT_SHAPE, 0, IN_CLUSTER)};
#define COUNT(x) (int)(sizeof x / sizeof *x)
static const struct {
    const vit_shape *shape;
    int n, slots, min_g, max_g; // lanes of a group: a power of two, any number of warps of a block, a power of two of blocks
} kinds[WS_VIT_NKIND] = {{near_shape, COUNT(near_shape), 8, 1, 8},
                         {wide16, COUNT(wide16), 16, 16, 16},
                         {wide32, COUNT(wide32), 32, 32, 32},
                         {block_shape, COUNT(block_shape), 0, 64, MAX_LANES},
                         {cluster_shape, COUNT(cluster_shape), 0, 2 * MAX_LANES, WS_VIT_CLUSTER_MOST * MAX_LANES}};
static int next_g(int g) { return g < 32 || g >= MAX_LANES ? 2 * g : g + 32; }

// Who scores what the device does not.
static const ws_devhost host = {{&ws_vit_avx512, &ws_vit_avx2, &ws_vit_scalar}};

struct vit_prep {
    ws_devtable table, trans;
    int R, g, kind; // R = 0: for the host
    int least_move; // see vit_task
    uint32_t dead;
    ws_target target; // for host_prep, with the lock over host
    pthread_mutex_t lock;
    void *host;
};

// The shape with the least work a row: 10 instructions a register and about 45 besides, on all lanes of the group.
static bool choose(vit_prep *p, int M) {
    double least = 1e30;
    const int nkind = ws_dev_clusters() ? WS_VIT_NKIND : WS_VIT_CLUSTER;
    for (int kind = 0; kind < nkind; kind++)
        for (int i = 0; i < kinds[kind].n; i++)
            for (int g = kinds[kind].min_g; g <= kinds[kind].max_g; g = next_g(g)) {
                const int R = kinds[kind].shape[i].R;
                const double work = (10 * R + 45) * g * (kind >= WS_VIT_BLOCK ? 2 : 1);
                if (2 * R * g < M || work >= least) continue;
                least = work;
                p->R = R;
                p->g = g;
                p->kind = kind;
            }
    return least < 1e30;
}

// ---- 2 tables ----

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
    return entry >= STEP && w->M > 0;
}

static int make_tables(vit_prep *p, const ws_words *w, ws_err *err) {
    static const int from[NTRANS] = {WS_PBM, WS_PMM, WS_PIM, WS_PDM, WS_PMI, WS_PII, WS_PMD, WS_PDD};
    static const int before[NTRANS] = {0, 0, 0, 0, 0, 0, 1, 1};
    const int R = p->R, g = p->g, nchunk = (R + 3) / 4;
    int rc = ws_table_create(&p->table, (size_t)nchunk * WS_CODES * (size_t)g * 16, err);
    if (!rc) rc = ws_table_create(&p->trans, (size_t)((NTRANS * R + 1) * g) * 4, err);
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
    // HMMER's bound for each half lane: what a D there gains at most over an entry two nodes on, by way of D to D.
    for (int i = 0; i < 2 * g; i++) {
        int gain = -32768;
        for (int k = ws_max(i * R + 1, 2); k <= i * R + R && k <= w->M - 2; k++) {
            const int b = w->tr[WS_PDD][k] + w->tr[WS_PDM][k + 1] - w->tr[WS_PBM][k + 2];
            gain = b > gain ? b : gain;
        }
        trans[(size_t)(NTRANS * R * g) * 2 + (size_t)i] = (int16_t)gain;
    }
    return WS_OK;
}

static vit_prep *prep_of(const ws_task *t) { return (vit_prep *)const_cast<void *>(t->prep); }

// ---- 3 launcher ----

// The tasks of one shape with groups of g lanes, or below a block with any.
static int queue_groups(ws_devlane *l, ws_devwork *w, vit_args a, int kind, const vit_shape *sh, int g, const ws_task *task, size_t ntask,
                        ws_err *err) {
    const bool wide = kind >= WS_VIT_BLOCK;
    const int blocks = g > MAX_LANES ? g / MAX_LANES : 1, threads = wide ? g / blocks : THREADS;
    size_t n = 0;
    for (size_t t = 0; t < ntask; t++) {
        const vit_prep *p = prep_of(&task[t]);
        if (p->R != sh->R || p->kind != kind || (wide && p->g != g)) continue;
        w->pick[n] = (uint32_t)t;
        w->per_block[n++] = wide ? 1 : (uint32_t)(threads / p->g);
    }
    if (n == 0) return WS_OK;
    uint32_t nunit = 0;
    int rc = ws_work_units(w, l, n, &a.unit, &nunit, err);
    const size_t table = (size_t)(sh->R + 3) / 4 * WS_CODES * (size_t)kinds[kind].slots * 16;
    const size_t aside = wide ? 4 * MAX_LANES : (size_t)(WS_VIT_KEEP_DD(sh->R) ? 1 : 1 + sh->R) * 4 * 32;
    if (!rc) rc = ws_cuda_shared((const void *)sh->fn, table + aside, sh->name, err);
    if (rc || nunit == 0) return rc;
    if (blocks > 1) rc = ws_cluster_launch(l, sh->fn, a, nunit, (unsigned)blocks, (unsigned)threads, aside, sh->name, err);
    else sh->fn<<<nunit, (unsigned)threads, table + aside, l->stream>>>(a);
    return rc ? rc : ws_lane_launched(l, sh->name, err);
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
    ws_devwork work = {};
    vit_args a;
    void *tasks = NULL;
    size_t ntable = 0;
    ws_devtable **table = (ws_devtable **)ws_calloc(2 * ntask, sizeof *table, err);
    vit_task *own = (vit_task *)ws_calloc(ntask, sizeof *own, err);
    int rc = table && own ? ws_work_begin(&work, l, b, task, ntask, err) : WS_ENOMEM;
    for (size_t t = 0; t < ntask && !rc; t++)
        if (prep_of(&task[t])->R) {
            table[ntable++] = &prep_of(&task[t])->table;
            table[ntable++] = &prep_of(&task[t])->trans;
        }
    if (!rc) rc = ws_lane_tables(l, table, ntable, err);
    for (size_t t = 0; t < ntask && !rc; t++) {
        const vit_prep *p = prep_of(&task[t]);
        const int d = l->dev->index, glog = p->R ? __builtin_ctz((unsigned)p->g) : 0;
        own[t] = {(const uint4 *)p->table.at[d], (const uint32_t *)p->trans.at[d], work.list[t].item, work.list[t].n,
                  first[t], glog, p->least_move, p->dead};
    }
    if (!rc) rc = ws_lane_put(l, own, ntask * sizeof *own, &tasks, err);
    a = {(const vit_task *)tasks, NULL, ws_gpu_words(l), ws_gpu_seqs(l), (int32_t *)l->out.p, work.taken};
    for (int kind = 0; kind < WS_VIT_NKIND; kind++)
        for (int i = 0; i < kinds[kind].n; i++)
            for (int g = kinds[kind].min_g; g <= kinds[kind].max_g && !rc; g = kind < WS_VIT_BLOCK ? INT_MAX : next_g(g))
                rc = queue_groups(l, &work, a, kind, &kinds[kind].shape[i], g, task, ntask, err);
    ws_work_end(&work);
    ws_free(table);
    ws_free(own);
    return rc;
}

static ws_fscore decode(const void *, const ws_lenmodel *lm, const void *raw) {
    int32_t xC;
    memcpy(&xC, raw, sizeof xC);
    if (xC == OVERFLOWN) return {INFINITY, WS_F_OVERFLOW};
    return ws_vit_score(xC, lm->wmove);
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
