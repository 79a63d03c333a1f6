/* SPDX-License-Identifier: MIT
 * The state of hmmsieve: its options, its stages, and the pools between them.
 *
 *   read     batches of sequences, which are pools of the first stage: every sequence against every model
 *   filter   msv, vit, fwd: a step scores pairs of a pool and decides. Pairs that pass go to an open pool of the next
 *            stage
 *   decide   decisions about what a device has scored
 *   domains  parse, resolve, rescore (bin/domains/steps.h); hits are held until the input ends */
#ifndef WS_SEARCH_SIEVE_H
#define WS_SEARCH_SIEVE_H

#include "bin/domains/domscore.h"
#include "bin/filters/decide.h"
#include "bin/search/forms.h"
#include "bin/stages/plan.h"

#include "lib/base/freelist.h"
#include "lib/run/turns.h"
#include "lib/simd/codec.h"

#include <pthread.h>

typedef struct ws_sieve ws_sieve;
typedef struct ws_sieve_block ws_sieve_block;

/* ---- pools: pool.c ---- */

/* A pair, and what earlier stages computed of it. */
typedef struct ws_sieve_pair {
    uint32_t seq, target;
    float null2; /* null score in nats, corrected for bias; NaN: not known */
    float msv;   /* MSV score in nats */
} ws_sieve_pair;

enum { WS_SIEVE_CLOSED, WS_SIEVE_TAKEN /* in the hands of a thread */, WS_SIEVE_READY };

/* Sequences with pairs for one stage. An open pool takes pairs; a closed one is made ready by one thread; then threads
 * take pairs from it by the rank of their models. */
typedef struct ws_sieve_pool {
    ws_batch batch;
    uint64_t *number; /* [batch.n] of the sequence in the input */
    ws_sieve_block **block; /* [batch.n] with --scan: of the sequence; else NULL */
    ws_sieve_pair *pair;
    size_t npair;
    int all;          /* there are no pairs: every sequence meets every model */
    double cells;     /* of all pairs */

    /* once it is ready */
    ws_seqs seqs;          /* the batch's; their values are ws_lenmodels */
    ws_buf codes, lengths;
    uint32_t *item;        /* [npair] sequences, by ranks of models; with `all` [batch.n] all sequences */
    uint32_t *start;       /* [models + 1] the first pair of each rank; of any content with `all` */
    float *null2, *msv;    /* [npair] as item */
    ws_scan_pairs by_model; /* these, grouped by the rank of the model */

    /* under the stage's lock */
    int state;           /* WS_SIEVE_CLOSED ... */
    size_t taken, steps; /* pairs that were taken; steps that are under way */
    int user;            /* the device's thread that took pairs first, from 1, whose stream holds the pool; 0: none */
    struct ws_sieve_pool *next;

    /* where the stage after it has the sequences of this pool. All its pairs go to one inlet, whose lock is that of
     * `copy` too */
    int inlet;
    struct ws_sieve_copy *copy; /* [batch.n] */
    size_t number_cap, block_cap, pair_cap, item_cap, start_cap, null2_cap, msv_cap, copy_cap;
} ws_sieve_pool;

/* The place of a sequence in the pool of that number of the next stage; its copy in the domain stage. */
typedef struct ws_sieve_copy {
    uint64_t pool;
    uint32_t seq;
    ws_dom_seq *whole;
} ws_sieve_copy;

static inline size_t ws_sieve_pairs(const ws_sieve_pool *p, size_t models) {
    return p->all ? p->batch.n * models : p->npair;
}

void ws_sieve_pool_release(ws_sieve_pool *p);

/* ---- the pools of a filter ---- */

/* Where pairs are added. */
typedef struct ws_sieve_inlet {
    pthread_mutex_t lock; /* taken before that of the filter */
    ws_sieve_pool *open;  /* NULL: there is none yet */
    uint64_t number;      /* of that pool, from 1 */
} ws_sieve_inlet;

