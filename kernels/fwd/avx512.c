/* SPDX-License-Identifier: MIT
 * Forward with AVX-512. */
#include "lib/simd/v_avx512.h"

#ifndef FWD_SLOTS
#define FWD_SLOTS(Q) 4
#endif
#include "kernels/fwd/simd.inc.h"
