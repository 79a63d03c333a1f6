/* SPDX-License-Identifier: MIT
 * hmmsearch's decision over the pairs of one model, for programs that have rows and for the chain of hmmsieve, which
 * has pools. Source: specification profile-filters.md, section 12.2.
 *
 *   screen       which pairs can still pass once the null score is known
 *   null scores  with the correction for composition bias, where the caller does not know it
 *   pair         whether the pair passes */
#ifndef WS_FILTERS_DECIDE_H
#define WS_FILTERS_DECIDE_H

#include "bin/filters/cutoffs.h"
#include "kernels/filter/backend.h"

#include "lib/hmm/fscore.h"

/* Pairs of one model with their scores, and the settings that decide about them. From *c
 * only stage, opts and max_p are read. */
typedef struct ws_decider {
    const ws_cascade *c;
    const ws_hmm_target *model; /* its gate is not read */
    ws_gate gate;               /* of the model in this stage */
    const ws_cpu *cpu;
    ws_seqlist list;
    const ws_fscore *score; /* [list.n] */
    const float *hint;      /* [list.n] as in ws_task; NULL: none */
    int everything;         /* rejected pairs need values too */
    int knows_msv;          /* the caller sets ws_pending.msv */
} ws_decider;

/* A pair that may still pass, or needs values. */
typedef struct ws_pending {
    uint32_t place; /* index in the list */
    int pass;       /* passes all tests so far */
    float null2;    /* null score in nats, corrected for bias; NaN: not known yet */
    float msv;      /* MSV score in nats; NaN: not known */
    double p;       /* P-value of the stage, set by ws_decide_pair */
} ws_pending;

/* Applies the tests that need no bias. Writes the pairs that remain to q, which has room for all, and returns how many
 * they are. Adds to *passed the pairs whose uncorrected score passes. */
size_t ws_decide_screen(const ws_decider *d, uint64_t *passed, ws_pending *q);
/* Sets null2 of n pairs where it is NaN. room: scratch, WS_DECIDE_ROOM bytes for each pair of the list. */
void ws_decide_null_scores(const ws_decider *d, ws_pending *q, size_t n, void *room);
#define WS_DECIDE_ROOM (sizeof(float) + WS_FILTER_BIAS_ROOM)
/* Returns whether a pair passes, and sets its `pass` and `p`. */
int ws_decide_pair(const ws_decider *d, ws_pending *q);

#endif
