/* SPDX-License-Identifier: MIT
 * The bias filter with AVX-512. */
#include "lib/simd/v_avx512.h"

#include "lib/hmm/bias.inc.h"
