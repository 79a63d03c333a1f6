/* SPDX-License-Identifier: MIT
 * The "cuda" backend of Forward in a build without CUDA: listed, never usable. */
#include "lib/run/tool.h"

extern const ws_backend ws_fwd_cuda;
const ws_backend ws_fwd_cuda = WS_BACKEND_WITHOUT_CUDA;
