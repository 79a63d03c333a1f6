/* SPDX-License-Identifier: MIT
 * The thresholds of each model: of the options, of its own cutoffs, or of a table. */
#include "bin/domains/domscore.h"
#include "lib/compress/source.h"
#include "lib/hits/cutoffs.h"

#include <math.h>

static int check_thresholds(const ws_domscore *d, int cut, ws_err *err) {
    const struct {
        int e, t;
        const char *e_name, *t_name;
    } kind[] = {{d->E_given, d->T_given, "-E", "-T"},
                {d->domE_given, d->domT_given, "--domE", "--domT"},
                {d->incE_given, d->incT_given, "--incE", "--incT"},
                {d->incdomE_given, d->incdomT_given, "--incdomE", "--incdomT"}};
    static const char *const name[] = {[WS_CUT_GA] = "--cut_ga", [WS_CUT_TC] = "--cut_tc", [WS_CUT_NC] = "--cut_nc"};
    int rc = WS_OK;
    for (size_t i = 0; i < sizeof kind / sizeof *kind && !rc; i++) {
        rc = ws_opt_clash(kind[i].e, kind[i].t, kind[i].e_name, kind[i].t_name, err);
        if (!rc && cut >= 0) rc = ws_opt_clash(kind[i].e, 1, kind[i].e_name, name[cut], err);
        if (!rc && cut >= 0) rc = ws_opt_clash(kind[i].t, 1, kind[i].t_name, name[cut], err);
    }
    if (!rc && cut >= 0) rc = ws_opt_clash(d->cutoffs != NULL, 1, "--cutoffs", name[cut], err);
    return rc;
}

/* Fails if standard input would be the table and something else. */
static int check_stdin(const ws_domscore *d, const ws_job *job, ws_err *err) {
    int from_stdin = job->ninput == 0;
    if (!d->cutoffs || !ws_source_is_stdin(d->cutoffs)) return WS_OK;
    for (int i = 0; i < job->ninput; i++) from_stdin |= ws_source_is_stdin(job->input[i]);
    for (int i = 0; i < job->cmdline.noperand; i++) from_stdin |= ws_source_is_stdin(job->cmdline.operand[i]);
    if (!from_stdin) return WS_OK;
    return ws_fail(err, WS_EUSAGE, "--cutoffs: both the table and models or sequences would be read from standard "
                   "input; name a file for one of them");
}

static int holds(const ws_cutoff_row *r, ws_cutoff_cell cell) { return !isnan(r->cell[cell]); }

/* Puts the scores and E-values of a row in the place of options. An option holds where its cell is empty. A default
 * holds where there is neither. */
static void take_row(ws_thresholds *t, const ws_domscore *d, const ws_cutoff_row *r) {
    if (holds(r, WS_CUTOFF_BITS)) {
        t->by_T = 1;
        t->T = r->cell[WS_CUTOFF_BITS];
        if (!d->incE_given && !d->incT_given) {
            t->by_incT = 1;
            t->incT = t->T;
        }
    }
    if (holds(r, WS_CUTOFF_EVALUE)) t->E = r->cell[WS_CUTOFF_EVALUE];
    t->and_E = t->by_T && (d->E_given || holds(r, WS_CUTOFF_EVALUE));
    t->and_domE = d->domE_given;
    if (!holds(r, WS_CUTOFF_DOM_BITS)) return;
    t->by_domT = 1;
    t->domT = r->cell[WS_CUTOFF_DOM_BITS];
    if (!d->incdomE_given && !d->incdomT_given) {
        t->by_incdomT = 1;
        t->incdomT = t->domT;
    }
}

static void take_limits(ws_domain_limits *l, const ws_cutoffs *c, const ws_cutoff_row *r, const ws_hmm *h) {
    const double share[] = {r->cell[WS_CUTOFF_HMM_COV], r->cell[WS_CUTOFF_TARGET_COV]};
    l->asked = holds(r, WS_CUTOFF_I_EVALUE) || holds(r, WS_CUTOFF_HMM_COV) || holds(r, WS_CUTOFF_TARGET_COV) ||
               (c->needs_domain && holds(r, WS_CUTOFF_DOM_BITS));
    l->i_E = holds(r, WS_CUTOFF_I_EVALUE) ? r->cell[WS_CUTOFF_I_EVALUE] : INFINITY;
    l->hmm_cov = isnan(share[0]) ? 0 : share[0];
    l->target_cov = isnan(share[1]) ? 0 : share[1];
    l->M = h->M;
    l->as_padloc = c->as_padloc;
}

/* Takes the thresholds of all models from the table. */
static int take_table(ws_domscore *d, const ws_hmmset *set, ws_err *err) {
    ws_cutoffs c;
    int rc = ws_cutoffs_read(&c, d->cutoffs, err), by_score = 1;
    for (size_t i = 0; i < set->n && !rc; i++) {
        const ws_cutoff_row *r = ws_cutoffs_find(&c, set->hmm[i].name, err);
        if (!r) rc = err->code;
        if (rc) break;
        take_row(&d->threshold[i], d, r);
        take_limits(&d->threshold[i].limits, &c, r, &set->hmm[i]);
        by_score &= d->threshold[i].by_incT;
    }
    /* the list of a sequence has one order for all models */
    for (size_t i = 0; i < set->n; i++) d->threshold[i].by_p = d->by_seq && !by_score;
    ws_cutoffs_release(&c);
    return rc;
}

int ws_domscore_thresholds(ws_domscore *d, const ws_job *job, const ws_hmmset *set, ws_err *err) {
    const ws_thresholds t = {.E = d->E, .domE = d->domE, .incE = d->incE, .incdomE = d->incdomE, .T = d->T,
                             .domT = d->domT, .incT = d->incT, .incdomT = d->incdomT, .by_T = d->T_given,
                             .by_domT = d->domT_given, .by_incT = d->incT_given, .by_incdomT = d->incdomT_given};
    int rc = check_thresholds(d, d->cut, err);
    if (!rc) rc = check_stdin(d, job, err);
    if (rc) return rc;
    if (!(d->threshold = ws_calloc(set->n, sizeof t, err))) return err->code;
    for (size_t i = 0; i < set->n; i++) {
        const ws_hmm *h = &set->hmm[i];
        d->threshold[i] = t;
        /* by sequence a model may lack them that no sequence meets */
        if (d->cut >= 0 && d->by_seq && !h->has_cut[d->cut]) d->threshold[i].by_incT = 1;
        else if (d->cut >= 0 && (rc = ws_thresholds_cut(&d->threshold[i], h, d->cut, err))) return rc;
    }
    return d->cutoffs ? take_table(d, set, err) : WS_OK;
}
