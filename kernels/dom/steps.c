/* SPDX-License-Identifier: MIT
 * The steps of the stage over lists of pairs, regions and envelopes of one model. Source: specification domains.md,
 * section 1. */
#include "kernels/dom/kernel.h"

#include <math.h>
#include <stdlib.h>

#include "lib/simd/flush.h"

/* Does a step. Each runs between ws_flush_begin and ws_flush_end, because its arithmetic has no subnormal numbers. */
typedef int step_fn(const ws_dom_tables *t, ws_dom_worker *w, const void *list, size_t n, ws_err *err);
static int flushed(step_fn *step, const ws_dom_tables *t, ws_dom_worker *w, const void *list, size_t n, ws_err *err) {
    const uint32_t before = ws_flush_begin();
    const int rc = step(t, w, list, n, err);
    ws_flush_end(before);
    return rc;
}

/* An element of a list. The backend gets lists longest first, so that problems side by side have similar length.
 * Ties keep the list's order, so the order is unique. */
typedef struct entry {
    uint32_t L, at;
} entry;

static int by_length(const void *a, const void *b) {
    const entry *x = a, *y = b;
    return x->L != y->L ? (x->L < y->L) - (x->L > y->L) : (x->at > y->at) - (x->at < y->at);
}

static uint32_t pair_length(const void *list, size_t j) { return ((ws_dom_pair *const *)list)[j]->L; }
static uint32_t region_length(const void *list, size_t j) {
    const ws_dom_region *g = ((const ws_dom_span *)list)[j].region;
    return g->to - g->from + 1;
}
static uint32_t envelope_length(const void *list, size_t j) {
    const ws_dom_envelope *e = ((const ws_dom_span *)list)[j].env;
    return e->to - e->from + 1;
}

static entry *sorted(ws_dom_worker *w, const void *list, size_t n, uint32_t (*length)(const void *, size_t),
                     ws_err *err) {
    entry *order = ws_dom_scratch(w, WS_DOM_ORDER, n * sizeof *order, err);
    if (!order) return NULL;
    for (size_t j = 0; j < n; j++) order[j] = (entry){length(list, j), (uint32_t)j};
    qsort(order, n, sizeof *order, by_length);
    return order;
}

/* ---- parse ---- */

static void set_problem(ws_dom_problem *p, const ws_dom_pair *pair, uint32_t from, uint32_t to, ws_dom_mode mode) {
    *p = (ws_dom_problem){.x = pair->x + from - 1, .L = to - from + 1, .mode = mode, .odds = pair->odds};
}

static size_t rows_of(const ws_dom_problem *p) { return (size_t)p->L + 1; }

/* Allocates rows for n problems, with `backward` also Backward's, and pointers to the problems. Returns WS_ENOMEM on
 * failure. */
static int lay_rows(ws_dom_worker *w, ws_dom_problem *p, size_t n, int backward, ws_err *err) {
    size_t rows = 0;
    for (size_t j = 0; j < n; j++) rows += rows_of(&p[j]);
    ws_dom_row *row = ws_dom_scratch(w, WS_DOM_ROWS, rows * (backward ? 2 : 1) * sizeof *row, err);
    if (!row) return err->code;
    for (size_t j = 0; j < n; j++) {
        p[j].f = row;
        row += rows_of(&p[j]);
        if (!backward) continue;
        p[j].b = row;
        row += rows_of(&p[j]);
    }
    return WS_OK;
}

float ws_dom_forward_nats(const ws_dom_problem *p) {
    float scale = 0.0f;
    const float end = p->f[p->L].C * p->mode.pmove;
    if (!(end > 0.0f) || isinf(end)) return NAN;
    for (uint32_t i = 1; i <= p->L; i++)
        if (p->f[i].s > 1.0f) scale = (float)((double)scale + log((double)p->f[i].s));
    return (float)((double)scale + log((double)end));
}

/* Takes a target's results from the parsers. */
static int take_parse(ws_dom_worker *w, ws_dom_pair *pair, const ws_dom_problem *p, ws_err *err) {
    pair->hit.fwd_nats = ws_dom_forward_nats(p);
    if (!isnan(pair->hit.fwd_nats)) {
        int rc = ws_dom_find_regions(w, pair, p, err);
        if (rc != WS_EDATA) return rc;
    }
    pair->hit.status = WS_DOM_RANGE;
    return WS_OK;
}

