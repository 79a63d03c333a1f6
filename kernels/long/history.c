/* SPDX-License-Identifier: MIT
 * Models that change when they are first fitted to an envelope, and when that was. Specification long-targets.md,
 * section 15.2. */
#include "kernels/long/search.h"

#include <stdlib.h>

/* A sub-window of which one of both models lets more residues pass. */
typedef struct ws_long_differ {
    ws_long_moment at;
    int64_t more;   /* residues that pass by the model as it came, less those by the later one */
    int64_t behind; /* what the next sub-window counts less if this one passes */
} differ;

/* A sub-window, and which of both models lets it pass. */
typedef struct candidate {
    uint32_t item;
    ws_long_moment at;
    uint8_t first, later;
} candidate;

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_strands(const ws_long_moment *a, const ws_long_moment *b) {
    return a->block != b->block ? COMPARE(a->block, b->block) : COMPARE(a->late, b->late);
}

static int compare(const ws_long_moment *a, const ws_long_moment *b) {
    const int strands = compare_strands(a, b);
    if (strands) return strands;
    return a->window != b->window ? COMPARE(a->window, b->window) : COMPARE(a->subwindow, b->subwindow);
}

static int by_moment(const void *a, const void *b) {
    return compare(&((const candidate *)a)->at, &((const candidate *)b)->at);
}

/* ---- histories ---- */

void ws_long_history_begin(ws_long_history *h) {
    *h = (ws_long_history){0};
    pthread_mutex_init(&h->lock, NULL);
}

void ws_long_history_release(ws_long_history *h) {
    ws_free(h->differ);
    pthread_mutex_destroy(&h->lock);
    *h = (ws_long_history){0};
}

/* Returns whether a sub-window lies before the first one with an envelope that is known so far. */
static int is_open(ws_long_history *h, const ws_long_moment *at) {
    pthread_mutex_lock(&h->lock);
    const int open = !h->known || compare(at, &h->at) < 0;
    pthread_mutex_unlock(&h->lock);
    return open;
}

static void note_first(ws_long_history *h, const ws_long_moment *at) {
    pthread_mutex_lock(&h->lock);
    if (!h->known || compare(at, &h->at) < 0) h->at = *at;
    h->known = 1;
    pthread_mutex_unlock(&h->lock);
}

static int note_differ(ws_long_history *h, const differ *d, ws_err *err) {
    pthread_mutex_lock(&h->lock);
    const int rc = ws_grow(&h->differ, &h->cap, h->n + 1, sizeof *h->differ, err);
    if (!rc) h->differ[h->n++] = *d;
    pthread_mutex_unlock(&h->lock);
    return rc;
}

/* Returns by how much the residues that pass Forward grow, of all that was noted. */
static int64_t passed_more(const ws_long_history *h) {
    int64_t more = 0;
    for (size_t j = 0; j < h->n; j++) {
        const int when = h->known ? compare(&h->differ[j].at, &h->at) : -1;
        if (when <= 0) more += h->differ[j].more;
        if (when == 0) more += h->differ[j].behind;
    }
    return more;
}

int64_t ws_long_history_settle(const ws_long_history *h, ws_dnalist *l) {
    size_t n = 0;
    for (size_t j = 0; j < l->n && h->known; j++) {
        const ws_dnahit *hit = l->hit[j];
        const int when = compare_strands(&(ws_long_moment){.block = hit->block, .late = hit->minus}, &h->at);
        if (hit->first ? when == 0 : when > 0) l->hit[n++] = l->hit[j];
    }
    l->n = n;
    return passed_more(h);
}

/* ---- sub-windows ---- */

/* Lists sub-windows in their order, with those that the later model lets pass. */
static candidate *list_candidates(const ws_long_list *l, const uint32_t *all, size_t n, const uint32_t *passed,
                                  size_t m, int minus_first, ws_err *err) {
    candidate *c = ws_calloc(n, sizeof *c, err);
    uint8_t *later = c ? ws_calloc(l->n, sizeof *later, err) : NULL;
    if (!later) {
        ws_free(c);
        return NULL;
    }
    for (size_t j = 0; j < m; j++) later[passed[j]] = 1;
    for (size_t j = 0; j < n; j++) {
        const uint32_t item = all ? all[j] : (uint32_t)j;
        const ws_long_place *at = &l->at[item];
        const uint32_t late = minus_first ? !at->minus : at->minus != 0;
        c[j] = (candidate){.item = item, .at = {at->block, late, at->window, at->subwindow}, .later = later[item]};
    }
    ws_free(later);
    qsort(c, n, sizeof *c, by_moment);
    return c;
}

/* Tests by the model as it came the first *n of c: those that may be its turn. The others lie behind an envelope. */
static int test_first(const ws_long_target *t, const ws_cpu *cpu, ws_long_list *l, ws_long_history *h, candidate *c,
                      size_t *n, ws_long_worker *w, ws_err *err) {
    size_t some = 0, left;
    while (some < *n && is_open(h, &c[some].at)) some++;
    if ((*n = left = some) == 0) return WS_OK;
    uint32_t *item = ws_calloc(some, sizeof *item, err);
    ws_fscore *score = item ? ws_buf_scratch(&w->scores, some * sizeof *score, err) : NULL;
    int rc = score ? WS_OK : err->code;
    for (size_t j = 0; j < some && !rc; j++) item[j] = c[j].item;
    const ws_seqlist list = ws_long_list_seqs(l, item, some);
    if (!rc) rc = ws_filter_scores(t->first_fwd, &list, score, &w->scratch, err);
    if (!rc) rc = ws_long_judge_subwindows(t, cpu, l, item, &left, score, NULL, w, err);
    for (size_t j = 0, k = 0; k < left && !rc; j++) {
        c[j].first = c[j].item == item[k];
        k += c[j].first;
    }
    ws_free(item);
    return rc;
}

