/* SPDX-License-Identifier: MIT
 * Results, taken to their pairs: of a fit, and of a device. The logarithms are those of the host. Source: specification
 * domains.md, sections 4 to 7. */
#include "kernels/dom/curves.h"
#include "kernels/dom/device.h"

#include <math.h>
#include <string.h>

#include "lib/simd/flush.h"

float ws_dom_nats_of(float end, const uint32_t *scale, uint32_t n) {
    const uint32_t before = ws_flush_begin();
    float sum = !(end > 0.0f) || isinf(end) ? NAN : 0.0f, s;
    for (uint32_t i = 0; i < n && !isnan(sum); i++) {
        memcpy(&s, &scale[i], sizeof s);
        if (s > 1.0f) sum = (float)((double)sum + log((double)s));
    }
    if (!isnan(sum)) sum = (float)((double)sum + log((double)end));
    ws_flush_end(before);
    return sum;
}

int ws_dom_take_parsed(ws_dom_pair *pair, const ws_dom_parsed *r, const uint32_t *pack, ws_err *err) {
    size_t cap = pair->nregion;
    int rc = WS_OK;
    if (!(pair->n2 = ws_calloc((size_t)pair->L + 1, sizeof *pair->n2, err))) return err->code;
    pair->hit.fwd_nats = ws_dom_nats_of(r->end, pack + r->scale, r->nscale);
    if (isnan(pair->hit.fwd_nats) || !r->ok) {
        pair->hit.status = WS_DOM_RANGE;
        return WS_OK;
    }
    pair->hit.expected = r->expected;
    for (uint32_t g = 0; g < r->nregion && !rc; g++) {
        ws_dom_found found;
        memcpy(&found, pack + r->region + g * (sizeof found / sizeof *pack), sizeof found);
        rc = ws_dom_add_region(pair, &cap, &found, err);
    }
    return rc;
}

void ws_dom_take_fit(ws_dom_pair *pair, ws_dom_envelope *e, ws_dom_fit *f, float nats) {
    ws_domain *d = &e->domain;
    e->own_scales = f->p.own;
    d->env_nats = nats;
    e->scored = !f->range && !isnan(d->env_nats) && f->i_to > 0;
    if (!e->scored) {
        ws_free(f->column);
        return;
    }
    d->env_from = e->from;
    d->env_to = e->to;
    d->ali_from = f->i_from + e->from - 1;
    d->ali_to = f->i_to + e->from - 1;
    d->hmm_from = f->k_from;
    d->hmm_to = f->k_to;
    d->accuracy = f->accuracy;
    d->column = f->column;
    d->ncolumn = f->ncolumn;
    if (!e->by_ensemble) {
        float n2[WS_KP_MAX];
        for (int x = 0; x < WS_KP_MAX; x++) n2[x] = logf(f->null2[x]);
        for (uint32_t i = e->from; i <= e->to; i++) pair->n2[i] = n2[pair->x[i - 1]];
    }
    d->correction_nats = 0.0f;
    for (uint32_t i = e->from; i <= e->to; i++) d->correction_nats += pair->n2[i];
}

int ws_dom_take_fitted(const ws_dom_tables *t, const ws_dom_span *span, const ws_dom_fitted *r, const uint32_t *pack,
                       ws_err *err) {
    ws_dom_fit f = {.range = (int)r->range, .accuracy = r->accuracy, .i_from = r->i_from, .i_to = r->i_to,
                    .k_from = r->k_from, .k_to = r->k_to, .ncolumn = r->ncolumn, .p.own = (int)r->own};
    if (f.ncolumn) {
        if (!(f.column = ws_alloc(f.ncolumn, err))) return err->code;
        memcpy(f.column, pack + r->column, f.ncolumn);
    }
    memcpy(f.null2, r->null2, sizeof r->null2);
    const float nats = ws_dom_nats_of(r->end, pack + r->scale, r->nscale);
    const uint32_t before = ws_flush_begin();
    ws_dom_null2_degenerate(t->abc, f.null2);
    ws_dom_take_fit(span->pair, span->env, &f, nats);
    ws_flush_end(before);
    return WS_OK;
}

int ws_dom_take_resolved(const ws_dom_span *span, const ws_dom_resolved *r, const uint32_t *pack, ws_err *err) {
    ws_dom_region *g = span->region;
    const size_t words = 2 * (size_t)(g->to - g->from + 1) + (size_t)r->nsegment * WS_DOM_SEGMENT_WORDS;
    struct ws_dom_sampled *s = ws_alloc(sizeof *s + words * sizeof *s->word, err);
    if (!s) return err->code;
    s->of = *r;
    memcpy(s->word, pack + r->pack, words * sizeof *s->word);
    g->sampled = s;
    return WS_OK;
}

int ws_dom_unpack_sample(ws_dom_region *g, ws_dom_sample *s, ws_err *err) {
    const struct ws_dom_sampled *from = g->sampled;
    const uint32_t L = g->to - g->from + 1, *word = from->word + 2 * (size_t)L;
    s->n = s->draws = s->components = 0;
    int rc = ws_grow(&s->n2, &s->n2_cap, (size_t)L + 1, sizeof *s->n2, err);
    if (!rc) rc = ws_grow(&s->segment, &s->cap, (size_t)from->of.nsegment + 1, sizeof *s->segment, err);
    if (!rc) rc = ws_grow(&s->label, &s->label_cap, (size_t)from->of.nsegment + 1, sizeof *s->label, err);
    if (rc) return rc;
    s->draws = from->of.draws;
    s->n2[0] = 0.0f;
    memcpy(s->n2 + 1, from->word, L * sizeof *s->n2);
    g->fwd_nats = ws_dom_nats_of(from->of.end, from->word + L, L);
    if (!from->of.ok) g->failed = WS_DOM_RANGE;
    /* the processor has a trace's first domain first. Traces have one, two or three domains at random, so branches on
     * their numbers would be mispredicted */
    const uint32_t n = from->of.nsegment;
    uint32_t first[WS_DOM_TRACES + 1], trace = 0;
    for (uint32_t at = 0; at < n; at++) {
        first[trace] = at;
        trace += word[2 * at + 1] >> 31;
    }
    first[trace] = n;
    trace = 0;
    for (uint32_t at = 0; at < n; at++) {
        const uint32_t rows = word[2 * at], nodes = word[2 * at + 1];
        trace += nodes >> 31;
        const uint32_t v = first[trace - 1] + first[trace] - 1 - at;
        s->segment[v] = (ws_dom_segment){trace - 1, rows & 0xffff, rows >> 16, nodes & 0xffff, nodes >> 16 & 0x7fff};
        s->label[v] = word[2 * n + at];
    }
    s->n = n;
    s->components = from->of.components;
    return WS_OK;
}
