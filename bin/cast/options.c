/* SPDX-License-Identifier: MIT
 * The options of hmmcast, which have hmmbuild's names, and the plan that they make. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "bin/cast/program.h"
#include "lib/compress/source.h"

#define AT(field) offsetof(ws_cast_options, field)
#define PLAIN .given = WS_OPT_NOGIVEN
#define RESULT .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT
#define FLAG(name_, field, help_) \
    {0, name_, NULL, WS_OPT_FLAG, AT(field), NULL, help_, RESULT, PLAIN}
#define REAL(name_, field, arg_, help_, min_, max_, ...) \
    {0, name_, NULL, WS_OPT_REAL, AT(field), arg_, help_, .min = min_, .max = max_, .group = WS_GROUP_SCORE, \
     __VA_ARGS__}
#define WHOLE(name_, field, help_, min_, max_) \
    {0, name_, NULL, WS_OPT_INT, AT(field), "N", help_, .min = min_, .max = max_, RESULT, PLAIN}
#define ABOVE .flags = WS_OPT_RESULT | WS_OPT_ABOVE, PLAIN
#define FROM .flags = WS_OPT_RESULT, PLAIN
#define NOT_HERE .flags = WS_OPT_HIDDEN, PLAIN

static const char *const headers[] = {"hash", "plain", "none", NULL};

const ws_opt ws_cast_opts[] = {
    {0, "informat", NULL, WS_OPT_STRING, AT(informat), "FORMAT",
     "stockholm, pfam, afa, a2m, a3m, psiblast, clustal, clustallike, phylip, phylips or selex; or fasta: unaligned "
     "sequences, a model of each [an alignment, by content]", .group = WS_GROUP_INPUT, PLAIN},
    {0, "amino", NULL, WS_OPT_FLAG, AT(amino), NULL, "the input is protein [by content]", .group = WS_GROUP_INPUT,
     .flags = WS_OPT_RESULT, PLAIN},
    {0, "dna", NULL, WS_OPT_FLAG, AT(dna), NULL, "the input is DNA", .group = WS_GROUP_INPUT, .flags = WS_OPT_RESULT,
     PLAIN},
    {0, "rna", NULL, WS_OPT_FLAG, AT(rna), NULL, "the input is RNA", .group = WS_GROUP_INPUT, .flags = WS_OPT_RESULT,
     PLAIN},
    {'n', "name", NULL, WS_OPT_STRING, AT(name), "NAME", "name of the model, of a single alignment [its ID, else the "
     "file's name]", .group = WS_GROUP_OUTPUT, PLAIN},
    {'O', "resave", NULL, WS_OPT_STRING, AT(resave), "FILE", "write the alignments to FILE as the models see them",
     .group = WS_GROUP_OUTPUT, PLAIN},
    {0, "summary", NULL, WS_OPT_STRING, AT(summary), "FILE", "write hmmbuild's table of models to FILE",
     .group = WS_GROUP_OUTPUT, PLAIN},

    {0, "no-provenance", NULL, WS_OPT_FLAG, AT(no_date), NULL, "write no DATE line", .group = WS_GROUP_OUTPUT, PLAIN},

    FLAG("fast", fast, "columns with residues in at least --symfrac of the rows are consensus; the default"),
    FLAG("hand", hand, "columns that the line RF marks are consensus"),
    REAL("symfrac", symfrac, "X", "for --fast [0.5]", 0, 1, .flags = WS_OPT_RESULT, .given = AT(symfrac_given)),
    REAL("fragthresh", fragthresh, "X", "a row with at most this share of residues is a fragment [0.5]", 0, 1, FROM),
    FLAG("wpb", wpb, "weights of rows by position; the default"),
    FLAG("wgsc", wgsc, "weights by the branches of a tree"),
    FLAG("wblosum", wblosum, "weights by clusters of --wid identity"),
    FLAG("wnone", wnone, "all weights are 1"),
    FLAG("wgiven", wgiven, "weights of the file"),
    REAL("wid", wid, "X", "for --wblosum [0.62]", 0, 1, .flags = WS_OPT_RESULT, .given = AT(wid_given)),
    FLAG("eent", eent, "effective number of sequences: by relative entropy; the default"),
    FLAG("eentexp", eentexp, "effective number: by a power of each column's count"),
    FLAG("eclust", eclust, "effective number: clusters at --eid identity"),
    FLAG("enone", enone, "effective number: rows"),
    REAL("eset", eset, "X", "effective number: X", 0, 1e9, .flags = WS_OPT_RESULT, .given = AT(eset_given)),
    REAL("ere", ere, "X", "for --eent: least relative entropy of a position, bits [0.59; nucleotides 0.62]", 0, 1e6,
         .flags = WS_OPT_RESULT | WS_OPT_ABOVE, .given = AT(ere_given)),
    REAL("esigma", esigma, "X", "for --eent: least relative entropy of a model, bits, about [45]", 0, 1e9, ABOVE),
    REAL("eid", eid, "X", "for --eclust [0.62]", 0, 1, .flags = WS_OPT_RESULT, .given = AT(eid_given)),
    FLAG("pnone", pnone, "no prior: parameters are frequencies"),
    FLAG("plaplace", plaplace, "Laplace's prior: 1 more of everything"),
    FLAG("singlemx", singlemx, "an alignment of one row becomes the model of its sequence, by a score matrix"),
    {0, "mx", NULL, WS_OPT_STRING, AT(mx), "NAME", "score matrix of single sequences [BLOSUM62; nucleotides DNA1]",
     RESULT, PLAIN},
    {0, "mxfile", NULL, WS_OPT_STRING, AT(mxfile), "FILE", "read that matrix from FILE", .group = WS_GROUP_INPUT,
     .flags = WS_OPT_RESULT, PLAIN},
    REAL("popen", popen, "X", "gap open probability, below 0.5 [0.02; nucleotides 0.03125]", 0, 0.5,
         .flags = WS_OPT_RESULT, .given = AT(popen_given)),
    REAL("pextend", pextend, "X", "gap extend probability, below 1 [0.4; nucleotides 0.75]", 0, 1,
         .flags = WS_OPT_RESULT, .given = AT(pextend_given)),
    WHOLE("maxinsertlen", maxinsertlen, "pretend that no insertion is longer [no limit]", 5, 1e9),
    {0, "w_beta", NULL, WS_OPT_REAL, AT(w_beta), "X",
     "tail mass beyond MAXL, of nucleotides; 0: 4 times the nodes [1e-7]", .min = 0, .max = 1, RESULT, PLAIN},
    WHOLE("w_length", w_length, "MAXL, of nucleotides; 0: by --w_beta [0]", 0, 1e9),
    WHOLE("EmL", EmL, "calibration: length of random sequences for MSV [200]", 1, 1e6),
    WHOLE("EmN", EmN, "their number [200]", 1, 1e6),
    WHOLE("EvL", EvL, "the same for Viterbi [200]", 1, 1e6),
    WHOLE("EvN", EvN, "their number [200]", 1, 1e6),
    WHOLE("EfL", EfL, "the same for Forward [100]", 1, 1e6),
    WHOLE("EfN", EfN, "their number [200]", 1, 1e6),
    REAL("Eft", Eft, "X", "tail of the Forward scores that is fitted, above 0 and below 1 [0.04]", 0, 1, ABOVE),
    WHOLE("seed", seed, "seed of the random sequences; 0: from the clock [42]", 0, 4294967295.0),

    /* common options that have no meaning here */
    {'f', "fields", NULL, WS_OPT_STRING, AT(fields), "LIST", "", NOT_HERE},
    {0, "plain", NULL, WS_OPT_FLAG, AT(plain), NULL, "", NOT_HERE},
    {0, "no-seq", NULL, WS_OPT_FLAG, AT(no_seq), NULL, "", NOT_HERE},
    {0, "header", NULL, WS_OPT_CHOICE, AT(header), "STYLE", "", .choices = headers, NOT_HERE},
    WS_OPT_END,
};

