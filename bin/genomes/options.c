/* SPDX-License-Identifier: MIT
 * nhmmsieve's options, which are nhmmer's and nhmmscan's. */
#include "bin/filters/models.h"
#include "bin/genomes/program.h"
#include "lib/formats/seqread.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define AT(field) offsetof(ws_genome, field)
#define PLAIN .given = WS_OPT_NOGIVEN
#define FLAG(name_, field, group_, help_) \
    {0, name_, NULL, WS_OPT_FLAG, AT(field), NULL, help_, .group = group_, .flags = WS_OPT_RESULT, PLAIN}
#define SHARE(name_, field, help_) \
    {0, name_, NULL, WS_OPT_REAL, AT(field), "P", help_, .min = 0, .max = INFINITY, .group = WS_GROUP_FILTER, \
     .flags = WS_OPT_RESULT, PLAIN}
#define LENGTH(name_, field, help_) \
    { \
        0, name_, NULL, WS_OPT_INT, AT(field), "N", help_, .min = 1, .max = INT32_MAX, .group = WS_GROUP_FILTER, \
                                                           .flags = WS_OPT_RESULT, PLAIN \
    }

/* An option of nhmmer that is not here. */
#define ABSENT(letter_, name_, type_) \
    {letter_, name_, NULL, type_, AT(unused), "X", "", .flags = WS_OPT_HIDDEN, .given = AT(absent)}

