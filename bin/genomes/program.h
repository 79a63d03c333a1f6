/* SPDX-License-Identifier: MIT
 * nhmmsieve: nhmmer's whole search of long DNA targets in one program. Blocks of records go through the stages of
 * kernels/long; hits wait for the end of the input, which their E-values need. Specification long-targets.md. */
#ifndef WS_GENOMES_PROGRAM_H
#define WS_GENOMES_PROGRAM_H

#include "bin/genomes/dna.h"
#include "bin/domains/steps.h"
#include "bin/queries/queries.h"
#include "kernels/long/search.h"
#include "lib/base/freelist.h"
#include "lib/hits/options.h"
#include "lib/formats/seqread.h"
#include "lib/run/turns.h"

#include <pthread.h>

/* ---- models ---- */

/* A model, at ws_target.data. */
typedef struct ws_genome_model {
    ws_hmm_target filter; /* first, as filters of devices and bin/genomes/dna.h take it */
    ws_long_target *target;
    const ws_long_filters *by; /* of devices */
} ws_genome_model;
/* The backends lay targets out, that of devices for a device too. */
extern const ws_backend *const ws_genome_backends[];

/* ---- the program ---- */

/* Files of options besides -O. */
enum {
    WS_GENOME_TBLOUT, WS_GENOME_DFAMTBLOUT, WS_GENOME_MSA, WS_GENOME_ALISCORES, WS_GENOME_RECORDS, WS_GENOME_NBESIDE
};

typedef struct ws_genome {
    ws_long_options scan;
    long long B1, B2, B3, w_length, seed, textw, threads;
    uint64_t block, mem;
    double E, T, incE, incT, megabases;
    int cpu_domains;
    int E_given, T_given, incE_given, incT_given, Z_given, textw_given, threads_given;
    int cut_ga, cut_nc, cut_tc, all, max, nonull2, watson, crick, form, noali, notextw, acc;
    int dna_given, rna, qsingle_seqs, singlemx, w_beta_given;
    ws_queryset queries; /* sequences as queries, and options of models that are made */
    int by_seq; /* --scan: the records are the queries, the models the targets */
    int cut;    /* WS_CUT_GA ..., -1: none asked for */
    ws_format format; /* of the sequences, asserted */
    const char *tformat, *qformat;
    const char *beside[WS_GENOME_NBESIDE]; /* paths of forms that are written besides -O */
    const char *hmmout; /* path of models that are made */
    const char *unused; /* values of nhmmer's options that are absent */
    int absent;         /* one of these was given */

    /* after open */
    ws_hmmset set;
    int is_made; /* the models were made of sequences or alignments */
    ws_buf made; /* them as text, for --hmmout */
    ws_genome_model *model; /* [set.n] */
    ws_long_target *target; /* [set.n] */
    const ws_hmm **hmm;     /* [set.n] of --scan */
    ws_long_history *history; /* [set.n] of models that change; not of --scan */
    ws_dna dna;
    uint64_t nodes;    /* of all models */
    uint64_t residues; /* searched so far, for E-values: both strands if both are. Atomic */
    uint64_t seqs;     /* at the end of the input */
    ws_buf author;     /* Stockholm's AU line, with NUL */
    ws_dnaseq *piecewise; /* records that came in pieces, and their lengths: number and L alone */
    size_t npiecewise, piecewise_cap;
} ws_genome;
static inline ws_genome *ws_genome_of(const ws_job *job) { return job->own; }

/* Returns how many strands are searched. */
static inline uint64_t ws_genome_strands(const ws_genome *g) { return (uint64_t)(!g->watson + !g->crick); }
/* Returns the residues that -Z says. */
static inline uint64_t ws_genome_given(const ws_genome *g) {
    return (uint64_t)(1e6 * g->megabases) * ws_genome_strands(g);
}