void ws_cast_defaults(void *options) {
    ws_cast_options *o = options;
    *o = (ws_cast_options){.symfrac = 0.5, .fragthresh = 0.5, .wid = 0.62, .esigma = 45.0, .eid = 0.62, .EmL = 200,
                           .EmN = 200, .EvL = 200, .EvN = 200, .EfL = 100, .EfN = 200, .seed = 42, .Eft = 0.04,
                           .w_beta = 1e-7};
}

/* ---- what goes together ---- */

typedef struct choice {
    const char *name;
    int given;
} choice;

/* Returns WS_EUSAGE if two of the choices were given. */
static int at_most_one(const choice *c, size_t n, ws_err *err) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            const int rc = ws_opt_clash(c[i].given, c[j].given, c[i].name, c[j].name, err);
            if (rc) return rc;
        }
    return WS_OK;
}
#define AT_MOST_ONE(...) \
    at_most_one((const choice[]){__VA_ARGS__}, sizeof(const choice[]){__VA_ARGS__} / sizeof(choice), err)

/* Returns WS_EUSAGE if an option was given without the one that it belongs to. */
static int needs(int given, const char *name, int has, const char *other, ws_err *err) {
    if (!given || has) return WS_OK;
    return ws_fail(err, WS_EUSAGE, "%s has a meaning with %s only", name, other);
}

