// SPDX-License-Identifier: MIT
// Models of the domain stage as devices have them: see kernels/dom/device/model.cuh.

#include "kernels/dom/device/model.cuh"

#include <string.h>

static void destroy_model(ws_dom_devmodel *m) {
    if (m) ws_devtable_destroy(&m->table);
    ws_free(m);
}
void ws_dom_device_forget(void *m) { destroy_model((ws_dom_devmodel *)m); }

// Copies the first `places` of a tile, 4 of all but the last one.
static void copy_tile(float *to, const float *from, size_t places) {
    for (size_t u = 0; u < places; u++)
        for (size_t z = 0; z < WS_DOM_LANES; z++) to[4 * z + u] = from[WS_DOM_LANES * u + z];
}

void ws_dom_devmodel_emissions(float *to, const ws_dom_tables *t, size_t n, bool tiled) {
    const size_t row = ws_dom_emissions(t->Q, tiled), Q = (size_t)t->Q;
    const float *from = t->emit;
    if (!tiled) memcpy(to, from, n * row * sizeof *to);
    for (size_t x = 0; x < n && tiled; x++, from += Q * WS_DOM_LANES, to += row) {
        for (size_t k = 0; k < Q / 4; k++) copy_tile(to + k * WS_DOM_TILE, from + k * WS_DOM_TILE, 4);
        if (Q % 4 == 0) continue;
        memset(to + row - WS_DOM_TILE, 0, WS_DOM_TILE * sizeof *to);
        copy_tile(to + row - WS_DOM_TILE, from + Q / 4 * WS_DOM_TILE, Q % 4);
    }
}

static int create_model(ws_dom_devmodel **out, const ws_dom_tables *t, bool tiled, ws_err *err) {
    const size_t places = (size_t)t->Q * WS_DOM_LANES, row = ws_dom_emissions(t->Q, tiled);
    ws_dom_devmodel *m = *out = (ws_dom_devmodel *)ws_calloc(1, sizeof *m, err);
    if (!m) return WS_ENOMEM;
    m->in = (size_t)t->Kp * row;
    m->out = m->in + row * WS_DOM_NTR;
    m->node = m->out + row * WS_DOM_NTR;
    m->mix = m->node + ((size_t)t->M + 1) * WS_DOM_NTR;
    m->contains = m->mix + places * (size_t)t->K;
    const int rc = ws_devtable_create(&m->table, m->contains * sizeof(float) + sizeof t->abc->contains, err);
    if (rc) return rc;
    float *to = (float *)m->table.host;
    ws_dom_devmodel_emissions(to, t, (size_t)t->Kp, tiled);
    memset(to + m->in, 0, (m->node - m->in) * sizeof *to);
    for (size_t q = 0; q < (size_t)t->Q; q++)
        for (size_t z = 0; z < WS_DOM_LANES; z++)
            for (size_t kind = 0; kind < WS_DOM_NTR; kind++) {
                const size_t from = (q * WS_DOM_NTR + kind) * WS_DOM_LANES + z,
                             tile = kind < WS_DOM_DD ? q / 4 * WS_DOM_DD + kind : row / WS_DOM_TILE * WS_DOM_DD + q / 4,
                             at = tiled ? tile * WS_DOM_TILE + 4 * z + q % 4
                                        : (q * WS_DOM_LANES + z) * WS_DOM_NTR + kind;
                to[m->in + at] = t->in[from];
                to[m->out + at] = t->out[from];
                const int k = ws_dom_node(t, (int)q, (int)z);
                if (k <= t->M) to[m->node + (size_t)k * WS_DOM_NTR + kind] = t->in[from];
            }
    memcpy(to + m->mix, t->mix, places * (size_t)t->K * sizeof *to);
    memcpy(to + m->contains, t->abc->contains, sizeof t->abc->contains);
    return WS_OK;
}

int ws_dom_devmodel_need(const ws_dom_tables *t, bool tiled, ws_dom_devmodel **out, ws_err *err) {
    void **place = &const_cast<ws_dom_tables *>(t)->device[tiled], *first = NULL;
    if ((*out = (ws_dom_devmodel *)__atomic_load_n(place, __ATOMIC_ACQUIRE))) return WS_OK;
    const int rc = create_model(out, t, tiled, err);
    if (!rc && __atomic_compare_exchange_n(place, &first, (void *)*out, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return WS_OK;
    destroy_model(*out);
    *out = (ws_dom_devmodel *)first; // another thread's
    return rc;
}
