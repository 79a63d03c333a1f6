/* SPDX-License-Identifier: MIT
 * Sequences against targets: what a tool of sequences sets up, and the reader that all of them share.
 *
 *   read    batches of sequences (lib/formats/seqread.h)
 *   score   for every target, the sequences of the batch that meet it: a ws_task per target, backends take them in
 * groups
 *   decide  scores -> hits, which say whether the pair passes and carry the values of the tool's own columns
 *   format  hits -> TSV, FASTA, packed, ids; in input order, whatever the threads
 */
#ifndef WS_SCAN_SCAN_H
#define WS_SCAN_SCAN_H

#include "lib/formats/seqread.h"
#include "lib/run/job.h"
#include "lib/simd/codec.h"
#include "lib/translate/orfread.h"

/* An output column of the tool's own. */
typedef struct ws_col {
    const char *name;
    ws_coltype type;
    int if_absent; /* written only if the table that was read lacks it */
    int on_demand; /* written only if -f names it and the table that was read lacks it */
} ws_col;
enum { WS_COL_MAX = 8 };

/* A (sequence, target) pair and what the tool decided. row: its row in a table that was read, else UINT32_MAX. Values
 * are in the order of the tool's columns; NaN prints as an empty field. */
typedef struct ws_hit {
    uint32_t seq, row, target;
    int32_t pass;
    double value[WS_COL_MAX];
} ws_hit;

typedef struct ws_hits {
    ws_hit *hit;
    size_t n, cap;
} ws_hits;
/* Returns room for one more, zeroed, already counted; NULL and a sentence on failure. */
ws_hit *ws_hits_add(ws_hits *h, ws_err *err);

/* A thread's view of the batch that it works on, for the tool's functions. */
typedef struct ws_scan_worker {
    int number;      /* of the thread: 0 .. job->nworker - 1 */
    ws_buf *scratch; /* for ws_buf_scratch: of any content */
    ws_seqs seqs;    /* the batch's sequences; perseq is `value` */
    void *value;     /* [seqs.n] of the tool's type: see ws_scoring.value_size */
} ws_scan_worker;

/* The part of a tool that ws_scan_reader calls: ws_tool.scoring. */
typedef struct ws_scoring {
    size_t score_size; /* of a score, in bytes */
    size_t value_size; /* of the tool's value of a sequence, which backends see as ws_seqs.perseq; 0: it has none */
    int any_query;     /* rows of a table meet the targets whatever their query column says */
    /* Looks at the head of the input before the columns are chosen. NULL: nothing to see. */
    int (*input)(ws_job *job, ws_err *err);
    /* Returns whether the rows of the table that is read have passed already: then they are hits, without a score.
     * NULL: none has. Rows without a query are always scored. */
    int (*has_passed)(const ws_job *job);
    /* Sets the values of all sequences of a batch before they are scored. NULL: they are of any content. */
    void (*set_values)(const ws_seqs *seqs, void *value);
    /* Adds a hit for each pair that passes, and with ws_scan.keep_rejected for each that does not. row[j] is the row of
     * item j. */
    int (*decide)(const ws_job *job, const ws_batch *b, const ws_task *task, const uint32_t *row,
                  const ws_scan_worker *worker, ws_hits *hits, ws_err *err);
} ws_scoring;

/* An output of the tool's own making, from the hits of each batch. emit runs in the worker. */
typedef int ws_scan_emit_fn(const ws_job *job, const ws_batch *b, const ws_hits *hits, const ws_scan_worker *worker,
                            ws_outtext *out, ws_err *err);
typedef struct ws_scan_output {
    ws_output output; /* path, between, head, end */
    ws_scan_emit_fn *emit;
} ws_scan_output;

typedef enum ws_outformat { WS_OUT_TSV, WS_OUT_FASTA, WS_OUT_PACKED, WS_OUT_IDS } ws_outformat;

