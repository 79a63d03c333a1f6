/* SPDX-License-Identifier: MIT
 * The last precision: one pair with an exponent for every cell, for any likelihood, also above 1. It is rare, so it is
 * simple: the recurrence of README.md, one function for all backends. */
#include "kernels/pairhmm/pairhmm.h"

#include <math.h>

/* v * 2^(512 k) with v in [2^-256, 2^256), or 0. One exponent for a row is too little: in the golden data the best
 * path was once 2^2000 below others of its row. A factor is 0 or between 10^-9.8 and 1, so one step returns any
 * result to the range. */
#define STEP 0x1p512
#define LOW 0x1p-256
#define HIGH 0x1p256
#define LOG10_STEP (512 * 0.30102999566398119521)
typedef ws_pairhmm_wide wide;

static wide normal(double v, int64_t k) {
    if (v >= HIGH) return (wide){v / STEP, k + 1};
    if (v < LOW) return v > 0 ? (wide){v * STEP, k - 1} : (wide){0, INT64_MIN / 2};
    return (wide){v, k};
}

static wide times(double f, wide a) { return normal(f * a.v, a.k); }

static wide plus(wide a, wide b) {
    if (a.k < b.k) {
        const wide swap = a;
        a = b;
        b = swap;
    }
    if (a.k == b.k) return normal(a.v + b.v, a.k);
    return a.k == b.k + 1 ? normal(a.v + b.v / STEP, a.k) : a;
}

static int letters_match(uint8_t a, uint8_t b) {
    const int x = a & 31, y = b & 31;
    return x == y || x == ('N' & 31) || y == ('N' & 31);
}

/* Computes row i of M, I, D (n+1 each) from row i-1. */
static void next_row(const ws_pairhmm_quals *t, const ws_pairhmm_read *r, size_t i, const ws_pairhmm_hap *h,
                     const wide *old, wide *now) {
    const size_t w = (size_t)h->n + 1;
    const double delta = t->e[r->ins[i] - 33], zeta = t->e[r->del[i] - 33], eps = t->e[r->gcp[i] - 33], beta = 1 - eps;
    const double alpha = fmax(0, 1 - (delta + zeta)), e = t->e[r->q[i] - 33];
    now[0] = now[w] = now[2 * w] = normal(0, 0);
    for (size_t j = 1; j < w; j++) {
        const double lambda = letters_match(r->base[i], h->base[j - 1]) ? 1 - e : e / 3;
        const wide gaps = plus(old[w + j - 1], old[2 * w + j - 1]);
        now[j] = times(lambda, plus(times(alpha, old[j - 1]), times(beta, gaps)));
        now[w + j] = plus(times(delta, old[j]), times(eps, old[w + j]));
        now[2 * w + j] = plus(times(zeta, now[j - 1]), times(eps, now[2 * w + j - 1]));
    }
}

double ws_pairhmm_scaled(const ws_pairhmm_quals *t, const ws_pairhmm_read *r, const ws_pairhmm_hap *h,
                         ws_pairhmm_wide *row) {
    const size_t w = (size_t)h->n + 1;
    wide *old = row, *now = row + 3 * w, sum = normal(0, 0);
    for (size_t j = 0; j < w; j++) {
        old[j] = old[w + j] = normal(0, 0);
        old[2 * w + j] = normal(1, 0);
    }
    for (size_t i = 0; i < r->m; i++) {
        next_row(t, r, i, h, old, now);
        wide *swap = old;
        old = now;
        now = swap;
    }
    for (size_t j = 1; j < w; j++) sum = plus(sum, plus(old[j], old[w + j]));
    return sum.v > 0 ? log10(sum.v / h->n) + (double)sum.k * LOG10_STEP : -INFINITY;
}
