/* SPDX-License-Identifier: MIT
 * The device's part of pairhmm in a build without CUDA; never called. */
#include "kernels/pairhmm/gpu.h"

int ws_pairhmm_gpu_run(const ws_pairhmm_quals *quals, ws_pairhmm_gpu *g, int rescue, ws_err *err) {
    (void)quals;
    (void)g;
    (void)rescue;
    return ws_fail(err, WS_EDEV, "this program was built without CUDA");
}
