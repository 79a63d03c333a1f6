/* SPDX-License-Identifier: MIT
 * Models as targets, options for thresholds, and hmmsearch's decision, for the four filters of the HMM cascade. Source:
 * specification profile-filters.md, sections 11 and 12. */
#ifndef WS_FILTERS_CASCADE_H
#define WS_FILTERS_CASCADE_H

#include "bin/filters/columns.h"
#include "lib/hmm/target.h"
#include "lib/translate/options.h"

/* The settings in which the filters differ. */
typedef struct ws_stage {
    const ws_names *columns; /* of ws_filtercol */
    double default_p;      /* hmmsearch's F1, F2, F3 */
    int mu, lambda;        /* WS_MMU ...: indices into ws_hmm.evparam */
    int tail;              /* P comes from the exponential tail (Forward), else from the Gumbel distribution */
    int bias;              /* the stage subtracts the composition bias before it computes P */
    int uncorrected_first; /* P of the uncorrected score must pass first; the stage computes the bias only then (msv) */
    int may_skip;          /* rows whose MSV P is at or below -P pass without a Viterbi P (vit) */
    int later;             /* the stage comes after a filter, so few sequences come (vit, fwd) */
    int final;             /* E-values follow, so each model must be calibrated (dom) */
    /* Fills the job's set of models, and sets the job's inputs; the models stay in memory. NULL: models come from
     * files */
    int (*find)(ws_job *job, ws_hmmset *set, ws_err *err);
} ws_stage;
extern const ws_stage ws_msvfilt_stage, ws_vitfilt_stage, ws_fwdscore_stage; /* hmmsearch's filters */

typedef struct ws_cascade_opts {
    double p, bits, evalue, z;
    int p_given, bits_given, evalue_given, z_given;
    ws_opt_list models; /* -m: in place of the first operand */
    int nobias, no_skip;
    int windows; /* --long, of earlier versions */
    uint64_t mem;
    /* models are read in parts, from pressed files if there are some; and cutoffs are needed */
    int in_parts, cut;
    ws_translate_opts orfs;
} ws_cascade_opts;

#define WS_CASCADE_AT(field) offsetof(ws_cascade_opts, field)
#define WS_CASCADE_FLAG(name_, field, help_) \
    {0, name_, NULL, WS_OPT_FLAG, WS_CASCADE_AT(field), NULL, help_, .group = WS_GROUP_FILTER, .flags = WS_OPT_RESULT, \
     .given = WS_OPT_NOGIVEN}
