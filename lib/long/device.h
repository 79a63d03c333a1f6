/* SPDX-License-Identifier: MIT
 * The first pass of the SSV scan on CUDA devices: it marks steps of block strands as ws_long_ssv_body.mark does, and the second pass
 * stays the CPU's. Built as device_none.c where there is no CUDA. */
#ifndef WS_LONG_DEVICE_H
#define WS_LONG_DEVICE_H

#include "lib/long/scan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A model on devices, which must be started (lib/dev/device.h). Threads may share it. */
typedef struct ws_long_dev ws_long_dev;
/* *d is NULL where no device code takes the model: the CPU marks then. Keeps nothing of m. The only failure is WS_ENOMEM. */
int ws_long_dev_create(ws_long_dev **d, const ws_long_model *m, ws_err *err);
void ws_long_dev_destroy(ws_long_dev *d); /* NULL is legal */

/* Marks the n strands for each of nmodel models: flag[k] has the steps of model k, those of the strands one after the other. The strands
 * go to the device once. A failure is WS_EDEV or WS_ENOMEM. */
int ws_long_dev_mark(const ws_long_dev *const *d, size_t nmodel, const ws_long_strand *strand, size_t n, uint8_t *const *flag,
                     ws_err *err);

#ifdef __cplusplus
}
#endif
#endif
