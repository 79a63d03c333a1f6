/* SPDX-License-Identifier: MIT
 * SSV: the best ungapped diagonal of a sequence against a model. Backends of one kernel; see README.md. */
#ifndef WS_SSV_H
#define WS_SSV_H

#include "lib/cascade/ungapped.h"
#include "lib/run/tool.h"

extern const ws_backend ws_ssv_scalar, ws_ssv_avx2, ws_ssv_avx512, ws_ssv_cuda;

#endif
