/* SPDX-License-Identifier: MIT
 * A batch: what the readers fill, the backends score and the writer empties. A structure of arrays.
 *
 *   word     residues, six 5-bit codes to a 32-bit word, the first in bits 0-4, the sixth in bits 25-29, bits 30-31 zero;
 *            every sequence starts at a word of its own, unused places of its last word hold 31. L = 0 has no word.
 *   sequence i: word[first[i] .. first[i] + ws_batch_words(len[i])), its texts in `text`
 *   rows     a row is a (sequence, model) pair of a table that was read; a batch from FASTA has none, and then every
 *            sequence meets every target. Rows of one sequence are adjacent and in input order.
 */
#ifndef WS_IO_BATCH_H
#define WS_IO_BATCH_H

#include "lib/base/mem.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WS_RESIDUES_PER_WORD = 6, WS_CODE_PAD = 31 };
#define WS_LEN_MAX UINT32_C(0xfffffff0) /* residues in one sequence */

typedef struct ws_slice { /* bytes of ws_batch.text; an offset, because the arena moves as it grows */
    size_t at, n;
} ws_slice;

typedef struct ws_seqtext {
    ws_slice name, desc, qual; /* qual is empty for FASTA */
} ws_seqtext;

typedef struct ws_row {
    uint32_t seq;    /* index of its sequence */
    uint32_t target; /* index of its model, filled in by lib/run from `query`; UINT32_MAX before */
    ws_slice query;  /* the query column; n = 0 and every target meant if the table has none */
    ws_slice rest;   /* the pass-through columns, tab-separated, without leading tab */
    uint64_t line;   /* its line in the input, for messages */
} ws_row;

typedef struct ws_batch {
    uint64_t number; /* place in the stream, counted from 0 */

    uint32_t *word;
    size_t nword, word_cap;

    size_t n; /* sequences */
    uint64_t *first;
    uint32_t *len;
    ws_seqtext *seqtext;
    size_t first_cap, len_cap, seqtext_cap;

    ws_row *row;
    size_t nrow, row_cap;
    int has_rows; /* 1: the input was a table, only the rows' pairs are scored */

    ws_buf text;       /* names, descriptions, qualities, columns */
    uint64_t residues; /* sum of len */

    void *device; /* the identity of this filling for lib/dev, which keeps copies; NULL: none yet */
} ws_batch;

static inline size_t ws_batch_words(uint64_t len) { return (size_t)((len + 5) / 6); }
static inline const char *ws_batch_text(const ws_batch *b, ws_slice s) { return b->text.p + s.at; }

/* Empties a batch, which was zeroed once, and keeps its memory for the next filling. */
void ws_batch_reuse(ws_batch *b);
/* Gives its memory back. */
void ws_batch_release(ws_batch *b);

/* The functions that follow can fail with WS_ENOMEM alone. */

/* Room for `words` more words behind nword. */
int ws_batch_reserve_words(ws_batch *b, size_t words, ws_err *err);

/* Appends `n` bytes to the text arena. */
int ws_batch_add_text(ws_batch *b, const char *p, size_t n, ws_err *err);

/* Appends a sequence whose words (ws_batch_words(len) of them from word[first]) are already in place. */
int ws_batch_add_seq(ws_batch *b, uint64_t first, uint32_t len, const ws_seqtext *t, ws_err *err);

/* Appends a row, of a sequence that is there. */
int ws_batch_add_row(ws_batch *b, const ws_row *row, ws_err *err);

#ifdef __cplusplus
}
#endif
#endif
