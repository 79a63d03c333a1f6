/* SPDX-License-Identifier: MIT
 * A parsed block of input in the form for a device: letters and qualities without the rest of the text, and lists of
 * reads, haplotypes and pairs. */
#ifndef WS_PAIRHMM_GPU_H
#define WS_PAIRHMM_GPU_H

#include "kernels/pairhmm/pairhmm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Classes of reads: threads that share a pair, and rows of each. The smallest class with room for the read gets it.
 * First are the classes of reads with equal gap qualities in all rows, which take five registers a row. Then come
 * the others, with eight; then one class each for longer reads, which a warp computes strip by strip. Double
 * precision takes twice the registers. */
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
    WS_PAIRHMM_NCLASS = WS_PAIRHMM_NALIKE + WS_PAIRHMM_NOTHERS + 2, /* upper bound */
    WS_PAIRHMM_FOUR = 4 /* reads and haplotypes begin at multiples of this */
};

typedef struct ws_pairhmm_gpu_read {
    uint32_t at, m, gap;            /* its first letter, quality and row; length; its own gap qualities, if unalike */
    uint8_t ins, del, gcp, unalike; /* gap qualities, as characters, if equal in all rows */
} ws_pairhmm_gpu_read;

typedef struct ws_pairhmm_gpu_hap {
    uint32_t at, n; /* first letter, length */
} ws_pairhmm_gpu_hap;

typedef struct ws_pairhmm_gpu_pair {
    uint32_t read, hap; /* indices */
} ws_pairhmm_gpu_pair;

/* The pairs to compute in one precision. */
typedef struct ws_pairhmm_gpu_list {
    ws_pairhmm_gpu_pair *pair; /* by class */
    uint32_t *result;          /* [n] index of a pair's result */
    uint32_t *read;            /* [nread] reads with at least one pair */
    size_t n, nread;
    size_t ncolumn; /* columns of long pairs that need room at once */
    size_t first[WS_PAIRHMM_NCLASS + 1];
    size_t pair_cap, result_cap, read_cap;
} ws_pairhmm_gpu_list;

/* The plan; [2]: single and double precision. The user zero-initialises it and calls ws_pairhmm_gpu_release. */
typedef struct ws_pairhmm_gpu {
    ws_pairhmm_gpu_read *read; /* [reads of the text]; m = 0 if the host computes it */
    ws_pairhmm_gpu_hap *hap;   /* [haplotypes of the text] */
    uint8_t *letter;           /* [nletter] first of reads (nrow), then of haplotypes */
    uint8_t *quality;          /* [nrow] as characters */
    uint8_t *gap;              /* [3 ngap] of reads with their own: insertion, deletion, continuation */
    uint8_t *takes, *kind[2];  /* [reads of the text] 1 if the device computes it; its class */
    size_t nread, nhap, npair, nrow, nletter, ngap;
    ws_pairhmm_gpu_list list[2];
    double *total[2];   /* [npair, results of the text] out: sums of the listed pairs */
    double *correction; /* [reads of the text] out; NaN: single precision is not allowed */
    size_t read_cap, hap_cap, letter_cap, quality_cap, gap_cap, takes_cap, kind_cap[2], total_cap[2], correction_cap;
} ws_pairhmm_gpu;

/* Puts all pairs for the device into the list of one precision; the other list stays empty. Returns WS_ENOMEM on
 * failure. */
int ws_pairhmm_gpu_plan(ws_pairhmm_gpu *g, const ws_pairhmm_text *t, int all_double, ws_err *err);
void ws_pairhmm_gpu_release(ws_pairhmm_gpu *g);
/* Lists the pairs that need double precision, from their sums in single precision. Returns WS_ENOMEM on failure. */
int ws_pairhmm_gpu_wider(ws_pairhmm_gpu *g, ws_err *err);

/* Returns how many of the pairs [first, last) of a long class have room for their columns together, at least one.
 * *pitch: columns for each. */
size_t ws_pairhmm_gpu_together(const ws_pairhmm_gpu *g, const ws_pairhmm_gpu_list *list, size_t first, size_t last,
                               size_t *pitch);

/* Fills total and correction on the device, and waits for it. With `rescue`, pairs that underflow single precision
 * are computed in double. Returns WS_EDEV or WS_ENOMEM on failure. Defined in cuda.cu. */
int ws_pairhmm_gpu_run(const ws_pairhmm_quals *quals, ws_pairhmm_gpu *g, int rescue, ws_err *err);

#ifdef __cplusplus
}
#endif
#endif
