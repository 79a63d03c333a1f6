/* SPDX-License-Identifier: MIT
 * The mask of a run: which voxels of its volumes are segmented. */
#ifndef WS_VOLUMES_MASK_H
#define WS_VOLUMES_MASK_H

#include "bin/mrf/nifti.h"

/* Zero-initialise; release with ws_mrf_mask_release. */
typedef struct ws_mrf_mask {
    const char *path;
    ws_nifti header;
    uint8_t *inside; /* a byte for each voxel, 1 inside; NULL: no mask */
} ws_mrf_mask;

/* Reads the mask from the one volume of a NIfTI-1 file: 0 is outside, one other value inside. WS_EDATA with a sentence
 * that names file and voxel if there is another value, or no voxel inside; WS_ENOMEM; failures of reading. The path
 * must stay. */
int ws_mrf_mask_read(ws_mrf_mask *m, const char *path, ws_err *err);
void ws_mrf_mask_release(ws_mrf_mask *m);

/* Returns WS_EDATA with a sentence if a volume has another shape than the mask, or lies elsewhere in space by more than
 * half a voxel. */
int ws_mrf_mask_fits(const ws_mrf_mask *m, const ws_nifti *volume, ws_err *err);

#endif
