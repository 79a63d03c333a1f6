/* SPDX-License-Identifier: MIT
 * The volumes of NIfTI-1 files, one after another, from files or a pipe. */
#ifndef WS_VOLUMES_INPUT_H
#define WS_VOLUMES_INPUT_H

#include "bin/mrf/nifti.h"
#include "lib/base/mem.h"
#include "lib/compress/inputs.h"

/* An image is a volume as it stands in its file. Zero-initialise; release data with ws_buf_release. */
typedef struct ws_mrf_image {
    const char *name; /* of its file, for messages */
    ws_nifti header;
    uint64_t index; /* in its file, from 0 */
    ws_buf data;
} ws_mrf_image;

typedef struct ws_mrf_input {
    ws_inputs in;
    size_t beside; /* bytes that the caller takes for a voxel beside its value */
    const uint8_t *chunk; /* what is left of the input's last one */
    size_t left;
    uint64_t at; /* bytes of this file that were taken */
    uint8_t head[WS_NIFTI_HEADER];
    int known; /* the header was parsed */
    ws_nifti header;
    uint64_t index; /* of the next volume */
    ws_buf data;    /* of it, so far */
} ws_mrf_input;

/* Closes what is open. A zeroed *in is legal, else in->in was initialised. */
void ws_mrf_input_release(ws_mrf_input *in);

/* Reads the next volume into *p, in the memory that p->data has, which only grows with what was read. WS_OK, WS_EOF,
 * WS_AGAIN if nothing came in WS_INPUTS_WAIT_MS, or a failure, which comes after all whole volumes before it and names
 * file and byte. */
int ws_mrf_input_fill(ws_mrf_input *in, ws_mrf_image *p, ws_err *err);

#endif
