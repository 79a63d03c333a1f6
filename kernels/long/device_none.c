/* SPDX-License-Identifier: MIT
 * The SSV scan on devices in a build without CUDA: no model is taken. */
#include "kernels/long/device.h"

int ws_long_dev_create(ws_long_dev **d, const ws_long_model *m, ws_err *err) {
    (void)m, (void)err;
    *d = NULL;
    return WS_OK;
}

void ws_long_dev_destroy(ws_long_dev *d) { (void)d; }

int ws_long_dev_mark(const ws_long_dev *const *d, size_t nmodel, const ws_abc *abc, const ws_long_range *range,
                     size_t n, int strands, uint8_t *const *flag, ws_err *err) {
    (void)d, (void)nmodel, (void)abc, (void)range, (void)n, (void)strands, (void)flag;
    return ws_fail(err, WS_EDEV, "this build has no CUDA");
}
