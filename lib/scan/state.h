/* SPDX-License-Identifier: MIT
 * The state of lib/scan in a run: that of the reader and that of a batch on its way. Functions stand below the name of
 * their file. For the files of lib/scan. */
#ifndef WS_SCAN_STATE_H
#define WS_SCAN_STATE_H

#include "lib/stream/packed.h"
#include "lib/stream/pairs.h"
#include "lib/scan/input.h"
#include "lib/scan/scan.h"
#include "lib/simd/codec.h"

#include <stdatomic.h>

/* The state of a table or packed stream between items: that of the main output and that of -U. */
typedef struct ws_scan_form {
    int number; /* of the job's outputs */
    size_t at; /* of a table: the next hit of the item that is being written; 0: its first one */

    /* of packed sequences. Blocks are closed by their content alone, so they hold sequences of several batches and are
     * made by the writer: the bytes are the same whatever the batches were */
    ws_packed_open open;
    ws_packed_totals totals;

    /* of packed pairs */
    ws_pairs *pairs;     /* NULL: the stream has none */
    ws_cell *cell;       /* [columns] of one pair */
    /* [known] a query's number in this stream by its target or its number in the input; UINT32_MAX: none yet */
    uint32_t *number_of;
    size_t known, known_cap;
} ws_scan_form;

/* An item of the pipeline: a batch and its hits. */
typedef struct ws_scan_item {
    ws_batch batch;          /* as it was read */
    uint64_t identity;       /* of this filling, for devices: see ws_seqs */
    ws_hits *part; /* [nparts] hits of a range of targets each */
    size_t nparts, part_cap;
    ws_hits hits;  /* of all parts, in the order of the output */
    int done;      /* its hits are there: no part of the work failed */
    size_t late;   /* the first hit whose row the writer makes, since the rows of the batch take too much memory */
} ws_scan_item;

/* One output column. */
typedef enum ws_ocol_kind {
    WS_OCOL_NAME,
    WS_OCOL_SEQ,
    WS_OCOL_QUAL,
    WS_OCOL_DESC,
    WS_OCOL_REST,
    WS_OCOL_QUERY,
    WS_OCOL_QLEN,
    WS_OCOL_TLEN,
    WS_OCOL_ACC,
    WS_OCOL_OWN
} ws_ocol_kind;
typedef struct ws_ocol {
    const char *name; /* the first member: see ws_names */
    ws_ocol_kind kind;
    int index; /* of the pass-through or own column */
} ws_ocol;

/* The rows that are held for ws_scan.top. */
typedef struct ws_top {
    struct ws_top_list *list; /* [targets] */
    uint64_t n;               /* rows that came */
} ws_top;

/* Which target a row names. */
typedef struct ws_binding {
    ws_queries *names;      /* of the targets, made when first needed */
    uint32_t *target;       /* [ntarget] of each query of packed pairs; UINT32_MAX: not looked for yet */
    size_t ntarget, cap;
    int same_file;          /* the table is of these models, as far as it says */
    /* [job->ntarget] of the model that the input means; 0: it does not say. Written before rows are handed on */
    uint64_t *hash;
} ws_binding;

/* A count of the letters of the first sequences. */
typedef struct ws_letters {
    uint64_t n, others; /* letters, and those that are none of DNA */
    int noted_dna;      /* and nothing more is counted, whether the note was due or not */
    int noted_length;
} ws_letters;

/* A thread of the run. */
typedef struct ws_scan_thread {
    ws_scan_worker worker; /* what the tool sees */
    const ws_batch *batch; /* whose sequences it has; NULL: none */
    uint64_t filling;      /* the batch's number, since it is filled again and again */
    ws_buf codes, values;  /* of these sequences */
    ws_buf scores, hints;  /* of a call's tasks */
    ws_scan_tasks tasks;
} ws_scan_thread;

/* job->reader */
typedef struct ws_scan_state {
    ws_job *job;
    ws_scan *scan;             /* ws_scan_of(job) */
    const ws_scoring *scoring; /* of the tool */
    ws_scan_thread *thread;    /* [job->nworker] */
    ws_scan_input input;
    ws_seqread_conf conf;
    const char *own[WS_COL_MAX]; /* for conf.own */
    const ws_codec *codec;
    uint64_t nbatch;
    ws_err read_err; /* found in a batch that still has rows to deliver: reported by the next fill */
    ws_binding binding;     /* of rows to targets */
    ws_letters letters;

    int columns_chosen;
    int reads_pairs; /* the rows of the input name models */
    ws_ocol *ocol; /* [nocol] */
    int nocol, nmore; /* nmore: after them those that -f may ask for */
    ws_scan_form form[2]; /* of the main output and of -U */
    uint64_t item_text; /* bytes of rows that a worker may make of a batch */
    ws_top top;

    _Atomic uint64_t pairs, cells, device_cells; /* device_cells: of the cells */
} ws_scan_state;

