/* SPDX-License-Identifier: MIT
 * The "cuda" backend of the Viterbi filter in a build without CUDA: listed, never usable. */
#include "lib/run/tool.h"

extern const ws_backend ws_vit_cuda;
const ws_backend ws_vit_cuda = WS_BACKEND_WITHOUT_CUDA;
