// SPDX-License-Identifier: MIT
// MSV on CUDA devices: SSV for all pairs, then the recursion for pairs that SSV cannot decide, then the bias filter for
// pairs that may pass. The kernels are in device.cuh.
//
// Contents: 1 shapes and tables; 2 launches; 3 the backend

#include "kernels/msv/device.cuh"
#include "kernels/msv/shapes.cuh"

extern "C" {
#include "kernels/msv/msv.h"
}

#include <string.h>

// ---- 1 shapes and tables ----

#define SHAPE(R, COLUMNS, GLOBAL, MIN_G, MAX_G) \
    {(const void *)ws_msv_recursion<R, COLUMNS, GLOBAL>, "ws_msv_recursion<" #R ", " #COLUMNS ">", R, 2 * R, \
     MIN_G, MAX_G, THREADS, \
     GLOBAL ? 0 : COLUMNS, 1},
static const ws_shape shapes[] = {WS_MSV_LOW(SHAPE, 8, false, 1, 8) WS_MSV_LOW(SHAPE, 16, false, 16, 16)
                                  WS_MSV_LOW(SHAPE, 32, false, 32, 32) WS_MSV_HIGH(SHAPE, 32, false, 32, 32)
                                  WS_MSV_VAST(SHAPE, 32, true, 32, 32)};

struct msv_model : ws_devmodel {
    ws_ssv_dev ssv; // its shape is -1 too where fit.shape is -1
};
enum { TABLE_SSV, TABLE_DI, TABLE_MSV, TABLE_BIAS };

static const msv_model &model_of(const ws_task &t) { return ws_devmodel_of<msv_model>(t); }
static const ws_ssv_dev &ssv_of(const ws_task &t) { return model_of(t).ssv; }

static int lay_out(ws_devmodel *m, const void *form, ws_err *err) {
    msv_model *p = static_cast<msv_model *>(m);
    const ws_bytes *b = (const ws_bytes *)form;
    int rc = ws_ssv_dev_lay_out(&p->ssv, &p->table[TABLE_SSV], &p->table[TABLE_DI], b, err);
    p->fit = WS_FIT(shapes, ws_msv_costs, WS_CODES, b->M);
    if (p->ssv.fit.shape < 0) p->fit.shape = -1;
    if (p->fit.shape < 0) p->ssv.fit.shape = -1;
    if (rc || p->fit.shape < 0) return rc;
    const int R = shapes[p->fit.shape].R;
    auto cost = [=](int x, int k) {
        return b->bias - (k <= b->M && x < b->Kp ? b->cost[(size_t)x * (size_t)(b->M + 1) + (size_t)k] : 255);
    };
    auto reg = [=](int x, int k) { return ws_pair16(cost(x, k), cost(x, k + R)); };
    rc = ws_emissions_create(&p->table[TABLE_MSV], WS_CODES, R, p->fit.g, 2, reg, err);
    return rc ? rc : ws_bias_dev_lay_out(&p->table[TABLE_BIAS], &p->target->bias, err);
}

// ---- 2 launches ----

// State of one call: arrays on the host, and the kernels' arguments.
struct msv_call {
    ws_devlist *list;
    ws_fit *fit;
    msv_task *task;
    ws_bias_devtask *bias;
    ws_launches launches;
    msv_args args;
    const ws_bias_devtask *sums; // on the device; NULL: the caller wants no hints
    uint32_t longest;            // largest number of items in a task
};

// Copies what the kernels of this file read to the device before SSV starts: a copy between two kernels would leave the
// device idle.
static int put_msv(ws_devcall *c, msv_call *m, ws_err *err) {
    ws_devstream *s = c->stream;
    void *tasks = NULL, *order = NULL, *queue = NULL, *count = NULL;
    m->longest = 1;
    for (size_t t = 0; t < c->ntask; t++) {
        const msv_model &p = model_of(c->task[t]);
        const ws_bytes *b = &p.ssv.bytes;
        const ws_gate *gate = &p.target->gate;
        m->task[t] = {ws_devmodel_table<uint4>(s, p, TABLE_MSV), m->list[t].item, p.fit.shape < 0 ? 0 : m->list[t].n,
                      c->first[t], ws_log2(p.fit.g), b->bias, b->tbm, b->tec,
                      gate->biased ? gate->least - WS_ABOVE_NULL_MARGIN : INFINITY};
        m->longest = max(m->longest, m->list[t].n);
        c->screen.pairs += m->list[t].n;
    }
    int rc = ws_devstream_put(s, m->task, c->ntask * sizeof *m->task, &tasks, err);
    if (!rc) rc = ws_devstream_put(s, m->launches.order, c->ntask * sizeof *m->launches.order, &order, err);
    if (!rc) rc = ws_devstream_alloc(s, sizeof(uint32_t) * c->first[c->ntask], &queue, err);
    if (!rc) rc = ws_devcall_zeros(c, 2 * c->ntask * sizeof(uint32_t), &count, err);
    m->args = {(const msv_task *)tasks, (const uint32_t *)order, 0,
               ws_devbatch_words(s),    ws_devbatch_seqs(s),     (uint16_t *)s->out.p,
               (uint32_t *)queue,       (uint32_t *)count,       (uint32_t *)count + c->ntask,
               (uint32_t)c->ntask,      c->screen,               c->hint};
    return rc;
}

