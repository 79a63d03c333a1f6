/* SPDX-License-Identifier: MIT
 * SSV with AVX-512: 32 registers, so 24 vectors of 64 nodes at most. */
#include "lib/simd/v_avx512.h"

#define SSV_QMAX 24
#define SSV_SHAPES(F) \
    F(1, 8) F(2, 6) F(3, 5) F(4, 4) F(5, 3) F(6, 3) F(7, 2) F(8, 2) F(9, 2) F(10, 1) F(11, 1) F(12, 1) \
    F(13, 1) F(14, 1) F(15, 1) F(16, 1) F(17, 1) F(18, 1) F(19, 1) F(20, 1) F(21, 1) F(22, 1) F(23, 1) F(24, 1)
#define SSV_EDGED(F) \
    F(13, 1) F(14, 1) F(15, 1) F(16, 1) F(17, 1) F(18, 1) F(19, 1) F(20, 1) F(21, 1) F(22, 1) F(23, 1) F(24, 1)
#include "kernels/ssv/simd.inc.h"