const char *const ws_genome_forms[] = {"tsv", "text", "tblout", "dfamtblout", "sto", "bed", "gff3", NULL};
const ws_opt ws_genome_opts[] = {
    {'E', "evalue", NULL, WS_OPT_REAL, AT(E), "E", "report hits whose E-value is at most E [10]", .min = 0,
     .max = INFINITY, .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT | WS_OPT_ABOVE, .given = AT(E_given)},
    {'T', "bits", NULL, WS_OPT_REAL, AT(T), "BITS", "report hits whose score is at least BITS, whatever their E-value",
     .min = -INFINITY, .max = INFINITY, .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT, .given = AT(T_given)},
    {0, "incE", NULL, WS_OPT_REAL, AT(incE), "E", "include reported hits whose E-value is at most E [0.01]", .min = 0,
     .max = INFINITY, .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT | WS_OPT_ABOVE, .given = AT(incE_given)},
    {0, "incT", NULL, WS_OPT_REAL, AT(incT), "BITS", "include reported hits whose score is at least BITS",
     .min = -INFINITY, .max = INFINITY, .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT, .given = AT(incT_given)},
    FLAG("cut_ga", cut_ga, WS_GROUP_SCORE, "take the thresholds from the model's GA cutoff"),
    FLAG("cut_nc", cut_nc, WS_GROUP_SCORE, "take the thresholds from the model's NC cutoff"),
    FLAG("cut_tc", cut_tc, WS_GROUP_SCORE, "take the thresholds from the model's TC cutoff"),
    {'Z', "db-size", NULL, WS_OPT_REAL, AT(megabases), "N", "megabases searched, for E-values [those read]", .min = 0,
     .max = 1e12, .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT | WS_OPT_ABOVE, .given = AT(Z_given)},
    FLAG("scan", by_seq, WS_GROUP_SCORE,
         "behave as nhmmscan: report by sequence, with E-values for each sequence"),
    FLAG("nonull2", nonull2, WS_GROUP_SCORE, "do not correct scores for biased composition"),
    {0, "seed", NULL, WS_OPT_INT, AT(seed), "N", "seed of the random numbers of each ensemble [42]", .min = 0,
     .max = UINT32_MAX, .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT, PLAIN},
    FLAG("singlemx", singlemx, WS_GROUP_SCORE, "alignments of one row become models as sequences do"),
    {0, "popen", NULL, WS_OPT_REAL, AT(queries.popen), "P", "models of sequences: probability to open a gap [0.03125]",
     .min = 0, .max = 0.49999999999999994, .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT, PLAIN},
    {0, "pextend", NULL, WS_OPT_REAL, AT(queries.pextend), "P",
     "models of sequences: probability to extend a gap [0.75]", .min = 0, .max = 0.99999999999999989,
     .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT, PLAIN},
    WS_QUERY_STRING(ws_genome, "mx", mx, "NAME", "models of sequences: the score matrix [DNA1]", WS_GROUP_SCORE),
    {0, "w_length", NULL, WS_OPT_INT, AT(w_length), "N", "longest instance of a model [what the model says]", .min = 4,
     .max = 100000000, .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT, PLAIN},
    {0, "w_beta", NULL, WS_OPT_REAL, AT(scan.w_beta), "X",
     "longest instance by the share X of its length distribution that is left out", .min = 0, .max = 1,
     .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT, .given = AT(w_beta_given)},

    FLAG("max", max, WS_GROUP_FILTER, "let all windows of the SSV scan pass"),
    SHARE("F1", scan.F1, "windows pass SSV, MSV and bias if their P-value is at most P [0.02]"),
    SHARE("F2", scan.F2, "rows of the Viterbi scan pass if their P-value is at most P [3e-3]"),
    SHARE("F3", scan.F3, "sub-windows pass Forward if their P-value is at most P [3e-5]"),
    FLAG("nobias", scan.nobias, WS_GROUP_FILTER, "do not correct for composition bias in the filters"),
    LENGTH("B1", B1, "residues over which bias counts in full for MSV [110]"),
    LENGTH("B2", B2, "the same for Viterbi [240]"),
    LENGTH("B3", B3, "the same for Forward [1000]"),

    {0, "tformat", "in-format", WS_OPT_STRING, AT(tformat), "FORMAT",
     "read sequences in this format only: " WS_SEQFORMAT_NAMES " [by content]", .group = WS_GROUP_INPUT, PLAIN},
    {0, "qformat", NULL, WS_OPT_STRING, AT(qformat), "FORMAT",
     "read queries in this format only, of sequences or alignments (by sequence: of sequences)",
     .group = WS_GROUP_INPUT, PLAIN},
    FLAG("qsingle_seqs", qsingle_seqs, WS_GROUP_INPUT, "each row of an alignment is a query, without its gaps"),
    FLAG("dna", dna_given, WS_GROUP_INPUT, "the queries are DNA [by their letters]"),
    FLAG("rna", rna, WS_GROUP_INPUT, "the queries are RNA"),
    WS_QUERY_STRING(ws_genome, "mxfile", mxfile, "FILE", "read the score matrix of single sequences from there",
                    WS_GROUP_INPUT),
    FLAG("watson", watson, WS_GROUP_INPUT, "search only the strand as it is read"),
    FLAG("crick", crick, WS_GROUP_INPUT, "search only the other strand"),
    {0, "block_length", NULL, WS_OPT_SIZE, AT(block), "N", "residues of a block [262144]", .min = 50000, .max = 1e9,
     .group = WS_GROUP_INPUT, .flags = WS_OPT_RESULT, PLAIN},

    {'O', "out-format", NULL, WS_OPT_CHOICE, AT(form), "FORMAT",
     "write tsv, text, tblout, dfamtblout, sto, bed or gff3 [tsv]", .choices = ws_genome_forms,
     .group = WS_GROUP_OUTPUT, PLAIN},
    WS_HIT_PATH(ws_genome, 0, "tblout", beside[WS_GENOME_TBLOUT], "also write nhmmer's table to FILE"),
    WS_HIT_PATH(ws_genome, 0, "dfamtblout", beside[WS_GENOME_DFAMTBLOUT], "also write nhmmer's table for Dfam to FILE"),
    WS_HIT_PATH(ws_genome, 'A', "msa", beside[WS_GENOME_MSA],
                "also write an alignment of all included hits to FILE, in Stockholm"),
    WS_HIT_PATH(ws_genome, 0, "aliscoresout", beside[WS_GENOME_ALISCORES],
                "also write the score of each column of each hit to FILE"),
    {0, "records", NULL, WS_OPT_STRING, AT(beside[WS_GENOME_RECORDS]), "FILE", "", .group = WS_GROUP_OUTPUT,
     .flags = WS_OPT_HIDDEN, PLAIN}, /* the Python module asks for it */
    WS_HIT_PATH(ws_genome, 0, "hmmout", hmmout, "also write the models made of the queries to FILE"),
    WS_HIT_FLAG(ws_genome, "noali", noali, WS_GROUP_OUTPUT, 0, "leave alignments out of the text report"),
    {0, "textw", NULL, WS_OPT_INT, AT(textw), "N", "wrap the text report at N characters [120]",
     .min = 120, .max = 1e9, .group = WS_GROUP_OUTPUT, .given = AT(textw_given)},
    WS_HIT_FLAG(ws_genome, "notextw", notextw, WS_GROUP_OUTPUT, 0,
                "do not wrap the text report; write -A as one block"),
    WS_HIT_FLAG(ws_genome, "acc", acc, WS_GROUP_OUTPUT, 0, "show accessions in place of names in the text report"),
    {0, "mem", NULL, WS_OPT_SIZE, AT(mem), "SIZE", "memory that the ensemble of one region may take [4G]", .min = 1,
     .max = 1e15, .group = WS_GROUP_RUN, PLAIN},
    {'t', "threads", "cpu", WS_OPT_INT, AT(threads), "N",
     "threads, 0 is 1 [all cores that the process may use]", .min = 0, .max = 4096, .group = WS_GROUP_RUN,
     .given = AT(threads_given)},
    {0, "cpu-domains", NULL, WS_OPT_FLAG, AT(cpu_domains), NULL,
     "score domains on the CPU alone [on the GPU too, where one runs]", .group = WS_GROUP_RUN, PLAIN},
    ABSENT(0, "bgfile", WS_OPT_STRING),
    ABSENT(0, "restrictdb_stkey", WS_OPT_STRING),
    ABSENT(0, "restrictdb_n", WS_OPT_STRING),
    ABSENT(0, "ssifile", WS_OPT_STRING),
    {'a', "all", NULL, WS_OPT_FLAG, AT(all), NULL, "", .flags = WS_OPT_HIDDEN, PLAIN}, /* an option of the filters */
    WS_OPT_END,
};

