/* SPDX-License-Identifier: MIT
 * papara-score as a program: its options, what a run keeps, its outputs. */
#ifndef WS_PAPARA_PROGRAM_H
#define WS_PAPARA_PROGRAM_H

#include "kernels/papara/papara.h"

#include <stdatomic.h>
#include <stdio.h>

typedef enum ws_papara_extra { WS_PAPARA_IGNORE, WS_PAPARA_QUERIES } ws_papara_extra;
typedef enum ws_papara_align { WS_PAPARA_FASTA, WS_PAPARA_PHYLIP } ws_papara_align;
typedef enum ws_papara_insertions { WS_PAPARA_DROP, WS_PAPARA_COLUMNS } ws_papara_insertions;
enum { WS_PAPARA_JPLACE = WS_OUT_IDS + 1 }; /* of -O, behind the formats that all tools have */

typedef struct ws_papara_opts {
    const char *reference, *tree, *queries; /* -s -t -q: in place of operands */
    const char *parameters, *tree_out, *alignment;
    int scheme, flags, flags_given, alphabet, extra_rows, resolve, both_strands, papara_residues;
    int out_format, out_format_given, all_edges, alignment_format, insertions, insertions_given, with_references,
        drop_gap_columns, quiet;
    long long threads;
} ws_papara_opts;

/* options.c */
extern const ws_opt ws_papara_opt_table[];
/* Checks the options against one another, WS_EUSAGE if they do not go together, and makes the scheme of them. */
int ws_papara_options_check(const ws_papara_opts *o, const ws_job *job, ws_papara_scheme *scheme, ws_err *err);

struct ws_papara_chunk;

/* job->data */
typedef struct ws_papara_run_data {
    ws_papara_ref ref;
    const ws_papara_opts *opts;
    const char **input; /* job->input where the operands were not that already */
    FILE *extra;        /* rows that are no leaves, as FASTA, where they are queries */
    char extra_path[32];
    int nvalue; /* own columns */
    _Atomic uint64_t unscored, rows, reads, residues;
    _Atomic uint64_t like_dna; /* against proteins: residues looked at so far, all of letters that DNA has */
    _Atomic int not_dna;       /* ... until there was another one */
    struct ws_papara_chunk
        *_Atomic chunks; /* align.c: paths of batches, where all have to be known before the first line */
} ws_papara_run_data;

/* rows.c, jplace.c: outputs in place of the table. */
extern const ws_custom_out ws_papara_all_edges_out, ws_papara_jplace_out;
/* align.c: the side output of --alignment, and what it keeps until the end. */
ws_custom_out ws_papara_alignment_out(const ws_papara_opts *o);
void ws_papara_chunks_release(ws_papara_run_data *d);

/* What the judge found for a sequence of the batch: in lane->perseq. */
static inline const ws_papara_score *ws_papara_score_of(const ws_lane *lane, uint32_t seq) {
    return (const ws_papara_score *)(const void *)lane->perseq.p + seq;
}

#endif
