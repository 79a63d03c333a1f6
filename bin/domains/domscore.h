/* SPDX-License-Identifier: MIT
 * The state of the program domscore: its options, the pairs that wait to be scored, the hits held, the outputs. The
 * stage itself is kernels/dom/dom.h. */
#ifndef WS_DOMAINS_DOMSCORE_H
#define WS_DOMAINS_DOMSCORE_H

#include "bin/domains/steps.h"
#include "bin/filters/cascade.h"
#include "lib/hits/options.h"
#include "lib/hits/write.h"
#include "lib/scan/scan.h"

/* ---- pairs that wait: pool.c ---- */

/* A sequence of the pool: places in `codes` and `text`, where name, description and quality follow one another. */
typedef struct ws_pool_seq {
    uint64_t number; /* in the stream */
    size_t codes, text;
    uint32_t L, nname, ndesc, nqual;
} ws_pool_seq;

typedef struct ws_pool_pair {
    uint32_t seq, model;
} ws_pool_pair;

typedef struct ws_pool {
    ws_buf codes, text;
    ws_pool_seq *seq;
    ws_pool_pair *pair;
    size_t nseq, seq_cap, npair, pair_cap;
    uint64_t number; /* sequences that came so far */
    double cells;    /* of the pairs */
} ws_pool;

/* Appends the passing pairs of a batch's hits to `out`, in a form for ws_pool_take. */
int ws_pool_pack(const ws_batch *b, const ws_hits *hits, const ws_seqs *seqs, ws_buf *out, ws_err *err);
/* Adds what ws_pool_pack made. qlen of the targets is the models' length. Can fail with WS_ENOMEM alone. */
int ws_pool_take(ws_pool *p, const ws_target *target, const char *packed, size_t n, ws_err *err);
/* Forgets sequences and pairs, keeps memory. */
void ws_pool_reuse(ws_pool *p);
void ws_pool_release(ws_pool *p);

/* ---- the program ---- */

enum { WS_DOMSCORE_OUTPUTS = 1 + WS_NDOMFORM }; /* the main one, and those of options such as --tblout */

/* An output and what it has had so far. */
typedef struct ws_dom_out {
    ws_dom_form form;
    int number;     /* of the job's outputs */
    ws_sink sink;
    ws_job *job;
    uint64_t rows;  /* in the sink */
} ws_dom_out;

/* How many sequences passed hmmsearch's filters (MSV, bias, Viterbi, Forward), model by model, and their thresholds. */
typedef struct ws_dom_passed {
    double p[WS_TEXT_FILTERS];
    uint64_t (*count)[WS_TEXT_FILTERS]; /* [models] */
    int cut; /* the input failed, so the size of the database is not known */
} ws_dom_passed;

/* Options, after those that bin/filters reads, and the state of a run. */
typedef struct ws_domscore {
    ws_cascade_opts cascade; /* its p and nobias decide about sequences without pairs; first, as bin/filters wants it */
    WS_HIT_FIELDS;
    int stream;
    const char *rejected;

    int cut;                  /* WS_CUT_GA ..., which decide in place of the thresholds; -1: none asked for */
    ws_thresholds *threshold; /* [models] */
    int hold;                 /* WS_HOLD_... that the outputs need */
    ws_hitcols columns;
    ws_pool pool;
    ws_hitstore store;
    ws_dom_tables **tables;   /* [models], made when a model's first pair comes */
    ws_dom_steps *steps;
    ws_dom_out out[WS_DOMSCORE_OUTPUTS];
    int nout;
    uint64_t failed;          /* pairs whose ensemble needs more than `mem` */
    ws_err failure;           /* about the first of them in the input, which is that of failed_seq and failed_model */
    uint64_t failed_seq, failed_model;
    int finished;             /* all that was held is written */
    struct ws_dom_windows *windows; /* from_windows.c; NULL: the pairs are whole targets */

    /* of hmmsieve, whose outputs are those of programs on a pipe */
    const ws_dom_passed *passed; /* NULL: it is not known what passed the filters */
    const char *args;            /* the options of the domscore of that pipe; NULL: those of the command line */
    /* Appends the lines of its programs; NULL: as ws_scan_provenance. */
    int (*provenance)(const ws_job *job, ws_buf *text, ws_err *err);

    ws_err fields;            /* what is wrong with -f unless the pairs are windows */
} ws_domscore;

/* options.c: the table, defaults, and what is wrong with their combination (WS_EUSAGE). Sets the thresholds of all
 * models. */
extern const ws_opt ws_domscore_opts[];
void ws_domscore_defaults(void *own);
int ws_domscore_check(ws_domscore *d, const ws_hmmset *set, ws_err *err);

/* hold.c: makes the tables of a made model, unless they are there, and sets *out. Any thread. WS_ENOMEM. */
int ws_domscore_tables(ws_domscore *d, const ws_job *job, size_t m, const ws_dom_tables **out, ws_err *err);
/* hold.c: makes the store and the steps of the domain stage, unless they are there. WS_ENOMEM. */
int ws_domscore_open_store(ws_domscore *d, const ws_job *job, ws_err *err);
int ws_domscore_make_steps(ws_domscore *d, const ws_job *job, void *own, ws_dom_done_fn *done, ws_err *err);
/* hold.c: holds the hit of a pair if it can still be reported. One thread at a time. Fails as ws_hitstore_add. */
int ws_domscore_hold(ws_domscore *d, const ws_job *job, size_t m, const ws_hitseq *seq, const ws_dom_target *hit,
                     ws_err *err);
/* hold.c: returns WS_EDATA with a sentence if some pairs could not be scored. */
int ws_domscore_failure(const ws_domscore *d, ws_err *err);

/* hold.c: scores all pairs of the pool and holds the hits; with --stream they are written. */
int ws_domscore_score(ws_job *job, ws_err *err);

/* domscore.c: chooses columns and what is held, once all outputs are known. WS_EUSAGE for a wrong --fields. */
int ws_domscore_choose(ws_domscore *d, const ws_job *job, ws_err *err);
/* domscore.c: returns WS_EDATA with the sentence that says what is missing for E-values. */
int ws_domscore_no_size(const char *what, ws_err *err);
/* domscore.c: ws_tool.close. */
void ws_domscore_close(ws_job *job);

/* Writes all that is held to all outputs (report.c). Z: NaN if it is unknown. whole: nothing more comes, so the
 * reported targets can be counted. */
int ws_domscore_write(ws_job *job, double Z, int whole, ws_err *err);
/* Make the text before the first row of an output, and after the last one. */
int ws_domscore_head(const ws_job *job, void *out, ws_buf *text, ws_err *err);
int ws_domscore_end(const ws_job *job, void *out, uint64_t rows, ws_buf *text, ws_err *err);
/* Returns by the options which parts the report shows. */
ws_textconf ws_domscore_text(const ws_domscore *d);
/* Makes a query for the writers. text may be NULL where no report is written. */
ws_hitquery ws_domscore_query(const ws_domscore *d, const ws_hmm_target *h, const ws_hitlist *l,
                              const ws_textconf *text);
/* Writes one target to all outputs, for --stream. */
void ws_domscore_write_target(ws_domscore *d, const ws_hitquery *q, const ws_held *h);

#endif
