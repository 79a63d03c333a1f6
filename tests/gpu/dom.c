/* SPDX-License-Identifier: MIT
 * The domain stage on a device against the processor, bit by bit: lists of many models, homologs, chance and repeats,
 * envelopes and ensembles of the regions and any others, envelopes with backgrounds of their own, rows in shared memory
 * and not.
 *
 *   dom [-m MOST] [-e EVERY]     MOST: nodes of the longest model (for the sanitizer). EVERY: each model has one target
 *                                in EVERY, its neighbours have others, and a third of the windows (for a fake device)
 *
 * build/fault/dom is this program with a fake device, whose kernels the processor runs (tests/fault/dom.cu). Without a
 * device all is skipped, with WARPSIEVE_REQUIRE_GPU=1 all fails. */
#include "kernels/dom/choose.h"
#include "kernels/dom/device.h"
#include "kernels/dom/launches.h"
#include "kernels/dom/ref.h"
#include "kernels/dom/window.h"
#include "lib/dev/device.h"
#include "tests/lib/worked.h"

#include <limits.h>
#include <unistd.h>

static const int sizes[] = {1,  2,  3,  4,  5,   7,   8,   9,   12,  16,  17,  29,  31,  32,  33,  48, 63,
                            64, 65, 96, 99, 100, 127, 128, 129, 161, 200, 260, 333, 511, 640, 1025, 1500, 2397};
static const uint32_t lengths[] = {1, 2, 3, 7, 16, 33, 60, 61, 90, 130, 200, 333};
enum { SIZES = sizeof sizes / sizeof sizes[0], LENGTHS = sizeof lengths / sizeof lengths[0], KINDS = 6 };
enum { PER_MODEL = LENGTHS * KINDS, FREE_ENVELOPES = 3 };

typedef struct target_case {
    const ws_dom_tables *t;
    uint8_t *x;
    ws_lenmodel lm;
    ws_dom_pair pair[2]; /* of the processor, of the device */
} target_case;

typedef struct cases {
    ws_hmm hmm[SIZES];
    ws_dom_tables *t[SIZES];
    target_case *at;
    size_t n, models;
} cases;

/* Homologs of the whole model with chance between them: a region for each of them. */
static void fill_regions(uint8_t *x, uint32_t L, const ws_hmm *h, sample *r) {
    const uint32_t between = 40 + (uint32_t)h->M / 4;
    for (uint32_t i = 0, k = 0; i < L; k++) {
        const uint32_t n = (uint32_t)ws_min(k % 2 ? (uint32_t)h->M : between, L - i);
        if (k % 2) sample_homolog(r, h, x + i, n);
        for (uint32_t c = 0; c < n && k % 2 == 0; c++) x[i + c] = sample_residue(r, h->abc);
        i += n;
    }
}

/* Homologs, chance, repeats of one residue, homologs between stretches of chance, repeats of a piece of a homolog,
 * several homologs. */
static void fill(uint8_t *x, uint32_t L, int kind, const ws_hmm *h, sample *r) {
    if (kind == 5) {
        fill_regions(x, L, h, r);
        return;
    }
    const uint8_t same = (uint8_t)sample_below(r, 20);
    const uint32_t period = 1 + (uint32_t)sample_below(r, h->M < 60 ? h->M : 60);
    sample_homolog(r, h, x, L);
    for (uint32_t i = 0; i < L && kind; i++)
        if (kind == 1) x[i] = (uint8_t)sample_below(r, 29);
        else if (kind == 2 && sample_below(r, 8)) x[i] = same;
        else if (kind == 3 && i * 3 / L == 1) x[i] = sample_residue(r, h->abc);
        else if (kind == 4 && i >= period && sample_below(r, 30)) x[i] = x[i - period];
}

