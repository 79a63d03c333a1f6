/* SPDX-License-Identifier: MIT
 * hmmbuild of HMMER 3.4, in whose place hmmcast stands when it is called by that name. */
#include "bin/cast/program.h"

#define FLAG(name_, group_, help_, echo_) {.name = name_, .help = help_, .group = WS_PEER_##group_, .echo = echo_}
#define VALUE(name_, kind_, default_, range_, group_, help_, echo_, style_) \
    {.name = name_, .kind = kind_, .value = default_, .range = range_, .help = help_, .group = WS_PEER_##group_, \
     .echo = echo_, .style = style_}
#define SIZE(name_, default_, help_, echo_) VALUE(name_, 'n', default_, "n>0", CALIBRATE, help_, echo_, 's')

static const ws_peer_opt opts[] = {
    {.name = "-h", .help = "show this", .group = WS_PEER_BASIC, .tool = ""},
    VALUE("-n", 's', NULL, NULL, BASIC, "name the model <s>, of a single alignment",
          "# name (the single) HMM:            ", 's'),
    {.name = "-o", .kind = 'f', .help = "write the summary to file <f> [standard output]", .group = WS_PEER_BASIC,
     .echo = "# output directed to file:          ", .style = 's', .tool = "--summary"},
    VALUE("-O", 'f', NULL, NULL, BASIC, "write the alignments to file <f> as the models see them",
          "# processed alignment resaved to:   ", 's'),
    FLAG("--amino", INPUT, "the alignments are of proteins", "# input alignment is asserted as:   protein"),
    FLAG("--dna", INPUT, "the alignments are of DNA", "# input alignment is asserted as:   DNA"),
    FLAG("--rna", INPUT, "the alignments are of RNA", "# input alignment is asserted as:   RNA"),
    FLAG("--fast", BUILD, "columns with residues in many rows are consensus  [default]", NULL),
    FLAG("--hand", BUILD, "columns that the line RF marks are consensus",
         "# model architecture construction:  hand-specified by RF annotation"),
    VALUE("--symfrac", 'x', "0.5", "0<=x<=1", BUILD, "the share of rows, for --fast",
          "# sym fraction for model structure: ", '3'),
    VALUE("--fragthresh", 'x', "0.5", "0<=x<=1", BUILD, "a row with at most this share of residues is a fragment",
          "# seq called frag if L <= x*alen:   ", '3'),
    FLAG("--wpb", BUILD, "weights of rows by position  [default]", NULL),
    FLAG("--wgsc", BUILD, "weights by the branches of a tree", "# relative weighting scheme:        G/S/C"),
    FLAG("--wblosum", BUILD, "weights by clusters", "# relative weighting scheme:        BLOSUM filter"),
    FLAG("--wnone", BUILD, "all weights are 1", "# relative weighting scheme:        none"),
    FLAG("--wgiven", BUILD, "weights of the file", NULL),
    VALUE("--wid", 'x', "0.62", "0<=x<=1", BUILD, "identity of clusters, for --wblosum",
          "# frac id cutoff for BLOSUM wgts:   ", 'f'),
    FLAG("--eent", BUILD, "effective number of sequences by relative entropy  [default]", NULL),
    FLAG("--eclust", BUILD, "it is the number of clusters",
         "# effective seq number scheme:      single linkage clusters"),
    FLAG("--enone", BUILD, "it is the number of rows", "# effective seq number scheme:      none"),
    VALUE("--eset", 'x', NULL, NULL, BUILD, "it is <x>", "# effective seq number:             set to ", 'f'),
    VALUE("--ere", 'x', NULL, "x>0", BUILD, "for --eent: least relative entropy of a position",
          "# minimum rel entropy target:       ", 'b'),
    VALUE("--esigma", 'x', "45.0", "x>0", BUILD, "for --eent: sigma", "# entropy target sigma parameter:   ", 'b'),
    VALUE("--eid", 'x', "0.62", "0<=x<=1", BUILD, "identity of clusters, for --eclust",
          "# frac id cutoff for --eclust:      ", 'f'),
    FLAG("--pnone", BUILD, "no prior: parameters are frequencies", "# prior scheme:                     none"),
    FLAG("--plaplace", BUILD, "Laplace's prior", "# prior scheme:                     Laplace +1"),
    SIZE("--EmL", "200", "residues of random sequences for MSV", "# seq length for MSV Gumbel mu fit: "),
    SIZE("--EmN", "200", "how many of them", "# seq number for MSV Gumbel mu fit: "),
    SIZE("--EvL", "200", "residues of random sequences for Viterbi", "# seq length for Vit Gumbel mu fit: "),
    SIZE("--EvN", "200", "how many of them", "# seq number for Vit Gumbel mu fit: "),
    SIZE("--EfL", "100", "residues of random sequences for Forward", "# seq length for Fwd exp tau fit:   "),
    SIZE("--EfN", "200", "how many of them", "# seq number for Fwd exp tau fit:   "),
    VALUE("--Eft", 'x', "0.04", "0<x<1", CALIBRATE, "the tail of Forward scores that is fitted",
          "# tail mass for Fwd exp tau fit:    ", 'f'),
    FLAG("--singlemx", MODELS, "alignments of one row become models by a score matrix",
         "# use score matrix for 1-seq MSAs:  on"),
    VALUE("--popen", 'x', NULL, "0<=x<0.5", MODELS, "probability that a gap opens",
          "# gap open probability:             ", 'f'),
    VALUE("--pextend", 'x', NULL, "0<=x<1", MODELS, "probability that a gap goes on",
          "# gap extend probability:           ", 'f'),
    VALUE("--mx", 's', "BLOSUM62", NULL, MODELS, "take the score matrix <s>",
          "# subst score matrix (built-in):    ", 's'),
    VALUE("--mxfile", 'f', NULL, NULL, MODELS, "take the score matrix of file <f>",
          "# subst score matrix (file):        ", 's'),
    VALUE("--maxinsertlen", 'n', NULL, "n>=5", OTHER, "pretend that no insertion is longer",
          "# max insert length:                ", 's'),
    VALUE("--cpu", 'n', "2", "n>=0", OTHER, "threads, also by the variable HMMER_NCPU",
          "# number of worker threads:         ", 's'),
    {.name = "--seed", .kind = 'n', .value = "42", .range = "n>=0", .help = "begin the random numbers with <n>",
     .group = WS_PEER_OTHER, .echo = "# random number seed set to:        ", .style = 's',
     .zero = "# random number seed:               one-time arbitrary\n# random number seed set to:        0"},
    VALUE("--w_beta", 'x', NULL, NULL, OTHER, "share of instances that windows leave out",
          "# window length tail mass:          ", 't'),
    VALUE("--w_length", 'n', NULL, NULL, OTHER, "longest instance of a model",
          "# window length :                   ", 's'),
    VALUE("--informat", 's', NULL, NULL, INPUT, "the alignments have format <s> [by content]", NULL, 0),
    FLAG("--eentexp", BUILD, NULL, NULL), /* HMMER's help does not show it */
    {.name = NULL},
};

static const char *const fixed[] = {"--cpu", "2", "--summary", "/dev/stdout", NULL};

const ws_peer ws_peer_hmmbuild = {
    .name = "hmmbuild",
    .title = "profile HMM construction from multiple sequence alignments",
    .usage = "[-options] <hmmfile_out> <msafile>",
    .noperand = 2,
    .opt = opts,
    .fixed = fixed,
    .first = "--output",
};

int ws_cast_peer_head(const ws_job *job, ws_buf *out, ws_err *err) {
    static const char rule[] = "# - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -\n";
    int rc = ws_buf_addf(out, err,
                         "# %s :: %s\n# HMMER 3.4 (Aug 2023); http://hmmer.org/\n"
                         "# The format is that of HMMER; computed by %s of warpsieve " WS_VERSION "\n%s"
                         "# input alignment file:             %s\n# output HMM file:                  %s\n",
                         ws_peer_hmmbuild.name, ws_peer_hmmbuild.title, job->tool->name, rule, job->input[0],
                         job->common.output);
    if (!rc) rc = ws_peer_echo(&ws_peer_hmmbuild, &job->cmdline, out, err);
    return rc ? rc : ws_buf_addf(out, err, "%s\n", rule);
}
