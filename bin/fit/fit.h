/* SPDX-License-Identifier: MIT
 * hmmfit: sequences aligned to one model, as one alignment. The rows of a run, and what the program's files share. */
#ifndef WS_FITTING_FIT_H
#define WS_FITTING_FIT_H

#include "kernels/dom/whole.h"
#include "lib/hmm/model.h"
#include "lib/formats/seqread.h"
#include "lib/msa/write.h"
#include "lib/run/job.h"

/* A row of the alignment. Residues in front of the first node's column and behind the last node's are insertions of
 * node 0 and node M. */
typedef struct ws_fitrow {
    const char *name, *acc, *desc; /* acc and desc: NULL for none */
    const uint8_t *code;           /* [L] residues */
    const uint8_t *column;         /* [ncolumn] states and codes of posteriors (lib/hmm/domain.h), from node k_from */
    const uint8_t *outside;        /* [L] codes of posteriors of residues before and behind `column`; NULL: none */
    uint32_t L, before, after;     /* residues; of these before and behind `column` */
    uint32_t k_from, ncolumn;
    int posteriors;                /* the row has them */
    int gaps;                      /* some of the residues are gaps */
    /* of --mapali: '~' up to node lead_node, with lead_through its column included; '~' behind all else */
    int lead, lead_through, trail;
    uint32_t lead_node;
} ws_fitrow;

/* The columns of an alignment: node k stands in column first[k], and ins[k] columns follow it. */
typedef struct ws_fitcolumns {
    uint32_t *ins;   /* [M + 1] longest insertion behind node k, or in front of node 1 */
    size_t *first;   /* [M + 1] first[0] is unused */
    size_t n;
    char *rf, *mm;   /* [n] match columns; the model's mask, NULL: it has none */
    char *row, *pp;  /* [n] the row at hand, filled block by block */
    char *empty;     /* [n] a row of no residues */
} ws_fitcolumns;

/* Where a row's next block begins, so that no block walks the row from its begin. */
typedef struct ws_fitplace {
    uint32_t column, residue, node;
} ws_fitplace;

/* Rows that wait until all are known. Their texts lie in chunks. Once these take more than `most` bytes, full chunks go
 * to a temporary file, and come back one at a time. */
typedef struct ws_fitrows {
    struct ws_fitkept *row;
    size_t n, cap;
    struct ws_fitchunk *chunk;
    size_t nchunk, chunk_cap;
    uint64_t memory, most;
    int fd;              /* of the file, and */
    uint64_t written;    /* bytes in it; 0: there is none */
    ws_buf window;       /* the chunk that came back last, and */
    size_t in_window;    /* its number, from 1; 0: none did */
    double *sum;         /* [M + 1] posteriors in node k, over the rows in order */
    uint32_t *used;      /* [M + 1] rows with a residue there */
} ws_fitrows;

typedef struct ws_fit {
    /* options */
    const char *mapali;
    int in_format, out_format, trim, amino, dna, rna, badres, ignored;
    uint64_t mem;

    ws_msaform form;
    int streams;         /* rows leave as they are made: A2M and A3M need no common columns */
    ws_hmmset set;
    ws_hmm *hmm;
    ws_profile profile;
    ws_dom_tables *tables;
    ws_fitrows rows;
    uint64_t *odd_names; /* as in ws_msasource */
} ws_fit;
static inline ws_fit *ws_fit_of(const ws_job *job) { return job->own; }

/* rows.c. Functions that can fail return WS_ENOMEM. */

/* Sets up the columns for a model; `widths` of insertions are kept, NULL: none. The caller releases *c. */
int ws_fitcolumns_create(ws_fitcolumns *c, const ws_hmm *hmm, const uint32_t *widths, ws_err *err);
void ws_fitcolumns_release(ws_fitcolumns *c);
/* Widens ins[0..M] to what a row needs. trim: residues before and behind the nodes get no columns. */
void ws_fitrow_measure(const ws_fitrow *r, int M, int trim, uint32_t *ins);
/* Sets a row from an aligned sequence, whose memory it shares. */
void ws_fitrow_set(ws_fitrow *r, const ws_abc *abc, const ws_dom_whole *a);
/* Returns the letter of a code of a posterior. */
char ws_fitrow_code_letter(uint8_t code);
/* Fills c->row and c->pp from column `from` to `to`; *p is set at column 0, and kept from block to block. */
void ws_fitrow_fill(const ws_fitrow *r, const ws_hmm *hmm, int trim, ws_fitcolumns *c, ws_fitplace *p, size_t from,
                    size_t to);

/* kept.c. Adds a copy of a row; posterior[ncolumn] of its columns, or NULL. WS_EIO if the temporary file fails. */
int ws_fitrows_add(ws_fitrows *rows, const ws_hmm *hmm, const ws_fitrow *r, const float *posterior, ws_err *err);
/* Sets *r to row i; its texts stay until the next call. WS_ENOMEM, or WS_EIO if the temporary file fails. */
int ws_fitrows_get(ws_fitrows *rows, size_t i, ws_fitrow *r, ws_err *err);
void ws_fitrows_release(ws_fitrows *rows);

/* store.c. Writes all rows. */
int ws_fitrows_write(ws_fit *f, ws_sink *s, ws_err *err);
/* Writes a row that needs no common columns, as A2M or A3M. */
int ws_fitrow_stream(ws_fit *f, const ws_fitrow *row, ws_sink *s, ws_err *err);

/* mapali.c. Adds the rows of f->mapali. Returns WS_EDATA if it is not the alignment that the model was made from. */
int ws_fit_mapali(ws_fit *f, ws_err *err);

extern const ws_reader ws_fit_reader; /* reader.c */

/* peer.c: the program of HMMER that it can be called as. */
extern const struct ws_peer ws_peer_hmmalign;

#endif