/* With `every` of a few, each kind of each length is the target of some models. */
static void make_cases(cases *c, sample *r, int most, int every) {
    ws_err err = {0};
    c->at = ws_calloc(SIZES * PER_MODEL, sizeof *c->at, &err);
    for (size_t m = 0; m < SIZES && sizes[m] <= most; m++, c->models++) {
        ws_profile p;
        sample_model(&c->hmm[m], r, sizes[m], m % 8 == 7 ? 0.02 : 0);
        sample_must(ws_profile_create(&p, &c->hmm[m], &err), &err);
        sample_must(ws_dom_tables_create(&c->t[m], &p, -4.0f, 0.7f, &err), &err);
        ws_profile_destroy(&p);
        for (int k = 0; k < PER_MODEL; k++) {
            const int longest = k / KINDS == LENGTHS - 1, many = k % KINDS == 5 && sizes[m] < 100;
            if ((k + (int)m) % every && !(longest && many)) continue; /* these have most regions */
            target_case *a = &c->at[c->n++];
            const uint32_t L = lengths[k / KINDS] * (!longest ? 1 : many ? 12 : m % 3 == 2 ? 4 : 1);
            a->t = c->t[m];
            a->x = ws_calloc(L, 1, &err);
            fill(a->x, L, k % KINDS, &c->hmm[m], r);
            ws_lenmodel_set(&a->lm, L);
        }
    }
}

static void release_cases(cases *c) {
    for (size_t i = 0; i < c->n; i++) ws_free(c->at[i].x);
    for (size_t m = 0; m < c->models; m++) {
        ws_dom_tables_destroy(c->t[m]);
        sample_model_release(&c->hmm[m]);
    }
    ws_free(c->at);
}

/* ---- equality ---- */

static int same_bits(float a, float b) { return a == b || (isnan(a) && isnan(b)); }

static int same_domain(const ws_domain *a, const ws_domain *b) {
    return a->env_from == b->env_from && a->env_to == b->env_to && a->ali_from == b->ali_from &&
           a->ali_to == b->ali_to && a->hmm_from == b->hmm_from && a->hmm_to == b->hmm_to &&
           same_bits(a->env_nats, b->env_nats) && same_bits(a->correction_nats, b->correction_nats) &&
           same_bits(a->accuracy, b->accuracy) && a->bits == b->bits && a->lnp == b->lnp &&
           a->ncolumn == b->ncolumn && (a->ncolumn == 0 || memcmp(a->column, b->column, a->ncolumn) == 0);
}

static int same_envelope(const ws_dom_envelope *a, const ws_dom_envelope *b) {
    return a->from == b->from && a->to == b->to && a->scored == b->scored && a->own_scales == b->own_scales &&
           (!a->scored || same_domain(&a->domain, &b->domain));
}

static int same_parse(const ws_dom_pair *a, const ws_dom_pair *b) {
    int same = a->hit.status == b->hit.status && same_bits(a->hit.fwd_nats, b->hit.fwd_nats) &&
               same_bits(a->hit.expected, b->hit.expected) && a->nregion == b->nregion;
    for (uint32_t r = 0; same && r < a->nregion; r++) {
        const ws_dom_region *g = &a->region[r], *h = &b->region[r];
        same = g->from == h->from && g->to == h->to && g->multi == h->multi && g->begins == h->begins &&
               g->ends == h->ends && g->crowd == h->crowd && g->nenv == h->nenv;
    }
    return same;
}

static int same_n2(const ws_dom_pair *a, const ws_dom_pair *b) {
    int same = 1;
    for (uint32_t i = 1; i <= a->L; i++) same &= same_bits(a->n2[i], b->n2[i]);
    return same;
}

static int same_hit(const ws_dom_result *a, const ws_dom_result *b) {
    int same = a->status == b->status && a->n == b->n && a->envelopes == b->envelopes && a->lnp == b->lnp &&
               a->bits == b->bits && a->pre_bits == b->pre_bits && a->reconstructed == b->reconstructed;
    for (uint32_t d = 0; same && d < a->n; d++) same = same_domain(&a->domain[d], &b->domain[d]);
    return same;
}

/* ---- the steps ---- */

typedef struct tally {
    size_t pairs, parse, most_regions, envelopes, rescored, by_host, own, hits, regions, resolved, segments, unsure;
    uint64_t draws;
} tally;

typedef int device_step(ws_dom_load *load, size_t n, ws_err *err);

/* Does a step on the device, and what it leaves on the processor. */
static void on_device(device_step *step, ws_dom_load *load, size_t n, ws_dom_worker *w, tally *to) {
    ws_err err = {0};
    sample_must(step(load, n, &err), &err);
    for (size_t i = 0; i < n; i++) {
        if (load[i].done) continue;
        to->by_host++;
        if (step == ws_dom_device_parse) sample_must(ws_dom_parse(load[i].t, w, &load[i].span.pair, 1, &err), &err);
        else sample_must(ws_dom_rescore(load[i].t, w, &load[i].span, 1, &err), &err);
    }
}

