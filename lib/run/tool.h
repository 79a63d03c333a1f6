/* SPDX-License-Identifier: MIT
 * The interface between an algorithm and the shared pipeline: all that lib/run must know of it.
 *
 *   read    batches of sequences (lib/io/seqread.h)
 *   score   for every target, the sequences of the batch that meet it: a ws_task per target, backends take them in groups
 *   judge   scores -> hits, which say whether the pair passes and carry the values of the tool's own columns
 *   write   hits -> TSV, FASTA, packed, ids; in input order, whatever the threads
 */
#ifndef WS_RUN_TOOL_H
#define WS_RUN_TOOL_H

#include "lib/base/alphabet.h"
#include "lib/base/cpu.h"
#include "lib/base/opt.h"
#include "lib/io/batch.h"

typedef struct ws_job ws_job;

/* What sequences are scored against: a model, a tree. Owned by the job; data by the tool. */
typedef struct ws_target {
    const char *name; /* the query column */
    uint64_t qlen;    /* the qlen column */
    void *data;
} ws_target;

typedef struct ws_machine {
    ws_cpu cpu;
    const char *device; /* --device; NULL: the first */
} ws_machine;

/* One worker's own memory. A lane serves one batch at a time. */
typedef struct ws_lane {
    int number;
    const ws_batch *batch; /* the batch whose codes are in `codes`, and whose number it had: it is filled again and again; set by score.c */
    uint64_t filling;
    ws_buf codes;          /* its residues, one byte each: sequence i at codes.p + 6*first[i], see ws_lane_codes */
    ws_buf scratch;        /* rows of the dynamic programming; grown by ws_lane_scratch */
    ws_buf perseq;         /* the tool's per-sequence values, made by ws_tool.begin */
    ws_buf scores, hints;  /* of a group of tasks */
} ws_lane;

static inline const uint8_t *ws_lane_codes(const ws_lane *lane, size_t seq) {
    return (const uint8_t *)lane->codes.p + 6 * lane->batch->first[seq];
}

/* At least n bytes, WS_ALIGN-aligned, content undefined; NULL and a sentence on failure. Allocates only to grow. */
void *ws_lane_scratch(ws_lane *lane, size_t n, ws_err *err);

/* Sequences item[0..n) (or 0..n if item is NULL) of the batch against one target; score[j] belongs to item j. */
typedef struct ws_task {
    uint32_t target;
    const void *prep;     /* what the backend's prepare made of the target */
    const uint32_t *item;
    size_t n;
    void *score;          /* n records of ws_tool.score_size bytes */
    float *hint;          /* n values that save ws_tool.judge work, NaN: none; NULL from backends that give none */
} ws_task;

static inline size_t ws_task_item(const ws_task *t, size_t j) { return t->item ? t->item[j] : j; }

/* What --device and --gpu-mem say. */
typedef struct ws_devconf {
    const char *list; /* NULL: the first */
    uint64_t mem;     /* 0: no limit */
} ws_devconf;

typedef struct ws_backend {
    const char *name; /* "scalar" "avx2" "avx512" "cuda" */
    /* 1 if it can run here; else 0 and *why is the reason that --list-backends prints. */
    int (*usable)(const ws_machine *m, const char **why);
    /* Once per target; *prep is released by release. Called from several threads for different targets. */
    int (*prepare)(const ws_target *t, void **prep, ws_err *err);
    void (*release)(void *prep);
    /* Scores tasks; pure but for the lane. */
    int (*score)(const ws_batch *b, const ws_task *task, size_t ntask, ws_lane *lane, ws_err *err);
    size_t group; /* tasks taken at once: 1 on a CPU */
    int hints;    /* score writes ws_task.hint too */

    /* Devices only, NULL on a CPU: opened once before prepare, closed at the end. */
    int (*start)(const ws_devconf *conf, ws_err *err);
    void (*stop)(void);
    int (*ready)(void); /* 0: score would wait for a device. Asked where a CPU scores beside it ("cuda+cpu") */
    int (*wait)(ws_err *err); /* until all are open, or one of them failed */
    double start_seconds; /* what opening one takes: --backend auto does so when the CPU's cores have scored for as long */
    const void *own;  /* for a tool with its own reader: what it calls in place of score */
    uint64_t batch; /* residues in a batch where --batch does not say; 0: lib/run's own default */
    double cpu_speed; /* of a device: cells a second of one CPU core beside it */
} ws_backend;

/* ws_backend.usable of a scalar backend, which runs everywhere, of one for vector units, and of one for devices. */
int ws_usable_always(const ws_machine *m, const char **why);
int ws_usable_avx2(const ws_machine *m, const char **why);
int ws_usable_avx512(const ws_machine *m, const char **why);
int ws_usable_device(const ws_machine *m, const char **why);
/* ws_backend.start of one for devices: see ws_dev_start. */
int ws_start_device(const ws_devconf *conf, ws_err *err);

