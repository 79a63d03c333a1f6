/* SPDX-License-Identifier: MIT
 * The programs of HMMER in whose place hmmsieve and nhmmsieve stand: names, defaults, order and the lines of reports of
 * HMMER 3.4. */
#include "bin/peers/peeropts.h"
#include "bin/peers/peers.h"

const char *const ws_peer_two_threads[] = {"--cpu", "2", NULL};

/* ---- hmmsearch ---- */

static const ws_peer_opt hmmsearch_opts[] = {
    HELP,
    REPORT_PATH,
    ALIGNMENT_PATH,
    TABLES,
    FORMS,
    TARGETS("sequences", "# sequence reporting threshold:    E-value <= ",
            "# sequence reporting threshold:    score >= "),
    DOMAINS,
    INCLUDED("sequences", "# sequence inclusion threshold:    E-value <= ",
             "# sequence inclusion threshold:    score >= "),
    INCLUDED_DOMAINS,
    CUTOFFS,
    FILTERS,
    NONULL2,
    SPACES,
    SEED,
    TARGET_FORMAT("# targ <seqfile> format asserted:  "),
    THREADS,
    {.name = NULL},
};

const ws_peer ws_peer_hmmsearch = {
    .name = "hmmsearch",
    .title = "search profile(s) against a sequence database",
    .usage = "[options] <hmmfile> <seqdb>",
    .noperand = 2,
    .opt = hmmsearch_opts,
    .fixed = ws_peer_two_threads,
};

/* ---- hmmscan ---- */

static const ws_peer_opt hmmscan_opts[] = {
    HELP,
    REPORT_PATH,
    TABLES,
    FORMS,
    TARGETS("models", "# profile reporting threshold:     E-value <= ",
            "# profile reporting threshold:     score >= "),
    DOMAINS,
    INCLUDED("models", "# profile inclusion threshold:     E-value <= ",
             "# profile inclusion threshold:     score >= "),
    INCLUDED_DOMAINS,
    CUTOFFS,
    FILTERS,
    NONULL2,
    SPACES,
    SEED,
    VALUE("--qformat", 's', NULL, NULL, INPUT, "the sequences have format <s> [by content]",
          "# input seqfile format asserted:   ", 's'),
    VALUE("--cpu", 'n', "0", "n>=0", OTHER, "threads, also by the variable HMMER_NCPU",
          "# multithread parallelization:     ", 'w'),
    {.name = NULL},
};

static const char *const scan[] = {"--scan", "--cpu", "0", NULL};

const ws_peer ws_peer_hmmscan = {
    .name = "hmmscan",
    .title = "search sequence(s) against a profile database",
    .usage = "[-options] <hmmdb> <seqfile>",
    .noperand = 2,
    .opt = hmmscan_opts,
    .fixed = scan,
};

/* ---- nhmmer ---- */

