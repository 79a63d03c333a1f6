/* SPDX-License-Identifier: MIT
 * Held targets: one piece of memory for each, cut from blocks that all queries share. */
#include <string.h>

#include "lib/hits/hits.h"
#include "lib/hits/keep.h"

int ws_hitstore_create(ws_hitstore *s, size_t n, ws_err *err) {
    *s = (ws_hitstore){.nlist = n};
    s->list = ws_calloc(n, sizeof *s->list, err);
    return s->list ? WS_OK : WS_ENOMEM;
}

void ws_hitstore_destroy(ws_hitstore *s) {
    for (size_t q = 0; s->list && q < s->nlist; q++) ws_free(s->list[q].hit);
    ws_free(s->list);
    ws_hits_forget(&s->block);
    *s = (ws_hitstore){0};
}

/* ---- one target ---- */

static size_t residues_of(const ws_domain *d) { return (size_t)(d->ali_to - d->ali_from) + 1; }

static size_t size_of(const ws_hitseq *seq, const ws_dom_target *t, int hold) {
    size_t n = sizeof(ws_held) + t->n * sizeof(ws_held_domain) + seq->nname + 1 + seq->ndesc + 1;
    if (hold & WS_HOLD_SEQUENCE) n += (size_t)t->L + 1 + seq->nqual + 1;
    for (uint32_t d = 0; d < t->n && (hold & WS_HOLD_ALIGNMENTS); d++)
        n += t->domain[d].ncolumn + residues_of(&t->domain[d]);
    return n;
}

/* Copies n bytes and a NUL to `at`, which moves on; returns where they stand. */
static uint32_t put_text(ws_held *h, size_t *at, const char *p, size_t n) {
    const size_t here = *at;
    if (n) memcpy((char *)h + here, p, n);
    *at += n + 1;
    return (uint32_t)here;
}

static uint32_t put_letters(ws_held *h, size_t *at, const ws_hitseq *seq) {
    const size_t here = *at;
    for (uint32_t i = 0; i < h->L; i++) ((char *)h)[here + i] = seq->abc->letters[seq->x[i]];
    *at += (size_t)h->L + 1;
    return (uint32_t)here;
}

static void put_domain(ws_held *h, size_t *at, ws_held_domain *to, const ws_domain *d, const ws_hitseq *seq, int hold) {
    *to = (ws_held_domain){d->env_from, d->env_to,    d->ali_from, d->ali_to, d->hmm_from, d->hmm_to,
                           d->bits,     d->bias_nats, d->accuracy, 0,         0,           0};
    if (!(hold & WS_HOLD_ALIGNMENTS)) return;
    to->ncolumn = d->ncolumn;
    to->column = (uint32_t)*at;
    memcpy((char *)h + *at, d->column, d->ncolumn);
    memcpy((char *)h + *at + d->ncolumn, seq->x + d->ali_from - 1, residues_of(d));
    *at += d->ncolumn + residues_of(d);
}

int ws_hitstore_add(ws_hitstore *s, size_t q, const ws_hitseq *seq, const ws_dom_target *t, int hold, ws_err *err) {
    ws_hitlist *l = &s->list[q];
    const size_t size = size_of(seq, t, hold);
    char name[WS_QUOTE_MAX];
    if (size > UINT32_MAX)
        return ws_fail(err, WS_EDATA, "sequence %s: its domains take %zu bytes, at most 4 GB are possible",
                       ws_quote(name, seq->name, seq->nname), size);
    int rc = ws_grow(&l->hit, &l->cap, l->n + 1, sizeof *l->hit, err);
    if (rc) return rc;
    ws_held *h = ws_hits_keep(&s->block, size, err);
    if (!h) return err->code;
    *h = (ws_held){.number = seq->number, .L = t->L, .pre_bits = t->pre_bits, .bits = t->bits, .expected = t->expected,
                   .regions = t->regions, .ensembles = t->ensembles, .overlaps = t->overlaps, .envelopes = t->envelopes,
                   .n = t->n, .best = t->best};
    ws_held_domain *d = (ws_held_domain *)(void *)(h + 1);
    size_t at = sizeof *h + t->n * sizeof *d;
    h->name = put_text(h, &at, seq->name, seq->nname);
    h->desc = put_text(h, &at, seq->desc, seq->ndesc);
    if (hold & WS_HOLD_SEQUENCE) {
        h->seq = put_letters(h, &at, seq);
        h->qual = put_text(h, &at, seq->qual, seq->nqual);
    }
    for (uint32_t j = 0; j < t->n; j++) put_domain(h, &at, &d[j], &t->domain[j], seq, hold);
    l->hit[l->n++] = h;
    return WS_OK;
}
