/* SPDX-License-Identifier: MIT
 * The scalar backend: the functions of ref.c, for one problem after another. */
#include "kernels/dom/ref.h"

#include <string.h>

static void store_cells(const ws_dom_tables *t, const ref_row *r, float *cell) {
    memset(cell, 0, WS_DOM_CELL * sizeof *cell * ((size_t)t->M + 1));
    for (int k = 1; k <= t->M; k++) {
        const int q = (k - 1) % t->Q, z = (k - 1) / t->Q;
        float *c = cell + WS_DOM_CELL * k;
        c[0] = r->M[q].z[z];
        c[1] = r->I[q].z[z];
        c[2] = r->D[q].z[z];
    }
}

static void forward(const ws_dom_tables *t, const ws_dom_problem *p, ref_row row[2]) {
    const size_t stride = WS_DOM_CELL * ((size_t)t->M + 1);
    ws_dom_ref_forward_row0(t, &p->mode, &row[0], &p->f[0]);
    if (p->cell) store_cells(t, &row[0], p->cell);
    for (uint32_t i = 1; i <= p->L; i++) {
        ws_dom_ref_forward_row(t, &p->mode, p->x[i - 1], &row[~i & 1], &row[i & 1], &p->f[i - 1], &p->f[i]);
        if (p->cell) store_cells(t, &row[i & 1], p->cell + i * stride);
    }
}

static void backward(const ws_dom_tables *t, ws_dom_problem *p, ref_row row[2]) {
    p->own = 0;
    ws_dom_ref_backward_last(t, &p->mode, &row[p->L & 1], &p->f[p->L], &p->b[p->L]);
    for (uint32_t i = p->L - 1; i >= 1; i--)
        ws_dom_ref_backward_row(t, &p->mode, p->x[i], &row[~i & 1], &row[i & 1], &p->b[i + 1], &p->f[i], &p->own,
                                &p->b[i]);
    ws_dom_ref_backward_row0(t, &p->mode, p->x[0], &row[1], &p->b[1], &p->b[0]);
}

static int parse(const ws_dom_tables *model, ws_dom_worker *w, ws_dom_problem *const *p, size_t n, ws_err *err) {
    v4 *memory = ws_dom_scratch(w, WS_DOM_STATE, 6 * (size_t)model->Q * sizeof *memory, err);
    ref_row row[2];
    if (!memory) return err->code;
    ws_dom_ref_row_set(&row[0], memory, model->Q);
    ws_dom_ref_row_set(&row[1], memory + 3 * model->Q, model->Q);
    for (size_t j = 0; j < n; j++) {
        const ws_dom_tables *t = p[j]->odds ? p[j]->odds : model;
        forward(t, p[j], row);
        if (p[j]->b) backward(t, p[j], row);
    }
    return WS_OK;
}

const ws_dom_backend ws_dom_scalar = {
    .name = "scalar", .quads = 1, .parse = parse,
    .sample = ws_dom_ref_sample, .in_order = 1, .label = ws_dom_ref_label, .fit = ws_dom_ref_fit};
