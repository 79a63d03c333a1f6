/* SPDX-License-Identifier: MIT
 * The programs of HMMER in whose place hmmsieve, seqsieve and jacksieve stand: names, defaults, order and the lines of
 * reports of HMMER 3.4. */
#include "bin/peers/peers.h"
#include "lib/run/peeropts.h"

#define TWO_THREADS THREADS("2", "number of worker threads:\t%d")
#define SEQUENCE_FORMATS(targets) \
    FORMAT("--qformat", "the queries have", "query <seqfile> format asserted:\t%s"), \
        FORMAT("--tformat", "the sequences have", "target <seqdb> format asserted:\t%s"), TWO_THREADS
#define END {.name = NULL}

/* As many threads as HMMER takes: callers start several programs side by side. */
static const char *const two_threads[] = {"--cpu", "2", NULL};

const ws_peer ws_peer_hmmsearch = {
    .name = "hmmsearch",
    .title = "search profile(s) against a sequence database",
    .usage = "[options] <hmmfile> <seqdb>",
    .file = {"query HMM file:", "target sequence database:"},
    .noperand = 2,
    .fixed = two_threads,
    .opt = (const ws_peer_opt[]){
        HELP, REPORT_PATH, ALIGNMENT_PATH("MSA of all hits saved to file:"), TABLES, PFAM_TABLE, FORMS,
        THRESHOLDS("sequences", "sequence", ">=", "0.01"), CUTOFFS, CUTOFFS_TABLE, FILTERS, NONULL2(.turn = 0), SPACES,
        SEED(.turn = 0), FORMAT("--tformat", "the sequences have", "targ <seqfile> format asserted:\t%s"), TWO_THREADS,
        END},
};

const ws_peer ws_peer_hmmscan = {
    .name = "hmmscan",
    .title = "search sequence(s) against a profile database",
    .file = {"query sequence file:", "target HMM database:"},
    .usage = "[-options] <hmmdb> <seqfile>",
    .noperand = 2,
    .fixed = (const char *const[]){"--scan", "--cpu", "0", NULL},
    .opt = (const ws_peer_opt[]){
        HELP, REPORT_PATH, TABLES, PFAM_TABLE, FORMS, THRESHOLDS("models", "profile", ">=", "0.01"), CUTOFFS,
        CUTOFFS_TABLE, FILTERS, NONULL2(.turn = 0), SPACES, SEED(.turn = 0),
        FORMAT("--qformat", "the sequences have", "input seqfile format asserted:\t%s"),
        THREADS("0", "multithread parallelization:\t%d workers"), END},
};

#define MATRIX \
    GAPS("0.02", "0.4"), MATRIX_NAME("BLOSUM62", "take the score matrix <s>"), \
        MATRIX_PATH("take the score matrix of file <f>")

const ws_peer ws_peer_phmmer = {
    .name = "phmmer",
    .title = "search a protein sequence against a protein database",
    .usage = "[-options] <seqfile> <seqdb>",
    .file = {"query sequence file:", "target sequence database:"},
    .noperand = 2,
    .fixed = two_threads,
    .opt = (const ws_peer_opt[]){
        HELP, REPORT_PATH, ALIGNMENT_PATH("MSA of hits saved to file:"), TABLES, PFAM_TABLE, FORMS, MATRIX,
        THRESHOLDS("sequences", "sequence", ">=", "0.01"), FILTERS, CALIBRATION(", "), NONULL2(.before = "--EmL"),
        SPACES, SEED(.turn = 0), SEQUENCE_FORMATS(), END},
};

const ws_peer ws_peer_jackhmmer = {
    .name = "jackhmmer",
    .title = "iteratively search a protein sequence against a protein database",
    .usage = "[-options] <seqfile> <seqdb>",
    .file = {"query sequence file:", "target sequence database:"},
    .noperand = 2,
    .fixed = two_threads,
    .opt = (const ws_peer_opt[]){
        HELP, VALUE(BASIC, "-N", "5", "n>0", "search in at most <n> rounds", "maximum iterations set to:\t%d"),
        REPORT_PATH, ALIGNMENT_PATH("MSA of hits saved to file:"), TABLES,
        PATH("--chkhmm", "write the model of round i to file <f>-i.hmm", "HMM checkpoint files output:\t%s-<i>.hmm"),
        PATH("--chkali", "write the alignment of round i to file <f>-i.sto",
             "MSA checkpoint files output:\t%s-<i>.sto"),
        FORMS, MATRIX, THRESHOLDS("sequences", "sequence", "<=", "0.001"), FILTERS,
        FRAGMENTS("define fragments if <= x*alen:"), WEIGHTS, CLUSTERS("--wid", "--wblosum", "BLOSUM wgts"), ENTROPY,
        FLAG(BUILD, "--eentexp", "effective number: by a power of each column's count  [default]", NULL,
             .choice = WS_PEER_NUMBERS),
        NUMBERS, PRIORS, CALIBRATION(", "), NONULL2(.turn = 0), SPACES, SEED(.turn = 0), SEQUENCE_FORMATS(),
        {.name = "--seq_limit"}, /* of AlphaFold 3's patch, which asks whether it is there */
        END},
};
