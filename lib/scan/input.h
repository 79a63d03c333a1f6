/* SPDX-License-Identifier: MIT
 * Where batches come from: the sequences of the inputs, or their ORFs. The reader knows this table of functions alone.
 * For the files of lib/scan. */
#ifndef WS_SCAN_INPUT_H
#define WS_SCAN_INPUT_H

#include "lib/formats/seqread.h"
#include "lib/translate/orfread.h"

typedef struct ws_scan_input_kind {
    void (*close)(void *own);
    /* As ws_seqread_fill, _batch, _ahead and _counts_get. */
    int (*fill)(void *own, ws_batch *b, ws_err *err);
    void (*batch)(void *own, uint64_t residues);
    int (*ahead)(void *own);
    void (*counts)(void *own, ws_seqread_counts *c);
    const ws_abc *(*abc)(void *own); /* of what batches have, once the first fill has returned */
    double (*share)(void *own); /* of the input that was delivered, below 0 if its size is unknown. Any thread */
    uint64_t (*joined)(void *own); /* records that stand before the bases of the next one */
    /* Returns 1 if a file says what batches will have of it, and sets *residues to that. */
    int (*measure)(const char *path, uint64_t *residues);
} ws_scan_input_kind;

typedef struct ws_scan_input {
    const ws_scan_input_kind *kind; /* NULL: it is not open */
    void *own;                      /* the first argument of the functions */
    ws_seqread *files;              /* that reads the inputs */
    const ws_tsv_head *head;        /* of batches, as the ledger; both are of `own` */
    const ws_ledger *ledger;
} ws_scan_input;

/* Opens sequences, or with `how` their ORFs, for a run of so many threads. Fails as ws_seqread_open and
 * ws_orfread_open; then it is not open. */
int ws_scan_input_open(ws_scan_input *in, const ws_seqread_conf *conf, const ws_translate *how, int threads,
                       ws_err *err);
void ws_scan_input_close(ws_scan_input *in); /* also one that is not open */

#endif
