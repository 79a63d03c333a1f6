/* SPDX-License-Identifier: MIT
 * The state of programs with a hit list, which are domscore and those of bin/search: options about hits, the pairs in
 * the domain stage, the hits held, the outputs. The stage itself is bin/domains/steps.h. */
#ifndef WS_DOMAINS_DOMSCORE_H
#define WS_DOMAINS_DOMSCORE_H

#include "bin/domains/steps.h"
#include "bin/filters/cascade.h"
#include "lib/hits/options.h"
#include "lib/hits/write.h"
#include "lib/run/peer.h"
#include "lib/run/turns.h"
#include "lib/scan/scan.h"

typedef struct ws_domscore ws_domscore;

/* ---- pairs in the domain stage: pairs.c ---- */

/* A sequence with pairs in the domain stage. Each pair holds it, and so may others. */
typedef struct ws_dom_seq {
    uint32_t users; /* atomic */
    void *block;    /* of the program's own */
    ws_lenmodel lm;
    ws_hitseq seq;  /* its codes and texts lie after this record */
} ws_dom_seq;

/* A pair, in the list of all of a ws_domscore. */
typedef struct ws_dom_entry {
    ws_dom_item of; /* first: ws_dom_steps_conf.done gets its address */
    ws_dom_seq *seq;
    ws_turn *turn;  /* of --stream */
    struct ws_dom_entry *next, **at; /* at: what points to this one */
} ws_dom_entry;

/* Copies sequence i of a batch, whose values are ws_lenmodels, with its texts, for one user. NULL without memory. */
ws_dom_seq *ws_dom_seq_make(const ws_batch *b, const ws_seqs *seqs, size_t i, uint64_t number, const ws_abc *abc,
                            ws_err *err);
/* Takes a user away; with the last one the sequence goes. NULL is legal. */
void ws_dom_seq_leave(ws_dom_seq *s);
/* Makes a pair with a model, one more user of the sequence. The caller sets of.tables. NULL without memory. */
ws_dom_entry *ws_dom_pairs_make(ws_dom_seq *seq, uint32_t m, ws_err *err);
/* Adds pairs, linked by of.next, to the list of all; lets them begin, at least one. Any thread. WS_ENOMEM. */
void ws_dom_pairs_add(ws_domscore *d, ws_dom_entry *first);
int ws_dom_pairs_begin(ws_domscore *d, const ws_job *job, ws_dom_entry *first, ws_err *err);
/* Takes a pair out of the list, under the lock of ws_domscore; frees one that is in none. */
void ws_dom_pairs_unlink(ws_dom_entry *e);
void ws_dom_pairs_free(ws_dom_entry *e);
/* Frees what a failed run has left. */
void ws_dom_pairs_release(ws_domscore *d);

/* ---- the program ---- */

enum { WS_DOMSCORE_OUTPUTS = 1 + WS_NDOMFORM }; /* the main one, and those of options such as --tblout */

/* An output and what it has had so far. */
typedef struct ws_dom_out {
    ws_dom_form form;
    int number;     /* of the job's outputs */
    ws_sink sink;
    ws_job *job;
    uint64_t rows;  /* in the sink */
    int unread;     /* it is /dev/null: hits are counted, but no text is made of them */

    const char *pattern; /* of the path of a file for each query; NULL: one for all, which is the job's */
    ws_buf path;         /* of the one that is written */
    ws_out file;
    int is_open;
} ws_dom_out;

/* How many sequences passed hmmsearch's filters (MSV, bias, Viterbi, Forward), model by model, and their thresholds. */
typedef struct ws_dom_passed {
    double p[WS_TEXT_FILTERS];
    uint64_t (*count)[WS_TEXT_FILTERS]; /* [models] */
    int cut; /* the input failed, so the size of the database is not known */
} ws_dom_passed;

/* Options, after those that bin/filters reads, and the state of a run. */
struct ws_domscore {
    ws_cascade_opts cascade; /* its p and nobias decide about sequences without pairs */
    WS_HIT_FIELDS;
    int stream, resolve; /* resolve: ws_resolve */
    const char *rejected;

