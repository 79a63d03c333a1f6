/* SPDX-License-Identifier: MIT
 * The body for devices of a build without CUDA; never called. */
#include "kernels/mrf/mrf.h"

const ws_mrf_body ws_mrf_cuda = {0};
