/* SPDX-License-Identifier: MIT
 * The domains of sub-windows, and hits of them. Specification long-targets.md, sections 10 to 12. */
#include "kernels/long/search.h"

/* The list takes the columns of the domain. */
static int add_hit(const ws_long_target *t, ws_domain *d, const ws_long_list *l, size_t item, ws_long_hits *found,
                   ws_err *err) {
    const ws_long_place *at = &l->at[item];
    const uint32_t alignment = d->ali_to - d->ali_from + 1;
    if (alignment < WS_LONG_LEAST) return WS_OK;
    const int rc = ws_grow(&found->at, &found->cap, found->n + 1, sizeof *found->at, err);
    if (rc) return rc;
    ws_long_found *f = &found->at[found->n];
    *f = (ws_long_found){.item = item};
    f->hit = (ws_dnahit){.minus = at->minus != 0, .hmm_from = d->hmm_from, .hmm_to = d->hmm_to,
                         .env_nats = d->env_nats, .correction_nats = d->correction_nats, .accuracy = d->accuracy,
                         .ncolumn = d->ncolumn,
                         .column = d->column, .x = ws_long_list_codes(l, item) + d->ali_from - 1,
                         .block = at->block, .window = at->window, .subwindow = at->subwindow,
                         .number = (uint32_t)found->n++};
    f->hit.ali_from = ws_long_coordinate(at->from, at->minus, d->ali_from);
    f->hit.ali_to = ws_long_coordinate(at->from, at->minus, d->ali_to);
    f->hit.env_from = ws_long_coordinate(at->from, at->minus, d->env_from);
    f->hit.env_to = ws_long_coordinate(at->from, at->minus, d->env_to);
    const uint32_t envelope = d->env_to - d->env_from + 1;
    const float nats = ws_long_score(&t->model, envelope, alignment, d->env_nats, &f->hit.bits, &f->hit.lnp);
    f->hit.pre_bits = (float)((double)nats / WS_LN2);
    f->column = d->column;
    d->column = NULL;
    return WS_OK;
}

void ws_long_hits_reuse(ws_long_hits *found) {
    for (size_t j = 0; j < found->n; j++) ws_free(found->at[j].column);
    found->n = found->envelopes = 0;
}

void ws_long_hits_release(ws_long_hits *found) {
    ws_long_hits_reuse(found);
    ws_free(found->at);
    *found = (ws_long_hits){0};
}

/* The envelopes of sub-windows whose regions are known, and the sub-window of each. */
typedef struct envelopes {
    ws_dom_window_envelope *at;
    size_t *pair;
    size_t n;
} envelopes;

static int no_memory(const ws_long_target *t, const ws_dom_region *g, ws_err *err) {
    return ws_fail(err, WS_EDATA, "a region of %u residues against model %s needs more memory than --mem",
                   g->to - g->from + 1, t->filter->hmm->name);
}

static int list_envelopes(const ws_long_target *t, const ws_dom_pair *pair, const ws_long_list *windows,
                          const uint32_t *item, size_t n, envelopes *l, ws_err *err) {
    size_t most = 0;
    for (size_t j = 0; j < n; j++)
        for (uint32_t r = 0; r < pair[j].nregion; r++) {
            const ws_dom_region *g = &pair[j].region[r];
            most += g->nenv;
            if (g->failed == WS_DOM_MEMORY) return no_memory(t, g, err);
        }
    l->at = ws_calloc(most, sizeof *l->at, err);
    l->pair = l->at ? ws_calloc(most, sizeof *l->pair, err) : NULL;
    if (!l->pair) return err->code;
    for (size_t j = 0; j < n; j++)
        for (uint32_t r = 0; r < pair[j].nregion; r++)
            for (uint32_t e = 0; e < pair[j].region[r].nenv; e++) {
                const ws_dom_envelope *from = &pair[j].region[r].env[e];
                l->pair[l->n] = j;
                l->at[l->n++] =
                    (ws_dom_window_envelope){.x = pair[j].x, .L = pair[j].L, .from = from->from, .to = from->to,
                                             .fit = windows->at[item[j]].behind ? &t->behind : NULL};
            }
    return WS_OK;
}