    int cut;                  /* WS_CUT_GA ..., which decide in place of the thresholds; -1: none asked for */
    ws_thresholds *threshold; /* [models] */
    int hold;                 /* WS_HOLD_... that the outputs need */
    ws_hitcols columns;
    ws_hitstore store;
    ws_dom_tables **tables;   /* [models], made when a model's first pair comes */
    ws_dom_steps *steps;
    pthread_mutex_t lock;     /* of the pairs, and of the store while they are in the domain stage */
    ws_dom_entry *pairs;
    ws_dom_out out[WS_DOMSCORE_OUTPUTS];
    int nout;
    uint64_t failed;          /* pairs whose ensemble needs more than `mem` */
    ws_err failure;           /* about the first of them in the input, which is that of failed_seq and failed_model */
    uint64_t failed_seq, failed_model;
    int finished;             /* all that was held is written */

    /* of domscore alone */
    uint64_t number;          /* sequences that came to the domain stage */
    ws_chain_stage stage[WS_DOM_STEPS];
    ws_turns turns;           /* of --stream: of pairs */

    int by_seq;               /* of hmmsieve --scan: the sequences are the queries, the models the targets */

    /* of hmmsieve, whose outputs are those of programs on a pipe */
    const ws_dom_passed *passed; /* NULL: it is not known what passed the filters */
    const ws_peer *as; /* the program of HMMER whose outputs these are; NULL: hmmsearch, without its options */
    /* Appends the lines of its programs; NULL: as ws_scan_provenance. */
    int (*provenance)(const ws_job *job, ws_buf *text, ws_err *err);

    /* of programs whose queries are sequences */
    const ws_queryseq *query; /* [models]; NULL: queries are models */

    ws_buf author;            /* of Stockholm's AU line, with NUL */
};
/* Holds that a tool's struct begins with the one of the functions that it borrows: their accessor finds it there. */
#define WS_BEGINS_WITH(type, member) _Static_assert(offsetof(type, member) == 0, #type " begins with " #member)
WS_BEGINS_WITH(ws_domscore, cascade);
static inline ws_domscore *ws_domscore_of(const ws_job *job) { return job->own; }

/* ---- options.c, thresholds.c ---- */

extern const ws_opt ws_domscore_opts[];
void ws_domscore_defaults(void *own);
/* Checks the options, and sets the thresholds of all models. WS_EUSAGE for options that exclude one another, and as
 * ws_domscore_thresholds. */
int ws_domscore_check(ws_domscore *d, const ws_job *job, const ws_hmmset *set, ws_err *err);
/* Makes the thresholds of all models. WS_EUSAGE for options that exclude one another, WS_EDATA for a model without its
 * cutoffs, and as ws_cutoffs_read. */
int ws_domscore_thresholds(ws_domscore *d, const ws_job *job, const ws_hmmset *set, ws_err *err);

/* ---- models and hits: pairs.c ---- */

/* Makes the store and the steps of the domain stage, unless they are there. device: the chain has threads for the
 * streams of the job's device. WS_ENOMEM. */
int ws_domscore_open_store(ws_domscore *d, const ws_job *job, ws_err *err);
int ws_domscore_make_steps(ws_domscore *d, ws_job *job, int device, void *own, ws_dom_done_fn *done, ws_err *err);
/* Frees what the stages had, a gigabyte with many threads: outputs that read hits from a file are faster the more of
 * the file the system can keep in memory. */
void ws_domscore_end_steps(ws_domscore *d);
/* Frees what belongs to the models, and all hits. */
void ws_domscore_forget(ws_domscore *d, const ws_job *job);
/* Makes the tables of a made model, unless they are there, and sets *out. Any thread. WS_ENOMEM. */
int ws_domscore_tables(ws_domscore *d, const ws_job *job, size_t m, const ws_dom_tables **out, ws_err *err);
/* Returns whether the hit of a pair can still be reported where at least so many targets were searched. Notes pairs
 * that failed. One thread at a time. */
int ws_domscore_is_worth(ws_domscore *d, const ws_job *job, size_t m, const ws_hitseq *seq, const ws_dom_result *hit,
                         double least);
/* Holds the hit of a pair if it can still be reported. One thread at a time. Fails as ws_hitstore_add. */
int ws_domscore_hold(ws_domscore *d, const ws_job *job, size_t m, const ws_hitseq *seq, const ws_dom_result *hit,
                     ws_err *err);
/* Returns WS_EDATA with a sentence if some pairs could not be scored. */
int ws_domscore_failure(const ws_domscore *d, ws_err *err);

