/* SPDX-License-Identifier: MIT
 * One model and one block of a record: windows, sub-windows, domains, hits. Specification long-targets.md, sections 5 to 12. */
#include "kernels/dom/genome.h"

#include <string.h>

/* Windows or sub-windows: codes of their own, as filters take them, and where their first residues are in the record. */
struct ws_genome_pieces {
    struct piece {
        uint64_t from;
        int minus;
        float bias_nats;
    } *at;
    uint64_t *first;
    uint32_t *len, *item; /* item: those that are still in question */
    ws_lenmodel *lm;
    float *bias;
    ws_fscore *score;
    ws_buf codes;
    size_t n, cap[7];
};

static void release_pieces(ws_genome_pieces *p) {
    if (!p) return;
    ws_free(p->at);
    ws_free(p->first);
    ws_free(p->len);
    ws_free(p->item);
    ws_free(p->lm);
    ws_free(p->bias);
    ws_free(p->score);
    ws_buf_release(&p->codes);
    ws_free(p);
}

void ws_genome_worker_release(ws_genome_worker *w) {
    ws_dom_worker_destroy(w->dom);
    release_pieces(w->windows);
    release_pieces(w->parts);
    ws_genome_marks_release(w->marks);
    ws_buf_release(&w->codes);
    ws_buf_release(&w->other);
    ws_buf_release(&w->scratch);
}

static int room(ws_genome_pieces *p, uint32_t len, ws_err *err) {
    const size_t n = p->n + 1;
    int rc = ws_grow(&p->at, &p->cap[0], n, sizeof *p->at, err);
    if (!rc) rc = ws_grow(&p->first, &p->cap[1], n, sizeof *p->first, err);
    if (!rc) rc = ws_grow(&p->len, &p->cap[2], n, sizeof *p->len, err);
    if (!rc) rc = ws_grow(&p->lm, &p->cap[3], n, sizeof *p->lm, err);
    if (!rc) rc = ws_grow(&p->bias, &p->cap[4], n, sizeof *p->bias, err);
    if (!rc) rc = ws_grow(&p->score, &p->cap[5], n, sizeof *p->score, err);
    if (!rc) rc = ws_grow(&p->item, &p->cap[6], n, sizeof *p->item, err);
    return rc ? rc : ws_buf_reserve(&p->codes, (size_t)len + 6 + WS_ALIGN, err); /* filters read whole registers */
}

static int add_piece(ws_genome_pieces *p, const uint8_t *x, uint32_t len, uint64_t from, int minus, ws_err *err) {
    const int rc = room(p, len, err);
    if (rc) return rc;
    p->at[p->n] = (struct piece){from, minus, 0.0f};
    p->first[p->n] = p->codes.n / 6;
    p->len[p->n] = len;
    ws_lenmodel_set(&p->lm[p->n++], len);
    memcpy(p->codes.p + p->codes.n, x, len);
    p->codes.n += ((size_t)len + 5) / 6 * 6;
    return WS_OK;
}

static ws_seqs list_of(const ws_genome_pieces *p, const uint32_t *item, size_t n) {
    return (ws_seqs){.n = n, .codes = (const uint8_t *)p->codes.p, .first = p->first, .len = p->len, .lm = p->lm, .item = item};
}

static const uint8_t *codes_of(const ws_genome_pieces *p, size_t j) { return (const uint8_t *)p->codes.p + 6 * p->first[j]; }

/* The windows of one strand. */
static int scan(const ws_genome_block *b, ws_genome_worker *w, int minus, ws_err *err) {
    const ws_long_strand strand = {b->strand[minus], b->n};
    const uint64_t from = minus ? b->first + b->n - 1 : b->first;
    ws_long_seeds seeds = {0};
    ws_long_windows found = {0};
    int rc = b->flag[minus] ? ws_long_follow(&b->layout->ssv, &strand, b->flag[minus], &seeds, &w->scratch, err)
                            : ws_long_diagonals(&b->layout->ssv, &strand, 1, &seeds, &w->scratch, err);
    if (!rc) rc = ws_long_extend(&b->model->model, &seeds, b->n, WS_LONG_SHARE_SSV, &found, err);
    for (size_t j = 0; j < found.n && !rc; j++) {
        const ws_long_window *one = &found.at[j];
        rc = add_piece(w->windows, strand.x + one->from - 1, one->len, ws_long_coordinate(from, minus, one->from), minus, err);
    }
    ws_free(seeds.at);
    ws_free(found.at);
    return rc;
}

