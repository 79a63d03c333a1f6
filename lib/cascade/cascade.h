/* SPDX-License-Identifier: MIT
 * What the four filters of the HMM cascade share: models as targets, options for what passes, and hmmsearch's
 * decision. Source: specification profile-filters.md, sections 11 and 12. */
#ifndef WS_CASCADE_CASCADE_H
#define WS_CASCADE_CASCADE_H

#include "lib/cascade/tally.h"
#include "lib/hmm/target.h"
#include "lib/scan/scan.h"

/* The settings in which the filters differ. */
typedef struct ws_stage {
    const char *bits_column, *p_column;
    const char *sat_column; /* 1 where the score exceeds the range of its integers; NULL: it has no such range */
    double default_p;      /* hmmsearch's F1, F2, F3 */
    int mu, lambda;        /* WS_MMU ...: indices into ws_hmm.evparam */
    int tail;              /* P comes from the exponential tail (Forward), else from the Gumbel distribution */
    int bias;              /* the stage subtracts the composition bias before it computes P */
    int bias_column;       /* the table has a bias column even if the input table has one (msv) */
    int uncorrected_first; /* P of the uncorrected score must pass first; the stage computes the bias only then (msv) */
    int may_skip;          /* rows whose MSV P is at or below -P pass without a Viterbi P (vit) */
    const char *e_column;  /* name of the E-value column; NULL: none (all but fwd) */
    ws_past passed;        /* what a pair that passes is counted as, where the stages of a pipe share a tally */
    int final;             /* E-values follow, so each model must be calibrated (dom) */
} ws_stage;

typedef struct ws_cascade_opts {
    double p, bits, evalue, z;
    int p_given, bits_given, evalue_given, z_given;
    ws_opt_list models; /* -m: in place of the first operand */
    int nobias, no_skip;
    long long tally; /* descriptor of the tally that hmmsieve shares with its stages */
    int tally_given;
} ws_cascade_opts;

#define WS_CASCADE_AT(field) offsetof(ws_cascade_opts, field)
#define WS_CASCADE_FLAG(name_, field, help_)                                                                             \
    {0, name_, NULL, WS_OPT_FLAG, WS_CASCADE_AT(field), NULL, help_, .group = WS_GROUP_FILTER, .flags = WS_OPT_RESULT,      \
     .given = WS_OPT_NOGIVEN}
#define WS_CASCADE_REAL(letter_, name_, field, arg_, help_, max_, above_)                                                \
    {letter_, name_, NULL, WS_OPT_REAL, WS_CASCADE_AT(field), arg_, help_, .min = 0, .max = max_, .group = WS_GROUP_FILTER, \
     .flags = WS_OPT_RESULT | (above_), .given = WS_CASCADE_AT(field##_given)}

/* Entries of the option table that all four filters have. */
#define WS_CASCADE_OPTS(default_p)                                                                                       \
    WS_CASCADE_MODELS,                                                                                                   \
    WS_CASCADE_REAL('P', "pvalue", p, "P", "pass if the P-value is at most P [" default_p "]", 1, 0),                         \
        {'T', "bits", NULL, WS_OPT_REAL, WS_CASCADE_AT(bits), "BITS", "pass if the bit score is at least BITS; replaces the default -P", \
         .group = WS_GROUP_FILTER, .flags = WS_OPT_RESULT, .given = WS_CASCADE_AT(bits_given)},                               \
        WS_CASCADE_REAL('E', "evalue", evalue, "E", "pass if P times -Z is at most E", 1e300, WS_OPT_ABOVE),                 \
        WS_CASCADE_REAL('Z', "db-size", z, "N", "sequences in the whole database, for E-values: in= of the ##end line", 1e18, \
                        WS_OPT_ABOVE)
#define WS_CASCADE_MODELS                                                                                                  \
    {0, "tally", NULL, WS_OPT_INT, WS_CASCADE_AT(tally), "FD", "", .min = 0, .max = 1e6, .group = WS_GROUP_MISC,          \
     .flags = WS_OPT_HIDDEN, .given = WS_CASCADE_AT(tally_given)},                                                          \
    {'m', "models", NULL, WS_OPT_LIST, WS_CASCADE_AT(models), "FILE", "models, in place of the operand MODEL; may be given several times", \
     .group = WS_GROUP_FILTER, .given = WS_OPT_NOGIVEN}
#define WS_CASCADE_NOBIAS WS_CASCADE_FLAG("nobias", nobias, "do not correct for composition bias")

/* Members of a ws_tool for a stage; lib/run/tool.h specifies each.
 * tool->open calls ws_cascade_open with its stage. ws_cascade_open finds the models, which are the job's targets
 * (ws_hmm_target), and checks the options. ws_cascade_close frees what ws_cascade_open made, also after a failure.
 * ws_cascade_make makes bias and profile of one target. begin makes a ws_lenmodel for each sequence. decide applies
 * hmmsearch's decision to each pair of a task (profile-filters.md, section 12.2). */
int ws_cascade_open(ws_job *job, const ws_stage *stage, ws_err *err);
void ws_cascade_close(ws_job *job);
int ws_cascade_make(ws_job *job, uint32_t t, ws_err *err);
int ws_cascade_begin(const ws_job *job, const ws_batch *b, ws_worker *worker, ws_err *err);
int ws_cascade_decide(const ws_job *job, const ws_batch *b, const ws_task *task, const uint32_t *row, ws_worker *worker,
                     ws_hits *hits, ws_err *err);

extern const ws_scoring ws_cascade_scoring; /* results are ws_fscore */

/* Initialises these members in a filter's ws_tool. The filter's tool.c adds opts, defaults, backends and open_stage. */
#define WS_CASCADE_TOOL                                                                                              \
    .opts = opts, .own_size = sizeof(ws_cascade_opts), .defaults = defaults, .backends = backends, .reader = &ws_scan_reader, \
    .for_reader = &ws_cascade_scoring, .open = open_stage, .close = ws_cascade_close, .make = ws_cascade_make

/* The state that ws_cascade_open makes in job->data, for decide.c and cutoffs.c. */
typedef struct ws_cascade {
    const ws_stage *stage;
    const ws_cascade_opts *opts;
    double max_p;         /* a pair passes if P <= max_p; HUGE_VAL: no limit on P */
    int col_bits, col_bias, col_p, col_evalue, col_sat; /* indices into ws_hit.value; -1: no such column */
    const char *const *path; /* [npath] of the models */
    size_t npath;
    ws_hmmset set;        /* without the tables of the models, which ws_cascade_make needs for a moment */
    ws_hmm_target *model; /* [set.n] */
    ws_tally *tally;      /* NULL: nobody asks */
} ws_cascade;

#endif