/* ---- outputs.c ---- */

/* Chooses columns and what is held, once all outputs are known. WS_EUSAGE for a wrong --fields. */
int ws_domscore_choose(ws_domscore *d, const ws_job *job, ws_err *err);
/* Returns 1 for a path in which the query's name has a place. */
int ws_dom_out_is_apart(const char *path);
/* For an output with a pattern: notes its files for the check of all outputs. Fails if one cannot be made or would be
 * that of two queries. */
int ws_dom_out_check(const ws_dom_out *o, ws_err *err);
/* Begin and end the file of a query, with what stands before and after its rows; without a pattern they do nothing. end
 * returns rc, or a failure of its own. */
int ws_dom_out_begin(ws_dom_out *o, const char *name, ws_err *err);
int ws_dom_out_end(ws_dom_out *o, int rc, ws_err *err);
/* Has the sinks of all outputs hand their text on to the job's. */
void ws_domscore_connect_outputs(ws_domscore *d);
/* Returns the sequences of the database: of -Z, else, once the input has ended, those that the input tells; NAN: not
 * known. */
double ws_domscore_size(const ws_job *job, int ended);
/* Returns WS_EDATA with the sentence that says what is missing for E-values. */
int ws_domscore_no_size(ws_err *err);
/* Writes all that is held to the job's outputs. ended: the input has ended well. */
int ws_domscore_write_held(ws_job *job, int ended, ws_err *err);
/* ws_tool.finish and ws_tool.close. */
int ws_domscore_finish(ws_job *job, ws_err *err);
void ws_domscore_close(ws_job *job);

/* ---- what stands before the first row of an output, and after the last one: heads.c ---- */

int ws_domscore_head(const ws_job *job, void *out, ws_buf *text, ws_err *err);
int ws_domscore_end(const ws_job *job, void *out, uint64_t rows, ws_buf *text, ws_err *err);

/* ---- hits as text: lists.c ---- */

/* Lists of hits that become text, of models or of sequences. */
typedef struct ws_dom_lists {
    ws_job *job; /* whose own is a ws_domscore */
    ws_hitlist *list;
    size_t n;
    int heads;   /* the first list brings the heads of hmmsearch's tables */
    /* Ranks list i, and sets what the writers have to know; text has the options already. Any thread. */
    int (*rank)(const struct ws_dom_lists *l, size_t i, ws_hitquery *q, ws_textconf *text, ws_err *err);
} ws_dom_lists;
/* Lists that are made side by side: n from `first` on, and the most hits whose text is in memory together. Without
 * --mem at most some 500 MB are in memory. */
typedef struct ws_dom_group {
    size_t first, n, hits;
} ws_dom_group;
/* Writes the lists of all models to the sinks of all outputs. ended: as ws_domscore_size; then the reported targets can
 * be counted. */
int ws_domscore_write(ws_job *job, int ended, ws_err *err);
/* Ranks lists and writes them to the sinks of all outputs, in order; all threads make the text. */
int ws_domscore_write_lists(const ws_dom_lists *l, ws_err *err);
/* Returns the next group of n lists, from `first` on. A long list is alone, and its text goes to the outputs as it is
 * made. */
ws_dom_group ws_domscore_group(const ws_domscore *d, const ws_hitlist *list, size_t n, size_t first);
/* Returns how many threads make the text of a list, by its part of the group's hits: at least one, at most all. */
int ws_domscore_list_threads(const ws_dom_group *g, const ws_hitlist *l, int threads);
/* Writes the ranked list of a query to the sink of an output, and counts the rows. */
void ws_domscore_write_list(ws_dom_out *o, const ws_hitquery *q);
/* Writes one target to all outputs, for --stream. */
void ws_domscore_write_target(ws_domscore *d, const ws_hitquery *q, const ws_held *h);
/* Returns by the options which parts the report shows. */
ws_textconf ws_domscore_text(const ws_domscore *d);
/* Sets what the report says passed the filters, and how much was searched, of query m. */
void ws_domscore_count_passed(const ws_job *job, size_t m, ws_textconf *text);
/* Makes a query for the writers. text may be NULL where no report is written. */
ws_hitquery ws_domscore_query(const ws_domscore *d, const ws_hmm_target *h, const ws_hitlist *l,
                              const ws_textconf *text);

#endif
