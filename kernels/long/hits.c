/* SPDX-License-Identifier: MIT
 * Scores of hits, and what the end of a search makes of a model's hits. Specification long-targets.md, sections 11 and 13. */
#include "kernels/long/hits.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each line rounds to single, its right side is double. */
void ws_long_score(const ws_long_model *m, uint32_t envelope, uint32_t alignment, float nats, ws_long_hit *h) {
    const double le = (double)envelope, W = (double)m->maxl, all = fmax(W, le), outside = (double)(envelope - alignment);
    ws_lenmodel lm;
    ws_lenmodel_set(&lm, (uint32_t)ws_max(m->maxl, envelope));
    float s = nats;
    s = (float)((double)s - 2.0 * log(2.0 / (le + 2.0)));
    s = (float)((double)s + 2.0 * log(2.0 / (W + 2.0)));
    s = (float)((double)s - outside * log((double)((float)envelope / (float)(envelope + 2))));
    s = (float)((double)s + (all - (double)alignment) * log((double)((float)m->maxl / (float)(m->maxl + 2))));
    h->bits = ws_bits(s, lm.null_nats);
    h->lnp = ws_exp_lnp(h->bits, m->evparam[WS_FTAU], m->evparam[WS_FLAMBDA]);
}

static uint64_t low(const ws_long_hit *h) { return h->ali_from < h->ali_to ? h->ali_from : h->ali_to; }
static uint64_t high(const ws_long_hit *h) { return h->ali_from < h->ali_to ? h->ali_to : h->ali_from; }

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* By place: record, strand, low end, the longer one first; then the better one. */
static int by_place(const void *p, const void *q) {
    const ws_long_hit *a = p, *b = q;
    if (a->record != b->record) return COMPARE(a->record, b->record);
    if (a->minus != b->minus) return COMPARE(a->minus, b->minus);
    if (low(a) != low(b)) return COMPARE(low(a), low(b));
    return high(a) != high(b) ? COMPARE(high(b), high(a)) : COMPARE(a->lnp, b->lnp);
}

static int near(uint64_t a, uint64_t b) { return (a > b ? a - b : b - a) <= 3; }

/* Whether hit b is another view of a: section 13.2 without the record. */
static int is_same(const ws_long_hit *a, const ws_long_hit *b) {
    const int64_t nodes = (int64_t)ws_min(a->hmm_to, b->hmm_to) - (int64_t)ws_max(a->hmm_from, b->hmm_from) + 1;
    if (a->minus != b->minus || nodes <= 0) return 0;
    const double overlap = (double)((int64_t)ws_min(high(a), high(b)) - (int64_t)ws_max(low(a), low(b)) + 1);
    return near(low(a), low(b)) || near(high(a), high(b)) || overlap >= 0.95 * (double)(high(a) - low(a) + 1) ||
           overlap >= 0.95 * (double)(high(b) - low(b) + 1);
}

/* A chain of hits sorted by place: each meets the last one that was no duplicate, but its record is compared with its neighbour's
 * (18.16). */
static void mark_duplicates(ws_long_hits *l) {
    for (size_t i = 1, j = 0; i < l->n; i++) {
        ws_long_hit *a = &l->at[j], *b = &l->at[i];
        if (b->record != l->at[i - 1].record || !is_same(a, b)) {
            j = i;
        } else if (a->lnp > b->lnp) {
            a->duplicate = 1;
            j = i;
        } else {
            b->duplicate = 1;
        }
    }
}

typedef struct ranked {
    ws_long_hit hit;
    const char *name;
    size_t place;
} ranked;

/* By significance, then name, strand and position. */
static int by_rank(const void *p, const void *q) {
    const ranked *a = p, *b = q;
    if (a->hit.lnp != b->hit.lnp) return COMPARE(a->hit.lnp, b->hit.lnp);
    const int names = strcmp(a->name, b->name);
    if (names) return names;
    if (a->hit.minus != b->hit.minus) return COMPARE(a->hit.minus, b->hit.minus);
    return a->hit.ali_from != b->hit.ali_from ? COMPARE(a->hit.ali_from, b->hit.ali_from) : COMPARE(a->place, b->place);
}

static int rank(ws_long_hits *l, const ws_long_record *record, ws_err *err) {
    ranked *r = ws_calloc(l->n, sizeof *r, err);
    if (!r) return err->code;
    for (size_t i = 0; i < l->n; i++) r[i] = (ranked){l->at[i], record[l->at[i].record].name, i};
    qsort(r, l->n, sizeof *r, by_rank);
    for (size_t i = 0; i < l->n; i++) l->at[i] = r[i].hit;
    ws_free(r);
    return WS_OK;
}

double ws_long_hit_evalue(const ws_long_hit *h) {
    const double e = exp(h->lnp);
    return e < DBL_MIN ? 0.0 : e;
}

int ws_long_hits_finish(ws_long_hits *l, const ws_long_model *m, uint64_t residues, const ws_long_limits *limits,
                        const ws_long_record *record, ws_err *err) {
    const double more = log((double)((float)residues / (float)m->maxl));
    if (l->n == 0) return WS_OK;
    for (size_t i = 0; i < l->n; i++) l->at[i].lnp += more;
    qsort(l->at, l->n, sizeof *l->at, by_place);
    mark_duplicates(l);
    for (size_t i = 0; i < l->n; i++) {
        ws_long_hit *h = &l->at[i];
        h->reported = !h->duplicate && (limits->by_bits ? (double)h->bits >= limits->bits : ws_long_hit_evalue(h) <= limits->evalue);
    }
    return rank(l, record, err);
}
