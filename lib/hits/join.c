/* SPDX-License-Identifier: MIT
 * Domains of one model that may be of one gene: loci. See ws_hitlist_join. */
#include "lib/base/mem.h"
#include "lib/hits/orf.h"

#include <math.h>
#include <stdlib.h>

/* A reported domain in its contig. Places are those along its strand: below 0 on the other one. */
typedef struct member {
    const char *contig;
    size_t ncontig;
    int64_t from, to;
    int minus;
    size_t row, locus;    /* row: its place among the reported domains, in the order of the list */
    ws_held_domain *of;
} member;

static int cmp(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int by_strand(const member *a, const member *b) {
    int c = cmp((int64_t)a->ncontig, (int64_t)b->ncontig);
    if (!c) c = memcmp(a->contig, b->contig, a->ncontig);
    return c ? c : a->minus - b->minus;
}

static int by_place(const void *p, const void *q) {
    const member *a = p, *b = q;
    int c = by_strand(a, b);
    if (!c) c = cmp(a->from, b->from);
    if (!c) c = cmp(a->to, b->to);
    return c ? c : cmp((int64_t)a->row, (int64_t)b->row);
}

static int by_row(const void *p, const void *q) {
    return cmp((int64_t)((const member *)p)->row, (int64_t)((const member *)q)->row);
}

/* Orders the last domains of loci by their ends; of equal ends the better one comes later. */
static int by_end(const member *a, const member *b) {
    int c = cmp(a->to, b->to);
    if (!c) c = (a->of->bits > b->of->bits) - (a->of->bits < b->of->bits);
    return c ? c : -cmp((int64_t)a->row, (int64_t)b->row);
}

/* Returns 1 if b may follow a, which begins no later: in the contig and in the model it begins and ends behind a. */
static int follows(const member *a, const member *b) {
    return a->from < b->from && a->to < b->to && a->of->hmm_from < b->of->hmm_from && a->of->hmm_to < b->of->hmm_to;
}

/* Gives n domains of one strand, in the order of their beginnings, to loci, numbered from *nlocus on. A domain goes to
 * the locus whose last domain it may follow with the fewest bases between. last: room for n numbers. */
static void join_strand(member *m, size_t n, uint64_t gap, size_t *last, size_t *nlocus) {
    size_t open = 0, nlast = 0; /* the last domains of loci are last[open..nlast), by their ends */
    for (size_t i = 0; i < n; i++) {
        size_t at = nlast;
        while (open < nlast && m[last[open]].to + (int64_t)gap + 1 < m[i].from) open++;
        while (at > open && !follows(&m[last[at - 1]], &m[i])) at--;
        if (at > open) {
            m[i].locus = m[last[at - 1]].locus;
            nlast--;
            memmove(last + at - 1, last + at, (nlast - (at - 1)) * sizeof *last);
        } else {
            m[i].locus = (*nlocus)++;
        }
        for (at = nlast++; at > open && by_end(&m[last[at - 1]], &m[i]) > 0; at--) last[at] = last[at - 1];
        last[at] = i;
    }
}

static size_t count(const ws_hitlist *l) {
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->hit[i]->flags & WS_HELD_REPORTED) n += l->hit[i]->nreported;
    return n;
}

static int add_target(member *m, size_t *n, ws_held *h, ws_err *err) {
    ws_held_domain *d = (ws_held_domain *)(void *)(h + 1);
    ws_orf o;
    if (ws_held_orf(h, &o, err)) return err->code;
    const int64_t sign = o.minus ? -1 : 1;
    for (uint32_t j = 0; j < h->n; j++) {
        if (!(d[j].flags & WS_HELD_REPORTED)) continue;
        m[*n] = (member){.contig = o.contig, .ncontig = o.ncontig, .minus = o.minus,
                         .from = sign * (int64_t)ws_orf_first(&o, d[j].ali_from),
                         .to = sign * (int64_t)ws_orf_last(&o, d[j].ali_to), .row = *n, .of = &d[j]};
        ++*n;
    }
    return WS_OK;
}

/* Numbers loci anew, in the order of rows, and adds their scores, in units of the last printed digit, so that a sum is
 * that of the column. number: zeroed, one for each locus. */
static void number_loci(ws_hitlist *l, const member *m, size_t n, uint32_t *number) {
    enum { PRINTED = 10000 };
    uint32_t used = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t *of = &number[m[i].locus];
        if (!*of) *of = ++used;
        m[i].of->locus = *of;
        l->locus_bits[*of - 1] += (double)llrint((double)m[i].of->bits * PRINTED);
    }
    for (uint32_t k = 0; k < used; k++) l->locus_bits[k] /= PRINTED;
}

static int join(ws_hitlist *l, member *m, size_t n, uint64_t gap, ws_err *err) {
    size_t nlocus = 0, *last = ws_calloc(n, sizeof *last, err);
    uint32_t *number = last ? ws_calloc(n, sizeof *number, err) : NULL;
    if (number) {
        qsort(m, n, sizeof *m, by_place);
        for (size_t i = 0, end; i < n; i = end) {
            for (end = i + 1; end < n && by_strand(&m[i], &m[end]) == 0;) end++;
            join_strand(m + i, end - i, gap, last, &nlocus);
        }
        qsort(m, n, sizeof *m, by_row);
        number_loci(l, m, n, number);
    }
    ws_free(number);
    ws_free(last);
    return number ? WS_OK : err->code;
}

int ws_hitlist_join(ws_hitlist *l, uint64_t gap, ws_err *err) {
    const size_t all = count(l);
    size_t n = 0;
    int rc = WS_OK;
    if (!all) return WS_OK;
    member *m = ws_calloc(all, sizeof *m, err);
    ws_free(l->locus_bits);
    l->locus_bits = m ? ws_calloc(all, sizeof *l->locus_bits, err) : NULL;
    if (!l->locus_bits) rc = err->code;
    for (size_t i = 0; i < l->n && !rc; i++)
        if (l->hit[i]->flags & WS_HELD_REPORTED) rc = add_target(m, &n, l->hit[i], err);
    if (!rc) rc = join(l, m, n, gap, err);
    ws_free(m);
    return rc;
}
