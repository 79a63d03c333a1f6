/* SPDX-License-Identifier: MIT
 * The order of a hit list, and what of it is reported and included. Specification domains.md, section 10. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hits/hits.h"
#include "lib/hits/keep.h"

static const char *const cut_line[WS_NCUT] = {[WS_CUT_GA] = "GA", [WS_CUT_TC] = "TC", [WS_CUT_NC] = "NC"};

int ws_thresholds_check_cut(const ws_hmm *hmm, int cut, ws_err *err) {
    if (hmm->has_cut[cut]) return WS_OK;
    return ws_fail(err, WS_EDATA, "model %s has no %s line, so there is no such cutoff; use -E or -T", hmm->name,
                   cut_line[cut]);
}

int ws_thresholds_lack_cut(const ws_hmm *hmm, size_t n, int cut, ws_err *err) {
    size_t lack = 0, first = 0;
    char others[64] = "";
    for (size_t i = n; i-- > 0;) {
        lack += !hmm[i].has_cut[cut];
        if (!hmm[i].has_cut[cut]) first = i;
    }
    if (lack > 1) snprintf(others, sizeof others, ", and %zu other models have none", lack - 1);
    return ws_fail(err, WS_EDATA,
                   "a sequence meets a model without the line that the cutoff needs: model %s has no %s line%s",
                   hmm[first].name, cut_line[cut], others);
}

int ws_thresholds_cut(ws_thresholds *t, const ws_hmm *hmm, int cut, ws_err *err) {
    const int rc = ws_thresholds_check_cut(hmm, cut, err);
    if (rc) return rc;
    t->by_T = t->by_domT = t->by_incT = t->by_incdomT = 1;
    t->T = t->incT = (double)hmm->cut[cut][0];
    t->domT = t->incdomT = (double)hmm->cut[cut][1];
    return WS_OK;
}

/* ---- targets of a list ---- */

static const ws_hmm *model_of(const ws_hitlist *l, const ws_held *h) { return l->model[h->model].hmm; }

double ws_hitlist_lnp(const ws_hitlist *l, const ws_held *h, float bits) {
    if (!l->model) return ws_exp_lnp(bits, l->tau, l->lambda);
    const float *tail = model_of(l, h)->evparam;
    return ws_exp_lnp(bits, tail[WS_FTAU], tail[WS_FLAMBDA]);
}

double ws_hitlist_p(const ws_hitlist *l, const ws_held *h, float bits) {
    return ws_hits_exp(ws_hitlist_lnp(l, h, bits));
}

double ws_hitlist_evalue(const ws_hitlist *l, const ws_held *h, float bits, double size) {
    const double e = ws_hitlist_p(l, h, bits) * size;
    return e < DBL_MIN ? 0.0 : e;
}

const char *ws_hitlist_name(const ws_hitlist *l, const ws_held *h) {
    return l->model ? model_of(l, h)->name : ws_held_name(h);
}

const char *ws_hitlist_acc(const ws_hitlist *l, const ws_held *h) {
    if (l->model) return model_of(l, h)->acc ? model_of(l, h)->acc : "";
    return ws_held_acc(h);
}

const char *ws_hitlist_desc(const ws_hitlist *l, const ws_held *h) {
    if (!l->model) return ws_held_desc(h);
    return model_of(l, h)->desc ? model_of(l, h)->desc : "";
}

/* ---- thresholds ---- */

/* Return 1 unless the hit fails. No E-value fails where the size is unknown (NaN), so the hit is reported. */
static int may_be(const ws_hitlist *l, const ws_held *h, const ws_thresholds *t, float bits, double Z) {
    if (t->by_T && !((double)bits >= t->T)) return 0;
    return (t->by_T && !t->and_E) || !(ws_hitlist_p(l, h, bits) * Z > t->E);
}
static int domain_may_be(const ws_hitlist *l, const ws_held *h, const ws_thresholds *t, float bits) {
    if (t->by_domT && !((double)bits >= t->domT)) return 0;
    return (t->by_domT && !t->and_domE) || !(ws_hitlist_p(l, h, bits) * l->spaces.domZ > t->domE);
}

