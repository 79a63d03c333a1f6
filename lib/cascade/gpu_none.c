/* SPDX-License-Identifier: MIT
 * The "cuda" backends of a build without CUDA: listed, never usable. */
#include "lib/dev/device.h"
#include "lib/run/tool.h"

#define NONE {.name = "cuda", .usable = ws_usable_device, .start = ws_start_device, .stop = ws_dev_stop}
extern const ws_backend ws_ssv_cuda, ws_msv_cuda, ws_vit_cuda, ws_fwd_cuda;
const ws_backend ws_ssv_cuda = NONE, ws_msv_cuda = NONE, ws_vit_cuda = NONE, ws_fwd_cuda = NONE;
