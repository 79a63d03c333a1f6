/* SPDX-License-Identifier: MIT
 * From counts to parameters: Dirichlet mixtures as priors, and the mean posterior. Specification build.md, section 8.
 */
#ifndef WS_BUILD_ESTIMATE_H
#define WS_BUILD_ESTIMATE_H

#include "kernels/cast/build.h"

enum { WS_BUILD_COMPONENTS = 9 };

/* A mixture of Q Dirichlet distributions over K values, and what depends on it alone. */
typedef struct ws_build_mixture {
    int K, Q;
    double log_share[WS_BUILD_COMPONENTS];
    double alpha[WS_BUILD_COMPONENTS][20];
    double log_gamma[WS_BUILD_COMPONENTS][20]; /* of alpha */
    double plain[WS_BUILD_COMPONENTS];         /* log gamma of the plain sum of alpha */
    double total[WS_BUILD_COMPONENTS];         /* compensated sum of alpha */
} ws_build_mixture;

/* Sets a mixture from Q rows of 1 + K numbers: a component's share, then its alpha. */
void ws_build_mixture_set(ws_build_mixture *m, int K, size_t Q, const double *row);

enum {
    WS_BUILD_FROM_MATCH, WS_BUILD_FROM_INSERT, WS_BUILD_FROM_DELETE, WS_BUILD_MATCH, WS_BUILD_INSERT, WS_BUILD_NPRIOR
};
typedef struct ws_build_priors {
    ws_build_mixture of[WS_BUILD_NPRIOR];
} ws_build_priors;
/* Sets the priors of an alphabet: Dirichlet's or Laplace's. */
void ws_build_priors_set(ws_build_priors *p, const ws_abc *abc, ws_build_prior which);

/* Returns the compensated sum of n values (section 1.1, single precision). */
float ws_build_sum(const float *p, size_t n);
/* Divides n values by that sum; makes them equal if it is 0. */
void ws_build_norm(float *p, size_t n);
/* Sets the match emissions of a model, mat[k*K + x], k = 1..M, from counts that stand there: to their mean posterior
 * probabilities; with m = NULL, to the counts' frequencies. */
void ws_build_mean_matches(const ws_build_mixture *m, int K, int M, float *mat);
/* Replaces all counts by parameters. p = NULL: frequencies, as with --pnone. */
void ws_build_estimate(const ws_build_priors *p, ws_build_counts *c);

#endif
