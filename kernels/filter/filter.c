/* SPDX-License-Identifier: MIT
 * A body together with a model: see kernels/filter/filter.h. */
#include "kernels/filter/filter.h"

#include <math.h>

struct ws_filter {
    const ws_body *body;
    void *form; /* for the definition; a vector width has its layout behind this record */
    const struct ws_gate *gate;
} __attribute__((aligned(WS_ALIGN)));

size_t ws_filter_room(const ws_body *body) { return sizeof(ws_filter) + body->size; }

int ws_filter_place(ws_filter **out, void *room, const ws_body *body, const void *form, ws_err *err) {
    ws_filter *f = *out = room;
    f->body = body;
    return body->lay_out ? body->lay_out(f + 1, form, err) : WS_OK;
}

int ws_filter_create_from(ws_filter **out, const ws_body *body, const void *form, ws_err *err) {
    void *room = ws_calloc(1, ws_filter_room(body), err);
    *out = NULL;
    if (!room) return WS_ENOMEM;
    const int rc = ws_filter_place(out, room, body, form, err);
    if (rc) {
        ws_filter_destroy(*out);
        *out = NULL;
    }
    return rc;
}

static void drop(const ws_profile_form *kind, void *form) {
    kind->destroy(form);
    ws_free(form);
}

int ws_filter_create(ws_filter **out, const ws_body *body, const ws_profile *p, ws_err *err) {
    *out = NULL;
    void *form = ws_calloc(1, body->form->size, err);
    int rc = form ? body->form->create(form, p, err) : WS_ENOMEM;
    if (rc) {
        ws_free(form);
        return rc;
    }
    rc = ws_filter_create_from(out, body, form, err);
    if (!rc && body->one) (*out)->form = form;
    else drop(body->form, form);
    return rc;
}

void ws_filter_clear(ws_filter *f) {
    if (!f) return;
    if (f->body->clear) f->body->clear(f + 1);
    if (f->form) drop(f->body->form, f->form);
}

void ws_filter_destroy(ws_filter *f) {
    ws_filter_clear(f);
    ws_free(f);
}

void ws_filter_set_gate(ws_filter *f, const struct ws_gate *gate) { f->gate = gate; }

const struct ws_gate *ws_filter_gate(const ws_filter *f) { return f->gate; }

static int score_one_by_one(const ws_filter *f, const ws_seqlist *list, ws_fscore *out, ws_buf *scratch, ws_err *err) {
    void *room = ws_buf_scratch(scratch, f->body->room(f->form), err);
    if (!room) return err->code;
    for (size_t j = 0; j < list->n; j++) {
        const size_t L = ws_seqlist_len(list, j);
        if (L) out[j] = f->body->one(f->form, ws_seqlist_lm(list, j), ws_seqlist_codes(list, j), L, room);
    }
    return WS_OK;
}

int ws_filter_scores(const ws_filter *f, const ws_seqlist *list, ws_fscore *out, ws_buf *scratch, ws_err *err) {
    int rc =
        f->body->score ? f->body->score(f + 1, list, out, scratch, err) : score_one_by_one(f, list, out, scratch, err);
    for (size_t j = 0; j < list->n && !rc; j++)
        if (ws_seqlist_len(list, j) == 0) out[j] = (ws_fscore){-INFINITY, WS_F_UNDERFLOW};
    return rc;
}

void ws_filter_bias(const ws_bias *bias, const ws_cpu *cpu, const ws_seqlist *list, const float *hint, void *room,
                    float *out) {
    uint32_t *item = room;
    float *score = (float *)(void *)(item + list->n);
    size_t n = 0;
    for (size_t j = 0; j < list->n; j++) {
        if (!isnan(out[j])) continue;
        if (hint && !isnan(hint[j])) out[j] = ws_bias_finish(hint[j], ws_seqlist_lm(list, j));
        else item[n++] = (uint32_t)ws_seqlist_at(list, j);
    }
    ws_seqlist rest = *list;
    rest.item = item;
    rest.n = n;
    if (n) ws_bias_scores(bias, cpu, &rest, score);
    for (size_t j = 0, i = 0; i < n; j++)
        if (isnan(out[j])) out[j] = score[i++];
}
