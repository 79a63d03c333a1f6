/* SPDX-License-Identifier: MIT
 * MSV with AVX-512: 32 registers. */
#include "lib/simd/v_avx512.h"

#define MSV_QREG 22
#define MSV_SHAPES(F) \
    F(1, 6) F(2, 4) F(3, 4) F(4, 3) F(5, 2) F(6, 2) F(7, 2) F(8, 2) F(9, 1) F(10, 1) F(11, 1) F(12, 1) \
    F(13, 1) F(14, 1) F(15, 1) F(16, 1) F(17, 1) F(18, 1) F(19, 1) F(20, 1) F(21, 1) F(22, 1)
#include "kernels/msv/simd.inc.h"
