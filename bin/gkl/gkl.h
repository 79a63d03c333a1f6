/* SPDX-License-Identifier: MIT
 * The pair-HMM inside a caller: what ws_pairhmm.h promises, and the three native methods of GKL over it. */
#ifndef WS_GKL_GKL_H
#define WS_GKL_GKL_H

#include "bin/gkl/java.h"
#include "bin/gkl/ws_pairhmm.h"
#include "lib/base/ws.h"

/* A rectangle of reads and haplotypes of one call. Reads [first, first + nread) of `read` are meant; messages count
 * from the first read of the call. */
typedef struct ws_gkl_part {
    const ws_pairhmm_caller_read *read;
    const ws_pairhmm_caller_haplotype *hap;
    size_t first, nread, nhap;
    double *log10; /* of the whole call */
} ws_gkl_part;

/* Scores a part. Returns WS_EDATA or WS_ENOMEM, and writes no value, on failure. */
int ws_gkl_score(ws_pairhmm_caller *c, const ws_gkl_part *part, ws_err *err);

/* IntelPairHmm.initNative: remembers the fields of the two classes, the precision, and how many threads a call may
 * use, at most as many as there are cores. These are the process's, as the method is static: the last call decides for
 * calls that begin later. On failure an exception is pending in env. */
void ws_gkl_init(ws_java *env, void *read_class, void *hap_class, int all_double, int threads);

/* IntelPairHmm.computeLikelihoodsNative: writes R x H values. On failure an exception is pending in env, and nothing
 * is written. Threads may call it at once. */
void ws_gkl_compute(ws_java *env, void *reads, void *haps, void *likelihoods);

/* IntelPairHmm.doneNative: releases the memory that no call uses. Objects that compute later get new memory. */
void ws_gkl_done(void);

#endif
