/* SPDX-License-Identifier: MIT
 * What the four filters of the HMM cascade share: models as targets, the options about what passes, and the decision
 * itself, which is hmmsearch's. Source: specification profile-filters.md, sections 11 and 12. */
#ifndef WS_CASCADE_CASCADE_H
#define WS_CASCADE_CASCADE_H

#include "lib/hmm/target.h"
#include "lib/run/job.h"

/* What differs between the filters. */
typedef struct ws_stage {
    const char *bits_column, *p_column;
    double default_p;      /* hmmsearch's F1, F2, F3 */
    int mu, lambda;        /* WS_MMU ...: indices into ws_hmm.evparam */
    int tail;              /* P is the exponential tail (Forward), else the Gumbel */
    int bias;              /* the composition bias is taken off before P is asked */
    int bias_column;       /* its column is this stage's even if the table has one (msv) */
    int uncorrected_first; /* P of the uncorrected score must pass too, and bias is only computed then (msv) */
    int may_skip;          /* rows whose MSV P is already below -P pass without asking (vit) */
    int evalue;            /* has the column (fwd) */
} ws_stage;

typedef struct ws_cascade_opts {
    double p, bits, evalue, z;
    int p_given, bits_given, evalue_given, z_given;
    int nobias, no_skip, cut_ga, cut_nc, cut_tc;
} ws_cascade_opts;

#define WS_CASCADE_AT(field) offsetof(ws_cascade_opts, field)
#define WS_CASCADE_FLAG(name_, field, help_)                                                                             \
    {0, name_, NULL, WS_OPT_FLAG, WS_CASCADE_AT(field), NULL, help_, .group = WS_GROUP_FILTER, .flags = WS_OPT_RESULT,      \
     .given = WS_OPT_NOGIVEN}
#define WS_CASCADE_REAL(letter_, name_, field, arg_, help_, max_, above_)                                                \
    {letter_, name_, NULL, WS_OPT_REAL, WS_CASCADE_AT(field), arg_, help_, .min = 0, .max = max_, .group = WS_GROUP_FILTER, \
     .flags = WS_OPT_RESULT | (above_), .given = WS_CASCADE_AT(field##_given)}

/* The entries of an option table that all four have. */
#define WS_CASCADE_OPTS(default_p)                                                                                       \
    WS_CASCADE_REAL('P', "pvalue", p, "P", "pass if the P-value is at most P [" default_p "]", 1, 0),                         \
        {'T', "bits", NULL, WS_OPT_REAL, WS_CASCADE_AT(bits), "BITS", "pass if the bit score is at least BITS; without -P no P is asked", \
         .group = WS_GROUP_FILTER, .flags = WS_OPT_RESULT, .given = WS_CASCADE_AT(bits_given)},                               \
        WS_CASCADE_REAL('E', "evalue", evalue, "E", "pass if P times -Z is at most E", 1e300, WS_OPT_ABOVE),                 \
        WS_CASCADE_REAL('Z', "db-size", z, "N", "sequences in the whole database, for E-values: in= of the ##end line", 1e18, \
                        WS_OPT_ABOVE)
#define WS_CASCADE_NOBIAS WS_CASCADE_FLAG("nobias", nobias, "do not correct for composition bias")

/* The members of a ws_tool for a stage: lib/run/tool.h says what each does. tool->open calls ws_cascade_open with its stage, which
 * reads the models into the job's targets (ws_hmm_target) and checks the options; ws_cascade_close gives back what it made, also
 * after a failure. begin makes a ws_lenmodel for each sequence. judge is hmmsearch's decision on each pair of a task (section 12.2). */
int ws_cascade_open(ws_job *job, const ws_stage *stage, ws_err *err);
void ws_cascade_close(ws_job *job);
int ws_cascade_begin(const ws_job *job, const ws_batch *b, ws_lane *lane, ws_err *err);
int ws_cascade_judge(const ws_job *job, const ws_batch *b, const ws_task *task, const uint32_t *row, ws_lane *lane,
                     ws_hits *hits, ws_err *err);

/* Those members, for the initialiser of a filter's ws_tool; opts, defaults, backends and open_stage are in its tool.c. */
#define WS_CASCADE_TOOL                                                                                              \
    .opts = opts, .own_size = sizeof(ws_cascade_opts), .defaults = defaults, .score_size = sizeof(ws_fscore),         \
    .backends = backends, .open = open_stage, .close = ws_cascade_close, .begin = ws_cascade_begin,                   \
    .judge = ws_cascade_judge

/* What ws_cascade_open made, in job->data, for judge.c and pass.c. */
typedef struct ws_cascade {
    const ws_stage *stage;
    const ws_cascade_opts *opts;
    double max_p;         /* pass if P is not above; HUGE_VAL if P is not asked */
    int cut;              /* WS_CUT_GA ... whose per-sequence cutoff is asked, or -1 */
    int col_bits, col_bias, col_p, col_evalue; /* indices into ws_hit.value, -1: none */
    ws_hmmset set;
    ws_hmm_target *model; /* [set.n] */
} ws_cascade;

#endif
