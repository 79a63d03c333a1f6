/* SPDX-License-Identifier: MIT
 * Windows and sub-windows, and the tests between them. Specification long-targets.md, sections 5 to 9. */
#include "kernels/long/search.h"

#include <math.h>

/* ---- windows ---- */

/* Appends the windows of one strand; those that are there since `before` are of the same block. */
static int find_on_strand(const ws_long_block *b, int minus, const ws_long_place *place, size_t before,
                          ws_long_list *windows,
                          ws_buf *scratch, ws_err *err) {
    const ws_long_strand strand = {b->strand[minus], b->n};
    const uint64_t from = minus ? b->first + b->n - 1 : b->first;
    const ws_long_ssv *ssv = &b->target->ssv;
    ws_long_seeds seeds = {0};
    ws_long_windows found = {0};
    int rc = b->flag[minus] ? ws_long_follow(ssv, &strand, b->flag[minus], &seeds, scratch, err)
                            : ws_long_diagonals(ssv, &strand, 1, &seeds, scratch, err);
    if (!rc) rc = ws_long_extend(&b->target->model, &seeds, b->n, WS_LONG_SHARE_SSV, &found, err);
    for (size_t j = 0; j < found.n && !rc; j++) {
        const ws_long_window *one = &found.at[j];
        ws_long_place own = *place;
        own.from = ws_long_coordinate(from, minus, one->from);
        own.minus = minus;
        own.window = (uint32_t)(windows->n - before);
        rc = ws_long_list_add(windows, strand.x + one->from - 1, one->len, &own, err);
    }
    ws_free(seeds.at);
    ws_free(found.at);
    return rc;
}

int ws_long_find_windows(const ws_long_block *b, const ws_long_place *place, ws_long_list *windows, ws_buf *scratch,
                         ws_err *err) {
    const size_t before = windows->n;
    int rc = WS_OK;
    for (int minus = 0; minus < 2 && !rc; minus++)
        if (b->strand[minus]) rc = find_on_strand(b, minus, place, before, windows, scratch, err);
    return rc;
}

/* ---- MSV and bias ---- */

/* Sets the bias of the items that ask for it by a NaN. */
static void set_bias(const ws_long_target *t, const ws_cpu *cpu, const ws_seqlist *list, const float *hint,
                     float *bias, void *room) {
    if (t->model.options.nobias)
        for (size_t j = 0; j < list->n; j++) bias[j] = 0.0f;
    else ws_filter_bias(&t->filter->bias, cpu, list, hint, room, bias);
}

void ws_long_judge_msv(const ws_long_target *t, const ws_cpu *cpu, const ws_seqlist *list, const ws_fscore *score,
                       const float *hint,
                       void *room, ws_long_msv *out) {
    float *bias = room;
    for (size_t j = 0; j < list->n; j++) {
        ws_long_test_msv(&t->model, ws_seqlist_lm(list, j), score[j].nats, 0.0f, &out[j]);
        bias[j] = (double)out[j].p <= t->model.options.F1 ? NAN : 0.0f;
    }
    set_bias(t, cpu, list, hint, bias, bias + list->n);
    for (size_t j = 0; j < list->n; j++)
        if ((double)out[j].p <= t->model.options.F1)
            ws_long_test_msv(&t->model, ws_seqlist_lm(list, j), score[j].nats, bias[j], &out[j]);
        else out[j].bias_nats = NAN;
}

int ws_long_judge_windows(const ws_long_target *t, const ws_cpu *cpu, ws_long_list *l, uint32_t *item, size_t *n,
                          const ws_fscore *score,
                          const float *hint, ws_long_worker *w, ws_err *err) {
    const ws_seqlist list = ws_long_list_seqs(l, item, *n);
    ws_long_msv *v = ws_buf_scratch(&w->verdicts, list.n * (sizeof *v + WS_LONG_JUDGE_ROOM), err);
    if (!v) return err->code;
    ws_long_judge_msv(t, cpu, &list, score, hint, v + list.n, v);
    *n = 0;
    for (size_t j = 0; j < list.n; j++) {
        ws_long_place *at = &l->at[item[j]];
        at->nats = score[j].nats;
        at->bias_nats = v[j].bias_nats;
        at->p = v[j].p_corrected;
        if (v[j].passes) item[(*n)++] = item[j];
    }
    return WS_OK;
}

