/* SPDX-License-Identifier: MIT
 * The inputs of a run, one after another: opening, waiting, reading ahead, progress. Every reader has one. Functions
 * without another word are for one thread at a time, the one that reads. */
#ifndef WS_COMPRESS_INPUTS_H
#define WS_COMPRESS_INPUTS_H

#include "lib/compress/source.h"

#include <pthread.h>

enum { WS_INPUTS_WAIT_MS = 200 }; /* a reader that has nothing to deliver returns WS_AGAIN after so long */

typedef struct ws_inputs {
    const char *const *path; /* in order; "-" is standard input */
    int n, next;             /* how many, and the index of the one to open next */
    ws_source *src;          /* the open one, or NULL */
    pthread_rwlock_t lock;    /* guards src and done against other threads */
    uint64_t done, size;     /* bytes of the inputs before this one, and of all; size 0: one of them is no file */
} ws_inputs;

/* Opens nothing yet. The paths must stay; none (n = 0) stand for standard input. */
void ws_inputs_init(ws_inputs *in, const char *const *path, int n);
/* Closes the open input, if any. A zeroed *in is legal. */
void ws_inputs_release(ws_inputs *in);

/* Opens the next input: WS_OK, WS_EOF after the last one, or a failure. None may be open. */
int ws_inputs_open(ws_inputs *in, ws_err *err);
/* Closes the open input; none may be open too. */
void ws_inputs_close(ws_inputs *in);
/* Returns the name for messages of the input that was opened last; it outlives its input. */
const char *ws_inputs_name(const ws_inputs *in);
/* Gives the next chunk of the open input: see ws_source_next. */
int ws_inputs_next(ws_inputs *in, int timeout_ms, const uint8_t **p, size_t *n, ws_err *err);

/* Fills one chunk ahead and returns 1, as ws_source_ahead. Any thread. */
int ws_inputs_ahead(ws_inputs *in);
/* Gives the bytes read of all inputs, compressed ones as they are, and their size; 0 if one of them is no file. Any
 * thread. */
void ws_inputs_progress(ws_inputs *in, uint64_t *done, uint64_t *size);

#endif