/* bin/genomes/options.c: the table, defaults, and what is wrong with their combination (WS_EUSAGE) */
extern const ws_opt ws_genome_opts[];
extern const char *const ws_genome_forms[]; /* of -O, by ws_genome.form */
void ws_genome_defaults(void *own);
int ws_genome_check(ws_genome *g, const ws_job *job, ws_err *err);
/* bin/genomes/queries.c: reads the models, or makes them of the sequences or alignments in the file. WS_EUSAGE,
 * WS_EDATA, WS_EIO. */
int ws_genome_find_models(ws_job *job, const char *const *path, size_t npath, ws_err *err);
/* bin/genomes/report.c: adds all outputs, with what stands before and after their rows, and begins to count. The
 * models are there. WS_ENOMEM. */
int ws_genome_open_outputs(ws_job *job, ws_err *err);

/* bin/genomes/input.c */
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

/* ---- the chain: bin/genomes/search.c ---- */

/* A batch of records meets each set of models as a pool. Its stages:
 *
 *   mark     threads of devices: the first pass of the SSV scan for all blocks
 *   scan     blocks, some slices in a step, to windows. Without marks the thread tests these at once, up to Forward
 *   test     windows of a pool that a device has marked, all in one call: to sub-windows that pass Forward
 * and those of the domain stage (bin/domains/steps.h), to which a pool gives all its sub-windows.
 *
 * Where the CPU may score beside a device, its threads scan pools that no device has begun, if nothing else is left. */
enum { WS_GENOME_STAGES = 3 };
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

    ws_dom_steps *steps;
    size_t searching; /* pools before the domain stage. Atomic */
    ws_genome_stage stage[WS_GENOME_STAGES];
    ws_freelist idle; /* memory of steps */
    pthread_mutex_t lock; /* of what follows */
    struct ws_genome_flight *first, *free; /* batches on their way, the oldest first; empty ones */
    size_t ahead; /* pools that a device has begun and that are not at their last stage */
    size_t marking, testing; /* pools in these steps of devices */
    int tested; /* a device has tested one, or one that it marked had no windows */
    ws_turns turns; /* of batches, with --scan; else not open */
} ws_genome_search;

/* The hits of the records of a batch, and its place in the output: with --scan. */
typedef struct ws_genome_hits {
    ws_dnastore store; /* a list for each record */
    ws_long_passed *passed; /* [records] */
    ws_turn *turn;
} ws_genome_hits;
/* bin/genomes/scan.c. Without --scan begin and end do nothing. Begin: the next batch of the input. WS_ENOMEM. */
int ws_genome_scan_begin(ws_genome_search *s, const ws_batch *b, ws_genome_hits *hits, ws_err *err);
/* Copies a hit of a model in record `seq` of the batch. Any thread. WS_ENOMEM. */
int ws_genome_scan_add(const ws_genome_search *s, ws_genome_hits *hits, uint32_t target, const ws_batch *b,
                       uint32_t seq, const ws_dnahit *found, ws_err *err);
/* Ranks the hits of a batch that all models have met, and hands the text on. Fails as ws_turns_give. */
int ws_genome_scan_end(ws_genome_search *s, const ws_batch *b, ws_genome_hits *hits, ws_err *err);
void ws_genome_hits_release(ws_genome_hits *hits);
/* The members before the stages are the caller's. No thread uses the search any more when it is released. */
void ws_genome_search_begin(ws_genome_search *s);
void ws_genome_search_release(ws_genome_search *s);
/* Makes the domain stage, and sets the members of all stages in a chain. Returns WS_ENOMEM on failure. */
int ws_genome_search_stages(ws_genome_search *s, ws_chain_stage stage[WS_GENOME_STAGES + WS_DOM_STEPS], ws_err *err);

/* Lets a batch, the next one of the input, go through all stages; *b becomes another one, of any content. WS_ENOMEM. */
int ws_genome_add(ws_genome_search *s, ws_batch *b, ws_err *err);
/* ws_chain_ops.wish. */
ws_chain_wish ws_genome_wish(void *search);

#endif
