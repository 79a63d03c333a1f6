/* SPDX-License-Identifier: MIT
 * Lists of windows: see kernels/long/list.h. */
#include "kernels/long/list.h"

#include "lib/base/system.h"

#include <string.h>

void ws_long_list_release(ws_long_list *l) {
    ws_free(l->at);
    ws_free(l->first);
    ws_free(l->len);
    ws_free(l->lm);
    ws_free(l->item);
    ws_buf_release(&l->codes);
    *l = (ws_long_list){0};
}

/* Room for n more windows of `codes` codes in all, which filters read in whole registers. */
static int room(ws_long_list *l, size_t n, size_t codes, ws_err *err) {
    int rc = ws_grow(&l->at, &l->cap[0], l->n + n, sizeof *l->at, err);
    if (!rc) rc = ws_grow(&l->first, &l->cap[1], l->n + n, sizeof *l->first, err);
    if (!rc) rc = ws_grow(&l->len, &l->cap[2], l->n + n, sizeof *l->len, err);
    if (!rc) rc = ws_grow(&l->lm, &l->cap[3], l->n + n, sizeof *l->lm, err);
    if (!rc) rc = ws_grow(&l->item, &l->cap[4], l->n + n, sizeof *l->item, err);
    return rc ? rc : ws_buf_reserve(&l->codes, codes + 6 + WS_ALIGN, err);
}

int ws_long_list_add(ws_long_list *l, const uint8_t *x, uint32_t len, const ws_long_place *place, ws_err *err) {
    const int rc = room(l, 1, len, err);
    if (rc) return rc;
    l->at[l->n] = *place;
    l->first[l->n] = l->codes.n / 6;
    l->len[l->n] = len;
    ws_lenmodel_set(&l->lm[l->n++], len);
    memcpy(l->codes.p + l->codes.n, x, len);
    l->codes.n += ((size_t)len + 5) / 6 * 6;
    return WS_OK;
}

int ws_long_list_append(ws_long_list *to, const ws_long_list *from, ws_err *err) {
    const int rc = room(to, from->n, from->codes.n, err);
    if (rc || from->n == 0) return rc;
    memcpy(to->at + to->n, from->at, from->n * sizeof *to->at);
    memcpy(to->len + to->n, from->len, from->n * sizeof *to->len);
    memcpy(to->lm + to->n, from->lm, from->n * sizeof *to->lm);
    for (size_t j = 0; j < from->n; j++) to->first[to->n + j] = from->first[j] + to->codes.n / 6;
    memcpy(to->codes.p + to->codes.n, from->codes.p, from->codes.n);
    to->n += from->n;
    to->codes.n += from->codes.n;
    return WS_OK;
}

int ws_long_list_pick(ws_long_list *to, const ws_long_list *from, const uint32_t *item, size_t n, ws_err *err) {
    int rc = WS_OK;
    for (size_t j = 0; j < n && !rc; j++)
        rc = ws_long_list_add(to, ws_long_list_codes(from, item[j]), from->len[item[j]], &from->at[item[j]], err);
    return rc;
}

ws_seqlist ws_long_list_seqs(const ws_long_list *l, const uint32_t *item, size_t n) {
    return (ws_seqlist){.n = n, .codes = (const uint8_t *)l->codes.p, .first = l->first, .len = l->len, .lm = l->lm,
                        .item = item};
}

static int by_model(const void *p, const void *q, void *list) {
    const ws_long_list *l = list;
    const uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q, s = l->at[a].target, t = l->at[b].target;
    return s != t ? (s > t) - (s < t) : (a > b) - (a < b);
}

static int by_model_and_length(const void *p, const void *q, void *list) {
    const ws_long_list *l = list;
    const uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q, s = l->at[a].target, t = l->at[b].target;
    return s != t || l->len[a] == l->len[b] ? by_model(p, q, list) : (l->len[a] < l->len[b]) - (l->len[a] > l->len[b]);
}

void ws_long_list_sort(ws_long_list *l, int longest) {
    for (size_t j = 0; j < l->n; j++) l->item[j] = (uint32_t)j;
    if (l->n) ws_system_sort(l->item, l->n, sizeof *l->item, longest ? by_model_and_length : by_model, l);
}

size_t ws_long_list_run(const ws_long_list *l, size_t from) {
    size_t n = 0;
    while (from + n < l->n && l->at[l->item[from + n]].target == l->at[l->item[from]].target) n++;
    return n;
}
