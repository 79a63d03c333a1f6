/* SPDX-License-Identifier: MIT
 * Entries of the tables of HMMER's options that several of its programs share: names, defaults and the lines of reports
 * of HMMER 3.4. */
#ifndef WS_PEERS_PEEROPTS_H
#define WS_PEERS_PEEROPTS_H

#include "lib/run/peer.h"

#define FLAG(name_, group_, help_, echo_) {.name = name_, .help = help_, .group = WS_PEER_##group_, .echo = echo_}
#define VALUE(name_, kind_, default_, range_, group_, help_, echo_, style_) \
    {.name = name_, .kind = kind_, .value = default_, .range = range_, .help = help_, .group = WS_PEER_##group_, \
     .echo = echo_, .style = style_}
#define PATH(name_, help_, echo_) VALUE(name_, 'f', NULL, NULL, OUTPUT, help_, echo_, 's')

#define HELP {.name = "-h", .help = "show this", .group = WS_PEER_BASIC, .tool = ""}
#define REPORT_PATH \
    PATH("-o", "write the report to file <f> [standard output]", "# output directed to file:         ")
#define ALIGNMENT_PATH \
    PATH("-A", "write the alignment of all included hits to file <f>", "# MSA of all hits saved to file:   ")
#define FORMS \
    FLAG("--acc", OUTPUT, "show accessions in place of names", "# prefer accessions over names:    yes"), \
        FLAG("--noali", OUTPUT, "no alignments in the report", "# show alignments in output:       no"), \
        FLAG("--notextw", OUTPUT, "lines of the report have any length", \
             "# max ASCII text line length:      unlimited"), \
        VALUE("--textw", 'n', "120", "n>=120", OUTPUT, "lines of the report have at most <n> characters", \
              "# max ASCII text line length:      ", 's')
#define TARGETS(what, report_E, report_T) \
    VALUE("-E", 'x', "10.0", "x>0", REPORT, "report " what " whose E-value is at most <x>", report_E, 'g'), \
        VALUE("-T", 'x', NULL, NULL, REPORT, "report " what " whose score is at least <x>", report_T, 'g')
#define INCLUDED(what, include_E, include_T) \
    VALUE("--incE", 'x', "0.01", "x>0", INCLUDE, "include " what " whose E-value is at most <x>", include_E, 'g'), \
        VALUE("--incT", 'x', NULL, NULL, INCLUDE, "include " what " whose score is at least <x>", include_T, 'g')
#define DOMAINS \
    VALUE("--domE", 'x', "10.0", "x>0", REPORT, "report domains whose conditional E-value is at most <x>", \
          "# domain reporting threshold:      E-value <= ", 'g'), \
        VALUE("--domT", 'x', NULL, NULL, REPORT, "report domains whose score is at least <x>", \
              "# domain reporting threshold:      score >= ", 'g')
#define INCLUDED_DOMAINS \
    VALUE("--incdomE", 'x', "0.01", "x>0", INCLUDE, "include domains whose conditional E-value is at most <x>", \
          "# domain inclusion threshold:      E-value <= ", 'g'), \
        VALUE("--incdomT", 'x', NULL, NULL, INCLUDE, "include domains whose score is at least <x>", \
              "# domain inclusion threshold:      score >= ", 'g')
#define CUTOFFS \
    FLAG("--cut_ga", CUTOFFS, "take all thresholds from the GA lines", \
         "# model-specific thresholding:     GA cutoffs"), \
        FLAG("--cut_nc", CUTOFFS, "take all thresholds from the NC lines", \
             "# model-specific thresholding:     NC cutoffs"), \
        FLAG("--cut_tc", CUTOFFS, "take all thresholds from the TC lines", \
             "# model-specific thresholding:     TC cutoffs")
#define MAXIMUM \
    FLAG("--max", FILTER, "all filters off: the most sensitive and slowest search", \
         "# Max sensitivity mode:            on [all heuristic filters off]")
#define SHARE(name_, default_, help_, echo_) VALUE(name_, 'x', default_, NULL, FILTER, help_, echo_, 'g')
#define NOBIAS \
    FLAG("--nobias", FILTER, "no correction for composition in the filters", "# biased composition HMM filter:   off")
#define FILTERS \
    MAXIMUM, SHARE("--F1", "0.02", "targets pass MSV with P at most <x>", "# MSV filter P threshold:       <= "), \
        SHARE("--F2", "1e-3", "targets pass Viterbi with P at most <x>", "# Vit filter P threshold:       <= "), \
        SHARE("--F3", "1e-5", "targets pass Forward with P at most <x>", "# Fwd filter P threshold:       <= "), NOBIAS
#define SPACES \
    VALUE("-Z", 'x', NULL, "x>0", OTHER, "targets in the database, for E-values", \
          "# sequence search space set to:    ", '0'), \
        VALUE("--domZ", 'x', NULL, "x>0", OTHER, "targets that count for conditional E-values", \
              "# domain search space set to:      ", '0')
#define TABLES \
    PATH("--tblout", "write the table of targets to file <f>", "# per-seq hits tabular output:     "), \
        PATH("--domtblout", "write the table of domains to file <f>", "# per-dom hits tabular output:     "), \
        PATH("--pfamtblout", "write the table that Pfam uses to file <f>", "# pfam-style tabular hit output:   ")
#define NONULL2 \
    FLAG("--nonull2", OTHER, "no correction of scores for composition", "# null2 bias corrections:          off")
#define SEED \
    {.name = "--seed", .kind = 'n', .value = "42", .range = "n>=0", .help = "begin the random numbers with <n>", \
     .group = WS_PEER_OTHER, .echo = "# random number seed set to:       ", .style = 's', \
     .zero = "# random number seed:              one-time arbitrary\n# random number seed set to:       0"}
#define TARGET_FORMAT(echo_) \
    VALUE("--tformat", 's', NULL, NULL, INPUT, "the sequences have format <s> [by content]", echo_, 's')
#define THREADS \
    VALUE("--cpu", 'n', "2", "n>=0", OTHER, "threads, also by the variable HMMER_NCPU", \
          "# number of worker threads:        ", 's')

/* As many threads as HMMER takes: callers start several programs side by side. */
extern const char *const ws_peer_two_threads[];

#endif
