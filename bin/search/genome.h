/* SPDX-License-Identifier: MIT
 * nhmmsieve: nhmmer's whole search of long DNA targets in one program. Blocks of records go through the stages of
 * kernels/long one
 * after the other; hits wait for the end of the input, which their E-values need. Specification long-targets.md. */
#ifndef WS_SEARCH_GENOME_H
#define WS_SEARCH_GENOME_H

#include "bin/domains/dna.h"
#include "kernels/long/search.h"
#include "lib/run/job.h"

/* ---- models ---- */

/* What ws_target.data points to. */
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
} ws_genome;

extern const ws_reader ws_genome_reader; /* bin/search/genome_input.c */
/* Takes note of an item in input order: ws_output.pack of the main output. */
int ws_genome_take(const ws_job *job, void *own, const void *item, const ws_outtext *made, ws_buf *text, ws_err *err);

/* ---- a batch in parts: bin/search/genome_search.c ---- */

/* Models in groups of neighbours: group g has the models first[g] .. first[g + 1] - 1. */
typedef struct ws_genome_groups {
    size_t *first; /* [n + 1] */
    size_t n;
    int nodes; /* of the largest group */
} ws_genome_groups;
int ws_genome_groups_create(ws_genome_groups *g, const ws_long_target *target, size_t n, ws_err *err);
void ws_genome_groups_release(ws_genome_groups *g);

/* What all parts share, and what they count. */
typedef struct ws_genome_search {
    ws_job *job;
    ws_genome *genome;
    ws_long_cut cut;
    ws_genome_groups groups;
    _Atomic uint64_t windows, envelopes, cells, device_cells;
} ws_genome_search;

/* What one thread needs. Zero-initialise; released by ws_genome_worker_release. */
typedef struct ws_genome_worker {
    ws_dom_worker *dom;
    ws_long_worker search;
    ws_long_list windows, parts; /* of a slice: windows that wait for a device, and sub-windows that passed Forward */
    ws_long_hits found;
} ws_genome_worker;
void ws_genome_worker_release(ws_genome_worker *w);

/* The work on one batch. It is planned again for each batch that it serves. */
typedef struct ws_genome_work ws_genome_work;
int ws_genome_work_create(ws_genome_work **w, ws_err *err);
void ws_genome_work_destroy(ws_genome_work *w); /* NULL is legal */
/* Sets *parts, at least 1. WS_ENOMEM. */
int ws_genome_work_plan(ws_genome_work *w, const ws_genome_search *s, const ws_batch *b, size_t *parts, ws_err *err);
/* Does a part. Threads must take the parts in ascending order, because some wait for earlier ones. Failures are those
 * of a device, of
 * making a model, and of ws_long_find_hits. */
int ws_genome_work_do(ws_genome_search *s, ws_genome_work *w, const ws_batch *b, size_t part, ws_genome_worker *worker,
                      ws_err *err);

#endif
