/* SPDX-License-Identifier: MIT
 * The order of classes, labels and probabilities of a segmented volume: see bin/mrf/program.h. */
#include "bin/mrf/program.h"

#include "kernels/mrf/after.h"

#include <string.h>

/* ---- order ---- */

void ws_mrf_order_of(const ws_mrf_plan *p, const ws_mrf_scale *scale, const ws_mrf_result *r, ws_mrf_order *order) {
    const int first = ws_mrf_first_label(p);
    for (int c = 0; c < p->conf.K; c++) {
        const double mean = ws_mrf_in_units(scale, r->gauss[c]).mean;
        int k = c;
        for (; !p->given && k > 0 && ws_mrf_in_units(scale, r->gauss[order->class[k - 1]]).mean > mean; k--)
            order->class[k] = order->class[k - 1];
        order->class[k] = (uint8_t)c;
    }
    memset(order->label, 0, sizeof order->label);
    for (int k = 0; k < p->conf.K; k++) order->label[order->class[k]] = (uint8_t)(first + k);
}

/* ---- labels ---- */

int ws_mrf_check_seed(const ws_mrf_plan *p, const ws_mrf_volume *v, ws_err *err) {
    if (p->seed[0] < v->size[0] && p->seed[1] < v->size[1] && p->seed[2] < v->size[2]) return WS_OK;
    return ws_fail(err, WS_EDATA, "the seed %llu,%llu,%llu lies outside of %zu x %zu x %zu voxels, counted from 0",
                   p->seed[0], p->seed[1], p->seed[2], v->size[0], v->size[1], v->size[2]);
}

static int keep_component(const ws_mrf_plan *p, const ws_mrf_volume *v, uint8_t *label, ws_mrf_kept *kept,
                          ws_err *err) {
    const size_t x = (size_t)p->seed[0], y = (size_t)p->seed[1], z = (size_t)p->seed[2];
    kept->label = label[x + v->size[0] * (y + v->size[1] * z)];
    if (kept->label > 0) return ws_mrf_component(v, label, x, y, z, &kept->sums, err);
    if (v->mask)
        return ws_fail(err, WS_EDATA, "the seed %zu,%zu,%zu lies outside of the mask; expected a voxel inside", x, y,
                       z);
    return ws_fail(err, WS_EDATA,
                   "the seed %zu,%zu,%zu has class %s, the first, whose label 0 is that of everything else; "
                   "expected another class",
                   x, y, z, p->name[0]);
}

int ws_mrf_make_labels(const ws_mrf_plan *p, const ws_mrf_volume *v, const ws_mrf_order *order, ws_buf *out,
                       ws_mrf_kept *kept, ws_err *err) {
    uint8_t *label = ws_buf_scratch(out, v->n, err);
    if (!label) return WS_ENOMEM;
    ws_mrf_labels(v, label);
    for (size_t i = 0; i < v->n; i++) label[i] = order->label[label[i]];
    const int rc = p->seeded ? keep_component(p, v, label, kept, err) : WS_OK;
    if (!rc && p->boundary) ws_mrf_boundary(v, label);
    return rc;
}

/* ---- probabilities ---- */

int ws_mrf_make_probabilities(const ws_mrf_plan *p, const ws_mrf_image *image, const ws_mrf_volume *v,
                              const ws_mrf_result *r, const ws_mrf_order *order, int threads, ws_mrf_work *w,
                              ws_buf *out, ws_err *err) {
    const ws_nifti *h = &image->header;
    const size_t n = v->n * (size_t)p->conf.K;
    char description[WS_NIFTI_DESCRIPTION];
    out->n = 0;
    int rc = ws_buf_reserve(out, WS_NIFTI_DATA + n * sizeof(float), err);
    if (rc) return rc;
    float *share = (float *)(void *)(out->p + WS_NIFTI_DATA);
    ws_mrf_describe(p, description);
    ws_nifti_floats(h, p->conf.K, description, (uint8_t *)out->p);
    out->n = WS_NIFTI_DATA + n * sizeof(float);
    rc = ws_mrf_probabilities(&p->conf, v, r, order->class, threads, w, share, err);
    if (!rc && h->foreign) ws_mrf_turn(share, n, sizeof(float));
    return rc;
}