/* Options of all tools of sequences (lib/scan/options.c), and what a tool says of its run. */
typedef struct ws_scan {
    const char *rejected;
    int out_format, in_format, badres, all, allow_cut;

    /* set by tool->open */
    uint64_t mem;  /* bytes of memory that batches, their hits and rows should keep to; 0: a quarter of what there is */
    const ws_abc *abc;
    const char *looks_long;     /* the note for a record of DNA that may be a chromosome; NULL: none */
    /* the note for sequences that look like DNA where abc is that of proteins; NULL: none */
    const char *looks_like_dna;
    int any_abc;   /* take the alphabet that a packed input names */
    const ws_translate *translate; /* the input is DNA or RNA, and its ORFs are the sequences; NULL: it is not */
    int tab_joins, whole_text, grows; /* as in ws_seqread_conf; batches of a size that is given, or of a device, do not
                                       * grow */
    ws_col col[WS_COL_MAX]; /* the tool's own columns; ws_hit.value has their order */
    int ncol;
    /* so many targets of each sequence, or sequences of each target, pass; 0: all that do */
    long long best, top;
    int rank_p, rank_bits;      /* the columns that say which are best */
    /* Looks at sequence i of a batch that was read. Fails with WS_EDATA where the program cannot take it: what came
     * before it counts. NULL: there is nothing to look at */
    int (*check)(const ws_batch *b, size_t i, ws_err *err);
    int own_fields;             /* -f chooses columns of the tool's own output, which it looks up itself */

    /* set by lib/scan */
    ws_scan_emit_fn *emit[WS_OUTPUT_MAX]; /* of the outputs of the tool's own making */
    int rejected_output;        /* its number; 0: none */
    int keep_rejected;          /* decide reports failing pairs too (-U) */
    const ws_tsv_head *head;    /* of the table that is read; valid in decide */
    const ws_ledger *ledger;    /* of what is read: its size is known at the end */
} ws_scan;

static inline ws_scan *ws_scan_of(const ws_job *job) { return (ws_scan *)job->reader_opts; }

/* Puts the name of the input before a sentence about a row, if there is one input: a batch may hold rows of several. */
void ws_scan_name_input(const ws_job *job, ws_err *err);

/* For ws_tool.open: adds a side output and returns its number; sets what the main output is in place of the table. */
int ws_scan_add_output(ws_job *job, const ws_scan_output *o);
void ws_scan_set_main(ws_job *job, const ws_scan_output *o);

/* Returns the index of a pass-through column of the table that is read, -1 if it has none of that name. */
int ws_head_find(const ws_tsv_head *head, const char *name);

/* Returns what the first stage of the chain read, at the end of the input. A table that does not say it has an unknown
 * size; NO_END: the output keeps the form of such a table. */
ws_stream_size ws_scan_size(const ws_job *job);

/* Appends the provenance lines of the table that was read and of this run, without ##end. */
int ws_scan_provenance(const ws_job *job, ws_buf *out, ws_err *err);

/* Appends the ##end line of a table, with the sequences and residues that the first stage of the pipe read: with
 * --no-provenance only below a header with a '#'. */
int ws_scan_end(const ws_job *job, void *own, uint64_t rows, ws_buf *out, ws_err *err);

/* Counts pairs and cells for --stats; device_cells: of these. */
void ws_scan_count(const ws_job *job, uint64_t pairs, uint64_t cells, uint64_t device_cells);

/* For ws_tool.columns: what every table of pairs has, before a tool's own columns. */
extern const ws_names ws_pair_columns;

/* Fills a batch with the next of the input, as ws_seqread_fill; rows have their targets. */
int ws_scan_fill(ws_job *job, ws_batch *b, ws_err *err);

/* Makes *seqs of a batch, without values: codes go to the buffer. WS_ENOMEM. */
int ws_scan_unpack(ws_seqs *seqs, const ws_batch *b, const ws_codec *codec, ws_buf *codes, ws_err *err);

/* ---- pairs and their scores: score.c ---- */

/* Pairs of a batch's sequences with targets, grouped by target: those of a group are item[start[group] .. start[group +
 * 1]). Without `start` each of the n items meets each target, and pairs are numbered group by group all the same. */
