/* SPDX-License-Identifier: MIT
 * Domains of different models that overlap on a sequence: which of them stay. See ws_hitlists_resolve. */
#include "lib/base/mem.h"
#include "lib/hits/hits.h"

#include <math.h>
#include <stdlib.h>

/* A reported domain and what it claims of its sequence. */
typedef struct claim {
    uint64_t seq;
    uint32_t from, to; /* its envelope */
    int64_t score;     /* bits in units of the last printed digit, so that sums are exact */
    uint64_t model;
    uint32_t domain;
    int stays;
    ws_held *h;
    ws_hitlist *list;
} claim;

enum { PRINTED = 10000 };

static int cmp(int64_t a, int64_t b) { return a < b ? -1 : a > b; }

static int by_place(const claim *a, const claim *b) {
    int c = cmp(a->from, b->from);
    if (!c) c = cmp((int64_t)a->model, (int64_t)b->model);
    return c ? c : cmp(a->domain, b->domain);
}

static int by_score(const void *p, const void *q) {
    const claim *a = p, *b = q;
    int c = cmp((int64_t)a->seq, (int64_t)b->seq);
    if (!c) c = -cmp(a->score, b->score);
    return c ? c : by_place(a, b);
}

static int by_end(const void *p, const void *q) {
    const claim *a = p, *b = q;
    int c = cmp((int64_t)a->seq, (int64_t)b->seq);
    if (!c) c = cmp(a->to, b->to);
    return c ? c : by_place(a, b);
}

/* Lets the claims of one sequence, best first, stay if none before overlaps. kept: room for n numbers. */
static void greedy(claim *c, size_t n, size_t *kept) {
    size_t nkept = 0;
    for (size_t i = 0; i < n; i++) {
        size_t lo = 0, hi = nkept; /* of the kept claims, in sequence order: the first that does not end before this */
        while (lo < hi) {
            const size_t mid = (lo + hi) / 2;
            if (c[kept[mid]].to < c[i].from) lo = mid + 1;
            else hi = mid;
        }
        if (lo < nkept && c[kept[lo]].from <= c[i].to) continue;
        memmove(kept + lo + 1, kept + lo, (nkept++ - lo) * sizeof *kept);
        kept[lo] = i;
        c[i].stays = 1;
    }
}

/* The best set of the first claims: its score, and how many are in it. */
typedef struct best {
    int64_t score;
    size_t n, before; /* before: so many claims end before the last of these begins */
    int takes_last;
} best;

/* Lets those claims of one sequence, in the order of their ends, stay that have the greatest sum. b: room for n + 1. */
static void total(claim *c, size_t n, best *b) {
    b[0] = (best){0};
    for (size_t i = 0; i < n; i++) {
        size_t lo = 0, hi = i;
        while (lo < hi) {
            const size_t mid = (lo + hi) / 2;
            if (c[mid].to < c[i].from) lo = mid + 1;
            else hi = mid;
        }
        const best with = {b[lo].score + c[i].score, b[lo].n + 1, lo, 1};
        const int better = with.score > b[i].score || (with.score == b[i].score && with.n < b[i].n);
        b[i + 1] = better ? with : (best){b[i].score, b[i].n, 0, 0};
    }
    for (size_t i = n; i > 0; i = b[i].takes_last ? b[i].before : i - 1) c[i - 1].stays = b[i].takes_last;
}

/* Takes a domain off the list, and a target with its last one. */
static void drop(const claim *c) {
    ws_held_domain *d = (ws_held_domain *)(void *)(c->h + 1) + c->domain;
    c->h->nreported--;
    c->h->nincluded -= (d->flags & WS_HELD_INCLUDED) != 0;
    d->flags = 0;
    if (c->h->nreported) return;
    c->list->nreported--;
    c->list->nincluded -= (c->h->flags & WS_HELD_INCLUDED) != 0;
    c->h->flags = 0;
}

static int collect(ws_hitlist *l, size_t nlist, claim **out, size_t *n, ws_err *err) {
    size_t cap = 0;
    for (size_t k = 0; k < nlist; k++)
        for (size_t i = 0; i < l[k].n; i++) {
            ws_held *h = l[k].hit[i];
            const ws_held_domain *d = ws_held_domains(h);
            if (ws_grow(out, &cap, *n + h->n, sizeof **out, err)) return err->code;
            for (uint32_t j = 0; j < h->n; j++) {
                if (!(d[j].flags & WS_HELD_REPORTED)) continue;
                (*out)[(*n)++] = (claim){.seq = h->number, .from = d[j].env_from, .to = d[j].env_to,
                                         .score = llrint((double)d[j].bits * PRINTED), .model = k + h->model,
                                         .domain = j, .h = h, .list = &l[k]};
            }
        }
    return WS_OK;
}

int ws_hitlists_resolve(ws_hitlist *l, size_t nlist, ws_resolve rule, ws_err *err) {
    claim *c = NULL;
    void *room = NULL;
    size_t n = 0;
    if (rule == WS_RESOLVE_NONE) return WS_OK;
    int rc = collect(l, nlist, &c, &n, err);
    if (!rc && !(room = ws_calloc(n + 1, sizeof(best), err))) rc = err->code;
    if (!rc && n) qsort(c, n, sizeof *c, rule == WS_RESOLVE_GREEDY ? by_score : by_end);
    for (size_t i = 0, end; i < n && !rc; i = end) {
        for (end = i + 1; end < n && c[end].seq == c[i].seq;) end++;
        if (rule == WS_RESOLVE_GREEDY) greedy(c + i, end - i, room);
        else total(c + i, end - i, room);
    }
    for (size_t i = 0; i < n && !rc; i++)
        if (!c[i].stays) drop(&c[i]);
    ws_free(room);
    ws_free(c);
    return rc;
}
