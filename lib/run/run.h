/* SPDX-License-Identifier: MIT
 * The state of a run, for the files of lib/run: slots, clocks, and the functions that its files offer one another. */
#ifndef WS_RUN_RUN_H
#define WS_RUN_RUN_H

#include "lib/run/chain.h"
#include "lib/run/job.h"
#include "lib/run/ring.h"

#include <pthread.h>
#include <stdatomic.h>

/* A place in the ring: an item from reading to writing, and what was made of it. */
typedef struct ws_slot {
    void *item;
    ws_outtext out[WS_OUTPUT_MAX];
} ws_slot;

/* Nanoseconds spent in a stage, summed over threads. */
typedef struct ws_clock {
    _Atomic uint64_t cpu, wall;
} ws_clock;

/* --stats has of the steps of a stage by a kind of thread: seconds; pairs or spans; cells; the cells a second that the
 * run believed in at first and in the end. */
enum { WS_STAGE_STATS = 5 };

/* A stage of a chain: the time of its steps by kind of thread, and how --stats names what it says of both. */
typedef struct ws_stage_clock {
    ws_clock clock[WS_CHAIN_KINDS];
    char key[WS_CHAIN_KINDS][WS_STAGE_STATS][40], what[WS_CHAIN_KINDS][WS_STAGE_STATS][80];
    ws_step_kind kind;
} ws_stage_clock;

typedef struct ws_moment {
    uint64_t cpu, wall;
} ws_moment;

typedef struct ws_run {
    ws_job *job;
    const ws_reader *reader; /* of the tool */
    ws_worker *worker;       /* [job->nworker] */

    int heads_written;
    ws_out stats;
    int has_stats;
    int sampled;  /* --dry-run left the rest of the input unread */
    int has_line; /* of the terminal, for progress */

    ws_chain_ops source; /* what the tool has of the chain */
    ws_chain *chain;     /* while it runs */
    ws_ring *ring;       /* its first stages, of a reader with items; else NULL */
    ws_slot *slot;       /* [nslot] of the ring */
    void **slots;        /* [nslot] their addresses */
    int nslot;

    pthread_t opener; /* opens a device for --backend auto */
    atomic_int opener_begun;
    int opener_runs;

    uint64_t worked_before; /* nanoseconds of work before this round */
    ws_clock read, work, write;
    ws_stage_clock *stage; /* [nstage] of the tool's stages */
    size_t nstage;
    /* when the run began, how long opening took, when progress was last shown */
    uint64_t start_ns, open_ns, progress_ns;
} ws_run;

uint64_t ws_now_ns(void); /* monotonic */
ws_moment ws_clock_start(void);
void ws_clock_stop(ws_clock *c, ws_moment since);

/* lib/run/run.c: runs the job whose options are parsed. */
int ws_run_job(ws_job *job, ws_err *err);

/* lib/run/items.c: makes the ring of a reader with items; ends it, after a failure too, and returns rc or the failure
 * of the first item that failed. */
int ws_items_open(ws_run *run, ws_err *err);
int ws_items_close(ws_run *run, int rc, ws_err *err);
int ws_run_ahead(void *run);
/* Writes once what stands before all rows: files of the tool's own, then the heads of the outputs, which empties them.
 * */
int ws_run_head(ws_run *run, ws_err *err);

/* lib/run/output.c: the outputs of a job. Close keeps rc if that is a failure. */
int ws_outputs_open(ws_job *job, ws_err *err);
int ws_outputs_head(ws_job *job, ws_err *err);
int ws_outputs_write(ws_job *job, const void *item, const ws_outtext *made, ws_err *err);
int ws_outputs_end(ws_job *job, ws_err *err);
void ws_outputs_flush(ws_job *job);
int ws_outputs_close(ws_job *job, int rc, ws_err *err);

/* lib/run/auto_device.c: to be called when something was read or worked on. Opens the device of --backend auto once
 * that pays. */
void ws_auto_device_look(ws_run *run);
void ws_auto_device_join(ws_run *run);
/* Starts the threads of the run's chain that wait for a device, if there is one. If none starts, the CPU does the work,
 * and without a CPU backend the function returns WS_ENOMEM. */
int ws_run_device_threads(ws_run *run, ws_err *err);

/* lib/run/dry_run.c: --dry-run. Returns the size of a batch of the sample, at most `batch`. */
uint64_t ws_dry_run_batch(const ws_job *job, uint64_t batch);
/* Returns whether the sample is large enough: then the input is taken as ended. */
int ws_dry_run_is_over(ws_run *run);
/* Writes to standard output what the run would be; nothing without --dry-run. */
int ws_dry_run_report(ws_run *run, ws_err *err);

/* lib/run/report.c. Calls ws_reader.progress; of a reader without it the text is "done". */
void ws_run_progress(ws_run *run, double seconds, char *text, size_t n, double *share);
void ws_report_progress(ws_run *run, int last);
int ws_report_stats(ws_run *run, ws_err *err);

/* Returns whether two outputs, whose paths stand for descriptors a and b (-1: a file), may go there in turns: the same
 * descriptor under HMMER's names, such as /dev/stdout for a table and the report. */
int ws_job_share_descriptor(const ws_job *job, int a, int b);

#endif
