/* SPDX-License-Identifier: MIT
 * Windows and sub-windows, and the tests between them. Specification long-targets.md, sections 5 to 9. */
#include "kernels/fwd/fwd.h"
#include "kernels/long/search.h"
#include "kernels/msv/msv.h"

#include <math.h>
#include <string.h>

/* ---- layouts ---- */

/* The code of each width. */
static const ws_long_ssv_body *const ssv_bodies[] = {WS_BY_WIDTH(ws_long_ssv_)};
static const ws_long_vit_body *const vit_bodies[] = {WS_BY_WIDTH(ws_long_vit_)};
static const ws_body *const msv_bodies[] = {WS_BY_WIDTH(ws_msv_)}, *const fwd_bodies[] = {WS_BY_WIDTH(ws_fwd_)};

int ws_long_layout_create(ws_long_layout *l, int width, int parts, const ws_long_model *m, const ws_profile *p, const ws_bias *bias,
                          ws_err *err) {
    int rc = WS_OK;
    *l = (ws_long_layout){.model = m, .bias = bias};
    if (parts & WS_LONG_HAS_SSV) rc = ws_long_ssv_create(&l->ssv, ssv_bodies[width], m, err);
    if (!rc && parts & WS_LONG_HAS_VIT) rc = ws_long_viterbi_create(&l->viterbi, vit_bodies[width], p, err);
    if (!rc && parts & WS_LONG_HAS_MSV) rc = ws_filter_create(&l->msv, msv_bodies[width], p, err);
    if (!rc && parts & WS_LONG_HAS_FWD) rc = ws_filter_create(&l->fwd, fwd_bodies[width], p, err);
    return rc;
}

void ws_long_layout_release(ws_long_layout *l) {
    ws_long_ssv_destroy(&l->ssv);
    ws_long_viterbi_destroy(&l->viterbi);
    ws_filter_destroy(l->msv);
    ws_filter_destroy(l->fwd);
}

/* ---- lists ---- */

void ws_long_pieces_reuse(ws_long_pieces *p) { p->n = p->codes.n = 0; }

void ws_long_pieces_release(ws_long_pieces *p) {
    ws_free(p->at);
    ws_free(p->first);
    ws_free(p->len);
    ws_free(p->item);
    ws_free(p->lm);
    ws_free(p->bias);
    ws_free(p->score);
    ws_buf_release(&p->codes);
}

