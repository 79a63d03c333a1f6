/* SPDX-License-Identifier: MIT
 * Lists of windows or sub-windows: codes of their own, as filters take them, and where they were found. */
#ifndef WS_LONG_LIST_H
#define WS_LONG_LIST_H

#include "kernels/long/long.h"
#include "lib/hmm/seqlist.h"

typedef struct ws_long_place {
    uint64_t from;           /* of the first residue, in the record */
    uint64_t block;          /* its number, in what the caller counts */
    uint32_t record, target; /* their numbers, in what the caller counts */
    uint32_t window;         /* number among the model's windows in the block, as they were found */
    uint32_t subwindow;           /* number of a sub-window in its window */
    int minus;
    int behind;              /* of a sub-window by sequence: one of the strand before it passed Forward, too */
    float nats;              /* of a window that was tested: its MSV score */
    float bias_nats;         /* b of section 7; NaN where no test asked for it */
    double p;                /* P-value of that test */
} ws_long_place;

/* Zero-initialise; _reuse empties. Lists are handed over by swapping or by pointer. */
typedef struct ws_long_list {
    ws_long_place *at;
    uint64_t *first; /* the codes are 6 * first[j] .. + len[j] */
    uint32_t *len;
    ws_lenmodel *lm;
    uint32_t *item; /* those that a stage looks at */
    ws_buf codes;
    size_t n, cap[5];
} ws_long_list;
static inline void ws_long_list_reuse(ws_long_list *l) { l->n = l->codes.n = 0; }
void ws_long_list_release(ws_long_list *l);
/* Appends a window with its codes. WS_ENOMEM. */
int ws_long_list_add(ws_long_list *l, const uint8_t *x, uint32_t len, const ws_long_place *place, ws_err *err);
/* Appends all windows of another list. WS_ENOMEM. */
int ws_long_list_append(ws_long_list *to, const ws_long_list *from, ws_err *err);
/* Appends windows item[0..n) of another list. WS_ENOMEM. */
int ws_long_list_pick(ws_long_list *to, const ws_long_list *from, const uint32_t *item, size_t n, ws_err *err);
static inline const uint8_t *ws_long_list_codes(const ws_long_list *l,
                                                size_t j) { return (const uint8_t *)l->codes.p + 6 * l->first[j]; }
/* Returns windows item[0..n), or all if item is NULL, as filters take them. */
ws_seqlist ws_long_list_seqs(const ws_long_list *l, const uint32_t *item, size_t n);

/* Sets item[0..n) to all windows by their model; with `longest`, the longest of each model first: problems side by side
 * then have similar lengths. */
void ws_long_list_sort(ws_long_list *l, int longest);
/* Returns how many of item[from..l->n) that follow one another are of the same model. */
size_t ws_long_list_run(const ws_long_list *l, size_t from);

#endif
