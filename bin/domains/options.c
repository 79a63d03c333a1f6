/* SPDX-License-Identifier: MIT
 * domscore's options: thresholds as hmmsearch has them, outputs, and what excludes one another. */
#include "bin/domains/domscore.h"
#include "bin/filters/models.h"

#define AT(field) offsetof(ws_domscore, field)
#define FLAG(name_, field, group_, help_) WS_HIT_FLAG(ws_domscore, name_, field, group_, WS_OPT_RESULT, help_)

static const char *const forms[] = {WS_HIT_FORMS, NULL};
static const char *const rules[] = {WS_RESOLVE_NAMES};

const ws_opt ws_domscore_opts[] = {
    WS_HIT_SCORE_OPTS(ws_domscore),
    WS_HIT_RESOLVE(ws_domscore, rules),

    WS_CASCADE_MODELS,
    {'P', "pvalue", "F3", WS_OPT_REAL, AT(cascade.p), "P",
     "sequences without Forward scores pass if the P-value of theirs is at most P [1e-5]", .min = 0, .max = 1,
     .group = WS_GROUP_FILTER, .flags = WS_OPT_RESULT, .given = AT(cascade.p_given)},
    FLAG("nobias", cascade.nobias, WS_GROUP_FILTER, "do not correct that score for composition bias"),

    WS_HIT_OUTPUT_OPTS(ws_domscore, forms, "tsv"),
    FLAG("stream", stream, WS_GROUP_OUTPUT, "write in input order as hits are found; needs -Z and --domZ"),

    {'U', "rejected", NULL, WS_OPT_STRING, AT(rejected), "FILE", "", .group = WS_GROUP_OUTPUT, .flags = WS_OPT_HIDDEN,
     .given = WS_OPT_NOGIVEN}, /* in place of that of lib/scan */
    WS_OPT_END,
};

void ws_domscore_defaults(void *own) {
    const ws_thresholds t = WS_THRESHOLDS_DEFAULT;
    ws_domscore *d = own;
    pthread_mutex_init(&d->lock, NULL);
    d->cascade.p = 1e-5;
    d->E = t.E;
    d->domE = t.domE;
    d->incE = t.incE;
    d->incdomE = t.incdomE;
    d->seed = 42;
    d->textw = 120;
    d->join_gap = 1000;
    d->mem = 4000000000u;
}

/* Checks what is asked of places in contigs. */
static int check_places(const ws_domscore *d, ws_err *err) {
    const int numbers = d->form == WS_DOMFORM_TSV || d->form == WS_DOMFORM_GFF3;
    static const char *const name[] = {WS_HIT_FORMS};
    if (ws_hitforms[d->form].places && !d->orfs)
        return ws_fail(err, WS_EUSAGE, "-O %s writes places in contigs, which the descriptions of ORFs tell: give "
                                       "--orfs where sixframe or esl-translate has made the sequences", name[d->form]);
    if (d->join_gap_given && !d->join)
        return ws_fail(err, WS_EUSAGE, "--join-gap has a meaning with --join only");
    if (!d->join) return WS_OK;
    if (!d->orfs)
        return ws_fail(err, WS_EUSAGE, "--join compares places in contigs, which the descriptions of ORFs tell: give "
                                       "--orfs where sixframe or esl-translate has made the sequences; hmmsieve "
                                       "--translate makes them itself");
    if (!numbers)
        return ws_fail(err, WS_EUSAGE, "--join numbers the rows of -O tsv and of -O gff3, and -O %s has no place for "
                                       "the numbers", name[d->form]);
    if (d->by_seq)
        return ws_fail(err, WS_EUSAGE, "--join needs all hits of a model, and --scan has those of one sequence at a "
                                       "time");
    if (d->stream) return ws_fail(err, WS_EUSAGE, "--join needs all hits of a model, and --stream holds none");
    return WS_OK;
}

static int check_outputs(const ws_domscore *d, ws_err *err) {
    const char *whole = ws_hitforms[d->form].whole;
    for (int f = 0; f < WS_NDOMFORM; f++)
        if (d->beside[f] && ws_hitforms[f].whole) whole = ws_hitforms[f].option;
    if (d->stream && !(d->Z_given && d->domZ_given))
        return ws_fail(err, WS_EUSAGE,
                       "--stream needs -Z and --domZ: before the end of the input these numbers are unknown");
    if (d->stream && d->resolve)
        return ws_fail(err, WS_EUSAGE, "--stream excludes --resolve, which compares all domains of a sequence");
    if (d->stream && whole)
        return ws_fail(err, WS_EUSAGE, "--stream cannot write %s, which needs all hits first", whole);
    for (int f = 0; f < WS_NDOMFORM && d->by_seq; f++)
        if ((f == d->form || d->beside[f]) && !ws_hitforms[f].by_seq)
            return ws_fail(err, WS_EUSAGE, "--scan writes text, tblout, domtblout, pfamtblout, tsv, fasta, bed and "
                                           "gff3: alignments and lists of sequences are made by model");
    return ws_opt_clash(d->textw_given, d->notextw, "--textw", "--notextw", err);
}

int ws_domscore_check(ws_domscore *d, const ws_job *job, const ws_hmmset *set, ws_err *err) {
    int rc = ws_models_cut(d->cut_ga, d->cut_nc, d->cut_tc, &d->cut, err);
    d->orfs |= ws_scan_of(job)->translate != NULL; /* the reader describes the ORFs that it cuts */
    if (!rc) rc = check_outputs(d, err);
    if (!rc) rc = check_places(d, err);
    return rc ? rc : ws_domscore_thresholds(d, job, set, err);
}
