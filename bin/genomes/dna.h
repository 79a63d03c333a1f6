/* SPDX-License-Identifier: MIT
 * Hits in long DNA from the threads that find them to the outputs. They wait for the end of the input, which their
 * E-values need; with --scan for the end of their batch (bin/genomes/scan.c). */
#ifndef WS_GENOMES_DNA_H
#define WS_GENOMES_DNA_H

#include "kernels/long/search.h"
#include "lib/hits/write.h"
#include "lib/run/job.h"

/* An output: ws_output.own. */
typedef struct ws_dna_out {
    const ws_dnaform *form;
    const ws_hitcols *columns;
    ws_job *job;
    int number; /* of the job's outputs */
    int unread; /* it is /dev/null: hits are counted, but no text is made of them */
} ws_dna_out;

enum { WS_DNA_OUTPUTS = 6 };
typedef struct ws_dna {
    ws_dnastore store;
    ws_hitcols columns;
    ws_dnalimits limits;
    int cut; /* WS_CUT_GA ..., which decide in place of the limits; -1: none */
    int row; /* the second cutoff decides, too */
    ws_dna_out out[WS_DNA_OUTPUTS];
    int nout;
    int alignments; /* an output needs those of hits that may be reported, */
    int all;        /* or of all */

    /* of the report and of alignments; the caller sets them */
    ws_textconf text;       /* without what passed the filters */
    ws_long_passed *passed; /* [models] what did */
    size_t msa_width;
    const char *author;
} ws_dna;
/* Chooses the columns of -f; the caller creates the store. WS_EUSAGE, WS_ENOMEM. Close in any case. */
int ws_dna_open(ws_dna *d, const ws_job *job, ws_err *err);
void ws_dna_close(ws_dna *d); /* one that was zeroed is legal */
/* Adds output `number` of the job, which goes to a path; NULL: standard output. */
ws_dna_out *ws_dna_add_output(ws_dna *d, ws_job *job, const ws_dnaform *form, int number, const char *path);

/* Returns the limits for hits of a model. */
ws_dnalimits ws_dna_limits(const ws_dna *d, const ws_hmm *hmm);
/* Returns a record of which sequence seq of a batch is all or a piece: its number, and the residues known of it. The
 * texts are the batch's. */
ws_dnaseq ws_dna_record(const ws_batch *b, size_t seq, uint64_t number, uint64_t L);
/* Copies a hit in sequence seq of a batch, which is of record `number` and ends at residue `end` or later. Any thread.
 * WS_ENOMEM. */
int ws_dna_add(ws_dna *d, uint32_t target, const ws_batch *b, size_t seq, uint64_t number, uint64_t end,
               const ws_dnahit *h, ws_err *err);

/* Appends what stands before the rows, without provenance. */
int ws_dna_head(const ws_job *job, const ws_dna_out *o, ws_buf *text, ws_err *err);
/* Ranks the hits of all models for so many residues searched and writes all outputs. The job's targets begin with a
 * ws_hmm_target, and target[t] is made of those that have hits. */
int ws_dna_write(ws_job *job, ws_dna *d, const ws_long_target *target, uint64_t residues, ws_err *err);

#endif
