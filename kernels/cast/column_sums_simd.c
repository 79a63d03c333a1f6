/* SPDX-License-Identifier: MIT
 * Sums of columns, compiled once for each width. */
#include "kernels/cast/column_sums.inc.h"
#include "lib/simd/v.h"

const ws_build_column_sums V_FACE(ws_build_column_sums_) = {add_row, tally_row};
