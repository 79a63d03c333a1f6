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
    ws_long_ssv_destroy(&l->ssv);
    ws_long_viterbi_destroy(&l->viterbi);
    ws_filter_destroy(l->msv);
    ws_filter_destroy(l->fwd);
    ws_free(l);
}

static int prepare(const ws_backend *self, const ws_target *t, void **prep, ws_err *err) {
    const bodies *b = self->own;
    const ws_genome_model *m = t->data;
    ws_genome_layout *l = ws_calloc(1, sizeof *l, err);
    *prep = NULL;
    if (!l) return err->code;
    l->dom = b->dom;
    int rc = ws_long_ssv_create(&l->ssv, b->ssv, &m->model, err);
    if (!rc) rc = ws_long_viterbi_create(&l->viterbi, b->viterbi, &m->profile, err);
    if (!rc) rc = ws_filter_create(&l->msv, b->msv, &m->profile, err);
    if (!rc) rc = ws_filter_create(&l->fwd, b->fwd, &m->profile, err);
    if (rc) release(l);
    else *prep = l;
    return rc;
}

#define BACKEND(width, ...) \
    static const bodies bodies_##width = {&ws_long_ssv_##width, &ws_long_vit_##width, &ws_msv_##width, &ws_fwd_##width, &ws_dom_##width}; \
    static const ws_backend backend_##width = {.name = #width, .usable = ws_usable_##width, .prepare = prepare, .release = release, \
                                               .max_tasks = 1, .own = &bodies_##width};
#define ADDRESS(width, ...) &backend_##width,
WS_WIDTHS(BACKEND, )
BACKEND(scalar, )
const ws_backend *const ws_genome_backends[] = {WS_WIDTHS(ADDRESS, ) &backend_scalar, NULL};
