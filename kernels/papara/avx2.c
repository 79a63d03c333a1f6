/* SPDX-License-Identifier: MIT
 * papara-score with AVX2. Sixteen registers hold two sites: of each V, T left above, and the costs of a deletion. */
#include "lib/simd/v_avx2.h"

#define SITES 2
#include "kernels/papara/simd.inc.h"