/* The windows that pass MSV and bias, into item[0..*n). */
static int test_windows(const ws_genome_block *b, ws_genome_worker *w, size_t *n, ws_err *err) {
    ws_genome_pieces *p = w->windows;
    const ws_long_model *m = &b->model->model;
    const ws_seqs all = list_of(p, NULL, p->n);
    ws_long_msv t;
    *n = 0;
    const int rc = p->n ? ws_filter_scores(b->layout->msv, &all, p->score, &w->scratch, err) : WS_OK;
    if (rc) return rc;
    size_t asked = 0;
    for (size_t j = 0; j < p->n; j++) {
        ws_long_test_msv(m, &p->lm[j], p->score[j].nats, 0.0f, &t);
        if ((double)t.p <= m->options.F1) p->item[asked++] = (uint32_t)j;
    }
    if (!m->options.nobias) {
        const ws_seqs some = list_of(p, p->item, asked);
        ws_bias_scores(&b->model->bias, b->cpu, &some, p->bias);
    }
    for (size_t j = 0; j < asked; j++) {
        const uint32_t at = p->item[j];
        ws_long_test_msv(m, &p->lm[at], p->score[at].nats, p->bias[j], &t);
        p->at[at].bias_nats = t.bias_nats;
        if (t.passes) p->item[(*n)++] = at;
    }
    return WS_OK;
}

/* Sub-windows around the points of one window. */
static int add_parts(const ws_genome_block *b, ws_genome_worker *w, uint32_t at, const ws_long_seeds *points, ws_err *err) {
    const struct piece *from = &w->windows->at[at];
    const uint8_t *x = codes_of(w->windows, at);
    ws_long_windows found = {0};
    int rc = ws_long_extend(&b->model->model, points, w->windows->len[at], WS_LONG_SHARE_VIT, &found, err);
    if (!rc) rc = ws_long_split(&b->model->model, &found, err);
    for (size_t k = 0; k < found.n && !rc; k++)
        rc = add_piece(w->parts, x + found.at[k].from - 1, found.at[k].len, ws_long_coordinate(from->from, from->minus, found.at[k].from),
                       from->minus, err);
    ws_free(found.at);
    return rc;
}

/* The Viterbi scan of the windows item[0..n). */
static int find_parts(const ws_genome_block *b, ws_genome_worker *w, size_t n, ws_err *err) {
    const ws_genome_pieces *p = w->windows;
    ws_long_piece *list = ws_calloc(n, sizeof *list, err);
    ws_long_seeds *found = list ? ws_calloc(n, sizeof *found, err) : NULL;
    int rc = found ? WS_OK : err->code;
    for (size_t j = 0; j < n && !rc; j++) {
        const uint32_t at = p->item[j];
        list[j] = (ws_long_piece){.x = codes_of(p, at), .n = p->len[at]};
        ws_long_vit_set(&b->model->model, &p->lm[at], p->at[at].bias_nats, &list[j].vit);
    }
    if (!rc) rc = ws_long_points(&b->layout->viterbi, list, n, found, &w->scratch, err);
    for (size_t j = 0; j < n && !rc; j++) rc = add_parts(b, w, p->item[j], &found[j], err);
    for (size_t j = 0; found && j < n; j++) ws_free(found[j].at);
    ws_free(found);
    ws_free(list);
    return rc;
}

/* The sub-windows that pass Forward, into item[0..*n). */
static int test_parts(const ws_genome_block *b, ws_genome_worker *w, size_t *n, ws_err *err) {
    ws_genome_pieces *p = w->parts;
    const ws_seqs all = list_of(p, NULL, p->n);
    *n = 0;
    const int rc = p->n ? ws_filter_scores(b->layout->fwd, &all, p->score, &w->scratch, err) : WS_OK;
    if (rc) return rc;
    ws_bias_scores(&b->model->bias, b->cpu, &all, p->bias);
    for (size_t j = 0; j < p->n; j++) {
        ws_long_fwd t;
        ws_long_test_fwd(&b->model->model, &p->lm[j], p->score[j].nats, p->bias[j], &t);
        if (t.passes) p->item[(*n)++] = (uint32_t)j;
    }
    return WS_OK;
}

