/* SPDX-License-Identifier: MIT
 * Lists of windows, and the domains of sub-windows: several of one model at a time fill the vectors. */
#include "bin/search/genome_work.h"

#include <stdlib.h>
#include <string.h>

/* ---- lists ---- */

void ws_genome_subs_release(ws_genome_subs *s) {
    ws_free(s->at);
    ws_buf_release(&s->codes);
}

int ws_genome_subs_add(ws_genome_subs *to, const ws_genome_sub *sub, const uint8_t *codes, ws_err *err) {
    const size_t words = ws_batch_words(sub->len), at = to->codes.n;
    int rc = ws_grow(&to->at, &to->cap, to->n + 1, sizeof *to->at, err);
    if (!rc) rc = ws_buf_reserve(&to->codes, words * WS_RESIDUES_PER_WORD + WS_ALIGN, err); /* filters read whole registers */
    if (rc) return rc;
    to->at[to->n] = *sub;
    to->at[to->n++].at = at;
    memcpy(to->codes.p + at, codes, sub->len);
    to->codes.n += words * WS_RESIDUES_PER_WORD;
    return WS_OK;
}

int ws_genome_subs_append(ws_genome_subs *to, const ws_genome_subs *from, ws_err *err) {
    int rc = WS_OK;
    for (size_t j = 0; j < from->n && !rc; j++) rc = ws_genome_subs_add(to, &from->at[j], ws_genome_codes_of(from, j), err);
    return rc;
}

static int by_model(const void *a, const void *b) {
    const ws_genome_sub *x = a, *y = b;
    if (x->target != y->target) return x->target < y->target ? -1 : 1;
    return (x->len < y->len) - (x->len > y->len);
}

void ws_genome_subs_sort(ws_genome_subs *s) {
    s->next = 0;
    if (s->n) qsort(s->at, s->n, sizeof *s->at, by_model);
}

/* ---- domains ---- */

/* Takes the next sub-windows of one model: four, which fill a register of 16 floats, or more if these have few cells. Returns how many. */
static size_t take_chunk(ws_genome_subs *s, int M, size_t *first) {
    enum { LEAST = 4, MOST = 64 };
    const double most = 1e7;
    double cells = 0;
    size_t n = 0;
    *first = s->next;
    for (; s->next < s->n && s->at[s->next].target == s->at[*first].target && n < MOST; s->next++, n++) {
        cells += (double)s->at[s->next].len * M;
        if (n >= LEAST && cells > most) break;
    }
    return n;
}

/* The domains of sub-windows of one model, to the worker's list of hits. */
static int find_domains(const ws_genome_search *s, const ws_genome_subs *subs, size_t first, size_t n, ws_genome_worker *w, ws_err *err) {
    ws_long_pieces *p = &w->search.parts;
    const size_t before = w->found.n;
    int rc = WS_OK;
    ws_long_pieces_reuse(p);
    for (size_t j = 0; j < n && !rc; j++) {
        const ws_genome_sub *sub = &subs->at[first + j];
        rc = ws_long_pieces_add(p, (const uint8_t *)subs->codes.p + sub->at, sub->len, &sub->place, err);
        if (!rc) p->item[j] = (uint32_t)j;
    }
    w->found.target = subs->at[first].target;
    if (!rc) rc = ws_genome_domains(&ws_genome_of(s)->model[w->found.target], w->dom, p, n, &w->found, err);
    for (size_t j = before; j < w->found.n; j++) {
        ws_genome_hit *h = &w->found.at[j];
        h->unit = subs->at[first + h->item].unit;
        h->window = subs->at[first + h->item].window;
        h->part = subs->at[first + h->item].part;
        h->number = (uint32_t)j;
    }
    return rc;
}

static int M_of(const ws_genome_search *s, const ws_genome_subs *subs) {
    return subs->next < subs->n ? ws_genome_of(s)->model[subs->at[subs->next].target].model.M : 0;
}

int ws_genome_give_hits(ws_genome_search *s, ws_genome_work *w, ws_genome_worker *worker, ws_err *err) {
    pthread_mutex_lock(&w->lock);
    const int rc = ws_grow(&w->found.at, &w->found.cap, w->found.n + worker->found.n, sizeof *w->found.at, err);
    if (!rc && worker->found.n) memcpy(w->found.at + w->found.n, worker->found.at, worker->found.n * sizeof *w->found.at);
    if (!rc) w->found.n += worker->found.n;
    pthread_mutex_unlock(&w->lock);
    s->envelopes += worker->found.envelopes;
    worker->found.n = worker->found.envelopes = 0;
    return rc;
}

int ws_genome_find_own(ws_genome_search *s, ws_genome_worker *w, ws_err *err) {
    size_t first, n;
    int rc = WS_OK;
    ws_genome_subs_sort(&w->subs);
    while (!rc && (n = take_chunk(&w->subs, M_of(s, &w->subs), &first))) rc = find_domains(s, &w->subs, first, n, w, err);
    ws_genome_subs_reuse(&w->subs);
    return rc;
}

int ws_genome_find_of_group(ws_genome_search *s, ws_genome_work *w, size_t g, ws_genome_worker *worker, ws_err *err) {
    ws_genome_subs *subs = &w->group[g].subs;
    size_t first, n;
    int rc = WS_OK;
    do {
        pthread_mutex_lock(&w->lock);
        n = w->group[g].found ? take_chunk(subs, M_of(s, subs), &first) : 0;
        pthread_mutex_unlock(&w->lock);
        if (n) rc = find_domains(s, subs, first, n, worker, err);
    } while (n && !rc);
    if (!rc) return ws_genome_give_hits(s, w, worker, err);
    worker->found.n = 0;
    return rc;
}
