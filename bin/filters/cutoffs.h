/* SPDX-License-Identifier: MIT
 * The thresholds of one score, and each model's gate. Source: specification profile-filters.md, section 12.2. */
#ifndef WS_FILTERS_CUTOFFS_H
#define WS_FILTERS_CUTOFFS_H

#include "bin/filters/cascade.h"

/* Returns the P-value of a score of `bits`. mu, lambda: indices into ws_hmm.evparam; tail: 1 for Forward's
 * exponential tail. Returns NaN, which prints as an empty field, for a model without calibration. */
double ws_cutoffs_p(const ws_hmm *hmm, int mu, int lambda, int tail, float bits);

/* Returns 1 if `bits`, the score against the null model as the table shows it, reaches -T. */
int ws_cutoffs_bits_pass(const ws_cascade *c, float bits);

/* Returns 1 if p satisfies -P and -E. NaN passes, as in hmmsearch. */
int ws_cutoffs_p_passes(const ws_cascade *c, double p);

/* Returns the gate of a model (lib/hmm/target.h). The functions above reject every pair that the gate rejects. The
 * gate decides over nine pairs in ten by one comparison, without a logarithm and without the bias filter. */
ws_gate ws_gate_make(const ws_cascade *c, const ws_hmm *hmm);

#endif
