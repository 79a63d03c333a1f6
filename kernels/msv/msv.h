/* SPDX-License-Identifier: MIT
 * MSV: ungapped segments of a sequence against a model, any number of them. Backends of one kernel; see README.md. */
#ifndef WS_MSV_H
#define WS_MSV_H

#include "kernels/filter/filter.h"
#include "lib/run/tool.h"

/* Returns the score of the MSV recursion alone, without SSV first, over the codes x[0..L), L >= 1. cell: M + 1 bytes
 * of scratch. */
ws_fscore ws_msv_full_ref(const ws_bytes *b, const ws_lenmodel *lm, const uint8_t *x, size_t L, uint8_t *cell);

WS_DECLARE_WIDTHS(ws_body, ws_msv_);
extern const ws_backend ws_msv_cuda;

#endif
