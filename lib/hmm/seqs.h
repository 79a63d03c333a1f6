/* SPDX-License-Identifier: MIT
 * A list of sequences as the vector bodies take it, and the slots that keep several of them in flight.
 *
 * A vector body works on S sequences at a time, because one alone leaves the processor waiting for its own results. A slot
 * holds one sequence; when it ends the next of the list takes its place while the others go on, so neither order nor
 * lengths matter. */
#ifndef WS_HMM_SEQS_H
#define WS_HMM_SEQS_H

#include "lib/hmm/profile.h"

typedef struct ws_seqs {
    const uint8_t *codes;   /* sequence i is codes[6 * first[i] .. + len[i]) */
    const uint64_t *first;
    const uint32_t *len;
    const ws_lenmodel *lm;  /* one per sequence */
    const uint32_t *item;   /* the list: sequences item[0..n), or 0..n if NULL; duplicates are allowed */
    size_t n;
} ws_seqs;

/* Of place j of the list: the sequence, its codes, length and length model. */
static inline size_t ws_seqs_at(const ws_seqs *q, size_t j) { return q->item ? q->item[j] : j; }
static inline const uint8_t *ws_seqs_codes(const ws_seqs *q, size_t j) { return q->codes + 6 * q->first[ws_seqs_at(q, j)]; }
static inline uint32_t ws_seqs_len(const ws_seqs *q, size_t j) { return q->len[ws_seqs_at(q, j)]; }
static inline const ws_lenmodel *ws_seqs_lm(const ws_seqs *q, size_t j) { return &q->lm[ws_seqs_at(q, j)]; }

/* The same sequences, long ones first (to within 32 residues, up to 4096), so that slots run out together at the end: item
 * and place have room for n each and hold the list and where each stood in q. */
static inline ws_seqs ws_seqs_longest_first(const ws_seqs *q, uint32_t *item, uint32_t *place) {
    enum { STEP = 32, BUCKETS = 128 };
    size_t start[BUCKETS + 1] = {0};
    for (size_t j = 0; j < q->n; j++) start[BUCKETS - ws_min(ws_seqs_len(q, j) / STEP, BUCKETS - 1)]++;
    for (int b = 1; b <= BUCKETS; b++) start[b] += start[b - 1];
    for (size_t j = 0; j < q->n; j++) {
        const size_t to = start[BUCKETS - 1 - ws_min(ws_seqs_len(q, j) / STEP, BUCKETS - 1)]++;
        item[to] = (uint32_t)ws_seqs_at(q, j);
        place[to] = (uint32_t)j;
    }
    ws_seqs sorted = *q;
    sorted.item = item;
    return sorted;
}

enum { WS_SLOTS_MAX = 16 };
#define WS_SLOT_EMPTY SIZE_MAX

typedef struct ws_slots {
    const ws_seqs *list;
    size_t next;                     /* first place of the list that no slot has had */
    int width, live;                 /* slots; those that hold a sequence */
    const uint8_t *x[WS_SLOTS_MAX];  /* the next residue; an empty slot follows some live one and its result is dropped */
    size_t left[WS_SLOTS_MAX];       /* residues to go */
    size_t at[WS_SLOTS_MAX];         /* place in the list, or WS_SLOT_EMPTY */
} ws_slots;

/* `width` empty slots for a list, which must stay as long as they do. */
static inline void ws_slots_begin(ws_slots *f, const ws_seqs *list, int width) {
    f->list = list;
    f->next = 0;
    f->width = width;
    f->live = 0;
    for (int s = 0; s < width; s++) f->at[s] = WS_SLOT_EMPTY;
}

/* Puts the next sequence that has residues into the empty slot s: 1, or 0 at the end of the list. */
static inline int ws_slots_fill(ws_slots *f, int s) {
    const ws_seqs *q = f->list;
    while (f->next < q->n && ws_seqs_len(q, f->next) == 0) f->next++;
    if (f->next == q->n) return 0;
    f->at[s] = f->next;
    f->x[s] = ws_seqs_codes(q, f->next);
    f->left[s] = ws_seqs_len(q, f->next);
    f->next++;
    f->live++;
    return 1;
}

/* Ends the sequence in slot s. */
static inline void ws_slots_drop(ws_slots *f, int s) {
    f->at[s] = WS_SLOT_EMPTY;
    f->live--;
}

/* Takes the empty slot s away by moving the last slot into its place; the caller moves that slot's own state likewise. */
static inline void ws_slots_close(ws_slots *f, int s) {
    const int last = --f->width;
    f->x[s] = f->x[last];
    f->left[s] = f->left[last];
    f->at[s] = f->at[last];
}

/* Rows until a sequence ends; 0 if no slot is live. */
static inline size_t ws_slots_rows(ws_slots *f) {
    size_t n = SIZE_MAX;
    const uint8_t *x = NULL;
    for (int s = 0; s < f->width; s++)
        if (f->at[s] != WS_SLOT_EMPTY) {
            n = ws_min(n, f->left[s]);
            x = f->x[s];
        }
    if (!x) return 0;
    for (int s = 0; s < f->width; s++)
        if (f->at[s] == WS_SLOT_EMPTY) f->x[s] = x;
    return n;
}

/* After so many rows, of no sequence more than it has left. */
static inline void ws_slots_advance(ws_slots *f, size_t rows) {
    for (int s = 0; s < f->width; s++) {
        f->x[s] += rows;
        if (f->at[s] != WS_SLOT_EMPTY) f->left[s] -= rows;
    }
}

#endif