/* A filter as a stage; with --max the only one, which lets every pair through. */
typedef struct ws_sieve_filter {
    ws_sieve *sieve;
    int kind;              /* WS_SIEVE_MSV ...; WS_SIEVE_FILTERS: no filter */
    ws_cascade_opts opts;
    ws_cascade cascade;    /* stage, opts and threshold */
    ws_gate *gate;         /* [models] */

    ws_sieve_inlet inlet[WS_PLAN_INLETS];
    int calls;            /* steps that devices have taken. Atomic */
    ws_freelist idle;     /* empty pools */
    pthread_mutex_t lock; /* of the list of closed pools */
    ws_sieve_pool *first; /* the oldest of these */
} ws_sieve_filter;

/* Returns an empty pool, to be given to ws_sieve_filter_put when it is full; NULL and a sentence without memory. */
ws_sieve_pool *ws_sieve_filter_pool(ws_sieve_filter *f, ws_err *err);
void ws_sieve_filter_put(ws_sieve_filter *f, ws_sieve_pool *p);
/* Adds the pairs that passed, of a ready pool. Returns WS_ENOMEM on failure. */
int ws_sieve_filter_add(ws_sieve_filter *f, ws_sieve_pool *from, const ws_sieve_pair *pair, size_t n, ws_err *err);
/* Returns the cells of the pairs that wait, about. Any thread may call this. */
double ws_sieve_filter_waiting(ws_sieve_filter *f);
/* Do what ws_chain_stage says of take and left. A step whose `from` is WS_SIEVE_WHOLE makes its pool ready. */
#define WS_SIEVE_WHOLE SIZE_MAX
int ws_sieve_filter_take(ws_sieve_filter *f, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step);
int ws_sieve_filter_left(ws_sieve_filter *f);
/* Does such a step. WS_ENOMEM. */
int ws_sieve_filter_ready(ws_sieve_filter *f, ws_sieve_pool *p, ws_err *err);
/* Ends a step of a pool, which has this state then. */
void ws_sieve_filter_end_step(ws_sieve_filter *f, ws_sieve_pool *p, int state);
void ws_sieve_filter_open_pools(ws_sieve_filter *f);
void ws_sieve_filter_close_pools(ws_sieve_filter *f);

/* ---- filters: filters.c ---- */

int ws_sieve_filter_create(ws_sieve_filter *f, ws_sieve *s, int kind, const ws_stage *stage, double p, ws_err *err);
void ws_sieve_filter_release(ws_sieve_filter *f);
ws_chain_stage ws_sieve_filter_stage(ws_sieve_filter *f);
typedef struct ws_sieve_memory ws_sieve_memory;
/* Returns the stage in which threads of the CPU decide about what a device has scored: the last of the chain, since
 * streams wait for what passes. */
ws_chain_stage ws_sieve_decision_stage(ws_sieve *s);
/* Open and free the memory of all steps. */
void ws_sieve_scores_open(ws_sieve *s);
void ws_sieve_scores_release(ws_sieve *s);

/* ---- domains: domains.c ---- */

/* Lets pairs of a ready pool begin. Any thread. Fails as ws_job_take, or with WS_ENOMEM. */
int ws_sieve_domains_add(ws_sieve *s, ws_sieve_pool *from, const ws_sieve_pair *pair, size_t n, ws_err *err);
/* ws_dom_steps_conf.done: holds the hit; own is a ws_sieve. */
int ws_sieve_domains_done(void *sieve, ws_dom_item *first, ws_err *err);

/* ---- the program: sieve.c. Members of a ws_tool whose own struct begins with a ws_sieve ---- */

/* Opens a search whose models the stage `find` finds; NULL: in files, as hmmsieve. */
int ws_sieve_open(ws_job *job, int (*find)(ws_job *job, ws_hmmset *set, ws_err *err), ws_err *err);
void ws_sieve_close(ws_job *job);
/* With --max sets what passed the filters: every sequence with residues. */
void ws_sieve_count_all(ws_sieve *s);
/* shards.c: with --db-shards, sets the job's inputs to the parts of the databases that they name. Fails with WS_EUSAGE,
 * or WS_EIO if a part is not there. */
int ws_sieve_shards(ws_sieve *s, ws_job *job, ws_err *err);
/* Searches with other models from now on, for ws_tool.again: see ws_cascade_replace. Forgets all hits. */
int ws_sieve_restart(ws_job *job, ws_hmmset *set, ws_err *err);
void ws_sieve_forget(ws_job *job, uint32_t t);
int ws_sieve_chain(ws_job *job, ws_chain_ops *ops, ws_err *err);
int ws_sieve_finish(ws_job *job, ws_err *err);
void ws_sieve_defaults(void *own);
extern const ws_scoring ws_sieve_scoring;

