/* SPDX-License-Identifier: MIT
 * domscore's options: thresholds as hmmsearch has them, outputs, and what excludes one another. */
#include "kernels/dom/domscore.h"

#define AT(field) offsetof(ws_domscore, field)
#define REAL(letter_, name_, field, arg_, help_, ...)                                                                  \
    {letter_, name_, NULL, WS_OPT_REAL, AT(field), arg_, help_, .group = WS_GROUP_SCORE, .given = AT(field##_given), __VA_ARGS__}
#define ABOVE_0 .min = 0, .max = 1e300, .flags = WS_OPT_RESULT | WS_OPT_ABOVE
#define ANY .flags = WS_OPT_RESULT
#define FLAG(name_, field, group_, flags_, help_)                                                                      \
    {0, name_, NULL, WS_OPT_FLAG, AT(field), NULL, help_, .group = group_, .flags = flags_, .given = WS_OPT_NOGIVEN}
#define PATH(letter_, name_, field, help_)                                                                             \
    {letter_, name_, NULL, WS_OPT_STRING, AT(field), "FILE", help_, .group = WS_GROUP_OUTPUT, .given = WS_OPT_NOGIVEN}

static const char *const forms[] = {"tsv", "text", "tblout", "domtblout", "sto", "a2m", "a3m", "fasta", "ids", "bed", "gff3", NULL};

const ws_opt ws_domscore_opts[] = {
    REAL('E', "evalue", E, "E", "report sequences whose E-value is at most E [10]", ABOVE_0),
    REAL('T', "bits", T, "BITS", "report sequences whose score is at least BITS, whatever their E-value", ANY),
    REAL(0, "domE", domE, "E", "report domains whose conditional E-value is at most E [10]", ABOVE_0),
    REAL(0, "domT", domT, "BITS", "report domains whose score is at least BITS", ANY),
    REAL(0, "incE", incE, "E", "include sequences whose E-value is at most E [0.01]", ABOVE_0),
    REAL(0, "incT", incT, "BITS", "include sequences whose score is at least BITS, and sort by score", ANY),
    REAL(0, "incdomE", incdomE, "E", "include domains whose conditional E-value is at most E [0.01]", ABOVE_0),
    REAL(0, "incdomT", incdomT, "BITS", "include domains whose score is at least BITS", ANY),
    FLAG("cut_ga", cut_ga, WS_GROUP_SCORE, WS_OPT_RESULT, "take all thresholds from the model's GA cutoffs"),
    FLAG("cut_nc", cut_nc, WS_GROUP_SCORE, WS_OPT_RESULT, "take all thresholds from the model's NC cutoffs"),
    FLAG("cut_tc", cut_tc, WS_GROUP_SCORE, WS_OPT_RESULT, "take all thresholds from the model's TC cutoffs"),
    WS_CASCADE_WINDOWS,
    REAL('Z', "db-size", Z, "N", "sequences in the database, for E-values [what the first stage read]", ABOVE_0),
    REAL(0, "domZ", domZ, "N", "targets that domains are searched in, for conditional E-values [those reported]", ABOVE_0),
    FLAG("nonull2", nonull2, WS_GROUP_SCORE, WS_OPT_RESULT, "do not correct scores for biased composition"),
    {0, "seed", NULL, WS_OPT_INT, AT(seed), "N", "begin the random numbers of each ensemble with N [42]", .min = 0,
     .max = UINT32_MAX, .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT, .given = WS_OPT_NOGIVEN},

    WS_CASCADE_MODELS,
    {'P', "pvalue", "F3", WS_OPT_REAL, AT(cascade.p), "P",
     "sequences without Forward scores pass if the P-value of theirs is at most P [1e-5]", .min = 0, .max = 1,
     .group = WS_GROUP_FILTER, .flags = WS_OPT_RESULT, .given = AT(cascade.p_given)},
    FLAG("nobias", cascade.nobias, WS_GROUP_FILTER, WS_OPT_RESULT, "do not correct that score for composition bias"),

    {'O', "out-format", NULL, WS_OPT_CHOICE, AT(form), "FORMAT",
     "write tsv, text, tblout, domtblout, sto, a2m, a3m, fasta or ids [tsv]", .choices = forms, .group = WS_GROUP_OUTPUT,
     .given = WS_OPT_NOGIVEN},
    PATH(0, "tblout", tblout, "write hmmsearch's table of sequences there too"),
    PATH(0, "domtblout", domtblout, "write hmmsearch's table of domains there too"),
    PATH('A', "msa", msa, "write the alignment of all included domains there too, in Stockholm"),
    FLAG("noali", noali, WS_GROUP_OUTPUT, 0, "no alignments in the text report"),
    {0, "textw", NULL, WS_OPT_INT, AT(textw), "N", "lines of the text report have at most N characters [120]", .min = 120, .max = 1e9,
     .group = WS_GROUP_OUTPUT, .given = AT(textw_given)},
    FLAG("notextw", notextw, WS_GROUP_OUTPUT, 0, "lines of the text report have any length, and -A is one block"),
    FLAG("acc", acc, WS_GROUP_OUTPUT, 0, "the text report shows the model's accession in place of its name"),
    FLAG("stream", stream, WS_GROUP_OUTPUT, WS_OPT_RESULT, "write in input order as hits are found; needs -Z and --domZ"),

    {0, "mem", NULL, WS_OPT_SIZE, AT(mem), "SIZE", "memory that the ensemble of one region may take [4G]", .min = 1,
     .max = 1e15, .group = WS_GROUP_RUN, .given = WS_OPT_NOGIVEN},
    {'U', "rejected", NULL, WS_OPT_STRING, AT(rejected), "FILE", "", .group = WS_GROUP_OUTPUT, .flags = WS_OPT_HIDDEN,
     .given = WS_OPT_NOGIVEN}, /* in place of that of lib/scan */
    {0, "target-name", NULL, WS_OPT_STRING, AT(target_name), "NAME", "", .group = WS_GROUP_MISC, .flags = WS_OPT_HIDDEN,
     .given = WS_OPT_NOGIVEN}, /* of the database, from hmmsieve */
    WS_OPT_END,
};

void ws_domscore_defaults(void *own) {
    const ws_thresholds t = WS_THRESHOLDS_DEFAULT;
    ws_domscore *d = own;
    d->cascade.p = 1e-5;
    d->E = t.E;
    d->domE = t.domE;
    d->incE = t.incE;
    d->incdomE = t.incdomE;
    d->seed = 42;
    d->textw = 120;
    d->mem = 4000000000u;
}

/* Says which two options exclude each other. */
static int clash(int a, int b, const char *first, const char *second, ws_err *err) {
    return a && b ? ws_fail(err, WS_EUSAGE, "%s and %s exclude each other", first, second) : WS_OK;
}

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
        rc = clash(kind[i].e, kind[i].t, kind[i].e_name, kind[i].t_name, err);
        if (!rc && cut >= 0) rc = clash(kind[i].e, 1, kind[i].e_name, name[cut], err);
        if (!rc && cut >= 0) rc = clash(kind[i].t, 1, kind[i].t_name, name[cut], err);
    }
    return rc;
}

