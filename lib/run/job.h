/* SPDX-License-Identifier: MIT
 * One run of a tool: options, operands, targets, backends, outputs. */
#ifndef WS_RUN_JOB_H
#define WS_RUN_JOB_H

#include "lib/run/tool.h"

typedef enum ws_header { WS_HEADER_HASH, WS_HEADER_PLAIN, WS_HEADER_NONE } ws_header;

/* Values of the options common to all tools; the table is lib/run/options.c. */
typedef struct ws_common {
    const char *output, *fields, *backend, *device, *stats;
    int header, quiet, progress, no_progress, no_provenance, list_backends, plain, no_seq, dry_run, gpu;
    long long threads;
    uint64_t batch, gpu_mem;
} ws_common;

enum { WS_OUTPUT_MAX = 8 };

/* Speeds of steps, by ws_chain_kind: of a thread, and of a stream of a device. */
typedef struct ws_speeds {
    double guess[WS_CHAIN_KINDS][WS_STEP_KINDS]; /* cells a second */
    uint64_t cells[WS_CHAIN_KINDS][WS_STEP_KINDS], ns[WS_CHAIN_KINDS][WS_STEP_KINDS], /* of steps that were measured */
        n[WS_CHAIN_KINDS][WS_STEP_KINDS]; /* pairs, spans. Atomic, as are those before */
    uint64_t calls; /* of devices that were measured. Atomic */
} ws_speeds;

struct ws_job {
    const ws_tool *tool;
    ws_common common;
    void *own;         /* values of the tool's own options */
    void *reader_opts; /* values of the reader's options, and what the tool sets up for the reader */
    ws_cmdline cmdline;
    char *const *argv; /* [argc] as it was typed; cmdline is of what options of a ws_peer became */
    int argc;
    const struct ws_peer *peer; /* the program in whose place it was called; NULL: none */
    const int *stop; /* not 0: the run should end. Atomic; NULL: the process is this run's own */

    const char **input; /* the operands that are inputs, set by tool->open; none: standard input */
    int ninput;

    ws_target *target;
    size_t ntarget;
    char *model_id; /* for the provenance line: "globins4(xxh3:0123456789abcdef)"; ws_free */
    uint64_t model_hash; /* that hash, if there is a model_id */

    int spares_streams;     /* set by a tool: devices have the usual streams, where its backend asks for more */
    uint64_t default_batch; /* size of an item if neither --batch nor the backend sets one; 0: that of ws_job_batch */
    int batch_fixed;        /* items keep their size: that of --batch, or of a sample for --dry-run */
    uint64_t most_batch;    /* upper limit of an item's size unless the user gave --batch; 0: no limit */

    ws_output out[WS_OUTPUT_MAX]; /* 0: the main one */
    int nout;
    ws_buf own_files; /* of ws_job_add_file: options and paths, each with NUL */

    ws_machine machine;
    int nworker; /* threads of the run */
    uint64_t target_mem; /* bytes that made targets should keep to, set by tool->open; 0: no bound */
    int one_by_one;      /* set by tool->open: targets cost little, and each is made where a thread first needs it */
    const ws_backend *backend;
    void **prep; /* [ntarget], NULL: not prepared yet. Atomic, as are those of cpu_prep */
    const ws_backend *cpu_backend; /* of "cuda+cpu" and auto: the CPU's, NULL of all others */
    void **cpu_prep;
    uint64_t odd_names; /* rows of outputs whose names begin as other lines do: for a note. Atomic */
    int holds;  /* of a chain: there are hits, which outputs get even if the input fails */
    int failed; /* code of the failure that ended the run, for ws_output.flush */
    int backend_ready; /* it can score. With auto the program opens a device late or never. Atomic */
    int all_devices;   /* auto has found work for all of the machine, so it opens them */
    int device_opens;  /* ws_opens: auto has decided to open a device that is not ready yet. Atomic */
    ws_speeds speeds;
    struct ws_readiness *readiness; /* lib/run/ready.c: which targets are made */

    void *reader; /* the reader's own */
    void *data;   /* the tool's own */
    struct ws_run *run; /* lib/run's */
};

/* Returns the name that the program was called by, for what it writes: the tool's, or that of a program of HMMER. */
const char *ws_job_program(const ws_job *job);

/* Returns WS_ESTOP with a sentence once the caller of the library wants the run to end, else WS_OK. */
static inline int ws_job_go_on(const ws_job *job, ws_err *err) {
    if (!job->stop || !__atomic_load_n(job->stop, __ATOMIC_RELAXED)) return WS_OK;
    return ws_fail(err, WS_ESTOP, "the run was stopped");
}

