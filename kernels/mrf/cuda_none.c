/* SPDX-License-Identifier: MIT
 * The "cuda" backend of a build without CUDA: listed, never usable. */
#include "kernels/mrf/mrf.h"

const ws_mrf_backend ws_mrf_cuda = {.base = WS_BACKEND_WITHOUT_CUDA};
