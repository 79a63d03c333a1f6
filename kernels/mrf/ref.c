/* SPDX-License-Identifier: MIT
 * The update of one colour, voxel by voxel as mrf.md states it (sections 2 and 3): the definition of the result. */
#include "kernels/mrf/mrf.h"

/* Updates voxel j of a half row, which is voxel i of the volume. */
static void update(const ws_mrf_pass *p, const uint8_t *const *at, size_t j, uint64_t i, uint16_t q, uint8_t *label,
                   ws_mrf_tally *t) {
    const ws_mrf_conf *conf = p->conf;
    const int32_t *G = p->table + q * ws_mrf_width(conf->K);
    if (*label == WS_MRF_OUTSIDE) return; /* of the mask */
    int32_t same[WS_MRF_OUTSIDE + 1] = {0}, E[WS_MRF_CLASSES];
    for (int k = 0; k < conf->neighbours; k++) same[at[k][j]]++;
    const int32_t degree = conf->neighbours - same[WS_MRF_OUTSIDE];
    for (int c = 0; c < conf->K; c++) E[c] = G[c] - conf->in * same[c] - conf->out * (degree - same[c]);
    const int old = *label;
    const int r = conf->rule == WS_MRF_ICM ? ws_mrf_likeliest(E, conf->K)
                                           : (int)ws_mrf_proposal(conf->seed, i, p->sweep, (uint32_t)conf->K);
    if (E[old] - E[r] <= conf->xi) return;
    *label = (uint8_t)r;
    ws_mrf_move(t, q, old, r, E[old] - E[r]);
}

static void pass(const ws_mrf_pass *p, size_t first, size_t last, ws_mrf_tally *t) {
    ws_mrf_volume *v = p->v;
    const ws_mrf_neighbourhood *around = ws_mrf_neighbourhood_of(p->conf->neighbours);
    for (size_t row = first; row < last; row++) {
        const size_t y = row % v->Y, z = row / v->Y;
        const int h = ws_mrf_half_of(around->colours, p->colour, y, z);
        if (h < 0) continue;
        const uint8_t *at[WS_MRF_NEIGHBOURS];
        const uint16_t *q = v->code + ws_mrf_code_at(v, h, y, z);
        uint8_t *label = v->label + ws_mrf_row_at(v, h, y, z);
        ws_mrf_neighbours(v, around, h, y, z, at);
        for (size_t j = 0; j < ws_mrf_half_size(v, h); j++)
            update(p, at, j, ws_mrf_number(v, h, y, z) + 2 * j * v->step[0], q[j], &label[j], t);
    }
}

const ws_mrf_body ws_mrf_scalar = {.pass = pass};
