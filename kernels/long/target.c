/* SPDX-License-Identifier: MIT
 * Models made ready for searches of long DNA: see kernels/long/target.h. */
#include "kernels/long/target.h"
#include "kernels/fwd/fwd.h"
#include "kernels/msv/msv.h"
#include "kernels/vit/vit.h"

/* The code of each width. */
static const ws_long_ssv_body *const ssv_bodies[] = {WS_BY_WIDTH(ws_long_ssv_)};
static const ws_long_vit_body *const vit_bodies[] = {WS_BY_WIDTH(ws_long_vit_)};
static const ws_body *const msv_bodies[] = {WS_BY_WIDTH(ws_msv_)}, *const fwd_bodies[] = {WS_BY_WIDTH(ws_fwd_)};
static const ws_dom_backend *const dom_bodies[] = {WS_BY_WIDTH(ws_dom_)};

const ws_long_filters ws_long_cuda = {&ws_msv_cuda, &ws_vit_points_cuda, &ws_fwd_cuda};

int ws_long_target_create(ws_long_target *t, const ws_hmm_target *filter, const ws_long_options *o, ws_err *err) {
    *t = (ws_long_target){.filter = filter};
    pthread_mutex_init(&t->lock, NULL);
    return ws_long_model_create(&t->model, filter->hmm, &filter->profile, o, err);
}

/* Returns whether a node under the mask has scores of its own. */
static int has_masked(const ws_profile *p, const char *mask) {
    for (int k = 1; mask && k <= p->M; k++)
        for (int x = 0; x < p->abc->K && mask[k] == 'm'; x++)
            if (p->score[(size_t)x * ((size_t)p->M + 1) + (size_t)k] != 0.0f) return 1;
    return 0;
}

int ws_long_target_remember(ws_long_target *t, ws_err *err) {
    const ws_hmm *hmm = t->filter->hmm;
    if (!has_masked(&t->filter->profile, hmm->note[WS_NOTE_MM])) return WS_OK;
    t->later = *t->filter;
    int rc = ws_profile_create(&t->later.profile, hmm, err);
    if (!rc) rc = ws_dom_window_revert(&t->later.profile, hmm->note[WS_NOTE_MM], err);
    if (rc) ws_profile_destroy(&t->later.profile);
    t->changes = !rc;
    return rc;
}

/* Destroys what the stages of the CPU have. */
static void drop_layouts(ws_long_target *t) {
    ws_dom_window_model_destroy(&t->background);
    ws_dom_window_model_destroy(&t->first_background);
    ws_dom_tables_destroy(t->tables);
    ws_dom_tables_destroy(t->first_tables);
    ws_long_ssv_destroy(&t->ssv);
    ws_long_viterbi_destroy(&t->viterbi);
    ws_filter_destroy(t->msv);
    ws_filter_destroy(t->fwd);
    ws_filter_destroy(t->first_fwd);
    t->tables = t->first_tables = NULL;
    t->msv = t->fwd = t->first_fwd = NULL;
}

/* Makes the tables of a profile of the target. */
static int make_tables(const ws_long_target *t, const ws_profile *p, ws_dom_tables **tables, ws_err *err) {
    const float *evparam = t->filter->hmm->evparam;
    return ws_dom_tables_create(tables, p, evparam[WS_FTAU], evparam[WS_FLAMBDA], err);
}

int ws_long_target_lay_out(ws_long_target *t, int width, ws_err *err) {
    const ws_profile *p = &t->filter->profile, *later = t->changes ? &t->later.profile : p;
    if (t->laid_out) return WS_OK;
    int rc = ws_long_ssv_create(&t->ssv, ssv_bodies[width], &t->model, err);
    if (!rc) rc = ws_long_viterbi_create(&t->viterbi, vit_bodies[width], p, err);
    if (!rc) rc = ws_filter_create(&t->msv, msv_bodies[width], p, err);
    if (!rc) rc = ws_filter_create(&t->fwd, fwd_bodies[width], later, err);
    if (!rc && t->changes) rc = ws_filter_create(&t->first_fwd, fwd_bodies[width], p, err);
    t->dom = dom_bodies[width];
    if (!rc) rc = make_tables(t, later, &t->tables, err);
    if (!rc && t->changes) rc = make_tables(t, p, &t->first_tables, err);
    if (!rc) rc = ws_dom_window_model_create(&t->background, t->tables, later, t->filter->hmm, err);
    if (!rc && t->changes) rc = ws_dom_window_model_create(&t->first_background, t->tables, p, t->filter->hmm, err);
    t->laid_out = !rc;
    if (rc) drop_layouts(t);
    return rc;
}

int ws_long_target_behind(ws_long_target *t, ws_err *err) {
    pthread_mutex_lock(&t->lock);
    const int rc = t->has_behind ? WS_OK : ws_dom_window_model_behind(&t->behind, &t->background, err);
    t->has_behind = !rc;
    pthread_mutex_unlock(&t->lock);
    return rc;
}

static int to_device(ws_long_target *t, const ws_long_filters *by, ws_err *err) {
    const ws_target own = {.name = t->filter->hmm->name, .qlen = (uint64_t)t->model.M,
                           .data = (void *)(uintptr_t)t->filter};
    ws_target later = own;
    int rc = t->dev ? WS_OK : ws_long_dev_create(&t->dev, &t->model, err);
    if (t->changes) later.data = &t->later;
    t->by = by;
    if (!rc && by && !t->dev_msv) rc = by->msv->prepare(by->msv, &own, &t->dev_msv, err);
    if (!rc && by && !t->dev_points) rc = by->points->prepare(by->points, &own, &t->dev_points, err);
    if (!rc && by && !t->dev_forward) rc = by->forward->prepare(by->forward, &later, &t->dev_forward, err);
    t->on_device = !rc;
    return rc;
}

int ws_long_target_to_device(ws_long_target *t, const ws_long_filters *by, ws_err *err) {
    pthread_mutex_lock(&t->lock);
    const int rc = t->on_device ? WS_OK : to_device(t, by, err);
    pthread_mutex_unlock(&t->lock);
    return rc;
}

void ws_long_target_release(ws_long_target *t) {
    if (!t->filter) return;
    ws_long_dev_destroy(t->dev);
    if (t->dev_msv) t->by->msv->release(t->dev_msv);
    if (t->dev_points) t->by->points->release(t->dev_points);
    if (t->dev_forward) t->by->forward->release(t->dev_forward);
    if (t->has_behind) ws_dom_window_model_destroy(&t->behind);
    drop_layouts(t);
    if (t->changes) ws_profile_destroy(&t->later.profile);
    ws_long_model_destroy(&t->model);
    pthread_mutex_destroy(&t->lock);
    *t = (ws_long_target){0};
}
