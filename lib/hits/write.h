/* SPDX-License-Identifier: MIT
 * A ranked hit list as text: hmmsearch's tables, alignments and report, and tables of tab-separated columns.
 * Specification domains.md, section 11. */
#ifndef WS_HITS_WRITE_H
#define WS_HITS_WRITE_H

#include "lib/base/fields.h"
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

/* A query with its ranked targets. The profile is for alignments alone. */
typedef struct ws_hitquery {
    const ws_hmm *hmm;
    const ws_profile *profile;
    const ws_hitlist *list;
} ws_hitquery;

/* hmmsearch's tables; `first`: the header comes before the rows. A number that nobody knows is "-". */
void ws_write_tblout(ws_sink *s, const ws_hitquery *q, int first);
void ws_write_domtblout(ws_sink *s, const ws_hitquery *q, int first);

/* Rows of a table in input order, one target at a time: the columns are as wide as its name asks for. */
void ws_write_tblout_target(ws_sink *s, const ws_hitquery *q, const ws_held *h, size_t name_width);
void ws_write_domtblout_target(ws_sink *s, const ws_hitquery *q, const ws_held *h, size_t name_width);

/* hmmsearch's report on one query. */
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
/* WS_ENOMEM goes to the sink, as all failures. */
void ws_write_text(ws_sink *s, const ws_hitquery *q, const ws_textconf *conf);

/* Included domains as a multiple alignment over all nodes of the model. Nothing is written if there are none. */
typedef enum ws_msaform { WS_MSA_STOCKHOLM, WS_MSA_A2M, WS_MSA_A3M } ws_msaform;
/* width: columns in a block of Stockholm; 0: no limit. author: of the AU line. Returns the number of rows. */
size_t ws_write_msa(ws_sink *s, const ws_hitquery *q, ws_msaform form, size_t width, const char *author);
/* An A3M record needs no other one. */
void ws_write_a3m_target(ws_sink *s, const ws_hitquery *q, const ws_held *h);

/* Residues of the alignments of reported domains, and names of reported targets. */
void ws_write_fasta_target(ws_sink *s, const ws_hitquery *q, const ws_held *h);
void ws_write_ids_target(ws_sink *s, const ws_hitquery *q, const ws_held *h);

/* ---- tab-separated columns ---- */

/* Their names. */
extern const ws_names ws_hit_columns;

typedef struct ws_hitcols {
    int *column, n; /* places in ws_hit_columns, in their order */
    int hold;       /* WS_HOLD_... that they need */
    int plain;      /* texts as CSV has them; the caller sets it */
} ws_hitcols;
/* Columns by their names, separated by commas; NULL: the default ones. WS_EUSAGE with the names there are. */
int ws_hitcols_choose(ws_hitcols *c, const char *list, ws_err *err);
void ws_hitcols_release(ws_hitcols *c);
/* A row for each reported domain of a target; returns how many. */
uint64_t ws_write_columns_target(ws_sink *s, const ws_hitquery *q, const ws_hitcols *c, const ws_held *h);

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
