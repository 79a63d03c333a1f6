/* SPDX-License-Identifier: MIT
 * The outer loop of vector bodies whose sequences have a state and a row each: slots that are filled from a list, longest
 * first, run until one of them ends, and are filled again; at the end of the list fewer go on. */
#ifndef WS_CASCADE_SLOTWORK_H
#define WS_CASCADE_SLOTWORK_H

#include "lib/hmm/fscore.h"
#include "lib/hmm/profile.h"
#include "lib/run/tool.h"

enum { WS_SLOTWORK_MAX = 4 };

/* What a vector body gives: sizes in bytes, and four steps. A state and a row are WS_ALIGN-aligned. */
typedef struct ws_slotwork {
    int slots;         /* sequences at a time, 1 to WS_SLOTWORK_MAX */
    size_t state, row; /* of each */
    void (*start)(const void *prep, void *state, void *row, const ws_lenmodel *lm);
    /* n rows of `width` sequences with the residues x, fewer if one of them is decided; returns how many */
    size_t (*rows)(const void *prep, int width, const uint8_t *const *x, size_t n, void *const *state);
    int (*decided)(const void *state); /* nothing that follows changes the score; NULL: never */
    ws_fscore (*finish)(const void *state);
} ws_slotwork;

/* Defines the `rows` of a ws_slotwork as NAME, from BODY(width, prep, x, n, state) with a constant width, so that what is inlined
 * keeps each sequence's values in registers of their own. */
#define WS_SLOTWORK_ROWS(NAME, BODY) \
    static size_t NAME(const void *prep, int width, const uint8_t *const *x, size_t n, void *const *state) { \
        switch (width) { \
        case 1: return BODY(1, prep, x, n, state); \
        case 2: return BODY(2, prep, x, n, state); \
        case 3: return BODY(3, prep, x, n, state); \
        default: return BODY(4, prep, x, n, state); \
        } \
    }

/* Scores a task in the lane's scratch memory. A sequence without residues is minus infinity, WS_F_UNDERFLOW. */
int ws_slotwork_score(const ws_slotwork *w, const ws_batch *b, const ws_task *task, ws_lane *lane, ws_err *err);

#endif