static int room(ws_long_pieces *p, uint32_t len, ws_err *err) {
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

int ws_long_pieces_add(ws_long_pieces *p, const uint8_t *x, uint32_t len, const ws_long_place *place, ws_err *err) {
    const int rc = room(p, len, err);
    if (rc) return rc;
    p->at[p->n] = *place;
    p->first[p->n] = p->codes.n / 6;
    p->len[p->n] = len;
    ws_lenmodel_set(&p->lm[p->n++], len);
    memcpy(p->codes.p + p->codes.n, x, len);
    p->codes.n += ((size_t)len + 5) / 6 * 6;
    return WS_OK;
}

static ws_seqlist list_of(const ws_long_pieces *p, const uint32_t *item, size_t n) {
    return (ws_seqlist){(const uint8_t *)p->codes.p, p->first, p->len, p->lm, item, n};
}

/* ---- stages ---- */

/* The windows of one strand. */
static int find_on_strand(const ws_long_block *b, int minus, ws_long_pieces *windows, ws_buf *scratch, ws_err *err) {
    const ws_long_strand strand = {b->strand[minus], b->n};
    const uint64_t from = minus ? b->first + b->n - 1 : b->first;
    ws_long_seeds seeds = {0};
    ws_long_windows found = {0};
    int rc = b->flag[minus] ? ws_long_follow(&b->layout->ssv, &strand, b->flag[minus], &seeds, scratch, err)
                            : ws_long_diagonals(&b->layout->ssv, &strand, 1, &seeds, scratch, err);
    if (!rc) rc = ws_long_extend(b->layout->model, &seeds, b->n, WS_LONG_SHARE_SSV, &found, err);
    for (size_t j = 0; j < found.n && !rc; j++) {
        const ws_long_window *one = &found.at[j];
        const ws_long_place place = {.from = ws_long_coordinate(from, minus, one->from), .record = b->record, .minus = minus};
        rc = ws_long_pieces_add(windows, strand.x + one->from - 1, one->len, &place, err);
    }
    ws_free(seeds.at);
    ws_free(found.at);
    return rc;
}

int ws_long_find_windows(const ws_long_block *b, ws_long_pieces *windows, ws_buf *scratch, ws_err *err) {
    int rc = WS_OK;
    for (int minus = 0; minus < 2 && !rc; minus++)
        if (b->strand[minus]) rc = find_on_strand(b, minus, windows, scratch, err);
    return rc;
}

int ws_long_test_windows(const ws_long_layout *l, const ws_cpu *cpu, ws_long_pieces *p, size_t *n, ws_buf *scratch, ws_err *err) {
    const ws_seqlist all = list_of(p, NULL, p->n);
    ws_long_msv t;
    *n = 0;
    const int rc = p->n ? ws_filter_scores(l->msv, &all, p->score, scratch, err) : WS_OK;
    if (rc) return rc;
    size_t asked = 0;
    for (size_t j = 0; j < p->n; j++) {
        ws_long_test_msv(l->model, &p->lm[j], p->score[j].nats, 0.0f, &t);
        p->at[j].bias_nats = NAN;
        p->at[j].p = (double)t.p;
        if ((double)t.p <= l->model->options.F1) p->item[asked++] = (uint32_t)j;
    }
    if (!l->model->options.nobias) {
        const ws_seqlist some = list_of(p, p->item, asked);
        ws_bias_scores(l->bias, cpu, &some, p->bias);
    }
    for (size_t j = 0; j < asked; j++) {
        const uint32_t at = p->item[j];
        ws_long_test_msv(l->model, &p->lm[at], p->score[at].nats, p->bias[j], &t);
        p->at[at].bias_nats = t.bias_nats;
        p->at[at].p = t.p_corrected;
        if (t.passes) p->item[(*n)++] = at;
    }
    return WS_OK;
}

int ws_long_add_parts(const ws_long_layout *l, const uint8_t *x, uint32_t len, const ws_long_place *from, const ws_long_seeds *points,
                      ws_long_pieces *parts, ws_err *err) {
    ws_long_windows found = {0};
    int rc = ws_long_extend(l->model, points, len, WS_LONG_SHARE_VIT, &found, err);
    if (!rc) rc = ws_long_split(l->model, &found, err);
    for (size_t k = 0; k < found.n && !rc; k++) {
        ws_long_place place = {.record = from->record, .minus = from->minus};
        place.from = ws_long_coordinate(from->from, from->minus, found.at[k].from);
        rc = ws_long_pieces_add(parts, x + found.at[k].from - 1, found.at[k].len, &place, err);
    }
    ws_free(found.at);
    return rc;
}

/* Sub-windows of one window of a list. */
static int add_parts(const ws_long_layout *l, const ws_long_pieces *windows, uint32_t at, const ws_long_seeds *points,
                     ws_long_pieces *parts, ws_buf *origin, ws_err *err) {
    const size_t before = parts->n;
    int rc = ws_long_add_parts(l, ws_long_codes_of(windows, at), windows->len[at], &windows->at[at], points, parts, err);
    for (size_t k = before; k < parts->n && origin && !rc; k++) rc = ws_buf_add(origin, &at, sizeof at, err);
    return rc;
}

int ws_long_find_parts(const ws_long_layout *l, const ws_long_pieces *p, size_t n, ws_long_pieces *parts, ws_buf *origin, ws_buf *scratch,
                       ws_err *err) {
    ws_long_piece *list = ws_calloc(n, sizeof *list, err);
    ws_long_seeds *found = list ? ws_calloc(n, sizeof *found, err) : NULL;
    int rc = found ? WS_OK : err->code;
    for (size_t j = 0; j < n && !rc; j++) {
        const uint32_t at = p->item[j];
        list[j] = (ws_long_piece){.x = ws_long_codes_of(p, at), .n = p->len[at]};
        ws_long_vit_set(l->model, &p->lm[at], p->at[at].bias_nats, &list[j].vit);
    }
    if (!rc) rc = ws_long_points(&l->viterbi, list, n, found, scratch, err);
    for (size_t j = 0; j < n && !rc; j++) rc = add_parts(l, p, p->item[j], &found[j], parts, origin, err);
    for (size_t j = 0; found && j < n; j++) ws_free(found[j].at);
    ws_free(found);
    ws_free(list);
    return rc;
}

int ws_long_test_parts(const ws_long_layout *l, const ws_cpu *cpu, ws_long_pieces *p, size_t *n, ws_buf *scratch, ws_err *err) {
    const ws_seqlist all = list_of(p, NULL, p->n);
    *n = 0;
    const int rc = p->n ? ws_filter_scores(l->fwd, &all, p->score, scratch, err) : WS_OK;
    if (rc) return rc;
    ws_bias_scores(l->bias, cpu, &all, p->bias);
    for (size_t j = 0; j < p->n; j++) {
        ws_long_fwd t;
        ws_long_test_fwd(l->model, &p->lm[j], p->score[j].nats, p->bias[j], &t);
        if (t.passes) p->item[(*n)++] = (uint32_t)j;
    }
    return WS_OK;
}