/* Searches those that pass until one has an envelope, and what is behind it on that strand of the block. */
static int find_first(const ws_long_target *t, const ws_long_list *l, ws_long_history *h, const candidate *c, size_t n,
                      const ws_long_past *past, ws_err *err) {
    int rc = WS_OK, any = 0, more;
    size_t j = 0;
    for (; j < n && !any && !rc && is_open(h, &c[j].at); j++)
        if (c[j].first) rc = past->first(past->own, t, l, c[j].item, 0, &any, err);
    if (rc || !any) return rc;
    const ws_long_moment *at = &c[j - 1].at;
    note_first(h, at);
    for (; j < n && !rc && compare_strands(&c[j].at, at) == 0; j++)
        if (c[j].later) rc = past->first(past->own, t, l, c[j].item, 1, &more, err);
    return rc;
}

/* Returns what sub-window j counts if it passes. */
static int64_t residues(const ws_long_list *l, const candidate *c, size_t j, int before) {
    return l->len[c[j].item] - (before ? ws_long_overlap(l, c[j - 1].item, c[j].item) : 0);
}

/* Notes what the first n of all sub-windows count by one model and not by the other. */
static int note_differences(const ws_long_list *l, ws_long_history *h, const candidate *c, size_t n, size_t all,
                            ws_err *err) {
    int rc = WS_OK;
    for (size_t j = 0; j < n && !rc; j++) {
        differ d = {.at = c[j].at};
        if (c[j].first) d.more += residues(l, c, j, j > 0 && c[j - 1].first);
        if (c[j].later) d.more -= residues(l, c, j, j > 0 && c[j - 1].later);
        if (!c[j].later && j + 1 < all && c[j + 1].later) d.behind = -ws_long_overlap(l, c[j].item, c[j + 1].item);
        if (d.more || d.behind) rc = note_differ(h, &d, err);
    }
    return rc;
}

/* Looks at sub-windows of a history that other threads share. */
static int look(const ws_long_target *t, const ws_cpu *cpu, ws_long_list *l, ws_long_history *h, candidate *c, size_t n,
                ws_long_worker *w, ws_err *err) {
    size_t some = n;
    int rc = test_first(t, cpu, l, h, c, &some, w, err);
    if (!rc) rc = find_first(t, l, h, c, some, &w->past, err);
    return rc ? rc : note_differences(l, h, c, some, n, err);
}

/* Looks at a block that is a search of its own. Counts what passes up to the end of the strand with its first envelope,
 * and appends what passes behind that. */
static int look_at_block(const ws_long_target *t, const ws_cpu *cpu, ws_long_list *l, candidate *c, size_t n,
                         uint32_t *passed, size_t *m, ws_long_worker *w, ws_err *err) {
    ws_long_history h;
    size_t some = n;
    int64_t more = 0;
    ws_long_history_begin(&h);
    int rc = test_first(t, cpu, l, &h, c, &some, w, err);
    if (!rc) rc = find_first(t, l, &h, c, n, &w->past, err);
    for (size_t j = 0, before = 0, passes; j < n; j++, before = passes) {
        const int behind = h.known && compare(&c[j].at, &h.at) > 0;
        passes = behind ? c[j].later : c[j].first;
        if (!passes) continue;
        if (behind && compare_strands(&c[j].at, &h.at) > 0) passed[(*m)++] = c[j].item;
        else more += residues(l, c, j, before != 0);
    }
    if (!rc) ws_long_count_more(&w->count, &l->at[c->item], WS_LONG_PASSED_FWD, more);
    ws_long_history_release(&h);
    return rc;
}

void ws_long_mark_behind(ws_long_list *l, const uint32_t *item, size_t n) {
    for (size_t from = 0, to = 0; from < n; from = to) {
        int minus = 0;
        for (; to < n && l->at[item[to]].block == l->at[item[from]].block; to++) minus |= l->at[item[to]].minus;
        for (size_t j = from; j < to; j++) l->at[item[j]].behind = minus && !l->at[item[j]].minus;
    }
}

int ws_long_look_back(const ws_long_target *t, const ws_cpu *cpu, ws_long_list *l, const uint32_t *all, size_t n,
                      uint32_t *passed, size_t *m, ws_long_worker *w, ws_err *err) {
    if (n == 0) return WS_OK;
    const int by_block = !w->past.of;
    candidate *c = list_candidates(l, all, n, passed, *m, by_block, err);
    int rc = c ? WS_OK : err->code;
    if (by_block) *m = 0;
    if (!rc && !by_block) rc = look(t, cpu, l, &w->past.of[l->at[c->item].target], c, n, w, err);
    for (size_t from = 0, to = 0; by_block && from < n && !rc; from = to) {
        while (to < n && c[to].at.block == c[from].at.block) to++;
        rc = look_at_block(t, cpu, l, c + from, to - from, passed, m, w, err);
    }
    ws_free(c);
    return rc;
}
