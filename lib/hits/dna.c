/* SPDX-License-Identifier: MIT
 * Hits in long DNA: their store, and what the end of a search makes of them. Specification long-targets.md, section 13.
 * */
#include "lib/hits/dna.h"
#include "lib/hits/keep.h"

#include <math.h>
#include <string.h>

/* ---- store ---- */

int ws_dnastore_create(ws_dnastore *s, size_t n, ws_err *err) {
    *s = (ws_dnastore){.nlist = n};
    pthread_mutex_init(&s->lock, NULL);
    s->list = ws_calloc(n, sizeof *s->list, err);
    return s->list ? WS_OK : err->code;
}

void ws_dnastore_destroy(ws_dnastore *s) {
    for (size_t q = 0; s->list && q < s->nlist; q++) ws_free(s->list[q].hit);
    ws_free(s->list);
    ws_free(s->record);
    ws_hits_forget(&s->block);
    pthread_mutex_destroy(&s->lock);
    *s = (ws_dnastore){0};
}

static int compare_text(const char *a, size_t na, const char *b, size_t nb) {
    const int c = memcmp(a, b, ws_min(na, nb));
    return c ? c : (na > nb) - (na < nb);
}

/* Returns where a record is in the list, or belongs. Most hits are in the last one. name NULL: the first of the number.
 * */
static size_t place_of(const ws_dnastore *s, uint64_t number, const char *name, size_t nname) {
    size_t at = s->nrecord;
    for (size_t low = 0; low < at;) {
        const size_t middle = at == s->nrecord ? at - 1 : low + (at - low) / 2;
        const ws_dnarecord *r = s->record[middle];
        const int before = r->number != number ? r->number < number
                                               : name && compare_text(r->name, strlen(r->name), name, nname) < 0;
        if (before) low = middle + 1;
        else at = middle;
    }
    return at;
}

static char *copy_text(ws_dnastore *s, const char *text, size_t n, ws_err *err) {
    char *own = ws_hits_keep(&s->block, n + 1, err);
    if (own && n) memcpy(own, text, n);
    return own;
}

/* Returns the record of that number and name, which may be new; NULL on failure. */
static ws_dnarecord *record_of(ws_dnastore *s, const ws_dnaseq *seq, ws_err *err) {
    const size_t at = place_of(s, seq->number, seq->name, seq->nname);
    ws_dnarecord *r = at < s->nrecord ? s->record[at] : NULL;
    if (r && r->number == seq->number && compare_text(r->name, strlen(r->name), seq->name, seq->nname) == 0) return r;
    if (ws_grow(&s->record, &s->record_cap, s->nrecord + 1, sizeof *s->record, err)) return NULL;
    if (!(r = ws_hits_keep(&s->block, sizeof *r, err))) return NULL;
    *r = (ws_dnarecord){.number = seq->number};
    if (!(r->name = copy_text(s, seq->name, seq->nname, err))) return NULL;
    if (!(r->desc = copy_text(s, seq->desc, seq->ndesc, err))) return NULL;
    if (!(r->acc = copy_text(s, seq->acc, seq->nacc, err))) return NULL;
    memmove(s->record + at + 1, s->record + at, (s->nrecord++ - at) * sizeof *s->record);
    return s->record[at] = r;
}

static int add(ws_dnastore *s, size_t q, const ws_dnaseq *seq, const ws_dnahit *h, ws_err *err) {
    ws_dnalist *l = &s->list[q];
    ws_dnarecord *r = record_of(s, seq, err);
    if (!r || ws_grow(&l->hit, &l->cap, l->n + 1, sizeof *l->hit, err)) return err->code;
    const size_t columns = h->column ? h->ncolumn : 0, residues = h->column ? (size_t)ws_dnahit_residues(h) : 0;
    ws_dnahit *own = ws_hits_keep(&s->block, sizeof *own + columns + residues, err);
    if (!own) return err->code;
    *own = *h;
    own->record = r;
    if (h->column) {
        uint8_t *to = (uint8_t *)(own + 1);
        memcpy(to, h->column, columns);
        memcpy(to + columns, h->x, residues);
        own->column = to;
        own->x = to + columns;
    }
    r->L = ws_max(r->L, seq->L);
    l->hit[l->n++] = own;
    return WS_OK;
}

int ws_dnastore_add(ws_dnastore *s, size_t q, const ws_dnaseq *record, const ws_dnahit *h, ws_err *err) {
    pthread_mutex_lock(&s->lock);
    const int rc = add(s, q, record, h, err);
    pthread_mutex_unlock(&s->lock);
    return rc;
}

void ws_dnastore_note_length(ws_dnastore *s, uint64_t number, uint64_t L) {
    pthread_mutex_lock(&s->lock);
    for (size_t i = place_of(s, number, NULL, 0); i < s->nrecord && s->record[i]->number == number; i++)
        s->record[i]->L = ws_max(s->record[i]->L, L);
    pthread_mutex_unlock(&s->lock);
}

/* ---- order ---- */

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

const char *ws_dnalist_name(const ws_dnalist *l, const ws_dnahit *h) {
    return l->model ? l->model[h->model]->name : h->record->name;
}

static int compare_targets(const ws_dnalist *l, const ws_dnahit *a, const ws_dnahit *b) {
    if (a->record == b->record && a->model == b->model) return 0;
    if (!l->model && a->record->number != b->record->number) return COMPARE(a->record->number, b->record->number);
    const int names = strcmp(ws_dnalist_name(l, a), ws_dnalist_name(l, b));
    return names ? names : COMPARE(a->model, b->model);
}

