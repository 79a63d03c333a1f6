/* SPDX-License-Identifier: MIT
 * The "cuda" backend of a build without CUDA: listed, never usable. */
#include "kernels/papara/papara.h"
#include "lib/dev/device.h"

const ws_backend ws_papara_cuda = {.name = "cuda", .usable = ws_usable_device, .start = ws_start_device, .stop = ws_dev_stop};
