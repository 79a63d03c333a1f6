/* SPDX-License-Identifier: MIT
 * hmmbuild of HMMER 3.4, in whose place hmmcast stands when it is called by that name. */
#include "bin/cast/program.h"
#include "lib/run/peeropts.h"

#define ALPHABET(name_, of, word) \
    FLAG(INPUT, name_, "the alignments are of " of, "input alignment is asserted as:\t" word)

const ws_peer ws_peer_hmmbuild = {
    .name = "hmmbuild",
    .title = "profile HMM construction from multiple sequence alignments",
    .usage = "[-options] <hmmfile_out> <msafile>",
    .noperand = 2,
    .fixed = (const char *const[]){"--cpu", "2", "--summary", "/dev/stdout", NULL},
    .first = "--output",
    .file = {"input alignment file:", "output HMM file:"},
    .wider = 1,
    .opt = (const ws_peer_opt[]){
        HELP, VALUE(BASIC, "-n", NULL, NULL, "name the model <s>, of a single alignment", "name (the single) HMM:\t%s"),
        VALUE(BASIC, "-o", NULL, NULL, "write the summary to file <f> [standard output]",
              "output directed to file:\t%s", .tool = "--summary"),
        VALUE(BASIC, "-O", NULL, NULL, "write the alignments to file <f> as the models see them",
              "processed alignment resaved to:\t%s"),
        ALPHABET("--amino", "proteins", "protein"), ALPHABET("--dna", "DNA", "DNA"), ALPHABET("--rna", "RNA", "RNA"),
        FLAG(BUILD, "--fast", "columns with residues in many rows are consensus  [default]", NULL),
        FLAG(BUILD, "--hand", "columns that the line RF marks are consensus",
             "model architecture construction:\thand-specified by RF annotation"),
        VALUE(BUILD, "--symfrac", "0.5", "0<=x<=1", "the share of rows, for --fast",
              "sym fraction for model structure:\t%.3f"),
        FRAGMENTS("seq called frag if L <= x*alen:"), WEIGHTS, FLAG(BUILD, "--wgiven", "weights of the file", NULL),
        CLUSTERS("--wid", "--wblosum", "BLOSUM wgts"), ENTROPY, NUMBERS, PRIORS, CALIBRATION(" for "),
        SINGLE("score matrix", "use"), GAPS(NULL, NULL), MATRIX_NAME("BLOSUM62", "take the score matrix <s>"),
        MATRIX_PATH("take the score matrix of file <f>"),
        VALUE(OTHER, "--maxinsertlen", NULL, "n>=5", "pretend that no insertion is longer", "max insert length:\t%d"),
        THREADS("2", "number of worker threads:\t%d"), SEED(.turn = 0),
        LENGTHS("window length tail mass:\t%g bits", .turn = 0), FORMAT("--informat", "the alignments have", NULL),
        {.name = "--eentexp"}, /* HMMER's help does not show it */
        {.name = NULL}},
};