/* Follows traces on the device, and does what is left on the processor. */
static void resolve(ws_dom_load *load, size_t n, ws_dom_worker *w) {
    ws_err err = {0};
    sample_must(ws_dom_device_resolve(load, n, &w->options, &err), &err);
    for (size_t i = 0; i < n; i++) sample_must(ws_dom_resolve(load[i].t, w, &load[i].span, 1, &err), &err);
}

/* Regions as parse finds them, then envelopes of these and of ensembles. */
static void compare_targets(const cases *c, ws_dom_worker *w, tally *to) {
    ws_err err = {0};
    ws_dom_load *load = ws_calloc(c->n * 64, sizeof *load, &err);
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        target_case *a = &c->at[i];
        for (int v = 0; v < 2; v++) ws_dom_pair_begin(&a->pair[v], a->x, &a->lm);
        ws_dom_pair *one = &a->pair[0];
        sample_must(ws_dom_parse(a->t, w, &one, 1, &err), &err);
        load[i] = (ws_dom_load){.t = a->t, .span.pair = &a->pair[1]};
    }
    on_device(ws_dom_device_parse, load, c->n, w, to);
    for (size_t i = 0; i < c->n; i++) {
        target_case *a = &c->at[i];
        to->pairs++;
        to->most_regions = ws_max(to->most_regions, a->pair[0].nregion);
        to->parse += !same_parse(&a->pair[0], &a->pair[1]);
        ws_dom_pair *one = &a->pair[0];
        for (int envelopes = 0; envelopes < 2; envelopes++)
            sample_must(ws_dom_for_spans(a->t, w, &one, 1, envelopes, &err), &err);
        one = &a->pair[1];
        for (uint32_t r = 0; r < one->nregion && n < c->n * 64; r++)
            if (one->region[r].multi) load[n++] = (ws_dom_load){.t = a->t, .span = {one, &one->region[r], NULL}};
    }
    resolve(load, n, w);
    n = 0;
    for (size_t i = 0; i < c->n; i++) {
        target_case *a = &c->at[i];
        ws_dom_pair *one = &a->pair[1];
        for (uint32_t r = 0; r < one->nregion; r++)
            for (uint32_t e = 0; e < one->region[r].nenv && n < c->n * 64; e++)
                load[n++] = (ws_dom_load){.t = a->t, .span = {one, &one->region[r], &one->region[r].env[e]}};
    }
    on_device(ws_dom_device_rescore, load, n, w, to);
    to->envelopes += n;
    for (size_t i = 0; i < c->n; i++) {
        target_case *a = &c->at[i];
        int same = same_n2(&a->pair[0], &a->pair[1]);
        for (int v = 0; v < 2; v++) sample_must(ws_dom_finish(a->t, &w->options, &a->pair[v], &err), &err);
        same = same && same_hit(&a->pair[0].hit, &a->pair[1].hit);
        to->rescored += !same;
        to->hits += a->pair[0].hit.status == WS_DOM_HIT;
        for (int v = 0; v < 2; v++) ws_dom_pair_release(&a->pair[v]);
    }
    ws_free(load);
}

static int same_sample(const ws_dom_sample *a, const ws_dom_sample *b, uint32_t L) {
    return a->n == b->n && a->draws == b->draws && memcmp(a->n2 + 1, b->n2 + 1, L * sizeof *a->n2) == 0 &&
           (a->n == 0 || memcmp(a->segment, b->segment, a->n * sizeof *a->segment) == 0);
}

/* Returns whether a device's labels, once they are numbered, are the processor's. */
static int same_labels(ws_dom_worker *w, const ws_dom_sample *s, uint32_t rows) {
    ws_err err = {0};
    uint32_t n, *want = ws_calloc(s->n + 1, sizeof *want, &err);
    if (s->n == 0) return ws_free(want), s->components == 0;
    sample_must(w->backend->label(w, s, rows, want, &n, &err), &err);
    sample_must(ws_dom_number_clusters(w, s, want, n, &err), &err);
    sample_must(ws_dom_number_clusters(w, s, s->label, s->components, &err), &err);
    const int same = n == s->components && memcmp(want, s->label, s->n * sizeof *want) == 0;
    ws_free(want);
    return same;
}

