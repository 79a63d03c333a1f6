/* SPDX-License-Identifier: MIT
 * Shared by the files of hmmcast: options, the plan that they make, and the items between reading and writing. */
#ifndef BIN_CASTING_PROGRAM_H
#define BIN_CASTING_PROGRAM_H

#include "kernels/cast/align.h"
#include "kernels/cast/build.h"
#include "lib/formats/seqread.h"
#include "lib/run/peer.h"

#include <stdatomic.h>

typedef struct ws_cast_options {
    const char *name, *resave, *summary, *informat;
    int amino, dna, rna;
    int fast, hand, wpb, wgsc, wblosum, wnone, wgiven;
    int eent, eentexp, eclust, enone, eset_given, ere_given;
    double symfrac, fragthresh, wid, eset, ere, esigma, eid;
    int symfrac_given, wid_given, eid_given;
    int pnone, plaplace, singlemx;
    const char *mx, *mxfile;
    double popen, pextend;
    int popen_given, pextend_given;
    long long EmL, EmN, EvL, EvN, EfL, EfN, seed, w_length, maxinsertlen;
    double Eft, w_beta;
    const char *fields;
    int plain, no_seq, header, no_date;
} ws_cast_options;
static inline ws_cast_options *ws_cast_options_of(const ws_job *job) { return job->own; }
extern const ws_opt ws_cast_opts[];
void ws_cast_defaults(void *options);
/* Returns WS_EUSAGE for options that exclude each other, or that are out of range. With `by_hmmbuild` the options of a
 * score matrix are dropped where nothing takes one, as hmmbuild does; else they are an error. */
int ws_cast_options_check(ws_cast_options *o, int by_hmmbuild, ws_err *err);

extern const ws_peer ws_peer_hmmbuild;

/* All that the options decide. The job owns it. */
typedef struct ws_cast_plan {
    const ws_cast_options *o;
    int sequences;      /* the input is unaligned sequences: a model for each */
    ws_msaformat format;
    const ws_abc *abc;  /* given, or of the first input; NULL: not known yet */
    int width;          /* of the vector code that calibrates */
    ws_build_ali_settings alignment;
    ws_builder *builder;
    char program[64];   /* in the first line of a model */
    char date[64];      /* "": no DATE line */
    int resave, summary; /* numbers of these outputs; 0: not asked for */
    int behind;          /* the summary follows the models, in the main output: */
    ws_buf lines;        /* its lines, until then */
} ws_cast_plan;
static inline ws_cast_plan *ws_cast_plan_of(const ws_job *job) { return job->data; }
/* Returns WS_EUSAGE for a SOURCE_DATE_EPOCH that is no time. */
int ws_cast_plan_make(ws_cast_plan *p, const ws_cast_options *o, ws_err *err);
void ws_cast_plan_release(ws_cast_plan *p);
/* Makes the builder, once the alphabet is known. Returns WS_EDATA or WS_EIO for the score matrix, or WS_ENOMEM. */
int ws_cast_plan_build(ws_cast_plan *p, const ws_abc *abc, ws_err *err);

/* A model of an item: its text, and its line of the summary; or what failed in its place. */
typedef struct ws_cast_model {
    ws_buf text, resaved, line;
    ws_err fault; /* code 0: none */
} ws_cast_model;

/* An alignment, or a batch of sequences, on its way through the pipeline. */
typedef struct ws_cast_item {
    ws_msa msa;
    char *name;          /* of the model of an alignment */
    const char *file;    /* for messages */
    uint64_t in_file;    /* number of the alignment in its file, from 1 */
    ws_batch batch;      /* of sequences */
    uint64_t first;      /* number of the first model, from 1 */
    ws_cast_model *model;
    size_t nmodel, cap;
    size_t group; /* models of a part */
    ws_buf codes; /* of the batch */
} ws_cast_item;

typedef struct ws_cast_input ws_cast_input;
/* Opens the inputs of a job. The caller calls ws_cast_input_close, also with NULL. */
int ws_cast_input_open(ws_cast_input **in, const ws_job *job, ws_cast_plan *p, ws_err *err);
void ws_cast_input_close(ws_cast_input *in);
/* Fills an item with the next alignment or batch, and makes the plan's builder once the alphabet is known. WS_OK,
 * WS_EOF, WS_AGAIN, or a failure. */
int ws_cast_input_fill(ws_cast_input *in, ws_cast_item *it, ws_err *err);
int ws_cast_input_ahead(ws_cast_input *in);
/* Sets the residues of a batch of sequences from the next fill on. */
void ws_cast_input_batch(ws_cast_input *in, uint64_t residues);
/* Sets the bytes read and their size; 0: not known. */
void ws_cast_input_progress(ws_cast_input *in, uint64_t *done, uint64_t *size);

/* Makes the models of part number `part` of an item on so many threads. A model's `fault` takes a fault of the input.
 * Returns WS_ENOMEM, or WS_EDEV where an option asks for a device. */
int ws_cast_make(ws_job *job, ws_cast_item *it, size_t part, int threads, ws_buf *scratch, ws_err *err);

#endif
