/* SPDX-License-Identifier: MIT
 * A parsed piece of input as a device takes it: letters and qualities without the rest of the text, and lists of reads,
 * haplotypes and pairs. */
#ifndef WS_PAIRHMM_GPU_H
#define WS_PAIRHMM_GPU_H

#include "kernels/pairhmm/pairhmm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Threads that share a pair, rows of each: the smallest class whose product holds the read takes it. First the classes
 * of reads whose gap qualities are all alike, five registers a row; then the others, which need eight; then one each
 * for longer reads, which a warp computes strip by strip. Double precision takes two registers for one. */
#define WS_PAIRHMM_ALIKE(X)                                                                                            \
    X(4, 4)                                                                                                            \
    X(4, 8) X(4, 12) X(4, 16) X(4, 20) X(4, 24) X(4, 28) X(4, 32) X(4, 36) X(8, 20) X(8, 24) X(8, 28) X(8, 32)         \
        X(16, 20) X(16, 24) X(16, 28) X(16, 32) X(32, 20) X(32, 24)
#define WS_PAIRHMM_OTHERS(X)                                                                                           \
    X(4, 4)                                                                                                            \
    X(4, 8) X(4, 12) X(4, 16) X(4, 20) X(8, 12) X(8, 16) X(8, 20) X(16, 12) X(16, 16) X(16, 20) X(32, 12) X(32, 16)    \
        X(32, 20)
#define WS_PAIRHMM_ALIKE_DOUBLE(X) X(4, 8) X(4, 16) X(8, 12) X(8, 16) X(16, 12) X(16, 16) X(32, 16)
#define WS_PAIRHMM_OTHERS_DOUBLE(X) X(4, 8) X(8, 8) X(16, 8) X(32, 8)
enum {
    WS_PAIRHMM_NALIKE = 19,
    WS_PAIRHMM_NOTHERS = 14,
    WS_PAIRHMM_NALIKE_DOUBLE = 7,
    WS_PAIRHMM_NOTHERS_DOUBLE = 4,
    WS_PAIRHMM_NCLASS = WS_PAIRHMM_NALIKE + WS_PAIRHMM_NOTHERS + 2, /* at most */
    WS_PAIRHMM_FOUR = 4 /* reads and haplotypes begin at multiples of it */
};

typedef struct ws_pairhmm_gpu_read {
    uint32_t at, m, gap;            /* its first letter, quality and row; length; its own gap qualities, if not alike */
    uint8_t ins, del, gcp, unalike; /* gap qualities, as characters, if alike */
} ws_pairhmm_gpu_read;

typedef struct ws_pairhmm_gpu_hap {
    uint32_t at, n; /* first letter, length */
} ws_pairhmm_gpu_hap;

typedef struct ws_pairhmm_gpu_pair {
    uint32_t read, hap; /* numbers */
} ws_pairhmm_gpu_pair;

/* What is computed in one precision. */
typedef struct ws_pairhmm_gpu_list {
    ws_pairhmm_gpu_pair *pair; /* by class */
    uint32_t *result;          /* [n] the number of a pair's result */
    uint32_t *read;            /* [nread] reads that have a pair */
    size_t n, nread;
    size_t ncolumn; /* columns of long pairs for which there must be room */
    size_t first[WS_PAIRHMM_NCLASS + 1];
    size_t pair_cap, result_cap, read_cap;
} ws_pairhmm_gpu_list;

/* Zero-initialise; release with ws_pairhmm_gpu_release. [2]: single and double precision. */
typedef struct ws_pairhmm_gpu {
    ws_pairhmm_gpu_read *read; /* [reads of the text]; m = 0 where the device does not take it */
    ws_pairhmm_gpu_hap *hap;   /* [haplotypes of the text] */
    uint8_t *letter;           /* [nletter] nrow of reads, then of haplotypes */
    uint8_t *quality;          /* [nrow] as characters */
    uint8_t *gap;              /* [3 ngap] of a read that has its own: insertion, deletion, continuation */
    uint8_t *takes, *kind[2];  /* [reads of the text] 1: the device computes it; its class */
    size_t nread, nhap, npair, nrow, nletter, ngap;
    ws_pairhmm_gpu_list list[2];
    double *total[2];   /* [npair, results of the text] out: sums of the pairs of the lists */
    double *correction; /* [reads of the text] out; NaN: single precision cannot be used */
    size_t read_cap, hap_cap, letter_cap, quality_cap, gap_cap, takes_cap, kind_cap[2], total_cap[2], correction_cap;
} ws_pairhmm_gpu;

/* All pairs that the device takes, into the list of one precision; the other is empty. WS_ENOMEM is the only failure. */
int ws_pairhmm_gpu_plan(ws_pairhmm_gpu *g, const ws_pairhmm_text *t, int all_double, ws_err *err);
void ws_pairhmm_gpu_release(ws_pairhmm_gpu *g);
/* From the sums in single precision the list of those that need double. The same failure. */
int ws_pairhmm_gpu_wider(ws_pairhmm_gpu *g, ws_err *err);

/* How many of the pairs [first, last) of a long class have room for their columns together (at least one), and how many
 * columns each gets. */
size_t ws_pairhmm_gpu_together(const ws_pairhmm_gpu *g, const ws_pairhmm_gpu_list *list, size_t first, size_t last,
                               size_t *pitch);

/* cuda.cu: fills total and correction; with `rescue` what is too little for single precision goes to double. Waits for a
 * lane and for the device; a failure is WS_EDEV or WS_ENOMEM. */
int ws_pairhmm_gpu_run(const ws_pairhmm_quals *quals, ws_pairhmm_gpu *g, int rescue, ws_err *err);

#ifdef __cplusplus
}
#endif
#endif