/* Entries of an option table, of a struct that begins with a ws_sieve. */
#define WS_SIEVE_AT(field) offsetof(ws_sieve, field)
#define WS_SIEVE_FILTER(name_, field, help_) \
    {0, name_, NULL, WS_OPT_REAL, WS_SIEVE_AT(field), "P", help_, .min = 0, .max = INFINITY, .group = WS_GROUP_FILTER, \
     .flags = WS_OPT_RESULT, .given = WS_SIEVE_AT(F_given)}
#define WS_SIEVE_FILTER_OPTS \
    {'a', "max", NULL, WS_OPT_FLAG, WS_SIEVE_AT(max), NULL, "turn the filters off: search every sequence for domains", \
     .group = WS_GROUP_FILTER, .flags = WS_OPT_RESULT, .given = WS_OPT_NOGIVEN}, \
        WS_SIEVE_FILTER("F1", F1, "sequences pass msvfilt if their P-value is at most P [0.02]"), \
        WS_SIEVE_FILTER("F2", F2, "sequences pass vitfilt if their P-value is at most P [1e-3]"), \
        WS_SIEVE_FILTER("F3", F3, "sequences pass fwdscore if their P-value is at most P [1e-5]"), \
        WS_HIT_FLAG(ws_sieve, "nobias", dom.cascade.nobias, WS_GROUP_FILTER, WS_OPT_RESULT, \
                    "do not correct for composition bias in the filters")
#define WS_SIEVE_FORMAT \
    {0, "tformat", "in-format", WS_OPT_STRING, WS_SIEVE_AT(tformat), "FORMAT", \
     "read sequences in this format only: " WS_SEQFORMAT_NAMES " [by content]", .group = WS_GROUP_INPUT, \
     .given = WS_OPT_NOGIVEN}, \
        {0, "db-shards", NULL, WS_OPT_INT, WS_SIEVE_AT(db_shards), "N", \
         "each FILE names N files of one database: FILE-00000-of-0000N and so on", .min = 1, .max = 99999, \
         .group = WS_GROUP_INPUT, .given = WS_OPT_NOGIVEN}
#define WS_SIEVE_THREADS \
    {'t', "threads", "cpu", WS_OPT_INT, WS_SIEVE_AT(threads), "N", \
     "threads, 0 is 1 [all cores that the process may use]", .min = 0, .max = 4096, .group = WS_GROUP_RUN, \
     .given = WS_SIEVE_AT(threads_given)}, \
    WS_HIT_FLAG(ws_sieve, "cpu-domains", cpu_domains, WS_GROUP_RUN, 0, \
                "score domains on the CPU alone [on the GPU too, where one runs]")
/* Options of HMMER's that are not here. */
#define WS_SIEVE_ABSENT(name_, field, type_) \
    {0, name_, NULL, type_, type_ == WS_OPT_FLAG ? WS_SIEVE_AT(field) : WS_SIEVE_AT(text), "X", "", \
     .group = WS_GROUP_MISC, .flags = WS_OPT_HIDDEN, .given = WS_SIEVE_AT(field)}
#define WS_SIEVE_ABSENT_OPTS WS_SIEVE_ABSENT("mpi", mpi, WS_OPT_FLAG), WS_SIEVE_ABSENT("stall", stall, WS_OPT_FLAG)

/* The members of a ws_tool that all searches of this chain share. */
#define WS_SIEVE_TOOL \
    .columns = {&ws_hit_columns}, .backends = ws_sieve_backends, .reader = &ws_scan_source, \
    .scoring = &ws_sieve_scoring, .make = ws_cascade_make, .forget = ws_sieve_forget, \
    .made_size = ws_cascade_made_size

/* ---- by sequence: scan.c ---- */