static inline int ws_job_is_open(const ws_job *job) { return __atomic_load_n(&job->backend_ready, __ATOMIC_ACQUIRE); }
/* Returns 1 while a device scores for this run. */
static inline int ws_job_has_device(const ws_job *job) {
    return job->backend && job->backend->start && ws_job_is_open(job);
}
/* Returns 1 while a device scores, or will soon, so that work which suits it is left to it. */
static inline int ws_job_expects_device(const ws_job *job) {
    return ws_job_has_device(job) || __atomic_load_n(&job->device_opens, __ATOMIC_ACQUIRE) == WS_OPENS_AT_ONCE;
}
/* Returns the cells a second that the run believes of a thread, or of a stream of a device. */
static inline double ws_job_speed(const ws_job *job, ws_chain_kind by, ws_step_kind kind) {
    const ws_speeds *s = &job->speeds;
    const uint64_t cells = __atomic_load_n(&s->cells[by][kind], __ATOMIC_RELAXED),
                   ns = __atomic_load_n(&s->ns[by][kind], __ATOMIC_RELAXED);
    return ws_policy_believed(s->guess[by][kind], (double)cells, 1e-9 * (double)ns);
}
/* Returns the cells of a step that are done, by all threads and devices. */
static inline double ws_job_done(const ws_job *job, ws_step_kind kind) {
    uint64_t cells = 0;
    for (int by = 0; by < WS_CHAIN_KINDS; by++)
        cells += __atomic_load_n(&job->speeds.cells[by][kind], __ATOMIC_RELAXED);
    return (double)cells;
}
/* Returns the default size of an item for a backend. */
static inline uint64_t ws_job_batch(const ws_job *job, const ws_backend *backend) {
    uint64_t n = backend && backend->batch ? backend->batch : job->default_batch;
    if (n == 0) n = WS_POLICY_BATCH;
    return job->most_batch && n > job->most_batch ? job->most_batch : n;
}
/* Returns the backend for the next task: job->backend, or job->cpu_backend while no stream of a device is free. */
static inline const ws_backend *ws_job_pick_backend(const ws_job *job) {
    return job->cpu_backend && !(ws_job_is_open(job) && job->backend->ready()) ? job->cpu_backend : job->backend;
}

/* Returns the nodes of all targets, their lengths added up. */
static inline uint64_t ws_job_nodes(const ws_job *job) {
    uint64_t n = 0;
    for (size_t t = 0; t < job->ntarget; t++) n += job->target[t].qlen;
    return n;
}

/* Makes target t and prepares it for a backend, which may be NULL, unless a thread did so before. Any thread may call
 * it. While another thread makes t, the call waits; if busy is not NULL, it sets *busy and returns at once. Fails as
 * ws_tool.make and ws_backend.prepare. */
int ws_job_ready(ws_job *job, const ws_backend *backend, uint32_t t, int *busy, ws_err *err);
/* Does the same without `busy`, and sets *prep. Until the thread calls ws_job_leave, the target stays. */
int ws_job_take(ws_job *job, const ws_backend *backend, uint32_t t, void **prep, ws_err *err);
void ws_job_leave(ws_job *job, uint32_t t);
/* Returns 0 if another target would take more memory than ws_job.target_mem: then only ws_job_take makes one. */
int ws_job_has_room(const ws_job *job);
/* Makes all targets for which there is room and prepares them for all open backends, on so many threads. */
int ws_job_ready_all(ws_job *job, int threads, ws_err *err);
/* Returns what a backend made of target t; NULL before that. */
static inline void *ws_job_prep(const ws_job *job, const ws_backend *backend, uint32_t t) {
    return __atomic_load_n(&(backend == job->cpu_backend ? job->cpu_prep : job->prep)[t], __ATOMIC_ACQUIRE);
}

/* Gives back what backends prepared of all targets, before a tool changes these in ws_tool.again. */
void ws_job_drop_targets(ws_job *job);

/* Handles a failure rc of a backend's score. Returns 1 if the backend was a device that no option asked for. Then the
 * program notes the failure once and picks the device no more, and the caller gives the same tasks to the next backend.
 * */
int ws_job_fall_back_to_cpu(ws_job *job, const ws_backend *backend, int rc, const ws_err *err);

/* Returns the number in lib/simd/width.h of the CPU's vector width: that of its backend, or the processor's best beside
 * a device. */
int ws_job_width(const ws_job *job);

/* Returns the threads that a run may have: --threads, or every core that the process is allowed. */
int ws_job_threads(const ws_job *job);

/* Returns the number of items between reading and writing. */
static inline int ws_run_slots(const ws_job *job) { return ws_policy_slots(job->nworker); }

/* Adds an output, which must be done by tool->open or by the reader's `outputs`, and returns its number. */
int ws_job_add_output(ws_job *job, const ws_output *output);
/* Notes the path of a file that the tool opens itself, for the check of all outputs, and the option that it belongs to
 * as it is typed. To be done by tool->open or by the reader's `outputs`. WS_ENOMEM. */
int ws_job_add_file(ws_job *job, const char *option, const char *path, ws_err *err);
/* lib/run/output_paths.c: WS_EUSAGE if an output is the same file as an input or as another output. Inputs are those of
 * the job, all operands and the FILEs of options about input; outputs those of all other options with a FILE, and those
 * of ws_job_add_file. The run calls it after tool->open. */
int ws_output_paths_check(const ws_job *job, ws_err *err);
/* Writes what stands before all rows, unless it is written. For a chain that writes before the end of its input, which
 * must have been read from; one thread at a time. */
int ws_job_head(ws_job *job, ws_err *err);
/* Writes text of so many rows to output k. For ws_tool.finish, and behind ws_job_head. */
int ws_job_write(ws_job *job, int k, const void *text, size_t n, uint64_t rows, ws_err *err);

extern const ws_opt ws_common_opts[];

/* Appends the "##warpsieve" line of this run, number pg of its stream; nothing with --no-provenance. */
int ws_provenance(const ws_job *job, int pg, ws_buf *out, ws_err *err);
/* Does the same for a program and options in whose place this run stands. */
int ws_provenance_of(const ws_job *job, int pg, const char *program, const char *args, ws_buf *out, ws_err *err);

#endif
