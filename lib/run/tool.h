/* SPDX-License-Identifier: MIT
 * The interface between the engine (lib/run) and what it runs: tools, their readers, their backends, their outputs.
 *
 *   read    a reader fills items, one thread at a time, in input order
 *   work    any number of threads, each on a part of an item: backends score tasks
 *   format  once for each item: its text for each output
 *   write   in input order, whatever the threads
 *
 * lib/scan is the reader of sequences, which meet targets; tools of other input bring a reader of their own.
 */
#ifndef WS_RUN_TOOL_H
#define WS_RUN_TOOL_H

#include "lib/base/fields.h"
#include "lib/base/opt.h"
#include "lib/dev/device.h"
#include "lib/files/out.h"
#include "lib/stream/seqs.h"
#include "lib/files/whole.h"
#include "lib/run/chain.h"
#include "lib/simd/width.h"

typedef struct ws_job ws_job;

/* A model or a tree that input is scored against. The job owns the array, the tool the data. */
typedef struct ws_target {
    const char *name; /* the query column */
    uint64_t qlen;    /* the qlen column */
    const char *acc;  /* its accession; NULL: none */
    uint64_t hash;    /* of its content, to tell two of one name apart; 0: not known */
    void *data;
} ws_target;

typedef struct ws_machine {
    ws_cpu cpu;
    const char *device; /* --device; NULL: the first */
} ws_machine;

/* A thread's own memory. A worker serves one item at a time. */
typedef struct ws_worker {
    int number;     /* 0 .. job->nworker - 1 */
    ws_buf scratch; /* for ws_buf_scratch: of any content */
} ws_worker;

/* Which items of a task may pass the target's gate: item[0..n), in the task's order. SIZE_MAX: the task's own; those
 * that the gate rejects may have lower scores than their true ones, which it rejects too. */
typedef struct ws_kept {
    uint32_t *item;
    size_t n;
} ws_kept;

/* Sequences item[0..n) (or 0..n if item is NULL) of a ws_seqs against one target; score[j] belongs to item j. */
typedef struct ws_task {
    uint32_t target;
    const void *prep;     /* what the backend's prepare made of the target */
    const uint32_t *item;
    size_t n;
    void *score;          /* n records of ws_scoring.score_size bytes */
    float *hint;          /* n values that save ws_scoring.decide work, NaN: none; NULL from backends that give none */
    ws_kept *kept;        /* room for n items: the backend may leave out pairs that the gate rejects, and sets kept->n.
                           * Then score[j] and hint[j] belong to kept->item[j]. NULL: the caller wants every score */
    int gated;            /* the caller has no use for scores that the gate rejects, but each has its place */
} ws_task;

static inline size_t ws_task_item(const ws_task *t, size_t j) { return t->item ? t->item[j] : j; }

/* Values of --device and --gpu-mem. */
typedef struct ws_devconf {
    const char *list; /* NULL: the first */
    uint64_t mem;     /* 0: no limit */
    int streams;      /* of each device; 0: the usual number */
    ws_dev_hear *hear; /* hears of devices that are lost, with `own`; may be NULL */
    void *own;
} ws_devconf;

/* A backend computes for a tool on one kind of machine. lib/run lists, chooses and opens backends, and has them prepare
 * targets; a reader calls score, or by `own` what it knows itself. Members that a backend has no use for are NULL. */
typedef struct ws_backend ws_backend;
struct ws_backend {
    const char *name; /* "scalar" "avx2" "avx512" "neon" "cuda" */
    /* Returns 1 if it can run here; else 0, and *why is the reason that --list-backends prints. */
    int (*usable)(const ws_machine *m, const char **why);
    const void *own; /* the backend's: its code */
    uint64_t batch;  /* size of an item where --batch does not say; 0: lib/run's own default */
    int streams;     /* of a device, as in ws_devconf */

    /* Makes *prep of a target, once; release frees it. Several threads for different targets. NULL: no targets. */
    int (*prepare)(const ws_backend *self, const ws_target *t, void **prep, ws_err *err);
    void (*release)(void *prep);
    /* Returns about how many bytes *prep takes. NULL if ws_tool.forget is. */
    size_t (*size)(const ws_backend *self, const ws_target *t);

    /* Scores tasks, all of the same sequences, for ws_scan_reader. It changes nothing but the scores
     * and scratch, which is the caller's and of any content. */
    int (*score)(const ws_seqs *seqs, const ws_task *task, size_t ntask, ws_buf *scratch, ws_err *err);
    size_t max_tasks; /* in one call; 0 is 1 */
    int hints;        /* score writes ws_task.hint too */
    double cpu_speed; /* of a device: cells a second of one CPU core beside it */

