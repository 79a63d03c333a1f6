/* SPDX-License-Identifier: MIT
 * Pairs that wait for the domain stage: workers pack those of their batches, the writer takes them in the order of the
 * input. */
#include "bin/domains/domscore.h"

#include <string.h>

/* Before each sequence: its codes, its texts and the numbers of its models (uint32_t) follow. */
typedef struct header {
    uint32_t L, nname, ndesc, nqual, nacc, npair;
} header;

static size_t pairs_of(const ws_hits *hits, size_t from) {
    size_t n = from;
    while (n < hits->n && hits->hit[n].seq == hits->hit[from].seq) n++;
    return n - from;
}

static int pack_seq(const ws_batch *b, const ws_hit *hit, size_t n, const ws_seqs *seqs, ws_buf *out, ws_err *err) {
    const size_t s = hit->seq;
    const ws_seqtext *t = &b->seqtext[s];
    header h = {b->len[s], (uint32_t)t->name.n, (uint32_t)t->desc.n, (uint32_t)t->qual.n,
                (uint32_t)t->acc.n, 0};
    for (size_t j = 0; j < n; j++) h.npair += hit[j].pass != 0;
    if (h.npair == 0 || h.L == 0) return WS_OK;
    int rc = ws_buf_add(out, &h, sizeof h, err);
    if (!rc) rc = ws_buf_add(out, ws_seqs_codes(seqs, s), h.L, err);
    if (!rc) rc = ws_buf_add(out, ws_batch_text(b, t->name), t->name.n, err);
    if (!rc) rc = ws_buf_add(out, ws_batch_text(b, t->desc), t->desc.n, err);
    if (!rc) rc = ws_buf_add(out, ws_batch_text(b, t->qual), t->qual.n, err);
    if (!rc && t->acc.n) rc = ws_buf_add(out, ws_batch_text(b, t->acc), t->acc.n, err);
    for (size_t j = 0; j < n && !rc; j++)
        if (hit[j].pass) rc = ws_buf_add(out, &hit[j].target, sizeof hit[j].target, err);
    return rc;
}

int ws_pool_pack(const ws_batch *b, const ws_hits *hits, const ws_seqs *seqs, ws_buf *out, ws_err *err) {
    int rc = WS_OK;
    for (size_t i = 0, n; i < hits->n && !rc; i += n) {
        n = pairs_of(hits, i);
        rc = pack_seq(b, &hits->hit[i], n, seqs, out, err);
    }
    return rc;
}

static int take_seq(ws_pool *p, const ws_target *target, const header *h, const char *at, ws_err *err) {
    int rc = ws_grow(&p->seq, &p->seq_cap, p->nseq + 1, sizeof *p->seq, err);
    if (!rc) rc = ws_grow(&p->pair, &p->pair_cap, p->npair + h->npair, sizeof *p->pair, err);
    if (rc) return rc;
    p->seq[p->nseq] = (ws_pool_seq){p->number++, p->codes.n, p->text.n, h->L, h->nname, h->ndesc, h->nqual,
                                      h->nacc};
    const size_t text = (size_t)h->nname + h->ndesc + h->nqual + h->nacc;
    rc = ws_buf_add(&p->codes, at, h->L, err);
    if (!rc) rc = ws_buf_add(&p->text, at + h->L, text, err);
    at += h->L + text;
    for (uint32_t j = 0; j < h->npair && !rc; j++, at += sizeof(uint32_t)) {
        ws_pool_pair *pair = &p->pair[p->npair++];
        pair->seq = (uint32_t)p->nseq;
        memcpy(&pair->model, at, sizeof pair->model);
        p->cells += (double)h->L * (double)target[pair->model].qlen;
    }
    p->nseq += !rc;
    return rc;
}

int ws_pool_take(ws_pool *p, const ws_target *target, const char *packed, size_t n, ws_err *err) {
    int rc = WS_OK;
    for (size_t at = 0; at < n && !rc;) {
        header h;
        memcpy(&h, packed + at, sizeof h);
        at += sizeof h;
        rc = take_seq(p, target, &h, packed + at, err);
        at += (size_t)h.L + h.nname + h.ndesc + h.nqual + h.nacc + h.npair * sizeof(uint32_t);
    }
    return rc;
}

void ws_pool_reuse(ws_pool *p) {
    p->codes.n = p->text.n = 0;
    p->nseq = p->npair = 0;
    p->cells = 0;
}

void ws_pool_release(ws_pool *p) {
    ws_buf_release(&p->codes);
    ws_buf_release(&p->text);
    ws_free(p->seq);
    ws_free(p->pair);
    *p = (ws_pool){0};
}
