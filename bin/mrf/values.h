/* SPDX-License-Identifier: MIT
 * From the values of a file to the codes of a volume, and back to the file's units. */
#ifndef WS_VOLUMES_VALUES_H
#define WS_VOLUMES_VALUES_H

#include "kernels/mrf/mrf.h"
#include "bin/mrf/nifti.h"

/* A value in the file's units is slope (least + step * code) + inter. */
typedef struct ws_mrf_scale {
    double least, step, slope, inter;
} ws_mrf_scale;

/* Turns the bytes of n values of this size round. */
void ws_mrf_turn(void *data, size_t n, size_t size);

/* Gives v the shape of h, a mask, which may be NULL and must stay, and the codes of data, which holds
 * ws_nifti_volume_size(h) bytes and may be changed (mrf.md, section 1). Up to `threads` threads. WS_EDATA if a value
 * inside of the mask is no finite number, with a sentence that names the voxel; WS_ENOMEM. */
int ws_mrf_codes(const ws_nifti *h, void *data, const uint8_t *mask, ws_mrf_volume *v, ws_mrf_scale *scale, int threads,
                 ws_err *err);

/* Sets inside[i] to whether value i of data is not 0. Data are as above. WS_EDATA with a sentence that names voxels if
 * a value is no number, if there are several values beside 0, or 0 alone. */
int ws_mrf_inside(const ws_nifti *h, void *data, uint8_t *inside, ws_err *err);

/* Returns a class in the file's units; the second, in codes, its deviation at least half a code. */
ws_mrf_gauss ws_mrf_in_units(const ws_mrf_scale *s, ws_mrf_gauss g);
ws_mrf_gauss ws_mrf_in_codes(const ws_mrf_scale *s, ws_mrf_gauss g);

#endif
