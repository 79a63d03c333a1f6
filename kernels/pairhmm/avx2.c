/* SPDX-License-Identifier: MIT
 * Pair-HMM with AVX2. */
#include "lib/simd/v_avx2.h"

#ifndef ROWS_SINGLE
#define ROWS_SINGLE 2
#define ROWS_DOUBLE 2
#endif
#include "kernels/pairhmm/simd.inc.h"
