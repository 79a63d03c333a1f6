/* SPDX-License-Identifier: MIT
 * One run of a tool: options, operands, targets, backends, outputs. */
#ifndef WS_RUN_JOB_H
#define WS_RUN_JOB_H

#include "lib/run/tool.h"

typedef enum ws_header { WS_HEADER_HASH, WS_HEADER_PLAIN, WS_HEADER_NONE } ws_header;

/* Values of the options common to all tools; the table is lib/run/options.c. */
typedef struct ws_common {
    const char *output, *fields, *backend, *device, *stats;
    int header, quiet, progress, no_progress, no_provenance, list_backends, plain, no_seq, dry_run;
    long long threads;
    uint64_t batch, gpu_mem;
} ws_common;

enum { WS_OUTPUT_MAX = 8 };

struct ws_job {
    const ws_tool *tool;
    ws_common common;
    void *own;         /* values of the tool's own options */
    void *reader_opts; /* of the reader's options, and what the tool tells the reader */
    ws_cmdline cmdline;

    const char **input; /* the operands that are inputs, set by tool->open; none: standard input */
    int ninput;

    ws_target *target;
    size_t ntarget;
    char *model_id; /* for the provenance line: "globins4(xxh3:0123456789abcdef)"; ws_free */

    uint64_t default_batch; /* size of an item where neither --batch nor the backend says; 0: lib/run's own */
    int batch_given;        /* --batch says it */
    uint64_t most_batch;    /* more is too much where --batch does not say; 0: whatever the backend says */

    ws_output out[WS_OUTPUT_MAX]; /* 0: the main one */
    int nout;

    ws_machine machine;
    int nworker; /* threads of the run */
    const ws_backend *backend;
    void **prep; /* [ntarget], NULL: not prepared yet. Atomic, as are those of cpu_prep */
    const ws_backend *cpu_backend; /* of "cuda+cpu" and auto: the CPU's, NULL of all others */
    void **cpu_prep;
    int dry_run_said; /* the tool's own programs have reported --dry-run */
    int failed; /* code of the failure that ended the run, for ws_output.flush */
    int open; /* backend can be used: with auto a device is opened late or never. Atomic */
    struct ws_readiness *readiness; /* lib/run/ready.c: which targets are made */

    void *reader; /* the reader's own */
    void *data;   /* the tool's own */
};

static inline int ws_job_is_open(const ws_job *job) { return __atomic_load_n(&job->open, __ATOMIC_ACQUIRE); }
/* Returns whether a device takes part, now. */
static inline int ws_job_has_device(const ws_job *job) { return job->backend && job->backend->start && ws_job_is_open(job); }
/* Returns the size of an item for that backend where --batch does not say. */
static inline uint64_t ws_job_batch(const ws_job *job, const ws_backend *backend) {
    uint64_t n = backend && backend->batch ? backend->batch : job->default_batch ? job->default_batch : 128 << 10;
    return job->most_batch && n > job->most_batch ? job->most_batch : n;
}
/* Returns who scores next: job->backend, or job->cpu_backend while no stream of a device is free. */
static inline const ws_backend *ws_job_pick_backend(const ws_job *job) {
    return job->cpu_backend && !(ws_job_is_open(job) && job->backend->ready()) ? job->cpu_backend : job->backend;
}

/* Makes target t, and prepares it for a backend unless that is NULL, if that was not done. Any thread; with `busy` not NULL *busy says that
 * another thread is at it, and nothing was done. Errors of ws_tool.make and ws_backend.prepare. */
int ws_job_ready(ws_job *job, const ws_backend *backend, uint32_t t, int *busy, ws_err *err);
/* The same of all targets, for all backends that are open, on so many threads. */
int ws_job_ready_all(ws_job *job, int threads, ws_err *err);
/* Returns what a backend made of target t; NULL before that. */
static inline void *ws_job_prep(const ws_job *job, const ws_backend *backend, uint32_t t) {
    return __atomic_load_n(&(backend == job->cpu_backend ? job->cpu_prep : job->prep)[t], __ATOMIC_ACQUIRE);
}

/* To be called when the score of a backend failed with rc. Returns 1 if it was a device that nobody asked for: then a note says so, once,
 * the device is not picked any more, and the backend picked next may do the same work again. */
int ws_job_fall_back_to_cpu(ws_job *job, const ws_backend *backend, int rc, const ws_err *err);

/* Returns the threads that a run may have: --threads, or every core that the process is allowed. */
int ws_job_threads(const ws_job *job);

/* Returns how many items are on their way at once. */
static inline int ws_run_slots(const ws_job *job) { return 2 * job->nworker + 2; }

/* Adds an output, which must be done by tool->open or by the reader's `outputs`, and returns its number. */
int ws_job_add_output(ws_job *job, const ws_output *output);
/* Writes text of so many rows to output k. For ws_tool.finish. */
int ws_job_write(ws_job *job, int k, const void *text, size_t n, uint64_t rows, ws_err *err);

extern const ws_opt ws_common_opts[];

/* Appends the "##warpsieve" line of this run, number pg of its stream; nothing with --no-provenance. */
int ws_provenance(const ws_job *job, int pg, ws_buf *out, ws_err *err);

#endif
