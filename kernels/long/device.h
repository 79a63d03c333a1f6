/* SPDX-License-Identifier: MIT
 * The first pass of the SSV scan on CUDA devices: it marks steps of strands as ws_long_ssv_body.mark does, and the
 * second pass stays the CPU's. Built as device_none.c where there is no CUDA. */
#ifndef WS_LONG_DEVICE_H
#define WS_LONG_DEVICE_H

#include "kernels/long/scan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A model on devices, which must be started (lib/dev/device.h). Threads may share it. */
typedef struct ws_long_dev ws_long_dev;
/* *d is NULL where no device code takes the model: the CPU marks then. Keeps nothing of m. The only failure is
 * WS_ENOMEM. */
int ws_long_dev_create(ws_long_dev **d, const ws_long_model *m, ws_err *err);
void ws_long_dev_destroy(ws_long_dev *d); /* NULL is legal */

/* n residues as a batch has them (lib/stream/batch.h). The first one begins a word. */
typedef struct ws_long_range {
    const uint32_t *word;
    uint32_t n;
} ws_long_range;
enum { WS_LONG_PLUS = 1, WS_LONG_MINUS = 2 };

/* Marks the strands of n ranges for each of nmodel models. strands: WS_LONG_PLUS, WS_LONG_MINUS or both. flag[k] has
 * the steps of model k: range after range those of the strand as read, then those of the other one. Residues go to the
 * device once. A failure is WS_EDEV or WS_ENOMEM. */
int ws_long_dev_mark(const ws_long_dev *const *d, size_t nmodel, const ws_abc *abc, const ws_long_range *range,
                     size_t n, int strands, uint8_t *const *flag, ws_err *err);

#ifdef __cplusplus
}
#endif
#endif
