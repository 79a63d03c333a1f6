/* SPDX-License-Identifier: MIT
 * Sequences from a list of inputs into batches. Each input is told apart by its first bytes: FASTA, FASTQ, our packed
 * stream, our TSV, Stockholm, GenBank, EMBL. Parsers are resumable state machines that take the input chunk by chunk.
 * So a record may be longer than any buffer, and no parser copies it twice. Stockholm is held an alignment at a time.
 *
 * Errors: every complete record before the fault is delivered first, then the failure. Messages name the input, the
 * line (or byte), what was found and what was expected. */
#ifndef WS_FORMATS_SEQREAD_H
#define WS_FORMATS_SEQREAD_H

#include "lib/base/alphabet.h"
#include "lib/stream/batch.h"
#include "lib/stream/ledger.h"
#include "lib/stream/queries.h"

#ifdef __cplusplus
extern "C" {
#endif

/* UNIPROT is read as EMBL, DDBJ as GENBANK, PFAM as STOCKHOLM. AFA is aligned FASTA: its gaps are left out, and content
 * never tells it. */
typedef enum ws_format {
    WS_FORMAT_AUTO, WS_FORMAT_FASTA, WS_FORMAT_FASTQ, WS_FORMAT_PACKED, WS_FORMAT_TSV, WS_FORMAT_AFA,
    WS_FORMAT_STOCKHOLM, WS_FORMAT_PFAM, WS_FORMAT_GENBANK, WS_FORMAT_DDBJ, WS_FORMAT_EMBL, WS_FORMAT_UNIPROT,
    WS_NFORMAT
} ws_format;
/* Their names, for options, and as a sentence: those of sequences, and what else a program that takes tables reads. */
extern const char *const ws_format_names[];
#define WS_SEQFORMAT_NAMES \
    "fasta, fastq, packed, afa (aligned FASTA), stockholm, pfam, genbank, ddbj, embl or uniprot"
#define WS_FORMAT_NAMES "auto, tsv, " WS_SEQFORMAT_NAMES
/* Returns the format of sequences of a name, in any case; AUTO: there is none. */
ws_format ws_seqformat_find(const char *name);
/* Returns WS_EUSAGE with a sentence: the option names a format that the program does not read. */
int ws_seqformat_unknown(const char *option, const char *name, const char *program, ws_err *err);
typedef enum ws_badres { WS_BADRES_ERROR, WS_BADRES_X, WS_BADRES_SKIP } ws_badres;

typedef struct ws_seqread_conf {
    const char *const *path; /* inputs in order; "-" is stdin, as is none */
    int npath;
    ws_format format;        /* asserted, or AUTO */
    const ws_abc *abc;
    int any_abc;             /* if the first input is a packed stream its own alphabet is taken in place of abc */
    ws_badres badres;
    int allow_cut;           /* a TSV without its ##end is accepted */
    int some_text;           /* a first input without one byte is a failure, as in HMMER */
    int tab_joins;           /* a tab in the header of FASTA or FASTQ is a '_' of its name, not a blank after it */
    int whole_text;          /* descriptions of FASTA and FASTQ keep tabs, and blanks at their end, as in HMMER */
    uint64_t batch_residues; /* a batch is closed at the first record end at or beyond this many residues */
    int grows;               /* first batches have fewer, as a small input is done in little memory again and again */
    uint64_t pair_residues;  /* the same of packed pairs, which have few pairs for each sequence; 0: as of all others */
    /* ... or sequences (or rows); or as many records, or 64 bytes of text for each, as residues */
    size_t batch_seqs;
    /* adjacent rows of one sequence need not share a batch: the last row is not held back for them */
    int rows_apart;
    int queries;             /* the column query of a table, if there is one, names a model in every row */
    /* FASTA: a record may be cut where the batch is full. A piece begins `context` residues before the first block that
     * was not whole in the piece before, and blocks begin at multiples of `block`. 0: whole records */
    uint32_t block, context;
    int wait_ms;             /* fill returns WS_AGAIN if nothing came for so long; 0: it waits for ever */
    const char *const *own;  /* names of columns that the reading tool writes itself: dropped from a row's `rest` */
    int nown;
} ws_seqread_conf;

/* The columns of the table or packed pairs that are read; valid once the first fill has returned. */
typedef struct ws_tsv_head {
    int present;          /* the input is a table, packed pairs, or packed sequences of a larger database */
    int pairs;            /* it is packed pairs */
    char **all;           /* names of all columns, in order */
    int nall;
    char **column;        /* those that pass through, in a row's `rest` */
    int ncolumn;
} ws_tsv_head;

typedef struct ws_seqread_counts {
    uint64_t seqs, rows, residues, bad_residues; /* bad: replaced or skipped by --bad-residue */
} ws_seqread_counts;

typedef struct ws_seqread ws_seqread;

/* Opens no input yet, so WS_ENOMEM is the only failure; *out is NULL then. The memory that conf points to must stay
 * until ws_seqread_close, for which NULL is legal. */
int ws_seqread_open(ws_seqread **out, const ws_seqread_conf *conf, ws_err *err);
void ws_seqread_close(ws_seqread *r);

/* Empties b and fills it with complete records until it is full. With at least one record it also stops when nothing
 * has arrived for 50 ms, or when the reader has waited 250 ms for the rest of the input. Unless rows may be apart,
 * those of one sequence stay in one batch. So the last sequence of a table waits for the row after it. WS_OK with b->n
 * > 0, or with b empty WS_EOF, WS_AGAIN (see wait_ms) or a failure; WS_EOF and failures come again on every later
 * call. */
int ws_seqread_fill(ws_seqread *r, ws_batch *b, ws_err *err);

/* Sets the residues of batches from the next fill on, whatever is read. Only the thread that fills may call it. */
void ws_seqread_batch(ws_seqread *r, uint64_t residues);

/* Reads ahead in an idle thread, as ws_source_ahead. Any thread. */
int ws_seqread_ahead(ws_seqread *r);

/* Returns the format of the input being read (AUTO before the first fill). */
ws_format ws_seqread_format(const ws_seqread *r);
/* Returns the head of the tables read so far, which stays the reader's. */
const ws_tsv_head *ws_seqread_head(const ws_seqread *r);
/* Returns the ledger of all inputs read so far, which stays the reader's. Its size is that of the inputs once the last
 * fill has returned WS_EOF. */
const ws_ledger *ws_seqread_ledger(const ws_seqread *r);
/* Returns conf.abc, or with any_abc the alphabet of the input. */
const ws_abc *ws_seqread_abc(const ws_seqread *r);
/* Sets *c to the counts of the sequences delivered so far. Any thread. */
void ws_seqread_counts_get(ws_seqread *r, ws_seqread_counts *c);
/* Sets the bytes of all inputs that delivered batches took, compressed ones as they are and about, and their size; 0 if
 * one of them is no file. Any thread. */
void ws_seqread_progress(ws_seqread *r, uint64_t *done, uint64_t *size);
/* lib/formats/packed_size.c: returns 1 for a file of whole packed sequences and nothing else, and sets *residues to
 * what all of them have. It reads frames alone. */
int ws_packed_measure(const char *path, uint64_t *residues);

#ifdef __cplusplus
}
#endif
#endif
