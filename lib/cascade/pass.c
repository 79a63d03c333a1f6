/* SPDX-License-Identifier: MIT
 * What is asked of one score, and the score below which the answer is no without asking. */
#include "lib/cascade/pass.h"

#include "lib/hmm/evalue.h"

#include <math.h>

#define LN2 0.69314718055994529

double ws_pass_p(const ws_hmm *hmm, int mu, int lambda, int tail, float bits) {
    if (!hmm->calibrated) return NAN;
    return tail ? ws_exp_p(bits, hmm->evparam[mu], hmm->evparam[lambda]) : ws_gumbel_p(bits, hmm->evparam[mu], hmm->evparam[lambda]);
}

int ws_pass_bits(const ws_cascade *c, const ws_hmm *hmm, float bits) {
    if (c->opts->bits_given && bits < c->opts->bits) return 0;
    return c->cut < 0 || !(bits < hmm->cut[c->cut][0]);
}

int ws_pass_enough(const ws_cascade *c, double p) {
    return !(p > c->max_p) && (!c->opts->evalue_given || !(p * c->opts->z > c->opts->evalue));
}

/* More than singles, and the P-values of lib/hmm/evalue.c, err by at a score of `nats`: whatever is this much lower than a score that
 * fails, fails too. */
static float margin(double nats) { return (float)(1e-3 + 1e-6 * fabs(nats)); }

/* Nats above the null score below which -T or --cut_* say no: rounding is monotone, so one score is as good as all below it. */
static float least_bits(const ws_cascade *c, const ws_hmm *hmm) {
    double bits = c->opts->bits_given ? c->opts->bits : -HUGE_VAL;
    if (c->cut >= 0) bits = fmax(bits, (double)hmm->cut[c->cut][0]);
    const float least = (float)(bits * LN2) - margin(bits * LN2);
    return isfinite(least) && !ws_pass_bits(c, hmm, ws_bits(least, 0)) ? least : -INFINITY;
}

/* The same for P. The inverse of P is not trusted but tried: a score half a margin above `least` must fail. For all scores below
 * `least` y is smaller by lambda * 5e-4 / ln2 > 7e-6, so P is larger, by 7e-6 of itself where P is small and by 5e-8 at 0.999. Computed
 * P are good to 2e-8 just above the place where ws_gumbel_p changes its formula, and to 1e-13 of themselves elsewhere. */
static float least_p(const ws_cascade *c, const ws_hmm *hmm) {
    const ws_stage *s = c->stage;
    const double mu = (double)hmm->evparam[s->mu], lambda = (double)hmm->evparam[s->lambda];
    const double p = c->opts->evalue_given ? fmin(c->max_p, c->opts->evalue / c->opts->z) : c->max_p;
    if (!hmm->calibrated || !(p > 1e-290 && p < 0.999) || !(lambda > 0.01)) return -INFINITY;
    const double y = -log(s->tail ? p : -log1p(-p)), nats = (mu + y / lambda) * LN2;
    const float least = (float)nats - margin(nats), above = least + margin(nats) / 2;
    const int fails = !ws_pass_enough(c, ws_pass_p(hmm, s->mu, s->lambda, s->tail, ws_bits(above, 0)));
    return isfinite(least) && fails ? least : -INFINITY;
}

ws_gate ws_gate_make(const ws_cascade *c, const ws_hmm *hmm) {
    const int biased = c->stage->bias && !c->opts->nobias, corrected = biased && !c->stage->uncorrected_first;
    float p = least_p(c, hmm);
    if (corrected) p -= (float)WS_BIAS_MOST;
    const float bits = least_bits(c, hmm);
    return (ws_gate){bits > p ? bits : p, corrected ? (float)WS_BIAS_MOST_EACH : 0, biased};
}
