/* SPDX-License-Identifier: MIT
 * The "cuda" backend of MSV in a build without CUDA: listed, never usable. */
#include "lib/run/tool.h"

extern const ws_backend ws_msv_cuda;
const ws_backend ws_msv_cuda = WS_BACKEND_WITHOUT_CUDA;