    /* Devices are opened once before prepare, and closed at the end. */
    int (*start)(const ws_devconf *conf, ws_err *err);
    void (*stop)(void);
    void (*retire)(void); /* begins to close them, where no later work needs them */
    int (*ready)(void); /* 0: a call would wait for a device. Asked where a CPU computes beside it ("cuda+cpu") */
    int (*wait)(ws_err *err); /* until all are open, or one of them failed */
    double start_seconds; /* what opening takes, for --backend auto */
};

/* ws_backend.usable of the backends of each width, and of one for devices. */
#define WS_USABLE_(width, ...) int ws_usable_##width(const ws_machine *m, const char **why);
WS_WIDTHS(WS_USABLE_, )
WS_USABLE_(scalar, )
int ws_usable_device(const ws_machine *m, const char **why);
/* ws_backend.start of one for devices: see ws_dev_start. */
int ws_start_device(const ws_devconf *conf, ws_err *err);
/* Initialises what all backends for devices have. */
#define WS_BACKEND_DEVICE \
    .name = "cuda", .usable = ws_usable_device, .start = ws_start_device, .stop = ws_dev_stop, \
    .retire = ws_dev_retire, .ready = ws_dev_ready, .wait = ws_dev_wait, .start_seconds = WS_DEV_START
/* The "cuda" backend of a build without CUDA: listed, never usable. */
#define WS_BACKEND_WITHOUT_CUDA {WS_BACKEND_DEVICE}

/* The text that a worker made of an item for one output, on its way to the writer. */
typedef struct ws_outtext {
    ws_buf text;
    uint64_t rows; /* whole rows or records in it */
} ws_outtext;

/* One output of a run: the main output, number 0, and those that options of the reader or of the tool ask for. All are
 * opened before the input is read. The functions may be NULL and run in the writer, one at a time. Text that pack, end
 * and flush append leaves even if they fail. */
typedef struct ws_output {
    const char *path;    /* NULL: standard output */
    const char *between; /* stands between the texts of items that have rows; NULL: nothing */
    void *own;           /* handed to the functions */
    /* Appends what stands before the first row. */
    int (*head)(const ws_job *job, void *own, ws_buf *text, ws_err *err);
    /* Appends what leaves with an item, given what the workers made of it; NULL: the same. For text that depends on the
     * items before. */
    int (*pack)(const ws_job *job, void *own, const void *item, const ws_outtext *made, ws_buf *text, ws_err *err);
    /* Without pack: appends the next of the rows that the workers left to the writer, and counts them. Called until it
     * returns WS_EOF with the last of them, or with none. */
    int (*rest)(const ws_job *job, void *own, const void *item, ws_buf *text, uint64_t *rows, ws_err *err);
    /* Appends what stands after the last row, of so many. */
    int (*end)(const ws_job *job, void *own, uint64_t rows, ws_buf *text, ws_err *err);
    /* In place of end after a failure: appends what pack held back. */
    int (*flush)(const ws_job *job, void *own, ws_buf *text, ws_err *err);

    /* A regular file appears whole when the run has ended well, or stays as it was (lib/files/whole.h). */
    int whole;

    ws_out file; /* lib/run's, as is what follows */
    ws_whole part; /* with `whole` */
    int is_part;
    ws_buf text;
    uint64_t rows;
    int is_open;
} ws_output;

typedef struct ws_stat {
    const char *name, *what; /* "cells_computed", "cells computed, without those that were shared" */
    double v;
    int real; /* seconds and rates, not counts */
} ws_stat;

/* A reader feeds the engine. It cuts the input into items, works on them and formats them; lib/run gives it threads,
 * order, outputs and statistics. There are a few items, used again and again. job->reader is the reader's own, made by
 * open. All functions but create, destroy and fill may be NULL, where there is nothing to do or say. */