static inline ws_scan_state *ws_scan_state_of(const ws_job *job) { return job->reader; }

/* Returns the number of the output that a hit goes to; 0 also where none wants what did not pass. */
static inline int ws_scan_output_of(const ws_scan *s, const ws_hit *h) { return h->pass ? 0 : s->rejected_output; }

/* Returns whether rows that are read or written name targets. */
static inline int ws_scan_has_queries(const ws_job *job) {
    return job->tool->backends && !job->tool->scoring->any_query;
}

/* Returns whether the rows are of a table without a query column: every row meets every target, so there is one list
 * for all. */
static inline int ws_rows_are_free(const ws_batch *b) { return b->nrow > 0 && b->row[0].target == UINT32_MAX; }

/* ---- item.c: ranges of targets are parts of the work on a batch, for threads that would stand by. How many there are
 * has no influence on the output ---- */

int ws_scan_split(const ws_scan_state *s, ws_scan_item *it, ws_err *err);   /* sets nparts, at least 1 */
/* Scores the targets of a part against the batch: its hits, target by target. */
int ws_scan_work(ws_scan_state *s, ws_scan_item *it, size_t part, ws_scan_thread *thread, ws_err *err);
/* Returns whether each sequence of a batch is written once, by a tool without targets: then no hits are listed. */
int ws_scan_passes_all(const ws_scan_state *s, const ws_batch *b);
int ws_scan_collect(const ws_scan_state *s, ws_scan_item *it, ws_err *err); /* sets hits, once all parts are scored */
void ws_scan_item_release(ws_scan_item *it);

/* ---- columns.c ---- */

/* Chooses the columns of the table, once the input's are known. */
int ws_scan_columns(ws_scan_state *s, ws_err *err);
/* Returns whether a tool without targets reads pairs: then they leave as they came, whatever the format. */
int ws_scan_changes_form_only(const ws_scan_state *s);
/* Returns whether a packed stream has pairs. */
int ws_scan_packs_pairs(const ws_job *job);

/* ---- rows.c ---- */

/* Makes the text of the outputs from hits, in the worker. */
int ws_scan_format(const ws_scan_state *s, ws_scan_item *it, const ws_scan_worker *worker, ws_outtext *out,
                   ws_err *err);
/* ws_output.head and rest of a table; own is a ws_scan_form. */
int ws_rows_head(const ws_job *job, void *own, ws_buf *out, ws_err *err);
int ws_rows_late(const ws_job *job, void *own, const void *item, ws_buf *text, uint64_t *rows, ws_err *err);

/* ---- packed.c: ws_output.head, pack, end and flush; own is a ws_scan_form. Without pairs `made` holds the uint32_t
 * numbers of the sequences of the ws_scan_item that leave ---- */

int ws_packed_output_head(const ws_job *job, void *own, ws_buf *text, ws_err *err);
int ws_packed_output_add(const ws_job *job, void *own, const void *item, const ws_outtext *made, ws_buf *text,
                         ws_err *err);
int ws_packed_output_end(const ws_job *job, void *own, uint64_t rows, ws_buf *text, ws_err *err);
int ws_packed_output_flush(const ws_job *job, void *own, ws_buf *text, ws_err *err);
void ws_packed_output_release(ws_scan_form *f);

/* ---- best.c ---- */

/* Takes out, or marks as not passing, what is beyond ws_scan.best. WS_ENOMEM. */
int ws_scan_keep_best(const ws_scan_state *s, ws_scan_item *it, ws_err *err);
/* ws_output.pack, end and flush for ws_scan.top; own is a ws_top. */
int ws_top_add(const ws_job *job, void *own, const void *item, const ws_outtext *made, ws_buf *text, ws_err *err);
int ws_top_end(const ws_job *job, void *own, uint64_t rows, ws_buf *text, ws_err *err);
int ws_top_flush(const ws_job *job, void *own, ws_buf *text, ws_err *err);
void ws_top_release(ws_top *top, size_t ntarget);

/* ---- options.c ---- */

extern const ws_opt ws_scan_opts[];
/* ws_reader.outputs. */
int ws_scan_outputs(ws_job *job, ws_err *err);
/* Sets s->conf and s->item_text. */
void ws_scan_configure(ws_scan_state *s);

/* ---- bind.c ---- */

/* Makes a list of the names of targets, whose numbers are those of the targets. WS_EDATA if two have one name; *out is
 * NULL after a failure. */
int ws_scan_name_targets(ws_queries **out, const ws_target *target, size_t n, ws_err *err);
/* Sets the target of each row whose query counts. A row that names none, or a table of other models, is WS_EDATA; the
 * batch then keeps the rows before it. */
int ws_scan_bind(ws_scan_state *s, ws_batch *b, ws_err *err);
/* Returns whether the rows of the input name targets: then these are made as they are needed. */
int ws_scan_binds(const ws_scan_state *s);
void ws_binding_release(ws_binding *b);

#endif