static int is_fasta(const ws_cast_options *o) { return o->informat && strcasecmp(o->informat, "fasta") == 0; }

int ws_cast_options_check(ws_cast_options *o, int by_hmmbuild, ws_err *err) {
    const int single = o->singlemx || is_fasta(o);
    const char *wrong = o->fields   ? "--fields"
                        : o->plain  ? "--plain"
                        : o->no_seq ? "--no-seq"
                        : o->header ? "--header"
                                    : NULL;
    if (wrong) return ws_fail(err, WS_EUSAGE, "%s has no meaning here: models are no table", wrong);
    int rc = AT_MOST_ONE({"--amino", o->amino}, {"--dna", o->dna}, {"--rna", o->rna});
    if (!rc) rc = AT_MOST_ONE({"--fast", o->fast}, {"--hand", o->hand});
    if (!rc)
        rc = AT_MOST_ONE({"--wpb", o->wpb}, {"--wgsc", o->wgsc}, {"--wblosum", o->wblosum}, {"--wnone", o->wnone},
                         {"--wgiven", o->wgiven});
    if (!rc)
        rc = AT_MOST_ONE({"--eent", o->eent}, {"--eentexp", o->eentexp}, {"--eclust", o->eclust}, {"--enone", o->enone},
                         {"--eset", o->eset_given});
    if (!rc) rc = AT_MOST_ONE({"--pnone", o->pnone}, {"--plaplace", o->plaplace});
    if (!rc) rc = AT_MOST_ONE({"--mx", o->mx != NULL}, {"--mxfile", o->mxfile != NULL});
    if (!rc) rc = AT_MOST_ONE({"--hand", o->hand}, {"--symfrac", o->symfrac_given});
    if (!rc) rc = AT_MOST_ONE({"--informat fasta", is_fasta(o)}, {"--resave", o->resave != NULL});
    if (!rc) rc = needs(o->wid_given, "--wid", o->wblosum, "--wblosum", err);
    if (!rc) rc = needs(o->eid_given, "--eid", o->eclust, "--eclust", err);
    if (!rc && !single && by_hmmbuild) o->mx = o->mxfile = NULL;
    if (!rc) rc = needs(o->mx != NULL, "--mx", single, "--singlemx or --informat fasta", err);
    if (!rc) rc = needs(o->mxfile != NULL, "--mxfile", single, "--singlemx or --informat fasta", err);
    if (rc) return rc;
    if (!(o->popen < 0.5)) return ws_fail(err, WS_EUSAGE, "--popen: 0.5 is out of range; expected less");
    if (!(o->pextend < 1.0)) return ws_fail(err, WS_EUSAGE, "--pextend: 1 is out of range; expected less");
    if (!(o->Eft < 1.0)) return ws_fail(err, WS_EUSAGE, "--Eft: 1 is out of range; expected less");
    if (o->informat && !is_fasta(o) && ws_msaformat_find(o->informat) < 0)
        return ws_fail(err, WS_EUSAGE, "--informat: there is no \"%s\"; expected " WS_MSA_NAMES ", or fasta",
                       o->informat);
    return WS_OK;
}

/* ---- the plan ---- */

/* Sets the date of all models: that of SOURCE_DATE_EPOCH, in UTC, or now. */
static int set_date(ws_cast_plan *p, ws_err *err) {
    const char *given = getenv("SOURCE_DATE_EPOCH");
    time_t now = time(NULL);
    struct tm tm;
    if (given) {
        char *end;
        errno = 0;
        now = (time_t)strtoll(given, &end, 10);
        if (!*given || *end || now < 0 || errno)
            return ws_fail(err, WS_EUSAGE, "SOURCE_DATE_EPOCH is \"%.40s\"; expected whole seconds since 1970", given);
    }
    const struct tm *date = given ? gmtime_r(&now, &tm) : localtime_r(&now, &tm);
    if (!date || !strftime(p->date, sizeof p->date, "%a %b %e %T %Y", date))
        return ws_fail(err, WS_EUSAGE, "SOURCE_DATE_EPOCH: %lld seconds are beyond the calendar", (long long)now);
    return WS_OK;
}