static int same_region(const ws_dom_region *a, const ws_dom_region *b) {
    int same = a->failed == b->failed && same_bits(a->fwd_nats, b->fwd_nats) && a->draws == b->draws &&
               a->segments == b->segments && a->clusters == b->clusters && a->nsignificant == b->nsignificant &&
               a->nenv == b->nenv;
    for (uint32_t e = 0; same && e < a->nenv; e++)
        same = a->env[e].from == b->env[e].from && a->env[e].to == b->env[e].to;
    return same;
}

/* Any stretch of a target as a region: n2, segments in their order and the number of draws, then clusters. */
static void compare_regions(const cases *c, ws_dom_worker *w, sample *r, tally *to) {
    ws_err err = {0};
    ws_dom_region *g = ws_calloc(2 * c->n, sizeof *g, &err);
    ws_dom_load *load = ws_calloc(c->n, sizeof *load, &err);
    ws_dom_pair *pair = ws_calloc(2 * c->n, sizeof *pair, &err);
    ws_dom_sample want = {0}; /* the processor's */
    for (size_t i = 0; i < c->n; i++) {
        const target_case *a = &c->at[i];
        const uint32_t from = i % 3 ? 1 : 1 + (uint32_t)sample_below(r, (int)a->lm.L),
                       end = i % 3 ? a->lm.L : from + (uint32_t)sample_below(r, (int)(a->lm.L - from + 1));
        for (size_t v = 2 * i; v < 2 * i + 2; v++) {
            ws_dom_pair_begin(&pair[v], a->x, &a->lm);
            pair[v].n2 = ws_calloc((size_t)a->lm.L + 1, sizeof(float), &err);
            g[v] = (ws_dom_region){.from = from, .to = end, .multi = 1, .begins = i % 40 ? 40.0f : 1.0f};
        }
        load[i] = (ws_dom_load){.t = a->t, .span = {&pair[2 * i + 1], &g[2 * i + 1], NULL}};
    }
    sample_must(ws_dom_device_resolve(load, c->n, &w->options, &err), &err);
    for (size_t i = 0; i < c->n; i++) {
        const ws_dom_span span = {&pair[2 * i], &g[2 * i], NULL};
        const struct ws_dom_sampled *s = g[2 * i + 1].sampled;
        int same = load[i].done == (s != NULL);
        to->by_host += !s;
        if (s) to->unsure += s->of.unsure, to->segments += s->of.nsegment, to->draws += s->of.draws;
        sample_must(ws_dom_resolve(load[i].t, w, &span, 1, &err), &err);
        const ws_dom_sample keep = w->sample;
        w->sample = want;
        want = keep;
        sample_must(ws_dom_resolve(load[i].t, w, &load[i].span, 1, &err), &err);
        same = same && (!load[i].done || g[2 * i].failed ||
                        (same_sample(&want, &w->sample, g[2 * i].to - g[2 * i].from + 1) &&
                         same_labels(w, &w->sample, g[2 * i].to - g[2 * i].from + 1)));
        to->resolved += !same || !same_region(&g[2 * i], &g[2 * i + 1]) || !same_n2(&pair[2 * i], &pair[2 * i + 1]);
        for (size_t v = 2 * i; v < 2 * i + 2; v++) {
            pair[v].region = ws_alloc(sizeof *g, &err);
            *pair[v].region = g[v];
            pair[v].nregion = 1;
            ws_dom_pair_release(&pair[v]);
        }
    }
    to->regions += c->n;
    ws_free(want.segment);
    ws_free(want.n2);
    ws_free(want.label);
    ws_free(g);
    ws_free(load);
    ws_free(pair);
}

/* ---- labels alone ---- */

/* Labels segments as a device does (tests/fault/dom.cu); NULL in a program without a fake device. */
uint32_t ws_fault_label(const uint32_t *segment, uint32_t n, uint32_t *room) __attribute__((weak));

/* All alike; none linked; each linked to few others, so that a component takes many rounds; repeats whose ends drift,
 * of which some begin together; any. */
enum { ALIKE, APART, CHAIN, REPEATS, ANY, ENSEMBLES };
static ws_dom_segment segment_like(int kind, uint32_t v, sample *r) {
    const uint32_t by = (uint32_t)sample_below(r, 20), cut = (uint32_t)sample_below(r, 20), k = v % 13;
    switch (kind) {
    case ALIKE: return (ws_dom_segment){v, 100, 200, 1, 90};
    case APART: return (ws_dom_segment){v, 1 + 6 * v, 3 + 6 * v, 1 + v % 50, 3 + v % 50};
    case CHAIN: return (ws_dom_segment){v, 1 + 3 * v, 30 + 3 * v, 1 + 3 * v, 30 + 3 * v};
    case REPEATS: return (ws_dom_segment){v / 13, 1 + 30 * k + by, 60 + 30 * k - cut, 1 + by / 2, 60 - cut / 2};
    }
    const uint32_t i = 1 + (uint32_t)sample_below(r, 300), m = 1 + (uint32_t)sample_below(r, 80);
    return (ws_dom_segment){v, i, i + (uint32_t)sample_below(r, 60), m, m + (uint32_t)sample_below(r, 60)};
}

