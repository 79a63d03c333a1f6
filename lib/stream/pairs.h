/* SPDX-License-Identifier: MIT
 * Writer of pairs, version 2 of the packed stream: man/warpsieve-packed.5. The reader is part of lib/formats/seqread.h.
 *
 * Sequences and their pairs wait here until their block is full. A block depends on its pairs and on the phrase of the
 * block before it (lib/stream/phrase.h), not on batches. So the bytes are the same for any batch. */
#ifndef WS_STREAM_PAIRS_H
#define WS_STREAM_PAIRS_H

#include "lib/base/alphabet.h"
#include "lib/stream/batch.h"
#include "lib/stream/cell.h"
#include "lib/stream/ledger.h"
#include "lib/stream/queries.h"

typedef struct ws_pairs ws_pairs;

/* Starts a stream. column: the names of all columns of the table that the stream stands for, in its order. They must
 * stay until the head is written. Those called name, seq, qual, desc and query are not stored, since the sequence and
 * the query say them. WS_ENOMEM; *out is NULL then. */
int ws_pairs_open(ws_pairs **out, const char *const *column, int ncolumn, ws_err *err);
void ws_pairs_close(ws_pairs *p); /* NULL is legal */

/* Appends the head: the columns, and the "##" lines of the table but "##end", n bytes. WS_ENOMEM; WS_EDATA if a text is
 * too long. */
int ws_pairs_head(ws_pairs *p, ws_buf *out, const ws_abc *abc, const char *lines, size_t n, ws_err *err);

/* Finds the number of a query for ws_pairs_add, by its name. WS_ENOMEM. */
int ws_pairs_query(ws_pairs *p, const ws_query *query, uint32_t *number, ws_err *err);

/* Begins the next sequence, i of the batch, to which at least one pair must be added. Appends the block before it if
 * that is full. WS_ENOMEM; WS_EDATA if the block's texts are too long. */
int ws_pairs_seq(ws_pairs *p, ws_buf *out, const ws_batch *b, size_t i, ws_err *err);

/* Adds a pair of that sequence: cell[i] is what column i says; those of columns that are not stored are not looked at.
 * WS_ENOMEM. */
int ws_pairs_add(ws_pairs *p, uint32_t query, const ws_cell *cell, ws_err *err);

/* Appends the last block and, unless size is NULL because the stream is broken off, the end. Errors of ws_pairs_seq.
 * */
int ws_pairs_end(ws_pairs *p, ws_buf *out, const ws_stream_size *size, ws_err *err);

#endif