int ws_long_test_windows(const ws_long_target *t, const ws_cpu *cpu, ws_long_list *l, uint32_t *item, size_t *n,
                         ws_long_worker *w,
                         ws_err *err) {
    if (*n == 0) return WS_OK;
    const ws_seqlist list = ws_long_list_seqs(l, item, *n);
    ws_fscore *score = ws_buf_scratch(&w->scores, *n * sizeof *score, err);
    const int rc = score ? ws_filter_scores(t->msv, &list, score, &w->scratch, err) : err->code;
    return rc ? rc : ws_long_judge_windows(t, cpu, l, item, n, score, NULL, w, err);
}

/* ---- sub-windows ---- */

int ws_long_add_subwindows(const ws_long_target *t, const ws_long_list *windows, size_t j, const ws_long_seeds *points,
                           ws_long_list *subwindows, ws_err *err) {
    const ws_long_place *from = &windows->at[j];
    ws_long_windows found = {0};
    int rc = ws_long_extend(&t->model, points, windows->len[j], WS_LONG_SHARE_VIT, &found, err);
    if (!rc) rc = ws_long_split(&t->model, &found, err);
    for (size_t k = 0; k < found.n && !rc; k++) {
        ws_long_place place = *from;
        place.from = ws_long_coordinate(from->from, from->minus, found.at[k].from);
        place.subwindow = (uint32_t)k;
        rc = ws_long_list_add(subwindows, ws_long_list_codes(windows, j) + found.at[k].from - 1, found.at[k].len,
                              &place,
                              err);
    }
    ws_free(found.at);
    return rc;
}

int ws_long_find_subwindows(const ws_long_target *t, const ws_long_list *windows, const uint32_t *item, size_t n,
                            ws_long_list *subwindows, ws_buf *scratch, ws_err *err) {
    if (n == 0) return WS_OK;
    ws_long_vit_window *list = ws_calloc(n, sizeof *list, err);
    ws_long_seeds *found = list ? ws_calloc(n, sizeof *found, err) : NULL;
    int rc = found ? WS_OK : err->code;
    for (size_t j = 0; j < n && !rc; j++) {
        list[j] = (ws_long_vit_window){.x = ws_long_list_codes(windows, item[j]), .n = windows->len[item[j]]};
        ws_long_vit_set(&t->model, &windows->lm[item[j]], windows->at[item[j]].bias_nats, &list[j].vit);
    }
    if (!rc) rc = ws_long_points(&t->viterbi, list, n, found, scratch, err);
    for (size_t j = 0; j < n && !rc; j++) rc = ws_long_add_subwindows(t, windows, item[j], &found[j], subwindows, err);
    for (size_t j = 0; found && j < n; j++) ws_free(found[j].at);
    ws_free(found);
    ws_free(list);
    return rc;
}

/* ---- Forward ---- */

void ws_long_judge_fwd(const ws_long_target *t, const ws_cpu *cpu, const ws_seqlist *list, const ws_fscore *score,
                       const float *hint,
                       void *room, ws_long_fwd *out) {
    float *bias = room;
    for (size_t j = 0; j < list->n; j++) bias[j] = NAN;
    set_bias(t, cpu, list, hint, bias, bias + list->n);
    for (size_t j = 0; j < list->n; j++) ws_long_test_fwd(&t->model, ws_seqlist_lm(list, j), score[j].nats, bias[j],
                                                          &out[j]);
}

int ws_long_judge_subwindows(const ws_long_target *t, const ws_cpu *cpu, ws_long_list *l, uint32_t *item, size_t *n,
                             const ws_fscore *score, const float *hint, ws_long_worker *w, ws_err *err) {
    const ws_seqlist list = ws_long_list_seqs(l, item, *n);
    ws_long_fwd *v = ws_buf_scratch(&w->verdicts, list.n * (sizeof *v + WS_LONG_JUDGE_ROOM), err);
    if (!v) return err->code;
    ws_long_judge_fwd(t, cpu, &list, score, hint, v + list.n, v);
    *n = 0;
    for (size_t j = 0; j < list.n; j++)
        if (v[j].passes) item[(*n)++] = item[j];
    return WS_OK;
}

int ws_long_test_subwindows(const ws_long_target *t, const ws_cpu *cpu, ws_long_list *l, uint32_t *item, size_t *n,
                            ws_long_worker *w, ws_err *err) {
    if (*n == 0) return WS_OK;
    const ws_seqlist list = ws_long_list_seqs(l, item, *n);
    ws_fscore *score = ws_buf_scratch(&w->scores, *n * sizeof *score, err);
    const int rc = score ? ws_filter_scores(t->fwd, &list, score, &w->scratch, err) : err->code;
    return rc ? rc : ws_long_judge_subwindows(t, cpu, l, item, n, score, NULL, w, err);
}
