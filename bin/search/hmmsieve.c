/* SPDX-License-Identifier: MIT
 * hmmsieve: the whole search in one command, with hmmsearch's options: its filters and the domain stage as a chain. */
#include "bin/peers/peers.h"
#include "bin/search/sieve.h"
#include "lib/base/number.h"

#include <stdio.h>
#include <string.h>

static const char *const forms[] = {WS_HIT_FORMS, NULL};
static const char *const rules[] = {WS_RESOLVE_NAMES};

static const ws_opt opts[] = {
    WS_HIT_SCORE_OPTS(ws_domscore),
    WS_HIT_RESOLVE(ws_domscore, rules),

    WS_SIEVE_FILTER_OPTS,
    WS_HIT_FLAG(ws_sieve, "scan", dom.by_seq, WS_GROUP_FILTER, WS_OPT_RESULT,
                "behave as hmmscan: report by sequence; Z is the number of models"),
    {0, "hmmer-path", NULL, WS_OPT_FOLDER, 0, "DIR",
     "print the folder with HMMER's program names, for PATH; =DIR makes one to mount in containers",
     .group = WS_GROUP_MISC, .given = WS_OPT_NOGIVEN},
    WS_HIT_FLAG(ws_sieve, "long", windows, WS_GROUP_FILTER, WS_OPT_RESULT,
                "must come first: run nhmmsieve (genomes) instead"),

    WS_SIEVE_FORMAT,
    WS_TRANSLATE_OPTS(WS_SIEVE_AT(dom.cascade.orfs)),
    {0, "qformat", NULL, WS_OPT_STRING, WS_SIEVE_AT(tformat), "FORMAT", "same as --tformat, by hmmscan's name",
     .group = WS_GROUP_INPUT, .given = WS_OPT_NOGIVEN},

    WS_HIT_OUTPUT_OPTS(ws_domscore, forms, "text"),
    WS_SIEVE_THREADS,

    WS_SIEVE_ABSENT_OPTS,
    WS_SIEVE_ABSENT("restrictdb_stkey", restrictdb, WS_OPT_STRING),
    WS_SIEVE_ABSENT("restrictdb_n", restrictdb, WS_OPT_STRING),
    WS_SIEVE_ABSENT("ssifile", ssifile, WS_OPT_STRING),
    WS_OPT_END,
};

/* ---- the lines of the programs on a pipe ---- */

/* Options that the lines of the filters say in their own words, or that have no program on a pipe. */
static int is_of_filters(const ws_opt *o) {
    static const char *const name[] = {"F1", "F2", "F3", "max", "nobias", NULL};
    int k = 0;
    while (name[k] && strcmp(o->name, name[k]) != 0) k++;
    return name[k] != NULL;
}

/* Options that say how sequences come to be, which the first program on a pipe has. */
static int is_of_input(const ws_opt *o) {
    return strcmp(o->name, "translate") == 0 || strncmp(o->name, "orf-", 4) == 0;
}

static int add_input_args(ws_buf *to, const ws_job *job, ws_err *err) {
    int rc = WS_OK;
    for (size_t i = 0; i < job->cmdline.ngiven && !rc; i++)
        if (is_of_input(job->cmdline.given[i].opt))
            rc = ws_opt_record(to, job->cmdline.given[i].opt, job->cmdline.given[i].value, err);
    return rc;
}

/* Adds the option that tells domscore of places, which --translate implies here, unless it is given. */
static int add_orfs(ws_buf *to, const ws_cmdline *cl, ws_err *err) {
    for (size_t i = 0; i < cl->ngiven; i++)
        if (strcmp(cl->given[i].opt->name, "orfs") == 0) return WS_OK;
    return ws_buf_addf(to, err, "%s--orfs", to->n ? " " : "");
}

/* The chain writes the bytes of msvfilt | vitfilt | fwdscore | domscore, so it names these with their options: to
 * domscore go all that change rows and are not of the filters. */
