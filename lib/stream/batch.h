/* SPDX-License-Identifier: MIT
 * A batch: what the readers fill, the backends score and the writer empties. A structure of arrays.
 *
 *   word     residues, six 5-bit codes to a 32-bit word, the first in bits 0-4, the sixth in bits 25-29, bits 30-31
 * zero;
 *            every sequence starts at a word of its own, unused places of its last word hold 31. L = 0 has no word.
 *   sequence i: word[first[i] .. first[i] + ws_batch_words(len[i])), its texts in `text`
 *   rows     a row is a (sequence, model) pair of a table that was read; a batch from FASTA has none, and then every
 *            sequence meets every target. Rows of one sequence are adjacent and in input order.
 */
#ifndef WS_STREAM_BATCH_H
#define WS_STREAM_BATCH_H

#include "lib/stream/cell.h"
#include "lib/stream/queries.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WS_RESIDUES_PER_WORD = 6, WS_CODE_PAD = 31 };
#define WS_LEN_MAX UINT32_C(0xfffffff0) /* residues in one sequence */

typedef struct ws_slice { /* bytes of ws_batch.text; an offset, because the arena moves as it grows */
    size_t at, n;
} ws_slice;

typedef struct ws_seqtext {
    ws_slice name, desc, qual, acc; /* acc: the accession; the last two are empty for FASTA */

    /* For a piece of a record (ws_seqread_conf.block), else 0. at: residues of the record before the piece. The next
     * two: how many of its first residues the piece before it has too, and whether the record goes on after it. */
    uint64_t at;
    uint32_t old;
    int more;
} ws_seqtext;

typedef struct ws_row {
    uint32_t seq;    /* index of its sequence */
    uint32_t target; /* index of its model, filled in by lib/scan from the query; UINT32_MAX before */
    uint32_t number; /* of packed pairs: the query's, in ws_batch.queries; UINT32_MAX in a table */
    uint32_t block, place; /* of packed pairs: where its columns are: the block in this batch, the pair in it */
    ws_slice query;  /* of a table: the query column; n = 0 and every target meant if the table has none */
    ws_slice rest;   /* of a table: the pass-through columns, tab-separated, without leading tab */
    uint64_t line;   /* of a table: its line in the input, for messages */
} ws_row;

/* A pass-through column of a block of packed pairs. */
typedef struct ws_blockcol {
    uint8_t kind;      /* ws_paircol: what says it if form is implied */
    uint8_t form;      /* ws_cellform */
    size_t data, text; /* offsets in ws_batch.raw: of the numbers, or of the ends of texts and of the texts */
} ws_blockcol;

typedef struct ws_batch {
    uint64_t number; /* place in the stream, counted from 0 */
    uint64_t before; /* sequences of the stream before this batch; a record that goes on here is none of them */

    uint32_t *word;
    size_t nword, word_cap;

    size_t n; /* sequences */
    uint64_t *first;
    uint32_t *len;
    ws_seqtext *seqtext;
    size_t first_cap, len_cap, seqtext_cap;

    ws_row *row;
    size_t nrow, row_cap;
    int has_rows; /* 1: the input was a table or packed pairs, only the rows' pairs are scored */

    /* packed pairs */
    ws_blockcol *col; /* [block][ncolumn] */
    size_t nblock, ncolumn, col_cap;
    ws_buf raw;       /* columns as they came */
    const ws_queries *queries; /* the reader's */

    ws_buf text;       /* names, descriptions, qualities, columns */
    uint64_t residues; /* sum of len, without what pieces have in common */
} ws_batch;

static inline size_t ws_batch_words(uint64_t len) { return (size_t)((len + 5) / 6); }
/* Returns a text of the batch; in one without any, an empty one. */
static inline const char *ws_batch_text(const ws_batch *b, ws_slice s) { return b->text.p ? b->text.p + s.at : ""; }

/* Returns field number `index` of a row's pass-through columns, without a look at the meaning of a text. It stays as
 * long as the batch. */
ws_cell ws_row_cell(const ws_batch *b, const ws_row *row, int index);

/* Where a cell of a row was found. Zero-initialise for each row. */
typedef struct ws_rowplace {
    const char *at;
    int index;
} ws_rowplace;
/* Does the same, and remembers the place. Cells of a table that are taken in their order cost one pass over its row. */
ws_cell ws_row_cell_behind(const ws_batch *b, const ws_row *row, int index, ws_rowplace *place);
/* Returns the same as a number; NaN for a field that is empty or no number. */
double ws_row_number(const ws_batch *b, const ws_row *row, int index);
/* Returns the same for a column of numbers that a tool computed; NaN where the input has no such number, as in a
 * table. */
float ws_row_exact(const ws_batch *b, const ws_row *row, int index);
/* Has the processor fetch what ws_row_exact will read of a row that is in its cache. Sets nothing. */
void ws_row_fetch(const ws_batch *b, const ws_row *row, int index);

/* Empties a batch, which was zeroed once, and keeps its memory for the next filling. */
void ws_batch_reuse(ws_batch *b);
/* Gives its memory back. */
void ws_batch_release(ws_batch *b);

/* The functions that follow can fail with WS_ENOMEM alone. */

/* Makes room for `words` more words after nword. */
int ws_batch_reserve_words(ws_batch *b, size_t words, ws_err *err);

/* Makes room for so many more sequences, words and bytes of text, for a caller that fills in all. */
int ws_batch_make_room(ws_batch *b, size_t seqs, size_t words, size_t text, ws_err *err);

/* Makes room for proteins of so many residues in all in a batch without any. */
int ws_batch_expect(ws_batch *b, uint64_t residues, ws_err *err);

/* Appends `n` bytes to the text arena. */
int ws_batch_add_text(ws_batch *b, const char *p, size_t n, ws_err *err);

/* Appends a sequence whose words (ws_batch_words(len) of them from word[first]) are already in place. */
int ws_batch_add_seq(ws_batch *b, uint64_t first, uint32_t len, const ws_seqtext *t, ws_err *err);

/* Appends a copy of sequence i of another batch, without rows. */
int ws_batch_copy_seq(ws_batch *to, const ws_batch *from, size_t i, ws_err *err);

/* Appends a row, of a sequence that is there. */
int ws_batch_add_row(ws_batch *b, const ws_row *row, ws_err *err);

#ifdef __cplusplus
}
#endif
#endif
