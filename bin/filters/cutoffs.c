/* SPDX-License-Identifier: MIT
 * The thresholds of one score, and each model's gate: a score below which every threshold rejects. */
#include "bin/filters/cutoffs.h"

#include "lib/hmm/evalue.h"

#include <math.h>

double ws_cutoffs_p(const ws_hmm *hmm, int mu, int lambda, int tail, float bits) {
    if (!hmm->calibrated) return NAN;
    return tail ? ws_exp_p(bits, hmm->evparam[mu], hmm->evparam[lambda])
                : ws_gumbel_p(bits, hmm->evparam[mu], hmm->evparam[lambda]);
}

int ws_cutoffs_bits_pass(const ws_cascade *c, float bits) { return !(c->opts->bits_given && bits < c->opts->bits); }

int ws_cutoffs_p_passes(const ws_cascade *c, double p) {
    return !(p > c->max_p) && (!c->opts->evalue_given || !(p * c->opts->z > c->opts->evalue));
}

/* Returns an upper bound, in nats, on the error of single precision and of lib/hmm/evalue.c at a score of `nats`. A
 * score this much lower than a rejected score is rejected too. */
static float margin(double nats) { return (float)(1e-3 + 1e-6 * fabs(nats)); }

/* Returns nats above the null score; -T rejects every lower score. -INFINITY: no such score. Rounding is monotone, so
 * one rejected score proves all lower ones rejected. */
static float least_bits(const ws_cascade *c) {
    const double bits = c->opts->bits_given ? c->opts->bits : -HUGE_VAL;
    const float least = (float)(bits * WS_LN2) - margin(bits * WS_LN2);
    return isfinite(least) && !ws_cutoffs_bits_pass(c, ws_bits(least, 0)) ? least : -INFINITY;
}

/* Returns nats above the null score; -P or -E reject every lower score. -INFINITY: no such score.
 * The function inverts P and then checks the inverse: a score half a margin above `least` must fail. Below `least`,
 * y is smaller by lambda * 5e-4 / ln2 > 7e-6. So P is larger by a relative 7e-6 where P is small, and by 5e-8 at
 * 0.999. Computed P err by at most 2e-8 just above the score where ws_gumbel_p changes its formula, and by a
 * relative 1e-13 elsewhere. */
static float least_p(const ws_cascade *c, const ws_hmm *hmm) {
    const ws_stage *s = c->stage;
    const double mu = (double)hmm->evparam[s->mu], lambda = (double)hmm->evparam[s->lambda];
    const double p = c->opts->evalue_given ? fmin(c->max_p, c->opts->evalue / c->opts->z) : c->max_p;
    if (!hmm->calibrated || !(p > 1e-290 && p < 0.999) || !(lambda > 0.01)) return -INFINITY;
    const double y = -log(s->tail ? p : -log1p(-p)), nats = (mu + y / lambda) * WS_LN2;
    const float least = (float)nats - margin(nats), above = least + margin(nats) / 2;
    const int fails = !ws_cutoffs_p_passes(c, ws_cutoffs_p(hmm, s->mu, s->lambda, s->tail, ws_bits(above, 0)));
    return isfinite(least) && fails ? least : -INFINITY;
}

ws_gate ws_gate_make(const ws_cascade *c, const ws_hmm *hmm) {
    const int biased = c->stage->bias && !c->opts->nobias, corrected = biased && !c->stage->uncorrected_first;
    float p = least_p(c, hmm);
    if (corrected) p -= (float)WS_BIAS_MOST;
    const float bits = least_bits(c);
    return (ws_gate){bits > p ? bits : p, corrected ? (float)WS_BIAS_MOST_EACH : 0, biased};
}
