/* SPDX-License-Identifier: MIT
 * The programs of HMMER in whose place nhmmsieve stands. Their heads have some lines in another order than the list of
 * options. */
#include "bin/peers/peers.h"
#include "lib/run/peeropts.h"

enum { WINDOWS = 1, ALPHABET, STRANDS, SIZES, FORMATS };

#define WINDOW(name_, default_, label) \
    VALUE(OTHER, name_, default_, NULL, NULL, "biased comp " label " window len:\t%d", .turn = WINDOWS)
#define BIAS_WINDOWS(first) WINDOW("--B1", "110", first), WINDOW("--B2", "240", "Viterbi"), \
    WINDOW("--B3", "1000", "Forward")
#define STRANDS_SEARCHED \
    FLAG(OTHER, "--watson", "search only the strand as it is read", "search only top strand:\ton", .turn = STRANDS), \
        FLAG(OTHER, "--crick", "search only the other strand", "search only bottom strand:\ton", .turn = STRANDS)
#define DFAM_TABLE \
    PATH("--dfamtblout", "write the table that Dfam uses to file <f>", "hits output in Dfam format:\t%s")
#define WINDOW_FILTERS(default_, first) \
    MAXIMUM, SHARE("--F1", default_, "windows", "SSV", first), SHARE("--F2", "3e-3", "windows", "Viterbi", "Vit"), \
        SHARE("--F3", "3e-5", "windows", "Forward", "Fwd"), NOBIAS

const ws_peer ws_peer_nhmmer = {
    .name = "nhmmer",
    .title = "search a DNA model, alignment, or sequence against a DNA database",
    .file = {"query file:", "target sequence database:"},
    .usage = "[options] <query hmmfile|alignfile|seqfile> <target seqfile>",
    .noperand = 2,
    .fixed = (const char *const[]){"--cpu", "2", "-O", "text", NULL}, /* its report is the main output */
    .opt = (const ws_peer_opt[]){
        HELP, REPORT_PATH, ALIGNMENT_PATH("MSA of all hits saved to file:"),
        PATH("--tblout", "write the table of hits to file <f>", "hits tabular output:\t%s"), DFAM_TABLE,
        PATH("--aliscoresout", "write the scores of each position to file <f>", "alignment scores output:\t%s"),
        PATH("--hmmout", "write models that were made of the query to file <f>", "hmm output:\t%s"),
        FORMS, SINGLE("matrix", "Use"), GAPS("0.03125", "0.75"), MATRIX_NAME("DNA1", NULL),
        MATRIX_PATH("take the matrix from file <f>"),
        REPORTED("hits", "sequence", ">="), INCLUDED("hits", "sequence", "0.01"), CUTOFFS, WINDOW_FILTERS(NULL, "SSV"),
        FLAG(INPUT, "--dna", "the query is DNA", "input query is asserted as:\tDNA", .turn = ALPHABET),
        FLAG(INPUT, "--rna", "the query is RNA", "input query is asserted as:\tRNA", .turn = ALPHABET),
        VALUE(INPUT, "--qformat", NULL, NULL, "the query has format <s>", "query format asserted:\t%s",
              .turn = FORMATS),
        FLAG(INPUT, "--qsingle_seqs", "each row of the query is a query", "query contains individual seqs:\ton",
             .turn = FORMATS),
        FORMAT("--tformat", "the targets have", "target format asserted:\t%s", .turn = FORMATS),
        NONULL2(.turn = STRANDS),
        VALUE(OTHER, "-Z", NULL, "x>0", "megabases in the database, for E-values", "database size is set to:\t%.1f Mb",
              .turn = SIZES),
        SEED(.turn = SIZES), LENGTHS("window length beta value:\t%g", .turn = FORMATS),
        VALUE(OTHER, "--block_length", NULL, "n>=50000", "residues of a block", "block length :\t%d",
              .turn = FORMATS),
        STRANDS_SEARCHED, BIAS_WINDOWS("SSV"), THREADS("2", "number of worker threads:\t%c", .turn = FORMATS),
        {.name = NULL}},
};

const ws_peer ws_peer_nhmmscan = {
    .name = "nhmmscan",
    .title = "search DNA sequence(s) against a DNA profile database",
    .file = {"query sequence file:", "target HMM database:"},
    .usage = "[-options] <hmmdb> <seqfile>",
    .noperand = 2,
    .fixed = (const char *const[]){"--scan", "--cpu", "0", "-O", "text", NULL},
    .opt = (const ws_peer_opt[]){
        HELP, REPORT_PATH, PATH("--tblout", "write the table of hits to file <f>", "per-seq hits tabular output:\t%s"),
        DFAM_TABLE, FORMS, REPORTED("models", "profile", ">="), INCLUDED("models", "profile", "0.01"), CUTOFFS,
        WINDOW_FILTERS("0.02", "MSV"),
        FORMAT("--qformat", "the sequences have", "input seqfile format asserted:\t%s", .turn = FORMATS),
        NONULL2(.turn = STRANDS),
        VALUE(OTHER, "-Z", NULL, "x>0", "without effect, as in nhmmscan", "sequence search space set to:\t%.0f",
              .turn = SIZES),
        SEED(.turn = SIZES), LENGTHS("window length beta value:\t%g", .turn = FORMATS), STRANDS_SEARCHED,
        THREADS("0", "multithread parallelization:\t%d workers", .turn = FORMATS), BIAS_WINDOWS("MSV"),
        {.name = NULL}},
};
