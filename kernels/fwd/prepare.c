/* SPDX-License-Identifier: MIT
 * Forward's tables: the odds of a profile padded to whole lanes, and the products that carry D across lanes. */
#include <float.h>

#include "kernels/fwd/fwd.h"

/* Returns v, or 0 where v is subnormal. Subnormal factors are slow, and cannot change a score: they multiply sums
 * below 2^64 and are added to larger ones. */
static float normal(float v) { return v < FLT_MIN ? 0.0f : v; }

static void set_products(ws_fwd_tables *t) {
    const float *DD = t->tr[WS_PDD];
    for (int z = 0; z < WS_FWD_LANES; z++) {
        float product = 1.0f;
        for (int k = z * t->Q + 1; k <= (z + 1) * t->Q; k++) {
            t->pd[k] = product;
            product = normal(product * DD[k]);
        }
        t->link[0][z] = product;
    }
    /* lanes without 2^level lanes before them receive nothing at this level */
    for (int level = 0; level + 1 < WS_FWD_LEVELS; level++)
        for (int z = 2 << level; z < WS_FWD_LANES; z++)
            t->link[level + 1][z] = normal(t->link[level][z] * t->link[level][z - (1 << level)]);
    t->link[0][0] = 0.0f;
}

int ws_fwd_tables_create(ws_fwd_tables *t, const ws_profile *p, ws_err *err) {
    int Q = (p->M - 1) / WS_FWD_LANES + 1;
    *t = (ws_fwd_tables){.M = p->M, .Kp = p->abc->Kp, .Q = Q, .N = Q * WS_FWD_LANES};
    const size_t row = (size_t)t->N + 1, some = (size_t)t->M + 1;
    if (!(t->emit = ws_calloc((size_t)t->Kp * row, sizeof *t->emit, err))) goto fail;
    if (!(t->pd = ws_calloc(row, sizeof *t->pd, err))) goto fail;
    for (int i = 0; i < WS_NPTRANS; i++)
        if (!(t->tr[i] = ws_calloc(row, sizeof *t->tr[i], err))) goto fail;
    for (size_t x = 0; x < (size_t)t->Kp; x++) ws_odds_of(t->emit + x * row, p->score + x * some, some);
    for (int i = 0; i < WS_NPTRANS; i++) ws_odds_of(t->tr[i], p->tr[i], some);
    set_products(t);
    return WS_OK;
fail:
    ws_fwd_tables_destroy(t);
    return err->code;
}

void ws_fwd_tables_destroy(ws_fwd_tables *t) {
    ws_free(t->emit);
    ws_free(t->pd);
    for (int i = 0; i < WS_NPTRANS; i++) ws_free(t->tr[i]);
    *t = (ws_fwd_tables){0};
}

WS_PROFILE_FORM(ws_fwd_tables);
