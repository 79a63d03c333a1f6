/* SPDX-License-Identifier: MIT
 * The domains of sub-windows, and hits of them. Specification long-targets.md, sections 10 to 12. */
#include "kernels/dom/genome.h"

static int add_hit(const ws_genome_model *m, const ws_domain *d, const ws_long_place *at, ws_genome_found *found, ws_err *err) {
    const uint32_t alignment = d->ali_to - d->ali_from + 1;
    if (alignment < WS_LONG_LEAST) return WS_OK;
    const int rc = ws_grow(&found->at, &found->cap, found->n + 1, sizeof *found->at, err);
    if (rc) return rc;
    ws_genome_hit *g = &found->at[found->n++];
    *g = (ws_genome_hit){.target = found->target};
    g->hit = (ws_long_hit){.record = at->record, .minus = at->minus, .hmm_from = d->hmm_from, .hmm_to = d->hmm_to,
                           .correction_nats = d->correction_nats};
    g->hit.ali_from = ws_long_coordinate(at->from, at->minus, d->ali_from);
    g->hit.ali_to = ws_long_coordinate(at->from, at->minus, d->ali_to);
    g->hit.env_from = ws_long_coordinate(at->from, at->minus, d->env_from);
    g->hit.env_to = ws_long_coordinate(at->from, at->minus, d->env_to);
    ws_long_score(&m->model, d->env_to - d->env_from + 1, alignment, d->env_nats, &g->hit);
    return WS_OK;
}

/* The envelopes of a sub-window whose regions are known. */
static int score_envelopes(const ws_genome_model *m, ws_dom_worker *w, const ws_dom_pair *pair, const ws_long_place *at,
                           ws_genome_found *found, ws_err *err) {
    int rc = WS_OK;
    for (uint32_t r = 0; r < pair->nregion && !rc; r++) {
        const ws_dom_region *g = &pair->region[r];
        if (g->failed == WS_DOM_MEMORY)
            return ws_fail(err, WS_EDATA, "a region of %u residues against model %s needs more memory than --mem", g->to - g->from + 1,
                           m->hmm->name);
        for (uint32_t e = 0; e < g->nenv && !rc; e++) {
            ws_dom_window_envelope out;
            rc = ws_dom_window_rescore(&m->background, w, pair->x, pair->L, g->env[e].from, g->env[e].to, &out, err);
            if (!rc && out.scored) rc = add_hit(m, &out.domain, at, found, err);
            ws_free(out.domain.column);
            found->envelopes++;
        }
    }
    return rc;
}

int ws_genome_domains(const ws_genome_model *m, ws_dom_worker *w, const ws_long_pieces *p, size_t n, ws_genome_found *found, ws_err *err) {
    if (n == 0) return WS_OK;
    ws_dom_pair *pair = ws_calloc(n, sizeof *pair, err);
    ws_dom_pair **list = pair ? ws_calloc(n, sizeof *list, err) : NULL;
    int rc = list ? WS_OK : err->code;
    for (size_t j = 0; j < n && !rc; j++) {
        ws_dom_pair_begin(&pair[j], ws_long_codes_of(p, p->item[j]), &p->lm[p->item[j]]);
        list[j] = &pair[j];
    }
    if (!rc) rc = ws_dom_parse(m->tables, w, list, n, err);
    if (!rc) rc = ws_dom_for_parts(m->tables, w, list, n, 0, err);
    for (size_t j = 0; j < n && !rc; j++) rc = score_envelopes(m, w, &pair[j], &p->at[p->item[j]], found, err);
    for (size_t j = 0; list && j < n; j++) ws_dom_pair_release(&pair[j]);
    ws_free(list);
    ws_free(pair);
    return rc;
}
