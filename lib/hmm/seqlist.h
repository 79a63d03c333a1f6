/* SPDX-License-Identifier: MIT
 * Lists of sequences for vector bodies, and the tracks that keep several sequences in flight.
 *
 * A vector body processes S sequences together, because a single one leaves the processor waiting for its own
 * results. A track holds one sequence. When that ends, the next of the list gets the track while the others
 * continue, so neither order nor lengths matter. */
#ifndef WS_HMM_SEQLIST_H
#define WS_HMM_SEQLIST_H

#include "lib/hmm/profile.h"
#include "lib/stream/seqs.h"

struct ws_gate; /* lib/hmm/target.h */

typedef struct ws_seqlist {
    const uint8_t *codes;   /* sequence i is codes[6 * first[i] .. + len[i]) */
    const uint64_t *first;
    const uint32_t *len;
    const ws_lenmodel *lm;  /* one for each sequence */
    const uint32_t *item;   /* the list: sequences item[0..n), or 0..n if NULL; duplicates are allowed */
    size_t n;
    const struct ws_gate *gate; /* the caller has no use for scores that it rejects; NULL: for every score */
} ws_seqlist;

/* Returns a list of sequences whose values are ws_lenmodel: item[0..n), or the first n if item is NULL. */
static inline ws_seqlist ws_seqlist_of(const ws_seqs *s, const uint32_t *item, size_t n) {
    ws_seqlist q = {s->codes, s->first, s->len, (const ws_lenmodel *)s->perseq, item, n, NULL};
    return q;
}

/* Return, for item j of the list, the sequence, its codes, its length and its length model. */
static inline size_t ws_seqlist_at(const ws_seqlist *q, size_t j) { return q->item ? q->item[j] : j; }
static inline const uint8_t *ws_seqlist_codes(const ws_seqlist *q, size_t j) {
    return q->codes + 6 * q->first[ws_seqlist_at(q, j)];
}
static inline uint32_t ws_seqlist_len(const ws_seqlist *q, size_t j) { return q->len[ws_seqlist_at(q, j)]; }
static inline const ws_lenmodel *ws_seqlist_lm(const ws_seqlist *q, size_t j) { return &q->lm[ws_seqlist_at(q, j)]; }

/* Returns the same list with long sequences first (to within 32 residues, up to 4096), so that tracks run out
 * together. item and place have room for n each; they receive the list, and the index of each in q. */
static inline ws_seqlist ws_seqlist_longest_first(const ws_seqlist *q, uint32_t *item, uint32_t *place) {
    enum { STEP = 32, BUCKETS = 128 };
    size_t start[BUCKETS + 1] = {0};
    for (size_t j = 0; j < q->n; j++) start[BUCKETS - ws_min(ws_seqlist_len(q, j) / STEP, BUCKETS - 1)]++;
    for (int b = 1; b <= BUCKETS; b++) start[b] += start[b - 1];
    for (size_t j = 0; j < q->n; j++) {
        const size_t to = start[BUCKETS - 1 - ws_min(ws_seqlist_len(q, j) / STEP, BUCKETS - 1)]++;
        item[to] = (uint32_t)ws_seqlist_at(q, j);
        place[to] = (uint32_t)j;
    }
    ws_seqlist sorted = *q;
    sorted.item = item;
    return sorted;
}

enum { WS_TRACKS_MAX = 16 };
#define WS_TRACK_EMPTY SIZE_MAX

typedef struct ws_tracks {
    const ws_seqlist *list;
    size_t next;                     /* first item of the list that no track has had */
    int width, live;                 /* number of tracks; tracks that hold a sequence */
    /* the next residue; an empty track reads a live track's residues, and its result is dropped */
    const uint8_t *x[WS_TRACKS_MAX];
    size_t left[WS_TRACKS_MAX];       /* residues left */
    size_t at[WS_TRACKS_MAX];         /* index in the list, or WS_TRACK_EMPTY */
} ws_tracks;

/* Sets up `width` empty tracks for a list, which must outlive them. */
static inline void ws_tracks_begin(ws_tracks *f, const ws_seqlist *list, int width) {
    f->list = list;
    f->next = 0;
    f->width = width;
    f->live = 0;
    for (int s = 0; s < width; s++) f->at[s] = WS_TRACK_EMPTY;
}

/* Puts the next sequence that has residues into the empty track s. Returns 1, or 0 at the end of the list. */
static inline int ws_tracks_fill(ws_tracks *f, int s) {
    const ws_seqlist *q = f->list;
    while (f->next < q->n && ws_seqlist_len(q, f->next) == 0) f->next++;
    if (f->next == q->n) return 0;
    f->at[s] = f->next;
    f->x[s] = ws_seqlist_codes(q, f->next);
    f->left[s] = ws_seqlist_len(q, f->next);
    f->next++;
    f->live++;
    return 1;
}

/* Ends the sequence in track s. */
static inline void ws_tracks_drop(ws_tracks *f, int s) {
    f->at[s] = WS_TRACK_EMPTY;
    f->live--;
}

/* Removes the empty track s by moving the last track to its index. The caller moves that track's own state too. */
static inline void ws_tracks_close(ws_tracks *f, int s) {
    const int last = --f->width;
    f->x[s] = f->x[last];
    f->left[s] = f->left[last];
    f->at[s] = f->at[last];
}

/* Returns the number of rows until a sequence ends; 0 if no track is live. */
static inline size_t ws_tracks_rows(ws_tracks *f) {
    size_t n = SIZE_MAX;
    const uint8_t *x = NULL;
    for (int s = 0; s < f->width; s++)
        if (f->at[s] != WS_TRACK_EMPTY) {
            n = ws_min(n, f->left[s]);
            x = f->x[s];
        }
    if (!x) return 0;
    for (int s = 0; s < f->width; s++)
        if (f->at[s] == WS_TRACK_EMPTY) f->x[s] = x;
    return n;
}

/* Advances all tracks by `rows`, which is at most what each sequence has left. */
static inline void ws_tracks_advance(ws_tracks *f, size_t rows) {
    for (int s = 0; s < f->width; s++) {
        f->x[s] += rows;
        if (f->at[s] != WS_TRACK_EMPTY) f->left[s] -= rows;
    }
}

#endif