/* Returns 1 if the hit passes. No E-value passes where the size is unknown (NaN), so the hit is not included. */
static int is_sure(const ws_hitlist *l, const ws_held *h, float bits, int by_score, double T, double E, double size) {
    return by_score ? (double)bits >= T : ws_hitlist_p(l, h, bits) * size <= E;
}

int ws_hit_is_worth(const ws_thresholds *t, const ws_hitlist *l, float bits, double Z) {
    return may_be(l, NULL, t, bits, Z);
}

void ws_hitlist_prune(ws_hitlist *l, const ws_thresholds *t, double Z) {
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++)
        if (ws_hit_is_worth(t, l, l->hit[i]->bits, Z)) l->hit[n++] = l->hit[i];
    l->n = n;
}

/* ---- order ---- */

double ws_hitlist_key(const ws_hitlist *l, const ws_held *h, float bits) {
    return l->by_score ? (double)bits : -ws_hitlist_lnp(l, h, bits);
}

/* Returns 1 for an alignment of one residue: HMMER takes it for one of the - strand, which stand behind the others. */
static int is_point(const ws_held_domain *d) { return d->ali_from == d->ali_to; }

int ws_hitlist_compare(const ws_hitlist *l, const ws_held *a, const ws_held_domain *d, const ws_held *b,
                       const ws_held_domain *e) {
    const int by_name = strcmp(ws_hitlist_name(l, a), ws_hitlist_name(l, b));
    if (by_name) return by_name;
    if (is_point(d) != is_point(e)) return is_point(d) ? 1 : -1;
    if (d->ali_from != e->ali_from) return d->ali_from < e->ali_from ? -1 : 1;
    if (a->number != b->number) return a->number < b->number ? -1 : 1;
    return a->model < b->model ? -1 : a->model > b->model;
}

static int compare(const void *a, const void *b, const void *ctx) {
    const ws_held *p = a, *q = b;
    const double x = ws_hitlist_key(ctx, p, p->bits), y = ws_hitlist_key(ctx, q, q->bits);
    if (x != y) return x > y ? -1 : 1;
    return ws_hitlist_compare(ctx, p, ws_held_domains(p), q, ws_held_domains(q));
}

/* ---- flags ---- */

static ws_held_domain *domains_of(ws_held *h) { return (ws_held_domain *)(void *)(h + 1); }

static void judge_target(ws_hitlist *l, const ws_thresholds *t, ws_held *h, double Z) {
    h->flags = 0;
    if (!may_be(l, h, t, h->bits, Z)) return;
    h->flags = WS_HELD_REPORTED;
    if (is_sure(l, h, h->bits, t->by_incT, t->incT, t->incE, Z)) h->flags |= WS_HELD_INCLUDED;
}

static void exclude(ws_held *h, ws_held_domain *d) {
    h->nincluded -= (d->flags & WS_HELD_INCLUDED) != 0;
    d->flags &= ~(uint32_t)WS_HELD_INCLUDED;
}

static void drop(ws_held *h, ws_held_domain *d) {
    exclude(h, d);
    h->nreported -= (d->flags & WS_HELD_REPORTED) != 0;
    d->flags = 0;
}

/* Drops the domain with the lower score where two alignments have the same ends. */
static void drop_duplicates(ws_held *h) {
    ws_held_domain *d = domains_of(h);
    for (uint32_t i = 0; i < h->n; i++)
        for (uint32_t j = i + 1; j < h->n; j++)
            if (d[i].ali_from == d[j].ali_from && d[i].ali_to == d[j].ali_to)
                drop(h, d[i].bits >= d[j].bits ? &d[j] : &d[i]);
}

static void judge_domains(const ws_hitlist *l, const ws_thresholds *t, ws_held *h) {
    ws_held_domain *d = domains_of(h);
    h->nreported = h->nincluded = 0;
    for (uint32_t j = 0; j < h->n; j++) {
        d[j].flags = 0;
        if ((h->flags & WS_HELD_REPORTED) && domain_may_be(l, h, t, d[j].bits)) d[j].flags |= WS_HELD_REPORTED;
        if ((h->flags & WS_HELD_INCLUDED) &&
            is_sure(l, h, d[j].bits, t->by_incdomT, t->incdomT, t->incdomE, l->spaces.domZ))
            d[j].flags |= WS_HELD_INCLUDED;
        h->nreported += (d[j].flags & WS_HELD_REPORTED) != 0;
        h->nincluded += (d[j].flags & WS_HELD_INCLUDED) != 0;
    }
    if (h->overlaps > 0) drop_duplicates(h);
}

