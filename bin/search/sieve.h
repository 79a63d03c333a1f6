/* SPDX-License-Identifier: MIT
 * The state of hmmsieve: its options, its stages, and the pools between them.
 *
 *   read     batches of sequences, which are pools of the first stage: every sequence against every model
 *   filter   msv, vit, fwd: a step scores pairs of a pool and decides. Pairs that pass go to the open pool of the next
 * stage
 *   domains  parse, resolve, rescore (bin/domains/steps.h); hits are held until the input ends */
#ifndef WS_SEARCH_SIEVE_H
#define WS_SEARCH_SIEVE_H

#include "bin/domains/domscore.h"
#include "bin/filters/decide.h"
#include "bin/search/forms.h"

#include "lib/simd/codec.h"

#include <pthread.h>

typedef struct ws_sieve ws_sieve;

/* A sequence with pairs in the domain stage. Each pair and the pool that it comes from hold it. */
typedef struct ws_sieve_target {
    uint32_t users; /* atomic */
    ws_lenmodel lm;
    ws_hitseq seq;  /* its texts lie after this record */
} ws_sieve_target;

/* ---- pools: pool.c ---- */

/* A pair, and what earlier stages computed of it. */
typedef struct ws_sieve_pair {
    uint32_t seq, target;
    float null2; /* null score in nats, corrected for bias; NaN: not known */
    float msv;   /* MSV score in nats */
} ws_sieve_pair;

/* Sequences with pairs for one stage. An open pool takes pairs; a closed one is made ready by one thread; then threads
 * take pairs from it by the model. */
typedef struct ws_sieve_pool {
    ws_batch batch;
    uint64_t *number; /* [batch.n] of the sequence in the input */
    ws_sieve_pair *pair;
    size_t npair;
    int all;          /* there are no pairs: every sequence meets every model */
    double cells;     /* of all pairs */

    /* once it is ready */
    ws_seqs seqs;          /* the batch's; their values are ws_lenmodels */
    ws_buf codes, lengths;
    uint32_t *item;        /* [npair] sequences, by their models; with `all` [batch.n] all sequences */
    uint32_t *start;       /* [models + 1] the first pair of each model; NULL with `all` */
    float *null2, *msv;    /* [npair] as item */

    /* under the stage's lock */
    int state;           /* closed, in the hands of a thread, ready */
    size_t taken, steps; /* pairs that were taken; steps that are under way */
    struct ws_sieve_pool *next;

    /* where the stage after it has the sequences of this pool */
    struct ws_sieve_copy *copy; /* [batch.n] */
    size_t number_cap, pair_cap, item_cap, start_cap, null2_cap, msv_cap, copy_cap;
} ws_sieve_pool;

/* The place of a sequence in the pool of that number of the next stage; its target in the domain stage. */
typedef struct ws_sieve_copy {
    uint64_t pool;
    uint32_t seq;
    ws_sieve_target *target;
} ws_sieve_copy;

static inline size_t ws_sieve_pairs(const ws_sieve_pool *p, size_t models) {
    return p->all ? p->batch.n * models : p->npair;
}

/* Empties a pool and keeps its memory. */
void ws_sieve_pool_reuse(ws_sieve_pool *p);
void ws_sieve_pool_release(ws_sieve_pool *p);
/* Adds a pair whose sequence is number `seq` of another pool. `number` is that of this pool. Returns WS_ENOMEM on
 * failure. */
int ws_sieve_pool_add(ws_sieve_pool *p, uint64_t number, ws_sieve_pool *from, const ws_sieve_pair *pair, ws_err *err);
/* Makes a closed pool ready, for so many models. Returns WS_ENOMEM on failure. */
int ws_sieve_pool_make(ws_sieve_pool *p, size_t models, const ws_codec *codec, ws_err *err);

/* ---- filters: filters.c ---- */

/* A thread's own memory. */
typedef struct ws_sieve_memory {
    ws_buf scratch, scores, hints, tasks, pending, passed;
    struct ws_sieve_memory *next;
} ws_sieve_memory;

/* A filter as a stage; with --max the only one, which lets every pair through. */
typedef struct ws_sieve_filter {
    ws_sieve *sieve;
    int kind;              /* WS_SIEVE_MSV ...; WS_SIEVE_FILTERS: no filter */
    ws_cascade_opts opts;
    ws_cascade cascade;    /* stage, opts and threshold */
    ws_gate *gate;         /* [models] */

    pthread_mutex_t filling; /* of the open pool; taken before `lock` */
    ws_sieve_pool *open;
    uint64_t number;         /* of that pool, from 1 */
    pthread_mutex_t lock;    /* of the list of closed ones, the first of which is the oldest */
    ws_sieve_pool *first, *free;
} ws_sieve_filter;

int ws_sieve_filter_create(ws_sieve_filter *f, ws_sieve *s, int kind, const ws_stage *stage, double p, ws_err *err);
void ws_sieve_filter_release(ws_sieve_filter *f);
ws_chain_stage ws_sieve_filter_stage(ws_sieve_filter *f);
/* Returns an empty pool, to be given to ws_sieve_filter_put when it is full; NULL and a sentence without memory. */
ws_sieve_pool *ws_sieve_filter_pool(ws_sieve_filter *f, ws_err *err);
void ws_sieve_filter_put(ws_sieve_filter *f, ws_sieve_pool *p);
/* Adds the pairs that passed, of a ready pool. Returns WS_ENOMEM on failure. */
int ws_sieve_filter_add(ws_sieve_filter *f, ws_sieve_pool *from, const ws_sieve_pair *pair, size_t n, ws_err *err);

/* ---- domains: domains.c ---- */

/* Lets pairs of a ready pool begin. Any thread. Fails as ws_job_take, or with WS_ENOMEM. */
int ws_sieve_domains_add(ws_sieve *s, ws_sieve_pool *from, const ws_sieve_pair *pair, size_t n, ws_err *err);
/* ws_dom_steps_conf.done: holds the hit; own is a ws_sieve. */
int ws_sieve_domains_done(void *sieve, ws_dom_item *item, ws_err *err);
/* Takes a target from a pool that is done; NULL is legal. */
void ws_sieve_target_leave(ws_sieve_target *t);
/* Frees what a failed run has left. */
void ws_sieve_domains_release(ws_sieve *s);

/* ---- all ---- */

struct ws_sieve {
    ws_domscore dom; /* first, as bin/domains wants it: options about hits, hits, outputs */
    double F1, F2, F3;
    int F_given, max, threads_given;
    long long threads;
    int windows, pfamtblout, mpi, stall, restrictdb, ssifile;
    const char *tformat, *text;

    ws_job *job;
    ws_stage first; /* the first filter, before which there may be models without E-values */
    const ws_codec *codec;
    ws_sieve_filter filter[WS_SIEVE_FILTERS];
    int nfilter;
    ws_chain_stage stage[WS_SIEVE_FILTERS + WS_DOM_STEPS];
    int source_failed;
    uint64_t passed_all; /* with --max: sequences with residues */
    ws_dom_passed passed;
    ws_buf args;

    pthread_mutex_t lock; /* of the lists below, the hits, and what is made of models */
    ws_sieve_memory *idle;
    struct ws_sieve_item *items; /* pairs in the domain stage */
    uint8_t *pinned;             /* [models] 1: the domain stage needs what was made of it */
};

#endif
