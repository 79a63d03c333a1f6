/* SPDX-License-Identifier: MIT
 * What is asked of one score: specification, section 12.2. */
#ifndef WS_CASCADE_PASS_H
#define WS_CASCADE_PASS_H

#include "lib/cascade/cascade.h"

/* P of a score in bits; mu, lambda: indices into ws_hmm.evparam; tail: Forward's. NaN, an empty field, for a model without calibration. */
double ws_pass_p(const ws_hmm *hmm, int mu, int lambda, int tail, float bits);

/* -T and --cut_*, asked of the score against the null model, which is what the table shows: 1 if it is high enough. */
int ws_pass_bits(const ws_cascade *c, const ws_hmm *hmm, float bits);

/* -P and -E of a P-value: 1 if it is small enough. NaN is, as in hmmsearch. */
int ws_pass_enough(const ws_cascade *c, double p);

/* The gate of a model: see lib/hmm/target.h. Whatever it turns away would fail one of the questions above. That settles nine pairs in
 * ten and more by one comparison, without a logarithm and without the bias filter. */
ws_gate ws_gate_make(const ws_cascade *c, const ws_hmm *hmm);

#endif
