/* SPDX-License-Identifier: MIT
 * Multiple alignments as digital rows, and the reader of their formats: Stockholm, Pfam, aligned FASTA, A2M and A3M,
 * PSI-BLAST, Clustal, PHYLIP, SELEX. Specification build.md, section 4. */
#ifndef WS_MSA_MSA_H
#define WS_MSA_MSA_H

#include "lib/base/alphabet.h"
#include "lib/base/mem.h"
#include "lib/hmm/model.h"

enum { WS_MSA_RF, WS_MSA_MM, WS_MSA_SS, WS_MSA_NLINE }; /* lines with one character for each column */

typedef struct ws_msa {
    const ws_abc *abc;
    size_t rows, columns;
    uint8_t *code;      /* [rows * columns] alphabet's codes, a row after the other; gap: K, '*': Kp - 2, '~': Kp - 1.
                         * With ws_msareader_keep_text characters */
    ws_buf names;       /* the rows' names, each with its NUL */
    size_t *name_at;    /* [rows] their places in names.p */
    double *weight;     /* [rows]; NULL: the input has none */
    /* with ws_msareader_keep: accessions and descriptions of rows, each with its NUL */
    ws_buf notes;
    size_t (*note_at)[2]; /* [rows] their places in notes.p, and 1; 0: the row has none. NULL: nothing was kept */
    char *id, *acc, *desc;       /* of the alignment; NULL: none */
    char *line[WS_MSA_NLINE];    /* [columns] and a NUL; NULL: none */
    int ncut[WS_NCUT];           /* values given, 0 to 2, of GA, TC, NC */
    float cut[WS_NCUT][2];
} ws_msa;

static inline uint8_t *ws_msa_row(const ws_msa *m, size_t i) { return m->code + i * m->columns; }
static inline const char *ws_msa_name(const ws_msa *m, size_t i) { return m->names.p + m->name_at[i]; }
/* Whether a code is a residue: canonical, degenerate or any. */
static inline int ws_msa_is_residue(const ws_abc *abc, uint8_t x) { return x < abc->Kp - 2 && x != abc->K; }

/* Returns the accession (0) or the description (1) of a row, NULL if it has none or they were not kept. */
static inline const char *ws_msa_note(const ws_msa *m, size_t i, int which) {
    return m->note_at && m->note_at[i][which] ? m->notes.p + m->note_at[i][which] - 1 : NULL;
}

/* Frees the memory of an alignment; NULL fields are legal. */
void ws_msa_release(ws_msa *m);

/* Formats. Only Stockholm holds several alignments. Pfam is read as Stockholm, A3M as A2M. */
typedef enum ws_msaformat {
    WS_MSA_GUESS, WS_MSA_STOCKHOLM, WS_MSA_AFA, WS_MSA_A2M, WS_MSA_PSIBLAST, WS_MSA_CLUSTAL, WS_MSA_PHYLIP,
    WS_MSA_PHYLIPS, WS_MSA_SELEX
} ws_msaformat;
#define WS_MSA_NAMES "stockholm, pfam, afa, a2m, a3m, psiblast, clustal, clustallike, phylip, phylips or selex"
/* Returns the format of a name as --informat takes it, in any case; -1: there is none. */
int ws_msaformat_find(const char *name);

typedef struct ws_msareader ws_msareader;

/* Opens a file or "-", plain or gzipped. With WS_MSA_GUESS the first lines tell the format,
    where they leave a doubt the
 * suffix of the path does (section 4.1). With abc NULL the letters tell the alphabet (section 4.2). Nothing is read
 * before the first ws_msareader_next. *out is NULL on failure. */
int ws_msareader_open(ws_msareader **out, const char *path, ws_msaformat format, const ws_abc *abc, ws_err *err);
/* Has the reader keep accessions and descriptions of rows. */
void ws_msareader_keep(ws_msareader *r);
/* Has m->code take the characters of the file as they are, without white space, and no alphabet: of aligned FASTA, and
 * of PHYLIP, whose names end at a blank then. An input in another format is a failure, whose sentence ends in
 * `hint`. */
void ws_msareader_keep_text(ws_msareader *r, const char *hint);
/* NULL is legal. */
void ws_msareader_close(ws_msareader *r);

/* Reads the next alignment into *m, which the caller releases with ws_msa_release. It has at least one row and one
 * column. WS_OK, WS_EOF, or a failure whose sentence names the file, the line and of a second alignment its number; *m
 * is empty then. An input without any alignment is a failure. Memory: less than twice the text of the alignment, except
 * that insertions of A2M and A3M are padded in all rows. */
int ws_msareader_next(ws_msareader *r, ws_msa *m, ws_err *err);

/* Returns the alphabet and the format that were given or guessed; before the first alignment they may be unknown, NULL
 * and WS_MSA_GUESS. */
const ws_abc *ws_msareader_abc(const ws_msareader *r);
ws_msaformat ws_msareader_format(const ws_msareader *r);

/* Returns the alphabet that letters tell, given how often each of A to Z occurs, in upper or lower case (section 4.2).
 * NULL: they do not tell it. */
const ws_abc *ws_msa_alphabet_of(const uint64_t count[26]);

/* Writes the name of an alignment without an ID: of a path without folder and last suffix (section 4.4), into
 * `to`, which has room for strlen(path) + 1 bytes. Returns `to`; NULL for standard input, which has no name. */
char *ws_msa_default_name(char *to, const char *path);

#endif
