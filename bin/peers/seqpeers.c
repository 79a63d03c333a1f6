/* SPDX-License-Identifier: MIT
 * phmmer and jackhmmer, in whose place seqsieve and jacksieve stand: names, defaults, order and the lines of reports of
 * HMMER 3.4. */
#include "bin/peers/peeropts.h"
#include "bin/peers/peers.h"

#define QUERY_FORMAT \
    VALUE("--qformat", 's', NULL, NULL, INPUT, "the queries have format <s> [by content]", \
          "# query <seqfile> format asserted: ", 's')
#define HITS_REPORT_PATH \
    PATH("-o", "write the report to file <f> [standard output]", "# output directed to file:         ")
#define HITS_PATH \
    PATH("-A", "write the alignment of all included hits to file <f>", "# MSA of hits saved to file:       ")
#define MATRIX \
    VALUE("--popen", 'x', "0.02", "0<=x<0.5", MODELS, "probability that a gap opens", \
          "# gap open probability:            ", 'f'), \
        VALUE("--pextend", 'x', "0.4", "0<=x<1", MODELS, "probability that a gap goes on", \
              "# gap extend probability:          ", 'f'), \
        VALUE("--mx", 's', "BLOSUM62", NULL, MODELS, "take the score matrix <s>", \
              "# subst score matrix (built-in):   ", 's'), \
        VALUE("--mxfile", 'f', NULL, NULL, MODELS, "take the score matrix of file <f>", \
              "# subst score matrix (file):       ", 's')
#define SIZE(name_, default_, help_, echo_) VALUE(name_, 'n', default_, "n>0", CALIBRATE, help_, echo_, 's')
#define CALIBRATION \
    SIZE("--EmL", "200", "residues of random sequences for MSV", "# seq length, MSV Gumbel mu fit:   "), \
        SIZE("--EmN", "200", "how many of them", "# seq number, MSV Gumbel mu fit:   "), \
        SIZE("--EvL", "200", "residues of random sequences for Viterbi", "# seq length, Vit Gumbel mu fit:   "), \
        SIZE("--EvN", "200", "how many of them", "# seq number, Vit Gumbel mu fit:   "), \
        SIZE("--EfL", "100", "residues of random sequences for Forward", "# seq length, Fwd exp tau fit:     "), \
        SIZE("--EfN", "200", "how many of them", "# seq number, Fwd exp tau fit:     "), \
        VALUE("--Eft", 'x', "0.04", "0<x<1", CALIBRATE, "the tail of Forward scores that is fitted", \
              "# tail mass for Fwd exp tau fit:   ", 'f')
#define DOMAIN_SCORES(line) \
    VALUE("--domE", 'x', "10.0", "x>0", REPORT, "report domains whose conditional E-value is at most <x>", \
          "# domain reporting threshold:      E-value <= ", 'g'), \
        VALUE("--domT", 'x', NULL, NULL, REPORT, "report domains whose score is at least <x>", line, 'g')

/* ---- phmmer ---- */

static const ws_peer_opt phmmer_opts[] = {
    HELP,
    HITS_REPORT_PATH,
    HITS_PATH,
    TABLES,
    FORMS,
    MATRIX,
    TARGETS("sequences", "# sequence reporting threshold:    E-value <= ",
            "# sequence reporting threshold:    score >= "),
    DOMAINS,
    INCLUDED("sequences", "# sequence inclusion threshold:    E-value <= ",
             "# sequence inclusion threshold:    score >= "),
    INCLUDED_DOMAINS,
    FILTERS,
    CALIBRATION,
    {.name = "--nonull2", .help = "no correction of scores for composition", .group = WS_PEER_OTHER,
     .echo = "# null2 bias corrections:          off", .before = "--EmL"},
    SPACES,
    SEED,
    QUERY_FORMAT,
    TARGET_FORMAT("# target <seqdb> format asserted:  "),
    THREADS,
    {.name = NULL},
};

const ws_peer ws_peer_phmmer = {
    .name = "phmmer",
    .title = "search a protein sequence against a protein database",
    .usage = "[-options] <seqfile> <seqdb>",
    .noperand = 2,
    .opt = phmmer_opts,
    .fixed = ws_peer_two_threads,
};

/* ---- jackhmmer ---- */

/* Groups of options that exclude one another. --eent and --eentexp are both on by default; --eent counts. */
enum { WEIGHTS = 1, NUMBERS = 2 };
#define DEFAULT(name_, of, help_) \
    {.name = name_, .help = help_ "  [default]", .group = WS_PEER_BUILD, .choice = of}
#define CHOICE(name_, of, help_, echo_) \
    {.name = name_, .help = help_, .group = WS_PEER_BUILD, .choice = -(of), .echo = echo_}

