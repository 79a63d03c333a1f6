/* SPDX-License-Identifier: MIT
 * Forward with AVX2. */
#include "lib/simd/v_avx2.h"

#ifndef FWD_SLOTS
#define FWD_SLOTS(Q) 3
#endif
#include "kernels/fwd/simd.inc.h"
