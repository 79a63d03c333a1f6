/* SPDX-License-Identifier: MIT
 * The outer loop of vector bodies that interleave sequences. A track holds one sequence's state and row. The loop
 * fills the tracks from a list, longest first, runs them until a sequence ends, and fills that track again. At the
 * end of the list fewer tracks run. */
#ifndef WS_FILTER_INTERLEAVE_H
#define WS_FILTER_INTERLEAVE_H

#include "kernels/filter/filter.h"

enum { WS_INTERLEAVE_MAX = 4 };

/* A vector body: sizes in bytes, and four steps. A state and a row are WS_ALIGN-aligned. */
typedef struct ws_interleave {
    int tracks;        /* sequences processed together, 1 to WS_INTERLEAVE_MAX */
    size_t state, row; /* bytes of each */
    void (*start)(const void *layout, void *state, void *row, const ws_lenmodel *lm);
    /* Computes n rows of `width` sequences of residues x, fewer if one is decided. Returns the number of rows done. */
    size_t (*rows)(const void *layout, int width, const uint8_t *const *x, size_t n, void *const *state);
    int (*decided)(const void *state); /* returns 1 if no further row changes the score; NULL: never */
    ws_fscore (*finish)(const void *state);
} ws_interleave;

/* Defines NAME as the `rows` of a ws_interleave. It calls BODY(width, layout, x, n, state) with a constant width, so
 * the compiler keeps each sequence's values in registers. */
#define WS_INTERLEAVE_ROWS(NAME, BODY) \
    static size_t NAME(const void *layout, int width, const uint8_t *const *x, size_t n, void *const *state) { \
        switch (width) { \
        case 1: return BODY(1, layout, x, n, state); \
        case 2: return BODY(2, layout, x, n, state); \
        case 3: return BODY(3, layout, x, n, state); \
        default: return BODY(4, layout, x, n, state); \
        } \
    }

/* Scores a list as ws_body.score does. */
int ws_interleave_scores(const ws_interleave *w, const void *layout, const ws_seqlist *list, ws_fscore *out,
                         ws_buf *scratch, ws_err *err);

#endif
