/* SPDX-License-Identifier: MIT
 * Blocks of results text that end where a region ends. A matrix shows regions, so they must not depend on the
 * places where the input was cut. */
#ifndef WS_LIKELIHOODS_WHOLE_H
#define WS_LIKELIHOODS_WHOLE_H

#include "bin/likelihoods/input.h"

/* State between two fills. The user zero-initialises it and calls ws_pairhmm_whole_release. */
typedef struct ws_pairhmm_whole {
    ws_pairhmm_block rest; /* text that was read but not delivered; its last region may continue */
    ws_pairhmm_block next; /* the last block read */
    ws_pairhmm_text parsed;
    /* bytes of the rest when no region in it had an end; bytes needed for another look without a pause */
    size_t seen, need;
    int new_file;      /* `next` begins another file, and waits until the rest is delivered */
    int ended;         /* the input has ended */
} ws_pairhmm_whole;

void ws_pairhmm_whole_release(ws_pairhmm_whole *w);

/* Reads the next block of `in` into p, and reuses p's memory. Blocks of results text hold whole regions; blocks of
 * batch text pass unchanged. Returns WS_OK, WS_EOF, WS_AGAIN or a failure, after which an unfinished region is lost.
 * One thread at a time may call it. */
int ws_pairhmm_whole_fill(ws_pairhmm_whole *w, ws_pairhmm_input *in, ws_pairhmm_block *p, ws_err *err);

#endif
