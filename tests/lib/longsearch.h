/* SPDX-License-Identifier: MIT
 * A whole search of long targets as tests want it: stage by stage, with a text of every step as in the golden stage
 * files. */
#ifndef WS_TESTS_LONGSEARCH_H
#define WS_TESTS_LONGSEARCH_H

#include "kernels/dom/window.h"
#include "kernels/msv/msv.h"
#include "kernels/long/scan.h"
#include "lib/hits/write.h"
#include "lib/simd/codec.h"
#include "tests/lib/hmmread.h"
#include "tests/lib/longcase.h"

typedef struct search {
    ws_hmmset set;
    const ws_hmm *hmm;
    ws_profile profile;
    ws_long_model model;
    ws_long_ssv ssv;
    ws_long_viterbi vit;
    ws_bias bias;
    ws_filter *msv;
    ws_dom_tables *tables;
    ws_dom_worker *worker;
    ws_buf scratch, text;
    ws_long_seeds seeds;
    ws_long_windows windows, subwindows;
    ws_dom_window_model background;
    ws_dnastore hits; /* one list */
    uint64_t residues; /* searched */
    int watson, crick; /* strands */
} search;

/* A search by nhmmer's options, with the scans of one width. */
WS_UNUSED static void open_search(search *s, const char *path, const ws_cpu *cpu, int width, const ws_long_options *o,
                                  const ws_dom_options *dom) {
    const ws_body *const msv[] = {WS_BY_WIDTH(ws_msv_)};
    const ws_long_ssv_body *const ssv[] = {WS_BY_WIDTH(ws_long_ssv_)};
    const ws_long_vit_body *const vit[] = {WS_BY_WIDTH(ws_long_vit_)};
    ws_err err = {0};
    *s = (search){.watson = 1, .crick = 1};
    must(hmm_read(&s->set, path, 1, &err), &err);
    s->hmm = s->set.hmm;
    must(ws_profile_create(&s->profile, s->hmm, &err), &err);
    must(ws_long_model_create(&s->model, s->hmm, &s->profile, o, &err), &err);
    must(ws_long_ssv_create(&s->ssv, ssv[width], &s->model, &err), &err);
    must(ws_long_viterbi_create(&s->vit, vit[width], &s->profile, &err), &err);
    ws_bias_set(&s->bias, s->hmm);
    must(ws_filter_create(&s->msv, msv[ws_cpu_best(cpu)], &s->profile, &err), &err);
    must(ws_dom_tables_create(&s->tables, &s->profile, s->hmm->evparam[WS_FTAU], s->hmm->evparam[WS_FLAMBDA], &err),
         &err);
    must(ws_dom_worker_create(&s->worker, ws_dom_backend_best(cpu), dom, &err), &err);
    must(ws_dom_window_model_create(&s->background, s->tables, &s->profile, s->hmm, &err), &err);
    must(ws_dnastore_create(&s->hits, 1, &err), &err);
}

WS_UNUSED static void close_search(search *s) {
    ws_dom_window_model_destroy(&s->background);
    ws_dnastore_destroy(&s->hits);
    ws_dom_worker_destroy(s->worker);
    ws_dom_tables_destroy(s->tables);
    ws_filter_destroy(s->msv);
    ws_long_viterbi_destroy(&s->vit);
    ws_long_ssv_destroy(&s->ssv);
    ws_long_model_destroy(&s->model);
    ws_profile_destroy(&s->profile);
    ws_hmmset_release(&s->set);
    ws_buf_release(&s->scratch);
    ws_buf_release(&s->text);
    ws_free(s->seeds.at);
    ws_free(s->windows.at);
    ws_free(s->subwindows.at);
}

#define SAY(s, ...) \
    do { \
        ws_err say; \
        must(ws_buf_addf(&(s)->text, &say, __VA_ARGS__), &say); \
    } while (0)

/* Where a sub-window stands: its first residue in the block strand and in the record, and the record. */
typedef struct place {
    uint64_t record, from;
    int minus;
    uint32_t first;
    const longrecord *of;
} place;