/* The state of --scan. */
typedef struct ws_sieve_scan {
    pthread_mutex_t lock; /* of the list of blocks */
    ws_sieve_block *blocks;
    ws_turns turns;       /* of blocks; not open without --scan */
    uint32_t *users;      /* [models] pairs and hits that need the model. Atomic */
    uint64_t nodes;       /* of all models */
    uint64_t room, bytes; /* what blocks and their models may take, and take, about. bytes: atomic */
} ws_sieve_scan;
enum {
    WS_SIEVE_MODEL_BYTES = 650, /* of a node, in all forms and in the tables of the domain stage */
    WS_SIEVE_MADE_BYTES = 4000  /* of the shortest model in all forms, at least: 4 kB scalar, 5.8 AVX2, 7.5 AVX-512 */
};

/* Fail with WS_ENOMEM alone; close after a failure too. */
int ws_sieve_scan_open(ws_sieve *s, ws_err *err);
void ws_sieve_scan_close(ws_sieve *s);
/* Returns 1 while blocks hold more than they should: the next may begin when some have ended. */
int ws_sieve_scan_is_full(ws_sieve *s);
/* Begins the block of a pool that was read. It does not end before the caller has ended one pair more than there are.
 * Without --scan it does nothing. WS_ENOMEM. */
int ws_sieve_scan_begin(ws_sieve *s, ws_sieve_pool *p, ws_err *err);
/* Counts that a model passed a filter (0 to WS_TEXT_FILTERS - 1) for a sequence of the block. */
void ws_sieve_scan_count(ws_sieve_block *b, uint64_t number, int filter);
/* Ends n pairs of a pool, of the sequences seq[n], but for those that passed. Before these go on. Fails as
 * ws_sieve_scan_end. */
int ws_sieve_scan_decide(ws_sieve *s, ws_sieve_pool *p, const uint32_t *seq, size_t n, const ws_sieve_pair *passed,
                         size_t npassed, ws_err *err);
/* Keeps a model for a pair in the domain stage, whose caller has taken it, until ws_sieve_scan_hold. */
void ws_sieve_scan_keep_model(ws_sieve *s, uint32_t m);
/* Holds the hit of a pair if it can still be reported. Under the lock of ws_domscore. Fails as ws_hitstore_add. */
int ws_sieve_scan_hold(ws_sieve *s, ws_sieve_block *b, uint32_t m, const ws_hitseq *seq, const ws_dom_result *hit,
                       ws_err *err);
/* Ends so many pairs of a block. With the last one the block is ranked, and leaves when those before it have left.
 * WS_ENOMEM, or a failure to write. */
int ws_sieve_scan_end(ws_sieve *s, ws_sieve_block *b, uint64_t pairs, ws_err *err);

/* ---- all ---- */

struct ws_sieve {
    ws_domscore dom; /* options about hits, hits, outputs */
    double F1, F2, F3;
    int F_given, max, threads_given;
    long long threads;
    int cpu_domains, windows, mpi, stall, restrictdb, ssifile;
    const char *tformat, *text;
    long long db_shards; /* 0: inputs are files as they are named */
    ws_buf shard_names;  /* with NUL */
    const char **shard;  /* [inputs x db_shards] these */

    ws_job *job;
    ws_stage first; /* the first filter, before which there may be models without E-values */
    const ws_codec *codec;
    /* [models] the models by length, the longest first, and the place of each among them. Neighbours in a pool have
     * one shape on a device, so that a call has few launches, each of many pairs */
    uint32_t *model, *rank;
    ws_sieve_filter filter[WS_SIEVE_FILTERS];
    int nfilter;
    ws_chain_stage stage[WS_SIEVE_FILTERS + WS_DOM_STEPS + 1];
    int source_failed;
    int again; /* the input may be read once more, by queries that are not done */
    uint64_t passed_all; /* with --max: sequences with residues */
    ws_dom_passed passed;
    ws_buf args;

    ws_freelist idle;        /* ws_sieve_memory */
    pthread_mutex_t lock;    /* of what follows */
    ws_sieve_memory *scored; /* steps that wait for the decision, the first one first */
    uint8_t *pinned;             /* [models] 1: the domain stage needs what was made of it */
    ws_sieve_scan by_seq;
};
WS_BEGINS_WITH(ws_sieve, dom);
static inline ws_sieve *ws_sieve_of(const ws_job *job) { return job->own; }

static inline size_t ws_sieve_models(const ws_sieve_filter *f) { return f->sieve->job->ntarget; }

#endif
