/* SPDX-License-Identifier: MIT
 * The reader of pairhmm: cuts the input into blocks of whole regions, which any thread can parse. */
#ifndef WS_LIKELIHOODS_INPUT_H
#define WS_LIKELIHOODS_INPUT_H

#include "kernels/pairhmm/pairhmm.h"

/* A block of text and its place in the input. The user zero-initialises it, and releases the text with
 * ws_buf_release. */
typedef struct ws_pairhmm_block {
    ws_buf text;
    ws_pairhmm_origin at;
    ws_pairhmm_format format;
} ws_pairhmm_block;

typedef struct ws_pairhmm_input ws_pairhmm_input;

/* Makes *out for npath inputs, which must outlive it; opens no file yet. block: bytes after which a block ends.
 * cells: a region with more is cut into portions of some of its reads. format: the only format accepted;
 * WS_PAIRHMM_NONE for any. Returns WS_ENOMEM on failure. */
int ws_pairhmm_input_open(ws_pairhmm_input **out, const char *const *path, int npath, ws_pairhmm_format format,
                          uint64_t block, double cells, ws_err *err);
void ws_pairhmm_input_close(ws_pairhmm_input *in);
/* Sets the size of blocks from the next fill on. */
void ws_pairhmm_input_batch(ws_pairhmm_input *in, uint64_t block);

/* Reads the next block into p, and reuses p's memory. Returns WS_OK, WS_EOF, WS_AGAIN, or a failure, which comes
 * after all whole regions before it. A block without a whole region is the end of the input, or has an unreadable
 * header: its parser says what is wrong. */
int ws_pairhmm_input_fill(ws_pairhmm_input *in, ws_pairhmm_block *p, ws_err *err);
ws_pairhmm_format ws_pairhmm_input_format(const ws_pairhmm_input *in);
int ws_pairhmm_input_ahead(ws_pairhmm_input *in);                                     /* any thread */
void ws_pairhmm_input_progress(ws_pairhmm_input *in, uint64_t *done, uint64_t *size); /* any thread */

#endif