// Copies what the bias filter reads, if the caller wants hints.
static int put_bias(ws_devcall *c, msv_call *m, ws_err *err) {
    void *there = NULL;
    if (!c->hint) return WS_OK;
    for (size_t t = 0; t < c->ntask; t++)
        m->bias[t] = {ws_devmodel_table<ws_bias>(c->stream, model_of(c->task[t]), TABLE_BIAS), m->list[t].item,
                      m->args.queue + c->first[t], m->args.passing + t, c->hint + c->first[t]};
    int rc = ws_devstream_put(c->stream, m->bias, c->ntask * sizeof *m->bias, &there, err);
    m->sums = (const ws_bias_devtask *)there;
    return rc;
}

// Launches a kernel that visits every pair of the call.
static int launch_queue(ws_devcall *c, msv_call *m, const void *kernel, const char *name, ws_err *err) {
    const dim3 grid((m->longest + 4 * THREADS - 1) / (4 * THREADS), min(m->args.ntask, 65535u));
    return ws_launch_kernel(c->stream, kernel, name, grid, THREADS, 1, 0, &m->args, err);
}

// Launches the recursion, once for each shape. A launch lasts as long as its longest sequence and leaves most of a
// device idle, so two go side by side.
static int launch_recursion(ws_devcall *c, msv_call *m, ws_err *err) {
    // such a table fits several blocks of a multiprocessor, so few pairs spread over more blocks
    const size_t SMALL = 32 << 10;
    int rc = ws_devstream_fork(c->stream, 2, err);
    for (size_t k = 0; k < m->launches.n && !rc; k++) {
        const ws_launch &launch = m->launches.at[k];
        const ws_shape &s = shapes[launch.shape];
        const size_t shared = ws_emissions_shared(s, WS_CODES);
        const uint32_t threads = shared > SMALL ? THREADS : THREADS / 2, warps = threads / 32, n = (uint32_t)launch.n;
        const uint32_t most = (m->longest + warps - 1) / warps,
                       want = (uint32_t)c->stream->dev->sms * 64 / warps / n + 1;
        msv_args a = m->args;
        a.pick += launch.first;
        a.blocks = most < want ? most : want;
        rc = ws_devstream_side(c->stream, k, err);
        if (!rc) rc = ws_launch_kernel(c->stream, s.kernel, s.name, dim3(n * a.blocks), threads, 1, shared, &a, err);
    }
    return ws_devstream_join(c->stream, rc, err);
}

static int queue_all(ws_devcall *c, msv_call *m, ws_err *err) {
    int rc = ws_devbatch_lists(c->stream, c->seqs, c->task, c->ntask, false, m->list, err);
    for (size_t t = 0; t < c->ntask; t++) m->fit[t] = model_of(c->task[t]).fit;
    if (!rc) rc = ws_launches_make(&m->launches, shapes, m->fit, c->ntask, err);
    if (!rc) rc = put_msv(c, m, err);
    if (!rc) rc = put_bias(c, m, err);
    if (!rc) rc = ws_ssv_dev_best(c, ssv_of, m->args.score, err);
    if (!rc) rc = launch_queue(c, m, (const void *)ws_msv_queue_open, "ws_msv_queue_open", err);
    if (!rc) rc = launch_recursion(c, m, err);
    if (rc || !m->sums) return rc;
    // the queues of undecided pairs are free again
    rc = launch_queue(c, m, (const void *)ws_msv_queue_passing, "ws_msv_queue_passing", err);
    if (!rc) rc = ws_bias_dev_sums(c->stream, m->sums, (uint32_t)c->ntask, m->longest, err);
    if (rc || !c->screen.room) return rc;
    return launch_queue(c, m, (const void *)ws_msv_list_passing, "ws_msv_list_passing", err);
}

static int queue(ws_devcall *c, ws_err *err) {
    msv_call m = {};
    int rc = WS_ENOMEM;
    if ((m.list = (ws_devlist *)ws_calloc(c->ntask, sizeof *m.list, err)) &&
        (m.fit = (ws_fit *)ws_calloc(c->ntask, sizeof *m.fit, err)) &&
        (m.task = (msv_task *)ws_calloc(c->ntask, sizeof *m.task, err)) &&
        (m.bias = (ws_bias_devtask *)ws_calloc(c->ntask, sizeof *m.bias, err)))
        rc = queue_all(c, &m, err);
    ws_launches_release(&m.launches);
    ws_free(m.list);
    ws_free(m.fit);
    ws_free(m.task);
    ws_free(m.bias);
    return rc;
}

// ---- 3 the backend ----

static ws_fscore decode(const ws_devmodel *m, const ws_lenmodel *lm, const void *raw) {
    uint16_t code;
    memcpy(&code, raw, sizeof code);
    return msv_score(&static_cast<const msv_model *>(m)->ssv.bytes, lm->tjb, code);
}

static const ws_body *const cpu[] = {WS_BY_WIDTH(ws_msv_)};
static const ws_devfilter filter = {&ws_bytes_form, cpu, sizeof(msv_model), lay_out, queue, sizeof(uint16_t),
                                    decode,         NULL,    true, NULL};

const ws_backend ws_msv_cuda = ws_devfilter_backend(&filter, 1.5e11, true);