#define WS_CASCADE_REAL(letter_, name_, field, arg_, help_, max_, above_) \
    {letter_, name_, NULL, WS_OPT_REAL, WS_CASCADE_AT(field), arg_, help_, .min = 0, .max = max_, \
     .group = WS_GROUP_FILTER, \
     .flags = WS_OPT_RESULT | (above_), .given = WS_CASCADE_AT(field##_given)}

/* Entries of the option table that all four filters have. */
#define WS_CASCADE_OPTS(default_p) \
    WS_CASCADE_MODELS, WS_CASCADE_MEM, WS_TRANSLATE_OPTS(WS_CASCADE_AT(orfs)), \
    WS_CASCADE_REAL('P', "pvalue", p, "P", "pass if the P-value is at most P [" default_p "]", 1, 0), \
        {'T', "bits", NULL, WS_OPT_REAL, WS_CASCADE_AT(bits), "BITS", \
         "pass if the bit score is at least BITS; replaces the default -P", \
         .group = WS_GROUP_FILTER, .flags = WS_OPT_RESULT, .given = WS_CASCADE_AT(bits_given)}, \
        WS_CASCADE_REAL('E', "evalue", evalue, "E", "pass if the E-value, P times -Z, is at most E", \
                        1e300, WS_OPT_ABOVE), \
        WS_CASCADE_REAL('Z', "db-size", z, "N", \
            "sequences in the whole database, for E-values: in= of the ##end line", 1e18, \
                        WS_OPT_ABOVE), \
        {0, "long", NULL, WS_OPT_FLAG, WS_CASCADE_AT(windows), NULL, "", .group = WS_GROUP_FILTER, \
         .flags = WS_OPT_HIDDEN, .given = WS_OPT_NOGIVEN}
#define WS_CASCADE_MEM \
    {0, "mem", NULL, WS_OPT_SIZE, WS_CASCADE_AT(mem), "SIZE", \
     "memory for models, batches, rows [a quarter of what there is]", \
     .min = 1e6, .max = 1e15, .group = WS_GROUP_RUN, .given = WS_OPT_NOGIVEN}
#define WS_CASCADE_MODELS \
    {'m', "models", NULL, WS_OPT_LIST, WS_CASCADE_AT(models), "FILE", \
     "models, in place of the operand MODEL; may be given several times", \
     .group = WS_GROUP_FILTER, .given = WS_OPT_NOGIVEN}
#define WS_CASCADE_NOBIAS WS_CASCADE_FLAG("nobias", nobias, "do not correct for composition bias")

/* Members of a ws_tool for a stage; lib/run/tool.h specifies each.
 * tool->open calls ws_cascade_open with its stage. ws_cascade_open finds the models, which are the job's targets
 * (ws_hmm_target), and checks the options. ws_cascade_close frees what ws_cascade_open made, also after a failure.
 * ws_cascade_finish prints what a user should know of the models.
 * ws_cascade_make makes bias and profile of one target. set_values makes a ws_lenmodel of each sequence. decide applies
 * hmmsearch's decision to each pair of a task (profile-filters.md, section 12.2). */
int ws_cascade_open(ws_job *job, const ws_stage *stage, ws_err *err);
void ws_cascade_close(ws_job *job);
/* The least that a model takes that was found and is not made: its header, its place and its state. */
enum { WS_CASCADE_MODEL_BYTES = 850 };
/* Tells in a note if the models, of at least so many bytes each, alone take more than a --mem that was given. */
void ws_cascade_note_models(const ws_job *job, uint64_t bytes, uint64_t mem);
/* Puts other models, which stay in memory, in the place of all: for ws_tool.again. Takes *set over, after a failure
 * too. Fails as ws_cascade_open. */
int ws_cascade_replace(ws_job *job, ws_hmmset *set, ws_err *err);
int ws_cascade_finish(ws_job *job, ws_err *err);
int ws_cascade_make(ws_job *job, uint32_t t, ws_err *err);
/* Sets the hash of models that are pressed, for outputs and inputs that name it. Fails as a reader. */
int ws_cascade_identify(ws_job *job, ws_err *err);
void ws_cascade_forget(ws_job *job, uint32_t t);
size_t ws_cascade_made_size(const ws_job *job, uint32_t t);
void ws_cascade_set_values(const ws_seqs *seqs, void *value);
int ws_cascade_decide(const ws_job *job, const ws_batch *b, const ws_task *task, const uint32_t *row,
                      const ws_scan_worker *worker, ws_hits *hits, ws_err *err);

extern const ws_scoring ws_cascade_scoring; /* results are ws_fscore */

/* Initialises these members in a filter's ws_tool. The filter's tool.c adds opts, defaults, backends and open_stage. */
#define WS_CASCADE_TOOL                                                                                              \
    .opts = opts, .own_size = sizeof(ws_cascade_opts), .defaults = defaults, .backends = backends, \
    .reader = &ws_scan_reader, \
    .scoring = &ws_cascade_scoring, .open = open_stage, .close = ws_cascade_close, .make = ws_cascade_make, \
    .finish = ws_cascade_finish, .forget = ws_cascade_forget, .made_size = ws_cascade_made_size

/* The state that ws_cascade_open makes in job->data, for the files of this folder. */
typedef struct ws_cascade {
    const ws_stage *stage;
    const ws_cascade_opts *opts;
    double max_p;         /* a pair passes if P <= max_p; HUGE_VAL: no limit on P */
    const char *const *path; /* [npath] of the models */
    size_t npath;
    ws_hmmset set;        /* without the tables of the models, which ws_cascade_make needs for a moment */
    ws_hmm_target *model; /* [set.n] */
    ws_hmm_reader reader; /* with ws_cascade_opts.in_parts */
    const char *pressed;  /* the path whose pressed files are read; NULL: none are */
} ws_cascade;
static inline ws_cascade *ws_cascade_of(const ws_job *job) { return job->data; }

#endif