/* Their heads have these lines in another order than the list of options. */
enum { WINDOWS = 1, ALPHABET, STRANDS, SIZES, FORMATS };
#define FLAG_IN(turn_, name_, group_, help_, echo_) \
    {.name = name_, .help = help_, .group = WS_PEER_##group_, .echo = echo_, .turn = turn_}
#define VALUE_IN(turn_, name_, kind_, default_, range_, group_, help_, echo_, style_) \
    {.name = name_, .kind = kind_, .value = default_, .range = range_, .help = help_, .group = WS_PEER_##group_, \
     .echo = echo_, .style = style_, .turn = turn_}
#define DNA_NONULL2 \
    FLAG_IN(STRANDS, "--nonull2", OTHER, "no correction of scores for composition", \
            "# null2 bias corrections:          off")
#define DNA_SEED \
    {.name = "--seed", .kind = 'n', .value = "42", .range = "n>=0", .help = "begin the random numbers with <n>", \
     .group = WS_PEER_OTHER, .echo = "# random number seed set to:       ", .style = 's', .turn = SIZES, \
     .zero = "# random number seed:              one-time arbitrary\n# random number seed set to:       0"}
#define DNA_WINDOWS(first) \
    VALUE_IN(WINDOWS, "--B1", 'n', "110", NULL, OTHER, NULL, "# biased comp " first " window len:      ", 's'), \
        VALUE_IN(WINDOWS, "--B2", 'n', "240", NULL, OTHER, NULL, "# biased comp Viterbi window len:  ", 's'), \
        VALUE_IN(WINDOWS, "--B3", 'n', "1000", NULL, OTHER, NULL, "# biased comp Forward window len:  ", 's')
#define DNA_LENGTHS \
    VALUE_IN(FORMATS, "--w_beta", 'x', NULL, NULL, OTHER, "share of instances that windows leave out", \
             "# window length beta value:        ", 'g'), \
        VALUE_IN(FORMATS, "--w_length", 'n', NULL, NULL, OTHER, "longest instance of a model", \
                 "# window length :                  ", 's')
#define DNA_STRANDS \
    FLAG_IN(STRANDS, "--watson", OTHER, "search the strand as it is read only", \
            "# search only top strand:          on"), \
        FLAG_IN(STRANDS, "--crick", OTHER, "search the other strand only", "# search only bottom strand:       on")
#define DNA_TABLES(table) \
    PATH("--tblout", "write the table of hits to file <f>", table), \
        PATH("--dfamtblout", "write the table that Dfam uses to file <f>", "# hits output in Dfam format:      ")

static const ws_peer_opt nhmmer_opts[] = {
    HELP,
    REPORT_PATH,
    ALIGNMENT_PATH,
    DNA_TABLES("# hits tabular output:             "),
    PATH("--aliscoresout", "write the scores of each position to file <f>", "# alignment scores output:         "),
    PATH("--hmmout", "write models that were made of the query to file <f>", "# hmm output:                      "),
    FORMS,
    FLAG("--singlemx", MODELS, "alignments of one row become models by a matrix",
         "# Use score matrix for 1-seq MSAs:  on"),
    VALUE("--popen", 'x', "0.03125", "0<=x<0.5", MODELS, "probability that a gap opens",
          "# gap open probability:            ", 'f'),
    VALUE("--pextend", 'x', "0.75", "0<=x<1", MODELS, "probability that a gap goes on",
          "# gap extend probability:          ", 'f'),
    VALUE("--mx", 's', "DNA1", NULL, MODELS, NULL, "# subst score matrix (built-in):   ", 's'),
    VALUE("--mxfile", 'f', NULL, NULL, MODELS, "take the matrix from file <f>",
          "# subst score matrix (file):       ", 's'),
    TARGETS("hits", "# sequence reporting threshold:    E-value <= ",
            "# sequence reporting threshold:    score >= "),
    INCLUDED("hits", "# sequence inclusion threshold:    E-value <= ",
             "# sequence inclusion threshold:    score >= "),
    CUTOFFS,
    MAXIMUM,
    SHARE("--F1", NULL, "windows pass SSV with P at most <x>", "# SSV filter P threshold:       <= "),
    SHARE("--F2", "3e-3", "windows pass Viterbi with P at most <x>", "# Vit filter P threshold:       <= "),
    SHARE("--F3", "3e-5", "windows pass Forward with P at most <x>", "# Fwd filter P threshold:       <= "),
    NOBIAS,
    FLAG_IN(ALPHABET, "--dna", INPUT, "the query is DNA", "# input query is asserted as:      DNA"),
    FLAG_IN(ALPHABET, "--rna", INPUT, "the query is RNA", "# input query is asserted as:      RNA"),
    VALUE_IN(FORMATS, "--qformat", 's', NULL, NULL, INPUT, "the query has format <s>",
             "# query format asserted:           ", 's'),
    FLAG_IN(FORMATS, "--qsingle_seqs", INPUT, "each row of the query is a query",
            "# query contains individual seqs:  on"),
    VALUE_IN(FORMATS, "--tformat", 's', NULL, NULL, INPUT, "the targets have format <s> [by content]",
             "# target format asserted:          ", 's'),
    DNA_NONULL2,
    VALUE_IN(SIZES, "-Z", 'x', NULL, "x>0", OTHER, "megabases in the database, for E-values",
             "# database size is set to:         ", 'm'),
    DNA_SEED,
    DNA_LENGTHS,
    VALUE_IN(FORMATS, "--block_length", 'n', NULL, "n>=50000", OTHER, "residues of a block",
             "# block length :                   ", 's'),
    DNA_STRANDS,
    DNA_WINDOWS("SSV"),
    VALUE_IN(FORMATS, "--cpu", 'n', "2", "n>=0", OTHER, "threads, also by the variable HMMER_NCPU",
             "# number of worker threads:        ", 'c'),
    {.name = NULL},
};

/* nhmmer's report is the main output. */
static const char *const report[] = {"--cpu", "2", "-O", "text", NULL};

const ws_peer ws_peer_nhmmer = {
    .name = "nhmmer",
    .title = "search a DNA model, alignment, or sequence against a DNA database",
    .usage = "[options] <query hmmfile|alignfile|seqfile> <target seqfile>",
    .noperand = 2,
    .opt = nhmmer_opts,
    .fixed = report,
};

/* ---- nhmmscan ---- */

static const ws_peer_opt nhmmscan_opts[] = {
    HELP,
    REPORT_PATH,
    DNA_TABLES("# per-seq hits tabular output:     "),
    FORMS,
    TARGETS("models", "# profile reporting threshold:     E-value <= ",
            "# profile reporting threshold:     score >= "),
    INCLUDED("models", "# profile inclusion threshold:     E-value <= ",
             "# profile inclusion threshold:     score >= "),
    CUTOFFS,
    MAXIMUM,
    SHARE("--F1", "0.02", "windows pass SSV with P at most <x>", "# MSV filter P threshold:       <= "),
    SHARE("--F2", "3e-3", "windows pass Viterbi with P at most <x>", "# Vit filter P threshold:       <= "),
    SHARE("--F3", "3e-5", "windows pass Forward with P at most <x>", "# Fwd filter P threshold:       <= "),
    NOBIAS,
    VALUE_IN(FORMATS, "--qformat", 's', NULL, NULL, INPUT, "the sequences have format <s> [by content]",
             "# input seqfile format asserted:   ", 's'),
    DNA_NONULL2,
    VALUE_IN(SIZES, "-Z", 'x', NULL, "x>0", OTHER, "without effect, as in nhmmscan",
             "# sequence search space set to:    ", '0'),
    DNA_SEED,
    DNA_LENGTHS,
    DNA_STRANDS,
    VALUE_IN(FORMATS, "--cpu", 'n', "0", "n>=0", OTHER, "threads, also by the variable HMMER_NCPU",
             "# multithread parallelization:     ", 'w'),
    DNA_WINDOWS("MSV"),
    {.name = NULL},
};

static const char *const scan_report[] = {"--scan", "--cpu", "0", "-O", "text", NULL};

const ws_peer ws_peer_nhmmscan = {
    .name = "nhmmscan",
    .title = "search DNA sequence(s) against a DNA profile database",
    .usage = "[-options] <hmmdb> <seqfile>",
    .noperand = 2,
    .opt = nhmmscan_opts,
    .fixed = scan_report,
};
