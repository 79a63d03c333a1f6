/* SPDX-License-Identifier: MIT
 * papara-score with AVX-512. Thirty-two registers hold four sites. */
#include "lib/simd/v_avx512.h"

#define SITES 4
#include "kernels/papara/simd.inc.h"
