/* SPDX-License-Identifier: MIT
 * MSV with AVX2: 16 registers. */
#include "lib/simd/v_avx2.h"

#define MSV_QREG 11
#define MSV_SHAPES(F) F(1, 4) F(2, 3) F(3, 2) F(4, 2) F(5, 1) F(6, 1) F(7, 1) F(8, 1) F(9, 1) F(10, 1) F(11, 1)
#include "kernels/msv/simd.inc.h"
