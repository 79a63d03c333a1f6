/* SPDX-License-Identifier: MIT
 * Models of nhmmsieve, and its backends: every stage of a search by one vector width. */
#include "kernels/dom/genome.h"
#include "lib/fwd/fwd.h"
#include "lib/msv/msv.h"

int ws_genome_model_create(ws_genome_model *m, const ws_hmm *hmm, const ws_long_options *o, ws_err *err) {
    *m = (ws_genome_model){.hmm = hmm};
    int rc = ws_profile_create(&m->profile, hmm, err);
    if (!rc) rc = ws_long_model_create(&m->model, hmm, &m->profile, o, err);
    if (!rc) rc = ws_dom_tables_create(&m->tables, &m->profile, hmm->evparam[WS_FTAU], hmm->evparam[WS_FLAMBDA], err);
    if (!rc) rc = ws_dom_window_model_create(&m->background, m->tables, &m->profile, hmm, err);
    ws_bias_set(&m->bias, hmm);
    return rc;
}

void ws_genome_model_release(ws_genome_model *m) {
    ws_dom_window_model_destroy(&m->background);
    ws_dom_tables_destroy(m->tables);
    ws_long_model_destroy(&m->model);
    ws_profile_destroy(&m->profile);
}

/* The code of one width. */
typedef struct bodies {
    const ws_long_ssv_body *ssv;
    const ws_long_vit_body *viterbi;
    const ws_body *msv, *fwd;
    const ws_dom_backend *dom;
} bodies;

static void release(void *layout) {
    ws_genome_layout *l = layout;
    if (!l) return;
    ws_long_dev_destroy(l->dev);
    ws_long_ssv_destroy(&l->ssv);
    ws_long_viterbi_destroy(&l->viterbi);
    ws_filter_destroy(l->msv);
    ws_filter_destroy(l->fwd);
    ws_free(l);
}

/* Lays a model out for a width. */
static int lay_out(const bodies *b, const ws_genome_model *m, ws_genome_layout **layout, ws_err *err) {
    ws_genome_layout *l = ws_calloc(1, sizeof *l, err);
    *layout = NULL;
    if (!l) return err->code;
    l->dom = b->dom;
    int rc = ws_long_ssv_create(&l->ssv, b->ssv, &m->model, err);
    if (!rc) rc = ws_long_viterbi_create(&l->viterbi, b->viterbi, &m->profile, err);
    if (!rc) rc = ws_filter_create(&l->msv, b->msv, &m->profile, err);
    if (!rc) rc = ws_filter_create(&l->fwd, b->fwd, &m->profile, err);
    if (rc) release(l);
    else *layout = l;
    return rc;
}

static int prepare(const ws_backend *self, const ws_target *t, void **prep, ws_err *err) {
    ws_genome_layout *l;
    const int rc = lay_out(self->own, t->data, &l, err);
    *prep = l;
    return rc;
}

#define BACKEND(width, ...) \
    static const bodies bodies_##width = {&ws_long_ssv_##width, &ws_long_vit_##width, &ws_msv_##width, &ws_fwd_##width, &ws_dom_##width}; \
    static const ws_backend backend_##width = {.name = #width, .usable = ws_usable_##width, .prepare = prepare, .release = release, \
                                               .max_tasks = 1, .own = &bodies_##width};
WS_WIDTHS(BACKEND, )
BACKEND(scalar, )

static int prepare_device(const ws_backend *self, const ws_target *t, void **prep, ws_err *err) {
    static const bodies *const by_width[] = {WS_BY_WIDTH(bodies_)};
    const ws_genome_model *m = t->data;
    ws_genome_layout *l;
    ws_cpu cpu;
    (void)self;
    ws_cpu_probe(&cpu);
    int rc = lay_out(by_width[ws_cpu_best(&cpu)], m, &l, err);
    if (!rc) rc = ws_long_dev_create(&l->dev, &m->model, err);
    *prep = l;
    return rc;
}

/* A device marks; the CPU does the rest by its best width. Only a batch as large as this one keeps run-ins small (lib/long/device.cu). */
static const ws_backend backend_cuda = {
    .name = "cuda",
    .usable = ws_usable_device,
    .prepare = prepare_device,
    .release = release,
    .max_tasks = 64,
    .start = ws_start_device,
    .stop = ws_dev_stop,
    .ready = ws_dev_ready,
    .wait = ws_dev_wait,
    .start_seconds = WS_DEV_START,
    .batch = 32 << 20,
};

#define ADDRESS(width, ...) &backend_##width,
const ws_backend *const ws_genome_backends[] = {&backend_cuda, WS_WIDTHS(ADDRESS, ) &backend_scalar, NULL};
