/* SPDX-License-Identifier: MIT
 * Results of a finished segmentation (mrf.md, section 6): the component of a seed, and the boundary. Labels stand with
 * x fastest. */
#ifndef WS_MRF_AFTER_H
#define WS_MRF_AFTER_H

#include "kernels/mrf/mrf.h"

/* Copies the labels of v to out[0..v->n), WS_MRF_OUTSIDE outside of the mask. */
void ws_mrf_labels(const ws_mrf_volume *v, uint8_t *out);

/* Keeps in label[0..v->n) the component of voxel (x, y, z): the voxels of its label to which a path by faces leads. All
 * others become 0. *sums is of the component. WS_ENOMEM is the only failure. */
int ws_mrf_component(const ws_mrf_volume *v, uint8_t *label, size_t x, size_t y, size_t z, ws_mrf_sums *sums,
                     ws_err *err);

/* Keeps the labels of the voxels with a face neighbour inside the volume that has another label. All others become 0.
 * */
void ws_mrf_boundary(const ws_mrf_volume *v, uint8_t *label);

#endif
