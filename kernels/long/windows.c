/* SPDX-License-Identifier: MIT
 * Windows around seeds. Specification long-targets.md, sections 6 and 8. */
#include "kernels/long/long.h"

enum { LONGEST = 80000, OVERLAP = 40000 };

static int add(ws_long_windows *w, ws_long_window one, ws_err *err) {
    int rc = ws_grow(&w->at, &w->cap, w->n + 1, sizeof *w->at, err);
    if (!rc) w->at[w->n++] = one;
    return rc;
}

static uint32_t last_of(const ws_long_window *w) { return w->from + w->len - 1; }

/* The window around one seed. The last node's share before it is 0 (18.3); the end counts from one past the diagonal
 * (18.4). */
static ws_long_window around(const ws_long_model *m, const ws_long_seed *s, uint32_t T) {
    const double maxl = (double)m->maxl, before = maxl * (0.1 + (double)m->before[s->k - s->len + 1]);
    const double after = maxl * (0.1 + (double)m->after[s->k]);
    const double from = (double)s->i - before, to = (double)((int64_t)s->i + s->len) + after;
    ws_long_window w = {.from = from > 1.0 ? (uint32_t)from : 1};
    w.len = (to < (double)T ? (uint32_t)to : T) - w.from + 1;
    return w;
}

/* Whether two windows are one. */
static int overlap(const ws_long_window *a, const ws_long_window *b, float share) {
    const int64_t to = (int64_t)ws_min(last_of(a), last_of(b)), from = (int64_t)ws_max(a->from, b->from);
    return (float)(to - from + 1) / (float)ws_min(a->len, b->len) > share;
}

static void unite(ws_long_window *a, const ws_long_window *b) {
    const uint32_t to = (uint32_t)ws_max(last_of(a), last_of(b));
    a->from = (uint32_t)ws_min(a->from, b->from);
    a->len = to - a->from + 1;
}

int ws_long_extend(const ws_long_model *m, const ws_long_seeds *seeds, uint32_t T, float share, ws_long_windows *w,
                   ws_err *err) {
    const size_t first = w->n;
    for (size_t j = 0; j < seeds->n; j++) {
        const ws_long_window next = around(m, &seeds->at[j], T);
        if (w->n > first && overlap(&w->at[w->n - 1], &next, share)) {
            unite(&w->at[w->n - 1], &next);
        } else {
            const int rc = add(w, next, err);
            if (rc) return rc;
        }
    }
    return WS_OK;
}

int ws_long_split(const ws_long_model *m, ws_long_windows *w, ws_err *err) {
    const uint32_t step = LONGEST - (uint32_t)ws_min(OVERLAP, m->maxl);
    for (size_t j = 0, n = w->n; j < n; j++) {
        ws_long_window rest = w->at[j];
        if (rest.len > LONGEST) w->at[j].len = LONGEST;
        while (rest.len > LONGEST) {
            rest.from += step;
            rest.len -= step;
            const int rc = add(w, (ws_long_window){rest.from, (uint32_t)ws_min(rest.len, LONGEST)}, err);
            if (rc) return rc;
        }
    }
    return WS_OK;
}
