/* SPDX-License-Identifier: MIT
 * The "cuda" backends of the Viterbi filter and scan in a build without CUDA: listed, never usable. */
#include "lib/run/tool.h"

extern const ws_backend ws_vit_cuda, ws_vit_points_cuda;
const ws_backend ws_vit_cuda = WS_BACKEND_WITHOUT_CUDA, ws_vit_points_cuda = WS_BACKEND_WITHOUT_CUDA;
