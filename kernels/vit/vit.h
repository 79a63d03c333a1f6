/* SPDX-License-Identifier: MIT
 * The Viterbi filter: the best gapped path in 16 bits. Backends of one kernel; see README.md. */
#ifndef WS_VIT_H
#define WS_VIT_H

#include "kernels/filter/filter.h"
#include "lib/run/tool.h"
#include "kernels/vit/score.h"

WS_DECLARE_WIDTHS(ws_body, ws_vit_);
extern const ws_backend ws_vit_cuda;
extern const ws_backend ws_vit_points_cuda; /* the Viterbi scan of windows on devices: kernels/vit/points.h */

#endif
