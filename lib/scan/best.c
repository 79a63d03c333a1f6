/* SPDX-License-Identifier: MIT
 * The best pairs only: the best targets of each sequence, in the worker; the best sequences of each target, held by the
 * writer until the input has ended. Better is the smaller P-value, of equal ones the higher score, of equal ones what
 * comes first. */
#include "lib/scan/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct rank {
    double p, bits; /* p: NaN of targets without P-values, which come last */
    uint64_t order;
} rank;

static int compare(const void *a_, const void *b_) {
    const rank *a = a_, *b = b_;
    const double pa = isnan(a->p) ? HUGE_VAL : a->p, pb = isnan(b->p) ? HUGE_VAL : b->p;
    if (pa != pb) return pa < pb ? -1 : 1;
    if (a->bits != b->bits) return a->bits > b->bits ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static rank rank_of(const ws_scan *scan, const ws_hit *h, uint64_t order) {
    return (rank){h->value[scan->rank_p], h->value[scan->rank_bits], order};
}

/* ---- the best targets of each sequence ---- */

/* Keeps the `best` best passing hits of from .. to, which belong to one sequence; marks the others as failed. */
static void keep_best(const ws_scan *scan, ws_hits *hits, size_t from, size_t to, rank *room) {
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        if (hits->hit[i].pass) room[n++] = rank_of(scan, &hits->hit[i], i);
    if (n <= (size_t)scan->best) return;
    qsort(room, n, sizeof *room, compare);
    for (size_t i = (size_t)scan->best; i < n; i++) hits->hit[room[i].order].pass = 0;
}

int ws_scan_keep_best(const ws_scan_state *s, ws_scan_item *it, ws_err *err) {
    ws_hits *hits = &it->hits;
    rank *room = ws_calloc(hits->n, sizeof *room, err);
    if (!room) return err->code;
    for (size_t i = 0, to; i < hits->n; i = to) {
        for (to = i; to < hits->n && hits->hit[to].seq == hits->hit[i].seq; to++) continue;
        keep_best(s->scan, hits, i, to, room);
    }
    ws_free(room);
    if (s->scan->keep_rejected) return WS_OK;
    size_t n = 0; /* what does not pass has no output */
    for (size_t i = 0; i < hits->n; i++)
        if (hits->hit[i].pass) hits->hit[n++] = hits->hit[i];
    hits->n = n;
    return WS_OK;
}

/* ---- the best sequences of each target ---- */

typedef struct held {
    rank rank;
    char *row;
    size_t n;
} held;

typedef struct ws_top_list {
    held *h; /* [n], the worst one first */
    size_t n, cap;
} ws_top_list;

static void swap(held *a, held *b) {
    const held t = *a;
    *a = *b;
    *b = t;
}

/* Moves element i up to its place in the heap. */
static void rise(held *h, size_t i) {
    for (; i && compare(&h[i].rank, &h[(i - 1) / 2].rank) > 0; i = (i - 1) / 2) swap(&h[i], &h[(i - 1) / 2]);
}

/* Moves element i down to its place in the heap of n. */
static void sink(held *h, size_t n, size_t i) {
    for (;;) {
        size_t worst = i;
        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < n; k++)
            if (compare(&h[k].rank, &h[worst].rank) > 0) worst = k;
        if (worst == i) return;
        swap(&h[i], &h[worst]);
        i = worst;
    }
}

static int hold(ws_top_list *l, size_t most, rank r, const char *row, size_t n, ws_err *err) {
    if (l->n == most && compare(&r, &l->h[0].rank) > 0) return WS_OK;
    char *copy = ws_strndup(row, n, err);
    if (!copy) return err->code;
    if (l->n == most) {
        ws_free(l->h[0].row);
        l->h[0] = (held){r, copy, n};
        sink(l->h, l->n, 0);
        return WS_OK;
    }
    int rc = ws_grow(&l->h, &l->cap, l->n + 1, sizeof *l->h, err);
    if (rc) {
        ws_free(copy);
        return rc;
    }
    l->h[l->n] = (held){r, copy, n};
    rise(l->h, l->n++);
    return WS_OK;
}

int ws_top_add(const ws_job *job, void *own, const void *item, const ws_outtext *made, ws_buf *text, ws_err *err) {
    const ws_scan *scan = ws_scan_of(job);
    const ws_hits *hits = &((const ws_scan_item *)item)->hits;
    const char *row = made->text.p;
    ws_top *top = own;
    int rc = WS_OK;
    (void)text;
    if (!top->list && !(top->list = ws_calloc(job->ntarget, sizeof *top->list, err))) return err->code;
    for (size_t i = 0; i < hits->n && made->rows && !rc; i++) {
        const ws_hit *h = &hits->hit[i];
        const size_t n =
            (size_t)((const char *)memchr(row, '\n', (size_t)(made->text.p + made->text.n - row)) - row) + 1;
        rc = hold(&top->list[h->target], (size_t)scan->top, rank_of(scan, h, top->n++), row, n, err);
        row += n;
    }
    return rc;
}

static int in_order(const void *a, const void *b) {
    return ((const held *)a)->rank.order < ((const held *)b)->rank.order ? -1 : 1;
}

/* Appends all rows that are held, in the order of the input; *rows: how many. */
static int write_all(const ws_job *job, ws_top *top, ws_buf *text, uint64_t *rows, ws_err *err) {
    size_t n = 0;
    for (size_t t = 0; top->list && t < job->ntarget; t++) n += top->list[t].n;
    held *all = ws_calloc(n, sizeof *all, err);
    if (!all) return err->code;
    *rows = n;
    n = 0;
    for (size_t t = 0; top->list && t < job->ntarget; t++) {
        if (top->list[t].n) memcpy(all + n, top->list[t].h, top->list[t].n * sizeof *all);
        n += top->list[t].n;
    }
    qsort(all, n, sizeof *all, in_order);
    int rc = WS_OK;
    for (size_t i = 0; i < n && !rc; i++) rc = ws_buf_add(text, all[i].row, all[i].n, err);
    ws_free(all);
    return rc;
}

int ws_top_end(const ws_job *job, void *own, uint64_t rows, ws_buf *text, ws_err *err) {
    int rc = write_all(job, own, text, &rows, err);
    return rc ? rc : ws_scan_end(job, NULL, rows, text, err);
}

int ws_top_flush(const ws_job *job, void *own, ws_buf *text, ws_err *err) {
    uint64_t rows;
    return write_all(job, own, text, &rows, err);
}

void ws_top_release(ws_top *top, size_t ntarget) {
    for (size_t t = 0; top->list && t < ntarget; t++) {
        for (size_t i = 0; i < top->list[t].n; i++) ws_free(top->list[t].h[i].row);
        ws_free(top->list[t].h);
    }
    ws_free(top->list);
}
