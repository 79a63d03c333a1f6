/* SPDX-License-Identifier: MIT
 * papara-score as a program: its options, the data of a run, its outputs. */
#ifndef WS_PLACEMENT_PROGRAM_H
#define WS_PLACEMENT_PROGRAM_H

#include "kernels/papara/papara.h"

#include <stdatomic.h>
#include <stdio.h>

typedef enum ws_papara_extra { WS_PAPARA_IGNORE, WS_PAPARA_QUERIES } ws_papara_extra;
typedef enum ws_papara_align { WS_PAPARA_FASTA, WS_PAPARA_PHYLIP } ws_papara_align;
typedef enum ws_papara_insertions { WS_PAPARA_DROP, WS_PAPARA_COLUMNS } ws_papara_insertions;
enum { WS_PAPARA_JPLACE = WS_OUT_IDS + 1 }; /* value of -O after the formats that all tools have */

typedef struct ws_papara_opts {
    const char *reference, *tree, *queries; /* -s -t -q: these replace operands */
    const char *parameters, *tree_out, *alignment;
    const char *run; /* files of a run of PaPaRa's have names that end so; NULL: none are written */
    int replace;     /* these may be there */
    int scheme, flags, flags_given, alphabet, extra_rows, resolve, both_strands, papara_residues;
    int out_format, out_format_given, all_edges, alignment_format, insertions, insertions_given, with_references,
        drop_gap_columns, quiet;
    long long threads;
} ws_papara_opts;

/* options.c */
extern const ws_opt ws_papara_opt_table[];
/* Checks that the options fit together, and makes the scheme from them. Returns WS_EUSAGE on failure. */
int ws_papara_options_check(const ws_papara_opts *o, const ws_job *job, ws_papara_scheme *scheme, ws_err *err);

struct ws_papara_chunk;
enum { WS_PAPARA_RUN_FILES = 3 };

typedef struct ws_papara_run_data {
    ws_papara_ref ref;
    const ws_papara_opts *opts;
    const char **input; /* job->input, unless the operands are that list already */
    FILE *extra;        /* rows that are no leaves, as FASTA, if they are queries */
    char extra_path[32];
    _Atomic uint64_t unscored;
    struct ws_papara_chunk
        *_Atomic chunks; /* align.c: paths of batches, kept until all are known */
    int alignment_output; /* number of --alignment among the outputs; 0: there is none */
    char *run_file[WS_PAPARA_RUN_FILES];
} ws_papara_run_data;
static inline ws_papara_run_data *ws_papara_data_of(const ws_job *job) { return job->data; }

/* run.c: sets up the files of a run as outputs. WS_EIO if they are there, WS_ENOMEM; the caller frees run_file. */
extern const struct ws_peer ws_peer_papara;
int ws_papara_run_open(ws_job *job, ws_err *err);

/* The outputs that replace the table: rows.c, jplace.c. */
extern const ws_scan_output ws_papara_all_edges_out, ws_papara_jplace_out;
/* Returns the side output of --alignment (align.c), which may keep paths until the end. */
ws_scan_output ws_papara_alignment_out(const ws_papara_opts *o, const char *path);
/* Writes the alignment, if its paths were kept. Implements ws_tool.finish. */
int ws_papara_alignment_finish(ws_job *job, ws_err *err);
void ws_papara_chunks_release(ws_papara_run_data *d);

/* Returns the score that was computed for a sequence of the batch, which is the tool's value of it. */
static inline const ws_papara_score *ws_papara_score_of(const ws_scan_worker *worker, uint32_t seq) {
    const ws_papara_score *score = worker->value;
    return &score[seq];
}

#endif