typedef struct ws_reader {
    const ws_opt *opts; /* options of every tool with this reader. Values in job->reader_opts, size bytes, zeroed */
    size_t size;
    /* After ws_tool.open: checks options and sets up the outputs. */
    int (*outputs)(ws_job *job, ws_err *err);
    int (*open)(ws_job *job, ws_err *err); /* items of about job->common.batch */
    void (*close)(ws_job *job);            /* also after a failed open; job->reader may be NULL */
    void (*resize)(ws_job *job, uint64_t batch); /* larger or smaller items from the next fill on */
    int (*create)(void **item, ws_err *err);
    void (*destroy)(void *item);
    /* Puts the next piece of the input into item and says in how many parts, at least 1, it is worked on. One thread at
     * a time, in order: it should cut, not parse. WS_OK, WS_EOF, WS_AGAIN (nothing came in 200 ms) or a failure, after
     * all whole pieces. */
    int (*fill)(ws_job *job, void *item, size_t *parts, ws_err *err);
    /* Works on a part of the item. Any number of threads, each with a part of its own. */
    int (*work)(ws_job *job, void *item, size_t part, ws_worker *worker, ws_err *err);
    /* Once for each item whose parts are all done: appends to out[k], which is empty, what goes to output k. After a
     * failure that still leaves: whole rows only. */
    int (*format)(ws_job *job, void *item, ws_worker *worker, ws_outtext *out, ws_err *err);
    int (*ahead)(ws_job *job); /* for idle threads, as ws_source_ahead */
    /* Writes a progress line about so many seconds to text, of n bytes. Sets *share to the part of the input that is
     * done, 0 to 1, or below 0 if that is unknown. Any thread. */
    void (*progress)(ws_job *job, double seconds, char *text, size_t n, double *share);
    /* Returns how much of all work is done, 0 to 1, as far as scored cells tell; below 0 if the size of the input is
     * unknown. *all: the cells of all work, as far as the part that was read tells; 0 if they are unknown. Any thread.
     * May be NULL: unknown. */
    double (*done)(ws_job *job, double *all);
    /* Returns the residues of the whole input, below 0 if they are unknown. ended: nothing is left to read. *exact:
     * they were counted, all of them, else they are what the size of the files tells. *read: how many were read. May
     * be NULL: unknown. */
    double (*residues)(ws_job *job, int ended, int *exact, double *read);
    void (*note)(const ws_job *job); /* what a user should know of a run that went well */
    /* Counts for --stats: returns how many it wrote into stat, of at most WS_STAT_MAX. seconds: processor time of all
     * workers. */
    int (*stats)(ws_job *job, double seconds, ws_stat *stat);
} ws_reader;
enum { WS_STAT_MAX = 32 };

/* Another tool under the same name, which the first argument chooses: "hmmsieve --long". */
typedef struct ws_mode {
    const char *option;
    const struct ws_tool *tool;
} ws_mode;

typedef struct ws_tool {
    const char *name, *summary;
    const char *usage;           /* operands, for the first line of --help: "MODEL [FILE...]" */
    const ws_names *columns[3];  /* that --fields can name, for --help: one list after another */
    const char *examples;        /* lines "    command" with a "# what" line before each */
    const ws_opt *opts;          /* own options, values in job->own (own_size zeroed bytes, then defaults()) */
    size_t own_size;
    void (*defaults)(void *own);
    const ws_backend *const *backends; /* best first, "scalar" last, NULL-terminated; NULL: nothing to score */
    const ws_reader *reader;
    const struct ws_scoring *scoring; /* what ws_scan_reader asks of a tool: lib/scan/scan.h; NULL with other readers */
    int asks_input;         /* without an operand for input, standard input that is /dev/null is misuse */
    const struct ws_peer *const *peers; /* programs of HMMER that it can be called as, ended by NULL; NULL: none */
    const ws_mode *modes;   /* ended by one without option; NULL: none */

    /* Turns operands into targets, checks options, sets the inputs, and what the reader wants to know. */
    int (*open)(ws_job *job, ws_err *err);
    void (*close)(ws_job *job);
    /* Makes target t what backends and the reader want of it: once for each target, before a backend's prepare, when a
     * thread needs it (ws_job_ready). Several threads for different targets. NULL: open has done it. */
    int (*make)(ws_job *job, uint32_t t, ws_err *err);
    /* Gives back what make made of target t and only a backend's prepare reads; no thread uses the target meanwhile.
     * make may be called again. made_size: about how many bytes that is. NULL: made targets stay. */
    void (*forget)(ws_job *job, uint32_t t);
    size_t (*made_size)(const ws_job *job, uint32_t t);
    /* Writes files of the tool's own that need no input. Called once all options are known to be right, so that no
     * file is touched if one is wrong, and before the heads of the outputs. NULL if there are none. */
    int (*early)(ws_job *job, ws_err *err);
    /* Sets up the stages and the source of a chain. They stay until `finish` has returned. Where the reader has items,
     * these stages come behind them, the reader is the source, and `wish` may be NULL. NULL: there are items alone. */
    int (*chain)(ws_job *job, ws_chain_ops *ops, ws_err *err);
    /* After a chain has emptied without failure: sets *more if the input is to be read again from its beginning, by
     * the chain that `chain` then sets up, and may change the targets after ws_job_drop_targets. NULL: never. */
    int (*again)(ws_job *job, int *more, ws_err *err);
    /* Writes with ws_job_write what had to wait for the end of the input: after the last item of a run without failure,
     * before the ends of the outputs. Runs alone and may use threads. NULL if nothing had to wait. */
    int (*finish)(ws_job *job, ws_err *err);
} ws_tool;

/* The whole program: parses, opens, runs, closes, prints the error; returns the exit status. */
int ws_main(const ws_tool *tool, int argc, char **argv);
/* Does the same inside of another program: it prints no error, and leaves signals and standard descriptors alone.
 * Returns what a run returns. peer: the program of HMMER whose arguments these are; NULL: none. stop: where a number
 * other than 0, which any thread may set, ends the run with WS_ESTOP; NULL: the process is this run's own. */
int ws_main_run(const ws_tool *tool, const struct ws_peer *peer, int argc, char **argv, const int *stop, ws_err *err);

#endif
