/* SPDX-License-Identifier: MIT
 * The "cuda" backend of a build without CUDA: listed, never usable. */
#include "kernels/papara/papara.h"

const ws_backend ws_papara_cuda = WS_BACKEND_WITHOUT_CUDA;
