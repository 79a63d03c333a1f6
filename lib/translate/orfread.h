/* SPDX-License-Identifier: MIT
 * Nucleotide sequences from a list of inputs into batches of their ORFs: what lib/formats/seqread.h would give of the
 * file that esl-translate makes of them, with its names, descriptions and order.
 *
 * The thread that fills reads bases; idle threads help it to cut them. A record that comes in pieces waits until it is
 * whole, in memory or, if it is long, in a temporary file, since the ORFs of its other strand come last and from its
 * end on. So memory does not grow with a record. It does with an ORF, which is whole in a batch. */
#ifndef WS_TRANSLATE_ORFREAD_H
#define WS_TRANSLATE_ORFREAD_H

#include "lib/formats/seqread.h"
#include "lib/translate/code.h"

typedef enum ws_strands { WS_STRANDS_BOTH, WS_STRANDS_WATSON, WS_STRANDS_CRICK } ws_strands;

/* The ORFs that are wanted, as options say it. */
typedef struct ws_translate {
    long long table, least; /* residues of an ORF */
    ws_starts starts;
    ws_strands strands;
    int joins; /* a record of fewer than three bases stands before those of the next one, as in esl-translate */
} ws_translate;

typedef struct ws_orfread ws_orfread;

/* Opens as ws_seqread_open. conf: of the bases but for batch_residues and batch_seqs, which are those of batches of
 * ORFs; block and context are set here. threads: of the run. hold: bytes of a record that comes in pieces that memory
 * may hold; 0: the usual. WS_ENOMEM. */
int ws_orfread_open(ws_orfread **out, const ws_seqread_conf *conf, const ws_translate *how, int threads, size_t hold,
                    ws_err *err);
void ws_orfread_close(ws_orfread *r); /* r may be NULL */

/* Do what ws_seqread_fill, ws_seqread_batch and ws_seqread_ahead do, of ORFs. Fails too with WS_EDATA for proteins and
 * for tables, and with WS_EIO if a temporary file fails. */
int ws_orfread_fill(ws_orfread *r, ws_batch *b, ws_err *err);
void ws_orfread_batch(ws_orfread *r, uint64_t residues);
int ws_orfread_ahead(ws_orfread *r);

/* Returns the reader of the bases: its format, progress and counts. */
ws_seqread *ws_orfread_bases(ws_orfread *r);
/* Return a head without columns and the ledger of the ORFs, which stay the reader's. */
const ws_tsv_head *ws_orfread_head(const ws_orfread *r);
const ws_ledger *ws_orfread_ledger(const ws_orfread *r);
/* Returns how many records stand before the bases of the next one. Once the last fill has returned. */
uint64_t ws_orfread_joined(const ws_orfread *r);
/* Returns the part of the input whose ORFs were delivered, below 0 if its size is unknown. A record is read long before
 * all its ORFs are. Any thread. */
double ws_orfread_share(ws_orfread *r);
/* Sets *c to the counts of the ORFs delivered so far; bad_residues are bases. Any thread. */
void ws_orfread_counts_get(ws_orfread *r, ws_seqread_counts *c);

#endif
