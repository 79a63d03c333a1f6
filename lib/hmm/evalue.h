/* SPDX-License-Identifier: MIT
 * Nats to bits to P-values. Specification profile-filters.md, section 11, operations in its order. */
#ifndef WS_HMM_EVALUE_H
#define WS_HMM_EVALUE_H

#define WS_LN2 0.69314718055994529   /* nats of a bit */
#define WS_LOG2E 1.44269504088896341 /* bits of a nat, where HMMER multiplies */

/* Returns the bits of a score against a null score, both in nats. */
float ws_bits(float score, float null_nats);
/* Returns the only score that has these bits; NaN if several have them, or none. There is only one where it is not much
 * nearer to 0 than the null score, for null scores that are corrected by up to three bits. */
float ws_bits_undo(float bits, float null_nats);
/* Returns P of the Gumbel distribution with mu, lambda (MSV, Viterbi); 0 for +inf, 1 for -inf. */
double ws_gumbel_p(double bits, float mu, float lambda);
/* Returns the natural logarithm of P of the exponential tail that begins at tau (Forward); 0 below tau. */
double ws_exp_lnp(float bits, float tau, float lambda);
/* Returns that P; 1 below tau. */
double ws_exp_p(float bits, float tau, float lambda);

#endif