void ws_genome_defaults(void *own) {
    ws_genome *g = own;
    g->scan = (ws_long_options)WS_LONG_DEFAULTS;
    g->B1 = g->scan.B1;
    g->B2 = g->scan.B2;
    g->B3 = g->scan.B3;
    g->block = g->scan.block;
    g->E = 10;
    g->incE = 0.01;
    g->textw = 120;
    ws_queryset_defaults(&g->queries, ws_abc_get(WS_ABC_DNA));
    g->seed = 42;
    g->mem = 4000000000u;
}

/* Returns WS_EUSAGE if an option of nhmmer is given that is not here. */
static int check_absent(const ws_genome *g, const ws_job *job, ws_err *err) {
    const ws_cmdline *cl = &job->cmdline;
    for (size_t i = 0; i < cl->ngiven && g->absent; i++)
        if (cl->given[i].opt->given == AT(absent))
            return ws_fail(err, WS_EUSAGE, "--%s is an option of nhmmer that nhmmsieve does not have",
                           cl->given[i].opt->name);
    return WS_OK;
}

/* Sets the format that the sequences must have. */
static int check_format(ws_genome *g, ws_err *err) {
    const char *name = g->by_seq ? g->qformat : g->tformat;
    if (!name || strcasecmp(name, "auto") == 0) return WS_OK;
    g->format = ws_seqformat_find(name);
    if (g->format != WS_FORMAT_AUTO) return WS_OK;
    if (strcasecmp(name, "fmindex") == 0)
        return ws_fail(err, WS_EUSAGE, "an index of makehmmerdb finds other hits than the sequences, and nhmmsieve "
                                       "does not read it: search the FASTA file");
    return ws_seqformat_unknown(g->by_seq ? "--qformat" : "--tformat", name, "nhmmsieve", err);
}

static int check_thresholds(const ws_genome *g, ws_err *err) {
    const int cuts = g->cut_ga + g->cut_nc + g->cut_tc;
    int rc = ws_opt_clash(g->E_given, g->T_given, "-E", "-T", err);
    if (!rc) rc = ws_opt_clash(g->incE_given, g->incT_given, "--incE", "--incT", err);
    if (!rc) rc = ws_opt_clash(g->E_given || g->T_given, cuts, "-E or -T", "--cut_ga, --cut_nc and --cut_tc", err);
    return rc ? rc : ws_opt_clash(g->incE_given || g->incT_given, cuts, "--incE or --incT",
                                  "--cut_ga, --cut_nc and --cut_tc", err);
}

static int check_outputs(const ws_genome *g, const ws_job *job, ws_err *err) {
    const int rc = ws_opt_clash(g->textw_given, g->notextw, "--textw", "--notextw", err);
    if (rc) return rc;
    if (job->common.fields && strcmp(ws_genome_forms[g->form], "tsv") != 0)
        return ws_fail(err, WS_EUSAGE, "--fields chooses columns of a table, so it goes with --out-format tsv only");
    if (g->by_seq && (g->beside[WS_GENOME_MSA] || g->beside[WS_GENOME_ALISCORES] || g->beside[WS_GENOME_RECORDS] ||
                      ws_dnaform_find(ws_genome_forms[g->form])->by_model))
        return ws_fail(err, WS_EUSAGE, "--scan writes no alignments (-A, sto) and no --aliscoresout: these are of one "
                                       "model");
    return WS_OK;
}

int ws_genome_check(ws_genome *g, const ws_job *job, ws_err *err) {
    int rc = check_absent(g, job, err);
    if (!rc) rc = check_format(g, err);
    if (!rc) rc = check_thresholds(g, err);
    if (!rc) rc = ws_opt_clash(g->watson, g->crick, "--watson", "--crick", err);
    if (!rc) rc = ws_opt_clash(g->dna_given, g->rna, "--dna", "--rna", err);
    if (!rc && g->all)
        rc = ws_fail(err, WS_EUSAGE, "--all has no meaning here: --max and --F1 to --F3 say what passes");
    if (!rc) rc = ws_models_cut(g->cut_ga, g->cut_nc, g->cut_tc, &g->cut, err);
    if (!rc) rc = check_outputs(g, job, err);
    if (g->max) { /* F1 stays: long-targets.md, section 2 */
        g->scan.F2 = g->scan.F3 = 1.0;
        g->scan.nobias = 1;
        if (g->by_seq) g->scan.F1 = 0.3; /* nhmmscan has another one than nhmmer */
    }
    g->scan.B1 = (uint32_t)g->B1;
    g->scan.B2 = (uint32_t)g->B2;
    g->scan.B3 = (uint32_t)g->B3;
    g->scan.block = (uint32_t)g->block;
    g->scan.w_length = (uint32_t)g->w_length;
    if (g->by_seq) { /* nhmmscan takes them and does nothing with them */
        g->scan.w_length = 0;
        g->scan.w_beta = 0;
    }
    return rc ? rc : ws_dna_open(&g->dna, job, err);
}