/* Ensembles of any size up to thousands of segments, with those at the borders of a warp. */
static void compare_labels(ws_dom_worker *w, sample *r, tap *t) {
    static const uint32_t size[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 416, 1000, 5000};
    enum { SIZES_OF_THESE = sizeof size / sizeof *size, MOST = 5000, ROWS = 1 << 15 };
    static ws_dom_segment segment[MOST];
    static uint32_t word[2 * MOST], room[3 * MOST];
    int bad = 0;
    if (!ws_fault_label) {
        tap_skip(t, "labels of ensembles by hand", "this program has a real device, whose labels are in the regions");
        return;
    }
    for (int k = 0; k < ENSEMBLES * SIZES_OF_THESE; k++) {
        const uint32_t n = size[k / ENSEMBLES];
        for (uint32_t v = 0; v < n; v++) {
            const ws_dom_segment *s = &segment[v];
            segment[v] = segment_like(k % ENSEMBLES, v, r);
            word[2 * v] = s->i | s->j << 16;
            word[2 * v + 1] = s->k | s->m << 16 | v % 2u << 31; /* the highest bit is no part of m */
        }
        const ws_dom_sample s = {.segment = segment, .n = n, .label = room,
                                 .components = ws_fault_label(word, n, room)};
        const int size_is_of_kind = k % ENSEMBLES != APART || s.components == n;
        bad += !size_is_of_kind || !same_labels(w, &s, ROWS);
    }
    tap_ok(t, !bad, "labels of %d ensembles of 0 to %d segments: %d differ", ENSEMBLES * SIZES_OF_THESE, MOST, bad);
}

/* Any stretch of a target as an envelope. */
static void compare_envelopes(const cases *c, ws_dom_worker *w, sample *r, tally *to) {
    ws_err err = {0};
    ws_dom_envelope *e = ws_calloc(2 * c->n * FREE_ENVELOPES, sizeof *e, &err);
    ws_dom_load *load = ws_calloc(c->n * FREE_ENVELOPES, sizeof *load, &err);
    ws_dom_pair *pair = ws_calloc(2 * c->n * FREE_ENVELOPES, sizeof *pair, &err);
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        for (int k = 0; k < FREE_ENVELOPES; k++, n++) {
            const target_case *a = &c->at[i];
            const uint32_t from = k ? 1 + (uint32_t)sample_below(r, (int)a->lm.L) : 1,
                           to_ = k ? from + (uint32_t)sample_below(r, (int)(a->lm.L - from + 1)) : a->lm.L;
            for (int v = 0; v < 2; v++) {
                ws_dom_pair_begin(&pair[2 * n + v], a->x, &a->lm);
                pair[2 * n + v].n2 = ws_calloc((size_t)a->lm.L + 1, sizeof(float), &err);
                e[2 * n + v] = (ws_dom_envelope){.from = from, .to = to_, .by_ensemble = k == 2};
            }
            const ws_dom_span span = {&pair[2 * n], NULL, &e[2 * n]};
            sample_must(ws_dom_rescore(a->t, w, &span, 1, &err), &err);
            load[n] = (ws_dom_load){.t = a->t, .span = {&pair[2 * n + 1], NULL, &e[2 * n + 1]}};
        }
    on_device(ws_dom_device_rescore, load, n, w, to);
    for (size_t j = 0; j < n; j++) {
        to->rescored += !same_envelope(&e[2 * j], &e[2 * j + 1]) || !same_n2(&pair[2 * j], &pair[2 * j + 1]);
        to->own += (size_t)e[2 * j].own_scales;
        for (int v = 0; v < 2; v++) {
            ws_free(e[2 * j + (size_t)v].domain.column);
            ws_dom_pair_release(&pair[2 * j + (size_t)v]);
        }
    }
    to->envelopes += n;
    ws_free(e);
    ws_free(load);
    ws_free(pair);
}