static int by_finding(const ws_dnahit *a, const ws_dnahit *b) {
    if (a->block != b->block) return COMPARE(a->block, b->block);
    if (a->window != b->window) return COMPARE(a->window, b->window);
    return a->subwindow != b->subwindow ? COMPARE(a->subwindow, b->subwindow) : COMPARE(a->number, b->number);
}

/* By place: target, strand, low end, the longer one first; then the better one. */
static int by_place(const void *p, const void *q, const void *list) {
    const ws_dnahit *a = p, *b = q;
    const int targets = compare_targets(list, a, b);
    if (targets) return targets;
    if (a->minus != b->minus) return COMPARE(a->minus, b->minus);
    if (ws_dnahit_low(a) != ws_dnahit_low(b)) return COMPARE(ws_dnahit_low(a), ws_dnahit_low(b));
    if (ws_dnahit_high(a) != ws_dnahit_high(b)) return COMPARE(ws_dnahit_high(b), ws_dnahit_high(a));
    return a->lnp != b->lnp ? COMPARE(a->lnp, b->lnp) : by_finding(a, b);
}

/* By significance, then name, strand and position. */
static int by_rank(const void *p, const void *q, const void *list) {
    const ws_dnahit *a = p, *b = q;
    if (a->lnp != b->lnp) return COMPARE(a->lnp, b->lnp);
    const int names = strcmp(ws_dnalist_name(list, a), ws_dnalist_name(list, b));
    if (names) return names;
    if (a->minus != b->minus) return COMPARE(a->minus, b->minus);
    return a->ali_from != b->ali_from ? COMPARE(a->ali_from, b->ali_from) : by_place(p, q, list);
}

/* ---- duplicates ---- */

static int near(uint64_t a, uint64_t b) { return (a > b ? a - b : b - a) <= 3; }

/* Returns whether hit b is another view of a: section 13.2 without the record. */
static int is_same(const ws_dnahit *a, const ws_dnahit *b) {
    const int64_t nodes = (int64_t)ws_min(a->hmm_to, b->hmm_to) - (int64_t)ws_max(a->hmm_from, b->hmm_from) + 1;
    if (a->minus != b->minus || nodes <= 0) return 0;
    const uint64_t low[] = {ws_dnahit_low(a), ws_dnahit_low(b)}, high[] = {ws_dnahit_high(a), ws_dnahit_high(b)};
    const double overlap = (double)((int64_t)ws_min(high[0], high[1]) - (int64_t)ws_max(low[0], low[1]) + 1);
    return near(low[0], low[1]) || near(high[0], high[1]) || overlap >= 0.95 * (double)(high[0] - low[0] + 1) ||
           overlap >= 0.95 * (double)(high[1] - low[1] + 1);
}

/* A chain of hits sorted by place: each meets the last one of its target that was no duplicate (18.16). */
static void mark_duplicates(const ws_dnalist *l) {
    for (size_t i = 1, j = 0; i < l->n; i++) {
        ws_dnahit *a = l->hit[j], *b = l->hit[i];
        if (b->record != a->record || b->model != a->model || !is_same(a, b)) {
            j = i;
        } else if (a->lnp > b->lnp) {
            a->duplicate = 1;
            j = i;
        } else {
            b->duplicate = 1;
        }
    }
}

/* ---- the end of a search ---- */

double ws_dnahit_evalue(const ws_dnahit *h) { return ws_hits_exp(h->lnp); }

void ws_dnahit_scale(ws_dnahit *h, uint64_t residues, uint32_t maxl, size_t models) {
    h->lnp += log((double)((float)residues / (float)maxl));
    h->lnp += log((double)(float)models);
}

void ws_dnalimits_cut(ws_dnalimits *limits, const ws_hmm *hmm, int cut, int row) {
    *limits = (ws_dnalimits){.bits = (double)hmm->cut[cut][0], .inc_bits = (double)hmm->cut[cut][0], .by_bits = 1,
                             .inc_by_bits = 1, .by_row = row, .row = (double)hmm->cut[cut][1]};
}

int ws_dnalimits_may(const ws_dnalimits *limits, const ws_dnahit *h, uint64_t residues, uint32_t maxl) {
    if (limits->by_bits) return (double)h->bits >= limits->bits;
    return ws_hits_exp(h->lnp + log((double)((float)residues / (float)maxl))) <= limits->evalue * (1 + 1e-9);
}

static void judge(ws_dnalist *l, const ws_dnalimits *limits, ws_dnahit *h) {
    ws_dnalimits own = *limits;
    if (l->model && l->cut >= 0) ws_dnalimits_cut(&own, l->model[h->model], l->cut, 0);
    h->reported = h->included = h->shown = 0;
    if (h->duplicate) return;
    const double e = ws_dnahit_evalue(h), bits = (double)h->bits;
    h->reported = own.by_bits ? bits >= own.bits : e <= own.evalue;
    h->included = h->reported && (own.inc_by_bits ? bits >= own.inc_bits : e <= own.inc_evalue);
    h->shown = h->reported && (!own.by_row || bits >= own.row);
    l->nreported += h->reported;
    l->nincluded += h->included && h->shown;
}

void ws_dnalist_rank(ws_dnalist *l, const ws_dnalimits *limits, uint64_t residues, uint32_t maxl) {
    const double more = l->model ? 0 : log((double)((float)residues / (float)maxl));
    for (size_t i = 0; i < l->n; i++) l->hit[i]->lnp += more;
    ws_hits_sort(l->hit, l->n, by_place, l);
    mark_duplicates(l);
    l->nreported = l->nincluded = 0;
    for (size_t i = 0; i < l->n; i++) judge(l, limits, l->hit[i]);
    ws_hits_sort(l->hit, l->n, by_rank, l);
}
