/* SPDX-License-Identifier: MIT
 * Held targets: for each a piece of memory with what ranking needs, cut from blocks that all queries share, and a body,
 * which may go to a file. */
#include <string.h>

#include "lib/hits/hits.h"
#include "lib/hits/keep.h"

int ws_hitstore_create(ws_hitstore *s, size_t n, ws_err *err) {
    *s = (ws_hitstore){.nlist = n};
    s->list = ws_calloc(n, sizeof *s->list, err);
    return s->list ? WS_OK : WS_ENOMEM;
}

void ws_hitstore_destroy(ws_hitstore *s) {
    for (size_t q = 0; s->list && q < s->nlist; q++) {
        ws_free(s->list[q].hit);
        ws_free(s->list[q].locus_bits);
    }
    ws_free(s->list);
    ws_hits_forget(&s->block);
    ws_spill_release(&s->body);
    *s = (ws_hitstore){0};
}

/* ---- one target ---- */

size_t ws_ali_pack(uint8_t *to, const ws_domain *d, const uint8_t *x) {
    enum { ALL_BUT_CODE = 0xff & ~WS_COLUMN_CODE };
    uint8_t before = WS_PACKED_FIRST;
    size_t n = 0;
    for (uint32_t c = 0; c < d->ncolumn; c++) {
        const uint8_t column = d->column[c];
        const int change = column - before, most = change < 0 ? -change : change;
        const int same = (column & ALL_BUT_CODE) == (before & ALL_BUT_CODE) && most <= 3;
        const int how = !same ? WS_PACKED_ANEW : change > 0 ? 2 * change - 1 : -2 * change;
        if (to) {
            const int code = (column & WS_COLUMN_STATE) == WS_COLUMN_D ? 0 : *x++;
            to[n] = (uint8_t)(code | how << WS_PACKED_CODE_BITS);
            if (!same) to[n + 1] = column;
        }
        n += same ? 1 : 2;
        before = column;
    }
    return n;
}

static int is_short(const ws_hitseq *seq) { return seq->ndesc <= WS_HELD_SHORT_DESC; }

static size_t body_size(const ws_hitseq *seq, const ws_dom_result *t, int hold) {
    size_t n = is_short(seq) ? 0 : seq->ndesc + 1;
    if (hold & WS_HOLD_SEQUENCE) n += (size_t)t->L + 1 + seq->nqual + 1;
    for (uint32_t d = 0; d < t->n && (hold & WS_HOLD_ALIGNMENTS); d++) n += ws_ali_pack(NULL, &t->domain[d], NULL);
    return n;
}

/* Copies n bytes and a NUL to place `at` of a body, which moves on; returns where they stand. */
static uint32_t put_text(uint8_t *body, size_t *at, const char *p, size_t n) {
    const size_t here = *at;
    if (n) memcpy(body + here, p, n);
    body[here + n] = '\0';
    *at += n + 1;
    return (uint32_t)here;
}

static uint32_t put_letters(uint8_t *body, size_t *at, const ws_hitseq *seq, uint32_t L) {
    const size_t here = *at;
    for (uint32_t i = 0; i < L; i++) body[here + i] = (uint8_t)seq->abc->letters[seq->x[i]];
    body[here + L] = '\0';
    *at += (size_t)L + 1;
    return (uint32_t)here;
}

static void put_domain(uint8_t *body, size_t *at, ws_held_domain *to, const ws_domain *d, const ws_hitseq *seq,
                       int hold) {
    *to = (ws_held_domain){.env_from = d->env_from, .env_to = d->env_to, .ali_from = d->ali_from, .ali_to = d->ali_to,
                           .hmm_from = d->hmm_from, .hmm_to = d->hmm_to, .bits = d->bits, .bias_nats = d->bias_nats,
                           .accuracy = d->accuracy, .env_nats = d->env_nats, .correction_nats = d->correction_nats};
    if (!(hold & WS_HOLD_ALIGNMENTS)) return;
    to->ncolumn = d->ncolumn;
    to->column = (uint32_t)*at;
    *at += ws_ali_pack(body + *at, d, seq->x + d->ali_from - 1);
}

int ws_hitstore_add(ws_hitstore *s, size_t q, const ws_hitseq *seq, const ws_dom_result *t, int hold, ws_err *err) {
    ws_hitlist *l = &s->list[q];
    const size_t texts = seq->nname + seq->nacc + 2 + (is_short(seq) ? seq->ndesc + 1 : 0);
    const size_t head = sizeof(ws_held) + t->n * sizeof(ws_held_domain) + texts;
    const size_t size = body_size(seq, t, hold);
    char name[WS_QUOTE_MAX];
    if (size > UINT32_MAX)
        return ws_fail(err, WS_EDATA, "sequence %s: its domains take %zu bytes, at most 4 GB are possible",
                       ws_quote(name, seq->name, seq->nname), size);
    int rc = ws_grow(&l->hit, &l->cap, l->n + 1, sizeof *l->hit, err);
    if (rc) return rc;
    ws_held *h = ws_hits_keep(&s->block, head, err);
    uint8_t *body = h ? ws_spill_keep(&s->body, size, err) : NULL;
    if (!body) return err->code;
    *h = (ws_held){.body = body, .desc = WS_HELD_SHORT, .number = seq->number, .L = t->L, .pre_bits = t->pre_bits,
                   .bits = t->bits, .expected = t->expected, .sum_bits = t->recon_bits, .regions = t->regions,
                   .ensembles = t->ensembles, .overlaps = t->overlaps, .envelopes = t->envelopes, .n = t->n,
                   .best = t->best};
    ws_held_domain *d = (ws_held_domain *)(void *)(h + 1);
    size_t at = 0;
    char *text = (char *)(d + t->n); /* NULs are there */
    memcpy(text, seq->name, seq->nname);
    text += seq->nname + 1;
    if (seq->nacc) memcpy(text, seq->acc, seq->nacc);
    text += seq->nacc + 1;
    if (!is_short(seq)) h->desc = put_text(body, &at, seq->desc, seq->ndesc);
    else if (seq->ndesc) memcpy(text, seq->desc, seq->ndesc);
    if (hold & WS_HOLD_SEQUENCE) {
        h->seq = put_letters(body, &at, seq, h->L);
        h->qual = put_text(body, &at, seq->qual, seq->nqual);
    }
    for (uint32_t j = 0; j < t->n; j++) put_domain(body, &at, &d[j], &t->domain[j], seq, hold);
    l->hit[l->n++] = h;
    s->bytes += head + size + sizeof h;
    return WS_OK;
}