static void set_alignments(ws_build_ali_settings *s, const ws_cast_options *o) {
    s->hand = o->hand;
    s->symfrac = (float)o->symfrac;
    s->fragthresh = (float)o->fragthresh;
    s->weights = o->wgsc      ? WS_BUILD_WGSC
                 : o->wblosum ? WS_BUILD_WBLOSUM
                 : o->wgiven  ? WS_BUILD_WGIVEN
                 : o->wnone   ? WS_BUILD_WNONE
                              : WS_BUILD_WPB;
    s->wid = o->wid;
    s->eid = o->eid;
    s->maxinsertlen = (float)o->maxinsertlen;
}

int ws_cast_plan_make(ws_cast_plan *p, const ws_cast_options *o, ws_err *err) {
    *p = (ws_cast_plan){.o = o, .sequences = is_fasta(o)};
    if (o->informat && !p->sequences) p->format = (ws_msaformat)ws_msaformat_find(o->informat);
    if (o->amino || o->dna || o->rna)
        p->abc = ws_abc_get(o->amino ? WS_ABC_AMINO : o->dna ? WS_ABC_DNA : WS_ABC_RNA);
    snprintf(p->program, sizeof p->program, "warpsieve " WS_VERSION " | hmmcast");
    ws_build_ali_default(&p->alignment);
    set_alignments(&p->alignment, o);
    return o->no_date ? WS_OK : set_date(p, err);
}

void ws_cast_plan_release(ws_cast_plan *p) {
    ws_builder_destroy(p->builder);
    ws_buf_release(&p->lines);
}

static int read_matrix(const char *path, ws_build_matrix *m, const ws_abc *abc, ws_err *err) {
    char *text;
    size_t n;
    int rc = ws_source_slurp(path, NULL, &text, &n, err);
    if (!rc) rc = ws_build_matrix_parse(m, abc, path, text, n, err);
    ws_free(text);
    return rc;
}

static void set_numbers(ws_build_settings *s, const ws_cast_options *o) {
    s->seed = (uint32_t)o->seed;
    s->random[WS_BUILD_MSV] = (ws_build_lengths){(uint32_t)o->EmL, (uint32_t)o->EmN};
    s->random[WS_BUILD_VITERBI] = (ws_build_lengths){(uint32_t)o->EvL, (uint32_t)o->EvN};
    s->random[WS_BUILD_FORWARD] = (ws_build_lengths){(uint32_t)o->EfL, (uint32_t)o->EfN};
    s->tail = o->Eft;
    if (o->popen_given) s->popen = o->popen;
    if (o->pextend_given) s->pextend = o->pextend;
    s->fix_open = o->singlemx || o->popen_given;
    s->fix_extend = o->singlemx || o->pextend_given;
    s->effective = o->eentexp      ? WS_BUILD_EENTEXP
                   : o->eclust     ? WS_BUILD_ECLUST
                   : o->eset_given ? WS_BUILD_ESET
                   : o->enone      ? WS_BUILD_ENONE
                                   : WS_BUILD_EENT;
    s->neff = o->eset;
    if (o->ere_given) s->ere = o->ere;
    s->esigma = o->esigma;
    s->prior = o->pnone ? WS_BUILD_NO_PRIOR : o->plaplace ? WS_BUILD_LAPLACE : WS_BUILD_DIRICHLET;
    s->w_beta = o->w_beta;
    s->w_length = (int32_t)o->w_length;
}

int ws_cast_plan_build(ws_cast_plan *p, const ws_abc *abc, ws_err *err) {
    const ws_cast_options *o = p->o;
    ws_build_settings s;
    int rc = WS_OK;
    ws_build_settings_default(&s, abc);
    p->abc = abc;
    s.width = p->width;
    if (o->mx) rc = ws_build_matrix_named(&s.matrix, abc, o->mx, err);
    if (!rc && o->mxfile) rc = read_matrix(o->mxfile, &s.matrix, abc, err);
    set_numbers(&s, o);
    return rc ? rc : ws_builder_create(&p->builder, &s, err);
}
