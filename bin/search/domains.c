/* SPDX-License-Identifier: MIT
 * From pairs that passed all filters to hits that are held: see bin/search/sieve.h. */
#include "bin/search/sieve.h"

/* ---- models ---- */

/* Returns the tables of a model, and keeps what was made of it, because the outputs need it: until the end, or by
 * sequence until they have it. */
static int need_model(ws_sieve *s, uint32_t m, const ws_dom_tables **tables, ws_err *err) {
    ws_job *job = s->job;
    void *prep;
    int rc = ws_job_take(job, job->cpu_backend ? job->cpu_backend : job->backend, m, &prep, err);
    if (rc) return rc;
    rc = ws_hmm_target_whole(job->target[m].data, err);
    if (!rc) rc = ws_domscore_tables(&s->dom, job, m, tables, err);
    if (s->dom.by_seq) ws_sieve_scan_keep_model(s, m);
    else if (__atomic_exchange_n(&s->pinned[m], 1, __ATOMIC_ACQ_REL)) ws_job_leave(job, m); /* one user stays */
    return rc;
}

/* ---- pairs ---- */

static ws_dom_seq *make_seq(const ws_sieve *s, const ws_sieve_pool *p, size_t i, ws_err *err) {
    ws_dom_seq *q = ws_dom_seq_make(&p->batch, &p->seqs, i, p->number[i], ws_scan_of(s->job)->abc, err);
    if (q) q->block = p->block ? p->block[i] : NULL;
    return q;
}

/* Returns the copy of a sequence of a pool, which holds it. Several threads may make it: the first one's stays. NULL
 * without memory. */
static ws_dom_seq *find_seq(const ws_sieve *s, ws_sieve_pool *from, size_t i, ws_err *err) {
    ws_dom_seq **place = &from->copy[i].whole, *q = __atomic_load_n(place, __ATOMIC_ACQUIRE), *first = NULL;
    if (q || !(q = make_seq(s, from, i, err))) return q;
    if (__atomic_compare_exchange_n(place, &first, q, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return q;
    ws_dom_seq_leave(q);
    return first;
}

int ws_sieve_domains_add(ws_sieve *s, ws_sieve_pool *from, const ws_sieve_pair *pair, size_t n, ws_err *err) {
    ws_dom_item *first = NULL, **end = &first;
    int rc = WS_OK;
    __atomic_store_n(&s->job->holds, 1, __ATOMIC_RELAXED);
    for (size_t i = 0; i < n && !rc; i++) {
        ws_dom_seq *seq = find_seq(s, from, pair[i].seq, err);
        ws_dom_entry *e = seq ? ws_dom_pairs_make(seq, pair[i].target, err) : NULL;
        rc = e ? need_model(s, pair[i].target, &e->of.tables, err) : err->code;
        if (!rc && s->max && from->batch.has_rows && !from->all) rc = ws_scan_check_model(s->job, pair[i].target, err);
        if (!e) break;
        *end = &e->of;
        end = &e->of.next;
    }
    ws_dom_pairs_add(&s->dom, (ws_dom_entry *)first);
    return rc || !first ? rc : ws_dom_pairs_begin(&s->dom, s->job, (ws_dom_entry *)first, err);
}

static int hold(ws_sieve *s, const ws_dom_entry *e, ws_err *err) {
    const ws_hitseq *seq = &e->seq->seq;
    ws_sieve_block *b = e->seq->block;
    return b ? ws_sieve_scan_hold(s, b, e->of.model, seq, &e->of.pair.hit, err)
             : ws_domscore_hold(&s->dom, s->job, e->of.model, seq, &e->of.pair.hit, err);
}

int ws_sieve_domains_done(void *sieve, ws_dom_item *first, ws_err *err) {
    ws_sieve *s = sieve;
    int rc = WS_OK;
    pthread_mutex_lock(&s->dom.lock);
    for (ws_dom_item *i = first; i; i = i->next) {
        if (!rc) rc = hold(s, (ws_dom_entry *)i, err);
        ws_dom_pairs_unlink((ws_dom_entry *)i);
    }
    pthread_mutex_unlock(&s->dom.lock);
    for (ws_dom_item *i = first, *next; i; i = next) {
        ws_sieve_block *b = ((ws_dom_entry *)i)->seq->block;
        next = i->next;
        ws_dom_pairs_free((ws_dom_entry *)i);
        if (!rc && b) rc = ws_sieve_scan_end(s, b, 1, err);
    }
    return rc;
}
