// SPDX-License-Identifier: MIT
// SSV on CUDA devices: tables and launches. kernels/ssv/rows.cuh has the kernel.

#include "kernels/ssv/dipeptides.cuh"

extern "C" {
#include "lib/hmm/evalue.h"
}

#define SHAPE(...) WS_SSV_SHAPE(false, "ws_ssv_rows", __VA_ARGS__)
static const ws_shape shapes[] = {WS_SSV_SHAPES(SHAPE)};

int ws_ssv_dev_lay_out(ws_ssv_dev *p, ws_devtable *table, ws_devtable *di, const ws_bytes *b, ws_err *err) {
    *p = {*b, WS_FIT(shapes, ws_ssv_costs, WS_CODES, b->M), (b->M + 5) / 6, table, {}};
    p->bytes.cost = NULL;
    if (p->fit.shape < 0) return WS_OK;
    const int R = shapes[p->fit.shape].R;
    auto reg = [=](int x, int first) {
        uint32_t e = 0;
        for (int byte = 0; byte < 4; byte++) {
            const int k = first + byte * R;
            int d = 128; // a cost so high that padding stays at the floor
            if (k <= b->M && x < b->Kp) d = b->cost[(size_t)x * (size_t)(b->M + 1) + (size_t)k] - b->bias;
            e -= (uint32_t)(d > 128 ? 128 : d) << 8 * byte;
        }
        return e;
    };
    int rc = ws_emissions_create(table, WS_CODES, R, p->fit.g, 4, reg, err);
    return rc || !di ? rc : ws_ssv_di_lay_out(&p->di, di, b, err);
}

// Returns which part of random pairs reaches `least` nats above the null score, by the model's calibration; 0: it has
// none.
static double part_above(const ws_hmm *h, double least) {
    return h->calibrated ? ws_gumbel_p(least / WS_LN2, h->evparam[WS_MMU], h->evparam[WS_MLAMBDA]) : 0;
}

// Returns whether the alarm two rows at a time is raised for few pairs. Its threshold is lower, and so are some costs.
static bool raises_few(const ws_hmm *h, double least) {
    const double few = 0.03;
    return h->calibrated && part_above(h, least - 2.0 * WS_SSV_CAP / 3 * WS_LN2) < few;
}

// Returns whether an alarm saves time. The second pass takes as long as it saves where gates let many pairs pass.
static bool alarm_pays(const ws_devcall *c) {
    const double many = 0.2;
    double sum = 0;
    if (!c->screen.room) return false;
    for (size_t t = 0; t < c->ntask; t++) {
        const ws_hmm_target *target = ws_devmodel_of<ws_devmodel>(c->task[t]).target;
        sum += part_above(target->hmm, (double)target->gate.least);
    }
    return sum < many * (double)c->ntask;
}

// Makes room for the queue of all tasks, which has a place for each item whose alarm may be raised.
static int put_queue(ws_devcall *c, size_t items, ws_ssv_args *args, ws_err *err) {
    void *queue = NULL, *count = NULL;
    int rc = ws_devstream_alloc(c->stream, items * sizeof *args->queue, &queue, err);
    if (!rc) rc = ws_devcall_zeros(c, c->ntask * sizeof *args->count, &count, err);
    args->queue = (uint32_t *)queue;
    args->count = (uint32_t *)count;
    return rc;
}

// Sets di[t] to what the alarm two rows at a time needs of each task, and *words to the most words of a stretch of
// these, with what comes before it.
static void choose_dipeptides(const ws_devcall *c, const ws_ssv_dev &(*of)(const ws_task &), ws_ssv_di_task *di,
                              uint32_t *words) {
    size_t longest = 0;
    for (size_t i = 0; i < c->seqs->n; i++) longest = ws_max(longest, ws_batch_words(c->seqs->len[i]));
    longest = ws_min(longest, WS_STRETCH_WORDS);
    for (size_t t = 0; t < c->ntask; t++) {
        const ws_ssv_dev &p = of(c->task[t]);
        const ws_hmm_target *target = ws_devmodel_of<ws_devmodel>(c->task[t]).target;
        const uint32_t most = (uint32_t)longest + (uint32_t)p.overlap;
        if (raises_few(target->hmm, (double)target->gate.least)) di[t] = ws_ssv_di_choose(c, p.di, most);
        if (di[t].R) *words = max(*words, most);
    }
}

static bool some_lack(const ws_ssv_di_task *di, size_t n) {
    for (size_t t = 0; t < n; t++)
        if (!di[t].R) return true;
    return false;
}

int ws_ssv_dev_best(ws_devcall *c, const ws_ssv_dev &(*of)(const ws_task &), uint16_t *best, ws_err *err) {
    const ws_devstream *s = c->stream;
    const bool alarm = alarm_pays(c);
    ws_ssv_args args = {NULL, NULL, ws_devbatch_words(s), ws_devbatch_seqs(s), best, NULL, NULL, 256, 1};
    ws_devqueue<ws_ssv_task> q = {};
    ws_ssv_di_task *di = (ws_ssv_di_task *)ws_calloc(c->ntask, sizeof *di, err);
    uint32_t items = 0, words = 0; // items of the tasks before
    if (!di) return WS_ENOMEM;
    if (alarm) choose_dipeptides(c, of, di, &words);
    auto task_of = [&](const ws_task &t, const ws_devlist &list, uint32_t first) {
        const ws_ssv_dev &p = of(t);
        const ws_hmm_target *target = ws_devmodel_of<ws_devmodel>(t).target;
        const float least = target->gate.least - WS_ABOVE_NULL_MARGIN;
        const uint32_t queue = items;
        items += list.n;
        return ws_ssv_task{(const uint4 *)p.table->at[s->dev->index], list.item, list.n, first, queue,
                           ws_log2(p.fit.g), p.overlap, p.bytes, least, di[&t - c->task]};
    };
    auto fit_of = [=](const ws_task &t) { return of(t).fit; };
    auto shared_of = [=](const ws_task &t) { return ws_emissions_shared(shapes[of(t).fit.shape], WS_CODES); };
    int rc = ws_devqueue_make(&q, c, shapes, true, false, fit_of, task_of, err);
    if (!rc && alarm) {
        rc = put_queue(c, items, &args, err);
        args.task = q.task;
        if (!rc) rc = ws_ssv_di_launch(c, q.list, di, args, words, err);
        if (!rc && some_lack(di, c->ntask))
            rc = ws_devqueue_launch(&q, c, ws_ssv_alarm_shapes, args, shared_of, true, err);
    }
    if (!rc) rc = ws_devqueue_launch(&q, c, shapes, args, shared_of, !alarm, err);
    ws_devqueue_release(&q);
    ws_free(di);
    return rc;
}