/* Returns the E-value of a domain among all targets, for PADLOC as a table shows it. */
static double independent(const ws_hitlist *l, const ws_held *h, const ws_held_domain *d, int as_padloc) {
    char shown[32];
    const double e = ws_hitlist_evalue(l, h, d->bits, l->spaces.Z);
    if (!as_padloc || isnan(e)) return e;
    snprintf(shown, sizeof shown, "%.2g", e);
    return strtod(shown, NULL);
}

/* Returns the share of a length that from..to covers. */
static double share(uint32_t from, uint32_t to, uint32_t length, int as_padloc) {
    if (as_padloc) return round(((double)to - from) / length * 1000) / 1000;
    return ((double)to - from + 1) / length;
}

/* Drops the reported domains of a target that a table of cutoffs turns down, and the target with the last one. The
 * count domZ stays that of the targets before. */
static void limit_domains(ws_hitlist *l, const ws_domain_limits *m, ws_held *h) {
    ws_held_domain *d = domains_of(h);
    double best = INFINITY;
    if (!m->asked || !(h->flags & WS_HELD_REPORTED)) return;
    for (uint32_t j = 0; j < h->n && m->as_padloc; j++)
        if (d[j].flags & WS_HELD_REPORTED) best = fmin(best, independent(l, h, &d[j], 1));
    for (uint32_t j = 0; j < h->n; j++) {
        const double e = independent(l, h, &d[j], m->as_padloc);
        if (!(d[j].flags & WS_HELD_REPORTED)) continue;
        if (e > m->i_E || e > best || share(d[j].hmm_from, d[j].hmm_to, (uint32_t)m->M, m->as_padloc) < m->hmm_cov ||
            share(d[j].ali_from, d[j].ali_to, h->L, m->as_padloc) < m->target_cov)
            drop(h, &d[j]);
        else if (isnan(e) && isfinite(m->i_E)) exclude(h, &d[j]);
    }
    if (h->nreported) return;
    l->nreported--;
    l->nincluded -= (h->flags & WS_HELD_INCLUDED) != 0;
    h->flags = 0;
}

static void measure(ws_hitlist *l, const ws_held *h) {
    const size_t name = strlen(ws_hitlist_name(l, h)), acc = strlen(ws_hitlist_acc(l, h));
    l->name_width = ws_max(l->name_width, name);
    l->acc_width = ws_max(l->acc_width, acc);
    l->shown_width = ws_max(l->shown_width, acc ? acc : name);
}

void ws_hitlist_rank(ws_hitlist *l, const ws_thresholds *t, ws_spaces spaces) {
    l->by_score = t->by_incT && !t->by_p; /* of all models, or of none */
    ws_hits_sort(l->hit, l->n, compare, l);
    l->spaces = spaces;
    l->nreported = l->nincluded = l->acc_width = 0;
    l->name_width = l->least_width;
    l->shown_width = l->least_shown;
    for (size_t i = 0; i < l->n; i++) {
        ws_held *h = l->hit[i];
        judge_target(l, &t[h->model], h, spaces.Z);
        l->nreported += (h->flags & WS_HELD_REPORTED) != 0;
        l->nincluded += (h->flags & WS_HELD_INCLUDED) != 0;
        measure(l, h);
    }
    if (spaces.domZ == 0) l->spaces.domZ = (double)l->nreported;
    for (size_t i = 0; i < l->n; i++) {
        judge_domains(l, &t[l->hit[i]->model], l->hit[i]);
        limit_domains(l, &t[l->hit[i]->model].limits, l->hit[i]);
    }
}

void ws_hitlist_limit(ws_hitlist *l, size_t n) {
    if (l->n <= n) return;
    l->n = n;
    l->nreported = l->nincluded = l->name_width = l->acc_width = l->shown_width = 0;
    for (size_t i = 0; i < n; i++) {
        l->nreported += (l->hit[i]->flags & WS_HELD_REPORTED) != 0;
        l->nincluded += (l->hit[i]->flags & WS_HELD_INCLUDED) != 0;
        measure(l, l->hit[i]);
    }
}