enum { TOGETHER = 16 }; /* most problems in one call of a backend */

static int parse_some(const ws_dom_tables *t, ws_dom_worker *w, ws_dom_pair *const *pair, size_t n, ws_err *err) {
    ws_dom_problem p[TOGETHER], *each[TOGETHER];
    for (size_t j = 0; j < n; j++) {
        set_problem(&p[j], pair[j], 1, pair[j]->L, ws_dom_multihit(pair[j]->L));
        each[j] = &p[j];
        if (!(pair[j]->n2 = ws_calloc((size_t)pair[j]->L + 1, sizeof *pair[j]->n2, err))) return err->code;
    }
    int rc = lay_rows(w, p, n, 1, err);
    if (rc == WS_OK) rc = w->backend->parse(t, w, each, n, err);
    for (size_t j = 0; rc == WS_OK && j < n; j++) rc = take_parse(w, pair[j], &p[j], err);
    return rc;
}

static int parse_all(const ws_dom_tables *t, ws_dom_worker *w, const void *list, size_t n, ws_err *err) {
    const entry *order = sorted(w, list, n, pair_length, err);
    int rc = order ? WS_OK : err->code;
    for (size_t j = 0, m; rc == WS_OK && j < n; j += m) {
        ws_dom_pair *some[TOGETHER];
        for (m = 0; m < TOGETHER && j + m < n && order[j + m].L > 0; m++)
            some[m] = ((ws_dom_pair *const *)list)[order[j + m].at];
        if (m == 0) break; /* the remaining targets have no residues, and so no regions */
        rc = parse_some(t, w, some, m, err);
    }
    return rc;
}

int ws_dom_parse(const ws_dom_tables *t, ws_dom_worker *w, ws_dom_pair *const *pair, size_t n, ws_err *err) {
    return flushed(parse_all, t, w, pair, n, err);
}

/* ---- resolve ---- */

size_t ws_dom_matrix_bytes(const ws_dom_tables *t, uint32_t L) {
    const size_t cells =
        ws_dom_cell_front(t->M) + WS_DOM_CELL * ((size_t)L + 1) * ((size_t)t->M + 1) + WS_DOM_CELL_BEHIND;
    return cells * sizeof(float);
}

static int make_envelopes(ws_dom_region *g, ws_err *err) {
    for (uint32_t c = 0; c < g->nsignificant; c++) g->nenv += !g->cluster[c].removed;
    if (g->nenv == 0) return WS_OK;
    if (!(g->env = ws_calloc(g->nenv, sizeof *g->env, err))) {
        g->nenv = 0;
        return err->code;
    }
    for (uint32_t c = 0, e = 0; c < g->nsignificant; c++) {
        g->cluster[c].i += g->from - 1;
        g->cluster[c].j += g->from - 1;
        if (!g->cluster[c].removed)
            g->env[e++] = (ws_dom_envelope){.from = g->cluster[c].i, .to = g->cluster[c].j, .by_ensemble = 1};
    }
    return WS_OK;
}

/* Takes a region's results from its traces, and makes envelopes of their clusters. */
static int take_sample(const ws_dom_tables *t, ws_dom_worker *w, const ws_dom_span *span, const ws_dom_sample *s,
                       ws_err *err) {
    ws_dom_region *g = span->region;
    const uint32_t L = g->to - g->from + 1;
    for (uint32_t i = 1; i <= L; i++) span->pair->n2[g->from - 1 + i] = logf(s->n2[i] / (float)WS_DOM_TRACES);
    g->draws = s->draws;
    g->segments = (uint32_t)s->n;
    int rc = ws_dom_cluster_segments(w, s, L, (uint32_t)t->M, &g->cluster, &g->nsignificant, &g->clusters, err);
    return rc ? rc : make_envelopes(g, err);
}

