/* SPDX-License-Identifier: MIT
 * The Viterbi filter with AVX2. */
#include "lib/simd/v_avx2.h"

#define VIT_SLOTS(Q) 4
#include "kernels/vit/simd.inc.h"
