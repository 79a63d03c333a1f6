/* SPDX-License-Identifier: MIT
 * respack --shards: the sequences of the input in order, in several packed streams of about as many residues each.
 * Where one ends is known once all residues are counted, so the sequences wait in a temporary file beside the outputs.
 * */
#ifndef WS_BIN_PACK_SHARDS_H
#define WS_BIN_PACK_SHARDS_H

#include "lib/scan/scan.h"

typedef struct ws_shards {
    long long n;       /* --shards; 0: one stream */
    const char *given; /* --output: what the names of the files begin with */
    ws_buf first;      /* the first file: the main output of the run */
    int has_waiting, waiting; /* the temporary file's descriptor */
    uint64_t residues; /* of all sequences there. Atomic */
} ws_shards;

/* Checks the options that go with --shards, and makes the first of the files the main output. WS_EUSAGE, also if a file
 * is an input or another output of the run. */
int ws_shards_open(ws_shards *s, ws_job *job, ws_err *err);
/* ws_scoring.input. WS_EDATA if the input has pairs of sequences and models. */
int ws_shards_input(ws_job *job, const ws_shards *s, ws_err *err);
/* Writes all files: for ws_tool.finish. */
int ws_shards_finish(ws_shards *s, ws_job *job, ws_err *err);
void ws_shards_close(ws_shards *s);

#endif
