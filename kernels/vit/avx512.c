/* SPDX-License-Identifier: MIT
 * The Viterbi filter with AVX-512.
 *
 * Four sequences share each load of a transition, which is best as long as the transitions and four rows (8 + 4 * 3 vectors
 * a stripe) fit the first-level cache of 48 KB, up to 35 stripes; two still fit up to 50; beyond, the transitions come from
 * the second level whatever we do, and four share them again (README.md, measured speed). */
#include "lib/simd/v_avx512.h"

#define VIT_SLOTS(Q) ((Q) > 35 && (Q) <= 50 ? 2 : 4)
#include "kernels/vit/simd.inc.h"
