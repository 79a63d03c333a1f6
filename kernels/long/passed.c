/* SPDX-License-Identifier: MIT
 * Residues that passed the tests of nhmmer's report. Specification nhmmer.md, section 4. */
#include "kernels/long/search.h"

#include <math.h>

void ws_long_count_more(const ws_long_count *c, const ws_long_place *at, int passed, int64_t n) {
    if (c->of)
        __atomic_add_fetch(&c->of[c->by_record ? at->record : at->target][passed], n, __ATOMIC_RELAXED);
}

void ws_long_count_windows(const ws_long_count *c, const ws_long_target *target, const ws_long_list *l) {
    for (size_t j = 0; j < l->n && c->of; j++) {
        const ws_long_place *at = &l->at[j];
        if (isnan(at->bias_nats)) continue; /* the plain test failed */
        ws_long_count_more(c, at, WS_LONG_PASSED_SSV, l->len[j]);
        if (at->p <= target[at->target].model.options.F1) ws_long_count_more(c, at, WS_LONG_PASSED_BIAS, l->len[j]);
    }
}

int64_t ws_long_overlap(const ws_long_list *l, size_t a, size_t b) {
    const ws_long_place *p = &l->at[a], *q = &l->at[b];
    if (p->target != q->target || p->record != q->record || p->block != q->block || p->window != q->window ||
        p->subwindow + 1 != q->subwindow)
        return 0;
    const int64_t step = (int64_t)(p->minus ? p->from - q->from : q->from - p->from);
    return step < (int64_t)l->len[a] ? (int64_t)l->len[a] - step : 0;
}

void ws_long_count_subwindows(const ws_long_count *c, int passed, const ws_long_list *l, const uint32_t *item,
                              size_t from, size_t n) {
    for (size_t j = 0; j < n && c->of; j++) {
        const size_t at = item ? item[j] : from + j;
        int64_t more = l->len[at];
        if (j > 0) more -= ws_long_overlap(l, item ? item[j - 1] : at - 1, at);
        ws_long_count_more(c, &l->at[at], passed, more);
    }
}