static int add_hit(const ws_genome_block *b, const ws_domain *d, const struct piece *at, ws_genome_found *found, ws_err *err) {
    const uint32_t alignment = d->ali_to - d->ali_from + 1;
    if (alignment < WS_LONG_LEAST) return WS_OK;
    const int rc = ws_grow(&found->at, &found->cap, found->n + 1, sizeof *found->at, err);
    if (rc) return rc;
    ws_genome_hit *g = &found->at[found->n++];
    *g = (ws_genome_hit){.target = b->target};
    g->hit = (ws_long_hit){.record = b->record, .minus = at->minus, .hmm_from = d->hmm_from, .hmm_to = d->hmm_to,
                           .correction_nats = d->correction_nats};
    g->hit.ali_from = ws_long_coordinate(at->from, at->minus, d->ali_from);
    g->hit.ali_to = ws_long_coordinate(at->from, at->minus, d->ali_to);
    g->hit.env_from = ws_long_coordinate(at->from, at->minus, d->env_from);
    g->hit.env_to = ws_long_coordinate(at->from, at->minus, d->env_to);
    ws_long_score(&b->model->model, d->env_to - d->env_from + 1, alignment, d->env_nats, &g->hit);
    return WS_OK;
}

/* The envelopes of a sub-window whose regions are known. */
static int score_envelopes(const ws_genome_block *b, ws_genome_worker *w, const ws_dom_pair *pair, const struct piece *at,
                           ws_genome_found *found, ws_genome_counts *c, ws_err *err) {
    int rc = WS_OK;
    for (uint32_t r = 0; r < pair->nregion && !rc; r++) {
        const ws_dom_region *g = &pair->region[r];
        if (g->failed == WS_DOM_MEMORY)
            return ws_fail(err, WS_EDATA, "a region of %u residues against model %s needs more memory than --mem", g->to - g->from + 1,
                           b->model->hmm->name);
        for (uint32_t e = 0; e < g->nenv && !rc; e++) {
            ws_dom_window_envelope out;
            rc = ws_dom_window_rescore(&b->model->background, w->dom, pair->x, pair->L, g->env[e].from, g->env[e].to, &out, err);
            if (!rc && out.scored) rc = add_hit(b, &out.domain, at, found, err);
            ws_free(out.domain.column);
            c->envelopes++;
        }
    }
    return rc;
}

/* The domains of the sub-windows item[0..n). */
static int find_domains(const ws_genome_block *b, ws_genome_worker *w, size_t n, ws_genome_found *found, ws_genome_counts *c,
                        ws_err *err) {
    const ws_genome_pieces *p = w->parts;
    if (n == 0) return WS_OK;
    ws_dom_pair *pair = ws_calloc(n, sizeof *pair, err);
    ws_dom_pair **list = pair ? ws_calloc(n, sizeof *list, err) : NULL;
    int rc = list ? WS_OK : err->code;
    for (size_t j = 0; j < n && !rc; j++) {
        ws_dom_pair_begin(&pair[j], codes_of(p, p->item[j]), &p->lm[p->item[j]]);
        list[j] = &pair[j];
    }
    if (!rc) rc = ws_dom_parse(b->model->tables, w->dom, list, n, err);
    if (!rc) rc = ws_dom_for_parts(b->model->tables, w->dom, list, n, 0, err);
    for (size_t j = 0; j < n && !rc; j++) rc = score_envelopes(b, w, &pair[j], &p->at[p->item[j]], found, c, err);
    for (size_t j = 0; list && j < n; j++) ws_dom_pair_release(&pair[j]);
    ws_free(list);
    ws_free(pair);
    return rc;
}

int ws_genome_search(const ws_genome_block *b, ws_genome_worker *w, ws_genome_found *found, ws_genome_counts *c, ws_err *err) {
    size_t n;
    if (!w->windows && !(w->windows = ws_calloc(1, sizeof *w->windows, err))) return err->code;
    if (!w->parts && !(w->parts = ws_calloc(1, sizeof *w->parts, err))) return err->code;
    w->windows->n = w->windows->codes.n = w->parts->n = w->parts->codes.n = 0;
    int rc = WS_OK;
    for (int minus = 0; minus < 2 && !rc; minus++) {
        if (!b->strand[minus]) continue;
        rc = scan(b, w, minus, err);
    }
    c->windows += w->windows->n;
    if (!rc) rc = test_windows(b, w, &n, err);
    if (!rc) rc = find_parts(b, w, n, err);
    if (!rc) rc = test_parts(b, w, &n, err);
    return rc ? rc : find_domains(b, w, n, found, c, err);
}
