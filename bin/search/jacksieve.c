/* SPDX-License-Identifier: MIT
 * jacksieve: a search with sequences in rounds, with jackhmmer's options. Rounds after the first search with models of
 * alignments of what was found. Source: specification build.md, section 12. */
#include "bin/peers/peers.h"
#include "bin/search/rounds.h"

#include "lib/compress/source.h"

#include <sys/stat.h>

#define AT(field) offsetof(ws_rounds, field)
#define MODEL .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT
#define FLAG(name_, help_) \
    {0, #name_, NULL, WS_OPT_FLAG, AT(name_), NULL, help_, MODEL, .given = WS_OPT_NOGIVEN}
#define REAL(name_, help_, max_, ...) \
    {0, #name_, NULL, WS_OPT_REAL, AT(name_), "X", help_, .min = 0, .max = max_, .group = WS_GROUP_SCORE, __VA_ARGS__}
#define FROM .flags = WS_OPT_RESULT
#define ABOVE .flags = WS_OPT_RESULT | WS_OPT_ABOVE
#define PATH(name_, help_) \
    {0, #name_, NULL, WS_OPT_STRING, AT(name_), "PREFIX", help_, .group = WS_GROUP_OUTPUT, .given = WS_OPT_NOGIVEN}

static const char *const forms[] = {WS_HIT_FORMS, NULL};

static const ws_opt opts[] = {
    WS_HIT_THRESHOLD_OPTS(ws_domscore, "0.001"),
    WS_HIT_SPACE_OPTS(ws_domscore),
    {'N', "rounds", NULL, WS_OPT_INT, AT(most), "N", "search in at most N rounds [5]", .min = 1, .max = 1000000, MODEL,
     .given = WS_OPT_NOGIVEN},
    WS_QUERY_OPTS(ws_rounds),
    REAL(fragthresh, "a row with at most this share of residues is a fragment [0.5]", 1, FROM, .given = WS_OPT_NOGIVEN),
    FLAG(wpb, "weights of rows by position; the default"),
    FLAG(wgsc, "weights by the branches of a tree"),
    FLAG(wblosum, "weights by clusters of --wid identity"),
    FLAG(wnone, "all weights are 1"),
    REAL(wid, "for --wblosum [0.62]", 1, FROM, .given = AT(wid_given)),
    FLAG(eent, "effective number of sequences: by relative entropy; the default"),
    FLAG(eentexp, "effective number: by a power of each column's count"),
    FLAG(eclust, "effective number: clusters at --eid identity"),
    FLAG(enone, "effective number: rows"),
    REAL(eset, "effective number: X", 1e9, FROM, .given = AT(eset_given)),
    REAL(ere, "for --eent: least relative entropy of a position, bits [0.59]", 1e6, ABOVE, .given = AT(ere_given)),
    REAL(esigma, "for --eent: least relative entropy of a model, bits, about [45]", 1e9, ABOVE,
         .given = WS_OPT_NOGIVEN),
    REAL(eid, "for --eclust [0.62]", 1, FROM, .given = AT(eid_given)),
    FLAG(pnone, "no prior: parameters are frequencies"),
    FLAG(plaplace, "Laplace's prior: 1 more of everything"),
    WS_SIEVE_FILTER_OPTS,
    WS_SIEVE_FORMAT,
    WS_HIT_OUTPUT_OPTS(ws_domscore, forms, "text"),
    WS_SEQ_LIMIT(ws_domscore),
    PATH(chkhmm, "write the models of round N to PREFIX-N.hmm"),
    PATH(chkali, "write the alignments of round N to PREFIX-N.sto"),
    {0, "every-round", NULL, WS_OPT_FLAG, offsetof(ws_rounds, every_round), NULL, "", .flags = WS_OPT_HIDDEN,
     .given = WS_OPT_NOGIVEN},
    WS_SIEVE_THREADS,
    WS_SIEVE_ABSENT_OPTS,
    WS_OPT_END,
};

static void defaults(void *own) {
    ws_rounds *r = own;
    ws_build_settings s;
    ws_sieve_defaults(&r->sieve);
    ws_queryset_defaults(&r->queries, ws_abc_get(WS_ABC_AMINO));
    r->sieve.dom.incE = r->sieve.dom.incdomE = 0.001;
    r->most = 5;
    ws_build_settings_default(&s, ws_abc_get(WS_ABC_AMINO));
    ws_build_ali_default(&r->ali);
    r->ere = s.ere;
    r->esigma = s.esigma;
    r->fragthresh = (double)r->ali.fragthresh;
    r->wid = r->ali.wid;
    r->eid = r->ali.eid;
}

/* ---- options ---- */

/* Fails if more than one of some options is given. */
static int at_most_one(const char *const *name, const int *given, size_t n, ws_err *err) {
    int rc = WS_OK;
    for (size_t i = 1; i < n && !rc; i++)
        for (size_t j = 0; j < i && !rc; j++) rc = ws_opt_clash(given[j], given[i], name[j], name[i], err);
    return rc;
}

/* Fails if an option is given without the one that it belongs to. */
static int has_meaning(int given, const char *name, int has, const char *other, ws_err *err) {
    return given && !has ? ws_fail(err, WS_EUSAGE, "%s has a meaning with %s only", name, other) : WS_OK;
}

static int take_settings(ws_rounds *r, ws_err *err) {
    static const char *const weights[] = {"--wpb", "--wgsc", "--wblosum", "--wnone"};
    static const char *const numbers[] = {"--eent", "--eentexp", "--eclust", "--enone", "--eset"};
    const int weight[] = {r->wpb, r->wgsc, r->wblosum, r->wnone};
    const int number[] = {r->eent, r->eentexp, r->eclust, r->enone, r->eset_given};
    int rc = at_most_one(weights, weight, 4, err);
    if (!rc) rc = at_most_one(numbers, number, 5, err);
    if (!rc) rc = ws_opt_clash(r->pnone, r->plaplace, "--pnone", "--plaplace", err);
    if (!rc) rc = has_meaning(r->wid_given, "--wid", r->wblosum, "--wblosum", err);
    if (!rc) rc = has_meaning(r->eid_given, "--eid", r->eclust, "--eclust", err);
    if (!rc)
        rc = ws_queryset_settings(&r->queries, ws_abc_get(WS_ABC_AMINO), (uint32_t)r->sieve.dom.seed, &r->settings,
                                  err);
    if (rc) return rc;
    ws_build_settings *s = &r->settings;
    s->effective = r->eentexp      ? WS_BUILD_EENTEXP
                   : r->eclust     ? WS_BUILD_ECLUST
                   : r->enone      ? WS_BUILD_ENONE
                   : r->eset_given ? WS_BUILD_ESET
                                   : WS_BUILD_EENT;
    s->neff = r->eset;
    s->ere = r->ere;
    s->esigma = r->esigma;
    s->prior = r->pnone ? WS_BUILD_NO_PRIOR : r->plaplace ? WS_BUILD_LAPLACE : WS_BUILD_DIRICHLET;
    r->ali.hand = 1;
    r->ali.fragthresh = (float)r->fragthresh;
    r->ali.weights = r->wgsc      ? WS_BUILD_WGSC
                     : r->wblosum ? WS_BUILD_WBLOSUM
                     : r->wnone   ? WS_BUILD_WNONE
                                  : WS_BUILD_WPB;
    r->ali.wid = r->wid;
    r->ali.eid = r->eid;
    return WS_OK;
}

/* Rounds after the first one read the sequences again. */
static int check_inputs(const ws_job *job, long long rounds, ws_err *err) {
    struct stat st;
    for (int i = 0; i < (job->ninput ? job->ninput : 1) && rounds > 1; i++) {
        const char *path = job->ninput ? job->input[i] : "-";
        if (ws_source_is_stdin(path) || (stat(path, &st) == 0 && !S_ISREG(st.st_mode)))
            return ws_fail(err, WS_EUSAGE, "%s is no file that can be read again, as rounds after the first do; "
                           "write the sequences to a file, or give -N 1", ws_source_name_of(path));
    }
    return WS_OK;
}

/* ---- opening and closing ---- */

static int find(ws_job *job, ws_hmmset *set, ws_err *err) {
    ws_rounds *r = ws_rounds_of(job);
    int rc = take_settings(r, err);
    if (!rc) rc = ws_queryset_read(&r->queries, job, err);
    if (!rc) rc = ws_sieve_shards(&r->sieve, job, err);
    if (!rc) rc = check_inputs(job, r->most, err);
    if (!rc) rc = ws_rounds_note_inputs(r, job, err);
    if (!rc) rc = ws_queryset_models(&r->queries, job, &r->settings, set, err);
    if (!rc) rc = ws_rounds_open(r, err);
    return rc ? rc : ws_rounds_note_files(r, job, err);
}

static int open_tool(ws_job *job, ws_err *err) {
    ws_rounds *r = ws_rounds_of(job);
    r->sieve.dom.as = &ws_peer_jackhmmer;
    r->sieve.dom.finished = 1; /* input that fails leaves the rounds before it */
    const int rc = ws_sieve_open(job, find, err);
    if (r->most > 1 || r->chkali) r->sieve.dom.hold |= WS_HOLD_ALIGNMENTS;
    return rc;
}

static int finish(ws_job *job, ws_err *err) { return ws_cascade_finish(job, err); }

static void close_tool(ws_job *job) {
    ws_rounds *r = ws_rounds_of(job);
    ws_sieve_close(job);
    ws_rounds_close(r);
    ws_queryset_release(&r->queries);
}

static const ws_peer *const peers[] = {&ws_peer_jackhmmer, NULL};

extern const ws_tool ws_jacksieve_tool;

const ws_tool ws_jacksieve_tool = {
    .name = "jacksieve",
    .peers = peers,
    .summary = "search sequences with sequences in rounds: jackhmmer's options, tables and answers",
    .usage = "QUERIES [SEQUENCES...]",
    .asks_input = 1,
    .examples = "  # in place of jackhmmer --cpu 8 -N 3 -A hits.sto query.fa db.fa > hits.out\n"
                "  jacksieve --cpu 8 -N 3 -A hits.sto query.fa db.fa > hits.out\n"
                "  # the search of AlphaFold 3, for all queries in one pass over the database\n"
                "  jacksieve -N 1 --F1 5e-4 --F2 5e-5 --F3 5e-7 -E 1e-4 --incE 1e-4 -A a.sto "
                "-o a.out query.fa db.fa\n",
    .opts = opts,
    .own_size = sizeof(ws_rounds),
    .defaults = defaults,
    WS_SIEVE_TOOL,
    .chain = ws_rounds_chain,
    .open = open_tool,
    .close = close_tool,
    .again = ws_rounds_again,
    .finish = finish,
};
