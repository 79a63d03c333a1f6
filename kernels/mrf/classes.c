/* SPDX-License-Identifier: MIT
 * First means from the histogram, and the table of energies: see kernels/mrf/mrf.h. */
#include "kernels/mrf/mrf.h"

#include <string.h>

enum { ROUNDS = 100 }; /* of Lloyd's iteration */

void ws_mrf_histogram(const ws_mrf_volume *v, uint64_t *hist) {
    memset(hist, 0, WS_MRF_CODES * sizeof *hist);
    for (int h = 0; h < 2; h++)
        for (size_t z = 0; z < v->Z; z++)
            for (size_t y = 0; y < v->Y; y++) {
                const uint16_t *q = v->code + ws_mrf_code_at(v, h, y, z);
                for (size_t j = 0; j < ws_mrf_half_size(v, h); j++) hist[q[j]]++;
            }
    hist[0] -= v->n - v->inside; /* code 0 stands outside of the mask */
}

/* Sets the means. Mean c starts at the first code with more than floor((2c + 1) n / 2K) voxels up to it. */
static void start(const uint64_t *hist, uint64_t n, int K, ws_mrf_gauss *gauss) {
    uint64_t sum = 0;
    int c = 0;
    for (uint32_t q = 0; q < WS_MRF_CODES && c < K; q++) {
        sum += hist[q];
        while (c < K && sum > (2 * (uint64_t)c + 1) * n / (2 * (uint64_t)K)) gauss[c++].mean = q;
    }
}

/* Sums up each class over the codes that are nearest to its mean, the lowest class among equals. */
static void assign(const uint64_t *hist, int K, const ws_mrf_gauss *gauss, ws_mrf_sums *sums) {
    memset(sums, 0, (size_t)K * sizeof *sums);
    for (uint32_t q = 0; q < WS_MRF_CODES; q++) {
        int best = 0;
        if (hist[q] == 0) continue;
        for (int c = 1; c < K; c++)
            if (fabs(q - gauss[c].mean) < fabs(q - gauss[best].mean)) best = c;
        sums[best].n += hist[q];
        sums[best].s1 += hist[q] * q;
        sums[best].s2 += hist[q] * q * q;
    }
}

void ws_mrf_first(const uint64_t *hist, uint64_t n, int K, ws_mrf_gauss *gauss) {
    ws_mrf_sums sums[WS_MRF_CLASSES];
    int changed = 1;
    start(hist, n, K, gauss);
    for (int round = 0; round < ROUNDS && changed; round++) {
        changed = 0;
        assign(hist, K, gauss, sums);
        for (int c = 0; c < K; c++) {
            if (sums[c].n == 0) continue;
            const double mean = ws_mrf_gauss_of(&sums[c]).mean;
            changed |= mean != gauss[c].mean;
            gauss[c].mean = mean;
        }
    }
    for (int c = 0; c < K; c++) gauss[c].sd = sums[c].n > 0 ? ws_mrf_gauss_of(&sums[c]).sd : 0.5;
}

void ws_mrf_table(const ws_mrf_gauss *gauss, int K, uint32_t top, int32_t *table) {
    const size_t width = ws_mrf_width(K);
    for (int c = 0; c < K; c++) {
        const double log_sd = ws_mrf_log(gauss[c].sd);
        for (uint32_t q = 0; q <= top; q++) table[q * width + (size_t)c] = ws_mrf_prior(gauss[c], log_sd, q);
    }
}

int ws_mrf_likeliest(const int32_t *row, int K) {
    int best = 0;
    for (int c = 1; c < K; c++)
        if (row[c] < row[best]) best = c;
    return best;
}
