/* SPDX-License-Identifier: MIT
 * Pools of sequences and pairs: see bin/search/sieve.h. */
#include "bin/search/sieve.h"

#include "lib/base/counting_sort.h"

#include <string.h>

void ws_sieve_pool_reuse(ws_sieve_pool *p) {
    for (size_t i = 0; i < ws_min(p->batch.n, p->copy_cap); i++) ws_dom_seq_leave(p->copy[i].whole);
    if (p->copy) memset(p->copy, 0, p->copy_cap * sizeof *p->copy);
    ws_batch_reuse(&p->batch);
    p->npair = p->taken = 0;
    p->cells = 0;
    p->state = p->user = 0;
    p->next = NULL;
}

void ws_sieve_pool_release(ws_sieve_pool *p) {
    ws_sieve_pool_reuse(p);
    ws_batch_release(&p->batch);
    ws_buf_release(&p->codes);
    ws_buf_release(&p->lengths);
    ws_free(p->number);
    ws_free(p->block);
    ws_free(p->pair);
    ws_free(p->item);
    ws_free(p->start);
    ws_free(p->null2);
    ws_free(p->msv);
    ws_free(p->copy);
    ws_free(p);
}

/* Copies a sequence of another pool. */
static int copy_seq(ws_sieve_pool *p, const ws_sieve_pool *from, uint32_t seq, ws_err *err) {
    int rc = ws_grow(&p->number, &p->number_cap, p->batch.n + 1, sizeof *p->number, err);
    if (!rc) p->number[p->batch.n] = from->number[seq];
    if (!rc && from->block) {
        rc = ws_grow(&p->block, &p->block_cap, p->batch.n + 1, sizeof *p->block, err);
        if (!rc) p->block[p->batch.n] = from->block[seq];
    }
    return rc ? rc : ws_batch_copy_seq(&p->batch, &from->batch, seq, err);
}

int ws_sieve_pool_add(ws_sieve_pool *p, uint64_t number, ws_sieve_pool *from, const ws_sieve_pair *pair, size_t n,
                      ws_err *err) {
    int rc = ws_grow(&p->pair, &p->pair_cap, p->npair + n, sizeof *p->pair, err);
    for (size_t i = 0; i < n && !rc; i++) {
        ws_sieve_copy *copy = &from->copy[pair[i].seq];
        if (copy->pool != number) {
            if ((rc = copy_seq(p, from, pair[i].seq, err))) break;
            copy->pool = number;
            copy->seq = (uint32_t)(p->batch.n - 1);
        }
        p->pair[p->npair] = pair[i];
        p->pair[p->npair++].seq = copy->seq;
    }
    return rc;
}

/* Lists the pairs by the rank of their models, and those of a model in their order. */
static int sort_pairs(ws_sieve_pool *p, size_t models, const uint32_t *rank, ws_err *err) {
    int rc = ws_grow(&p->null2, &p->null2_cap, p->npair, sizeof *p->null2, err);
    if (!rc) rc = ws_grow(&p->msv, &p->msv_cap, p->npair, sizeof *p->msv, err);
    if (!rc) rc = ws_grow(&p->start, &p->start_cap, models + 2, sizeof *p->start, err);
    if (rc) return rc;
    const ws_keys by_rank = {p->pair, sizeof *p->pair, offsetof(ws_sieve_pair, target), p->npair, 0, (uint32_t)models,
                             rank};
    ws_counting_sort(&by_rank, p->item, p->start);
    for (size_t i = 0; i < p->npair; i++) {
        const ws_sieve_pair *pair = &p->pair[p->item[i]];
        p->item[i] = pair->seq;
        p->null2[i] = pair->null2;
        p->msv[i] = pair->msv;
    }
    return WS_OK;
}

int ws_sieve_pool_make(ws_sieve_pool *p, size_t models, const uint32_t *model, const uint32_t *rank,
                       const ws_codec *codec, ws_err *err) {
    const ws_batch *b = &p->batch;
    const size_t had = p->copy_cap;
    ws_lenmodel *lm = ws_buf_scratch(&p->lengths, b->n * sizeof *lm, err);
    int rc = lm ? ws_scan_unpack(&p->seqs, b, codec, &p->codes, err) : err->code;
    if (!rc) rc = ws_grow(&p->copy, &p->copy_cap, b->n, sizeof *p->copy, err);
    if (!rc && p->copy_cap > had) memset(p->copy + had, 0, (p->copy_cap - had) * sizeof *p->copy);
    if (!rc) rc = ws_grow(&p->item, &p->item_cap, p->all ? b->n : p->npair, sizeof *p->item, err);
    if (!rc && !p->all) rc = sort_pairs(p, models, rank, err);
    if (rc) return rc;
    for (size_t i = 0; i < b->n && p->all; i++) p->item[i] = (uint32_t)i;
    p->by_model = (ws_scan_pairs){b, model, 0, models, p->item, p->all ? NULL : p->start, b->n, p->all};
    for (size_t i = 0; i < b->n; i++) ws_lenmodel_set(&lm[i], b->len[i]);
    p->seqs.perseq = lm;
    p->seqs.identity = ws_dev_identity();
    return WS_OK;
}