static int add_args(ws_buf *to, const ws_sieve *s, ws_err *err) {
    const ws_cmdline *cl = &s->job->cmdline;
    int rc = s->max ? ws_buf_adds(to, "-a", err) : WS_OK;
    for (size_t i = 0; i < cl->ngiven && !rc; i++)
        if (!is_of_filters(cl->given[i].opt) && (s->max || !is_of_input(cl->given[i].opt)))
            rc = ws_opt_record(to, cl->given[i].opt, cl->given[i].value, err);
    if (!rc && ws_scan_of(s->job)->translate) rc = add_orfs(to, cl, err);
    return rc ? rc : ws_buf_add(to, "", 1, err);
}

static int provenance(const ws_job *job, ws_buf *text, ws_err *err) {
    static const char *const program[] = {"msvfilt", "vitfilt", "fwdscore"};
    const ws_sieve *s = ws_sieve_of(job);
    const ws_ledger *g = ws_scan_of(job)->ledger;
    char p[WS_REAL_MAX];
    ws_buf args = {0};
    int rc = job->common.no_provenance ? WS_OK : ws_buf_add(text, g->lines.p, g->lines.n, err);
    for (int k = 0; k < s->nfilter && !s->max && !rc; k++) {
        args.n = 0;
        rc = ws_buf_addf(&args, err, "-P %s%s", ws_number_real(p, s->filter[k].opts.p),
                         s->dom.cascade.nobias ? " --nobias" : "");
        if (!rc && k == 0) rc = add_input_args(&args, job, err);
        if (!rc) rc = ws_provenance_of(job, g->nstage + 1 + k, program[k], args.p, text, err);
    }
    ws_buf_release(&args);
    const int last = g->nstage + 1 + (s->max ? 0 : s->nfilter);
    return rc ? rc : ws_provenance_of(job, last, "domscore", s->args.p, text, err);
}

/* ---- the tool ---- */

static int open_tool(ws_job *job, ws_err *err) {
    ws_sieve *s = ws_sieve_of(job);
    s->dom.as = s->dom.by_seq ? &ws_peer_hmmscan : &ws_peer_hmmsearch;
    int rc = ws_sieve_open(job, NULL, err);
    if (!rc && s->dom.by_seq) return ws_sieve_scan_open(s, err);
    if (!rc) rc = add_args(&s->args, s, err);
    if (!rc) s->dom.provenance = provenance;
    return rc;
}

extern const ws_tool ws_nhmmsieve_tool, ws_hmmsieve_tool;
static const ws_peer *const peers[] = {&ws_peer_hmmsearch, &ws_peer_hmmscan, NULL};
static const ws_mode modes[] = {{"--long", &ws_nhmmsieve_tool}, {NULL, NULL}};

const ws_tool ws_hmmsieve_tool = {
    .name = "hmmsieve",
    .summary = "search sequences with profile HMMs: hmmsearch's options, tables and answers",
    .usage = "MODELS [SEQUENCES...]",
    .asks_input = 1,
    .examples = "  # in place of hmmsearch --cpu 8 --tblout hits.tbl --domtblout hits.dom m.hmm db.fa > hits.out\n"
                "  hmmsieve --cpu 8 --tblout hits.tbl --domtblout hits.dom m.hmm db.fa.gz > hits.out\n"
                "  # a table of domains above the models' own cutoffs, for Excel, R or pandas\n"
                "  hmmsieve --cut_ga -O tsv --plain m.hmm db.fa.gz > domains.tsv\n"
                "  # which contigs or reads of DNA have these proteins\n"
                "  hmmsieve --translate --join -O tsv m.hmm genome.fa.gz > loci.tsv\n",
    .opts = opts,
    .own_size = sizeof(ws_sieve),
    .defaults = ws_sieve_defaults,
    WS_SIEVE_TOOL,
    .chain = ws_sieve_chain,
    .peers = peers,
    .modes = modes,
    .open = open_tool,
    .close = ws_sieve_close,
    .finish = ws_sieve_finish,
};