/* Envelopes of windows of DNA: some far from their alignments, some near, with backgrounds of their own. */
static void compare_windows(ws_dom_worker *w, sample *r, int nonull2, int every, tap *tp) {
    enum { N = 150, MOST = 900 };
    const int n = every > 1 ? N / 3 : N;
    static uint8_t x[N][MOST];
    static ws_dom_window_envelope want[N], got[N];
    static ws_dom_window_load load[N];
    const ws_dom_options keep = w->options;
    ws_err err = {0};
    ws_hmmset set;
    ws_profile p;
    ws_dom_window_model m;
    ws_dom_tables *t;
    size_t bad = 0, cut = 0, scored = 0, by_host = 0;
    sample_must(hmm_read(&set, "tests/data/golden/dna-models/MADE1.hmm.gz", 1, &err), &err);
    const ws_hmm *h = &set.hmm[0];
    sample_must(ws_profile_create(&p, h, &err), &err);
    sample_must(ws_dom_tables_create(&t, &p, h->evparam[WS_FTAU], h->evparam[WS_FLAMBDA], &err), &err);
    sample_must(ws_dom_window_model_create(&m, t, &p, h, &err), &err);
    w->options.nonull2 = nonull2;
    for (int j = 0; j < n; j++) {
        const uint32_t L = (uint32_t)(h->M + sample_below(r, MOST - h->M + 1)),
                       at = (uint32_t)sample_below(r, (int)L - h->M + 1);
        for (uint32_t i = 0; i < L; i++)
            x[j][i] = (uint8_t)(sample_below(r, 200) ? sample_below(r, j % 7 ? 4 : 2) : 15);
        for (int k = 1; k <= h->M && j % 9; k++)
            for (uint8_t y = 0; y < 4; y++)
                if (h->mat[k * h->abc->K + y] > 0.5f) x[j][at + (uint32_t)k - 1] = y;
        const uint32_t from = 1 + (j % 3 ? 0 : (uint32_t)sample_below(r, (int)at + 1));
        want[j] = got[j] = (ws_dom_window_envelope){.x = x[j], .L = L, .from = from, .to = L};
        sample_must(ws_dom_window_rescore(&m, w, &want[j], 1, &err), &err);
        load[j] = (ws_dom_window_load){.m = &m, .e = &got[j]};
    }
    sample_must(ws_dom_window_rescore_on_device(load, (size_t)n, nonull2, 2, &err), &err);
    for (int j = 0; j < n; j++) {
        const ws_dom_window_envelope *a = &want[j], *b = &got[j];
        bad += load[j].done && (a->cut != b->cut || a->scored != b->scored || a->from != b->from || a->to != b->to ||
                                (a->scored && (!same_domain(&a->domain, &b->domain) || a->own_nats != b->own_nats ||
                                               a->fitted_nats != b->fitted_nats)));
        cut += (size_t)a->cut, scored += (size_t)a->scored, by_host += !load[j].done;
        ws_free(want[j].domain.column);
        ws_free(got[j].domain.column);
    }
    w->options = keep;
    tap_ok(tp, bad == 0 && 15 * cut > (size_t)n && 3 * scored > 2 * (size_t)n && 15 * by_host < (size_t)n,
           "%d envelopes of windows%s, %zu cut, %zu scored, %zu left to the processor: %zu differ", n,
           nonull2 ? " without null2" : "", cut, scored, by_host, bad);
    ws_dom_window_model_destroy(&m);
    ws_dom_tables_destroy(t);
    ws_profile_destroy(&p);
    ws_hmmset_release(&set);
}

/* A device has the streams that were asked for, from 1 to the most. Leaves the usual number for the next start. */
static void check_streams(tap *t) {
    static const struct {
        int asked, got;
    } c[] = {{-1, 1}, {2, 2}, {WS_DEV_STREAMS_MOST + 1, WS_DEV_STREAMS_MOST}, {0, 4}};
    ws_err err = {0};
    int bad = 0;
    for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
        ws_dev_have_streams(c[k].asked);
        sample_must(ws_dev_start(NULL, 0, &err), &err);
        bad += ws_dev_streams() != c[k].got || ws_dev_wait(&err);
        ws_dev_stop();
    }
    tap_ok(t, bad == 0, "a device has as many streams as were asked for");
}