/* An output column of the tool's own. */
typedef enum ws_coltype {
    WS_COL_BITS,  /* %.4f */
    WS_COL_P,     /* %.4g */
    WS_COL_COUNT, /* integer */
    WS_COL_STRAND /* + or -: not below or below 0 */
} ws_coltype;
typedef struct ws_col {
    const char *name;
    ws_coltype type;
    int if_absent; /* written only if the table that was read lacks it */
} ws_col;
enum { WS_COL_MAX = 8 };

/* One judged pair. Values are in the order of the tool's columns; NaN prints as an empty field. */
typedef struct ws_hit {
    uint32_t seq, row, target; /* row: UINT32_MAX if the input was no table */
    int32_t pass;
    double value[WS_COL_MAX];
} ws_hit;

typedef struct ws_hits {
    ws_hit *hit;
    size_t n, cap;
} ws_hits;
/* Room for one more, zeroed, already counted; NULL and a sentence on failure. */
ws_hit *ws_hits_add(ws_hits *h, ws_err *err);

/* What a worker made of a batch or item, on its way to the writer. */
typedef struct ws_outtext {
    ws_buf text;
    uint64_t rows; /* whole rows or records in it */
} ws_outtext;

struct ws_stat;

/* Input that is no sequences (regions of reads and haplotypes): the tool cuts, parses, scores and formats, lib/run gives it
 * threads, order, output and statistics. An item is what is worked on at once; there are a few, used again and again. */
typedef struct ws_reader {
    int (*open)(ws_job *job, void **reader, ws_err *err); /* items of about job->common.batch */
    void (*close)(void *reader);
    void (*batch)(void *reader, uint64_t size); /* larger or smaller ones from the next fill on */
    int (*create)(void **item, ws_err *err);
    void (*destroy)(void *item);
    /* The next piece of the input into item. One thread at a time, in order: it should cut, not parse. WS_OK, WS_EOF, WS_AGAIN (nothing
     * came in 200 ms) or a failure, which comes after all whole pieces before it. */
    int (*fill)(void *reader, void *item, ws_err *err);
    /* Parses, scores, formats into out, which is empty. After a failure out still leaves: whole rows only. */
    int (*work)(ws_job *job, void *reader, void *item, ws_lane *lane, ws_outtext *out, ws_err *err);
    int (*head)(const ws_job *job, void *reader, ws_buf *out, ws_err *err);
    int (*end)(const ws_job *job, void *reader, uint64_t rows, ws_buf *out, ws_err *err);
    int (*ahead)(void *reader);                                     /* as ws_source_ahead; any thread */
    void (*progress)(void *reader, uint64_t *done, uint64_t *size); /* bytes of the input; any thread */
    /* Counts for --stats: returns how many it wrote into stat. */
    int (*stats)(void *reader, struct ws_stat *stat, int max);
} ws_reader;

typedef struct ws_stat {
    const char *name, *what; /* "cells_computed", "cells computed, without those that were shared" */
    double v;
    int real; /* seconds and rates, not counts */
} ws_stat;

typedef struct ws_tool {
    const char *name, *summary;
    const char *usage;           /* operands, for the first line of --help: "MODEL [FILE...]" */
    const char *examples;        /* lines "    command" with a "# what" line before each */
    const ws_opt *opts;          /* own options, values in job->own (own_size zeroed bytes, then defaults()) */
    size_t own_size;
    void (*defaults)(void *own);
    size_t score_size;
    const ws_backend *const *backends; /* best first, "scalar" last, NULL-terminated; NULL: nothing to score */
    const ws_reader *reader;           /* NULL: sequences */
    int any_query;                     /* rows of a table meet the targets whatever their query column says */

    /* Turns operands into targets, checks options, sets the inputs, the alphabet and the columns of the job. */
    int (*open)(ws_job *job, ws_err *err);
    void (*close)(ws_job *job);
    /* Writes files of the tool's own that need no sequences. Not before: an output may turn out to be an input, or an option wrong.
     * NULL if there are none. */
    int (*early)(ws_job *job, ws_err *err);
    /* Per-sequence values into lane->perseq; NULL if none. */
    int (*begin)(const ws_job *job, const ws_batch *b, ws_lane *lane, ws_err *err);
    /* Adds a hit for each pair that passes, and with job->keep_rejected for each that does not. row[j] is the row of item j. */
    int (*judge)(const ws_job *job, const ws_batch *b, const ws_task *task, const uint32_t *row, ws_lane *lane, ws_hits *hits,
                 ws_err *err);
} ws_tool;

/* The whole program: parses, opens, runs, closes, prints the error; returns the exit status. */
int ws_main(const ws_tool *tool, int argc, char **argv);

#endif
