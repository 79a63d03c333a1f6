/* SPDX-License-Identifier: MIT
 * The bias filter with AVX2. */
#include "lib/simd/v_avx2.h"

#include "lib/hmm/bias.inc.h"
