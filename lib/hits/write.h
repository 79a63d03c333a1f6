/* SPDX-License-Identifier: MIT
 * A ranked hit list as text: hmmsearch's tables, alignments and report, and tables of tab-separated columns.
 * Specification domains.md, section 11. */
#ifndef WS_HITS_WRITE_H
#define WS_HITS_WRITE_H

#include "lib/base/fields.h"
#include "lib/hits/dna.h"
#include "lib/hits/hits.h"
#include "lib/hmm/profile.h"

/* Where text goes: it is collected and handed on in pieces of about a megabyte. A sink remembers its first failure, and
 * takes nothing after it. With write == NULL all stays in `text`. */
typedef struct ws_sink {
    ws_buf text;
    int (*write)(void *to, const char *p, size_t n, ws_err *err);
    void *to;
    ws_err err; /* code WS_OK: no failure */
} ws_sink;

void ws_sink_f(ws_sink *s, const char *fmt, ...) WS_PRINTF(2, 3);
void ws_sink_add(ws_sink *s, const char *p, size_t n);
/* Hands on what has come together, if it is much. Called between rows, so that a failed write leaves whole ones. */
void ws_sink_pause(ws_sink *s);
/* Hands on all of it; returns the first failure of the sink. */
int ws_sink_flush(ws_sink *s, ws_err *err);
void ws_sink_release(ws_sink *s);

/* Settings of hmmsearch's report. */
enum { WS_TEXT_FILTERS = 4 };
typedef struct ws_textconf {
    int width;      /* of a line; 0: no limit */
    int alignments; /* show them */
    int accessions; /* the query's accession in place of its name */
    int z_given, domz_given;
    int known;                            /* how many sequences were searched, and residues */
    uint64_t seqs, residues;
    int filters;                          /* what passed each filter is known: MSV, bias, Viterbi, Forward */
    uint64_t passed[WS_TEXT_FILTERS];
    double filter_p[WS_TEXT_FILTERS];     /* thresholds of the filters */
} ws_textconf;

/* Columns of a table of domains, or of hits in long DNA. */
extern const ws_names ws_hit_columns, ws_dna_columns;
typedef struct ws_hitcols {
    const ws_names *of; /* one of these */
    int *column, n; /* places in `of`, in their order */
    int hold;       /* WS_HOLD_... that they need */
    int plain;      /* texts as CSV has them; the caller sets it */
} ws_hitcols;
/* Columns by their names, separated by commas; NULL: the default ones. WS_EUSAGE with the names there are. */
int ws_hitcols_choose(ws_hitcols *c, const ws_names *of, const char *list, ws_err *err);
void ws_hitcols_release(ws_hitcols *c);

/* A query with its ranked targets, and what the writers have to know. The profile is for alignments alone. */
typedef struct ws_hitquery {
    const ws_hmm *hmm;
    const ws_profile *profile;
    const ws_hitlist *list;
    int first;                 /* the query is the first one: heads of tables come before its rows */
    const ws_hitcols *columns; /* of a table of columns */
    const ws_textconf *text;   /* of the report */
    size_t msa_width;          /* columns in a block of Stockholm; 0: no limit */
    const char *author;        /* of Stockholm's AU line */
} ws_hitquery;

/* ---- lists: all targets of a query. WS_ENOMEM goes to the sink, as all failures ---- */

/* Write hmmsearch's tables. An unknown number is "-". */
void ws_write_tblout(ws_sink *s, const ws_hitquery *q);
void ws_write_domtblout(ws_sink *s, const ws_hitquery *q);
/* hmmsearch's report on one query. */
void ws_write_text(ws_sink *s, const ws_hitquery *q);
/* Included domains as a multiple alignment over all nodes of the model. Nothing is written if there are none. */
void ws_write_stockholm(ws_sink *s, const ws_hitquery *q);
void ws_write_a2m(ws_sink *s, const ws_hitquery *q);

/* ---- targets one at a time ---- */

