/* SPDX-License-Identifier: MIT
 * Sums of columns by vector code: column_sums.inc.h. K is the code of a gap; codes from `end` on are neither residues
 * nor gaps. */
#ifndef WS_BUILD_COLUMN_SUMS_H
#define WS_BUILD_COLUMN_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/simd/width.h"

typedef struct ws_build_column_sums {
    /* Adds a row of n codes with weight w to single sums: of residues, and of residues and gaps. */
    void (*add_row)(const uint8_t *x, size_t n, uint8_t K, uint8_t end, float w, float *residues, float *all);
    /* Counts the gaps, and residues and gaps, of a row of n codes. At most 255 rows go into these counts. */
    void (*tally_row)(const uint8_t *x, size_t n, uint8_t K, uint8_t end, uint8_t *gaps, uint8_t *all);
} ws_build_column_sums;

WS_DECLARE_WIDTHS(ws_build_column_sums, ws_build_column_sums_);

/* Returns the code of a width, which is a number of lib/simd/width.h that runs here. */
const ws_build_column_sums *ws_build_column_sums_of(int width);

#endif
