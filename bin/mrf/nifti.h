/* SPDX-License-Identifier: MIT
 * The header of NIfTI-1 files with header and data in one (.nii): what of it matters here, and that of a file of
 * labels. */
#ifndef WS_VOLUMES_NIFTI_H
#define WS_VOLUMES_NIFTI_H

#include "lib/base/ws.h"

enum {
    WS_NIFTI_HEADER = 348, /* bytes of the header */
    WS_NIFTI_DATA = 352    /* where data begin at the earliest: four bytes say that there are no extensions */
};

typedef enum ws_nifti_type {
    WS_NIFTI_UINT8,
    WS_NIFTI_INT8,
    WS_NIFTI_INT16,
    WS_NIFTI_UINT16,
    WS_NIFTI_INT32,
    WS_NIFTI_UINT32,
    WS_NIFTI_FLOAT32,
    WS_NIFTI_FLOAT64,
    WS_NIFTI_NTYPE
} ws_nifti_type;

typedef struct ws_nifti {
    uint8_t raw[WS_NIFTI_HEADER];
    int foreign; /* the byte order is not this machine's */
    size_t X, Y, Z, T;
    ws_nifti_type type;
    size_t size;         /* bytes of a value */
    uint64_t offset;     /* of the data */
    double slope, inter; /* 1 and 0 if the header has none */
    double mm[3];        /* a voxel's edges; 0 if the header does not say */
} ws_nifti;

/* Parses the header p[0..WS_NIFTI_HEADER). WS_EDATA and a sentence without the file's name if it is no header, or of a
 * file that cannot be read here. At most 2^31 voxels are in a volume. */
int ws_nifti_parse(ws_nifti *h, const uint8_t *p, ws_err *err);

/* Returns "int16" and so on. */
const char *ws_nifti_type_name(ws_nifti_type type);

/* Returns the bytes of a volume's data. */
static inline uint64_t ws_nifti_volume_size(const ws_nifti *h) { return (uint64_t)h->X * h->Y * h->Z * h->size; }

/* Sets the grid of voxels in space, in mm: along axis a voxel x, y, z lies at the product of grid[a] and (x, y, z, 1).
 * The grid is that of the sform, or else of the qform. Returns 0 if the header has none, or no numbers in it. */
int ws_nifti_grid(const ws_nifti *h, double grid[3][4]);

enum { WS_NIFTI_DESCRIPTION = 80 /* bytes, with the end */ };
/* Writes the header of a file of labels: uint8, the geometry and byte order of h, this description, nothing of h's
 * texts. */
void ws_nifti_labels(const ws_nifti *h, const char *description, uint8_t out[WS_NIFTI_DATA]);
/* Writes that of a file of K volumes of float32 with the same geometry and byte order. */
void ws_nifti_floats(const ws_nifti *h, int K, const char *description, uint8_t out[WS_NIFTI_DATA]);

#endif
