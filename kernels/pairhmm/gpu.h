/* SPDX-License-Identifier: MIT
 * A parsed piece of input as a device takes it: the text as it is, and lists of reads and pairs that point into it. */
#ifndef WS_PAIRHMM_GPU_H
#define WS_PAIRHMM_GPU_H

#include "kernels/pairhmm/pairhmm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Threads that share a pair, rows of each: the smallest class whose product holds the read takes it. */
#define WS_PAIRHMM_CLASSES(X)                                                                                          \
    X(4, 4)                                                                                                            \
    X(4, 8) X(4, 12) X(4, 16) X(4, 20) X(8, 12) X(8, 16) X(8, 20) X(16, 12) X(16, 16) X(16, 20) X(32, 12) X(32, 16)    \
        X(32, 20)
enum { WS_PAIRHMM_NCLASS = 2 * 14, WS_PAIRHMM_GPU_LONGEST = 640 }; /* gap qualities all alike, others */

typedef struct ws_pairhmm_gpu_read { /* offsets into the text; its first row in the table of rows */
    uint32_t base, q, ins, del, gcp, m, row;
} ws_pairhmm_gpu_read;

typedef struct ws_pairhmm_gpu_pair {
    uint32_t read, hap, n, out; /* number of the read; offset and length of the haplotype; number of the result */
} ws_pairhmm_gpu_pair;

/* Zero-initialise; release with ws_pairhmm_gpu_release. */
typedef struct ws_pairhmm_gpu {
    ws_pairhmm_gpu_read *read;
    ws_pairhmm_gpu_pair *pair; /* by class, long haplotypes first */
    uint8_t *takes;            /* [reads of the text] 1: the device computes it */
    size_t nread, npair, nrow, nresult;
    size_t first[WS_PAIRHMM_NCLASS + 1];
    double *total;      /* [results of the text] out: sums, where the device takes the read */
    double *correction; /* [reads of the text] out; NaN: single precision cannot be used */
    size_t read_cap, pair_cap, takes_cap, total_cap, correction_cap;
} ws_pairhmm_gpu;

int ws_pairhmm_gpu_plan(ws_pairhmm_gpu *g, const ws_pairhmm_text *t, ws_err *err);
void ws_pairhmm_gpu_release(ws_pairhmm_gpu *g);

/* cuda.cu: fills total and correction. */
int ws_pairhmm_gpu_run(const ws_pairhmm_quals *quals, ws_pairhmm_gpu *g, const ws_pairhmm_text *t, ws_err *err);

#ifdef __cplusplus
}
#endif
#endif
