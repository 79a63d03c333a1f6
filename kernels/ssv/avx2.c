/* SPDX-License-Identifier: MIT
 * SSV with AVX2: 16 registers, so 12 vectors of 32 nodes at most. */
#include "lib/simd/v_avx2.h"

#define SSV_QMAX 12
#define SSV_SHAPES(F) F(1, 4) F(2, 3) F(3, 2) F(4, 2) F(5, 2) F(6, 1) F(7, 1) F(8, 1) F(9, 1) F(10, 1) F(11, 1) F(12, 1)
#define SSV_EDGED(F) F(7, 1) F(8, 1) F(9, 1) F(10, 1) F(11, 1) F(12, 1)
#include "kernels/ssv/simd.inc.h"
