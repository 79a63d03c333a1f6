/* SPDX-License-Identifier: MIT
 * One run of a tool: options, operands, targets, columns, streams. */
#ifndef WS_RUN_JOB_H
#define WS_RUN_JOB_H

#include "lib/io/out.h"
#include "lib/io/seqread.h"
#include "lib/run/tool.h"

typedef enum ws_outformat { WS_OUT_TSV, WS_OUT_FASTA, WS_OUT_PACKED, WS_OUT_IDS } ws_outformat;
typedef enum ws_header { WS_HEADER_HASH, WS_HEADER_PLAIN, WS_HEADER_NONE } ws_header;

/* Values of the options common to all tools; the table is lib/run/common.c. */
typedef struct ws_common {
    const char *output, *rejected, *fields, *backend, *device, *stats;
    int out_format, in_format, badres, header;
    int all, quiet, progress, no_progress, no_provenance, allow_cut, list_backends;
    long long threads;
    uint64_t batch, gpu_mem;
} ws_common;

/* Text of a tool's own making, from the hits of each batch, in input order. Runs in the worker. */
typedef struct ws_custom_out {
    const char *option, *path; /* of a side output */
    const char *between;       /* of the main output: stands between the texts of batches that have rows; NULL: nothing */
    int (*head)(const ws_job *job, ws_buf *out, ws_err *err);
    int (*emit)(const ws_job *job, const ws_batch *b, const ws_hits *hits, ws_lane *lane, ws_outtext *out, ws_err *err);
    int (*end)(const ws_job *job, ws_buf *out, ws_err *err);
} ws_custom_out;

struct ws_job {
    const ws_tool *tool;
    ws_common common;
    void *own; /* values of the tool's own options */
    ws_cmdline cmdline;

    const char **input; /* the operands that are inputs, set by tool->open; none: standard input */
    int ninput;
    const ws_abc *abc;
    int tab_joins; /* as in ws_seqread_conf */
    int any_abc; /* a packed input's own alphabet is as good */

    ws_target *target;
    size_t ntarget;
    char *model_id; /* for the provenance line: "globins4(xxh3:0123456789abcdef)"; ws_free */

    ws_col col[WS_COL_MAX]; /* the tool's own columns, set by tool->open; ws_hit.value has their order */
    int ncol;

    uint64_t default_batch;     /* residues in a batch where neither --batch nor the backend says; 0: lib/run's own */
    uint64_t most_batch;        /* more are too many where --batch does not say; 0: whatever the backend says */
    const char *default_fields; /* the columns where -f does not say; NULL: all */
    ws_custom_out main_out;     /* takes the place of the table if its emit is set by tool->open */
    ws_custom_out side_out;     /* a second output file if its emit is set */

    int keep_rejected; /* the judge reports failing pairs too (-U) */

    ws_machine machine;
    const ws_backend *backend;
    void **prep; /* [ntarget] */
    const ws_backend *beside; /* of "cuda+cpu" and auto: the CPU's, NULL of all others */
    void **beside_prep;
    int open; /* backend can be used: with auto a device is opened late or never. Atomic */

    const ws_tsv_head *head; /* of the table that is read; valid in judge */

    void *data; /* the tool's own */
};

static inline int ws_job_is_open(const ws_job *job) { return __atomic_load_n(&job->open, __ATOMIC_ACQUIRE); }
/* Residues in a batch for that backend where --batch does not say. */
static inline uint64_t ws_job_batch(const ws_job *job, const ws_backend *backend) {
    uint64_t n = backend && backend->batch ? backend->batch : job->default_batch ? job->default_batch : 128 << 10;
    return job->most_batch && n > job->most_batch ? job->most_batch : n;
}
/* Who scores next: job->backend, or job->beside while no lane of a device is free. */
static inline const ws_backend *ws_job_turn(const ws_job *job) {
    return job->beside && !(ws_job_is_open(job) && job->backend->ready()) ? job->beside : job->backend;
}

/* After backend's score failed with rc: 1 if it was a device that nobody asked for. Then a note says so, once, no turn is a device's any
 * more, and the next one may do the same work again. */
int ws_job_goes_on(ws_job *job, const ws_backend *backend, int rc, const ws_err *err);

/* Index of a pass-through column of the table that is read, -1 if it has none of that name. */
int ws_head_find(const ws_tsv_head *head, const char *name);
/* Field number `index` of a row's pass-through columns. */
ws_slice ws_row_field(const ws_batch *b, const ws_row *row, int index);

extern const ws_opt ws_common_opts[];

/* The "##warpsieve" line of this run, number pg of its stream; nothing with --no-provenance. */
int ws_provenance(const ws_job *job, int pg, ws_buf *out, ws_err *err);

#endif
