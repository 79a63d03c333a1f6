/* SPDX-License-Identifier: MIT
 * A volume's codes and labels in half rows: see kernels/mrf/mrf.h. */
#include "kernels/mrf/mrf.h"

#include "lib/base/mem.h"

#include <string.h>

/* A half row begins at a multiple of so many voxels. At least one voxel between two half rows is outside. */
enum { ROUND = 32, TAIL = 64 /* bytes after the last label that a vector may read */ };
/* Rows lie along x, and slices along z, unless another axis is longer by more than this factor. */
enum { MUCH = 4 };

static void swap(int *a, int *b) {
    const int old = *a;
    *a = *b;
    *b = old;
}

/* Chooses the order of the axes. Short rows would be mostly the gap between them, and few rows in a slice mostly the
 * border. */
static void choose_axes(ws_mrf_volume *v) {
    int *axis = v->axis;
    for (int a = 0; a < 3; a++) axis[a] = a;
    for (int a = 1; a < 3; a++)
        if (v->size[axis[a]] > MUCH * v->size[axis[0]]) swap(&axis[0], &axis[a]);
    if (v->size[axis[2]] > MUCH * v->size[axis[1]]) swap(&axis[1], &axis[2]);
}

int ws_mrf_volume_shape(ws_mrf_volume *v, size_t X, size_t Y, size_t Z, ws_err *err) {
    const size_t step[3] = {1, X, X * Y};
    v->size[0] = X, v->size[1] = Y, v->size[2] = Z, v->n = X * Y * Z;
    choose_axes(v);
    for (int a = 0; a < 3; a++) v->step[a] = step[v->axis[a]];
    v->X = v->size[v->axis[0]], v->Y = v->size[v->axis[1]], v->Z = v->size[v->axis[2]];
    v->stride = (v->X + 1) / 2 / ROUND * ROUND + ROUND;
    v->places = (2 * v->Z + 3) * ws_mrf_plane(v) + v->stride + TAIL;
    v->ncode = (2 * v->Z + 1) * ws_mrf_plane(v) + v->stride + TAIL;
    v->top = 0;
    v->mask = NULL, v->inside = v->n;
    int rc = ws_grow(&v->code, &v->code_cap, v->ncode, sizeof *v->code, err);
    if (!rc) memset(v->code, 0, v->ncode * sizeof *v->code);
    return rc;
}

void ws_mrf_volume_mask(ws_mrf_volume *v, const uint8_t *mask) {
    v->mask = mask, v->inside = 0;
    for (size_t i = 0; i < v->n; i++) v->inside += mask[i] != 0;
}

int ws_mrf_labels_clear(ws_mrf_volume *v, ws_err *err) {
    int rc = ws_grow(&v->label, &v->label_cap, v->places, 1, err);
    if (!rc) memset(v->label, WS_MRF_OUTSIDE, v->places);
    return rc;
}

void ws_mrf_volume_release(ws_mrf_volume *v) {
    ws_free(v->code);
    ws_free(v->label);
    *v = (ws_mrf_volume){0};
}

ws_mrf_line ws_mrf_line_of(const ws_mrf_volume *v, size_t y, size_t z) {
    const size_t file[3] = {0, y, z};
    const size_t at[3] = {file[v->axis[0]], file[v->axis[1]], file[v->axis[2]]};
    const size_t even = ws_mrf_row_at(v, (int)(at[0] % 2), at[1], at[2]) + at[0] / 2;
    if (v->axis[0] == 0) return (ws_mrf_line){{even, ws_mrf_row_at(v, 1, at[1], at[2])}, {1, 0}};
    return (ws_mrf_line){{even, even}, {0, v->axis[1] == 0 ? v->stride : ws_mrf_plane(v)}};
}

void ws_mrf_volume_put(ws_mrf_volume *v, size_t y, size_t z, const uint16_t *q) {
    const ws_mrf_line line = ws_mrf_line_of(v, y, z);
    uint16_t *even = v->code + (line.at[0] - ws_mrf_skipped(v)), *odd = v->code + (line.at[1] - ws_mrf_skipped(v));
    const size_t X = v->size[0], pairs = line.step[0] ? X / 2 : 0;
    for (size_t j = 0; j < pairs; j++) {
        even[j] = q[2 * j];
        odd[j] = q[2 * j + 1];
    }
    for (size_t x = 2 * pairs; x < X; x++) v->code[ws_mrf_line_at(&line, x) - ws_mrf_skipped(v)] = q[x];
    if (!v->mask) return;
    const uint8_t *in = v->mask + (y + z * v->size[1]) * X;
    for (size_t x = 0; x < X; x++)
        if (!in[x]) v->code[ws_mrf_line_at(&line, x) - ws_mrf_skipped(v)] = 0;
}

void ws_mrf_labels_get(const ws_mrf_volume *v, size_t y, size_t z, uint8_t *out) {
    const ws_mrf_line line = ws_mrf_line_of(v, y, z);
    for (size_t x = 0; x < v->size[0]; x++) out[x] = v->label[ws_mrf_line_at(&line, x)];
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
