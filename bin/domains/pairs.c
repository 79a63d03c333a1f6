/* SPDX-License-Identifier: MIT
 * Pairs in the domain stage, each with a copy of its sequence: see bin/domains/domscore.h. */
#include "bin/domains/domscore.h"

#include <string.h>

ws_dom_seq *ws_dom_seq_make(const ws_batch *b, const ws_seqs *seqs, size_t i, uint64_t number, const ws_abc *abc,
                            ws_err *err) {
    const ws_seqtext *text = &b->seqtext[i];
    enum { PARTS = 4 };
    const ws_slice part[PARTS] = {text->name, text->desc, text->qual, text->acc};
    const size_t texts = part[0].n + part[1].n + part[2].n + part[3].n;
    ws_dom_seq *s = ws_alloc(sizeof *s + b->len[i] + WS_ALIGN + texts, err);
    if (!s) return NULL;
    /* kernels read whole registers, so codes stand before other bytes */
    uint8_t *x = (uint8_t *)(s + 1);
    char *to = (char *)x + b->len[i] + WS_ALIGN, *at[PARTS];
    memcpy(x, ws_seqs_codes(seqs, i), b->len[i]);
    for (int k = 0; k < PARTS; to += part[k++].n) {
        at[k] = to;
        if (part[k].n) memcpy(to, ws_batch_text(b, part[k]), part[k].n);
    }
    *s = (ws_dom_seq){.users = 1, .lm = ((const ws_lenmodel *)seqs->perseq)[i],
                      .seq = {number, at[0], at[1], at[2], at[3], part[0].n, part[1].n, part[2].n, part[3].n, x, abc}};
    return s;
}

void ws_dom_seq_leave(ws_dom_seq *s) {
    if (s && __atomic_sub_fetch(&s->users, 1, __ATOMIC_ACQ_REL) == 0) ws_free(s);
}

ws_dom_entry *ws_dom_pairs_add(ws_domscore *d, ws_dom_seq *seq, uint32_t m, ws_err *err) {
    ws_dom_entry *e = ws_calloc(1, sizeof *e, err);
    if (!e) return NULL;
    __atomic_add_fetch(&seq->users, 1, __ATOMIC_RELAXED);
    e->seq = seq;
    e->of.model = m;
    pthread_mutex_lock(&d->lock);
    e->next = d->pairs;
    e->at = &d->pairs;
    if (e->next) e->next->at = &e->next;
    d->pairs = e;
    pthread_mutex_unlock(&d->lock);
    return e;
}

int ws_dom_pairs_begin(ws_domscore *d, const ws_job *job, ws_dom_entry *e, const ws_dom_tables *tables, ws_err *err) {
    e->of.tables = tables;
    e->of.M = (uint32_t)job->target[e->of.model].qlen;
    e->of.order = e->seq->seq.number;
    ws_dom_pair_begin(&e->of.pair, e->seq->seq.x, &e->seq->lm);
    return ws_dom_steps_add(d->steps, &e->of, err);
}

void ws_dom_pairs_unlink(ws_dom_entry *e) {
    *e->at = e->next;
    if (e->next) e->next->at = e->at;
}

void ws_dom_pairs_free(ws_dom_entry *e) {
    ws_dom_seq_leave(e->seq);
    ws_dom_pair_release(&e->of.pair);
    ws_free(e);
}

void ws_dom_pairs_release(ws_domscore *d) {
    for (ws_dom_entry *e; (e = d->pairs);) {
        ws_dom_pairs_unlink(e);
        ws_dom_pairs_free(e);
    }
}
