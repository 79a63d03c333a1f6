/* SPDX-License-Identifier: MIT
 * A file of models as a stream of portions, which any thread reads in full: with insert emissions, date, log of
 * commands and all other parts that searches do without. Memory is a few portions, however large the file is. */
#ifndef WS_HMM_HMMSTREAM_H
#define WS_HMM_HMMSTREAM_H

#include "lib/hmm/hmmfile.h"

typedef struct ws_hmmstream ws_hmmstream;

/* Whole models of a file. The user zero-initialises it and calls ws_buf_release on text. */
typedef struct ws_hmmportion {
    ws_buf text;
    ws_hmmfile file;
    int binary;
} ws_hmmportion;

/* Opens a file of models, "-" for standard input, also compressed. Returns WS_EDATA if its beginning is no model. *out
 * is NULL on failure. Close with ws_hmmstream_close, for which NULL is legal. */
int ws_hmmstream_open(ws_hmmstream **out, const char *path, ws_err *err);
void ws_hmmstream_close(ws_hmmstream *s);
/* Puts the next models into *p, about `want` bytes of them, at least one. WS_OK, WS_EOF or a failure. One thread at a
 * time. */
int ws_hmmstream_next(ws_hmmstream *s, ws_hmmportion *p, size_t want, ws_err *err);
/* Fills ahead, as ws_source_ahead; progress as ws_source_progress. */
int ws_hmmstream_ahead(ws_hmmstream *s);
void ws_hmmstream_progress(const ws_hmmstream *s, uint64_t *done, uint64_t *size);

/* Takes a model that was read in full, which stays the caller's; at: where HMMER's index says that it begins. A value
 * other than WS_OK ends the reading. */
typedef int ws_hmmportion_take(void *ctx, ws_hmm *h, uint64_t at, ws_err *err);
/* Reads the models of a portion and hands them to take, one after another. */
int ws_hmmportion_read(const ws_hmmportion *p, ws_hmmportion_take *take, void *ctx, ws_err *err);

#endif
