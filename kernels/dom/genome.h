/* SPDX-License-Identifier: MIT
 * nhmmsieve: nhmmer's whole search of long DNA targets in one program. Blocks of records go through the stages of lib/long one after the
 * other; hits wait for the end of the input, which their E-values need. Specification long-targets.md. */
#ifndef WS_DOM_GENOME_H
#define WS_DOM_GENOME_H

#include "kernels/dom/window.h"
#include "lib/filter/filter.h"
#include "lib/long/device.h"
#include "lib/long/hits.h"
#include "lib/run/job.h"

/* ---- models ---- */

/* What ws_target.data points to. */
typedef struct ws_genome_model {
    const ws_hmm *hmm;
    ws_profile profile;
    ws_long_model model;
    ws_bias bias;
    ws_dom_tables *tables;
    ws_dom_window_model background;
} ws_genome_model;
/* From a model whose transitions are there. The only failures are WS_ENOMEM and those of ws_profile_create. Release it in any case. */
int ws_genome_model_create(ws_genome_model *m, const ws_hmm *hmm, const ws_long_options *o, ws_err *err);
void ws_genome_model_release(ws_genome_model *m);

/* A model laid out for the vector width of a backend: ws_job.prep. That of devices has the best width, and what marks for it. */
typedef struct ws_genome_layout {
    ws_long_dev *dev; /* NULL: the CPU marks */
    ws_long_ssv ssv;
    ws_long_viterbi viterbi;
    ws_filter *msv, *fwd;
    const ws_dom_backend *dom;
} ws_genome_layout;
extern const ws_backend *const ws_genome_backends[];

/* ---- a block ---- */

/* What one thread needs. Zero-initialise; its buffers grow as needed. */
typedef struct ws_genome_pieces ws_genome_pieces;
typedef struct ws_genome_marks ws_genome_marks;
typedef struct ws_genome_worker {
    ws_dom_worker *dom;
    ws_genome_pieces *windows, *parts;
    ws_genome_marks *marks;
    ws_buf codes, other, scratch;
} ws_genome_worker;
void ws_genome_worker_release(ws_genome_worker *w);

/* A hit and where it came from. */
typedef struct ws_genome_hit {
    uint32_t target;
    ws_long_hit hit; /* record: the number of the sequence in its batch */
} ws_genome_hit;
typedef struct ws_genome_found {
    ws_genome_hit *at;
    size_t n, cap;
} ws_genome_found;

/* Windows, envelopes and cells of the SSV scan, summed. */
typedef struct ws_genome_counts {
    uint64_t windows, envelopes, cells;
} ws_genome_counts;

typedef struct ws_genome_block {
    uint32_t target, record;
    const ws_genome_model *model;
    const ws_genome_layout *layout;
    const ws_cpu *cpu;
    const uint8_t *strand[2]; /* both with WS_LONG_PAD codes behind them; NULL: not searched */
    const uint8_t *flag[2];   /* marks of their steps (lib/long/scan.h); NULL: the search makes them */
    uint32_t n;
    uint64_t first;           /* residue of the record */
} ws_genome_block;
/* Appends the hits of a block. WS_EDATA where a region needs more memory than the worker's options allow, WS_ENOMEM. */
int ws_genome_search(const ws_genome_block *b, ws_genome_worker *w, ws_genome_found *found, ws_genome_counts *c, ws_err *err);

/* ---- marks of a device: kernels/dom/genome_mark.c ---- */

/* Block `block` of sequence `seq` of a batch. */
typedef struct ws_genome_unit {
    uint32_t seq;
    uint64_t block;
} ws_genome_unit;

typedef struct ws_genome_marking {
    const ws_abc *abc;
    uint32_t block, maxl; /* residues of a block; the largest MAXL of all models */
    int strands;          /* WS_LONG_PLUS, WS_LONG_MINUS or both */
} ws_genome_marking;
/* Marks n > 0 units for the models of the layouts. Failures are those of ws_long_dev_mark. */
int ws_genome_mark(ws_genome_worker *w, ws_genome_layout *const *layout, size_t nlayout, const ws_batch *b, const ws_genome_unit *unit,
                   size_t n, const ws_genome_marking *how, ws_err *err);
/* Goes on to the next unit; the first one after ws_genome_mark. */
void ws_genome_marks_next(ws_genome_worker *w);
/* Sets b->flag for layout k and the unit, by first and n of the block; the flags stay until the next call. *any says whether a step is
 * marked. A model that no device takes has any and no flags. The only failure is WS_ENOMEM. */
int ws_genome_marks_of(ws_genome_worker *w, size_t k, ws_genome_block *b, int *any, ws_err *err);
void ws_genome_marks_release(ws_genome_marks *m);

/* ---- the program ---- */

typedef enum ws_genome_form { WS_GENOME_TSV, WS_GENOME_TBLOUT, WS_GENOME_BED, WS_GENOME_GFF3 } ws_genome_form;
enum { WS_GENOME_COLUMNS = 16 };

/* ws_job.own. */
typedef struct ws_genome {
    ws_long_options scan;
    long long B1, B2, B3, w_length, seed;
    uint64_t block, mem;
    double E, T, megabases;
    int E_given, T_given, Z_given, cut_ga, cut_nc, cut_tc, all, max, nonull2, watson, crick, form;
    const char *tblout;

    /* behind open */
    ws_hmmset set;
    ws_genome_model *model; /* [set.n] */
    int column[WS_GENOME_COLUMNS], ncolumn;
    ws_long_hits *hits;     /* [set.n], record: an index into `record` */
    ws_long_record *record; /* those that have hits */
    size_t nrecord, record_cap;
    size_t *place;          /* of a batch: 1 + the entry of each sequence, 0 before it has one */
    size_t place_cap;
    uint64_t residues;      /* searched, both strands if both are */
} ws_genome;

/* kernels/dom/genome_input.c */
extern const ws_reader ws_genome_reader;
/* Takes the hits of an item, which come in input order: ws_output.pack of the main output. */
int ws_genome_take(const ws_job *job, void *own, const void *item, const ws_outtext *made, ws_buf *text, ws_err *err);

/* kernels/dom/genome_output.c */
int ws_genome_columns(ws_genome *g, const char *fields, ws_err *err);
int ws_genome_head(const ws_job *job, void *own, ws_buf *text, ws_err *err); /* own: a ws_genome_form */
int ws_genome_end(const ws_job *job, void *own, uint64_t rows, ws_buf *text, ws_err *err);
/* Sorts the hits of all models and writes every output. */
int ws_genome_write(ws_job *job, ws_err *err);

#endif
