// SPDX-License-Identifier: MIT
// A failure of the CUDA runtime as a sentence: see lib/dev/stream.cuh.
#include "lib/dev/stream.cuh"

static thread_local bool failed;

bool ws_cuda_failed() {
    const bool was = failed;
    failed = false;
    return was;
}

int ws_cuda_check(cudaError_t e, const char *what, ws_err *err) {
    if (e == cudaSuccess) return WS_OK;
    failed = true;
    if (e == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        return ws_fail(err, WS_EDEV, "not enough device memory (%s); use a smaller --batch or a CPU backend", what);
    }
    return ws_fail(err, WS_EDEV, "%s failed on the device: %s", what, cudaGetErrorString(e));
}
