/* SPDX-License-Identifier: MIT
 * The weighted counts of an alignment's residues and transitions: what lies between an alignment and a model.
 * Specification build.md, section 5.8. */
#ifndef WS_BUILD_COUNTS_H
#define WS_BUILD_COUNTS_H

#include "lib/hmm/model.h"

/* Counts for nodes k = 0..M, laid out as in ws_hmm. */
typedef struct ws_build_counts {
    int M;
    const ws_abc *abc;
    float *mat;       /* residues in match states: mat[k*K + x]; row 0 is 0 */
    float *ins;       /* residues in insert states: ins[k*K + x] */
    float *tr;        /* transitions out of node k: tr[k*WS_NTRANS + WS_T..] */
    int32_t nseq;     /* rows of the alignment */
    int32_t nclusters; /* of rows by identity (section 7, --eclust); 0: not asked for */
} ws_build_counts;

/* Sets all fields, with counts of 0. The caller calls ws_build_counts_release. On failure returns WS_ENOMEM and leaves
 * nothing to release. */
int ws_build_counts_create(ws_build_counts *c, const ws_abc *abc, int M, int32_t nseq, ws_err *err);
void ws_build_counts_release(ws_build_counts *c);

#endif