static int score_envelopes(const ws_long_target *t, const ws_dom_window_model *m, ws_dom_worker *w,
                           const ws_dom_pair *pair, const ws_long_list *windows, const uint32_t *item, size_t n,
                           ws_long_hits *found, ws_err *err) {
    envelopes l = {0};
    int rc = list_envelopes(t, pair, windows, item, n, &l, err);
    if (!rc) rc = ws_dom_window_rescore(m, w, l.at, l.n, err);
    for (size_t e = 0; e < l.n; e++) {
        const uint32_t of = item[l.pair[e]];
        if (!rc && l.at[e].scored) rc = add_hit(t, &l.at[e].domain, windows, of, found, err);
        ws_free(l.at[e].domain.column);
    }
    found->envelopes += l.n;
    ws_free(l.at);
    ws_free(l.pair);
    return rc;
}

int ws_long_take_hits(const ws_long_target *t, const ws_dom_pair *pair, const ws_long_list *l, size_t item,
                      ws_long_hits *found, ws_err *err) {
    int rc = WS_OK;
    for (uint32_t r = 0; r < pair->nregion && !rc; r++) {
        const ws_dom_region *g = &pair->region[r];
        if (g->failed == WS_DOM_MEMORY) rc = no_memory(t, g, err);
        for (uint32_t e = 0; e < g->nenv && !rc; e++, found->envelopes++)
            if (g->env[e].scored) rc = add_hit(t, &g->env[e].domain, l, item, found, err);
    }
    return rc;
}

/* Resolves the regions of a sub-window one after the other, by the later model once there is an envelope. */
static int resolve_first(const ws_long_target *t, ws_dom_worker *w, ws_dom_pair *pair, int behind, ws_err *err) {
    int rc = WS_OK, any = behind;
    for (uint32_t r = 0; r < pair->nregion && !rc; r++) {
        ws_dom_region *g = &pair->region[r];
        const ws_dom_span span = {pair, g, NULL};
        if (g->multi) rc = ws_dom_resolve(any ? t->tables : t->first_tables, w, &span, 1, err);
        any |= g->nenv > 0;
    }
    return rc;
}

int ws_long_find_first_hits(const ws_long_target *t, ws_dom_worker *w, const ws_long_list *l, uint32_t item, int behind,
                            ws_long_hits *found, ws_err *err) {
    ws_dom_pair pair, *const list[] = {&pair};
    const size_t before = found->n;
    ws_dom_pair_begin(&pair, ws_long_list_codes(l, item), &l->lm[item]);
    int rc = ws_dom_parse(behind ? t->tables : t->first_tables, w, list, 1, err);
    if (!rc) rc = resolve_first(t, w, &pair, behind, err);
    if (!rc) rc = score_envelopes(t, &t->first_background, w, &pair, l, &item, 1, found, err);
    for (size_t j = before; j < found->n; j++) found->at[j].hit.first = 1;
    ws_dom_pair_release(&pair);
    return rc;
}

int ws_long_find_hits(const ws_long_target *t, ws_dom_worker *w, const ws_long_list *l, const uint32_t *item, size_t n,
                      ws_long_hits *found,
                      ws_err *err) {
    if (n == 0) return WS_OK;
    ws_dom_pair *pair = ws_calloc(n, sizeof *pair, err);
    ws_dom_pair **list = pair ? ws_calloc(n, sizeof *list, err) : NULL;
    int rc = list ? WS_OK : err->code;
    for (size_t j = 0; j < n && !rc; j++) {
        ws_dom_pair_begin(&pair[j], ws_long_list_codes(l, item[j]), &l->lm[item[j]]);
        list[j] = &pair[j];
    }
    if (!rc) rc = ws_dom_parse(t->tables, w, list, n, err);
    if (!rc) rc = ws_dom_for_spans(t->tables, w, list, n, 0, err);
    if (!rc) rc = score_envelopes(t, &t->background, w, pair, l, item, n, found, err);
    for (size_t j = 0; list && j < n; j++) ws_dom_pair_release(&pair[j]);
    ws_free(list);
    ws_free(pair);
    return rc;
}