typedef struct ws_scan_pairs {
    const ws_batch *batch;
    const uint32_t *target; /* [groups] NULL: the targets from `first` on */
    uint32_t first;
    size_t groups;
    const uint32_t *item;   /* [n], or as many as there are pairs: sequences of the batch */
    const uint32_t *start;  /* [groups + 1] */
    size_t n;
    int whole; /* without `start`: the items are all sequences in their order */
} ws_scan_pairs;

/* Return the number of the first pair of a group (of `groups`: that of all pairs); the group of pair i; which item it
 * is. */
static inline size_t ws_scan_pairs_start(const ws_scan_pairs *p, size_t group) {
    return p->start ? p->start[group] : group * p->n;
}
size_t ws_scan_pairs_group(const ws_scan_pairs *p, size_t i);
static inline size_t ws_scan_pairs_item(const ws_scan_pairs *p, size_t i) { return p->start ? i : i % p->n; }
static inline uint32_t ws_scan_pairs_target(const ws_scan_pairs *p, size_t group) {
    return p->target ? p->target[group] : p->first + (uint32_t)group;
}
/* Returns the end of what a step or call takes from pair `from` on, and sets its cells. target: the job's. */
size_t ws_scan_pairs_end(const ws_scan_pairs *p, const ws_target *target, size_t from, ws_budget most, double *cells);

/* Tasks of some pairs, one for each group. */
typedef struct ws_scan_tasks {
    ws_buf room;
    ws_task *task;
    size_t *item; /* [n] of the pairs' items the first one of each task */
    size_t n;
} ws_scan_tasks;
/* Makes tasks of the pairs from .. to, without prep and scores, in memory of *t. WS_ENOMEM. */
int ws_scan_tasks_make(ws_scan_tasks *t, const ws_scan_pairs *p, size_t from, size_t to, ws_err *err);

/* How tasks are scored and decided. */
typedef struct ws_scan_call {
    ws_job *job;
    const ws_backend *backend; /* one of the job's, which prepares targets */
    const ws_backend *scorer;  /* which scores them: the same, or one of those that it stands for */
    const ws_seqs *seqs;
    ws_buf *scores, *hints, *kept, *scratch; /* of the caller's thread, of any content */
    /* Looks at a task whose target is made, and may set its prep by what the backend prepared. NULL: nothing to do. */
    int (*ready)(void *own, ws_task *task, void *prep, ws_err *err);
    /* Returns whether the backend may leave out pairs of these tasks: then `decide` gets those that it kept. NULL: it
     * may not. */
    int (*may_screen)(const void *own, const ws_task *task, size_t n);
    /* Decides about the scores of a task, whose first item is that number of its pairs' items. */
    int (*decide)(void *own, const ws_task *task, size_t item, ws_err *err);
    void *own;
} ws_scan_call;
/* Makes the targets of n tasks, and scores these in one call. Scores share the buffers. After success the caller
 * decides about them. Fails as ws_job_take, `ready` and the backend. */
int ws_scan_score_call(const ws_scan_call *c, ws_task *task, size_t n, ws_err *err);
/* Decides about n tasks that one call has scored, and leaves their targets, after a failure too. item: of each. */
int ws_scan_decide_call(const ws_scan_call *c, const ws_task *task, const size_t *item, size_t n, ws_err *err);
/* Returns how many tasks go into a call. */
static inline size_t ws_scan_call_size(const ws_scan_call *c) { return ws_max(c->scorer->max_tasks, 1); }
/* Does both for all tasks, in calls of that size. */
int ws_scan_score(const ws_scan_call *c, const ws_scan_tasks *t, ws_err *err);

/* For targets that rows name: WS_EDATA if target t, which is made, is not the model that the input means by its
 * name. */
int ws_scan_check_model(const ws_job *job, uint32_t t, ws_err *err);

/* The reader of a tool with a chain, whose source calls ws_scan_fill. It has no options and no outputs. */
extern const ws_reader ws_scan_source;

extern const ws_reader ws_scan_reader;

#endif