static int check_outputs(const ws_domscore *d, ws_err *err) {
    const int whole = d->form == WS_DOMFORM_TEXT || d->form == WS_DOMFORM_STO || d->form == WS_DOMFORM_A2M;
    if (d->stream && !(d->Z_given && d->domZ_given))
        return ws_fail(err, WS_EUSAGE, "--stream needs -Z and --domZ: before the end of the input nobody knows these numbers");
    if (d->stream && (whole || d->msa))
        return ws_fail(err, WS_EUSAGE, "--stream cannot write %s, which needs all hits first",
                       d->msa ? "-A" : d->form == WS_DOMFORM_TEXT ? "-O text" : "an alignment in columns");
    return clash(d->textw_given, d->notextw, "--textw", "--notextw", err);
}

int ws_domscore_check(ws_domscore *d, const ws_hmmset *set, ws_err *err) {
    const int cut = d->cut_ga ? WS_CUT_GA : d->cut_nc ? WS_CUT_NC : d->cut_tc ? WS_CUT_TC : -1;
    const ws_thresholds t = {d->E, d->domE, d->incE, d->incdomE, d->T, d->domT, d->incT, d->incdomT,
                             d->T_given, d->domT_given, d->incT_given, d->incdomT_given};
    if (d->cut_ga + d->cut_nc + d->cut_tc > 1)
        return ws_fail(err, WS_EUSAGE, "only one of --cut_ga, --cut_nc and --cut_tc can be asked");
    int rc = check_thresholds(d, cut, err);
    if (!rc) rc = check_outputs(d, err);
    if (rc) return rc;
    if (!(d->threshold = ws_calloc(set->n, sizeof t, err))) return err->code;
    for (size_t i = 0; i < set->n; i++) {
        const ws_hmm *h = &set->hmm[i];
        d->threshold[i] = t;
        if (cut >= 0 && (rc = ws_thresholds_cut(&d->threshold[i], h, cut, err))) return rc;
    }
    return WS_OK;
}