int main(int argc, char **argv) {
    /* rows in the device's memory; in shared memory; a warp for each problem; all of these, and transitions of longer
       models in the device's memory; a gang of warps for each problem */
    static const struct {
        size_t most, block;
        int wide, gang;
        ws_dom_margins margin; /* the first are those of the program; with others the definition decides more */
    } how[] = {{0, SIZE_MAX, INT_MAX, INT_MAX, {WS_DOM_UNSURE, WS_DOM_UNSURE_END}},
               {200 << 10, SIZE_MAX, INT_MAX, INT_MAX, {0.02f, 1e-3}},
               {0, SIZE_MAX, 1, INT_MAX, {0.3f, 0.1}},
               {8 << 10, 24 << 10, 33, 100, {WS_DOM_UNSURE, WS_DOM_UNSURE_END}},
               {0, SIZE_MAX, 1, 1, {0.05f, 1e-2}}};
    int longest = 1 << 20, every = 1;
    const char *why;
    const ws_dom_options options = {.seed = 42, .memory = 6 << 20}; /* the largest regions exceed that */
    tap t = {0};
    ws_err err = {0};
    ws_cpu cpu;
    ws_dom_worker *w;
    cases c = {0};
    if (!ws_dev_usable(NULL, &why)) {
        const char *must = getenv("WARPSIEVE_REQUIRE_GPU");
        if (must && strcmp(must, "1") == 0) tap_ok(&t, 0, "a device: %s", why);
        else tap_skip(&t, "the domain stage on a device", why);
        return tap_end(&t);
    }
    for (int option; (option = getopt(argc, argv, "m:e:")) != -1;)
        if (option == 'm') longest = atoi(optarg);
        else if (option == 'e') every = atoi(optarg);
        else return 2;
    sample r = worked_seed();
    ws_cpu_probe(&cpu);
    check_streams(&t);
    sample_must(ws_dev_start(NULL, 0, &err), &err);
    sample_must(ws_dom_worker_create(&w, ws_dom_backend_best(&cpu), &options, &err), &err);
    compare_labels(w, &r, &t);
    make_cases(&c, &r, longest, every);
    for (size_t k = 0; k < sizeof how / sizeof how[0]; k++) {
        tally to = {0};
        ws_dom_shared_most = how[k].most;
        ws_dom_block_most = how[k].block;
        ws_dom_wide_least = how[k].wide;
        ws_dom_gang_least = how[k].gang;
        ws_dom_gangs_most = how[k].gang == 1 ? SIZE_MAX : 0; /* all problems */
        ws_dom_margin = how[k].margin;
        compare_targets(&c, w, &to);
        compare_envelopes(&c, w, &r, &to);
        /* a warp has room for 32 regions of a target */
        tap_ok(&t, to.parse == 0 && to.pairs > 0 && (to.most_regions > 32 || longest < 100),
               "up to %zu bytes of shared memory, a warp for %d places and more, a gang for %d: %zu of %zu targets "
               "differ, up to %zu regions",
               how[k].most, how[k].wide, how[k].gang, to.parse, to.pairs, to.most_regions);
        /* one model in eight is for the processor, and few paths of others */
        tap_ok(&t, to.rescored == 0 && to.hits > 0 && (to.own > 0 || longest < 1000) && 6 * to.by_host < to.envelopes,
               "%zu envelopes, %zu of them with scales of their own, %zu left to the processor, %zu hits: %zu differ",
               to.envelopes, to.own, to.by_host, to.hits, to.rescored);
        to.by_host = 0;
        compare_regions(&c, w, &r, &to);
        /* some regions have more segments than there is room for */
        tap_ok(&t, to.resolved == 0 && to.unsure > 0 && to.by_host > 0 && 10 * to.by_host < to.regions,
               "%zu regions, %zu left to the processor, %llu choices, %zu by the definition, %zu segments: %zu differ",
               to.regions, to.by_host, (unsigned long long)to.draws, to.unsure, to.segments, to.resolved);
    }
    for (int k = 0; k < 4; k++) {
        ws_dom_wide_least = k < 2 ? 1 : INT_MAX;
        ws_dom_gang_least = k == 1 ? 1 : INT_MAX;
        ws_dom_gangs_most = SIZE_MAX;
        ws_dom_block_most = k ? SIZE_MAX : 0;
        compare_windows(w, &r, k % 2, every, &t);
    }
    release_cases(&c);
    ws_dom_worker_destroy(w);
    ws_dev_stop();
    return tap_end(&t);
}
