/* SPDX-License-Identifier: MIT
 * From an alignment to the counts that its model is made of: weights, fragments, consensus columns, traces.
 * Specification build.md, sections 5 and 6. */
#ifndef WS_BUILD_ALIGN_H
#define WS_BUILD_ALIGN_H

#include "kernels/cast/counts.h"
#include "lib/msa/msa.h"
#include "lib/msa/write.h"

typedef enum ws_build_weights {
    WS_BUILD_WPB, WS_BUILD_WGSC, WS_BUILD_WBLOSUM, WS_BUILD_WGIVEN, WS_BUILD_WNONE
} ws_build_weights;

typedef struct ws_build_ali_settings {
    int hand;           /* consensus columns are those of RF, else those with residues in symfrac of the weight */
    float symfrac;
    float fragthresh;   /* a row with at most so many residues for each column is a fragment */
    ws_build_weights weights;
    double wid;         /* identity from which WS_BUILD_WBLOSUM joins rows */
    int clusters;       /* the number of clusters is needed, of rows joined from this identity on */
    double eid;
    float maxinsertlen; /* 0: no limit */
    int threads;
    int width;          /* vector code: a number of lib/simd/width.h that runs here. No digit depends on it */
} ws_build_ali_settings;
/* Sets hmmbuild's defaults, one thread and the best width of this machine. */
void ws_build_ali_default(ws_build_ali_settings *s);

/* The result: counts, and what else an alignment gives its model. */
typedef struct ws_build_ali {
    ws_build_counts counts;
    uint32_t checksum;
    double *weight;          /* [rows] relative weights */
    int has_weights;         /* they were computed for more than one row, or the input has some */
    int32_t *column;         /* [M + 1] column of node k, from 1, at [k] */
    char *note[WS_NNOTE];    /* as in ws_hmm: RF, MM and CS at the nodes, a blank at [0]; NULL: none. No CONS */
} ws_build_ali;

/* Makes *a of an alignment with at least one row and column. The rows of m are changed: ends of fragments become '~',
 * masked residues the code of any residue, and residues move to where the traces have them (section 5.7). So m is the
 * input of ws_build_resave_open then, and of no other function. WS_EDATA, without name of file or alignment: a '~'
 * inside a row, no RF line for `hand`, no consensus column; WS_ENOMEM. On failure *a is empty. The counts do not depend
 * on the number of threads. */
int ws_build_ali_create(ws_build_ali *a, ws_msa *m, const ws_build_ali_settings *s, ws_err *err);
void ws_build_ali_release(ws_build_ali *a);

/* ---- the alignment as it was used (section 10.2) ---- */

/* Its columns, and the row at hand. Zero-initialise. */
typedef struct ws_build_resave {
    const ws_build_ali *a;
    const ws_msa *m;
    uint8_t *used;       /* [M + 1] some row has a residue at node k */
    size_t *at;          /* [M + 1] columns up to and with that of node k */
    size_t *inserts;     /* [M + 1] columns of insertions behind node k */
    char *text, *rf;     /* [columns + 1] */
    ws_msasource source; /* for ws_msa_write */
} ws_build_resave;
/* Makes r->source of the rows that ws_build_ali_create has changed; a and m must stay. name: becomes its ID.
 * WS_ENOMEM. The caller calls ws_build_resave_release in any case. */
int ws_build_resave_open(ws_build_resave *r, const ws_build_ali *a, const ws_msa *m, const char *name, ws_err *err);
void ws_build_resave_release(ws_build_resave *r);

/* ---- the steps ---- */

/* Relative weights of all rows (section 6), into weight[rows]. */
int ws_build_weigh(const ws_msa *m, const ws_build_ali_settings *s, double *weight, ws_err *err);
/* Position-based weights (section 6.1). */
int ws_build_weigh_pb(const ws_msa *m, const ws_build_ali_settings *s, double *weight, ws_err *err);
/* Weights by the branches of a tree, and by clusters (section 6.3). */
int ws_build_weigh_gsc(const ws_msa *m, int threads, double *weight, ws_err *err);
int ws_build_weigh_blosum(const ws_msa *m, double identity, double *weight, ws_err *err);
/* Sets *clusters to the number of single-linkage clusters of the rows. WS_ENOMEM. */
int ws_build_clusters(const ws_msa *m, double identity, int32_t *clusters, ws_err *err);
/* Divides n weights by their compensated sum, so that their sum is n. */
void ws_build_norm_weights(double *weight, size_t n);

/* Draws `take` of n row indices, 1 <= take <= n, ascending, with the generator of deep alignments (section 6.2). */
void ws_build_sample(int64_t n, int64_t take, int64_t *index);

/* Marks consensus columns: is[c] = 1 (section 5.4). Returns WS_EDATA if there are none. */
int ws_build_columns(const ws_msa *m, const ws_build_ali_settings *s, const double *weight, uint8_t *is, ws_err *err);
/* Makes residues of columns with an 'm' in the MM line any residue (section 5.5). */
void ws_build_mask(ws_msa *m);
/* Moves residues that stand beside a deletion into it, in rows from .. from + n - 1: column[k], from 1, is that of
 * node k (section 5.7). */
void ws_build_doctor(ws_msa *m, const int32_t *column, int M, size_t from, size_t n);
/* Adds up the counts of the traces of doctored rows (section 5.8). WS_ENOMEM. */
int ws_build_count(const ws_msa *m, const int32_t *column, const double *weight, int threads, ws_build_counts *c,
                   ws_err *err);

#endif
