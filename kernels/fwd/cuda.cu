// SPDX-License-Identifier: MIT
// Forward on CUDA devices: shapes, tables and the backend. The kernels are in device.cuh and wide.cuh.
//
// Contents: 1 tables; 2 the backend

#include "kernels/fwd/device.cuh"
#include "kernels/fwd/wide.cuh"
#include "kernels/filter/device.cuh"

#include <string.h>

// R and nodes are those of a lane in all blocks of a cluster together.
#define SHAPE(Q) \
    {(const void *)ws_fwd_scores<Q>, "ws_fwd_scores<" #Q ">", Q, Q, 32, 32, 32 * WS_FWD_WARPS(Q), WS_CODES, 1},
#define SHAPE_LONG(QT) \
    {(const void *)ws_fwd_scores_long<QT>, "ws_fwd_scores_long<" #QT ">", QT, QT, 32, 32, THREADS_LONG, 0, 1},
#define SHAPE_WIDE(QT, BLOCKS) \
    {(const void *)ws_fwd_scores_cluster<QT>, "ws_fwd_scores_cluster<" #QT ">, " #BLOCKS " blocks", QT * BLOCKS, \
     QT * BLOCKS, 32, 32, \
     THREADS_LONG, 0, BLOCKS},
static const ws_shape shapes[] = {WS_FWD_EACH_Q(SHAPE) WS_FWD_EACH_LONG(SHAPE_LONG) WS_FWD_EACH_WIDE(SHAPE_WIDE, 2)
                                      WS_FWD_EACH_WIDE(SHAPE_WIDE, 4) WS_FWD_EACH_WIDE(SHAPE_WIDE, 8)};

struct fwd_model : ws_devmodel {
    int Q;
};
enum { TABLE_EMISSIONS, TABLE_COEFFICIENTS, TABLE_LINKS };

static const fwd_model &model_of(const ws_task &t) { return ws_devmodel_of<fwd_model>(t); }

// ---- 1 tables ----

// Returns whether a kernel for longer models would get too few nodes. It computes all but the last eight of its nodes
// whatever Q is. Such a fit means that no block has room for the table of the model's own kernel, and the CPU scores.
static bool is_too_short(const ws_shape &s, int Q) { return !s.columns && s.blocks == 1 && Q <= s.R - 8; }

static int lay_out(ws_devmodel *m, const void *form, ws_err *err) {
    fwd_model *p = static_cast<fwd_model *>(m);
    const ws_fwd_tables *t = (const ws_fwd_tables *)form;
    const int Q = p->Q = t->Q, chunks = (Q + 3) / 4;
    const float *from[NCOEF] = {t->tr[WS_PDD], t->tr[WS_PMD], t->tr[WS_PMM], t->tr[WS_PDM], t->tr[WS_PIM],
                                t->tr[WS_PII], t->tr[WS_PMI], t->tr[WS_PBM], t->pd};
    p->fit = WS_FIT(shapes, ws_fwd_costs, WS_CODES, t->N);
    if (p->fit.shape < 0 || is_too_short(shapes[p->fit.shape], Q)) p->fit.shape = -1;
    if (p->fit.shape < 0) return WS_OK;
    int rc = ws_devtable_create(&p->table[TABLE_EMISSIONS], (size_t)chunks * WS_CODES * 512, err);
    if (!rc) rc = ws_devtable_create(&p->table[TABLE_COEFFICIENTS], (size_t)chunks * NCOEF * 512, err);
    if (!rc) rc = ws_devtable_create(&p->table[TABLE_LINKS], sizeof t->link, err);
    if (rc) return rc;
    float *emit = (float *)p->table[TABLE_EMISSIONS].host, *coef = (float *)p->table[TABLE_COEFFICIENTS].host;
    for (int z = 0; z < 32; z++)
        for (int q = 0; q < Q; q++) {
            const size_t k = (size_t)(z * Q + q + 1);
            const size_t in = (size_t)(4 * z + q % 4);
            for (int x = 0; x < t->Kp; x++)
                emit[(size_t)(q / 4 * WS_CODES + x) * 128 + in] = t->emit[(size_t)x * ((size_t)t->N + 1) + k];
            for (int i = 0; i < NCOEF; i++) coef[(size_t)(i * chunks + q / 4) * 128 + in] = from[i][k];
        }
    memcpy(p->table[TABLE_LINKS].host, t->link, sizeof t->link);
    return WS_OK;
}

// ---- 2 the backend ----

// Returns the bytes of tables in shared memory for one block: the coefficients that are not in registers, of the
// block's nodes. For the emissions the block holds the whole table; in a cluster it holds one residue's row for each
// warp.
static size_t shared_of(const ws_task &t) {
    const int Q = model_of(t).Q, chunks = (Q + 3) / 4;
    const ws_shape &s = shapes[model_of(t).fit.shape];
    if (s.columns) return (size_t)chunks * 512 * (size_t)(WS_CODES + NCOEF - WS_FWD_KEPT(Q));
    return (size_t)((chunks + s.blocks - 1) / s.blocks) * 512 *
           (size_t)(NCOEF + (s.blocks > 1 ? THREADS_LONG / 32 : 0));
}

static int queue(ws_devcall *c, ws_err *err) {
    ws_devstream *s = c->stream;
    void *taken = NULL;
    int rc = ws_devcall_zeros(c, c->ntask * sizeof(uint32_t), &taken, err);
    if (rc) return rc;
    const fwd_args args = {
        NULL, NULL, ws_devbatch_words(s), ws_devbatch_seqs(s), (fwd_score *)s->out.p, (uint32_t *)taken};
    auto fit_of = [](const ws_task &t) { return model_of(t).fit; };
    auto task_of = [=](const ws_task &t, const ws_devlist &list, uint32_t first) {
        const fwd_model &p = model_of(t);
        return fwd_task{ws_devmodel_table<float4>(s, p, TABLE_EMISSIONS),
                        ws_devmodel_table<float4>(s, p, TABLE_COEFFICIENTS),
                        ws_devmodel_table<float>(s, p, TABLE_LINKS), list.item, list.n, first, p.Q};
    };
    return ws_devcall_queue(c, shapes, false, true, args, fit_of, task_of, shared_of, err);
}

// Returns the score of a raw result. The host takes the logarithm, so all backends use the same one.
static ws_fscore decode(const ws_devmodel *, const ws_lenmodel *, const void *raw) {
    fwd_score s;
    memcpy(&s, raw, sizeof s);
    return ws_fwd_score(s.end, s.exponent);
}

static const ws_body *const cpu[] = {WS_BY_WIDTH(ws_fwd_)};
static const ws_devfilter filter = {
    &ws_fwd_tables_form, cpu, sizeof(fwd_model), lay_out, queue, sizeof(fwd_score), decode, NULL, false, NULL};

const ws_backend ws_fwd_cuda = ws_devfilter_backend(&filter, 6e9);
