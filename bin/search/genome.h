/* SPDX-License-Identifier: MIT
 * nhmmsieve: nhmmer's whole search of long DNA targets in one program. Blocks of records go through the stages of
 * kernels/long; hits wait for the end of the input, which their E-values need. Specification long-targets.md. */
#ifndef WS_SEARCH_GENOME_H
#define WS_SEARCH_GENOME_H

#include "bin/domains/dna.h"
#include "kernels/long/search.h"
#include "lib/run/job.h"

#include <pthread.h>

/* ---- models ---- */

/* A model, at ws_target.data. */
typedef struct ws_genome_model {
    ws_hmm_target filter; /* first, as filters of devices and bin/domains/dna.h take it */
    ws_long_target *target;
    const ws_long_filters *by; /* of devices */
} ws_genome_model;
/* The backends lay targets out, that of devices for a device too. */
extern const ws_backend *const ws_genome_backends[];

/* ---- the program ---- */

/* ws_job.own. */
typedef struct ws_genome {
    ws_long_options scan;
    long long B1, B2, B3, w_length, seed;
    uint64_t block, mem;
    double E, T, megabases;
    int E_given, T_given, Z_given, cut_ga, cut_nc, cut_tc, all, max, nonull2, watson, crick, form, ignored;
    int cut;    /* WS_CUT_GA ..., -1: none asked for */
    int format; /* ws_format of the sequences, asserted */
    const char *tblout, *dfamtblout;

    /* after open */
    ws_hmmset set;
    ws_genome_model *model; /* [set.n] */
    ws_long_target *target; /* [set.n] */
    ws_dna dna;
    uint64_t residues; /* searched so far, for E-values: both strands if both are */
    ws_dnaseq *piecewise; /* records that came in pieces, and their lengths: number and L alone */
    size_t npiecewise, piecewise_cap;
} ws_genome;

/* bin/search/genome_input.c */
extern const ws_reader ws_genome_reader;
int ws_genome_chain(ws_job *job, ws_chain_ops *ops, ws_err *err); /* ws_tool.chain */

/* Models in sets of neighbours: set g has the models first[g] .. first[g + 1] - 1. */
typedef struct ws_genome_sets {
    size_t *first; /* [n + 1] */
    size_t n;
    int nodes; /* of the largest set */
} ws_genome_sets;
int ws_genome_sets_create(ws_genome_sets *sets, const ws_long_target *target, size_t n, ws_err *err);
void ws_genome_sets_release(ws_genome_sets *sets);

/* ---- the chain: bin/search/genome_search.c ---- */

/* A batch of records meets each set of models as a pool. Its stages:
 *
 *   mark     threads of devices: the first pass of the SSV scan for all blocks
 *   scan     blocks, some slices in a step, to windows. Without marks the thread tests these at once, up to Forward
 *   test     windows of a pool that a device has marked, all in one call: to sub-windows that pass Forward
 *   domains  sub-windows, some of one model in a step: when a pool is scanned there are many, which fill the registers
 *
 * Where the CPU may score beside a device, its threads scan pools that no device has begun, if nothing else is left. */
enum { WS_GENOME_STAGES = 4 };
typedef struct ws_genome_stage {
    struct ws_genome_search *of;
    int number;
} ws_genome_stage;

/* The state that all threads share, and their counts. */
typedef struct ws_genome_search {
    ws_job *job;
    ws_genome *genome;
    ws_long_cut cut;
    ws_genome_sets sets;
    _Atomic uint64_t windows, envelopes, cells, device_cells;

    ws_genome_stage stage[WS_GENOME_STAGES];
    pthread_mutex_t lock; /* of what follows */
    struct ws_genome_flight *first, *free; /* batches on their way, the oldest first; empty ones */
    struct ws_genome_memory *idle;
    size_t ahead; /* pools that a device has begun and that are not at their last stage */
} ws_genome_search;
/* The members before the stages are the caller's. No thread uses the search any more when it is released. */
void ws_genome_search_begin(ws_genome_search *s);
void ws_genome_search_release(ws_genome_search *s);
/* Sets the members of the stages in a chain. */
void ws_genome_search_stages(ws_genome_search *s, ws_chain_stage stage[WS_GENOME_STAGES]);

/* Lets a batch, the next one of the input, go through all stages; *b becomes another one, of any content. WS_ENOMEM. */
int ws_genome_add(ws_genome_search *s, ws_batch *b, ws_err *err);
/* ws_chain_ops.wish. */
ws_chain_wish ws_genome_wish(void *search);

#endif
