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

/* The same for a model that is read when it is needed (ws_hmm_target.reader): for vector widths. lay_out wants a
 * ws_hmm_target, which must outlive the filter, in place of a form. While few residues have come, rows are scored as
 * they are read; then the layout of ws_msv_... is made. Scores are the same. After one that the target's gate lets
 * pass, its bias is set. */
#define WS_MSV_READ_(width, ...) extern const ws_body ws_msv_read_##width;
WS_WIDTHS(WS_MSV_READ_, )

#endif
