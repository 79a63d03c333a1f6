/* SPDX-License-Identifier: MIT
 * Models of nhmmsieve, and its backends: every stage of a search by one vector width. */
#include "bin/domains/genome.h"
#include "lib/run/job.h"

#include <math.h>

int ws_genome_model_create(ws_genome_model *m, const ws_hmm *hmm, const ws_long_options *o, ws_err *err) {
    *m = (ws_genome_model){.filter = {.hmm = hmm}};
    int rc = ws_profile_create(&m->filter.profile, hmm, err);
    if (!rc) rc = ws_long_model_create(&m->model, hmm, &m->filter.profile, o, err);
    if (!rc) rc = ws_dom_tables_create(&m->tables, &m->filter.profile, hmm->evparam[WS_FTAU], hmm->evparam[WS_FLAMBDA], err);
    if (!rc) rc = ws_dom_window_model_create(&m->background, m->tables, &m->filter.profile, hmm, err);
    ws_bias_set(&m->filter.bias, hmm);
    m->filter.gate = (ws_gate){.least = -INFINITY, .biased = !o->nobias}; /* most windows pass MSV, so a device looks at the bias of all */
    return rc;
}

void ws_genome_model_release(ws_genome_model *m) {
    ws_dom_window_model_destroy(&m->background);
    ws_dom_tables_destroy(m->tables);
    ws_long_model_destroy(&m->model);
    ws_profile_destroy(&m->filter.profile);
}

static const ws_dom_backend *const dom_bodies[] = {WS_BY_WIDTH(ws_dom_)};

void ws_genome_layout_release(void *layout) {
    ws_genome_layout *l = layout;
    if (!l) return;
    ws_long_dev_destroy(l->dev);
    if (l->msv) l->by->msv->release(l->msv);
    if (l->points) l->by->points->release(l->points);
    if (l->forward) l->by->forward->release(l->forward);
    ws_long_layout_release(&l->of);
    ws_free(l);
}

int ws_genome_lay_out(ws_genome_model *m, int width, int device, void **prep, ws_err *err) {
    ws_genome_layout *l = *prep = ws_calloc(1, sizeof *l, err);
    if (!l) return err->code;
    l->dom = dom_bodies[width];
    int rc = ws_long_layout_create(&l->of, width, WS_LONG_HAS_ALL, &m->model, &m->filter.profile, &m->filter.bias, err);
    if (!rc && device) rc = ws_long_dev_create(&l->dev, &m->model, err);
    if (!rc && device && m->devices) {
        const ws_target t = {.name = m->filter.hmm->name, .qlen = (uint64_t)m->filter.hmm->M, .data = &m->filter};
        l->by = m->devices;
        rc = l->by->msv->prepare(l->by->msv, &t, &l->msv, err);
        if (!rc) rc = l->by->points->prepare(l->by->points, &t, &l->points, err);
        if (!rc) rc = l->by->forward->prepare(l->by->forward, &t, &l->forward, err);
    }
    if (!rc) return WS_OK;
    ws_genome_layout_release(l);
    *prep = NULL;
    return rc;
}

static int prepare(const ws_backend *self, const ws_target *t, void **prep, ws_err *err) {
    return ws_genome_lay_out(t->data, *(const int *)self->own, 0, prep, err);
}

#define BACKEND(width, ...) \
    static const int number_##width = WS_WIDTH_##width; \
    static const ws_backend backend_##width = {.name = #width, .usable = ws_usable_##width, .prepare = prepare, \
                                               .release = ws_genome_layout_release, .own = &number_##width};
WS_WIDTHS(BACKEND, )
BACKEND(scalar, )

static int prepare_device(const ws_backend *self, const ws_target *t, void **prep, ws_err *err) {
    ws_cpu cpu;
    (void)self;
    ws_cpu_probe(&cpu);
    return ws_genome_lay_out(t->data, ws_cpu_best(&cpu), 1, prep, err);
}

/* A device marks; the CPU does the rest by its best width. Only a batch as large as this one keeps run-ins small
 * (kernels/long/device.cu). */
static const ws_backend backend_cuda = {
    WS_BACKEND_DEVICE,
    .prepare = prepare_device,
    .release = ws_genome_layout_release,
    .batch = 32 << 20,
};

#define ADDRESS(width, ...) &backend_##width,
const ws_backend *const ws_genome_backends[] = {&backend_cuda, WS_WIDTHS(ADDRESS, ) &backend_scalar, NULL};