/* Rows of hmmsearch's tables: the columns are as wide as the target's name asks for. */
void ws_write_tblout_target(ws_sink *s, const ws_hitquery *q, const ws_held *h);
void ws_write_domtblout_target(ws_sink *s, const ws_hitquery *q, const ws_held *h);
/* A tab-separated row for each reported domain. */
void ws_write_columns_target(ws_sink *s, const ws_hitquery *q, const ws_held *h);
/* Included domains as records of A3M, each of which needs no other one. */
void ws_write_a3m_target(ws_sink *s, const ws_hitquery *q, const ws_held *h);
/* Residues of the alignments of reported domains, and names of reported targets. */
void ws_write_fasta_target(ws_sink *s, const ws_hitquery *q, const ws_held *h);
void ws_write_ids_target(ws_sink *s, const ws_hitquery *q, const ws_held *h);

/* ---- forms of output ---- */

/* The text before the first row of a form and after the last one. */
typedef enum ws_hitframe {
    WS_FRAME_NONE,
    WS_FRAME_COLUMNS, /* a table of columns: ## lines, names, ##end */
    WS_FRAME_REPORT,  /* hmmsearch's first lines and its [ok] */
    WS_FRAME_HMMER    /* the first list has a head; at the end are hmmsearch's lines about the run */
} ws_hitframe;

/* A form of output. A new one is an entry of ws_hitforms, a number and options in lib/hits/options.h, and a writer. */
typedef struct ws_hitform {
    const char *whole;  /* what a form is called that needs all hits of a query first; NULL: it has `target` */
    const char *option; /* that writes it to a file of its own; NULL: -O alone */
    ws_hitframe frame;
    int row_of_target;  /* a row is a target, not a domain */
    void (*list)(ws_sink *s, const ws_hitquery *q); /* NULL: target by target */
    void (*target)(ws_sink *s, const ws_hitquery *q, const ws_held *h);
    int (*hold)(const ws_hitquery *q); /* returns WS_HOLD_... by q->columns and q->text; NULL: 0 */
} ws_hitform;
/* By ws_dom_form. Those of windows of DNA are empty. */
extern const ws_hitform ws_hitforms[];

/* ---- hits in long DNA ---- */

/* Writes the row of a hit. */
void ws_write_columns_dna(ws_sink *s, const ws_hmm *hmm, const ws_hitcols *c, const ws_dnahit *h);

/* A form of output: its name as -O has it, what stands before all rows, and the rows of a model's ranked list. */
typedef struct ws_dnaquery {
    const ws_hmm *hmm;
    const ws_dnalist *list;
    const ws_hitcols *columns; /* of the form tsv */
    const char *program;       /* its name, for GFF3 */
    int first;                 /* of the models that are written */
} ws_dnaquery;
typedef struct ws_dnaform {
    const char *name, *head;
    int has_columns; /* a table with provenance, the line of names, an end */
    void (*write)(ws_sink *s, const ws_dnaquery *q);
} ws_dnaform;
/* Returns the form tsv, tblout, bed, gff3 or dfamtblout; NULL: the name is another one. */
const ws_dnaform *ws_dnaform_find(const char *name);

/* ---- one alignment ---- */

/* The lines of an alignment, n characters and NUL each; cs and rf only if the model has them (else NULL). */
typedef struct ws_alilines {
    char *model, *match, *target, *pp, *cs, *rf;
    size_t n;
    uint32_t identical; /* columns whose residue is the consensus */
    ws_buf memory;
} ws_alilines;
/* Makes the lines of section 11.3. Zero-initialise and use again; WS_ENOMEM is the only failure. Without a profile the
 * match line has no '+'. */
int ws_alilines_make(ws_alilines *a, const ws_hitquery *q, const ws_held *h, const ws_held_domain *d, ws_err *err);
void ws_alilines_release(ws_alilines *a);

/* How a code of a posterior prints. */
static inline char ws_code_letter(uint8_t column) {
    const int code = column & WS_COLUMN_CODE;
    return (char)(code == WS_CODE_NONE ? '.' : code == WS_CODE_STAR ? '*' : '0' + code);
}
/* How a residue prints in an alignment: a gap as '-'. */
static inline char ws_ali_letter(const ws_abc *abc, uint8_t x) { return x == abc->K ? '-' : abc->letters[x]; }

#endif
