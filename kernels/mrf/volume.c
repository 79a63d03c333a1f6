/* SPDX-License-Identifier: MIT
 * A volume's codes and labels in half rows: see kernels/mrf/mrf.h. */
#include "kernels/mrf/mrf.h"

#include "lib/base/mem.h"

#include <string.h>

/* A half row begins at a multiple of so many voxels. At least one voxel between two half rows is outside. */
enum { ROUND = 32, TAIL = 64 /* bytes after the last label that a vector may read */ };

int ws_mrf_volume_shape(ws_mrf_volume *v, size_t X, size_t Y, size_t Z, ws_err *err) {
    const size_t stride = (X + 1) / 2 / ROUND * ROUND + ROUND;
    const size_t places = 2 * (Z + 2) * (Y + 2) * stride + TAIL;
    int rc = ws_grow(&v->code, &v->code_cap, places, sizeof *v->code, err);
    if (!rc) rc = ws_grow(&v->label, &v->label_cap, places, 1, err);
    if (rc) return rc;
    v->X = X, v->Y = Y, v->Z = Z, v->n = X * Y * Z;
    v->stride = stride, v->top = 0;
    v->places = places;
    memset(v->code, 0, places * sizeof *v->code);
    memset(v->label, WS_MRF_OUTSIDE, places);
    return WS_OK;
}

void ws_mrf_volume_release(ws_mrf_volume *v) {
    ws_free(v->code);
    ws_free(v->label);
    *v = (ws_mrf_volume){0};
}

void ws_mrf_volume_put(ws_mrf_volume *v, size_t y, size_t z, const uint16_t *q) {
    uint16_t *even = v->code + ws_mrf_row_at(v, 0, y, z), *odd = v->code + ws_mrf_row_at(v, 1, y, z);
    const size_t pairs = v->X / 2;
    for (size_t j = 0; j < pairs; j++) {
        even[j] = q[2 * j];
        odd[j] = q[2 * j + 1];
    }
    if (v->X % 2) even[pairs] = q[2 * pairs];
}

void ws_mrf_labels_get(const ws_mrf_volume *v, size_t y, size_t z, uint8_t *out) {
    const uint8_t *even = v->label + ws_mrf_row_at(v, 0, y, z), *odd = v->label + ws_mrf_row_at(v, 1, y, z);
    for (size_t x = 0; x < v->X; x++) out[x] = x % 2 ? odd[x / 2] : even[x / 2];
}

void ws_mrf_labels_put(ws_mrf_volume *v, size_t y, size_t z, const uint8_t *in) {
    uint8_t *even = v->label + ws_mrf_row_at(v, 0, y, z), *odd = v->label + ws_mrf_row_at(v, 1, y, z);
    for (size_t x = 0; x < v->X; x++) *(x % 2 ? &odd[x / 2] : &even[x / 2]) = in[x];
}

const ws_mrf_neighbourhood *ws_mrf_neighbourhood_of(int size) {
#define ENTRY(size, colours, reach) {size, colours, reach},
    static const ws_mrf_neighbourhood list[] = {WS_MRF_NEIGHBOURHOODS(ENTRY)};
    const ws_mrf_neighbourhood *n = list;
    while (n->size != size) n++;
    return n;
}

/* Sets at[] to the rows of neighbours. Voxel x = 2j + h has the neighbour x - 1 as number j + h - 1 of the other half,
 * and x + 1 as number j + h. */
void ws_mrf_neighbours(const ws_mrf_volume *v, const ws_mrf_neighbourhood *around, int h, size_t y, size_t z,
                       const uint8_t *at[WS_MRF_NEIGHBOURS]) {
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const int steps = dx * dx + dy * dy + dz * dz;
                if (steps == 0 || steps > around->reach) continue;
                const size_t row = ws_mrf_row_at(v, dx ? 1 - h : h, y + (size_t)dy, z + (size_t)dz);
                *at++ = v->label + row + (dx < 0 ? h - 1 : dx > 0 ? h : 0);
            }
}
