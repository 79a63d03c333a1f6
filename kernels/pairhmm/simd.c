/* SPDX-License-Identifier: MIT
 * The vector body of pair-HMM, compiled once for each width: one read a lane, haplotypes as a trie. ref.c defines
 * the operations of a cell. */
#include "kernels/pairhmm/pairhmm.h"
#include "lib/simd/v.h"

#include <string.h>

#ifndef ROWS
#define ROWS (V_REGISTERS / 8) /* rows of the reads in one pass */
#endif

#define NAME(x) V_CAT1(single_, x)
#define REAL float
#define VT VF
#define LANES VF_LANES
#define K ROWS
#define VT_LOAD VF_LOAD
#define VT_STORE VF_STORE
#define VT_SET1 VF_SET1
#define VT_ADD VF_ADD
#define VT_FMA VF_FMA
#include "kernels/pairhmm/sweep.inc.h"

#define NAME(x) V_CAT1(double_, x)
#define REAL double
#define VT VD
#define LANES VD_LANES
#define K ROWS
#define VT_LOAD VD_LOAD
#define VT_STORE VD_STORE
#define VT_SET1 VD_SET1
#define VT_ADD VD_ADD
#define VT_FMA VD_FMA
#include "kernels/pairhmm/sweep.inc.h"

const ws_pairhmm_body V_FACE(ws_pairhmm_) = {
    .lanes = {VF_LANES, VD_LANES},
    .rows = {ROWS, ROWS},
    .sweep = {single_sweep, double_sweep},
};
