/* SPDX-License-Identifier: MIT
 * Reading a mask, and whether it fits: see bin/mrf/mask.h. */
#include "bin/mrf/mask.h"

#include "bin/mrf/input.h"
#include "bin/mrf/values.h"

#include <math.h>

void ws_mrf_mask_release(ws_mrf_mask *m) {
    ws_free(m->inside);
    *m = (ws_mrf_mask){0};
}

/* Reads the next volume, also from a slow pipe. */
static int fill(ws_mrf_input *in, ws_mrf_image *image, ws_err *err) {
    int rc;
    do rc = ws_mrf_input_fill(in, image, err);
    while (rc == WS_AGAIN);
    return rc;
}

static int take(ws_mrf_mask *m, ws_mrf_image *image, ws_err *err) {
    const ws_nifti *h = &image->header;
    m->header = *h;
    if (h->T > 1)
        return ws_fail(err, WS_EDATA, "%s: a series of %zu volumes, expected a mask of one volume", image->name, h->T);
    m->inside = ws_calloc(h->X * h->Y * h->Z, 1, err);
    if (!m->inside) return WS_ENOMEM;
    const int rc = ws_mrf_inside(h, image->data.p, m->inside, err);
    if (rc) ws_err_prefix(err, "%s: ", image->name);
    return rc;
}

int ws_mrf_mask_read(ws_mrf_mask *m, const char *path, ws_err *err) {
    ws_mrf_input in = {.beside = 1};
    ws_mrf_image image = {.name = path};
    m->path = path;
    ws_inputs_init(&in.in, &m->path, 1);
    int rc = fill(&in, &image, err);
    if (!rc) rc = take(m, &image, err);
    if (!rc) rc = fill(&in, &image, err); /* the end: only there gzip says whether all was whole */
    ws_buf_release(&image.data);
    ws_mrf_input_release(&in);
    return rc == WS_EOF ? WS_OK : rc;
}

/* Returns the place of corner k of a grid of h's shape, in mm. */
static void corner(const ws_nifti *h, const double grid[3][4], int k, double at[3]) {
    const double x = k & 1 ? (double)h->X - 1 : 0, y = k & 2 ? (double)h->Y - 1 : 0, z = k & 4 ? (double)h->Z - 1 : 0;
    for (int a = 0; a < 3; a++) at[a] = grid[a][0] * x + grid[a][1] * y + grid[a][2] * z + grid[a][3];
}

static double square_of_edge(const double grid[3][4], int axis) {
    return grid[0][axis] * grid[0][axis] + grid[1][axis] * grid[1][axis] + grid[2][axis] * grid[2][axis];
}

int ws_mrf_mask_fits(const ws_mrf_mask *m, const ws_nifti *volume, ws_err *err) {
    const ws_nifti *h = &m->header;
    double own[3][4], other[3][4], a[3], b[3];
    if (h->X != volume->X || h->Y != volume->Y || h->Z != volume->Z)
        return ws_fail(err, WS_EDATA, "%zu x %zu x %zu voxels, but the mask %s has %zu x %zu x %zu; expected a mask of "
                                      "the volume's shape", volume->X, volume->Y, volume->Z, m->path, h->X, h->Y, h->Z);
    if (!ws_nifti_grid(h, own) || !ws_nifti_grid(volume, other)) return WS_OK;
    const double edge = fmin(square_of_edge(other, 0), fmin(square_of_edge(other, 1), square_of_edge(other, 2)));
    for (int k = 0; k < 8; k++) {
        corner(h, own, k, a);
        corner(h, other, k, b);
        const double square = (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                              (a[2] - b[2]) * (a[2] - b[2]);
        if (square > edge / 4)
            return ws_fail(err, WS_EDATA, "voxel %zu,%zu,%zu, counted from 0, lies at %g,%g,%g mm, that of the mask %s "
                                          "at %g,%g,%g; expected a mask on the volume's grid",
                           k & 1 ? h->X - 1 : 0, k & 2 ? h->Y - 1 : 0, k & 4 ? h->Z - 1 : 0, b[0], b[1], b[2], m->path,
                           a[0], a[1], a[2]);
    }
    return WS_OK;
}