static int sample_region(const ws_dom_tables *t, ws_dom_worker *w, const ws_dom_span *span, const ws_dom_problem *p,
                         ws_err *err) {
    ws_dom_region *g = span->region;
    ws_dom_sample *s = &w->sample;
    g->fwd_nats = ws_dom_forward_nats(p);
    s->components = 0;
    int rc = isnan(g->fwd_nats) ? WS_EDATA : w->backend->sample(t, w, p, w->options.seed, s, err);
    if (rc == WS_EDATA) {
        g->failed = WS_DOM_RANGE;
        return WS_OK;
    }
    if (rc) return rc;
    return take_sample(t, w, span, s, err);
}

/* Does what is left of a region that a device sampled. */
static int take_sampled(const ws_dom_tables *t, ws_dom_worker *w, const ws_dom_span *span, ws_err *err) {
    ws_dom_region *g = span->region;
    int rc = ws_dom_unpack_sample(g, &w->sample, err);
    if (!rc && !g->failed) rc = take_sample(t, w, span, &w->sample, err);
    ws_free(g->sampled);
    g->sampled = NULL;
    return rc;
}

/* Most bytes of matrices in memory together; a single larger matrix is allowed. There are no more of them than the
 * backend computes side by side: more would only be further away when they are sampled. */
#define MATRICES ((size_t)32 << 20)

static int resolve_some(const ws_dom_tables *t, ws_dom_worker *w, const ws_dom_span *span, size_t n, ws_err *err) {
    ws_dom_problem p[TOGETHER], *each[TOGETHER];
    size_t bytes = 0, at = 0, rows = 0;
    for (size_t j = 0; j < n; j++) {
        set_problem(&p[j], span[j].pair, span[j].region->from, span[j].region->to, ws_dom_multihit(span[j].pair->L));
        bytes += ws_dom_matrix_bytes(t, p[j].L);
        rows += rows_of(&p[j]);
        each[j] = &p[j];
    }
    int rc = lay_rows(w, p, n, 0, err);
    if (rc) return rc;
    char *cell = ws_dom_scratch(w, WS_DOM_MATRIX, bytes, err);
    float *ends = cell ? ws_dom_scratch(w, WS_DOM_ENDS, rows * ws_dom_nends(t) * sizeof *ends, err) : NULL;
    if (!ends) return err->code;
    for (size_t j = 0; j < n; at += ws_dom_matrix_bytes(t, p[j].L), ends += rows_of(&p[j]) * ws_dom_nends(t), j++) {
        p[j].cell = (float *)(void *)(cell + at) + ws_dom_cell_front(t->M);
        p[j].ends = ends;
    }
    rc = w->backend->parse(t, w, each, n, err);
    for (size_t j = 0; rc == WS_OK && j < n; j++) rc = sample_region(t, w, &span[j], &p[j], err);
    return rc;
}

static int resolve_all(const ws_dom_tables *t, ws_dom_worker *w, const void *list, size_t n, ws_err *err) {
    entry *order = sorted(w, list, n, region_length, err);
    size_t left = 0;
    int rc = order ? WS_OK : err->code;
    for (size_t j = 0; rc == WS_OK && j < n; j++) {
        const ws_dom_span *span = &((const ws_dom_span *)list)[order[j].at];
        if (span->region->sampled) rc = take_sampled(t, w, span, err);
        else order[left++] = order[j];
    }
    n = left;
    for (size_t j = 0, m; rc == WS_OK && j < n; j += m) {
        ws_dom_span some[TOGETHER];
        size_t bytes = ws_dom_matrix_bytes(t, order[j].L);
        for (m = 0; m < w->backend->quads && j + m < n && (m == 0 || bytes <= MATRICES); m++) {
            some[m] = ((const ws_dom_span *)list)[order[j + m].at];
            if (j + m + 1 < n) bytes += ws_dom_matrix_bytes(t, order[j + m + 1].L);
        }
        if (w->options.memory && ws_dom_matrix_bytes(t, order[j].L) > w->options.memory) {
            some[0].region->failed = WS_DOM_MEMORY;
            m = 1;
        } else {
            rc = resolve_some(t, w, some, m, err);
        }
    }
    return rc;
}

