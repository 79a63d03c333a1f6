/* SPDX-License-Identifier: MIT
 * A ranked hit list as binary records: see lib/hits/records.h. */
#include "lib/hits/records.h"

#include <string.h>

#include "lib/hits/keep.h"
#include "lib/hits/write.h"

static void put(ws_sink *s, const void *p, size_t n) { ws_sink_add(s, p, n); }

/* Returns flags for the lines that only some models have. */
static uint32_t lines_of(const ws_hmm *hmm) {
    return (hmm->note[WS_NOTE_CS] ? WS_RECORD_CS : 0) | (hmm->note[WS_NOTE_RF] ? WS_RECORD_RF : 0);
}

static void put_lines(ws_sink *s, const ws_hmm *hmm, const ws_profile *profile, const ws_ali *ali, ws_alilines *a) {
    if (s->err.code || ws_alilines_make(a, hmm, profile, ali, &s->err) != WS_OK) return;
    const char *const line[] = {a->model, a->match, a->target, a->pp, a->cs, a->rf};
    for (size_t k = 0; k < sizeof line / sizeof *line; k++)
        if (line[k]) put(s, line[k], a->n);
}

static void put_domain(ws_sink *s, const ws_hitquery *q, const ws_held *h, const ws_held_domain *d, ws_alilines *a) {
    const ws_hitlist *l = q->list;
    const ws_record_domain r = {
        .c_evalue = ws_hitlist_evalue(l, h, d->bits, l->spaces.domZ),
        .i_evalue = ws_hitlist_evalue(l, h, d->bits, l->spaces.Z),
        .p = ws_hitlist_p(l, h, d->bits), .lnp = ws_hitlist_lnp(l, h, d->bits), .bits = d->bits,
        .bias_nats = d->bias_nats, .accuracy = d->accuracy, .env_nats = d->env_nats,
        .correction_nats = d->correction_nats, .env_from = d->env_from, .env_to = d->env_to, .ali_from = d->ali_from,
        .ali_to = d->ali_to, .hmm_from = d->hmm_from, .hmm_to = d->hmm_to, .flags = d->flags | lines_of(q->hmm),
        .columns = d->ncolumn};
    const ws_ali ali = ws_held_ali(h, d);
    put(s, &r, sizeof r);
    put_lines(s, q->hmm, q->profile, &ali, a);
}

static void put_texts(ws_sink *s, const char *const *text, const ws_record_hit *r) {
    put(s, text[0], r->name);
    put(s, text[1], r->acc);
    put(s, text[2], r->desc);
}

/* Sets the size of a record that began at this place. */
static void end_hit(ws_sink *s, size_t at, ws_record_hit *r) {
    if (s->err.code) return;
    r->size = s->text.n - at;
    memcpy(s->text.p + at, r, sizeof *r);
    ws_sink_pause(s);
}

static void put_hit(ws_sink *s, const ws_hitquery *q, const ws_held *h, ws_alilines *a) {
    const ws_hitlist *l = q->list;
    const char *text[] = {ws_hitlist_name(l, h), ws_hitlist_acc(l, h), ws_hitlist_desc(l, h)};
    const size_t at = s->text.n;
    ws_record_hit r = {
        .number = l->model ? h->model : h->number, .evalue = ws_hitlist_evalue(l, h, h->bits, l->spaces.Z),
        .p = ws_hitlist_p(l, h, h->bits), .lnp = ws_hitlist_lnp(l, h, h->bits), .bits = h->bits,
        .pre_bits = h->pre_bits, .sum_bits = h->sum_bits, .expected = h->expected,
        .length = l->model ? (uint64_t)q->hmm->M : h->L, .flags = h->flags, .domains = h->n, .best = h->best,
        .reported = h->nreported, .included = h->nincluded, .name = (uint32_t)strlen(text[0]),
        .acc = (uint32_t)strlen(text[1]), .desc = (uint32_t)ws_hits_desc(text[2]), .regions = h->regions,
        .ensembles = h->ensembles, .overlaps = h->overlaps, .envelopes = h->envelopes};
    put(s, &r, sizeof r);
    put_texts(s, text, &r);
    for (uint32_t j = 0; j < h->n; j++) put_domain(s, q, h, &ws_held_domains(h)[j], a);
    end_hit(s, at, &r);
}

