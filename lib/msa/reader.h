/* SPDX-License-Identifier: MIT
 * The common base of the readers: lines, rows on their way into memory, sentences. Internal to lib/msa. */
#ifndef WS_MSA_READER_H
#define WS_MSA_READER_H

#include <string.h>

#include "lib/compress/source.h"
#include "lib/msa/msa.h"

/* ---- lines: lines.c ---- */

typedef struct ws_lines {
    ws_source *source;
    const uint8_t *chunk;
    size_t nchunk, at;   /* of the chunk */
    ws_buf carry;        /* a line that began in an earlier chunk */
    ws_buf held;         /* lines read while looking ahead, each with its end */
    size_t held_at;
    size_t most;         /* bytes that may be looked at ahead; 0: any number */
    int whole;           /* the current line has its end */
    int holding, eof;
    uint64_t number;     /* of the current line, from 1 */
    const char *p;       /* the current line, without its end */
    size_t n;
} ws_lines;

/* Moves on to the next line: WS_OK, WS_EOF or a failure, which a zero byte is too. Sets p, n and number. */
int ws_lines_next(ws_lines *l, ws_err *err);
/* The same, past blank lines. */
int ws_lines_next_text(ws_lines *l, ws_err *err);
/* Begins to look ahead from the next line on; ws_lines_rewind goes back there. */
void ws_lines_hold(ws_lines *l);
void ws_lines_rewind(ws_lines *l);

/* A word of a line. */
typedef struct ws_word {
    const char *p;
    size_t n;
} ws_word;
/* Takes the next word between blanks and tabs off the front of *rest, and blanks behind it. An empty word: there is
 * none. */
ws_word ws_word_next(ws_word *rest);
static inline int ws_word_is(ws_word w, const char *s) { return w.n == strlen(s) && !memcmp(w.p, s, w.n); }
static inline int ws_word_starts(ws_word w, const char *s) { return w.n >= strlen(s) && !memcmp(w.p, s, strlen(s)); }
/* Returns the word without blanks at its end. */
ws_word ws_word_trim(ws_word w);

/* ---- the reader ---- */

struct ws_msareader {
    ws_lines lines;
    const char *name;      /* of the input, for sentences */
    char *path;
    ws_msaformat format;
    const ws_abc *abc;
    uint64_t number;       /* of the alignment, from 1 */
    ws_msa *m;             /* the alignment that is read */

    /* its rows: text in the order of the file, and whose it is */
    uint8_t map[256];      /* character to code, or one of WS_MAP_... */
    uint8_t *code;
    size_t ncode, code_cap;
    int in_place;          /* `code` is also the text, of which it uses up the front */
    struct ws_piece {
        uint32_t row, n;
    } *piece;
    size_t npiece, piece_cap;
    size_t *length;        /* [rows] columns so far */
    size_t length_cap, name_cap;
    int as_text;           /* codes are the characters */
    const char *hint;      /* ends the sentence about a format whose characters cannot be kept */
    int keeps;             /* m->notes are wanted */
    size_t note_cap;
    struct ws_named {
        uint32_t row, hash; /* row + 1, 0: free; of its name */
    } *hash;
    size_t hash_cap;       /* a power of 2 */
    double *weight;        /* [nweight] of the first rows; -1: none was given */
    size_t nweight, weight_cap;
    ws_buf line[WS_MSA_NLINE];
};

enum { WS_MAP_SKIP = 0xfe, WS_MAP_BAD = 0xff, WS_MAP_LOWER = 0x20 /* added to a code by A2M */, WS_MAP_CODE = 0x3f };

/* Fails with WS_EDATA: FILE: line N, alignment K: the sentence. lines.c. */
int ws_msa_fail(const ws_msareader *r, ws_err *err, const char *fmt, ...) WS_PRINTF(3, 4);

/* ---- rows: rows.c ---- */

/* Adds a row; WS_ENOMEM, or WS_EDATA if there are more than 2^31. */
int ws_rows_add(ws_msareader *r, ws_word name, ws_err *err);
/* Sets the accession (0) or the description (1) of a row, if they are kept. WS_ENOMEM. */
int ws_rows_note(ws_msareader *r, size_t row, int which, ws_word text, ws_err *err);
/* Returns the row of a name, `guess` if it is this one, or -1. Only names given to ws_rows_index are found. */
int64_t ws_rows_find(const ws_msareader *r, ws_word name, size_t guess);
/* Makes ws_rows_find know the last row. WS_ENOMEM. */
int ws_rows_index(ws_msareader *r, ws_err *err);
/* Appends text to a row through the map, without the characters that the map skips. *added takes the columns. */
int ws_rows_append(ws_msareader *r, size_t row, ws_word text, size_t *added, ws_err *err);
/* Appends n gaps to a row. */
int ws_rows_gaps(ws_msareader *r, size_t row, size_t n, ws_err *err);
/* Makes m->code of all pieces: `columns` for each row, which the caller has checked. WS_ENOMEM.
 * blocks_in_place.c. */
int ws_rows_finish(ws_msareader *r, size_t columns, ws_err *err);
/* Fails because of the first character of a text that the map refuses. */
int ws_rows_bad(const ws_msareader *r, size_t row, ws_word text, ws_err *err);
/* Says how a row is called in a sentence. */
const char *ws_row_name(const ws_msareader *r, size_t row);

/* ---- formats: each reads one alignment into r->m. WS_EOF: there is none any more ---- */

typedef int ws_msa_read_fn(ws_msareader *r, ws_err *err);
ws_msa_read_fn ws_msa_read_stockholm, ws_msa_read_afa, ws_msa_read_a2m, ws_msa_read_blocks, ws_msa_read_phylip,
    ws_msa_read_selex;

/* Finds the format by the first lines, and the alphabet by the letters; they then are r->format and r->abc. */
int ws_msa_guess_format(ws_msareader *r, ws_err *err);
int ws_msa_guess_alphabet(ws_msareader *r, ws_err *err);

#endif
