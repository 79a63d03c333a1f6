/* SPDX-License-Identifier: MIT
 * Results of a finished segmentation (mrf.md, sections 6 and 7): the component of a seed, the boundary, probabilities.
 * Labels and probabilities stand with x fastest. */
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

/* Sets out[k n + i], k < K, to the probability of class class[k] at voxel i of the n of v, given the labels around it;
 * 0 outside of the mask. The numbers are the same for any number of threads. WS_ENOMEM is the only failure. */
int ws_mrf_probabilities(const ws_mrf_conf *conf, const ws_mrf_volume *v, const ws_mrf_result *r, const uint8_t *class,
                         int threads, ws_mrf_work *w, float *out, ws_err *err);

#endif