void ws_write_records(ws_sink *s, const ws_hitquery *q) {
    const ws_hitlist *l = q->list;
    const ws_textconf *conf = q->text;
    const ws_queryseq *seq = q->seq ? q->seq : q->origin;
    const char *name = seq ? seq->name : q->hmm->name, *acc = ws_hitquery_acc(q);
    const char *desc = seq ? seq->desc : q->hmm->desc ? q->hmm->desc : "", *model = q->origin ? q->hmm->name : "";
    const ws_record_list r = {
        .hits = l->n, .reported = l->nreported, .included = l->nincluded, .Z = l->spaces.Z, .domZ = l->spaces.domZ,
        .seqs = conf->known ? conf->seqs : UINT64_MAX, .residues = conf->known ? conf->residues : UINT64_MAX,
        .nodes = conf->nodes,
        .query = q->seq ? WS_RECORD_SEQUENCE : q->origin ? WS_RECORD_MADE : WS_RECORD_MODEL,
        .length = seq ? seq->L : (uint32_t)q->hmm->M, .round = (uint32_t)conf->round,
        .converged = (uint32_t)conf->converged, .name = (uint32_t)strlen(name), .acc = (uint32_t)strlen(acc),
        .desc = (uint32_t)ws_hits_desc(desc), .model = (uint32_t)strlen(model),
        .nodes_of_model = q->seq ? seq->L : (uint32_t)q->hmm->M,
        .number = q->origin ? (uint32_t)q->origin->number : 0};
    ws_alilines a = {0};
    put(s, &r, sizeof r);
    put(s, name, r.name);
    put(s, acc, r.acc);
    put(s, desc, r.desc);
    put(s, model, r.model);
    for (size_t i = 0; i < l->n; i++) {
        const ws_hitquery one = ws_hitquery_of(q, l->hit[i]);
        put_hit(s, &one, l->hit[i], &a);
    }
    ws_alilines_release(&a);
}

/* ---- hits in long DNA: each has one domain, and E-values in place of P-values ---- */

static void put_place(ws_sink *s, const ws_dnaquery *q, const ws_dnahit *h, ws_alilines *a) {
    const uint32_t flags = !h->reported || !h->shown ? 0 : WS_HELD_REPORTED | (h->included ? WS_HELD_INCLUDED : 0);
    const ws_record_domain r = {
        .c_evalue = ws_dnahit_evalue(h), .i_evalue = ws_dnahit_evalue(h), .p = ws_dnahit_evalue(h), .lnp = h->lnp,
        .env_from = h->env_from, .env_to = h->env_to, .ali_from = h->ali_from, .ali_to = h->ali_to, .bits = h->bits,
        .accuracy = h->accuracy, .bias_nats = h->correction_nats, .env_nats = h->env_nats,
        .correction_nats = h->correction_nats, .hmm_from = h->hmm_from, .hmm_to = h->hmm_to,
        .flags = flags | lines_of(q->hmm), .columns = h->ncolumn};
    const ws_ali ali = ws_dnahit_ali(h);
    put(s, &r, sizeof r);
    put_lines(s, q->hmm, NULL, &ali, a);
}

static void put_dna_hit(ws_sink *s, const ws_dnaquery *q, const ws_dnahit *h, ws_alilines *a) {
    const char *const text[] = {h->record->name, h->record->acc, h->record->desc};
    const size_t at = s->text.n;
    const uint32_t shown = h->reported && h->shown;
    ws_record_hit r = {
        .number = h->record->number - 1, .length = h->record->L, .evalue = ws_dnahit_evalue(h),
        .p = ws_dnahit_evalue(h), .lnp = h->lnp, .bits = h->bits, .pre_bits = h->pre_bits, .sum_bits = h->bits,
        .flags = (h->reported ? WS_HELD_REPORTED : 0) | (h->included ? WS_HELD_INCLUDED : 0) |
                 (h->duplicate ? WS_RECORD_DUPLICATE : 0),
        .domains = 1, .reported = shown, .included = shown && h->included, .name = (uint32_t)strlen(text[0]),
        .acc = (uint32_t)strlen(text[1]), .desc = (uint32_t)ws_hits_desc(text[2])};
    put(s, &r, sizeof r);
    put_texts(s, text, &r);
    put_place(s, q, h, a);
    end_hit(s, at, &r);
}

void ws_write_records_dna(ws_sink *s, const ws_dnaquery *q) {
    const ws_dnalist *l = q->list;
    const char *name = q->hmm->name, *acc = q->hmm->acc ? q->hmm->acc : "", *desc = q->hmm->desc ? q->hmm->desc : "";
    const ws_record_list r = {
        .hits = l->n, .reported = l->nreported, .included = l->nincluded, .domZ = (double)l->nreported,
        .seqs = q->text->seqs, .residues = q->text->residues, .nodes = (uint64_t)q->hmm->M, .query = WS_RECORD_DNA,
        .length = (uint32_t)q->hmm->M, .name = (uint32_t)strlen(name), .acc = (uint32_t)strlen(acc),
        .desc = (uint32_t)strlen(desc), .nodes_of_model = (uint32_t)q->hmm->M};
    ws_alilines a = {0};
    put(s, &r, sizeof r);
    put(s, name, r.name);
    put(s, acc, r.acc);
    put(s, desc, r.desc);
    for (size_t i = 0; i < l->n; i++) put_dna_hit(s, q, l->hit[i], &a);
    ws_alilines_release(&a);
}
