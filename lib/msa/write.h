/* SPDX-License-Identifier: MIT
 * The one writer of multiple alignments: Stockholm, Pfam, A2M, A3M, aligned FASTA, PSI-BLAST, Clustal, PHYLIP, SELEX. A
 * caller makes the rows one at a time, so that no program has to hold rows times columns. */
#ifndef WS_MSA_WRITE_H
#define WS_MSA_WRITE_H

#include "lib/files/sink.h"

/* A row as it is written: match columns in upper case and '-', insertions in lower case and '.'. */
typedef struct ws_msarow {
    const char *name;
    const char *acc, *desc; /* NULL: none */
    double weight;          /* for `weights` */
    const char *text;       /* [columns] */
    const char *pp;         /* [columns] posteriors; NULL: this row has no such line */
} ws_msarow;

/* An alignment whose rows are made on demand. Texts of a row live until the next call with the same scratch. */
typedef struct ws_msasource {
    const char *id, *acc, *desc, *author; /* #=GF lines; NULL: none */
    size_t rows, columns;
    size_t block;                 /* columns of a block of Stockholm; 0: as HMMER has them */
    int weights;                  /* rows have #=GS WT lines */
    int posteriors;               /* some rows have pp */
    /* lines for all rows, `columns` characters; NULL: none. A2M, A3M and PSI-BLAST need rf: letters and digits are
     * match columns */
    const char *ss_cons, *pp_cons, *rf, *mm;
    void *of;
    /* Sets the name of row i, from 0, and with `texts` also acc, desc and weight. Texts that it makes stand in scratch,
     * which is the thread's: with piece, any rows at once. A failure of this function and of the next one ends the
     * writing. */
    int (*head)(void *of, size_t i, int texts, ws_msarow *row, ws_buf *scratch, ws_err *err);
    /* Sets text and pp of row i. Rows are asked for in order, where the form has blocks once for each. */
    int (*body)(void *of, size_t i, ws_msarow *row, ws_err *err);
    /* Does the same in place of body, if not NULL, for columns from .. from + n - 1 alone, and for any rows at once on
     * so many threads: copies them to text and, with `posteriors`, to pp. A row's pieces come in order; from 0 again if
     * the row is written again. scratch is the thread's. A NUL at *pp: this row has no posteriors. */
    int (*piece)(void *of, size_t i, size_t from, size_t n, char *text, char *pp, ws_buf *scratch, ws_err *err);
    int threads;
    uint64_t *odd_names; /* Stockholm adds the rows that its readers take for other lines. Atomic; may be NULL */
} ws_msasource;

typedef enum ws_msaform {
    WS_MSAFORM_STOCKHOLM, /* blocks of 200 columns */
    WS_MSAFORM_PFAM,      /* Stockholm in one block */
    WS_MSAFORM_A2M,       /* without dots, lines of 60 */
    WS_MSAFORM_AFA,       /* lines of 60 */
    WS_MSAFORM_PSIBLAST,  /* blocks of 60 */
    WS_MSAFORM_A3M,       /* without dots, a row on one line */
    WS_MSAFORM_CLUSTAL,   /* blocks of 60, each with a line of conserved columns */
    WS_MSAFORM_CLUSTALLIKE, /* the same; the first line names Easel */
    WS_MSAFORM_PHYLIP,    /* blocks of 60, names cut to 10 characters */
    WS_MSAFORM_PHYLIPS,   /* the same with one row after another */
    WS_MSAFORM_SELEX,     /* blocks of 60 */
    WS_MSAFORM_A2M_DOTS,  /* a row on one line, with its dots: all lines are equally long */
    WS_MSAFORM_N
} ws_msaform;

/* Names of the forms, in their order, ended by NULL: those that HMMER's --outformat takes, and a3m. WS_MSAFORM_A2M_DOTS
 * has none. */
extern const char *const ws_msaform_names[];
#define WS_MSAFORM_NAMES "stockholm, pfam, a2m, afa, psiblast, a3m, clustal, clustallike, phylip, phylips or selex"

/* Returns the columns of a block of a form, in which rows are asked for; 0: all columns at once. Stockholm: unless the
 * source says another number. */
size_t ws_msaform_block(ws_msaform form);

/* Writes an alignment as HMMER's tools do, byte for byte. Stockholm: where two rows share their name each is prefixed
 * by its number. Failures of head(), body(), piece() and of memory go to the sink. Memory: 16 bytes a row for
 * Stockholm's look at the names, and a megabyte for each thread. */
void ws_msa_write(ws_sink *s, const ws_msasource *m, ws_msaform form);

#endif
