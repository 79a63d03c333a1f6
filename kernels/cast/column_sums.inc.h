/* SPDX-License-Identifier: MIT
 * Sums of columns: plain loops over the columns of one row, which the compiler turns into vectors. No sum depends on
 * another column, so the bits are equal for all widths. */
#include "kernels/cast/column_sums.h"

static void add_row(const uint8_t *restrict x, size_t n, uint8_t K, uint8_t end, float w, float *restrict residues,
                    float *restrict all) {
    for (size_t c = 0; c < n; c++) {
        const int in = x[c] < end, residue = in & (x[c] != K);
        all[c] += (float)in * w;
        residues[c] += (float)residue * w;
    }
}

static void tally_row(const uint8_t *restrict x, size_t n, uint8_t K, uint8_t end, uint8_t *restrict gaps,
                      uint8_t *restrict all) {
    for (size_t c = 0; c < n; c++) {
        gaps[c] = (uint8_t)(gaps[c] + (x[c] == K));
        all[c] = (uint8_t)(all[c] + (x[c] < end));
    }
}
