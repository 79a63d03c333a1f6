/* SPDX-License-Identifier: MIT
 * Pair-HMM with AVX-512. */
#include "lib/simd/v_avx512.h"

#ifndef ROWS_SINGLE
#define ROWS_SINGLE 4
#define ROWS_DOUBLE 4
#endif
#include "kernels/pairhmm/simd.inc.h"
