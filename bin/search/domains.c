/* SPDX-License-Identifier: MIT
 * From pairs that passed all filters to hits that are held: see bin/search/sieve.h. */
#include "bin/search/sieve.h"

#include <string.h>

/* A pair in the domain stage. */
typedef struct ws_sieve_item {
    ws_dom_item of; /* first: done gets its address */
    ws_sieve_target *target;
    struct ws_sieve_item *next, **at; /* at: what points to this one */
} ws_sieve_item;

/* ---- targets ---- */

void ws_sieve_target_leave(ws_sieve_target *t) {
    if (t && __atomic_sub_fetch(&t->users, 1, __ATOMIC_ACQ_REL) == 0) ws_free(t);
}

/* Copies a sequence of a pool, with its name and description. */
static ws_sieve_target *make_target(const ws_sieve *s, const ws_sieve_pool *p, size_t i, ws_err *err) {
    const ws_batch *b = &p->batch;
    const ws_seqtext *text = &b->seqtext[i];
    enum { PARTS = 4 };
    const ws_slice part[PARTS] = {text->name, text->desc, text->qual, text->acc};
    const size_t texts = part[0].n + part[1].n + part[2].n + part[3].n;
    ws_sieve_target *t = ws_alloc(sizeof *t + b->len[i] + WS_ALIGN + texts, err);
    if (!t) return NULL;
    /* kernels read whole registers, so codes stand before other bytes */
    uint8_t *x = (uint8_t *)(t + 1);
    char *to = (char *)x + b->len[i] + WS_ALIGN, *at[PARTS];
    memcpy(x, ws_seqs_codes(&p->seqs, i), b->len[i]);
    for (int k = 0; k < PARTS; to += part[k++].n) {
        at[k] = to;
        if (part[k].n) memcpy(to, ws_batch_text(b, part[k]), part[k].n);
    }
    *t = (ws_sieve_target){.users = 1, .block = p->block ? p->block[i] : NULL,
                           .lm = ((const ws_lenmodel *)p->seqs.perseq)[i],
                           .seq = {p->number[i], at[0], at[1], at[2], at[3], part[0].n, part[1].n, part[2].n,
                                   part[3].n, x, ws_scan_of(s->job)->abc}};
    return t;
}

/* ---- models ---- */

/* Returns the tables of a model, and keeps what was made of it, because the outputs need it: until the end, or by
 * sequence until they have it. */
static int need_model(ws_sieve *s, uint32_t m, const ws_dom_tables **tables, ws_err *err) {
    ws_job *job = s->job;
    void *prep;
    int rc = ws_job_take(job, job->cpu_backend ? job->cpu_backend : job->backend, m, &prep, err);
    if (rc) return rc;
    rc = ws_domscore_tables(&s->dom, job, m, tables, err);
    if (s->dom.by_seq) ws_sieve_scan_keep_model(s, m);
    else if (__atomic_exchange_n(&s->pinned[m], 1, __ATOMIC_ACQ_REL)) ws_job_leave(job, m); /* one user stays */
    return rc;
}

/* ---- pairs ---- */

/* Returns the target of a sequence of a pool, and takes it for one user more. Several threads may make it: the first
 * one's stays. NULL without memory. */
static ws_sieve_target *take_target(const ws_sieve *s, ws_sieve_pool *from, size_t i, ws_err *err) {
    ws_sieve_target **place = &from->copy[i].target, *t = __atomic_load_n(place, __ATOMIC_ACQUIRE), *first = NULL;
    if (!t) {
        if (!(t = make_target(s, from, i, err))) return NULL;
        if (!__atomic_compare_exchange_n(place, &first, t, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            ws_sieve_target_leave(t);
            t = first;
        }
    }
    __atomic_add_fetch(&t->users, 1, __ATOMIC_RELAXED);
    return t;
}

static ws_sieve_item *add_item(ws_sieve *s, ws_sieve_pool *from, const ws_sieve_pair *pair, ws_err *err) {
    ws_sieve_item *it = ws_calloc(1, sizeof *it, err);
    if (!it) return NULL;
    if (!(it->target = take_target(s, from, pair->seq, err))) {
        ws_free(it);
        return NULL;
    }
    pthread_mutex_lock(&s->lock);
    it->next = s->items;
    it->at = &s->items;
    if (it->next) it->next->at = &it->next;
    s->items = it;
    pthread_mutex_unlock(&s->lock);
    return it;
}

/* Takes a pair out of the list of all. Under the lock, unless there is one thread. */
static void unlink_item(ws_sieve_item *it) {
    *it->at = it->next;
    if (it->next) it->next->at = it->at;
}

/* Ends a pair that is in no list. */
static void free_item(ws_sieve_item *it) {
    ws_sieve_target_leave(it->target);
    ws_dom_pair_release(&it->of.pair);
    ws_free(it);
}

int ws_sieve_domains_add(ws_sieve *s, ws_sieve_pool *from, const ws_sieve_pair *pair, size_t n, ws_err *err) {
    int rc = WS_OK;
    __atomic_store_n(&s->job->holds, 1, __ATOMIC_RELAXED);
    for (size_t i = 0; i < n && !rc; i++) {
        const uint32_t m = pair[i].target;
        ws_sieve_item *it = add_item(s, from, &pair[i], err);
        const ws_dom_tables *tables = NULL;
        rc = it ? need_model(s, m, &tables, err) : err->code;
        if (rc) return rc;
        it->of = (ws_dom_item){.tables = tables, .model = m, .M = (uint32_t)s->job->target[m].qlen,
                               .order = it->target->seq.number};
        ws_dom_pair_begin(&it->of.pair, it->target->seq.x, &it->target->lm);
        rc = ws_dom_steps_add(s->dom.steps, &it->of, err);
    }
    return rc;
}

int ws_sieve_domains_done(void *sieve, ws_dom_item *item, ws_err *err) {
    ws_sieve *s = sieve;
    ws_sieve_item *it = (ws_sieve_item *)item;
    ws_sieve_block *b = it->target->block;
    const ws_hitseq *seq = &it->target->seq;
    pthread_mutex_lock(&s->lock);
    const int rc = b ? ws_sieve_scan_hold(s, b, item->model, seq, &item->pair.hit, err)
                     : ws_domscore_hold(&s->dom, s->job, item->model, seq, &item->pair.hit, err);
    unlink_item(it);
    pthread_mutex_unlock(&s->lock);
    free_item(it);
    return rc || !b ? rc : ws_sieve_scan_end(s, b, 1, err);
}

void ws_sieve_domains_release(ws_sieve *s) {
    for (ws_sieve_item *it; (it = s->items);) {
        unlink_item(it);
        free_item(it);
    }
}
