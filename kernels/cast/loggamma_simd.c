/* SPDX-License-Identifier: MIT
 * Logarithms and log gammas for entropy weighting, compiled once for each width: plain loops, which the compiler turns
 * into vectors. */
#include "kernels/cast/loggamma.inc.h"
#include "kernels/cast/tables.h"
#include "lib/simd/v.h"

void V_FACE(ws_build_log_gammas_)(double *z, size_t n) { log_gammas(z, n); }
void V_FACE(ws_build_logs_)(const double *x, double *to, size_t n) { logs(x, to, n); }
