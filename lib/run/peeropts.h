/* SPDX-License-Identifier: MIT
 * HMMER 3.4's words about options that several of its programs share: entries of ws_peer.opt. ws_opt says the rest
 * of an option. A tab ends the label of a line of the report's head: see ws_peer_opt.echo. */
#ifndef WS_RUN_PEEROPTS_H
#define WS_RUN_PEEROPTS_H

#include "lib/run/peer.h"

/* The last argument is the echo, and may be followed by other members. */
#define FLAG(group_, name_, help_, ...) {.name = name_, .group = WS_PEER_##group_, .help = help_, .echo = __VA_ARGS__}
#define VALUE(group_, name_, default_, range_, help_, ...) \
    {.name = name_, .group = WS_PEER_##group_, .value = default_, .range = range_, .help = help_, .echo = __VA_ARGS__}
#define PATH(name_, help_, echo_) VALUE(OUTPUT, name_, NULL, NULL, help_, echo_)

#define HELP FLAG(BASIC, "-h", "show this help", NULL)
#define REPORT_PATH PATH("-o", "write the report to file <f> [standard output]", "output directed to file:\t%s")
#define ALIGNMENT_PATH(label) PATH("-A", "write the alignment of all included hits to file <f>", label "\t%s")
#define TABLES \
    PATH("--tblout", "write the table of targets to file <f>", "per-seq hits tabular output:\t%s"), \
        PATH("--domtblout", "write the table of domains to file <f>", "per-dom hits tabular output:\t%s")
#define PFAM_TABLE \
    PATH("--pfamtblout", "write the table that Pfam uses to file <f>", "pfam-style tabular hit output:\t%s")
#define FORMS \
    FLAG(OUTPUT, "--acc", "show accessions in place of names", "prefer accessions over names:\tyes"), \
        FLAG(OUTPUT, "--noali", "no alignments in the report", "show alignments in output:\tno"), \
        FLAG(OUTPUT, "--notextw", "lines of the report have any length", "max ASCII text line length:\tunlimited"), \
        VALUE(OUTPUT, "--textw", "120", "n>=120", "lines of the report have at most <n> characters", \
              "max ASCII text line length:\t%d")

/* what: "sequences"; label: "sequence". A sign is that of HMMER's own sentence. */
#define REPORTED(what, label, sign) \
    VALUE(REPORT, "-E", "10.0", "x>0", "report " what " whose E-value is at most <x>", \
          label " reporting threshold:\tE-value <= %g"), \
        VALUE(REPORT, "-T", NULL, NULL, "report " what " whose score is at least <x>", \
              label " reporting threshold:\tscore " sign " %g")
#define REPORTED_DOMAINS(sign) \
    VALUE(REPORT, "--domE", "10.0", "x>0", "report domains whose conditional E-value is at most <x>", \
          "domain reporting threshold:\tE-value <= %g"), \
        VALUE(REPORT, "--domT", NULL, NULL, "report domains whose score is at least <x>", \
              "domain reporting threshold:\tscore " sign " %g")
#define INCLUDED(what, label, default_) \
    VALUE(INCLUDE, "--incE", default_, "x>0", "include " what " whose E-value is at most <x>", \
          label " inclusion threshold:\tE-value <= %g"), \
        VALUE(INCLUDE, "--incT", NULL, NULL, "include " what " whose score is at least <x>", \
              label " inclusion threshold:\tscore >= %g")
#define THRESHOLDS(what, label, sign, default_) \
    REPORTED(what, label, sign), REPORTED_DOMAINS(sign), INCLUDED(what, label, default_), \
        VALUE(INCLUDE, "--incdomE", default_, "x>0", "include domains whose conditional E-value is at most <x>", \
              "domain inclusion threshold:\tE-value <= %g"), \
        VALUE(INCLUDE, "--incdomT", NULL, NULL, "include domains whose score is at least <x>", \
              "domain inclusion threshold:\tscore >= %g")
#define CUTOFF(name_, line) \
    FLAG(CUTOFFS, name_, "take all thresholds from the " line " lines", \
         "model-specific thresholding:\t" line " cutoffs")
#define CUTOFFS CUTOFF("--cut_ga", "GA"), CUTOFF("--cut_nc", "NC"), CUTOFF("--cut_tc", "TC")
/* An option that HMMER does not have. */
#define CUTOFFS_TABLE \
    VALUE(CUTOFFS, "--cutoffs", NULL, NULL, "take thresholds from this table; not an option of HMMER", \
          "model-specific thresholding:\ttable %s")

#define MAXIMUM \
    FLAG(FILTER, "--max", "all filters off: the most sensitive and slowest search", \
         "Max sensitivity mode:\ton [all heuristic filters off]")
#define SHARE(name_, default_, what, filter, label) \
    VALUE(FILTER, name_, default_, NULL, what " pass " filter " with P at most <x>", \
          label " filter P threshold:       <= %g")
#define NOBIAS \
    FLAG(FILTER, "--nobias", "no correction for composition in the filters", "biased composition HMM filter:\toff")
#define FILTERS \
    MAXIMUM, SHARE("--F1", "0.02", "targets", "MSV", "MSV"), SHARE("--F2", "1e-3", "targets", "Viterbi", "Vit"), \
        SHARE("--F3", "1e-5", "targets", "Forward", "Fwd"), NOBIAS

/* The arguments are members that one program has alone, such as a turn. */
#define NONULL2(...) \
    FLAG(OTHER, "--nonull2", "no correction of scores for composition", "null2 bias corrections:\toff", __VA_ARGS__)
#define SPACES \
    VALUE(OTHER, "-Z", NULL, "x>0", "targets in the database, for E-values", "sequence search space set to:\t%.0f"), \
        VALUE(OTHER, "--domZ", NULL, "x>0", "targets that count for conditional E-values", \
              "domain search space set to:\t%.0f")
#define SEED(...) \
    VALUE(OTHER, "--seed", "42", "n>=0", "begin the random numbers with <n>", "random number seed set to:\t%d", \
          .zero = "random number seed:\tone-time arbitrary", __VA_ARGS__)
#define THREADS(default_, ...) \
    VALUE(OTHER, "--cpu", default_, "n>=0", "threads, also by the variable HMMER_NCPU", __VA_ARGS__)
#define FORMAT(name_, what, ...) VALUE(INPUT, name_, NULL, NULL, what " format <s> [by content]", __VA_ARGS__)

/* ---- models that are made ---- */

#define GAPS(open, extend) \
    VALUE(MODELS, "--popen", open, "0<=x<0.5", "probability that a gap opens", "gap open probability:\t%f"), \
        VALUE(MODELS, "--pextend", extend, "0<=x<1", "probability that a gap goes on", "gap extend probability:\t%f")
#define MATRIX_NAME(default_, help_) VALUE(MODELS, "--mx", default_, NULL, help_, "subst score matrix (built-in):\t%s")
#define MATRIX_PATH(help_) VALUE(MODELS, "--mxfile", NULL, NULL, help_, "subst score matrix (file):\t%s")
#define SINGLE(what, label) \
    FLAG(MODELS, "--singlemx", "alignments of one row become models by a " what, \
         label " score matrix for 1-seq MSAs:  on") /* HMMER's blanks */
#define FRAGMENTS(label) \
    VALUE(BUILD, "--fragthresh", "0.5", "0<=x<=1", "a row with at most this share of residues is a fragment", \
          label "\t%.3f")
/* Groups of options that exclude one another. --eent and --eentexp are both on by default; --eent counts. */
enum { WS_PEER_WEIGHTS = 1, WS_PEER_NUMBERS = 2 };
#define WEIGHT(name_, help_, word) \
    FLAG(BUILD, name_, help_, "relative weighting scheme:\t" word, .choice = -WS_PEER_WEIGHTS)
#define WEIGHTS \
    FLAG(BUILD, "--wpb", "weights of rows by position  [default]", NULL, .choice = WS_PEER_WEIGHTS), \
        WEIGHT("--wgsc", "weights by the branches of a tree", "G/S/C"), \
        WEIGHT("--wblosum", "weights by clusters", "BLOSUM filter"), WEIGHT("--wnone", "all weights are 1", "none")
#define CLUSTERS(name_, option, label) \
    VALUE(BUILD, name_, "0.62", "0<=x<=1", "identity of clusters, for " option, "frac id cutoff for " label ":\t%f")
#define ENTROPY \
    FLAG(BUILD, "--eent", "effective number of sequences by relative entropy  [default]", NULL, \
         .choice = WS_PEER_NUMBERS)
#define NUMBER(name_, help_, word) \
    FLAG(BUILD, name_, help_, "effective seq number scheme:\t" word, .choice = -WS_PEER_NUMBERS)
#define NUMBERS \
    NUMBER("--eclust", "effective number: clusters", "single linkage clusters"), \
        NUMBER("--enone", "effective number: rows", "none"), \
        VALUE(BUILD, "--eset", NULL, NULL, "effective number: <x>", "effective seq number:\tset to %f", \
              .choice = -WS_PEER_NUMBERS), \
        VALUE(BUILD, "--ere", NULL, "x>0", "for --eent: least relative entropy of a position", \
              "minimum rel entropy target:\t%f bits"), \
        VALUE(BUILD, "--esigma", "45.0", "x>0", "for --eent: sigma", "entropy target sigma parameter:\t%f bits"), \
        CLUSTERS("--eid", "--eclust", "--eclust")
#define PRIORS \
    FLAG(BUILD, "--pnone", "no prior: parameters are frequencies", "prior scheme:\tnone"), \
        FLAG(BUILD, "--plaplace", "Laplace's prior", "prior scheme:\tLaplace +1")
#define RANDOM(name_, default_, help_, label) VALUE(CALIBRATE, name_, default_, "n>0", help_, label ":\t%d")
#define CALIBRATION(of) \
    RANDOM("--EmL", "200", "residues of random sequences for MSV", "seq length" of "MSV Gumbel mu fit"), \
        RANDOM("--EmN", "200", "how many of them", "seq number" of "MSV Gumbel mu fit"), \
        RANDOM("--EvL", "200", "residues of random sequences for Viterbi", "seq length" of "Vit Gumbel mu fit"), \
        RANDOM("--EvN", "200", "how many of them", "seq number" of "Vit Gumbel mu fit"), \
        RANDOM("--EfL", "100", "residues of random sequences for Forward", "seq length" of "Fwd exp tau fit"), \
        RANDOM("--EfN", "200", "how many of them", "seq number" of "Fwd exp tau fit"), \
        VALUE(CALIBRATE, "--Eft", "0.04", "0<x<1", "the tail of Forward scores that is fitted", \
              "tail mass for Fwd exp tau fit:\t%f")
#define LENGTHS(label_beta, ...) \
    VALUE(OTHER, "--w_beta", NULL, NULL, "share of instances that windows leave out", label_beta, __VA_ARGS__), \
        VALUE(OTHER, "--w_length", NULL, NULL, "longest instance of a model", "window length :\t%d", __VA_ARGS__)

#endif