static void add_hit(search *s, const ws_dom_window_envelope *e, const place *at) {
    const ws_domain *d = &e->domain;
    ws_err err;
    if (!e->scored || d->ali_to - d->ali_from + 1 < WS_LONG_LEAST) return;
    ws_dnahit h = {.minus = at->minus != 0, .hmm_from = d->hmm_from, .hmm_to = d->hmm_to,
                   .correction_nats = d->correction_nats,
                   .block = s->hits.list->n};
    h.ali_from = ws_long_coordinate(at->from, at->minus, d->ali_from);
    h.ali_to = ws_long_coordinate(at->from, at->minus, d->ali_to);
    h.env_from = ws_long_coordinate(at->from, at->minus, d->env_from);
    h.env_to = ws_long_coordinate(at->from, at->minus, d->env_to);
    ws_long_score(&s->model, d->env_to - d->env_from + 1, d->ali_to - d->ali_from + 1, d->env_nats, &h.bits, &h.lnp);
    const ws_dnaseq record = {.number = at->record + 1, .L = at->of->n, .name = at->of->name,
                              .nname = strlen(at->of->name), .desc = at->of->desc, .ndesc = strlen(at->of->desc)};
    must(ws_dnastore_add(&s->hits, 0, &record, &h, &err), &err);
}

static void envelope(search *s, const ws_dom_pair *pair, const ws_dom_envelope *from, const place *at) {
    ws_dom_window_envelope e = {.x = pair->x, .L = pair->L, .from = from->from, .to = from->to};
    ws_err err = {0};
    must(ws_dom_window_rescore(&s->background, s->worker, &e, 1, &err), &err);
    const ws_domain *d = &e.domain;
    if (e.scored)
        SAY(s, "E %u %u %u %u %u %u %u %u %.7g %.7g\n", from->from, from->to, d->env_from, d->env_to, d->ali_from,
            d->ali_to, d->hmm_from, d->hmm_to, (double)e.fitted_nats, (double)e.own_nats);
    add_hit(s, &e, at);
    ws_free(e.domain.column);
}

static void domains(search *s, ws_dom_pair *pair, const place *at) {
    const size_t first = s->hits.list->n;
    ws_err err = {0};
    for (uint32_t r = 0; r < pair->nregion; r++) {
        ws_dom_region *g = &pair->region[r];
        const ws_dom_span span = {pair, g, NULL};
        SAY(s, "R %u %u %d\n", g->from, g->to, g->multi);
        if (g->multi) must(ws_dom_resolve(s->tables, s->worker, &span, 1, &err), &err);
        for (uint32_t e = 0; e < g->nenv; e++) envelope(s, pair, &g->env[e], at);
    }
    for (size_t j = first; j < s->hits.list->n; j++) {
        const ws_dnahit *h = s->hits.list->hit[j];
        SAY(s, "H %llu %llu %llu %llu %u %u %.7g %.7g\n", (unsigned long long)h->env_from,
            (unsigned long long)h->env_to, (unsigned long long)h->ali_from, (unsigned long long)h->ali_to, h->hmm_from,
            h->hmm_to, (double)h->bits, (double)h->correction_nats);
    }
}

static void forward(search *s, const uint8_t *x, uint32_t L, const place *at) {
    ws_lenmodel lm;
    ws_err err = {0};
    ws_dom_pair pair, *list = &pair;
    ws_long_fwd t;
    ws_lenmodel_set(&lm, L);
    ws_dom_pair_begin(&pair, x, &lm);
    must(ws_dom_parse(s->tables, s->worker, &list, 1, &err), &err);
    ws_long_test_fwd(&s->model, &lm, pair.hit.fwd_nats, ws_bias_score(&s->bias, &lm, x, L), &t);
    SAY(s, "F %u %u %.7g %.7g %.7g %.6g\n", at->first, L, (double)pair.hit.fwd_nats, (double)lm.null_nats,
        (double)t.filter_nats, t.p);
    if (t.passes) domains(s, &pair, at);
    ws_dom_pair_release(&pair);
}