int ws_dom_resolve(const ws_dom_tables *t, ws_dom_worker *w, const ws_dom_span *span, size_t n, ws_err *err) {
    return flushed(resolve_all, t, w, span, n, err);
}

/* ---- rescore ---- */

static int rescore_some(const ws_dom_tables *t, ws_dom_worker *w, const ws_dom_span *span, size_t n, ws_err *err) {
    ws_dom_fit f[TOGETHER], *each[TOGETHER];
    size_t rows = 0;
    for (size_t j = 0; j < n; j++) {
        f[j] = (ws_dom_fit){0};
        set_problem(&f[j].p, span[j].pair, span[j].env->from, span[j].env->to, ws_dom_unihit(span[j].pair->L));
        rows += rows_of(&f[j].p);
        each[j] = &f[j];
    }
    ws_dom_row *row = ws_dom_scratch(w, WS_DOM_ROWS, 2 * rows * sizeof *row, err);
    if (!row) return err->code;
    for (size_t j = 0; j < n; j++) {
        f[j].p.f = row;
        f[j].p.b = row + rows_of(&f[j].p);
        row += 2 * rows_of(&f[j].p);
    }
    int rc = w->backend->fit(t, w, each, n, err);
    for (size_t j = 0; j < n; j++) {
        if (rc == WS_OK) ws_dom_take_fit(span[j].pair, span[j].env, &f[j], ws_dom_forward_nats(&f[j].p));
        else ws_free(f[j].column);
    }
    return rc;
}

static int rescore_all(const ws_dom_tables *t, ws_dom_worker *w, const void *list, size_t n, ws_err *err) {
    const entry *order = sorted(w, list, n, envelope_length, err);
    int rc = order ? WS_OK : err->code;
    for (size_t j = 0, m; rc == WS_OK && j < n; j += m) {
        ws_dom_span some[TOGETHER];
        for (m = 0; m < TOGETHER && j + m < n; m++) some[m] = ((const ws_dom_span *)list)[order[j + m].at];
        rc = rescore_some(t, w, some, m, err);
    }
    return rc;
}

int ws_dom_rescore(const ws_dom_tables *t, ws_dom_worker *w, const ws_dom_span *span, size_t n, ws_err *err) {
    return flushed(rescore_all, t, w, span, n, err);
}

/* ---- all together ---- */

/* Lists the spans of all pairs for a step: regions to resolve, or envelopes. */
static size_t list_spans(ws_dom_pair *const *pair, size_t n, int envelopes, ws_dom_span *to) {
    size_t count = 0;
    for (size_t j = 0; j < n; j++)
        for (uint32_t r = 0; r < pair[j]->nregion; r++) {
            ws_dom_region *g = &pair[j]->region[r];
            const size_t spans = envelopes ? g->nenv : g->multi != 0;
            for (size_t e = 0; e < spans; e++, count++)
                if (to) to[count] = (ws_dom_span){pair[j], g, envelopes ? &g->env[e] : NULL};
        }
    return count;
}

int ws_dom_for_spans(const ws_dom_tables *t, ws_dom_worker *w, ws_dom_pair *const *pair, size_t n, int envelopes,
                     ws_err *err) {
    const size_t count = list_spans(pair, n, envelopes, NULL);
    ws_dom_span *span = ws_calloc(count, sizeof *span, err);
    if (!span) return err->code;
    list_spans(pair, n, envelopes, span);
    int rc = envelopes ? ws_dom_rescore(t, w, span, count, err) : ws_dom_resolve(t, w, span, count, err);
    ws_free(span);
    return rc;
}

int ws_dom_score(const ws_dom_tables *t, ws_dom_worker *w, ws_dom_pair *const *pair, size_t n, ws_err *err) {
    int rc = ws_dom_parse(t, w, pair, n, err);
    if (rc == WS_OK) rc = ws_dom_for_spans(t, w, pair, n, 0, err);
    if (rc == WS_OK) rc = ws_dom_for_spans(t, w, pair, n, 1, err);
    for (size_t j = 0; rc == WS_OK && j < n; j++) rc = ws_dom_finish(t, &w->options, pair[j], err);
    return rc;
}
