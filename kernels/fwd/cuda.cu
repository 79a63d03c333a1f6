// SPDX-License-Identifier: MIT
// Forward on CUDA devices: which kernel takes which model, its launch, and the backend. The kernels are in device.cuh and wide.cuh.
//
// Contents: 1 launcher; 2 the backend

#include "kernels/fwd/device.cuh"
#include "kernels/fwd/wide.cuh"
#include "lib/cascade/gpu_score.cuh"

#include <string.h>

// ---- 1 launcher ----

typedef void fwd_fn(fwd_args);
struct fwd_shape {
    int blocks;             // of a cluster that have parts of a sequence
    int least, most;        // places of a lane in a block
    int threads;
    int coefs; // whose tables stand in shared memory
    bool emit; // the emission table does
    fwd_fn *fn;
    const char *name;
};

#define FWD_SHAPE(Q) {1, Q, Q, 32 * WS_FWD_WARPS(Q), NCOEF - WS_FWD_KEPT(Q), true, ws_fwd_kernel<Q>, "ws_fwd_kernel<" #Q ">"},
#define FWD_LONG(QT) {1, QT - 7, QT, THREADS_LONG, NCOEF, false, ws_fwd_long_kernel<QT>, "ws_fwd_long_kernel<" #QT ">"},
#define FWD_WIDE(QT, BLOCKS) \
    {BLOCKS, QT - 7, QT, THREADS_LONG, NCOEF, false, ws_fwd_wide_kernel<QT>, "ws_fwd_wide_kernel<" #QT ">, " #BLOCKS " blocks"},
static const fwd_shape shapes[] = {WS_FWD_EACH_Q(FWD_SHAPE) WS_FWD_EACH_LONG(FWD_LONG) WS_FWD_EACH_WIDE(FWD_WIDE, 2)
                                       WS_FWD_EACH_WIDE(FWD_WIDE, 4) WS_FWD_EACH_WIDE(FWD_WIDE, 8)};

struct fwd_prep {
    ws_devtable emit, coef, link;
    int Q, blocks;
    void *host; // of a backend of the host, for models too long for the device
};

static const ws_devhost host = {{&ws_fwd_avx512, &ws_fwd_avx2, &ws_fwd_scalar}};

static fwd_prep *prep_of(const ws_task *t) { return (fwd_prep *)const_cast<void *>(t->prep); }

// Blocks that share a model's rows; 0: they do not fit.
static int blocks_of(int Q) {
    int blocks = 1;
    while (Q > blocks * WS_FWD_LONGEST) blocks *= 2;
    return blocks == 1 || (ws_dev_clusters() && blocks <= WS_FWD_BLOCKS) ? blocks : 0;
}

// The tasks of one shape.
static int queue_shape(ws_devlane *l, ws_devwork *w, fwd_args a, const fwd_shape *sh, const ws_task *task, size_t ntask, ws_err *err) {
    size_t n = 0;
    int longest = 0;
    uint32_t nunit;
    for (size_t t = 0; t < ntask; t++) {
        const int Q = prep_of(&task[t])->Q, blocks = prep_of(&task[t])->blocks;
        const int part = blocks > 1 ? ((Q + 3) / 4 + blocks - 1) / blocks * 4 : Q;
        if (blocks != sh->blocks || part < sh->least || part > sh->most) continue;
        longest = part > longest ? part : longest;
        w->per_block[n] = (uint32_t)sh->threads / 32;
        w->pick[n++] = (uint32_t)t;
    }
    if (n == 0) return WS_OK;
    int rc = ws_work_units(w, l, n, &a.unit, &nunit, err);
    if (rc || nunit == 0) return rc;
    const int emit = sh->emit ? WS_CODES : sh->blocks > 1 ? THREADS_LONG / 32 : 0; // a wide kernel: one residue's for each warp
    const size_t shared = (size_t)((longest + 3) / 4) * 512 * (size_t)(emit + sh->coefs);
    rc = ws_cuda_shared((const void *)sh->fn, shared, sh->name, err);
    if (rc) return rc;
    if (sh->blocks > 1)
        rc = ws_cluster_launch(l, sh->fn, a, nunit, (unsigned)sh->blocks, (unsigned)sh->threads, shared, sh->name, err);
    else sh->fn<<<nunit, (unsigned)sh->threads, shared, l->stream>>>(a);
    return rc ? rc : ws_lane_launched(l, sh->name, err);
}

// ---- 2 the backend ----

static void release(void *p) {
    fwd_prep *me = (fwd_prep *)p;
    if (!me) return;
    ws_table_destroy(&me->emit);
    ws_table_destroy(&me->coef);
    ws_table_destroy(&me->link);
    if (me->host) ws_dev_host(&host)->release(me->host);
    ws_free(me);
}

static int make_tables(fwd_prep *p, const ws_fwd_tables *t, ws_err *err) {
    const int Q = t->Q, chunks = (Q + 3) / 4;
    const float *from[NCOEF] = {t->tr[WS_PDD], t->tr[WS_PMD], t->tr[WS_PMM], t->tr[WS_PDM], t->tr[WS_PIM],
                                t->tr[WS_PII], t->tr[WS_PMI], t->tr[WS_PBM], t->pd};
    int rc = ws_table_create(&p->emit, (size_t)chunks * WS_CODES * 512, err);
    if (!rc) rc = ws_table_create(&p->coef, (size_t)chunks * NCOEF * 512, err);
    if (!rc) rc = ws_table_create(&p->link, sizeof t->link, err);
    if (rc) return rc;
    float *emit = (float *)p->emit.host, *coef = (float *)p->coef.host;
    for (int z = 0; z < 32; z++)
        for (int q = 0; q < Q; q++) {
            const size_t k = (size_t)(z * Q + q + 1);
            const size_t in = (size_t)(4 * z + q % 4);
            for (int x = 0; x < t->Kp; x++) emit[(size_t)(q / 4 * WS_CODES + x) * 128 + in] = t->emit[(size_t)x * ((size_t)t->N + 1) + k];
            for (int i = 0; i < NCOEF; i++) coef[(size_t)(i * chunks + q / 4) * 128 + in] = from[i][k];
        }
    memcpy(p->link.host, t->link, sizeof t->link);
    return WS_OK;
}

static int prepare(const ws_target *target, void **out, ws_err *err) {
    const ws_hmm_target *h = (const ws_hmm_target *)target->data;
    fwd_prep *me = (fwd_prep *)ws_calloc(1, sizeof *me, err);
    ws_fwd_tables t;
    *out = NULL;
    if (!me) return WS_ENOMEM;
    int rc = ws_fwd_tables_create(&t, &h->profile, err);
    if (!rc) {
        me->Q = t.Q;
        me->blocks = blocks_of(t.Q);
        rc = me->blocks ? make_tables(me, &t, err) : ws_dev_host(&host)->prepare(target, &me->host, err);
        ws_fwd_tables_destroy(&t);
    }
    if (rc) release(me);
    else *out = me;
    return rc;
}

static int queue(ws_devlane *l, const ws_batch *b, const ws_task *task, const uint32_t *first, size_t ntask, ws_err *err) {
    ws_devwork work = {};
    fwd_args a;
    void *tasks = NULL;
    size_t ntable = 0;
    ws_devtable **table = (ws_devtable **)ws_calloc(3 * ntask, sizeof *table, err);
    fwd_task *own = (fwd_task *)ws_calloc(ntask, sizeof *own, err);
    int rc = table && own ? ws_work_begin(&work, l, b, task, ntask, err) : WS_ENOMEM;
    for (size_t t = 0; t < ntask && !rc; t++)
        if (prep_of(&task[t])->blocks) {
            table[ntable++] = &prep_of(&task[t])->emit;
            table[ntable++] = &prep_of(&task[t])->coef;
            table[ntable++] = &prep_of(&task[t])->link;
        }
    if (!rc) rc = ws_lane_tables(l, table, ntable, err);
    for (size_t t = 0; t < ntask && !rc; t++) {
        const fwd_prep *p = prep_of(&task[t]);
        const int d = l->dev->index;
        own[t] = {(const float4 *)p->emit.at[d], (const float4 *)p->coef.at[d], (const float *)p->link.at[d], work.list[t].item,
                  work.list[t].n, first[t], p->Q};
    }
    if (!rc) rc = ws_lane_put(l, own, ntask * sizeof *own, &tasks, err);
    a = {(const fwd_task *)tasks, NULL, ws_gpu_words(l), ws_gpu_seqs(l), (fwd_score *)l->out.p, work.taken};
    for (const fwd_shape &sh : shapes)
        if (!rc) rc = queue_shape(l, &work, a, &sh, task, ntask, err);
    ws_work_end(&work);
    ws_free(table);
    ws_free(own);
    return rc;
}

// The logarithm is the host's, so that it is the same one.
static ws_fscore decode(const void *, const ws_lenmodel *, const void *raw) {
    fwd_score s;
    memcpy(&s, raw, sizeof s);
    return ws_fwd_score(s.end, s.exponent);
}

static void *host_prep(const void *prep, ws_err *) { return ((const fwd_prep *)prep)->host; }
static bool on_host(const void *prep) { return ((const fwd_prep *)prep)->host; }

static const ws_devkernel kernel = {8, queue, decode, &host, host_prep, on_host, NULL};

static int score(const ws_batch *b, const ws_task *task, size_t ntask, ws_lane *lane, ws_err *err) {
    return ws_dev_score(&kernel, b, task, ntask, lane, err);
}

const ws_backend ws_fwd_cuda = ws_dev_backend(prepare, release, score, 6e9);
