/* SPDX-License-Identifier: MIT
 * A ranked hit list as text: hmmsearch's tables, alignments and report, and tables of tab-separated columns.
 * Specification domains.md, section 11. */
#ifndef WS_HITS_WRITE_H
#define WS_HITS_WRITE_H

#include "lib/base/fields.h"
#include "lib/hits/dna.h"
#include "lib/hits/hits.h"
#include "lib/hmm/profile.h"
#include "lib/files/sink.h"
#include "lib/msa/msa.h"

/* Settings of hmmsearch's report. */
enum { WS_TEXT_FILTERS = 4 };
typedef struct ws_textconf {
    int width;      /* of a line; 0: no limit */
    int alignments; /* show them */
    int accessions; /* the query's accession in place of its name */
    int z_given, domz_given;
    int round;      /* of a search in rounds, from 1: the query stands in round 1 alone; 0: there are none */
    int converged;  /* it is the last round, since nothing new was found */
    const char *msa;                      /* the file that the alignment goes to, which the report names; NULL: none */
    int known;                            /* how many sequences were searched, and residues */
    uint64_t seqs, residues;              /* of a query that is a sequence: models, and its own residues */
    uint64_t nodes;                       /* of all models, where the query is a sequence */
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
/* Columns by their names, separated by commas; NULL: the default ones, with those of `known`, WS_KNOWN_... WS_EUSAGE
 * with the names there are, or with what a column needs that is not known. */
int ws_hitcols_choose(ws_hitcols *c, const ws_names *of, int known, const char *list, ws_err *err);
void ws_hitcols_release(ws_hitcols *c);

/* A sequence that is a query. */
typedef struct ws_queryseq {
    const char *name, *desc; /* desc: empty if there is none */
    const char *acc;         /* empty or NULL if there is none */
    uint32_t L;
    uint64_t number;         /* among the sequences of its file, from 0 */
    const uint8_t *x;        /* [L] codes; NULL: not known */
} ws_queryseq;

/* A query with its ranked targets, and what the writers have to know. The profile is for alignments alone. */
typedef struct ws_hitquery {
    const ws_hmm *hmm;         /* with `seq`, and if so profile: of one target; see ws_hitquery_of */
    const ws_profile *profile;
    const ws_queryseq *seq;    /* the query of a list by sequence; NULL: the query is hmm */
    const ws_queryseq *origin; /* the sequence that hmm, the query, was made of; NULL: none */
    const char *msa_name;      /* of the alignment, whose first row is the origin; NULL: that of hmm, and no such row */
    const ws_hitlist *list;
    int first;                 /* the query is the first one: heads of tables come before its rows */
    int streams;               /* targets are written as they are found: the list has one of them */
    const ws_hitcols *columns; /* of a table of columns */
    const ws_textconf *text;   /* of the report */
    size_t msa_width;          /* columns in a block of Stockholm; 0: no limit */
    const char *author;        /* of Stockholm's AU line */
    const char *program;       /* its name, for GFF3 */
    int threads;               /* that may make the text of this list; 0: one */
    const ws_held *below;      /* the first reported target that is not included; NULL: none. Set by ws_hitform_write */
    int in_file;               /* bodies of targets are in a file (lib/hits/spill.h), where pages are dear */
    uint64_t *odd_names;       /* as in ws_msasource, and rows of BED */
} ws_hitquery;

/* Returns the accession of the query: of the sequence, or of the model that was not made of one; empty: none. */
static inline const char *ws_hitquery_acc(const ws_hitquery *q) {
    const ws_queryseq *seq = q->seq ? q->seq : q->origin;
    const char *acc = seq ? seq->acc : q->hmm->acc;
    return acc ? acc : "";
}

/* Returns the query with the model of one of its targets. */
static inline ws_hitquery ws_hitquery_of(const ws_hitquery *q, const ws_held *h) {
    ws_hitquery one = *q;
    const ws_hmm_target *model = q->list->model;
    if (model) {
        one.hmm = model[h->model].hmm;
        one.profile = &model[h->model].profile;
    }
    return one;
}

/* ---- lists: all targets of a query. WS_ENOMEM goes to the sink, as all failures ---- */

/* Writes Pfam's table of hmmsearch, or of hmmscan if the query is a sequence. An unknown number is "-". */
void ws_write_pfamtblout(ws_sink *s, const ws_hitquery *q);
/* Sets *m to the origin and the included domains as digital rows, with RF line. It is as if their Stockholm were read.
 * WS_ENOMEM; the caller calls ws_msa_release in any case. */
int ws_hitquery_msa(const ws_hitquery *q, ws_msa *m, ws_err *err);
/* All targets of the list, reported or not, as the records of lib/hits/records.h. */
void ws_write_records(ws_sink *s, const ws_hitquery *q);
/* Included domains as a multiple alignment over all nodes of the model. Nothing is written if there are none. */
void ws_write_stockholm(ws_sink *s, const ws_hitquery *q);
void ws_write_a2m(ws_sink *s, const ws_hitquery *q);

/* ---- targets one at a time ---- */

/* The report of hmmsearch or hmmscan on one query: its targets, then the domains of each. */
void ws_write_text_begin(ws_sink *s, const ws_hitquery *q);
void ws_write_text_target(ws_sink *s, const ws_hitquery *q, const ws_held *h);
void ws_write_domains_begin(ws_sink *s, const ws_hitquery *q);
void ws_write_domains_target(ws_sink *s, const ws_hitquery *q, const ws_held *h);
void ws_write_domains_end(ws_sink *s, const ws_hitquery *q);

/* Rows of hmmsearch's tables, or of hmmscan's if the query is a sequence, and what is above the rows of the first
 * query. The columns are as wide as all names of the list ask for, or as the target's name where the list streams. */
void ws_write_tblout_head(ws_sink *s, const ws_hitquery *q);
void ws_write_domtblout_head(ws_sink *s, const ws_hitquery *q);
void ws_write_tblout_target(ws_sink *s, const ws_hitquery *q, const ws_held *h);
void ws_write_domtblout_target(ws_sink *s, const ws_hitquery *q, const ws_held *h);
/* A tab-separated row for each reported domain. */
void ws_write_columns_target(ws_sink *s, const ws_hitquery *q, const ws_held *h);
/* Included domains as records of A3M, each of which needs no other one. */
void ws_write_a3m_origin(ws_sink *s, const ws_hitquery *q); /* the record before them: the query, if it is a sequence */
void ws_write_a3m_target(ws_sink *s, const ws_hitquery *q, const ws_held *h);
/* Residues of the alignments of reported domains, and names of reported targets. */
void ws_write_fasta_target(ws_sink *s, const ws_hitquery *q, const ws_held *h);
void ws_write_ids_target(ws_sink *s, const ws_hitquery *q, const ws_held *h);
/* Places of reported domains in the contigs of their ORFs. A sink fails as ws_orf_read. */
void ws_write_bed_target(ws_sink *s, const ws_hitquery *q, const ws_held *h);
void ws_write_gff3_target(ws_sink *s, const ws_hitquery *q, const ws_held *h);

/* ---- forms of output ---- */

/* The text before the first row of a form and after the last one. */
typedef enum ws_hitframe {
    WS_FRAME_NONE,
    WS_FRAME_COLUMNS, /* a table of columns: ## lines, names, ##end */
    WS_FRAME_REPORT,  /* hmmsearch's first lines and its [ok] */
    WS_FRAME_HMMER    /* the first list has a head; at the end are hmmsearch's lines about the run */
} ws_hitframe;

/* Text of a list: before all targets, of each, behind them. NULL: nothing. */
typedef struct ws_hitpass {
    void (*begin)(ws_sink *s, const ws_hitquery *q);
    void (*target)(ws_sink *s, const ws_hitquery *q, const ws_held *h);
    void (*end)(ws_sink *s, const ws_hitquery *q);
} ws_hitpass;
enum { WS_HITPASSES = 2 };

/* A form of output. A new one is an entry of ws_hitforms, a number and options in lib/hits/options.h, and a writer. */
typedef struct ws_hitform {
    const char *whole;  /* what a form is called that needs all hits of a query first; NULL: it has one pass */
    const char *option; /* that writes it to a file of its own; NULL: -O alone */
    const char *head;   /* stands before all rows; NULL: nothing but the frame */
    ws_hitframe frame;
    int row_of_target;  /* a row is a target, not a domain */
    int by_seq;         /* also for lists by sequence */
    int places;         /* targets have to be ORFs with places */
    void (*list)(ws_sink *s, const ws_hitquery *q); /* NULL: target by target, */
    ws_hitpass pass[WS_HITPASSES];                  /* one pass after the other */
    int (*hold)(const ws_hitquery *q); /* returns WS_HOLD_... by q->columns and q->text; NULL: 0 */
} ws_hitform;
/* By ws_dom_form. */
extern const ws_hitform ws_hitforms[];

/* Writes a list, whole or target by target, on q->threads threads. */
void ws_hitform_write(const ws_hitform *f, ws_sink *s, const ws_hitquery *q);

/* ---- hits in long DNA ---- */

/* Writes the row of a hit. */
void ws_write_columns_dna(ws_sink *s, const ws_hmm *hmm, const ws_hitcols *c, const ws_dnahit *h);

/* A form of output: its name as -O has it, what stands before all rows, and the rows of a model's ranked list. */
typedef struct ws_dnaquery {
    const ws_hmm *hmm;         /* NULL if the query is a sequence */
    const ws_queryseq *seq;    /* of a list by sequence */
    const ws_dnalist *list;
    const ws_hitcols *columns; /* of the form tsv */
    const char *program;       /* its name, for GFF3 */
    int first;                 /* of the models that are written */
    const ws_textconf *text;   /* of the report; what passed the filters are residues, which may be below 0 */
    const ws_profile *profile; /* of the form aliscores */
    size_t msa_width;          /* as in ws_hitquery, as the next two */
    const char *author;
    int threads;
    uint64_t *odd_names;       /* as in ws_msasource, and rows of BED */
} ws_dnaquery;
typedef struct ws_dnaform {
    const char *name, *head;
    ws_hitframe frame; /* WS_FRAME_COLUMNS: a table with provenance, the line of names, an end */
    int alignments;    /* hits have to hold them, */
    int all;           /* also those that are not reported */
    int by_model;      /* not for lists by sequence */
    void (*write)(ws_sink *s, const ws_dnaquery *q);
} ws_dnaform;
/* Write nhmmer's or nhmmscan's report on one query; included hits as an alignment over all nodes that have residues;
 * the score of each column of each reported hit. */
void ws_write_text_dna(ws_sink *s, const ws_dnaquery *q);
void ws_write_stockholm_dna(ws_sink *s, const ws_dnaquery *q);
void ws_write_aliscores(ws_sink *s, const ws_dnaquery *q);
/* All hits of a list that is not by sequence, reported or not, as the records of lib/hits/records.h. */
void ws_write_records_dna(ws_sink *s, const ws_dnaquery *q);
/* Returns the form tsv, tblout, bed, gff3, dfamtblout, text, sto, aliscores or records; NULL: the name is another
 * one. */
const ws_dnaform *ws_dnaform_find(const char *name);

/* ---- one alignment ---- */

/* The alignment of a model with a stretch of a target, as it is held. */
typedef struct ws_ali {
    ws_aliwalk walk; /* before the first column */
    uint32_t ncolumn, hmm_from, hmm_to;
    uint64_t from, to; /* in the target; from > to on the other strand */
} ws_ali;
/* Returns the alignment of a held domain, or of a hit in long DNA that has one. */
static inline ws_ali ws_held_ali(const ws_held *h, const ws_held_domain *d) {
    return (ws_ali){ws_aliwalk_packed(h->body + d->column), d->ncolumn, d->hmm_from, d->hmm_to, d->ali_from,
                    d->ali_to};
}
static inline ws_ali ws_dnahit_ali(const ws_dnahit *h) {
    return (ws_ali){ws_aliwalk_plain(h->column, h->x), h->ncolumn, h->hmm_from, h->hmm_to, h->ali_from, h->ali_to};
}

/* The lines of an alignment, n characters and NUL each; cs and rf only if the model has them (else NULL). */
typedef struct ws_alilines {
    char *model, *match, *target, *pp, *cs, *rf;
    size_t n;
    uint32_t identical; /* columns whose residue is the consensus */
    ws_buf memory;
} ws_alilines;
/* Makes the lines of section 11.3. Zero-initialise and use again; WS_ENOMEM is the only failure. profile NULL: the
 * match line has '+' where columns have WS_COLUMN_ABOVE. */
int ws_alilines_make(ws_alilines *a, const ws_hmm *hmm, const ws_profile *profile, const ws_ali *ali, ws_err *err);
void ws_alilines_release(ws_alilines *a);
/* Writes an alignment of a report, in pieces if lines of `width` characters (0: any number) ask for it. query, target:
 * what the two are called. *a is scratch. */
void ws_write_alignment(ws_sink *s, const ws_hmm *hmm, const ws_profile *profile, const ws_ali *ali, const char *query,
                        const char *target, int width, ws_alilines *a);

/* How a code of a posterior prints. */
static inline char ws_code_letter(uint8_t column) {
    const int code = column & WS_COLUMN_CODE;
    return (char)(code == WS_CODE_NONE ? '.' : code == WS_CODE_STAR ? '*' : '0' + code);
}
/* How a residue prints in an alignment: a gap as '-'. */
static inline char ws_ali_letter(const ws_abc *abc, uint8_t x) { return x == abc->K ? '-' : abc->letters[x]; }

#endif