static const ws_peer_opt jackhmmer_opts[] = {
    HELP,
    VALUE("-N", 'n', "5", "n>0", BASIC, "search in at most <n> rounds", "# maximum iterations set to:       ", 's'),
    HITS_REPORT_PATH,
    HITS_PATH,
    PATH("--tblout", "write the table of targets to file <f>", "# per-seq hits tabular output:     "),
    PATH("--domtblout", "write the table of domains to file <f>", "# per-dom hits tabular output:     "),
    VALUE("--chkhmm", 'f', NULL, NULL, OUTPUT, "write the model of round i to file <f>-i.hmm",
          "# HMM checkpoint files output:     ", 'i'),
    VALUE("--chkali", 'f', NULL, NULL, OUTPUT, "write the alignment of round i to file <f>-i.sto",
          "# MSA checkpoint files output:     ", 'a'),
    FORMS,
    MATRIX,
    TARGETS("sequences", "# sequence reporting threshold:    E-value <= ",
            "# sequence reporting threshold:    score <= "),
    DOMAIN_SCORES("# domain reporting threshold:      score <= "),
    VALUE("--incE", 'x', "0.001", "x>0", INCLUDE, "include sequences whose E-value is at most <x>",
          "# sequence inclusion threshold:    E-value <= ", 'g'),
    VALUE("--incT", 'x', NULL, NULL, INCLUDE, "include sequences whose score is at least <x>",
          "# sequence inclusion threshold:    score >= ", 'g'),
    VALUE("--incdomE", 'x', "0.001", "x>0", INCLUDE, "include domains whose conditional E-value is at most <x>",
          "# domain inclusion threshold:      E-value <= ", 'g'),
    VALUE("--incdomT", 'x', NULL, NULL, INCLUDE, "include domains whose score is at least <x>",
          "# domain inclusion threshold:      score >= ", 'g'),
    FILTERS,
    VALUE("--fragthresh", 'x', "0.5", "0<=x<=1", BUILD, "a row with at most this share of residues is a fragment",
          "# define fragments if <= x*alen:   ", '3'),
    DEFAULT("--wpb", WEIGHTS, "weights of rows by position"),
    CHOICE("--wgsc", WEIGHTS, "weights by the branches of a tree", "# relative weighting scheme:       G/S/C"),
    CHOICE("--wblosum", WEIGHTS, "weights by clusters", "# relative weighting scheme:       BLOSUM filter"),
    CHOICE("--wnone", WEIGHTS, "all weights are 1", "# relative weighting scheme:       none"),
    VALUE("--wid", 'x', "0.62", "0<=x<=1", BUILD, "identity of clusters, for --wblosum",
          "# frac id cutoff for BLOSUM wgts:  ", 'f'),
    DEFAULT("--eent", NUMBERS, "effective number of sequences by relative entropy"),
    DEFAULT("--eentexp", NUMBERS, "the same by a power of each column's count"),
    CHOICE("--eclust", NUMBERS, "it is the number of clusters",
            "# effective seq number scheme:     single linkage clusters"),
    CHOICE("--enone", NUMBERS, "it is the number of rows", "# effective seq number scheme:     none"),
    {.name = "--eset", .kind = 'x', .help = "it is <x>", .group = WS_PEER_BUILD, .choice = -NUMBERS,
     .echo = "# effective seq number:            set to ", .style = 'f'},
    VALUE("--ere", 'x', NULL, "x>0", BUILD, "for --eent: least relative entropy of a position",
          "# minimum rel entropy target:      ", 'b'),
    VALUE("--esigma", 'x', "45.0", "x>0", BUILD, "for --eent: sigma", "# entropy target sigma parameter:  ", 'b'),
    VALUE("--eid", 'x', "0.62", "0<=x<=1", BUILD, "identity of clusters, for --eclust",
          "# frac id cutoff for --eclust:     ", 'f'),
    FLAG("--pnone", BUILD, "no prior: parameters are frequencies", "# prior scheme:                    none"),
    FLAG("--plaplace", BUILD, "Laplace's prior", "# prior scheme:                    Laplace +1"),
    CALIBRATION,
    NONULL2,
    SPACES,
    SEED,
    QUERY_FORMAT,
    TARGET_FORMAT("# target <seqdb> format asserted:  "),
    THREADS,
    /* of AlphaFold 3's patch, which asks whether it is there */
    {.name = "--seq_limit", .kind = 'n', .group = WS_PEER_OTHER},
    {.name = NULL},
};

const ws_peer ws_peer_jackhmmer = {
    .name = "jackhmmer",
    .title = "iteratively search a protein sequence against a protein database",
    .usage = "[-options] <seqfile> <seqdb>",
    .noperand = 2,
    .opt = jackhmmer_opts,
    .fixed = ws_peer_two_threads,
};