static void viterbi(search *s, const uint8_t *x, const ws_lenmodel *lm, const ws_long_window *w, float bias,
                    const place *at) {
    ws_err err = {0};
    ws_long_vit_window window = {.x = x, .n = w->len};
    ws_long_vit_set(&s->model, lm, bias, &window.vit);
    SAY(s, "t %d\n", window.vit.threshold);
    s->seeds.n = s->subwindows.n = 0;
    must(ws_long_points(&s->vit, &window, 1, &s->seeds, &s->scratch, &err), &err);
    for (size_t j = 0; j < s->seeds.n; j++) SAY(s, "v %u %d\n", s->seeds.at[j].i, s->seeds.at[j].k);
    must(ws_long_extend(&s->model, &s->seeds, w->len, WS_LONG_SHARE_VIT, &s->subwindows, &err), &err);
    must(ws_long_split(&s->model, &s->subwindows, &err), &err);
    for (size_t j = 0; j < s->subwindows.n; j++) SAY(s, "X %u %u\n", s->subwindows.at[j].from, s->subwindows.at[j].len);
    for (size_t j = 0; j < s->subwindows.n; j++) {
        const ws_long_window *p = &s->subwindows.at[j];
        const place sub = {at->record, ws_long_coordinate(at->from, at->minus, p->from), at->minus,
                            at->first + p->from - 1, at->of};
        forward(s, x + p->from - 1, p->len, &sub);
    }
}

static void window(search *s, const uint8_t *strand, const ws_long_window *w, const place *block) {
    const uint8_t *x = strand + w->from - 1;
    const place at = {block->record, ws_long_coordinate(block->from, block->minus, w->from), block->minus, w->from,
                      block->of};
    const uint64_t first = 0;
    ws_lenmodel lm;
    ws_err err = {0};
    ws_fscore score;
    ws_long_msv t;
    ws_lenmodel_set(&lm, w->len);
    const ws_seqlist list = {.n = 1, .codes = x, .first = &first, .len = &w->len, .lm = &lm};
    must(ws_filter_scores(s->msv, &list, &score, &s->scratch, &err), &err);
    ws_long_test_msv(&s->model, &lm, score.nats, ws_bias_score(&s->bias, &lm, x, w->len), &t);
    SAY(s, "M %u %u %.7g %.7g %.6g\n", w->from, w->len, (double)score.nats, (double)lm.null_nats, (double)t.p);
    if ((double)t.p > s->model.options.F1) return;
    SAY(s, "b %.7g %.7g %.6g\n", (double)t.bias_nats, (double)t.filter_nats, t.p_corrected);
    if (t.passes) viterbi(s, x, &lm, w, t.bias_nats, &at);
}

static void block_strand(search *s, const uint8_t *x, uint32_t n, const place *at) {
    ws_err err = {0};
    SAY(s, "T %d\n", s->model.threshold);
    const ws_long_strand strand = {x, n};
    s->seeds.n = s->windows.n = 0;
    must(ws_long_diagonals(&s->ssv, &strand, 1, &s->seeds, &s->scratch, &err), &err);
    for (size_t j = 0; j < s->seeds.n; j++)
        SAY(s, "S %u %d %d\n", s->seeds.at[j].i, s->seeds.at[j].k, s->seeds.at[j].len);
    must(ws_long_extend(&s->model, &s->seeds, n, WS_LONG_SHARE_SSV, &s->windows, &err), &err);
    for (size_t j = 0; j < s->windows.n; j++) SAY(s, "W %u %u\n", s->windows.at[j].from, s->windows.at[j].len);
    for (size_t j = 0; j < s->windows.n; j++) window(s, x, &s->windows.at[j], at);
}

/* One strand of a block. */
static void strand(search *s, const longrecord *r, const uint8_t *x, uint32_t n, uint32_t context, const place *at) {
    SAY(s, "B %s %c %llu %u %u\n", r->name, at->minus ? '-' : '+', (unsigned long long)at->from, n, context);
    s->residues += n - context;
    block_strand(s, x, n, at);
}

/* The strands of every block of a record, which is number `record`. */
WS_UNUSED static void search_record(search *s, const longrecord *r, uint64_t record) {
    const uint32_t block = s->model.options.block;
    for (uint64_t j = 0; j * block < r->n; j++) {
        const uint64_t first = ws_long_block_first(j, block, s->model.maxl), last = ws_min((j + 1) * block, r->n);
        const uint32_t n = (uint32_t)(last - first + 1), context = (uint32_t)(j * block - first + 1);
        uint8_t *both = calloc(2, n + WS_LONG_PAD), *other = both + n + WS_LONG_PAD;
        memcpy(both, r->x + first - 1, n);
        ws_codec_scalar.other_strand(s->hmm->abc, r->x + first - 1, n, other);
        if (s->watson) strand(s, r, both, n, context, &(place){record, first, 0, 1, r});
        if (s->crick) strand(s, r, other, n, context, &(place){record, last, 1, 1, r});
        free(both);
    }
}

#endif
